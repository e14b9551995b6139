package topo

import (
	"fmt"
	"slices"
)

// Given is a cluster that somebody else laid out: nodes, devices first, and
// links between numbered ports. Importers fill it.
type Given struct {
	Kind  string // of the graph, as reports name it
	Nodes []Node
	Links []GivenLink
}

// GivenLink joins port PortA of node A to port PortB of node B. The ends of the
// embedded Link are ignored.
type GivenLink struct {
	A, B         NodeID
	PortA, PortB int16
	Link
}

// FromGiven makes the graph of a given cluster. It refuses nodes out of order,
// links with unknown ends and a port on two links; unlike Build it takes a
// cluster whose devices do not all reach each other.
func FromGiven(in Given) (*Graph, error) {
	g := &Graph{Kind: in.Kind, Nodes: slices.Clone(in.Nodes), Servers: 1}
	for i := range g.Nodes {
		if g.Nodes[i].Kind == Device {
			if i != g.Devices {
				return nil, fmt.Errorf("topo: import %s: got device %s after other nodes, want devices first", in.Kind, g.Nodes[i].Name)
			}
			g.Devices++
		}
	}
	type end struct {
		node NodeID
		port int16
	}
	used := make(map[end]bool, 2*len(in.Links))
	b := &builder{g: g, spec: Spec{Kind: in.Kind}, loose: true}
	for _, l := range in.Links {
		for _, e := range []end{{l.A, l.PortA}, {l.B, l.PortB}} {
			if e.node < 0 || int(e.node) >= len(g.Nodes) || e.port < 0 {
				return nil, fmt.Errorf("topo: import %s: got a link at port %d of node %d, want one of %d nodes and a port from 0", in.Kind, e.port, e.node, len(g.Nodes))
			}
			if used[e] {
				return nil, fmt.Errorf("topo: import %s: got two links on port %d of %s, want one", in.Kind, e.port, g.Nodes[e.node].Name)
			}
			used[e] = true
		}
		b.link(b.port(l.A, 0, l.PortA), b.port(l.B, 0, l.PortB), l.Link)
	}
	return b.finish()
}

// PortAt is the port of node n with that die and index, None without one.
func (g *Graph) PortAt(n NodeID, die, index int16) PortID {
	for _, p := range g.NodePorts(n) {
		if q := &g.Ports[p]; q.Die == die && q.Index == index {
			return p
		}
	}
	return None
}
