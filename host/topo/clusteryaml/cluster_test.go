package clusteryaml

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"go.yaml.in/yaml/v3"

	"hsim/host/soc"
	"hsim/host/topo"
	"hsim/host/topo/form/formtest"
)

const shared = "../../../../shared/cases/topo"

func chip(t testing.TB, name string) *soc.Chip {
	t.Helper()
	p, err := soc.Load(name)
	require.NoError(t, err)
	return p.Chip()
}

func load(t *testing.T, name string) *Description {
	t.Helper()
	path := filepath.Join(shared, name)
	if _, err := os.Stat(path); err != nil {
		t.Skipf("no %s", path)
	}
	d, err := Load(path)
	require.NoError(t, err)
	if strings.Contains(name, "cluster") { // the public copies have a prefix that their names for each other have not
		require.Len(t, d.Notes, 1)
		require.Contains(t, d.Notes[0].Text, "ascend950_server_topo_normal.yaml is not there; hcclvm_ascend950_server_topo_normal.yaml is read in its place")
	} else {
		require.Empty(t, d.Notes)
	}
	return d
}

func TestPublicClusters(t *testing.T) {
	for _, w := range []struct {
		file           string
		supers, racks  int
		devices, links int
	}{
		// per server a mesh of 28, per device 8 switch ports and the host port; port 0/7 serves layer 2 as well
		{"hcclvm_ascend950_cluster_4_server_normal.yaml", 2, 4, 32, 4*28 + 32*8 + 32 + 32},
		{"hcclvm_ascend950_cluster_32_server_normal.yaml", 4, 32, 256, 32*28 + 256*8 + 256 + 256},
		{"hcclvm_ascend950_server_topo_normal.yaml", 1, 1, 8, 28 + 64 + 8 + 8},
	} {
		d := load(t, w.file)
		c, notes, err := d.Cluster(chip(t, "950dt"), 1)
		require.NoError(t, err)
		require.Empty(t, notes)
		require.Equal(t, []int{w.supers, w.racks, w.devices, w.links}, []int{c.Graph.Supers, c.Graph.Servers, c.Graph.Devices, len(c.Graph.Links)})
		r, err := c.Graph.Routes(topo.UB_CTP)
		require.NoError(t, err)
		in, ok := r.Info(0, 7)
		require.True(t, ok)
		require.Equal(t, 1, in.Hops)
		if w.devices > 8 {
			near, ok := r.Info(0, 8)
			require.True(t, ok)
			require.Equal(t, []int{2, 8}, []int{near.Hops, near.Width})
			_, ok = r.Info(0, topo.NodeID(w.devices-1))
			require.False(t, ok, "another superpod is not reached by UB_CTP")
			far, err := c.Graph.Routes(topo.UBOE)
			require.NoError(t, err)
			info, ok := far.Info(0, topo.NodeID(w.devices-1))
			require.True(t, ok)
			require.Equal(t, []int{4, 1}, []int{info.Hops, info.Width})
		}
	}
}

// Every public description is in one of the two tests around.
func TestPublicFilesAreAll(t *testing.T) {
	files, err := filepath.Glob(filepath.Join(shared, "*.yaml"))
	require.NoError(t, err)
	if len(files) == 0 {
		t.Skip("no shared/cases/topo beside the repository")
	}
	require.Len(t, files, 3+5)
}

// The server file describes what the generator builds, but for the NIC.
func TestServerIsMeshClos(t *testing.T) {
	d := load(t, "hcclvm_ascend950_server_topo_normal.yaml")
	d.Racks[0].Kind.layers = nil
	c, _, err := d.Cluster(chip(t, "950dt"), 1)
	require.NoError(t, err)
	g, err := topo.Build(topo.Spec{Kind: "mesh-clos", Servers: 1, Devices: 8, Hosts: 1, Params: topo.Params{NIC: "none"}}, chip(t, "950dt"))
	require.NoError(t, err)
	require.Equal(t, "", topo.Differ(g, c.Graph))
}

