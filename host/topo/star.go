package topo

import (
	"strconv"

	"hsim/host/soc"
)

// fabricPorts are the slots that the planes of a switched network take: the
// chip's switch ports, then spare direct ports; on a chip whose only switched
// network is the scale-out one, its NIC ports.
func (b *builder) fabricPorts() []int {
	p := &b.spec.Params
	role := soc.Switch
	if b.count(soc.Switch) == 0 {
		role = soc.NIC
	}
	if p.Planes == 0 {
		p.Planes = b.count(role)
	}
	pool := b.pool(role)
	if role == soc.Switch {
		pool = b.pool(soc.Switch, soc.Direct)
	}
	if len(pool) == 0 {
		b.fail("needs a switch port, profile %q has none (try topology = \"mesh\")", b.chip.Name)
		return nil
	}
	if p.Planes > len(pool) {
		b.fail("planes: needs %d switch ports on a device, profile %q has %d free (try planes = %d)", p.Planes, b.chip.Name, len(pool), len(pool))
		return nil
	}
	return pool[:p.Planes]
}

// fabricLayer is the net layer of a network behind a port group.
func fabricLayer(g *soc.PortGroup) uint8 {
	if g.Role == soc.NIC {
		return 2
	}
	return 1
}

// fabrics calls plane for every superpod and plane with its devices and slot.
func (b *builder) fabrics(plane func(name func(tier string, i int) string, super, lo, hi, slot int)) {
	pool := b.fabricPorts()
	supers := b.g.Supers
	for super := range supers {
		lo := b.g.Devices / supers * super
		hi := b.g.Devices / supers * (super + 1)
		for i, s := range pool {
			if b.err == nil {
				plane(b.naming(super, i, len(pool)), super, lo, hi, s)
			}
		}
	}
}

// naming names the switches of plane i of n in a superpod: leaf3, leaf3.1 where
// there are several planes, pod0-leaf3.1 where there are several superpods.
func (b *builder) naming(super, i, n int) func(tier string, index int) string {
	prefix, suffix := "", ""
	if b.g.Supers > 1 {
		prefix = "pod" + strconv.Itoa(super) + "-"
	}
	if n > 1 {
		suffix = "." + strconv.Itoa(i)
	}
	return func(tier string, index int) string { return prefix + tier + strconv.Itoa(index) + suffix }
}

// star joins every device to one switch per plane.
func star(b *builder) {
	b.fabrics(func(name func(string, int) string, super, lo, hi, s int) {
		b.starPlane(name, super, lo, hi, s)
	})
}

func (b *builder) starPlane(name func(string, int) string, super, lo, hi, s int) {
	g := b.slots[s].group
	sw := b.switchNode(name("sw", 0), 0, super, g)
	for d := lo; d < hi; d++ {
		b.device(NodeID(d), s, sw, None, 0, fabricLayer(g))
	}
}

// pair joins two devices by parallel direct links.
func pair(b *builder) {
	p := &b.spec.Params
	if b.g.Devices != 2 {
		b.fail("servers times devices: got %d, want exactly 2", b.g.Devices)
		return
	}
	if p.Planes == 0 {
		p.Planes = 1
	}
	pool := b.pool(soc.Direct, soc.Switch, soc.NIC)
	if p.Planes > len(pool) {
		b.fail("planes: needs %d ports on a device, profile %q has %d (try planes = %d)", p.Planes, b.chip.Name, len(pool), len(pool))
		return
	}
	for _, s := range pool[:p.Planes] {
		b.device(0, s, None, 1, s, 0)
	}
}
