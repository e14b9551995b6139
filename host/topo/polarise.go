package topo

import "fmt"

// flowsPerPair is how many flows of different hashes a pair of devices sends in
// the check of hash polarisation, enough that chance leaves no port unused.
const flowsPerPair = 16

// polarised finds switches that leave equal-cost ports unused when all nodes on a
// path choose by the same hash: where the number of choices at two of them has a
// common factor, a flow that took choice i of the first can only take some of the
// second. Flows between a spread of all pairs are walked.
func (g *Graph) polarised(r *Routes, p Protocol) []Finding {
	type load struct {
		flows int
		used  []int
		ports []PortID
	}
	loads := make(map[NodeID]map[PortID]*load) // by node and the first port of its choices
	count := func(n NodeID, ports []PortID, pick int) {
		if loads[n] == nil {
			loads[n] = map[PortID]*load{}
		}
		l := loads[n][ports[0]]
		if l == nil {
			l = &load{used: make([]int, len(ports)), ports: ports}
			loads[n][ports[0]] = l
		}
		if len(l.used) == len(ports) {
			l.flows++
			l.used[pick]++
		}
	}
	walk := func(a, b NodeID, h uint64) {
		chosen := false
		for at := a; at != b; {
			ports := r.Ports(at, b)
			if len(ports) == 0 {
				return
			}
			pick := int(h % uint64(len(ports)))
			if len(ports) > 1 {
				if chosen {
					count(at, ports, pick)
				}
				chosen = true
			}
			at = g.PeerNode(ports[pick])
		}
	}
	g.pairs(func(a, b NodeID) {
		for k := range uint64(flowsPerPair) {
			walk(a, b, spread(uint64(a)<<40|uint64(b)<<8|k))
			walk(b, a, spread(uint64(b)<<40|uint64(a)<<8|k))
		}
	})
	type row struct {
		nodes, unused, of int
		example           string
	}
	tiers, order := map[string]*row{}, []string{}
	for n := range NodeID(len(g.Nodes)) {
		for _, q := range g.NodePorts(n) {
			l := loads[n][q]
			if l == nil || l.flows < 16*len(l.used) {
				continue
			}
			idle := 0
			for _, u := range l.used {
				if u == 0 {
					idle++
				}
			}
			if idle == 0 {
				continue
			}
			tier := g.Nodes[n].Tier()
			if tiers[tier] == nil {
				tiers[tier] = &row{example: fmt.Sprintf("%s uses %d of %d", g.Nodes[n].Name, len(l.used)-idle, len(l.used))}
				order = append(order, tier)
			}
			tiers[tier].nodes++
			tiers[tier].unused += idle
			tiers[tier].of += len(l.used)
		}
	}
	var out []Finding
	for _, tier := range order {
		t := tiers[tier]
		out = append(out, Finding{Polarised, t.unused, fmt.Sprintf("%s: if every switch hashes alike, %d of %d equal-cost ports of %d %s nodes stay unused, as %s (hsim gives every switch a hash of its own)",
			p, t.unused, t.of, t.nodes, tier, t.example)})
	}
	return out
}

// spread is a 64-bit hash.
func spread(x uint64) uint64 {
	x += 0x9e3779b97f4a7c15
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}
