package topo

import (
	"fmt"
	"slices"

	"hsim/host/soc"
)

// Finding is one thing that a check of a topology found.
type Finding struct {
	Kind  FindingKind
	Count int    // how many of it there are
	Text  string // with an example
}

// FindingKind says what was found.
type FindingKind uint8

// The kinds of finding. Only devices that cannot reach each other are a fault;
// the others are what a user should know.
const (
	Unreachable FindingKind = iota // ordered pairs of devices that no protocol joins
	Asymmetric                     // links, devices or pairs that differ in the two directions or from their like
	Unlinked                       // ports of devices without a link
	Polarised                      // switches that leave equal-cost ports unused when all hash alike
)

// String is the kind's name in reports.
func (k FindingKind) String() string {
	return [...]string{"unreachable", "asymmetric", "unlinked", "polarised"}[min(k, Polarised)]
}

// Fault reports whether a finding makes the topology unfit for a run over all
// devices.
func (f *Finding) Fault() bool { return f.Kind == Unreachable }

// ReachRow says how many ordered pairs of devices a protocol joins.
type ReachRow struct {
	Protocol     Protocol
	Pairs, Total int64
}

// Report is what Inspect found.
type Report struct {
	Reach    []ReachRow // of the protocols that links carry, but PCIE
	Findings []Finding
}

// OK reports whether no finding is a fault.
func (r *Report) OK() bool {
	return !slices.ContainsFunc(r.Findings, func(f Finding) bool { return f.Fault() })
}

// Inspect checks a topology for pairs of devices that no protocol joins, links
// and paths that differ in their two directions, ports without a link, and
// equal-cost paths that stay empty when every switch uses the same hash.
func (g *Graph) Inspect(chip *soc.Chip) (*Report, error) {
	r := &Report{}
	total := int64(g.Devices) * int64(g.Devices-1)
	any, ex := g.joined(0)
	for p := range soc.NumProtocols {
		if p != PCIE && g.Carried().Has(p) {
			n, _ := g.joined(soc.Protocols(p))
			r.Reach = append(r.Reach, ReachRow{p, n, total})
		}
	}
	if any < total {
		r.Findings = append(r.Findings, Finding{Unreachable, int(total - any), fmt.Sprintf("no protocol joins %d of %d ordered pairs of devices, such as %s and %s",
			total-any, total, g.Nodes[ex[0]].Name, g.Nodes[ex[1]].Name)})
	}
	r.Findings = append(r.Findings, g.asymmetric(chip)...)
	for _, p := range g.looked() {
		routes, err := g.Routes(p)
		if err != nil {
			return nil, err
		}
		if f, ok := g.lopsided(routes, p); ok {
			r.Findings = append(r.Findings, f)
		}
		r.Findings = append(r.Findings, g.polarised(routes, p)...)
	}
	r.Findings = append(r.Findings, g.unlinked(chip)...)
	return r, nil
}

// Parts counts the parts that the devices fall into when those that a link
// joins, or a chain of links and of other devices, are in one. A network of
// rails that meet in servers is one part though not every pair has a way.
func (g *Graph) Parts() int {
	joined := newJoined(len(g.Nodes))
	for i := range g.Links {
		if l := &g.Links[i]; l.Protocols&soc.NetProtocols != 0 {
			joined.join(g.Ports[l.A].Node, g.Ports[l.B].Node)
		}
	}
	parts := map[NodeID]bool{}
	for d := range NodeID(g.Devices) {
		parts[joined.root(d)] = true
	}
	return len(parts)
}

// looked lists the protocols whose routes are looked at: one of each set of
// links.
func (g *Graph) looked() []Protocol {
	var out []Protocol
	for p := range soc.NumProtocols {
		if p != PCIE && g.domains[p] != nil && !slices.ContainsFunc(out, func(q Protocol) bool { return g.domains[q] == g.domains[p] }) {
			out = append(out, p)
		}
	}
	return out
}

// joined counts the ordered pairs of devices that one of the protocols joins (0:
// any but PCIE), and gives a pair that none does.
func (g *Graph) joined(protos ProtocolSet) (pairs int64, apart [2]NodeID) {
	if protos == 0 {
		protos = soc.NetProtocols
	}
	// devices of a class hang on the same networks
	class := map[string]int{}
	of := make([]int, g.Devices)
	var first []NodeID
	var size []int64
	for d := range NodeID(g.Devices) {
		key := fmt.Sprint(g.networksOf(d, protos))
		c, ok := class[key]
		if !ok {
			c = len(first)
			class[key] = c
			first, size = append(first, d), append(size, 0)
		}
		of[d] = c
		size[c]++
	}
	shares := make([][]bool, len(first))
	for a := range first {
		shares[a] = make([]bool, len(first))
		for b := range first {
			if shares[a][b] = g.share(first[a], first[b], protos); !shares[a][b] {
				continue
			}
			if pairs += size[a] * size[b]; a == b {
				pairs -= size[a]
			}
		}
	}
	direct := map[[2]NodeID]bool{}
	for i := range g.Links {
		l := &g.Links[i]
		a, b := g.Ports[l.A].Node, g.Ports[l.B].Node
		if int(a) >= g.Devices || int(b) >= g.Devices || l.Protocols&protos == 0 || shares[of[a]][of[b]] || direct[[2]NodeID{min(a, b), max(a, b)}] {
			continue
		}
		direct[[2]NodeID{min(a, b), max(a, b)}] = true
		pairs += 2
	}
	if pairs < int64(g.Devices)*int64(g.Devices-1) {
		for a := range NodeID(g.Devices) {
			for b := a + 1; int(b) < g.Devices; b++ {
				if !shares[of[a]][of[b]] && !direct[[2]NodeID{a, b}] {
					return pairs, [2]NodeID{a, b}
				}
			}
		}
	}
	return pairs, [2]NodeID{None, None}
}

// networksOf lists the components of forwarding nodes that a device hangs on,
// protocol by protocol.
func (g *Graph) networksOf(n NodeID, protos ProtocolSet) [][]int32 {
	var out [][]int32
	for p := range soc.NumProtocols {
		if protos.Has(p) && g.domains[p] != nil {
			out = append(out, g.domains[p].of(n))
		}
	}
	return out
}

func (g *Graph) share(a, b NodeID, protos ProtocolSet) bool {
	for p := range soc.NumProtocols {
		d := g.domains[p]
		if !protos.Has(p) || d == nil {
			continue
		}
		for _, c := range d.of(a) {
			if slices.Contains(d.of(b), c) {
				return true
			}
		}
	}
	return false
}

// unlinked counts the ports of the chip that no link is on, group by group.
func (g *Graph) unlinked(chip *soc.Chip) []Finding {
	var out []Finding
	for i := range chip.Ports {
		group := &chip.Ports[i]
		if group.Count >= 256 { // an idealisation has ports without end
			continue
		}
		free, example := 0, ""
		for d := range NodeID(g.Devices) {
			used := make([]bool, group.Count)
			for _, p := range g.NodePorts(d) {
				if k := int(g.Ports[p].Index) - group.First; int(g.Ports[p].Die) == group.Die && k >= 0 && k < group.Count {
					used[k] = true
				}
			}
			for k, on := range used {
				if !on {
					if free++; example == "" {
						example = fmt.Sprintf("%s:%d/%d", g.Nodes[d].Name, group.Die, group.First+k)
					}
				}
			}
		}
		if free > 0 {
			out = append(out, Finding{Unlinked, free, fmt.Sprintf("%d of %d %s ports (%s) have no link, such as %s", free, g.Devices*group.Count, group.Role, group.Name, example)})
		}
	}
	return out
}