func TestPublicMeta(t *testing.T) {
	for file, want := range map[string][]int{
		"hcclvm_topo_meta_112.yaml":    {2},
		"hcclvm_topo_meta_118.yaml":    {8},
		"hcclvm_topo_meta_122.yaml":    {2, 2},
		"hcclvm_topo_meta_12_2_4.yaml": {2, 4},
		"hcclvm_topo_meta_142.yaml":    {2, 2, 2, 2},
	} {
		d := load(t, file)
		require.True(t, d.IsMeta())
		var got []int
		for _, k := range d.Racks {
			got = append(got, len(k.Ranks))
		}
		require.Equal(t, want, got, file)
		c, _, err := d.Cluster(chip(t, "950dt"), 1)
		require.NoError(t, err)
		ranks := 0
		for _, n := range want {
			ranks += n
		}
		require.Len(t, c.Ranks, ranks)

		all := load(t, "hcclvm_ascend950_cluster_4_server_normal.yaml")
		err = all.Select(d)
		if file == "hcclvm_topo_meta_142.yaml" {
			require.ErrorContains(t, err, "EI0014 ../../../../shared/cases/topo/hcclvm_topo_meta_142.yaml: topology: got server 2 of pod 0, want a server of")
			continue
		}
		require.NoError(t, err)
		c, _, err = all.Cluster(chip(t, "950dt"), 1)
		require.NoError(t, err)
		require.Equal(t, ranks, c.Graph.Devices)
	}
}

const (
	goodServer = `
soc_version: Ascend950
device_num: 4
device_ports_allocate_map:
- {die_id: 0, pin_map: [2, 2, 3]}
- {die_id: 1, pin_map: [1, 1, 1]}
port_group:
- {layer: 2, ports: ["0/1"]}
links:
- link_mode: enum
  device_to_device_links:
  - {src_die_id: 1, src_local_id_range: [0, 1], dst_die_id: 1, dst_local_id_range: [2, 3]}
  device_to_switch_links:
  - {die_id: 0, devices_range: [0, 3]}
`
	goodCluster = `
super_node_num: 1
server_num: 2
server_list:
- {super_pod_id: 0, id_range: [0, 1], soc_version: Ascend950, server_topo: s.yaml}
`
	goodMeta = `
meta: {podNum: 1, serNum: 2, rankNum: 3}
topology:
- podId: 0
  servers:
  - {serId: 0, ranks: [1]}
  - {serId: 1, ranks: [0, 2]}
`
)

// text reads files from a map.
func text(files map[string]string) (*Description, error) {
	return parse("f.yaml", []byte(files["f.yaml"]), func(name string) ([]byte, string, error) {
		return []byte(files[name]), name, nil
	})
}

func TestRules(t *testing.T) {
	d, err := text(map[string]string{"f.yaml": goodCluster, "s.yaml": goodServer})
	require.NoError(t, err)
	c, _, err := d.Cluster(chip(t, "950pr"), 1)
	require.NoError(t, err)
	require.Equal(t, 8, c.Graph.Devices)
	require.Equal(t, []topo.ServerName{{ID: "superPod0_rack0", Pod: "superPod0"}, {ID: "superPod0_rack1", Pod: "superPod0"}}, c.Servers)
	_, _, err = d.Cluster(chip(t, "a3"), 1)
	require.EqualError(t, err, `EI0014 s.yaml: soc_version: got "Ascend950", want the chip of profile "a3": Ascend910_9391 (try the profile of that chip)`)

	for _, w := range []struct{ text, old, new, want string }{
		{goodCluster, "super_node_num: 1", "super_node_num: 2", `EI0014 f.yaml:2: super_node_num: got 2, want 1, the superpods of server_list`},
		{goodCluster, "server_num: 2", "server_num: 3", `EI0014 f.yaml:3: server_num: got 3, want 2, the servers of server_list`},
		{goodCluster, "[0, 1]", "[1, 0]", `EI0014 f.yaml:5: server_list[0].id_range: got a list, want [first, last]`},
		{goodCluster, "Ascend950,", "Ascend910,", `EI0014 f.yaml:5: server_list[0].soc_version: got "Ascend910", want "Ascend950", as s.yaml has`},
		{goodCluster, "server_topo: s.yaml", "topo: s.yaml", `EI0017 f.yaml:5: server_list[0].server_topo: got no such key, want the path of a server file`},
		{goodCluster, "server_topo: s.yaml", "server_topo: none.yaml", `EI0004 none.yaml: got no document, want a mapping`},
		{goodServer, "device_num: 4", "device_num: 65", `EI0014 f.yaml:3: device_num: got 65, want a whole number from 1 to 64`},
		{goodServer, "[2, 2, 3]", "[2, 2, 4]", `EI0014 f.yaml:5: device_ports_allocate_map[0].pin_map[2]: got 4, want a whole number from 0 to 3`},
		{goodServer, "die_id: 1, pin_map", "die_id: 0, pin_map", `EI0014 f.yaml:6: device_ports_allocate_map[1].die_id: got 0, want every die once`},
		{goodServer, "[2, 3]}\n  device", "[2, 4]}\n  device", `EI0014 f.yaml:12: links[0].device_to_device_links[0].dst_local_id_range: got a list, want [first, last] of the devices 0 to 3`},
		{goodServer, "[2, 3]}\n  device", "[3, 3]}\n  device", `EI0014 f.yaml:12: links[0].device_to_device_links[0].dst_local_id_range: got a list, want a range of 2 devices, as long as src_local_id_range`},
		{goodServer, "src_die_id: 1", "src_die_id: 0", `EI0014 f.yaml:12: links[0].device_to_device_links[0]: got more cables than die 0 has ports for them, want at most 0 on device 0: the ports with 1 in the pin map`},
		{goodServer, "enum", "ring", `EI0014 f.yaml:10: links[0].link_mode: got "ring", want one of fullmesh, enum`},
		{goodServer, `["0/1"]`, `["0-1"]`, `EI0014 f.yaml:8: port_group[0].ports[0]: got "0-1", want a port "die/port", or "d2h"`},
		{goodMeta, "podNum: 1", "podNum: 2", `EI0014 f.yaml:2: meta.podNum: got 2, want 1, what topology has`},
		{goodMeta, "serNum: 2", "serNum: 1", `EI0014 f.yaml:2: meta.serNum: got 1, want 2, what topology has`},
		{goodMeta, "rankNum: 3", "rankNum: 1024", `EI0014 f.yaml:2: meta.rankNum: got 1024, want a whole number from 1 to 1023`},
		{goodMeta, "[0, 2]", "[2, 2]", `EI0014 f.yaml:7: topology[0].servers[1].ranks: got a list, want the local ids of the server's ranks, each once`},
		{goodMeta, "serId: 1", "serId: 0", `EI0014 f.yaml:7: topology[0].servers[1].serId: got 0, want every server of a pod once`},
		{goodMeta, "serId: 1", "serId: one", `EI0014 f.yaml:7: topology[0].servers[1].serId: got "one", a string, want a whole number from 0 to 1023`},
		{"a: 1", "", "", `EI0017 f.yaml: server_list: got no such key, want a cluster (server_list), a server (device_num) or a topo_meta file (meta)`},
	} {
		in := w.text
		if w.old != "" {
			in = strings.Replace(in, w.old, w.new, 1)
			require.NotEqual(t, w.text, in, w.old)
		}
		_, err := text(map[string]string{"f.yaml": in, "s.yaml": goodServer})
		require.Error(t, err, w.new)
		require.Contains(t, err.Error(), w.want)
	}
}

