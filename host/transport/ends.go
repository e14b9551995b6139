package transport

import "hsim/host/topo"

// Ends are the devices that a connection end sends from and to.
func (n *Net) Ends(id ConnID) (from, to topo.NodeID) {
	c := n.conns.at(id)
	return c.node, c.far
}

// Resent is the number of data packets that were sent again.
func (n *Net) Resent() uint64 { return n.again }
