package topo

import (
	"testing"

	"github.com/stretchr/testify/require"

	"hsim/host/sim"
	"hsim/host/soc"
	"hsim/host/units"
)

func TestMeshDegreesAndDistances(t *testing.T) {
	dims := []int{4, 3, 2}
	g := build(t, "ideal", Spec{Kind: "mesh", Servers: 3, Devices: 8, Params: Params{Dims: dims}})
	require.Len(t, g.Links, 24*(3+2+1)/2)
	r := routes(t, g)
	for a := range 24 {
		require.Len(t, g.NodePorts(NodeID(a)), 3+2+1)
		for b := range 24 {
			differ, paths, stride := 0, int64(1), 1
			for _, d := range dims {
				if a/stride%d != b/stride%d {
					differ++
					paths *= int64(differ)
				}
				stride *= d
			}
			info, ok := r.Info(NodeID(a), NodeID(b))
			require.True(t, ok)
			if a != b {
				require.Equal(t, differ, info.Hops)
				require.Equal(t, paths, info.Paths)
			}
		}
	}
}

func TestServerOf950(t *testing.T) {
	g := build(t, "910d", Spec{Kind: "mesh-clos", Servers: 2, Devices: 8, Hosts: 1})
	used := map[string]int{}
	for _, p := range g.NodePorts(3) {
		used[g.Nodes[g.PeerNode(p)].Kind.String()+" "+g.Ports[p].Name()]++
	}
	want := map[string]int{"host 0/8": 1, "switch 0/9": 1}
	for i := range 7 {
		want["device 1/"+string(rune('0'+i))] = 1
	}
	for i := range 8 {
		want["switch 0/"+string(rune('0'+i))] = 1
	}
	require.Equal(t, want, used)
	planes, degree := switches(g, "sw0")
	require.Equal(t, 8, planes)
	require.Equal(t, 16, degree[0])

	r := routes(t, g, UB_CTP)
	inside, _ := r.Info(0, 7)
	require.Equal(t, PathInfo{Hops: 1, Latency: 150 * sim.Nanosecond, MinRate: 56 * units.GBps, Width: 1, SumRate: 56 * units.GBps, Paths: 1}, inside)
	across, _ := r.Info(0, 8)
	require.Equal(t, PathInfo{Hops: 2, Latency: 450 * sim.Nanosecond, MinRate: 56 * units.GBps, Width: 8, SumRate: 448 * units.GBps, Paths: 8}, across)
}

// The sixteen dies of an A3 server hang on seven planes of 28 GB/s; two servers
// are joined leaf to spine without loss of bandwidth.
func TestClosOfA3(t *testing.T) {
	g := build(t, "a3", Spec{Kind: "clos", Servers: 48, Devices: 16})
	leaves, ld := switches(g, "leaf")
	spines, sd := switches(g, "spine")
	require.Equal(t, 7*48, leaves)
	require.Equal(t, 7*16, spines)
	for _, d := range ld {
		require.Equal(t, 32, d)
	}
	for _, d := range sd {
		require.Equal(t, 48, d)
	}
	r := routes(t, g, HCCS)
	same, _ := r.Info(0, 2)
	require.Equal(t, PathInfo{Hops: 2, Latency: 500 * sim.Nanosecond, MinRate: 28 * units.GBps, Width: 7, SumRate: 196 * units.GBps, Paths: 7}, same)
	other, _ := r.Info(0, 17)
	require.Equal(t, PathInfo{Hops: 4, Latency: 1200 * sim.Nanosecond, MinRate: 28 * units.GBps, Width: 7, SumRate: 196 * units.GBps, Paths: 7 * 16}, other)
	pack, _ := r.Info(0, 1)
	require.Equal(t, 1, pack.Hops)
	roce, _ := routes(t, g, ROCE).Info(0, 17)
	require.Equal(t, PathInfo{Hops: 2, Latency: 1500 * sim.Nanosecond, MinRate: 200 * units.Gbps, Width: 1, SumRate: 200 * units.Gbps, Paths: 1}, roce)
}

