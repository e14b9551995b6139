package topo

import (
	"fmt"

	"hsim/host/soc"
	"hsim/host/units"
)

// samplePairs bounds the pairs of devices whose paths are walked.
const samplePairs = 1 << 16

// asymmetric finds cables between ports of different kinds, and devices of a
// server with fewer links of a layer than the others.
func (g *Graph) asymmetric(chip *soc.Chip) []Finding {
	var out []Finding
	mixed, example := 0, ""
	for i := range g.Links {
		l := &g.Links[i]
		if int(g.Ports[l.A].Node) >= g.Devices || int(g.Ports[l.B].Node) >= g.Devices {
			continue
		}
		a, b := groupOf(chip, &g.Ports[l.A]), groupOf(chip, &g.Ports[l.B])
		if a == nil || b == nil || a.Rate == b.Rate {
			continue
		}
		if mixed++; example == "" {
			example = fmt.Sprintf("%s at %s and %s at %s", g.PortName(l.A), rateName(a.Rate), g.PortName(l.B), rateName(b.Rate))
		}
	}
	if mixed > 0 {
		out = append(out, Finding{Asymmetric, mixed, fmt.Sprintf("ports of different rates are joined by %s, such as %s", plural(mixed, "link"), example)})
	}
	fewer, example := 0, ""
	for lo := 0; lo < g.Devices; {
		hi := lo
		for hi < g.Devices && g.Nodes[hi].Server == g.Nodes[lo].Server {
			hi++
		}
		var most [layers]bandwidth
		sums := make([][layers]bandwidth, hi-lo)
		for d := range sums {
			for _, p := range g.NodePorts(NodeID(lo + d)) {
				l := g.LinkOf(p)
				sums[d][l.Layer%layers].add(l.Rate)
			}
			for layer, r := range sums[d] {
				if most[layer].less(r) {
					most[layer] = r
				}
			}
		}
		for d := range sums {
			for layer, got := range sums[d] {
				if got.less(most[layer]) {
					if fewer++; example == "" {
						example = fmt.Sprintf("%s has %s on layer %d, its server's best %s", g.Nodes[lo+d].Name, got, layer, most[layer])
					}
					break
				}
			}
		}
		lo = hi
	}
	if fewer > 0 {
		out = append(out, Finding{Asymmetric, fewer, fmt.Sprintf("less bandwidth than others of the server: %s, such as this: %s", plural(fewer, "device"), example)})
	}
	return out
}

// layers is how many net layers there can be.
const layers = 8

// bandwidth is what the links of a device on one layer have together.
type bandwidth struct {
	links int
	free  bool // one of them has no limit
	rate  units.Rate
}

func (b *bandwidth) add(r units.Rate) {
	b.links++
	b.free = b.free || r == 0
	b.rate += r
}

// less compares bandwidths: no link is less than any.
func (b bandwidth) less(than bandwidth) bool {
	switch {
	case b.links == 0 || than.links == 0:
		return b.links < than.links
	case b.free || than.free:
		return !b.free
	}
	return b.rate < than.rate
}

func (b bandwidth) String() string {
	switch {
	case b.links == 0:
		return "no link"
	case b.free:
		return "no limit"
	}
	return units.FormatRate(b.rate)
}

// plural is a number with its noun.
func plural(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}

// groupOf is the port group that a device's port belongs to, or nil.
func groupOf(chip *soc.Chip, p *Port) *soc.PortGroup {
	for i := range chip.Ports {
		g := &chip.Ports[i]
		if int(p.Die) == g.Die && int(p.Index) >= g.First && int(p.Index) < g.First+g.Count {
			return g
		}
	}
	return nil
}

// rateName prints a rate; 0 is infinitely fast.
func rateName(r units.Rate) string {
	if r == 0 {
		return "no limit"
	}
	return units.FormatRate(r)
}

// pairs calls f for every pair a < b of devices, or for a spread of them where
// there are too many.
func (g *Graph) pairs(f func(a, b NodeID)) {
	step := 1
	for (g.Devices/step)*(g.Devices/step)/2 > samplePairs {
		step++
	}
	for a := 0; a < g.Devices; a += step {
		for b := a + 1; b < g.Devices; b += step {
			f(NodeID(a), NodeID(b))
		}
	}
}

// lopsided finds pairs whose shortest paths there and back differ in length,
// ports or bandwidth at the source.
func (g *Graph) lopsided(r *Routes, p Protocol) (Finding, bool) {
	f := Finding{Kind: Asymmetric}
	g.pairs(func(a, b NodeID) {
		there, back := r.side(a, b), r.side(b, a)
		if there == back {
			return
		}
		if f.Count++; f.Count == 1 {
			f.Text = fmt.Sprintf("%s from %s to %s: %s; back: %s", p, g.Nodes[a].Name, g.Nodes[b].Name, there, back)
		}
	})
	if f.Count > 1 {
		f.Text = fmt.Sprintf("%d pairs of devices have other paths back than there, such as %s", f.Count, f.Text)
	}
	return f, f.Count > 0
}

// side is one direction of a pair of devices.
type side struct {
	hops, ports int
	rate        units.Rate
}

func (s side) String() string {
	if s.hops == 0 {
		return "no path"
	}
	return fmt.Sprintf("%s over %s with %s", plural(s.hops, "link"), plural(s.ports, "port"), rateName(s.rate))
}

func (r *Routes) side(a, b NodeID) side {
	ports := r.Ports(a, b)
	s := side{ports: len(ports)}
	for _, p := range ports {
		s.rate += r.graph.LinkOf(p).Rate
	}
	for at := a; at != b; s.hops++ {
		next := r.Ports(at, b)
		if len(next) == 0 {
			return side{}
		}
		at = r.graph.PeerNode(next[0])
	}
	return s
}
