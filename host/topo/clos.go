package topo

// clos is a two-level network in each plane: leaf switches over equal blocks of
// devices, every leaf joined to every spine. One leaf alone needs no spine.
func clos(b *builder) {
	p := &b.spec.Params
	b.fabrics(func(name func(string, int) string, super, lo, hi, s int) {
		leaves := p.Leaves
		if leaves == 0 {
			leaves = b.spec.Servers / b.g.Supers
		}
		b.closPlane(name, super, lo, hi, s, leaves)
	})
}

func (b *builder) closPlane(name func(string, int) string, super, lo, hi, s, leaves int) {
	p := &b.spec.Params
	n := hi - lo
	if leaves > n || n%leaves != 0 {
		b.fail("leaves: got %d, want a divisor of the %d devices of a superpod", leaves, n)
		return
	}
	down := n / leaves
	up, spines := 0, 0
	if leaves > 1 {
		over := max(p.Oversub, 1)
		up = down / over
		if up*over != down {
			b.fail("oversubscription: got %d, want a divisor of the %d devices of a leaf", over, down)
			return
		}
		spines = p.Spines
		if spines == 0 {
			spines = up
		}
		if up%spines != 0 {
			b.fail("spines: got %d, want a divisor of the %d uplinks of a leaf", spines, up)
			return
		}
	}
	g := b.slots[s].group
	layer := fabricLayer(g)
	leaf := make([]NodeID, leaves)
	for i := range leaf {
		leaf[i] = b.switchNode(name("leaf", i), i, super, g)
		for d := lo + i*down; d < lo+(i+1)*down; d++ {
			b.device(NodeID(d), s, leaf[i], None, 0, layer)
		}
	}
	spine := make([]NodeID, spines)
	for i := range spine {
		spine[i] = b.switchNode(name("spine", i), i, super, g)
	}
	for _, l := range leaf {
		for u := range up {
			b.uplink(l, spine[u%spines], g, layer)
		}
	}
}
