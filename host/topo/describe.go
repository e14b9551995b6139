package topo

import (
	"cmp"
	"slices"
	"strings"

	"hsim/host/sim"
	"hsim/host/units"
)

// Summary is a graph in a few rows, for `hsim topo` and the head of a report.
type Summary struct {
	Kind                                     string
	Servers, Superpods, Devices, Hosts, Size int // Size counts the links
	Tiers                                    []TierRow
	Links                                    []LinkRow
}

// TierRow counts the switches of one tier.
type TierRow struct {
	Tier               string // sw, leaf, spine, edge, agg, core, nic
	Switches           int
	MinPorts, MaxPorts int
	Delay              sim.Time
	Store              bool
}

// LinkRow counts equal links between two kinds of end.
type LinkRow struct {
	From, To  string // device, host or the tier of a switch
	Layer     uint8
	Count     int
	Rate      units.Rate
	Latency   sim.Time
	Protocols ProtocolSet
}

// Summary counts the nodes and links of g, tiers and links in the order in
// which they first occur.
func (g *Graph) Summary() Summary {
	s := Summary{Kind: g.Kind, Servers: g.Servers, Superpods: g.Supers, Devices: g.Devices, Size: len(g.Links)}
	for n := range g.Nodes {
		switch g.Nodes[n].Kind {
		case Host:
			s.Hosts++
		case Switch:
			s.addSwitch(&g.Nodes[n], len(g.NodePorts(NodeID(n))))
		}
	}
	index := map[LinkRow]int{}
	for i := range g.Links {
		l := &g.Links[i]
		row := LinkRow{From: g.end(l.A), To: g.end(l.B), Layer: l.Layer, Rate: l.Rate, Latency: l.Latency, Protocols: l.Protocols}
		at, ok := index[row]
		if !ok {
			at = len(s.Links)
			index[row] = at
			s.Links = append(s.Links, row)
		}
		s.Links[at].Count++
	}
	slices.SortStableFunc(s.Links, func(a, b LinkRow) int { return cmp.Compare(a.Layer, b.Layer) })
	return s
}

func (s *Summary) addSwitch(n *Node, ports int) {
	tier := n.Tier()
	i := slices.IndexFunc(s.Tiers, func(t TierRow) bool { return t.Tier == tier && t.Delay == n.Delay && t.Store == n.Store })
	if i < 0 {
		i = len(s.Tiers)
		s.Tiers = append(s.Tiers, TierRow{Tier: tier, MinPorts: ports, Delay: n.Delay, Store: n.Store})
	}
	t := &s.Tiers[i]
	t.Switches++
	t.MinPorts, t.MaxPorts = min(t.MinPorts, ports), max(t.MaxPorts, ports)
}

// Tier is the letters of a switch's name: leaf of pod1-leaf3.0; else the kind.
func (n *Node) Tier() string {
	if n.Kind != Switch {
		return n.Kind.String()
	}
	name := n.Name
	if i := strings.IndexByte(name, '-'); i >= 0 {
		name = name[i+1:]
	}
	return strings.TrimRight(name, "0123456789.")
}

func (g *Graph) end(p PortID) string { return g.Nodes[g.Ports[p].Node].Tier() }

// HopRow is one link of a path, for `hsim explain`.
type HopRow struct {
	From, To string // "node:die/port" at both ends
	Rate     units.Rate
	Latency  sim.Time // of the link
	Delay    sim.Time // in the switch behind it; 0 at the destination
	Choices  int      // equal-cost ports at this node
}

// Hops prints the first shortest path from src to dst link by link; nil when
// there is none.
func (r *Routes) Hops(src, dst NodeID) []HopRow {
	var out []HopRow
	g := r.graph
	for _, p := range r.Path(src, dst) {
		l, to := g.LinkOf(p), g.PeerNode(p)
		row := HopRow{From: g.PortName(p), To: g.PortName(g.Peer(p)), Rate: l.Rate, Latency: l.Latency,
			Choices: len(r.Ports(g.Ports[p].Node, dst))}
		if to != dst {
			row.Delay = g.Nodes[to].Delay
		}
		out = append(out, row)
	}
	return out
}
