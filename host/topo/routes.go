package topo

import (
	"hsim/host/sim"
	"hsim/host/units"
)

// Routes holds the equal-cost next hops of every node towards every device.
type Routes struct {
	pages  []int32 // node*perNode + dst/64: ^set when uniform, else index into page
	page   []int32 // 64 set numbers each
	first  []int32 // set -> list[first[s]:first[s+1]]
	list   []PortID
	per    int // pages per node
	graph  *Graph
	protos ProtocolSet
}

// Ports returns the egress ports of node that lie on shortest paths to the
// device dst, in port order; empty when there is no path or node is dst. The
// slice is shared: callers must not change it. It does not allocate.
func (r *Routes) Ports(node, dst NodeID) []PortID {
	s := r.pages[int(node)*r.per+int(dst)>>6]
	if s >= 0 {
		s = r.page[int(s)<<6+int(dst)&63]
	} else {
		s = ^s
	}
	return r.list[r.first[s]:r.first[s+1]:r.first[s+1]]
}

// Routes computes the shortest routes by number of links over the links that
// carry one of the protocols (no argument: every protocol but PCIE). Hosts
// never forward, devices only where Node.Forwards says so. An unreachable pair
// has no ports; Unreachable finds it.
func (g *Graph) Routes(ps ...Protocol) (*Routes, error) { return computeRoutes(g, ps) }

// PathInfo sums up one shortest path.
type PathInfo struct {
	Hops    int        // links
	Latency sim.Time   // links and switches, without the time of the bytes
	MinRate units.Rate // of the slowest link of the path; 0 = infinitely fast
	Width   int        // equal-cost ports at the source
	Paths   int64      // equal-cost paths
}
