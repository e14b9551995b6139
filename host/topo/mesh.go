package topo

import "hsim/host/soc"

// mesh joins devices that differ in one coordinate: a full mesh along each
// dimension, dimension 0 fastest. Several meshes are made when the devices are
// more than one holds.
func mesh(b *builder) {
	p := &b.spec.Params
	if len(p.Dims) == 0 {
		n := b.g.Devices / b.g.Supers
		if g := b.chip.MeshGroup; g > 0 {
			n = min(g, b.spec.Devices)
		}
		p.Dims = []int{n}
	}
	size, ports := 1, 0
	for _, d := range p.Dims {
		size *= d
		ports += d - 1
		if size > maxDevices {
			break
		}
	}
	if all := b.g.Devices / b.g.Supers; size > all || all%size != 0 {
		b.fail("dims: got %v = %d devices, want a divisor of the %d devices of a superpod", p.Dims, size, all)
		return
	}
	pool := b.meshPorts(ports, size)
	for base := 0; base < b.g.Devices && b.err == nil; base += size {
		b.meshGroup(base, size, p.Dims, pool)
	}
	if len(p.Dims) > 1 {
		for d := range b.g.Devices {
			b.g.Nodes[d].Forwards = true
		}
	}
}

// meshPorts are the slots for n mesh peers: direct ports, then switch ports,
// which can be cabled to a device as well.
func (b *builder) meshPorts(n, size int) []int {
	pool := b.pool(soc.Direct, soc.Switch)
	if n > len(pool) {
		b.fail("needs %d direct ports for a mesh of %d devices, profile %q has %d (try topology = \"star\" or smaller dims)", n, size, b.chip.Name, len(pool))
		return nil
	}
	return pool[:n]
}

// meshGroup joins the devices base..base+size-1. Along a dimension of d, the
// port towards coordinate j is number j, or j-1 past the device's own.
func (b *builder) meshGroup(base, size int, dims []int, pool []int) {
	for i := range size {
		stride, offset := 1, 0
		for k, d := range dims {
			at := i / stride % d
			for j := at + 1; j < d; j++ {
				peer := i + (j-at)*stride
				b.device(NodeID(base+i), pool[offset+j-1], None, NodeID(base+peer), pool[offset+at], uint8(min(k, 1)))
			}
			stride *= d
			offset += d - 1
		}
	}
}

// meshClos is a full mesh in each group and planes of switches over all groups.
func meshClos(b *builder) {
	p := &b.spec.Params
	if p.Group == 0 {
		p.Group = b.spec.Devices
		if g := b.chip.MeshGroup; g > 0 {
			p.Group = min(g, b.spec.Devices)
		}
	}
	if all := b.g.Devices / b.g.Supers; p.Group < 1 || p.Group > all || all%p.Group != 0 {
		b.fail("group: got %d, want a divisor of the %d devices of a superpod", p.Group, all)
		return
	}
	if b.count(soc.Direct) < p.Group-1 {
		b.fail("group: needs %d direct ports for a full mesh of %d, profile %q has %d (try topology = \"clos\" or group = %d)",
			p.Group-1, p.Group, b.chip.Name, b.count(soc.Direct), b.count(soc.Direct)+1)
		return
	}
	pool := b.meshPorts(p.Group-1, p.Group)
	for base := 0; base < b.g.Devices && b.err == nil; base += p.Group {
		b.meshGroup(base, p.Group, []int{p.Group}, pool)
	}
	b.fabrics(func(name func(string, int) string, super, lo, hi, s int) {
		if p.Leaves > 0 {
			b.closPlane(name, super, lo, hi, s, p.Leaves)
		} else {
			b.starPlane(name, super, lo, hi, s)
		}
	})
}
