package topo

import (
	"hsim/host/sim"
	"hsim/host/units"
)

// pageBits is the size of a page of destinations: 64.
const pageBits = 6

// Routes holds the equal-cost next hops of every node towards every device. A
// row of destinations is cut into pages; a page with one answer throughout is a
// number, so that large regular networks stay small.
type Routes struct {
	pages []int32  // node*per + dst>>pageBits: ^set when uniform, else an index into sets by page
	sets  []int32  // set numbers, one page after the other
	first []int32  // set -> list[first[s]:first[s+1]]
	list  []PortID // the ports of all sets; set 0 is empty
	per   int      // pages of a node

	graph  *Graph
	protos ProtocolSet
}

// Ports returns the egress ports of node that lie on shortest paths to the
// device dst, in port order; empty when there is no path or node is dst. The
// slice is shared: callers must not change it. It does not allocate.
func (r *Routes) Ports(node, dst NodeID) []PortID {
	s := r.pages[int(node)*r.per+int(dst)>>pageBits]
	if s >= 0 {
		s = r.sets[int(s)<<pageBits+int(dst)&(1<<pageBits-1)]
	} else {
		s = ^s
	}
	lo, hi := r.first[s], r.first[s+1]
	return r.list[lo:hi:hi]
}

// Bytes is the memory the tables take.
func (r *Routes) Bytes() int64 {
	return 4 * int64(len(r.pages)+len(r.sets)+len(r.first)+len(r.list))
}

// Protocols is the set of protocols the routes were computed for.
func (r *Routes) Protocols() ProtocolSet { return r.protos }

// Graph is the graph the routes belong to.
func (r *Routes) Graph() *Graph { return r.graph }

// PathInfo sums up the shortest paths between two devices.
type PathInfo struct {
	Hops    int        // links
	Latency sim.Time   // of the links and switches of the first path, without the time of the bytes
	MinRate units.Rate // of the slowest link of the first path; 0 = infinitely fast
	Width   int        // equal-cost ports at the source
	SumRate units.Rate // of those ports together; 0 = infinitely fast
	Paths   int64      // equal-cost paths
}

// Unreachable returns the first pair of devices without a route and how many
// ordered pairs there are; None and 0 when all are joined.
func (r *Routes) Unreachable() (src, dst NodeID, pairs int64) {
	src, dst = None, None
	g := r.graph
	for a := range NodeID(g.Devices) {
		for page := range r.per {
			if r.pages[int(a)*r.per+page] < ^0 {
				continue // one set for all, and not the empty one
			}
			for b := NodeID(page << pageBits); int(b) < min((page+1)<<pageBits, g.Devices); b++ {
				if a == b || len(r.Ports(a, b)) > 0 {
					continue
				}
				if pairs == 0 {
					src, dst = a, b
				}
				pairs++
			}
		}
	}
	return src, dst, pairs
}

// Path is one shortest path from src to dst as the egress ports taken: at each
// node the first of the equal-cost ports. It is nil when there is no path.
func (r *Routes) Path(src, dst NodeID) []PortID {
	var out []PortID
	for at := src; at != dst; {
		ports := r.Ports(at, dst)
		if len(ports) == 0 {
			return nil
		}
		out = append(out, ports[0])
		at = r.graph.PeerNode(ports[0])
	}
	return out
}

// Info sums up the shortest paths from src to dst; ok is false when there is
// none.
func (r *Routes) Info(src, dst NodeID) (info PathInfo, ok bool) {
	path := r.Path(src, dst)
	if path == nil {
		return info, src == dst
	}
	g := r.graph
	for i, p := range path {
		l := g.LinkOf(p)
		info.Latency += l.Latency
		info.MinRate = slower(info.MinRate, l.Rate)
		if i+1 < len(path) {
			info.Latency += g.Nodes[g.PeerNode(p)].Delay
		}
	}
	info.Hops = len(path)
	ports := r.Ports(src, dst)
	info.Width = len(ports)
	for _, p := range ports {
		rate := g.LinkOf(p).Rate
		if rate == 0 {
			info.SumRate = 0
			break
		}
		info.SumRate += rate
	}
	info.Paths = r.countPaths(src, dst, map[NodeID]int64{dst: 1})
	return info, true
}

func (r *Routes) countPaths(at, dst NodeID, known map[NodeID]int64) int64 {
	if n, ok := known[at]; ok {
		return n
	}
	n := int64(0)
	for _, p := range r.Ports(at, dst) {
		n += r.countPaths(r.graph.PeerNode(p), dst, known)
	}
	known[at] = n
	return n
}

// PathInfo sums up the shortest paths between two devices over one protocol.
// It computes routes: callers that ask often keep a Routes.
func (g *Graph) PathInfo(src, dst NodeID, p Protocol) (PathInfo, bool) {
	r, err := g.Routes(p)
	if err != nil || !g.isDevice(src) || !g.isDevice(dst) {
		return PathInfo{}, false
	}
	return r.Info(src, dst)
}

func (g *Graph) isDevice(n NodeID) bool { return n >= 0 && int(n) < g.Devices }
