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

// A backup takes the place of one of its 64 devices: the number, server, host and NIC links stay, the scale-up links are
// the backup's, and what was cabled to the device hangs on a spare that takes no part.
func TestReplacedDevices(t *testing.T) {
	spec := Spec{Kind: "superpod", Servers: 16, Devices: 8, Hosts: 1, Params: Params{Backup: 1}}
	plain := build(t, "950dt", spec)
	spec.Params.Replaced = []int{5, 70}
	g := build(t, "950dt", spec)
	require.Equal(t, plain.Devices, g.Devices)
	require.Equal(t, 2, g.Spares)
	backups := NodeID(len(g.Nodes) - g.Spares)
	links := func(g *Graph, n NodeID) (scaleUp, other []string) {
		for _, p := range g.NodePorts(n) {
			text := g.Ports[p].Name() + " " + g.Nodes[g.PeerNode(p)].Name
			if g.LinkOf(p).Layer <= 1 {
				scaleUp = append(scaleUp, text)
			} else {
				other = append(other, text)
			}
		}
		return scaleUp, other
	}
	for i, d := range []NodeID{5, 70} {
		spare := backups + NodeID(i)
		require.Equal(t, plain.Nodes[spare].Name, g.Nodes[d].Name)
		require.Equal(t, plain.Nodes[d].Name, g.Nodes[spare].Name)
		require.Equal(t, plain.Nodes[d].Index, g.Nodes[d].Index)
		require.Equal(t, plain.Nodes[d].Server, g.Nodes[d].Server)
		require.False(t, g.Nodes[d].Spare)
		require.True(t, g.Nodes[spare].Spare && g.Nodes[spare].Replaced)
		require.Equal(t, plain.HostNumber(d), g.HostNumber(d))

		wasUp, wasOther := links(plain, d)
		standsBy, none := links(plain, spare)
		up, other := links(g, d)
		require.NotEmpty(t, wasUp)
		require.Empty(t, none)
		require.Equal(t, standsBy, up)
		require.Equal(t, wasOther, other)
		left, _ := links(g, spare)
		require.Len(t, left, len(wasUp))
	}
	r, err := g.Inspect(chip(t, "950dt"))
	require.NoError(t, err)
	require.True(t, r.OK(), "%v", r.Findings)

	for text, p := range map[string]Params{
		"replaced: got device 128, want 0 to 127":                                                 {Backup: 1, Replaced: []int{128}},
		"replaced: got devices 5 and 6 of one 64, which have one backup device, want one of them": {Backup: 1, Replaced: []int{5, 6}},
		"replaced: got devices to replace and no backup devices, want backup = 1":                 {Replaced: []int{5}},
	} {
		spec.Params = p
		_, err := Build(spec, chip(t, "950dt"))
		require.ErrorContains(t, err, text)
	}
}
