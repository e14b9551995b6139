package topo

import (
	"fmt"
	"slices"

	"hsim/host/soc"
)

// Cluster is a graph with the names and addresses of what is in it: what a rank
// table adds to a topology. NewCluster makes one for a generated graph, the
// importers make it from files; the exporters and the entity tables read it.
type Cluster struct {
	Graph     *Graph
	Chip      *soc.Chip
	Version   string // of the rank table; "" = generated
	Servers   []ServerName
	HostIPs   []string   // by host
	EndPoints []EndPoint // by node, layer and first port
	Ranks     []Rank     // by rank id
	Visible   []int      // physical ids that programs see on every server; nil = all
}

// ServerName is what a file calls a server and its superpod.
type ServerName struct{ ID, Pod string }

// Rank is the place of one rank. Node is a device, or a host for a rank that
// runs on the CPU.
type Rank struct {
	Node       NodeID
	Local      int // id in the topology file
	DevicePort int // 0 = not given
	HostPort   int
	SuperID    int // id in the superpod; -1 = not given
}

// AddrType is the kind of an address.
type AddrType uint8

// The kinds of address.
const (
	EID AddrType = iota
	IPv4
	IPv6
)

// String is the kind's name in files.
func (a AddrType) String() string { return [...]string{"EID", "IPV4", "IPV6"}[min(a, IPv6)] }

// EndPoint is one address of a node and the ports it is reached through, named
// as in files: "die/port", or "d2h" for the way over the host. Switches and
// hosts have one so that every link joins two endpoints.
type EndPoint struct {
	Node   NodeID
	Addr   string
	Type   AddrType
	Layer  uint8
	Plane  string
	Ports  []string
	FuncID int
}

// NewCluster names a generated graph: one rank per device in order, servers
// node_0 onwards, and an address for every port, as Complete gives them.
func NewCluster(g *Graph, chip *soc.Chip) *Cluster {
	c := &Cluster{Graph: g, Chip: chip}
	for d := range g.Devices {
		c.Ranks = append(c.Ranks, Rank{Node: NodeID(d), Local: int(g.Nodes[d].Index), SuperID: -1})
	}
	c.Complete()
	return c
}

// Complete gives a name or an address to everything that has none: servers,
// hosts, and every linked port of a device that no endpoint has.
func (c *Cluster) Complete() {
	g := c.Graph
	for s := len(c.Servers); s < g.Servers; s++ {
		c.Servers = append(c.Servers, ServerName{ID: fmt.Sprintf("node_%d", s)})
	}
	for n := range g.Nodes {
		node := &g.Nodes[n]
		if node.Kind == Device && node.Server >= 0 && c.Servers[node.Server].Pod == "" {
			c.Servers[node.Server].Pod = fmt.Sprint(max(node.Super, 0))
		}
	}
	for s := range c.Servers {
		if c.Servers[s].Pod == "" {
			c.Servers[s].Pod = "0"
		}
	}
	hosts := 0
	for n := range g.Nodes {
		if g.Nodes[n].Kind == Host {
			if hosts == len(c.HostIPs) {
				c.HostIPs = append(c.HostIPs, HostIP(hosts))
			}
			hosts++
		}
	}
	have := map[NodeID]map[string]bool{}
	for _, e := range c.EndPoints {
		if have[e.Node] == nil {
			have[e.Node] = map[string]bool{}
		}
		for _, p := range e.Ports {
			have[e.Node][p] = true
		}
	}
	host := 0
	for n := range NodeID(len(g.Nodes)) {
		switch g.Nodes[n].Kind {
		case Device:
			c.EndPoints = append(c.EndPoints, g.endpoints(n, have[n])...)
		case Host:
			c.EndPoints = append(c.EndPoints, EndPoint{Node: n, Addr: c.HostIPs[host], Type: TypeOf(c.HostIPs[host]), Layer: 3})
			host++
		case Switch:
			c.EndPoints = append(c.EndPoints, EndPoint{Node: n, Addr: eid(n, 0, 0, 0xff), Type: EID, Layer: 1})
		}
	}
	slices.SortStableFunc(c.EndPoints, func(a, b EndPoint) int { return int(a.Node) - int(b.Node) })
}

