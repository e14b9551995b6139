package topo

import (
	"fmt"

	"hsim/host/soc"
)

// ServerSpec is one server of an imported cluster: its superpod and the
// physical ids of its devices, ascending. Superpods are numbered from 0.
type ServerSpec struct {
	Super   int
	Devices []int
}

// BuildServers makes the graph of a cluster that a file lists server by server
// but does not wire, such as a rank table 1.x: the wiring is the chip's own.
// Chips with a mesh group are meshed group by group in their servers, by
// physical id, and over the planes of their switch ports if they have any; the
// others hang on leaf and spine switches per superpod; NIC ports join all. Full
// servers give the graph that Build gives for mesh, mesh-clos or clos.
func BuildServers(servers []ServerSpec, hosts int, chip *soc.Chip) (*Graph, error) {
	b, err := newServers("servers", servers, hosts, chip)
	if err != nil {
		return nil, err
	}
	b.loose = true
	switches, group := b.count(soc.Switch), chip.MeshGroup
	switch {
	case group > 0 && b.count(soc.Direct) >= group-1:
		b.spec.Kind = "mesh"
		b.meshServers(group)
		if switches > 0 {
			b.spec.Kind = "mesh-clos"
			b.planes(func(name func(string, int) string, super int, racks []rack, s int) {
				b.oneSwitch(name, super, racks, s)
			})
		}
	case switches > 0:
		b.spec.Kind = "clos"
		b.planes(func(name func(string, int) string, super int, racks []rack, s int) {
			b.leafSpine(name, super, racks, s)
		})
	default:
		return nil, fmt.Errorf("topo: build servers: profile %q has neither direct nor switch ports", chip.Name)
	}
	b.g.Kind = b.spec.Kind
	b.packages()
	b.scaleOut()
	b.hosts()
	return b.finish()
}

// newServers is a builder with the devices and hosts of listed servers.
func newServers(kind string, servers []ServerSpec, hosts int, chip *soc.Chip) (*builder, error) {
	total, last := 0, 0
	if len(servers) == 0 || len(servers) > maxServers {
		return nil, fmt.Errorf("topo: build %s: got %d servers, want 1 to %d", kind, len(servers), maxServers)
	}
	for i, s := range servers {
		total += len(s.Devices)
		if s.Super < 0 || s.Super > last+1 || i == 0 && s.Super > 0 {
			return nil, fmt.Errorf("topo: build %s: server %d: got superpod %d, want them numbered in order from 0", kind, i, s.Super)
		}
		last = max(last, s.Super)
		for k, d := range s.Devices {
			if d < 0 || d >= maxPerSrv || k > 0 && d <= s.Devices[k-1] {
				return nil, fmt.Errorf("topo: build %s: server %d: got device ids %v, want ascending ones below %d", kind, i, s.Devices, maxPerSrv)
			}
		}
	}
	if total == 0 {
		return nil, fmt.Errorf("topo: build %s: got %d servers without a device, want at least one device", kind, len(servers))
	}
	if total > maxDevices || hosts < 0 || hosts > maxHosts {
		return nil, fmt.Errorf("topo: build %s: got %d devices and %d hosts a server, want at most %d and %d", kind, total, hosts, maxDevices, maxHosts)
	}
	b := &builder{chip: chip, spec: Spec{Kind: kind, Hosts: hosts}, g: &Graph{Kind: kind, scaleUp: chip.ScaleUp, scaleOut: chip.ScaleOut}}
	b.nodes(servers, hosts)
	return b, nil
}

// meshServers joins the devices of each group of a server; the port towards
// member j of a group is number j, or j-1 past the device's own.
func (b *builder) meshServers(group int) {
	pool := b.meshPorts(group-1, group)
	for i := range b.racks {
		devices := b.racks[i].devices
		for k, d := range devices {
			at := int(b.g.Nodes[d].Index)
			for _, peer := range devices[k+1:] {
				if j := int(b.g.Nodes[peer].Index); j/group == at/group && b.err == nil {
					b.device(d, pool[j%group-1], None, peer, pool[at%group], 0)
				}
			}
		}
	}
}

// planes calls plane for every superpod and switch port with the superpod's
// servers.
func (b *builder) planes(plane func(name func(string, int) string, super int, racks []rack, slot int)) {
	pool := b.fabricPorts()
	for super := range b.g.Supers {
		var racks []rack
		for _, r := range b.racks {
			if r.super == super && len(r.devices) > 0 {
				racks = append(racks, r)
			}
		}
		for i, s := range pool {
			if b.err == nil && len(racks) > 0 {
				plane(b.naming(super, i, len(pool)), super, racks, s)
			}
		}
	}
}

// oneSwitch joins the devices of all servers to one switch.
func (b *builder) oneSwitch(name func(string, int) string, super int, racks []rack, s int) {
	g := b.slots[s].group
	sw := b.switchNode(name("sw", 0), 0, super, g)
	for _, r := range racks {
		for _, d := range r.devices {
			b.device(d, s, sw, None, 0, fabricLayer(g))
		}
	}
}

// leafSpine gives every server a leaf with as many uplinks as the largest
// server has devices, one to each spine. A superpod of one server has no spine.
func (b *builder) leafSpine(name func(string, int) string, super int, racks []rack, s int) {
	g := b.slots[s].group
	leaves := make([]NodeID, len(racks))
	spines := 0
	for i, r := range racks {
		leaves[i] = b.switchNode(name("leaf", i), i, super, g)
		for _, d := range r.devices {
			b.device(d, s, leaves[i], None, 0, fabricLayer(g))
		}
		spines = max(spines, len(r.devices))
	}
	if len(racks) == 1 {
		return
	}
	tops := make([]NodeID, spines)
	for i := range tops {
		tops[i] = b.switchNode(name("spine", i), i, super, g)
	}
	for _, l := range leaves {
		for _, t := range tops {
			b.uplink(l, t, g, fabricLayer(g))
		}
	}
}
