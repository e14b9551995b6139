package topo

import (
	"testing"

	"github.com/stretchr/testify/require"

	"hsim/host/soc"
)

func chip(t testing.TB, name string) *soc.Chip {
	t.Helper()
	p, err := soc.Load(name)
	require.NoError(t, err)
	return p.Chip()
}

func build(t testing.TB, profile string, spec Spec) *Graph {
	t.Helper()
	g, err := Build(spec, chip(t, profile))
	require.NoError(t, err)
	return g
}

func routes(t testing.TB, g *Graph, ps ...Protocol) *Routes {
	t.Helper()
	r, err := g.Routes(ps...)
	require.NoError(t, err)
	return r
}

// switches counts the switches whose name starts with a tier's.
func switches(g *Graph, tier string) (n int, degree []int) {
	for i, node := range g.Nodes {
		if node.Kind == Switch && len(node.Name) > len(tier) && node.Name[:len(tier)] == tier {
			n++
			degree = append(degree, len(g.NodePorts(NodeID(i))))
		}
	}
	return n, degree
}

// distances is a slow reference for the routes: breadth-first search from every
// device, one link at a time.
func distances(g *Graph, src NodeID, protos ProtocolSet) []int {
	dist := make([]int, len(g.Nodes))
	for i := range dist {
		dist[i] = -1
	}
	dist[src] = 0
	for queue := []NodeID{src}; len(queue) > 0; queue = queue[1:] {
		n := queue[0]
		if n != src && !g.Nodes[n].Forwards {
			continue
		}
		for _, p := range g.NodePorts(n) {
			m := g.PeerNode(p)
			if dist[m] < 0 && g.LinkOf(p).Protocols&protos != 0 {
				dist[m] = dist[n] + 1
				queue = append(queue, m)
			}
		}
	}
	return dist
}

// checkRoutes compares every entry of the routes with the reference: the ports
// whose far end is one link nearer and may pass traffic on.
func checkRoutes(t *testing.T, g *Graph, protos ProtocolSet) {
	t.Helper()
	r := routes(t, g, protos.List()...)
	for dst := range NodeID(g.Devices) {
		dist := distances(g, dst, protos)
		for n := range NodeID(len(g.Nodes)) {
			var want []PortID
			if best := reach(g, dist, n, dst, protos); best >= 0 {
				for _, p := range g.NodePorts(n) {
					m := g.PeerNode(p)
					if g.LinkOf(p).Protocols&protos != 0 && dist[m] == best-1 && (m == dst || g.Nodes[m].Forwards) {
						want = append(want, p)
					}
				}
			}
			require.ElementsMatch(t, want, r.Ports(n, dst), "%s -> %s", g.Nodes[n].Name, g.Nodes[dst].Name)
		}
	}
}

// reach is the distance of n from dst over forwarding nodes, -1 when there is
// none or n is dst.
func reach(g *Graph, dist []int, n, dst NodeID, protos ProtocolSet) int {
	if n == dst {
		return -1
	}
	return dist[n]
}

func TestRoutesAgainstBreadthFirstSearch(t *testing.T) {
	yes := true
	for _, c := range []struct {
		name, profile string
		spec          Spec
	}{
		{"star", "ideal", Spec{Kind: "star", Servers: 3, Devices: 5, Hosts: 1}},
		{"star over two pages", "ideal", Spec{Kind: "star", Servers: 13, Devices: 10}},
		{"planes", "a3", Spec{Kind: "star", Servers: 2, Devices: 4, Hosts: 1, Params: Params{Package: &yes}}},
		{"mesh", "a2", Spec{Kind: "mesh", Servers: 3, Devices: 8, Hosts: 2}},
		{"mesh of 3 dimensions", "ideal", Spec{Kind: "mesh", Servers: 3, Devices: 30, Params: Params{Dims: []int{3, 5, 6}}}},
		{"two boards of a 910", "910", Spec{Kind: "mesh", Servers: 1, Devices: 8}},
		{"clos", "a3", Spec{Kind: "clos", Servers: 6, Devices: 16, Hosts: 1}},
		{"clos, parallel uplinks", "ideal", Spec{Kind: "clos", Servers: 4, Devices: 8, Params: Params{Spines: 4}}},
		{"mesh-clos", "950dt", Spec{Kind: "mesh-clos", Servers: 9, Devices: 8}},
		{"mesh-clos, superpods", "950dt", Spec{Kind: "mesh-clos", Servers: 4, Devices: 8, Params: Params{Superpods: 2, Leaves: 2}}},
		{"fat tree", "ideal", Spec{Kind: "fattree", Servers: 16, Devices: 8}},
		{"fat tree not full", "ideal", Spec{Kind: "fattree", Servers: 5, Devices: 3, Params: Params{K: 6}}},
		{"parallel links", "950dt", Spec{Kind: "link", Servers: 2, Devices: 1, Params: Params{Planes: 3}}},
	} {
		t.Run(c.name, func(t *testing.T) {
			g := build(t, c.profile, c.spec)
			checkRoutes(t, g, soc.NetProtocols)
			for _, p := range g.Carried().List() {
				checkRoutes(t, g, soc.Protocols(p))
			}
		})
	}
}