// maxPorts and fewAddrs keep the endpoints of a level within what a rank table
// holds: 16 ports an address, 24 addresses a level.
const (
	maxPorts = 16
	fewAddrs = 24
)

// endpoints makes the addresses of a device's linked ports that are not in have:
// one per port that is cabled to another device, one per die and layer for
// those to switches, one IP address for the host port and each NIC port.
func (g *Graph) endpoints(n NodeID, have map[string]bool) []EndPoint {
	var out []EndPoint
	group := map[[3]int]int{} // layer, die, kind of peer -> index in out
	direct := map[uint8]int{}
	for _, p := range g.NodePorts(n) {
		if l := g.LinkOf(p); g.Nodes[g.PeerNode(p)].Kind == Device {
			direct[l.Layer]++
		}
	}
	for _, p := range g.NodePorts(n) {
		l, port, peer := g.LinkOf(p), g.Ports[p], g.Nodes[g.PeerNode(p)].Kind
		name := port.Name()
		if peer == Host {
			name = "d2h"
		}
		if have[name] {
			continue
		}
		per := maxPorts
		if peer == Device {
			per = (direct[l.Layer] + fewAddrs - 1) / fewAddrs
		} else if l.Layer == 2 {
			per = 1
		}
		key := [3]int{int(l.Layer), int(port.Die), int(peer)}
		if at, ok := group[key]; ok && len(out[at].Ports) < per {
			out[at].Ports = append(out[at].Ports, name)
			continue
		}
		group[key] = len(out)
		e := EndPoint{Node: n, Layer: l.Layer, Ports: []string{name}, FuncID: int(port.Die)}
		switch {
		case peer == Host:
			e.Addr, e.Type = deviceIP(n, 0), IPv4
		case l.Layer >= 2:
			e.Addr, e.Type = deviceIP(n, 1+int(port.Index)), IPv4
		default:
			e.Addr = eid(n, int(l.Layer), int(port.Die), int(port.Index))
		}
		out = append(out, e)
	}
	return out
}

// eid is an address of 32 hex digits that is unique for a port.
func eid(n NodeID, layer, die, port int) string {
	return fmt.Sprintf("%016x%02x%02x%04x%08x", 0, layer, die, port, uint32(n))
}

// deviceIP is the address of port k of a device: 10.device.device.k+1.
func deviceIP(n NodeID, k int) string {
	return fmt.Sprintf("10.%d.%d.%d", n>>8&255, n&255, 1+k%250)
}

// HostIP is the address of a host: 172.16.0.0/12 and its number.
func HostIP(h int) string {
	return fmt.Sprintf("172.%d.%d.%d", 16+h>>16&15, h>>8&255, h&255)
}

// TypeOf is the kind of an address by its form.
func TypeOf(addr string) AddrType {
	for _, c := range addr {
		switch c {
		case '.':
			return IPv4
		case ':':
			return IPv6
		}
	}
	return EID
}

// RankOf returns the rank that runs on a node, -1 for none.
func (c *Cluster) RankOf(n NodeID) int {
	return slices.IndexFunc(c.Ranks, func(r Rank) bool { return r.Node == n })
}

// Logic lists the devices of a server by logic id: the visible ones in the order
// of Visible, or all by physical id.
func (c *Cluster) Logic(server int) []NodeID {
	g := c.Graph
	byPhysical := map[int]NodeID{}
	var all []NodeID
	for d := range NodeID(g.Devices) {
		if int(g.Nodes[d].Server) == server {
			byPhysical[int(g.Nodes[d].Index)] = d
			all = append(all, d)
		}
	}
	if c.Visible == nil {
		return all
	}
	var out []NodeID
	for _, id := range c.Visible {
		if d, ok := byPhysical[id]; ok {
			out = append(out, d)
		}
	}
	return out
}
