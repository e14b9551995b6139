package topo

import (
	"fmt"
	"math"
	"slices"

	"hsim/host/soc"
)

// maxTable bounds the set numbers of one table, so that a topology whose routes
// do not compress is refused instead of filling the memory.
const maxTable = 1 << 28

// Routes computes the shortest routes by number of links over the links that
// carry one of the protocols (no argument: every protocol but PCIE). Hosts
// never forward, devices only where Node.Forwards says so. An unreachable pair
// has no ports; Unreachable finds it.
func (g *Graph) Routes(ps ...Protocol) (*Routes, error) {
	protos := soc.NetProtocols
	if len(ps) > 0 {
		protos = soc.Protocols(ps...)
	}
	c := newRouter(g, protos)
	for base := 0; base < g.Devices; base += 1 << pageBits {
		c.pageOf(base, min(base+1<<pageBits, g.Devices))
		if len(c.r.sets) > maxTable {
			return nil, fmt.Errorf("topo: routes of %s: got more than %d entries that do not compress, want a smaller or more regular graph", g.Kind, maxTable)
		}
	}
	c.r.first = append(c.r.first, int32(len(c.r.list)))
	return c.r, nil
}

// class is what all destinations with the same forwarding neighbours share: the
// set of every node that is not a neighbour.
type class struct {
	seeds []NodeID
	sets  []int32
}

// router is the state of one computation.
type router struct {
	g       *Graph
	r       *Routes
	first   []int32 // per node, its usable ports, in port order
	ports   []PortID
	peers   []NodeID
	single  []int32          // per port: the set of that port alone, 0 = not made yet
	last    []int32          // per node: the last set of several ports
	many    map[uint64]int32 // sets of several ports: the newest of a hash
	older   []int32          // per set: the one made before it with the same hash, 0 = none
	dist    []int32
	queue   []NodeID
	classes []class // of the current page; reused
	scratch []PortID
	special []bool // nodes whose row in the current page is not of classes alone
	touched []NodeID
}

func newRouter(g *Graph, protos ProtocolSet) *router {
	per := (g.Devices + 1<<pageBits - 1) >> pageBits
	c := &router{g: g, r: &Routes{per: per, graph: g, protos: protos, pages: make([]int32, len(g.Nodes)*per)},
		first: make([]int32, len(g.Nodes)+1), single: make([]int32, len(g.Ports)), last: make([]int32, len(g.Nodes)),
		many: map[uint64]int32{}, dist: make([]int32, len(g.Nodes)), special: make([]bool, len(g.Nodes))}
	for n := range NodeID(len(g.Nodes)) {
		for _, p := range g.NodePorts(n) {
			if g.LinkOf(p).Protocols&protos != 0 {
				c.ports = append(c.ports, p)
				c.peers = append(c.peers, g.PeerNode(p))
			}
		}
		c.first[n+1] = int32(len(c.ports))
	}
	c.addSet(nil)
	return c
}

// pageOf fills the page of the destinations lo..hi-1 in every row.
func (c *router) pageOf(lo, hi int) {
	c.touched = c.touched[:0]
	n := 0
	var of [1 << pageBits]int // destination -> class
	for d := lo; d < hi; d++ {
		of[d-lo] = c.classOf(NodeID(d), &n)
		c.mark(NodeID(d))
		for i := c.first[d]; i < c.first[d+1]; i++ {
			c.mark(c.peers[i])
		}
	}
	page := lo >> pageBits
	for node := range len(c.g.Nodes) {
		set := c.classes[0].sets[node]
		uniform := !c.special[node]
		for k := 1; uniform && k < n; k++ {
			uniform = c.classes[k].sets[node] == set
		}
		at := &c.r.pages[node*c.r.per+page]
		if uniform {
			*at = ^set
			continue
		}
		*at = int32(len(c.r.sets) >> pageBits)
		for d := lo; d < lo+1<<pageBits; d++ {
			if d < hi {
				c.r.sets = append(c.r.sets, c.classes[of[d-lo]].sets[node])
			} else {
				c.r.sets = append(c.r.sets, 0)
			}
		}
	}
	for d := lo; d < hi; d++ {
		c.direct(NodeID(d))
	}
	for _, node := range c.touched {
		c.special[node] = false
	}
}

func (c *router) mark(n NodeID) {
	if !c.special[n] {
		c.special[n] = true
		c.touched = append(c.touched, n)
	}
}

