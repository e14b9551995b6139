package scenario

import (
	"fmt"
	"reflect"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"hsim/host/acl"
	"hsim/host/soc"
	"hsim/host/topo"
)

// tableRows reads a table as text by column.
func tableRows(t *testing.T, all []acl.Table, name string) []map[string]string {
	t.Helper()
	for _, x := range all {
		if x.Name != name {
			continue
		}
		out := []map[string]string{}
		for r := range x.Rows {
			row := map[string]string{}
			for _, f := range reflect.VisibleFields(x.Row) {
				if c := f.Tag.Get("col"); c != "" {
					row[c] = fmt.Sprint(reflect.ValueOf(r).FieldByIndex(f.Index).Interface())
				}
			}
			out = append(out, row)
		}
		return out
	}
	require.Fail(t, "no table "+name)
	return nil
}

// countBy is how many rows have each value of a column.
func countBy(rows []map[string]string, column string) map[string]int {
	out := map[string]int{}
	for _, r := range rows {
		out[r[column]]++
	}
	return out
}

// The seed's picture of a chip, from its profile: 910D has two dies with a unit each, A3 has none; where cube and vector
// cores are apart there are two scalar schedulers, else the units are hybrid.
func TestTablesOfChips(t *testing.T) {
	for _, c := range []struct {
		profile    string
		dies       int
		schedulers map[string]int
		units      map[string]int
	}{
		{"910", 0, map[string]int{"Scalar": 1, "CPU": 1}, map[string]int{"Hybrid": 32}},
		{"a3", 0, map[string]int{"Scalar": 2, "CPU": 1}, map[string]int{"Cube": 24, "Vector": 48}},
		{"950dt", 2, map[string]int{"Scalar": 2, "CPU": 1, "CCU": 2}, map[string]int{"Cube": 28, "Vector": 56}},
		{"960", 2, map[string]int{"Scalar": 2, "CPU": 1, "CCU": 2}, map[string]int{"Cube": 28, "Vector": 56}},
	} {
		all := clusterTables(t, c.profile, topo.Spec{Kind: "star", Servers: 1, Devices: 2, Hosts: 1})
		times := func(m map[string]int) map[string]int {
			out := map[string]int{}
			for k, n := range m {
				out[k] = 2 * n // devices
			}
			return out
		}
		assert.Equal(t, times(c.schedulers), countBy(tableRows(t, all, "task_scheduler_device"), "type"), c.profile)
		assert.Equal(t, times(c.units), countBy(tableRows(t, all, "compute_die"), "type"), c.profile)
		assert.Len(t, tableRows(t, all, "ccu"), 2*c.dies, c.profile)
		assert.Len(t, tableRows(t, all, "ccu_scheduler"), 2*c.dies, c.profile)
		assert.Len(t, tableRows(t, all, "device_status"), 2, c.profile)
		for kind, n := range times(c.units) {
			table := map[string]string{"Hybrid": "hybrid_compute_die", "Cube": "cube", "Vector": "vector"}[kind]
			assert.Len(t, tableRows(t, all, table), n, c.profile)
		}
	}
}

func clusterTables(t *testing.T, profile string, spec topo.Spec, change ...func(*topo.Cluster)) []acl.Table {
	t.Helper()
	p, err := soc.Load(profile)
	require.NoError(t, err)
	g, err := topo.Build(spec, p.Chip())
	require.NoError(t, err)
	c := topo.NewCluster(g, p.Chip())
	for _, f := range change {
		f(c)
	}
	all, err := Tables(c)
	require.NoError(t, err)
	return all
}

// Every reference of every table finds its row, also those between the tables of topology and chip.
func TestTablesReferToRows(t *testing.T) {
	for _, name := range soc.Names() {
		for _, spec := range []topo.Spec{
			{Kind: "star", Servers: 2, Devices: 4, Hosts: 2},
			{Kind: "star", Servers: 2, Devices: 4},
		} {
			checkReferences(t, name, clusterTables(t, name, spec))
		}
	}
	checkReferences(t, "backups", clusterTables(t, "a3", topo.Spec{Kind: "superpod", Servers: 4, Devices: 16, Hosts: 1, Params: topo.Params{Backup: 1}}))
}

func checkReferences(t *testing.T, what string, all []acl.Table) {
	t.Helper()
	have := map[string]map[string]bool{} // by table.column
	for _, x := range all {
		for _, r := range tableRows(t, all, x.Name) {
			for col, v := range r {
				at := x.Name + "." + col
				if have[at] == nil {
					have[at] = map[string]bool{}
				}
				have[at][v] = true
			}
		}
	}
	refs := 0
	for _, x := range all {
		for _, f := range reflect.VisibleFields(x.Row) {
			col, key, null := f.Tag.Get("col"), f.Tag.Get("key"), f.Tag.Get("null")
			if col == "" || key == "" || key == "pk" {
				continue
			}
			if null == "" {
				null = "0"
			}
			for _, r := range tableRows(t, all, x.Name) {
				if refs++; r[col] != null && !have[key][r[col]] {
					assert.Fail(t, "reference to nothing", "%s: %s.%s = %s, want a row of %s", what, x.Name, col, r[col], key)
				}
			}
		}
	}
	assert.Positive(t, refs)
}

// Programs see the devices 4 and 7 as 0 and 1; a backup is a device that nobody sees.
func TestTablesOfDevices(t *testing.T) {
	all := clusterTables(t, "a2", topo.Spec{Kind: "mesh", Servers: 1, Devices: 8, Hosts: 1}, func(c *topo.Cluster) { c.Visible = []int{4, 7} })
	var logic []string
	for _, d := range tableRows(t, all, "device") {
		logic = append(logic, d["logic_id"])
	}
	assert.Equal(t, []string{"-1", "-1", "-1", "-1", "0", "-1", "-1", "1"}, logic)

	all = clusterTables(t, "a3", topo.Spec{Kind: "superpod", Servers: 8, Devices: 16, Hosts: 1, Params: topo.Params{Backup: 1}})
	devices := tableRows(t, all, "device")
	assert.Equal(t, map[string]int{"online": 128, "backup": 2}, countBy(devices, "status"))
	last := devices[129]
	assert.Equal(t, []string{"129", "4", "-1", "64", "backup", "1984", "8192", "65536"}, []string{last["device_id"], last["server_id"], last["logic_id"],
		last["physical_id"], last["status"], last["max_stream_cnt"], last["max_notify_cnt"], last["max_event_cnt"]})

	all = clusterTables(t, "a3", topo.Spec{Kind: "superpod", Servers: 8, Devices: 16, Hosts: 1, Params: topo.Params{Backup: 1, Replaced: []int{70}}})
	devices = tableRows(t, all, "device")
	assert.Equal(t, map[string]int{"online": 128, "backup": 1, "replaced": 1}, countBy(devices, "status"))
	assert.Equal(t, []string{"4", "6", "replaced"}, []string{devices[129]["server_id"], devices[129]["physical_id"], devices[129]["status"]})
}