func FuzzParse(f *testing.F) {
	f.Add([]byte(goodServer))
	f.Add([]byte(goodCluster))
	f.Add([]byte(goodMeta))
	p, err := soc.Load("950dt")
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, data []byte) { accept(t, data, p.Chip()) })
}

// accept reads a text and takes it further where it is good.
func accept(t *testing.T, data []byte, chip *soc.Chip) bool {
	d, err := text(map[string]string{"f.yaml": string(data), "s.yaml": goodServer})
	if (d == nil) == (err == nil) {
		t.Fatalf("got %v and %v, want one of them", d, err)
	}
	if err == nil && len(d.Racks) <= 64 {
		if c, _, err := d.Cluster(chip, 1); err == nil && len(c.Ranks) != c.Graph.Devices {
			t.Fatalf("got %d ranks on %d devices", len(c.Ranks), c.Graph.Devices)
		}
	}
	return err == nil
}

// inJSON is a document of this package's as JSON, which is YAML as well.
func inJSON(t testing.TB, doc string) string {
	t.Helper()
	var v any
	require.NoError(t, yaml.Unmarshal([]byte(doc), &v))
	out, err := json.Marshal(v)
	require.NoError(t, err)
	return string(out)
}

// FuzzMutate changes good files value by value.
func FuzzMutate(f *testing.F) {
	texts := []string{inJSON(f, goodServer), inJSON(f, goodCluster), inJSON(f, goodMeta)}
	f.Add(uint8(0), []byte{10, 20, 30, 140})
	p, err := soc.Load("950dt")
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, which uint8, program []byte) {
		accept(t, formtest.Mutate(texts[int(which)%len(texts)], program), p.Chip())
	})
}

func TestMutations(t *testing.T) {
	c := chip(t, "950dt")
	for i, doc := range []string{goodServer, goodCluster, goodMeta} {
		doc, n := inJSON(t, doc), 0
		formtest.Programs(500, uint64(i), func(program []byte) {
			if accept(t, formtest.Mutate(doc, program), c) {
				n++
			}
		})
		require.Greater(t, n, 20)
		require.Less(t, n, 480)
	}
}
