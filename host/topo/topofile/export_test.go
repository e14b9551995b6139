package topofile

import (
	"testing"

	"github.com/stretchr/testify/require"

	"hsim/host/sim"
	"hsim/host/soc"
	"hsim/host/topo"
)

func chip(t testing.TB, name string) *soc.Chip {
	t.Helper()
	p, err := soc.Load(name)
	require.NoError(t, err)
	return p.Chip()
}

func built(t testing.TB, profile string, spec topo.Spec) *topo.Cluster {
	t.Helper()
	c := chip(t, profile)
	g, err := topo.Build(spec, c)
	require.NoError(t, err)
	return topo.NewCluster(g, c)
}

// What is written wires the same graph again; the key "hsim" is there only
// where the format cannot say what the graph is.
func TestExportLoadsBack(t *testing.T) {
	hop := 77 * sim.Nanosecond
	for _, c := range []struct {
		profile string
		spec    topo.Spec
		own     bool
	}{
		{"950dt", topo.Spec{Kind: "mesh-clos", Servers: 2, Devices: 8, Hosts: 1}, false},
		{"950dt", topo.Spec{Kind: "mesh-clos", Servers: 4, Devices: 4, Hosts: 2, Params: topo.Params{Superpods: 2}}, false},
		{"950dt", topo.Spec{Kind: "star", Servers: 3, Devices: 2, Hosts: 1}, false},
		{"950dt", topo.Spec{Kind: "mesh", Servers: 1, Devices: 8, Hosts: 1}, false},
		{"950dt", topo.Spec{Kind: "mesh", Servers: 2, Devices: 8}, false},
		{"950pr", topo.Spec{Kind: "link", Servers: 2, Devices: 1, Hosts: 1, Params: topo.Params{Planes: 3}}, false},
		{"ideal", topo.Spec{Kind: "star", Servers: 4, Devices: 8, Hosts: 1}, false},
		{"ideal", topo.Spec{Kind: "mesh", Servers: 8, Devices: 8, Hosts: 1, Params: topo.Params{Dims: []int{8, 8}}}, true},
		{"ideal", topo.Spec{Kind: "fattree", Servers: 4, Devices: 4, Params: topo.Params{K: 4}}, true},
		{"950dt", topo.Spec{Kind: "clos", Servers: 4, Devices: 8, Hosts: 1, Params: topo.Params{Oversub: 2, Hop: &hop}}, true},
		{"950dt", topo.Spec{Kind: "superpod", Servers: 16, Devices: 8, Hosts: 1, Params: topo.Params{Backup: 1}}, true},
		{"a3", topo.Spec{Kind: "superpod", Servers: 4, Devices: 16, Hosts: 4, Params: topo.Params{Superpods: 2}}, true},
		{"a2", topo.Spec{Kind: "mesh", Servers: 2, Devices: 8, Hosts: 1}, false},
		{"a2", topo.Spec{Kind: "star", Servers: 2, Devices: 8, Hosts: 1}, true},
		{"910", topo.Spec{Kind: "mesh", Servers: 2, Devices: 8, Hosts: 1}, false},
		{"950dt", topo.Spec{Kind: "star", Servers: 2, Devices: 2, Params: topo.Params{Rate: 1e9, NIC: "none"}}, true},
	} {
		cl := built(t, c.profile, c.spec)
		plan, err := Export(cl)
		require.NoError(t, err, "%s %v", c.profile, c.spec)
		require.Equal(t, c.own, plan.File.Spec != nil, "%s %v", c.profile, c.spec)
	}
}

func TestExportRefuses(t *testing.T) {
	for want, spec := range map[string]topo.Spec{
		`topofile: write: got 65 devices that cables or a server join, want at most 64 (the format has no more local ids)`:  {Kind: "star", Servers: 1, Devices: 65},
		`topofile: write: got 128 devices that cables or a server join, want at most 64 (the format has no more local ids)`: {Kind: "mesh", Servers: 16, Devices: 8, Params: topo.Params{Dims: []int{8, 16}}},
	} {
		_, err := Export(built(t, "ideal", spec))
		require.EqualError(t, err, want)
	}
}
