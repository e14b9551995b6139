package ranktable

import (
	"testing"

	"github.com/stretchr/testify/require"

	"hsim/host/sim"
	"hsim/host/topo"
	"hsim/host/topo/topofile"
)

func built(t testing.TB, profile string, spec topo.Spec) *topo.Cluster {
	t.Helper()
	g, err := topo.Build(spec, chip(t, profile))
	require.NoError(t, err)
	return topo.NewCluster(g, chip(t, profile))
}

// What is exported loads back to the same graph, names and addresses; a topology
// file comes with it only where the table alone does not say the wiring.
func TestExportLoadsBack(t *testing.T) {
	slow := 3 * sim.Microsecond
	for _, c := range []struct {
		profile, version string
		spec             topo.Spec
		topo             bool
	}{
		{"910", "1.0", topo.Spec{Kind: "mesh", Servers: 2, Devices: 8, Hosts: 1}, false},
		{"910", "1.0", topo.Spec{Kind: "mesh", Servers: 2, Devices: 2, Hosts: 2}, false},
		{"a2", "1.0", topo.Spec{Kind: "mesh", Servers: 3, Devices: 8, Hosts: 1}, false},
		{"a2", "1.0", topo.Spec{Kind: "mesh", Servers: 2, Devices: 3}, false},
		{"a2", "1.0", topo.Spec{Kind: "star", Servers: 2, Devices: 8, Hosts: 1}, true},
		{"a2", "1.0", topo.Spec{Kind: "mesh", Servers: 2, Devices: 8, Hosts: 1, Params: topo.Params{Superpods: 2}}, true},
		{"a3", "1.2", topo.Spec{Kind: "clos", Servers: 4, Devices: 16, Hosts: 1}, false},
		{"a3", "1.2", topo.Spec{Kind: "clos", Servers: 4, Devices: 4, Hosts: 4, Params: topo.Params{Superpods: 2}}, false},
		{"a3", "1.2", topo.Spec{Kind: "superpod", Servers: 8, Devices: 16, Hosts: 4}, false},
		{"a3", "1.2", topo.Spec{Kind: "fattree", Servers: 2, Devices: 8, Hosts: 1, Params: topo.Params{Latency: &slow}}, true},
		{"950dt", "2.0", topo.Spec{Kind: "mesh-clos", Servers: 2, Devices: 8, Hosts: 1}, true},
		{"950pr", "2.0", topo.Spec{Kind: "mesh-clos", Servers: 4, Devices: 4, Hosts: 2, Params: topo.Params{Superpods: 2}}, true},
		{"960", "2.0", topo.Spec{Kind: "superpod", Servers: 4, Devices: 8, Hosts: 1}, true},
		{"ideal", "2.0", topo.Spec{Kind: "star", Servers: 4, Devices: 8}, true},
		{"ideal", "2.0", topo.Spec{Kind: "fattree", Servers: 4, Devices: 4, Params: topo.Params{K: 4}}, true},
		{"ideal", "2.0", topo.Spec{Kind: "mesh", Servers: 1, Devices: 64, Hosts: 1}, true},
	} {
		cl := built(t, c.profile, c.spec)
		files, err := Export(cl)
		require.NoError(t, err, "%s %v", c.profile, c.spec)
		require.Equal(t, c.topo, files.Topo != nil, "%s %v", c.profile, c.spec)

		table, err := Parse("rt.json", files.RankTable, Options{Chip: chip(t, c.profile)})
		require.NoError(t, err)
		require.Equal(t, c.version, table.Version)
		require.Empty(t, table.Notes)
		same(t, cl, table, files)
		if c.version == "2.0" {
			var infos []*Table
			for _, text := range files.RootInfo {
				info, err := ParseRootInfo("rootinfo.json", text, Options{Chip: chip(t, c.profile)})
				require.NoError(t, err)
				require.Equal(t, TopoName, info.TopoPath)
				infos = append(infos, info)
			}
			joined, err := Join(infos)
			require.NoError(t, err)
			same(t, cl, joined, files)
		}
	}
}

// A cluster in which a backup device stands in is not written: its servers are wired unlike each other.
func TestExportRefusesReplacedDevices(t *testing.T) {
	for _, profile := range []string{"a3", "950dt"} {
		g, err := topo.Build(topo.Spec{Kind: "superpod", Servers: 8, Devices: 8, Hosts: 1, Params: topo.Params{Backup: 1, Replaced: []int{5}}}, chip(t, profile))
		require.NoError(t, err)
		_, err = Export(topo.NewCluster(g, chip(t, profile)))
		require.EqualError(t, err, "ranktable: write: got a backup device in the place of npu5, want devices of their own wiring (try it without replaced)")
	}
}

// same loads what was exported and compares.
func same(t *testing.T, want *topo.Cluster, table *Table, files *Files) {
	t.Helper()
	var wires *topofile.File
	var err error
	if files.Topo != nil {
		wires, err = topofile.Parse(TopoName, files.Topo)
		require.NoError(t, err)
	}
	hosts := 0
	if len(want.HostIPs) == 0 {
		hosts = NoHosts
	}
	got, notes, err := table.Cluster(wires, want.Chip, hosts)
	require.NoError(t, err)
	require.Empty(t, notes)
	require.Equal(t, "", topo.Differ(want.Graph, got.Graph))
	require.Equal(t, len(want.Ranks), len(got.Ranks))
	for i := range want.Ranks {
		require.Equal(t, want.Graph.Nodes[want.Ranks[i].Node].Name, got.Graph.Nodes[got.Ranks[i].Node].Name)
	}
	for i := range want.Servers {
		require.Equal(t, want.Servers[i].ID, got.Servers[i].ID)
	}
	addrs := map[string]int{}
	for _, e := range want.EndPoints {
		if want.Graph.Nodes[e.Node].Kind == topo.Device && table.Version == "2.0" {
			addrs[e.Addr]++
		}
	}
	for _, e := range got.EndPoints {
		if got.Graph.Nodes[e.Node].Kind == topo.Device && table.Version == "2.0" {
			addrs[e.Addr]--
		}
	}
	for a, n := range addrs {
		require.Zero(t, n, a)
	}
}
