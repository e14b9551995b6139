package transport

import (
	"fmt"

	"hsim/abi"
	"hsim/host/fabric"
	"hsim/host/mem"
	"hsim/host/topo"
)

// loose says that the service of a connection promises no delivery: a request
// completes when its last packet has left, a message that does not arrive whole is
// forgotten, and nothing the receiver does fails the sender.
func (c *conn) loose() bool {
	return c.service == abi.ServiceUnreliable || c.service == abi.ServiceDatagram
}

// Undelivered is what connections without reliable service sent in vain.
type Undelivered struct {
	Messages int64 // in all
	Unready  int64 // of them, sends that found no posted receive
	Refused  int64 // of them, what the receiver refused: a key, a length, a packet beyond its MTU
}

// Undelivered counts the messages that were sent and did not land.
func (n *Net) Undelivered() Undelivered { return n.undelivered }

// checkLoose refuses what a service does not carry.
func (n *Net) checkLoose(c *conn, wr *WR) error {
	name, want := "unreliable", "a write or a send"
	if c.service == abi.ServiceDatagram {
		name, want = "datagram", "a send"
	}
	switch {
	case c.service == abi.ServiceDatagram && wr.Op != OpSend, wr.Op == OpRead, wr.Op.reduces(), wr.Op == OpAtomic:
		return fmt.Errorf("transport: post %v of %s: got a connection of the %s service, want %s over it (connect with the reliable service)",
			wr.Op, n.Graph.Nodes[c.node].Name, name, want)
	case c.service == abi.ServiceDatagram && wr.Len > int64(c.mtu):
		return fmt.Errorf("transport: post %v of %s: got %d bytes for a datagram, want at most %d, one packet",
			wr.Op, n.Graph.Nodes[c.node].Name, wr.Len, c.mtu)
	}
	return nil
}

// leave has a request complete when its last packet has left port out.
func (n *Net) leave(r *request, i uint32, out topo.PortID, wire uint32) {
	now := n.Engine.Now()
	r.flight++ // the event's own
	n.Engine.At(max(n.Fabric.FreeAt(out), now+n.Fabric.Rate(out).Time(int64(wire))), n.id, evLeft|uint64(i))
}

// left completes requests whose last packet has left.
func (n *Net) left(i uint32) {
	r := n.wrs.at(i)
	id := r.conn
	c := n.conns.at(id)
	r.left = true
	for c.head != 0 && c.state == ready {
		h := c.head
		q := n.wrs.at(h)
		if !q.left {
			break
		}
		if q.flight > 0 && q.inline == nil && q.Len > 0 && n.Mem.Data() == mem.Real {
			// The owner may change the source from now on, the packets are under way.
			q.inline = make([]byte, q.Len)
			if err := n.Mem.Read(q.Local, q.inline); err != nil {
				q.inline = nil
			}
		}
		c.acked = q.end
		n.pop(c)
		n.finish(id, c, q, StatusOK, nil)
		n.release(h, q)
	}
	n.landed(i, 1)
}

// release frees a request that has completed, once nothing of it is under way.
func (n *Net) release(i uint32, r *request) {
	if r.flight == 0 {
		n.free(i, r)
		return
	}
	r.gone = true
}

// landed books packets of a request that are under way no more.
func (n *Net) landed(i, packets uint32) {
	r := n.wrs.at(i)
	if r.flight -= packets; r.flight == 0 && r.gone {
		n.free(i, r)
	}
}

func (n *Net) free(i uint32, r *request) {
	if r.left && !r.landed {
		n.undelivered.Messages++
		switch {
		case r.status == StatusRNR:
			n.undelivered.Unready++
		case r.status != StatusOK:
			n.undelivered.Refused++
		}
	}
	n.wrs.put(i)
}

// deliverLoose lands the bytes of a packet at connection end id. It says false
// when the packet failed the connection, so that no reply may be sent.
func (n *Net) deliverLoose(id ConnID, c *conn, f *fabric.Packet, at int64, inOrder bool) bool {
	r := n.wrs.at(f.WR)
	s := n.conns.at(ConnID(f.SrcConn))
	if s.state != ready || r.status != StatusOK {
		return true // the sender is gone, or the message was refused
	}
	var err error
	switch first := f.MSN != c.rx; {
	case r.landed || r.delivered+int64(f.Payload) > r.Len:
		err = fmt.Errorf("delivered packet %d of message %d twice", f.PSN, f.MSN)
	case inOrder && (at != r.delivered || first && at != 0):
		err = fmt.Errorf("delivered byte %d of message %d in order, want byte %d of message %d, or the first of another", at, f.MSN, r.delivered, c.rx)
	case !inOrder && r.Op == OpSend && r.Len > int64(s.mtu):
		err = fmt.Errorf("delivered packet %d out of order, a part of send %d of several packets: want its packets in order", f.PSN, f.MSN)
	}
	if err != nil {
		n.fail(id, c, StatusLocalOp, n.pluginFault(c, err))
		return false
	}
	c.rx = f.MSN
	if f.Payload > 0 || r.Op == OpSend {
		if status, err := n.land(id, c, r, at, int64(f.Payload)); err != nil {
			r.status = status
			return true
		}
	}
	r.delivered += int64(f.Payload)
	if r.delivered < r.Len {
		return true
	}
	r.landed = true
	switch {
	case r.Op.notifies():
		if err := n.Mem.WriteRegister(r.NotifyAddr, r.NotifyValue); err != nil {
			r.landed, r.status = false, StatusRemoteAccess
		}
	case r.Op == OpSend:
		q := n.receives(c)
		rc := q.pop()
		q.done++
		if c.sink != nil {
			c.sink.Complete(&Completion{Conn: id, ID: rc.ID, Op: OpSend, Recv: true, Bytes: r.Len, At: n.Engine.Now()})
		}
	}
	return true
}
