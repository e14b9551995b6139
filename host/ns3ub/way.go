package ns3ub

import (
	"slices"

	"hsim/host/topo"
)

// table is the routing table towards one destination port of every device, the
// rows for the whole device where it has none of its own.
func (c *Case) table(port int64) *topo.Routes {
	type pair struct{ node, dst int64 }
	var pairs []pair
	for k := range c.routes.entries {
		if k.port == noPort {
			pairs = append(pairs, pair{k.node, k.dst})
		}
	}
	slices.SortFunc(pairs, func(a, b pair) int { return slices.Compare([]int64{a.node, a.dst}, []int64{b.node, b.dst}) })
	t := topo.NewRouteTable(c.layout.graph)
	var out []topo.PortID
	for _, p := range pairs {
		out = out[:0]
		for _, q := range c.routes.from(p.node, target{p.dst, port}).ports {
			out = append(out, c.port(p.node, q))
		}
		t.Set(c.nodeID(p.node), c.nodeID(p.dst), out)
	}
	return t.Routes()
}
