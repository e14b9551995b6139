package ns3ub

import (
	"fmt"

	"hsim/host/topo"
)

// layout is the case as a graph: its nodes and ports by the ids of the files.
type layout struct {
	graph *topo.Graph
	nodes []topo.NodeID // by index in Case.Nodes
	ports [][]topo.PortID
}

// lay makes the graph: devices first, then switches, each in the order of ids.
func (c *Case) lay(probs *problems) {
	in := topo.Given{Kind: "ns-3-UB case"}
	l := &layout{nodes: make([]topo.NodeID, len(c.Nodes)), ports: make([][]topo.PortID, len(c.Nodes))}
	for _, kind := range []topo.Kind{topo.Device, topo.Switch} {
		for i := range c.Nodes {
			n := &c.Nodes[i]
			if n.Switch != (kind == topo.Switch) {
				continue
			}
			l.nodes[i] = topo.NodeID(len(in.Nodes))
			node := topo.Node{Kind: kind, Name: fmt.Sprintf("node%d", n.ID), Server: -1, Index: int32(n.ID), Super: -1, Forwards: true, Store: true}
			if n.Switch {
				node.Delay = c.passes(n)
			}
			in.Nodes = append(in.Nodes, node)
		}
	}
	protocols := topo.ProtocolSet(1<<topo.UB_TP | 1<<topo.UB_CTP | 1<<topo.UB_MEM)
	for i := range c.Links {
		k := &c.Links[i]
		in.Links = append(in.Links, topo.GivenLink{A: l.nodes[c.byID[k.NodeA]], PortA: int16(k.PortA), B: l.nodes[c.byID[k.NodeB]], PortB: int16(k.PortB),
			Link: topo.Link{Rate: k.Rate, Latency: k.Delay + c.latent(), Protocols: protocols}})
	}
	g, err := topo.FromGiven(in)
	if err != nil {
		probs.add(c.path("topology.csv"), 0, "%v", err)
		return
	}
	l.graph = g
	for i := range c.Nodes {
		l.ports[i] = make([]topo.PortID, c.Nodes[i].Ports)
		for p := range l.ports[i] {
			l.ports[i][p] = topo.None
		}
		for _, p := range g.NodePorts(l.nodes[i]) {
			l.ports[i][g.Ports[p].Index] = p
		}
	}
	c.layout = l
}

// nodeID and port are a node and a port of the graph by the ids of the files.
func (c *Case) nodeID(id int64) topo.NodeID { return c.layout.nodes[c.byID[id]] }

func (c *Case) port(id, port int64) topo.PortID { return c.layout.ports[c.byID[id]][port] }

// fileID is the id of a node in the files.
func (c *Case) fileID(n topo.NodeID) int64 { return int64(c.layout.graph.Nodes[n].Index) }

// neighbour is the node at the other end of a port's link.
func (c *Case) neighbour(id, port int64) int64 {
	return c.fileID(c.layout.graph.PeerNode(c.port(id, port)))
}
