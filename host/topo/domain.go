package topo

import (
	"slices"

	"hsim/host/soc"
)

// domains says which devices reach each other over one protocol: each device
// lists the connected components of forwarding nodes that it hangs on.
type domains struct {
	first []int32
	list  []int32
}

func (d *domains) of(n NodeID) []int32 { return d.list[d.first[n]:d.first[n+1]] }

// Protocol is the default protocol between two devices: the chip's scale-up
// protocol where it joins them, else its scale-out protocol, else the first
// that does.
func (g *Graph) Protocol(a, b NodeID) Protocol {
	if g.Reachable(a, b, g.scaleUp) {
		return g.scaleUp
	}
	if g.Reachable(a, b, g.scaleOut) {
		return g.scaleOut
	}
	for p := range soc.NumProtocols {
		if p != PCIE && g.Reachable(a, b, p) {
			return p
		}
	}
	return g.scaleUp
}

// Reachable reports whether links that carry p join the devices a and b.
func (g *Graph) Reachable(a, b NodeID, p Protocol) bool {
	if a < 0 || b < 0 || int(a) >= g.Devices || int(b) >= g.Devices || p >= soc.NumProtocols {
		return false
	}
	if a == b {
		return true
	}
	d := g.domains[p]
	if d == nil {
		return false
	}
	for _, c := range d.of(a) {
		if slices.Contains(d.of(b), c) {
			return true
		}
	}
	for _, q := range g.NodePorts(a) {
		if g.PeerNode(q) == b && g.LinkOf(q).Protocols.Has(p) {
			return true
		}
	}
	return false
}

// Carried is the set of protocols that some link carries.
func (g *Graph) Carried() ProtocolSet {
	var s ProtocolSet
	for i := range g.Links {
		s |= g.Links[i].Protocols
	}
	return s
}

// findDomains fills domains for every protocol that some link carries. Two
// protocols on the same links share one.
func (g *Graph) findDomains() {
	var masks []ProtocolSet
	for i := range g.Links {
		if m := g.Links[i].Protocols; !slices.Contains(masks, m) {
			masks = append(masks, m)
		}
	}
	same := map[string]*domains{}
	for p := range soc.NumProtocols {
		key := make([]byte, len(masks))
		on := false
		for i, m := range masks {
			if m.Has(p) {
				key[i], on = 1, true
			}
		}
		if !on {
			continue
		}
		if same[string(key)] == nil {
			same[string(key)] = g.domainsOf(p)
		}
		g.domains[p] = same[string(key)]
	}
}

func (g *Graph) domainsOf(p Protocol) *domains {
	joined := newJoined(len(g.Nodes))
	for i := range g.Links {
		l := &g.Links[i]
		a, b := g.Ports[l.A].Node, g.Ports[l.B].Node
		if l.Protocols.Has(p) && g.Nodes[a].Forwards && g.Nodes[b].Forwards {
			joined.join(a, b)
		}
	}
	d := &domains{first: make([]int32, g.Devices+1)}
	for n := range NodeID(g.Devices) {
		start := len(d.list)
		if g.Nodes[n].Forwards {
			d.list = append(d.list, int32(joined.root(n)))
		}
		for _, q := range g.NodePorts(n) {
			if m := g.PeerNode(q); g.LinkOf(q).Protocols.Has(p) && g.Nodes[m].Forwards {
				if c := int32(joined.root(m)); !slices.Contains(d.list[start:], c) {
					d.list = append(d.list, c)
				}
			}
		}
		d.first[n+1] = int32(len(d.list))
	}
	return d
}

// apart finds a pair of devices that neither the scale-up nor the scale-out
// protocol joins.
func (g *Graph) apart() (a, b NodeID, found bool) {
	for _, p := range []Protocol{g.scaleUp, g.scaleOut} {
		if d := g.domains[p]; d != nil && g.Devices > 0 {
			for _, c := range d.of(0) {
				if g.allIn(d, c) {
					return None, None, false
				}
			}
		}
	}
	for a := range NodeID(g.Devices) {
		for b := a + 1; int(b) < g.Devices; b++ {
			if !g.Reachable(a, b, g.scaleUp) && !g.Reachable(a, b, g.scaleOut) {
				return a, b, true
			}
		}
	}
	return None, None, false
}

func (g *Graph) allIn(d *domains, c int32) bool {
	for n := range NodeID(g.Devices) {
		if !slices.Contains(d.of(n), c) {
			return false
		}
	}
	return true
}