// sixteen devices in groups of four with four planes, as in the ns-3-UB cases.
func TestUBX16(t *testing.T) {
	g := build(t, "ideal", Spec{Kind: "mesh-clos", Servers: 4, Devices: 4, Params: Params{Group: 4, Planes: 4}})
	for d := range NodeID(16) {
		require.Len(t, g.NodePorts(d), 7)
	}
	require.Len(t, g.Nodes, 20)
	require.Len(t, g.Links, 16*3/2+16*4)
}

func TestOversubscription(t *testing.T) {
	g := build(t, "ideal", Spec{Kind: "clos", Servers: 4, Devices: 8, Params: Params{Oversub: 4}})
	_, degree := switches(g, "leaf")
	require.Equal(t, []int{10, 10, 10, 10}, degree)
}

func TestDefaultProtocol(t *testing.T) {
	for _, c := range []struct {
		profile      string
		spec         Spec
		inside, over Protocol
	}{
		{"910", Spec{Kind: "mesh", Servers: 1, Devices: 8}, HCCS, ROCE},
		{"a2", Spec{Kind: "mesh", Servers: 2, Devices: 8}, HCCS, ROCE},
		{"a2", Spec{Kind: "star", Servers: 2, Devices: 8}, ROCE, ROCE},
		{"a3", Spec{Kind: "clos", Servers: 2, Devices: 8}, HCCS, HCCS},
		{"a3", Spec{Kind: "clos", Servers: 2, Devices: 8, Params: Params{Superpods: 2}}, HCCS, ROCE},
		{"950dt", Spec{Kind: "mesh-clos", Servers: 2, Devices: 8}, UB_CTP, UB_CTP},
		{"950dt", Spec{Kind: "mesh-clos", Servers: 2, Devices: 8, Params: Params{Superpods: 2}}, UB_CTP, UBOE},
		{"ideal", Spec{Kind: "star", Servers: 2, Devices: 8}, UB_CTP, UB_CTP},
	} {
		g := build(t, c.profile, c.spec)
		last := NodeID(g.Devices - 1)
		require.Equal(t, c.inside, g.Protocol(0, 1), "%s %s", c.profile, c.spec.Kind)
		require.Equal(t, c.over, g.Protocol(0, last), "%s %s", c.profile, c.spec.Kind)
		for p := range soc.NumProtocols {
			r := routes(t, g, p)
			require.Equal(t, p != PCIE && len(r.Ports(0, last)) > 0, p != PCIE && g.Reachable(0, last, p), "%s over %s", c.profile, p)
		}
	}
}

func TestHostsHangOnEqualBlocks(t *testing.T) {
	g := build(t, "a2", Spec{Kind: "mesh", Servers: 2, Devices: 8, Hosts: 2})
	for d := range NodeID(16) {
		require.Equal(t, NodeID(16+d/4), g.HostOf(d))
	}
	require.Equal(t, NodeID(None), build(t, "a2", Spec{Kind: "mesh", Servers: 1, Devices: 8}).HostOf(0))
}

// Every port has one link, and every link two ports of its own.
func TestPortsAndLinksMatch(t *testing.T) {
	for _, kind := range Kinds()[:5] {
		g := build(t, "ideal", Spec{Kind: kind, Servers: 4, Devices: 4, Hosts: 1})
		require.Len(t, g.Ports, 2*len(g.Links))
		names := map[string]bool{}
		for i, p := range g.Ports {
			l := g.Links[p.Link]
			require.True(t, l.A == PortID(i) || l.B == PortID(i))
			require.Equal(t, PortID(i), g.Peer(g.Peer(PortID(i))))
			require.False(t, names[g.PortName(PortID(i))], g.PortName(PortID(i)))
			names[g.PortName(PortID(i))] = true
		}
	}
}
