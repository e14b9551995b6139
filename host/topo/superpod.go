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
	b.replace()
}

// replace lets backup devices stand in for devices that are out of service. A
// device keeps its number, server, id, host and NIC links, as the driver of the
// server gives them to the backup; its scale-up links are the backup's, and the
// device that failed takes the place among the spares.
func (b *builder) replace() {
	if b.err != nil || len(b.spec.Params.Replaced) == 0 {
		return
	}
	by := map[NodeID]NodeID{} // who has whose ports
	for _, k := range b.spec.Params.Replaced {
		if k < 0 || k >= b.g.Devices {
			b.fail("replaced: got device %d, want 0 to %d", k, b.g.Devices-1)
			return
		}
		spare := NodeID(len(b.g.Nodes) - b.g.Spares + k/podSize)
		if other, taken := by[spare]; taken {
			b.fail("replaced: got devices %d and %d of one %d, which have one backup device, want one of them", other, k, podSize)
			return
		}
		by[spare], by[NodeID(k)] = NodeID(k), spare
		d, s := &b.g.Nodes[k], &b.g.Nodes[spare]
		d.Name, s.Name = s.Name, d.Name
		s.Server, s.Index, s.Super, s.Replaced = d.Server, d.Index, d.Super, true
	}
	for i := range b.g.Links {
		l := &b.g.Links[i]
		if l.Layer > 1 {
			continue
		}
		for _, p := range []PortID{l.A, l.B} {
			if n, ok := by[b.g.Ports[p].Node]; ok {
				b.g.Ports[p].Node = n
			}
		}
	}
}
