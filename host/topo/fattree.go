package topo

// maxK bounds the ports of a fat-tree switch.
const maxK = 128

// fatTree is the k-ary fat tree: with three tiers k pods of k/2 edge and k/2
// aggregation switches under (k/2)^2 cores, with two tiers k leaves under k/2
// spines. Devices fill the edge switches in order.
func fatTree(b *builder) {
	p := &b.spec.Params
	if p.Tiers == 0 {
		p.Tiers = 3
	}
	n := b.g.Devices / b.g.Supers
	if p.K == 0 {
		for p.K = 2; p.K < maxK && capacity(p.K, p.Tiers) < n; p.K += 2 {
		}
	}
	if c := capacity(p.K, p.Tiers); c < n {
		b.fail("k: got %d with %d tiers, which holds %d devices, want at least %d (try a larger k or tiers = 3)", p.K, p.Tiers, c, n)
		return
	}
	b.fabrics(func(name func(string, int) string, super, lo, hi, s int) {
		if p.Tiers == 2 {
			b.treeOfTwo(name, super, lo, hi, s)
		} else {
			b.treeOfThree(name, super, lo, hi, s)
		}
	})
}

// capacity is how many devices a fat tree holds.
func capacity(k, tiers int) int {
	if tiers == 2 {
		return k * k / 2
	}
	return k * k * k / 4
}

func (b *builder) treeOfTwo(name func(string, int) string, super, lo, hi, s int) {
	k, g := b.spec.Params.K, b.slots[s].group
	layer := fabricLayer(g)
	leaf, spine := make([]NodeID, k), make([]NodeID, k/2)
	for i := range leaf {
		leaf[i] = b.switchNode(name("leaf", i), i, super, g)
	}
	for i := range spine {
		spine[i] = b.switchNode(name("spine", i), i, super, g)
	}
	for d := lo; d < hi; d++ {
		b.device(NodeID(d), s, leaf[(d-lo)/(k/2)], None, 0, layer)
	}
	for _, l := range leaf {
		for _, t := range spine {
			b.uplink(l, t, g, layer)
		}
	}
}

func (b *builder) treeOfThree(name func(string, int) string, super, lo, hi, s int) {
	k, g := b.spec.Params.K, b.slots[s].group
	half := k / 2
	layer := fabricLayer(g)
	edge, agg, core := make([]NodeID, k*half), make([]NodeID, k*half), make([]NodeID, half*half)
	for i := range edge {
		edge[i] = b.switchNode(name("edge", i), i, super, g)
	}
	for i := range agg {
		agg[i] = b.switchNode(name("agg", i), i, super, g)
	}
	for i := range core {
		core[i] = b.switchNode(name("core", i), i, super, g)
	}
	for d := lo; d < hi; d++ {
		b.device(NodeID(d), s, edge[(d-lo)/half], None, 0, layer)
	}
	for i, e := range edge {
		for j := range half {
			b.uplink(e, agg[i/half*half+j], g, layer)
		}
	}
	for i, a := range agg {
		for j := range half {
			b.uplink(a, core[i%half*half+j], g, layer)
		}
	}
}
