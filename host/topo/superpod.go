package topo

import (
	"strconv"

	"hsim/host/soc"
)

// podSize is how many devices share one backup device.
const podSize = 64

// superpod is the two-level network of a supernode: in each plane every server
// has a lower switch for its devices, and every lower switch is joined to every
// upper one without loss of bandwidth. 48 servers of 16 dies of a 910C give
// CloudMatrix384: 7 x 48 lower switches with 16 ports down and 16 up, 7 x 16
// upper ones with 48 ports. Devices with a mesh group are meshed in their server
// beside it. Backup adds a device to every 64.
func superpod(b *builder) {
	if group := b.chip.MeshGroup; group > 0 && b.count(soc.Direct) >= group-1 && b.count(soc.Switch) > 0 {
		b.meshServers(group)
	}
	b.fabrics(func(name func(string, int) string, super, lo, hi, s int) {
		b.closPlane(name, super, lo, hi, s, b.spec.Servers/b.g.Supers)
	})
}

// CloudMatrix384 is the supernode of 384 packages, 768 devices of profile a3.
func CloudMatrix384() Spec { return Spec{Kind: "superpod", Servers: 48, Devices: 16, Hosts: 4} }

// addBackups makes the backup devices, which come after all other nodes. All
// mesh and switch ports of a backup go in turn to the planes' lower switches of
// the first of its 64 devices, so that it can stand in for any of them.
func (b *builder) addBackups() {
	if b.spec.Params.Backup == 0 || b.err != nil {
		return
	}
	leaves := make([][]NodeID, (b.g.Devices+podSize-1)/podSize)
	for i := range b.g.Links {
		l := &b.g.Links[i]
		d, sw := b.g.Ports[l.A].Node, b.g.Ports[l.B].Node
		if int(d)%podSize == 0 && int(d) < b.g.Devices && b.g.Nodes[sw].Kind == Switch && l.Layer < 2 {
			leaves[d/podSize] = append(leaves[d/podSize], sw)
		}
	}
	for i, pod := range leaves {
		if len(pod) == 0 {
			b.fail("backup: needs switch ports in the scale-up network, profile %q has none (try backup = 0)", b.chip.Name)
			return
		}
		first := b.g.Nodes[i*podSize]
		d := NodeID(len(b.g.Nodes))
		b.g.Nodes = append(b.g.Nodes, Node{Kind: Device, Name: "backup" + strconv.Itoa(i), Server: first.Server,
			Index: podSize, Super: first.Super, Spare: true})
		b.next = append(b.next, 0)
		b.g.Spares++
		n := 0
		for _, s := range b.slots {
			if g := s.group; g.Role == soc.Switch || g.Role == soc.Direct {
				b.link(b.port(d, s.die, s.index), b.nextPort(pod[n%len(pod)]),
					Link{Rate: g.Rate, Latency: g.Latency, Layer: 1, Protocols: g.Protocols})
				n++
			}
		}
	}
}