func TestEveryBuildIsEqual(t *testing.T) {
	spec := Spec{Kind: "clos", Servers: 4, Devices: 16, Hosts: 1}
	a, b := build(t, "a3", spec), build(t, "a3", spec)
	require.Equal(t, a, b)
	require.Equal(t, routes(t, a).Bytes(), routes(t, b).Bytes())
	ra, rb := routes(t, a), routes(t, b)
	require.Equal(t, ra.pages, rb.pages)
	require.Equal(t, ra.sets, rb.sets)
	require.Equal(t, ra.list, rb.list)
}

func TestStarIsTwoLinksEverywhere(t *testing.T) {
	g := build(t, "ideal", Spec{Kind: "star", Servers: 16, Devices: 16})
	require.Len(t, g.Links, 256)
	n, degree := switches(g, "sw")
	require.Equal(t, 1, n)
	require.Equal(t, []int{256}, degree)
	r := routes(t, g, UB_CTP)
	for _, dst := range []NodeID{1, 63, 64, 255} {
		info, ok := r.Info(0, dst)
		require.True(t, ok)
		require.Equal(t, PathInfo{Hops: 2, Latency: 1_000_000, MinRate: 400e9, Width: 1, SumRate: 400e9, Paths: 1}, info)
	}
	_, _, pairs := r.Unreachable()
	require.Zero(t, pairs)
}

func TestFatTreeClosedForms(t *testing.T) {
	for _, k := range []int{2, 4, 6, 8} {
		h := k / 2
		n := k * h * h
		g := build(t, "ideal", Spec{Kind: "fattree", Servers: n, Devices: 1, Params: Params{K: k}})
		for tier, want := range map[string]int{"edge": k * h, "agg": k * h, "core": h * h} {
			got, degree := switches(g, tier)
			require.Equal(t, want, got, "k=%d %s", k, tier)
			for _, d := range degree {
				require.Equal(t, k, d, "k=%d ports of a switch of tier %s", k, tier)
			}
		}
		require.Len(t, g.Links, 3*n)
		r := routes(t, g, UB_CTP)
		for _, c := range []struct {
			dst   int
			hops  int
			paths int
		}{{1, 2, 1}, {h, 4, h}, {h * h, 6, h * h}} {
			if c.dst >= n || c.dst == 1 && h == 1 {
				continue
			}
			if c.dst == h && h == 1 {
				continue // one edge switch in a pod: device h is in the next pod
			}
			info, ok := r.Info(0, NodeID(c.dst))
			require.True(t, ok)
			require.Equal(t, c.hops, info.Hops, "k=%d to %d", k, c.dst)
			require.Equal(t, int64(c.paths), info.Paths, "k=%d to %d", k, c.dst)
		}
		_, _, pairs := r.Unreachable()
		require.Zero(t, pairs)
	}
}

func TestTwoTierTreeIsTheClosOf32x32(t *testing.T) {
	for _, spec := range []Spec{
		{Kind: "clos", Servers: 32, Devices: 32},
		{Kind: "fattree", Servers: 32, Devices: 32, Params: Params{K: 64, Tiers: 2}},
	} {
		g := build(t, "ideal", spec)
		leaves, _ := switches(g, "leaf")
		spines, _ := switches(g, "spine")
		require.Equal(t, 32, spines, spec.Kind)
		require.GreaterOrEqual(t, leaves, 32)
		info, ok := routes(t, g).Info(0, 1023)
		require.True(t, ok)
		require.Equal(t, 4, info.Hops)
		require.EqualValues(t, 2_000_000, info.Latency)
		require.EqualValues(t, 32, info.Paths)
	}
}
