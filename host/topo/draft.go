package topo

import "hsim/host/soc"

// Draft is a graph that an importer puts together cable by cable. Rates and
// latencies that its file does not give are the chip's. Faults of the file are
// the importer's business; what a Draft refuses is a bug of the importer or a
// file beyond the ranges of a Graph.
type Draft struct {
	b     *builder
	taken map[uint64]PortID
}

// NewDraft begins a graph with the devices of servers and hosts for each of
// them. Devices are numbered server by server.
func NewDraft(kind string, servers []ServerSpec, hosts int, chip *soc.Chip) (*Draft, error) {
	b, err := newServers(kind, servers, hosts, chip)
	if err != nil {
		return nil, err
	}
	b.loose = true
	return &Draft{b: b, taken: map[uint64]PortID{}}, nil
}

// Nodes gives access to the nodes so far: importers name and mark them.
func (d *Draft) Nodes() []Node { return d.b.g.Nodes }

// Group is the port group that says how fast a port is that plays a role: the
// one of that role with the port, else on the same die, else any, else the
// first of the chip with a network protocol.
func (d *Draft) Group(role soc.Role, die, index int) *soc.PortGroup {
	var best *soc.PortGroup
	score := -1
	for i := range d.b.chip.Ports {
		g := &d.b.chip.Ports[i]
		n := 0
		if g.Role == role {
			n = 4
		} else if g.Role == soc.HostPort || role == soc.HostPort {
			continue
		}
		if g.Die == die {
			n++
			if index >= g.First && index < g.First+g.Count {
				n++
			}
		}
		if n > score {
			best, score = g, n
		}
	}
	return best
}

// Switch adds a switch with the delay of the network behind a port group.
func (d *Draft) Switch(name string, index, super int, g *soc.PortGroup) NodeID {
	return d.b.switchNode(name, index, super, g)
}

// Port adds port die/index of a node, or returns false and the port that is
// cabled there already.
func (d *Draft) Port(n NodeID, die, index int) (PortID, bool) {
	key := uint64(n)<<32 | uint64(uint16(die))<<16 | uint64(uint16(index))
	if p, ok := d.taken[key]; ok {
		return p, false
	}
	p := d.b.port(n, int16(die), int16(index))
	d.taken[key] = p
	return p, true
}

// Drop takes back the port that Port added last.
func (d *Draft) Drop(p PortID) {
	port := d.b.g.Ports[p]
	delete(d.taken, uint64(port.Node)<<32|uint64(uint16(port.Die))<<16|uint64(uint16(port.Index)))
	d.b.g.Ports = d.b.g.Ports[:p]
}

// NextPort adds the next port of a switch or a host.
func (d *Draft) NextPort(n NodeID) PortID { return d.b.nextPort(n) }

// Link joins two ports. The fields of l beside A and B are the link's.
func (d *Draft) Link(a, z PortID, l Link) { d.b.link(a, z, l) }

// Cable is the link on a port.
func (d *Draft) Cable(p PortID) *Link { return &d.b.g.Links[d.b.g.Ports[p].Link] }

// Far is the node at the other end of the cable on p.
func (d *Draft) Far(p PortID) NodeID {
	l := d.Cable(p)
	if l.A == p {
		return d.b.g.Ports[l.B].Node
	}
	return d.b.g.Ports[l.A].Node
}

// Hosts joins the devices of every server to its hosts in equal blocks, over the
// chip's host port or, where a file cables that one, the next free port. extra
// protocols run over those links beside PCIE.
func (d *Draft) Hosts(extra func(host NodeID) ProtocolSet) {
	g := d.b.chip.Group(soc.HostPort)
	if g == nil {
		return
	}
	for i := range d.b.racks {
		r := &d.b.racks[i]
		for k, dev := range r.devices {
			if len(r.hosts) == 0 {
				continue
			}
			h := r.hosts[k*len(r.hosts)/len(r.devices)]
			index := g.First
			p, ok := d.Port(dev, g.Die, index)
			for !ok && index < 1<<15-1 {
				index++
				p, ok = d.Port(dev, g.Die, index)
			}
			d.Link(p, d.NextPort(h), Link{Rate: g.Rate, Latency: g.Latency, Layer: 3, Protocols: g.Protocols | extra(h)})
		}
	}
}

// HostOf is the host that Hosts joins a device to, or None.
func (d *Draft) HostOf(device NodeID) NodeID {
	r := &d.b.racks[d.b.g.Nodes[device].Server]
	if len(r.hosts) == 0 {
		return None
	}
	return r.hosts[int(device-r.devices[0])*len(r.hosts)/len(r.devices)]
}

// Backup adds a backup device of a server. Backups are the last nodes.
func (d *Draft) Backup(name string, server, index int) NodeID {
	g := d.b.g
	g.Nodes = append(g.Nodes, Node{Kind: Device, Name: name, Server: int32(server), Index: int32(index),
		Super: int32(d.b.racks[server].super), Spare: true})
	d.b.next = append(d.b.next, 0)
	g.Spares++
	return NodeID(len(g.Nodes) - 1)
}

// Graph finishes the graph. Devices that nothing joins are left to Inspect.
func (d *Draft) Graph() (*Graph, error) { return d.b.finish() }
