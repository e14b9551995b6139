package topo

import (
	"fmt"
	"slices"
)

// Canonical describes nodes and links in words, sorted: two graphs are the same
// when their descriptions are equal, whatever the order in which they were
// built. Who built them (Kind, Spec) is no part of it.
func (g *Graph) Canonical() []string {
	out := make([]string, 0, len(g.Nodes)+len(g.Links)+1)
	for i := range g.Nodes {
		n := &g.Nodes[i]
		out = append(out, fmt.Sprintf("node %s: %v server %d index %d superpod %d spare %t forwards %t store %t delay %d",
			n.Name, n.Kind, n.Server, n.Index, n.Super, n.Spare, n.Forwards, n.Store, n.Delay))
	}
	for i := range g.Links {
		l := &g.Links[i]
		a, b := g.PortName(l.A), g.PortName(l.B)
		if a > b {
			a, b = b, a
		}
		out = append(out, fmt.Sprintf("link %s - %s: layer %d rate %d latency %d protocols %s", a, b, l.Layer, int64(l.Rate), int64(l.Latency), l.Protocols))
	}
	slices.Sort(out)
	return append(out, fmt.Sprintf("%d servers of %d, %d superpods, %d devices", g.Servers, g.PerServer, g.Supers, g.Devices))
}

// Differ returns the first line of Canonical that only one of two graphs has,
// "" for graphs that are the same.
func Differ(a, b *Graph) string {
	x, y := a.Canonical(), b.Canonical()
	for i := range max(len(x), len(y)) {
		switch {
		case i >= len(x):
			return "only the second has " + y[i]
		case i >= len(y) || x[i] < y[i]:
			return "only the first has " + x[i]
		case x[i] > y[i]:
			return "only the second has " + y[i]
		}
	}
	return ""
}
