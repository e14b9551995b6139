package entity

import (
	"fmt"

	"hsim/host/topo"
)

// manyPorts is where the ports of a chip stop being listed without a link: a
// chip of that many is an idealisation.
const manyPorts = 256

// Of makes the rows of a cluster. Every key refers to a row that is there.
func Of(c *topo.Cluster) *Tables {
	t := &Tables{}
	b := builder{c: c, g: c.Graph, t: t, port: map[place]int{}, endpoint: map[place]int{}, any: map[topo.NodeID]int{}}
	b.servers()
	b.ports()
	b.endpoints()
	b.links()
	return t
}

// place is a port of a node by its name in files.
type place struct {
	node topo.NodeID
	name string
}

type builder struct {
	c        *topo.Cluster
	g        *topo.Graph
	t        *Tables
	port     map[place]int
	endpoint map[place]int
	any      map[topo.NodeID]int // first endpoint of a node
}

// servers numbers the hosts as the graph does: the CPUs of edge boxes, whose
// device is its own host, come last.
func (b *builder) servers() {
	for n := range b.g.Nodes {
		if node := &b.g.Nodes[n]; node.Kind == topo.Host {
			id := len(b.t.Hosts)
			b.t.Hosts = append(b.t.Hosts, Host{HostID: id, ServerID: int(node.Server), IP: b.c.HostIPs[id], Arch: "aarch64"})
		}
	}
	for i, s := range b.c.Servers {
		b.t.Servers = append(b.t.Servers, Server{ServerID: i, Name: s.ID, PodID: s.Pod, Version: b.c.Version})
		if id, ok := b.g.OwnHost(i); ok {
			b.t.Hosts = append(b.t.Hosts, Host{HostID: id, ServerID: i, IP: topo.HostIP(id), Arch: "aarch64"})
		}
	}
}

// deviceID is the row of a device node; backups come behind the others.
func (b *builder) deviceID(n topo.NodeID) int {
	if int(n) < b.g.Devices {
		return int(n)
	}
	if b.g.Nodes[n].Spare {
		return b.g.Devices + int(n) - (len(b.g.Nodes) - b.g.Spares)
	}
	return None
}

func (b *builder) ports() {
	for n := range b.g.Nodes {
		id := topo.NodeID(n)
		device := b.deviceID(id)
		if device == None {
			continue
		}
		linked := map[place]bool{}
		for _, p := range b.g.NodePorts(id) {
			linked[place{id, b.g.Ports[p].Name()}] = true
		}
		for i := range b.c.Chip.Ports {
			g := &b.c.Chip.Ports[i]
			for k := g.First; k < g.First+g.Count; k++ {
				at := place{id, fmt.Sprintf("%d/%d", g.Die, k)}
				if linked[at] || g.Count < manyPorts {
					b.addPort(at, device, g.Die, linked[at])
				}
			}
		}
		for _, p := range b.g.NodePorts(id) {
			port := b.g.Ports[p]
			b.addPort(place{id, port.Name()}, device, int(port.Die), true)
			if b.g.Nodes[b.g.PeerNode(p)].Kind == topo.Host {
				b.port[place{id, "d2h"}] = b.port[place{id, port.Name()}]
			}
		}
	}
}

func (b *builder) addPort(at place, device, die int, linked bool) int {
	if id, ok := b.port[at]; ok {
		return id
	}
	id := len(b.t.Ports)
	b.port[at] = id
	p := Port{PortID: id, DeviceID: device, DieID: die, Name: at.name}
	if linked {
		p.Status = 1
	}
	b.t.Ports = append(b.t.Ports, p)
	return id
}

func (b *builder) endpoints() {
	rank := map[topo.NodeID]int{}
	for i, r := range b.c.Ranks {
		rank[r.Node] = i
	}
	for _, e := range b.c.EndPoints {
		id := len(b.t.EndPoints)
		row := EndPoint{EndPointID: id, DeviceID: b.deviceID(e.Node), RankID: None, Addr: e.Addr, Type: e.Type.String(), FuncID: e.FuncID}
		if r, ok := rank[e.Node]; ok {
			row.RankID = r
		}
		b.t.EndPoints = append(b.t.EndPoints, row)
		if _, ok := b.any[e.Node]; !ok {
			b.any[e.Node] = id
		}
		for _, name := range e.Ports {
			at := place{e.Node, name}
			if _, ok := b.endpoint[at]; !ok {
				b.endpoint[at] = id
			}
			port, ok := b.port[at]
			if !ok && row.DeviceID != None {
				die := 0
				fmt.Sscanf(name, "%d/", &die)
				port = b.addPort(at, row.DeviceID, die, false)
			}
			b.t.EndPointPorts = append(b.t.EndPointPorts, EndPointPort{len(b.t.EndPointPorts), port, id})
		}
	}
}

func (b *builder) links() {
	for i := range b.g.Links {
		l := &b.g.Links[i]
		a, z := b.g.Ports[l.A].Node, b.g.Ports[l.B].Node
		row := Link{LinkID: i, LocalEndPointID: b.endpointOf(l.A), RemoteEndPointID: b.endpointOf(l.B), NetLayer: int(l.Layer), Type: "PEER2NET"}
		switch {
		case b.g.Nodes[a].Kind == topo.Device && b.g.Nodes[z].Kind == topo.Device:
			row.Type = "PEER2PEER"
		case b.g.Nodes[z].Kind == topo.Host && b.g.Nodes[a].Kind == topo.Device:
			row.Type = "D2H"
		}
		b.t.Links = append(b.t.Links, row)
		for _, p := range l.Protocols.List() {
			b.t.LinkProtocols = append(b.t.LinkProtocols, LinkProtocol{len(b.t.LinkProtocols), i, p.String()})
		}
	}
}

// endpointOf is the endpoint that a port belongs to; Complete has seen to it
// that there is one.
func (b *builder) endpointOf(p topo.PortID) int {
	n := b.g.Ports[p].Node
	if id, ok := b.endpoint[place{n, b.g.Ports[p].Name()}]; ok {
		return id
	}
	if b.g.Nodes[b.g.PeerNode(p)].Kind == topo.Host {
		if id, ok := b.endpoint[place{n, "d2h"}]; ok {
			return id
		}
	}
	return b.any[n]
}
