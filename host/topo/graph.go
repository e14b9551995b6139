package topo

import (
	"fmt"

	"hsim/host/sim"
	"hsim/host/soc"
	"hsim/host/units"
)

// NodeID, PortID and LinkID index Graph.Nodes, Graph.Ports and Graph.Links.
// Devices come first: the NodeID of a device is its number in the cluster.
type (
	NodeID int32
	PortID int32
	LinkID int32
)

// None is the id of no node, port or link.
const None = -1

// Protocol is what a link speaks; the names of package soc.
type Protocol = soc.Protocol

// ProtocolSet is a set of protocols, one bit each.
type ProtocolSet = soc.ProtocolSet

// The protocols.
const (
	UB_CTP = soc.UB_CTP
	UB_TP  = soc.UB_TP
	UB_MEM = soc.UB_MEM
	HCCS   = soc.HCCS
	UBOE   = soc.UBOE
	ROCE   = soc.ROCE
	TCP    = soc.TCP
	PCIE   = soc.PCIE
)

// Kind is what a node is.
type Kind uint8

// The kinds of node.
const (
	Device Kind = iota
	Host
	Switch
)

// String is the kind's name in reports.
func (k Kind) String() string {
	return [...]string{"device", "host", "switch"}[min(k, Switch)]
}

// Node is a device, a host or a switch. Server, Index and Super are -1 where
// they do not apply.
type Node struct {
	Kind     Kind
	Name     string // npu3, host0, leaf0.2
	Server   int32
	Index    int32 // device or host: within its server; switch: within its tier
	Super    int32 // superpod
	Spare    bool  // a backup device, or one that a backup stands in for; it comes after all other nodes and takes no part
	Replaced bool  // a device that a backup stands in for
	Forwards bool  // passes traffic on (switches; devices of an n-dimensional mesh)
	Store    bool  // store and forward; false = cut-through
	Delay    sim.Time
}

// Port is one end of a link. Die is 0 on hosts and switches.
type Port struct {
	Node  NodeID
	Link  LinkID
	Die   int16
	Index int16
}

// Name is "die/port" as in topology files.
func (p Port) Name() string { return fmt.Sprintf("%d/%d", p.Die, p.Index) }

// Link joins two ports in both directions, each at Rate (0 = infinitely fast)
// and Latency. Layer is the net layer: 0 inside a server, 1 scale-up switches,
// 2 scale-out, 3 host links.
type Link struct {
	A, B      PortID
	Rate      units.Rate
	Latency   sim.Time
	Layer     uint8
	Protocols ProtocolSet
}

// Graph is a cluster. It is immutable once built and safe to share between
// simulations.
type Graph struct {
	Kind    string // generator or importer that made it
	Spec    Spec   // what Build was asked for; zero after an import
	Nodes   []Node
	Ports   []Port
	Links   []Link
	Devices int // Nodes[:Devices] are the devices

	Servers   int
	PerServer int // devices in a server; 0 = uneven
	Supers    int
	Spares    int // backup devices; they are no part of Devices

	peer     []PortID // per port: the port at the other end
	first    []int32  // per node: its ports are order[first[n]:first[n+1]]
	order    []PortID
	hosts    map[NodeID]int // number of each host node
	own      map[int32]int  // by server without a host node: the number of its device's own CPU
	scaleUp  Protocol
	scaleOut Protocol
	domains  [soc.NumProtocols]*domains
}

// Peer is the port at the other end of p's link.
func (g *Graph) Peer(p PortID) PortID { return g.peer[p] }

// PeerNode is the node at the other end of p's link.
func (g *Graph) PeerNode(p PortID) NodeID { return g.Ports[g.peer[p]].Node }

// LinkOf is the link of port p.
func (g *Graph) LinkOf(p PortID) *Link { return &g.Links[g.Ports[p].Link] }

// NodePorts lists a node's linked ports by (die, index); the slice is shared.
func (g *Graph) NodePorts(n NodeID) []PortID { return g.order[g.first[n]:g.first[n+1]] }

// PortName is "node:die/port", unique in the graph.
func (g *Graph) PortName(p PortID) string {
	return g.Nodes[g.Ports[p].Node].Name + ":" + g.Ports[p].Name()
}

// HostNumber is the number of the host that drives a device: host nodes count
// from 0 in the order of Nodes, then the device's own CPU of every server that
// has none. None where the server has hosts and the device hangs on none.
func (g *Graph) HostNumber(device NodeID) int {
	if h := g.HostOf(device); h != None {
		return g.hosts[h]
	}
	if n, ok := g.own[g.Nodes[device].Server]; ok {
		return n
	}
	return None
}

// OwnHost is the number of the host that the device's own CPU is on a server
// without a host node; false on any other server.
func (g *Graph) OwnHost(server int) (int, bool) {
	n, ok := g.own[int32(server)]
	return n, ok
}

// HostOf is the host node a device hangs on, or None.
func (g *Graph) HostOf(device NodeID) NodeID {
	for _, p := range g.NodePorts(device) {
		if m := g.PeerNode(p); g.Nodes[m].Kind == Host {
			return m
		}
	}
	return None
}
