package topo

import (
	"testing"

	"github.com/stretchr/testify/require"

	"hsim/host/sim"
	"hsim/host/units"
)

// The published counts of CloudMatrix384: 48 servers with 8 packages of two dies,
// 4 CPUs and 7 lower switch chips each, seven planes with 16 upper chips of 48
// ports each; 196 GB/s one way a die.
func TestCloudMatrix384(t *testing.T) {
	g := build(t, "a3", CloudMatrix384())
	require.Equal(t, []int{768, 48, 16, 1}, []int{g.Devices, g.Servers, g.PerServer, g.Supers})
	lower, down := switches(g, "leaf")
	upper, ports := switches(g, "spine")
	require.Equal(t, []int{336, 112}, []int{lower, upper})
	for _, n := range down {
		require.Equal(t, 16+16, n)
	}
	for _, n := range ports {
		require.Equal(t, 48, n)
	}
	hosts := 0
	for _, n := range g.Nodes {
		if n.Kind == Host {
			hosts++
		}
	}
	require.Equal(t, 192, hosts)
	r := routes(t, g, HCCS)
	far, ok := r.Info(0, 767)
	require.True(t, ok)
	require.Equal(t, PathInfo{Hops: 4, Latency: 1200 * sim.Nanosecond, MinRate: 28 * units.GBps, Width: 7, SumRate: 196 * units.GBps, Paths: 7 * 16}, far)
	near, _ := r.Info(0, 15)
	require.Equal(t, 2, near.Hops)
	for _, row := range g.Oversubscription()[:1] {
		require.EqualValues(t, 100, row.Percent)
	}
	require.Equal(t, 448*units.GBps, g.Oversubscription()[0].Up)
}

// Full servers that a file lists give the graphs that the generators give.
func TestServersAreGenerated(t *testing.T) {
	list := func(servers, devices, supers int) []ServerSpec {
		out := make([]ServerSpec, servers)
		for s := range out {
			out[s].Super = s / (servers / supers)
			for d := range devices {
				out[s].Devices = append(out[s].Devices, d)
			}
		}
		return out
	}
	for _, c := range []struct {
		profile, kind            string
		servers, devices, supers int
	}{
		{"910", "mesh", 3, 8, 1}, {"910", "mesh", 2, 4, 1}, {"a2", "mesh", 2, 8, 1}, {"a2", "mesh", 2, 3, 1},
		{"a3", "clos", 4, 16, 2}, {"a3", "clos", 1, 16, 1}, {"a3", "superpod", 6, 4, 1},
		{"950dt", "mesh-clos", 4, 8, 2}, {"950pr", "mesh-clos", 2, 5, 1},
	} {
		want := build(t, c.profile, Spec{Kind: c.kind, Servers: c.servers, Devices: c.devices, Hosts: 2, Params: Params{Superpods: c.supers}})
		got, err := BuildServers(list(c.servers, c.devices, c.supers), 2, chip(t, c.profile))
		require.NoError(t, err)
		require.Equal(t, "", Differ(want, got), "%v", c)
		require.Equal(t, want.Links, got.Links, "and in the same order: %v", c)
	}
	_, err := BuildServers([]ServerSpec{{Devices: []int{1, 0}}}, 1, chip(t, "a2"))
	require.EqualError(t, err, "topo: build servers: server 0: got device ids [1 0], want ascending ones below 1024")
	_, err = BuildServers([]ServerSpec{{Super: 1, Devices: []int{0}}}, 1, chip(t, "a2"))
	require.EqualError(t, err, "topo: build servers: server 0: got superpod 1, want them numbered in order from 0")
}

// One backup device for every 64, on the lower switches of the first server.
func TestBackups(t *testing.T) {
	g := build(t, "950dt", Spec{Kind: "superpod", Servers: 16, Devices: 8, Hosts: 1, Params: Params{Backup: 1}})
	require.Equal(t, []int{128, 2}, []int{g.Devices, g.Spares})
	for i := range 2 {
		n := NodeID(len(g.Nodes) - 2 + i)
		require.True(t, g.Nodes[n].Spare)
		require.EqualValues(t, 8*i, g.Nodes[n].Server)
		require.Len(t, g.NodePorts(n), 15)
		for _, p := range g.NodePorts(n) {
			require.Equal(t, "leaf", g.Nodes[g.PeerNode(p)].Tier())
		}
	}
	r := routes(t, g, UB_CTP)
	_, _, apart := r.Unreachable()
	require.Zero(t, apart)
}