// direct overrides the entries of a destination: none at itself, and at a
// neighbour the ports of the direct links.
func (c *router) direct(d NodeID) {
	c.put(d, d, 0)
	for i := c.first[d]; i < c.first[d+1]; i++ {
		n := c.peers[i]
		if slices.Contains(c.peers[c.first[d]:i], n) {
			continue
		}
		c.scratch = c.scratch[:0]
		for j := c.first[d]; j < c.first[d+1]; j++ {
			if c.peers[j] == n {
				c.scratch = append(c.scratch, c.g.Peer(c.ports[j]))
			}
		}
		c.sortPorts(c.scratch)
		c.put(n, d, c.set(n, c.scratch))
	}
}

// sortPorts brings ports of one node into the node's port order.
func (c *router) sortPorts(ps []PortID) {
	slices.SortFunc(ps, func(a, b PortID) int {
		p, q := &c.g.Ports[a], &c.g.Ports[b]
		return (int(p.Die)-int(q.Die))<<16 + int(p.Index) - int(q.Index)
	})
}

func (c *router) put(n, d NodeID, set int32) {
	at := c.r.pages[int(n)*c.r.per+int(d)>>pageBits]
	c.r.sets[int(at)<<pageBits+int(d)&(1<<pageBits-1)] = set
}

// classOf returns the class of d among the first n of the page, a new one when
// it has none.
func (c *router) classOf(d NodeID, n *int) int {
	var seeds []NodeID
	if *n == len(c.classes) {
		c.classes = append(c.classes, class{})
	}
	seeds = c.classes[*n].seeds[:0]
	for i := c.first[d]; i < c.first[d+1]; i++ {
		if m := c.peers[i]; c.g.Nodes[m].Forwards && !slices.Contains(seeds, m) {
			seeds = append(seeds, m)
		}
	}
	c.classes[*n].seeds = seeds
	for k := *n - 1; k >= 0; k-- {
		if slices.Equal(c.classes[k].seeds, seeds) {
			return k
		}
	}
	c.search(&c.classes[*n])
	*n++
	return *n - 1
}

// search finds the set of every node for the destinations behind cl.seeds, as
// if the destination itself were elsewhere.
func (c *router) search(cl *class) {
	for i := range c.dist {
		c.dist[i] = math.MaxInt32
	}
	c.queue = c.queue[:0]
	for _, s := range cl.seeds {
		c.dist[s] = 1
		c.queue = append(c.queue, s)
	}
	for at := 0; at < len(c.queue); at++ {
		n := c.queue[at]
		for i := c.first[n]; i < c.first[n+1]; i++ {
			m := c.peers[i]
			if c.dist[m] == math.MaxInt32 {
				c.dist[m] = c.dist[n] + 1
				if c.g.Nodes[m].Forwards {
					c.queue = append(c.queue, m)
				}
			}
		}
	}
	if cl.sets == nil {
		cl.sets = make([]int32, len(c.g.Nodes))
	}
	for n := range NodeID(len(c.g.Nodes)) {
		cl.sets[n] = 0
		if d := c.dist[n]; d != 1 && d != math.MaxInt32 {
			c.scratch = c.scratch[:0]
			for i := c.first[n]; i < c.first[n+1]; i++ {
				if m := c.peers[i]; c.dist[m] == d-1 && c.g.Nodes[m].Forwards {
					c.scratch = append(c.scratch, c.ports[i])
				}
			}
			cl.sets[n] = c.set(n, c.scratch)
		}
	}
}

// set returns the number of a set of ports of node n, made once.
func (c *router) set(n NodeID, ps []PortID) int32 {
	switch len(ps) {
	case 0:
		return 0
	case 1:
		if c.single[ps[0]] == 0 {
			c.single[ps[0]] = c.addSet(ps)
		}
		return c.single[ps[0]]
	}
	if c.equal(c.last[n], ps) {
		return c.last[n]
	}
	h := uint64(14695981039346656037)
	for _, p := range ps {
		h = (h ^ uint64(p)) * 1099511628211
	}
	for s := c.many[h]; s != 0; s = c.older[s] {
		if c.equal(s, ps) {
			c.last[n] = s
			return s
		}
	}
	s := c.addSet(ps)
	c.older[s] = c.many[h]
	c.many[h] = s
	c.last[n] = s
	return s
}

func (c *router) equal(s int32, ps []PortID) bool {
	lo, hi := c.r.first[s], int32(len(c.r.list))
	if int(s)+1 < len(c.r.first) {
		hi = c.r.first[s+1]
	}
	return slices.Equal(c.r.list[lo:hi], ps)
}

// addSet appends a set. first holds the start of every set; the end of the last
// is added when all is done.
func (c *router) addSet(ps []PortID) int32 {
	c.r.first = append(c.r.first, int32(len(c.r.list)))
	c.r.list = append(c.r.list, ps...)
	c.older = append(c.older, 0)
	return int32(len(c.r.first) - 1)
}
