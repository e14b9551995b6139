package transport

import (
	"fmt"
	"slices"

	"hsim/host/mem"
)

// Post queues a work request on connection end id and rings its doorbell. The
// request is copied. Errors: ErrState, and bounds of the local buffer.
func (n *Net) Post(id ConnID, wr *WR) error {
	c := n.conns.at(id)
	if c.state != ready {
		return fmt.Errorf("transport: post %v on connection %d of %s: %w (%v)", wr.Op, id, n.Graph.Nodes[c.node].Name, ErrState, c.status)
	}
	if c.loose() {
		if err := n.checkLoose(c, wr); err != nil {
			return err
		}
	}
	if wr.Op == OpAtomic {
		if err := n.checkAtomic(c, wr); err != nil {
			return err
		}
	} else if wr.Len > 0 {
		need := mem.Readable
		if wr.Op == OpRead {
			need = mem.Writable
		}
		if err := n.Mem.Check(wr.Local, wr.Len, need); err != nil {
			return fmt.Errorf("transport: post %v of %s: %w", wr.Op, n.Graph.Nodes[c.node].Name, err)
		}
	}
	if err := n.checkOrder(c, wr); err != nil {
		return err
	}
	if c.order == OrderInitiator && wr.Op.notifies() && wr.Len > 0 {
		return n.split(id, c, wr)
	}
	return n.push(id, c, wr, 0)
}

func (n *Net) push(id ConnID, c *conn, wr *WR, origin uint32) error {
	i, r := n.wrs.get()
	r.WR = *wr
	r.origin, r.conn = origin, id
	r.msn = c.msn
	c.msn++
	switch wr.Op {
	case OpSend:
		r.seq = c.sends
		c.sends++
	case OpRead:
		r.waits = c.role != roleBundle
	case OpAtomic:
		a := *wr.Atomic
		a.Operand, a.Compare = slices.Clone(a.Operand), slices.Clone(a.Compare)
		r.Atomic, r.waits = &a, c.role != roleBundle && a.returns(wr.Local)
		r.value, r.Len = wr.Len, int64(len(wr.Atomic.Operand)+len(wr.Atomic.Compare))
	case opReadResponse:
		if wr.Atomic != nil { // the old value
			r.inline = wr.Atomic.Operand
		}
	}
	switch {
	case wr.Flags&flagSlice != 0:
		if whole := n.wrs.at(origin).inline; whole != nil {
			r.inline = whole[wr.at : wr.at+wr.Len]
		}
	case c.order == OrderInitiator:
		r.alone = wr.Mark == MarkStrong || wr.Op == OpNotify
	}
	if wr.Flags&Inline != 0 && wr.Op != OpAtomic && wr.Len > 0 && (n.Mem.Data() == mem.Real || n.Mem.IsRegister(wr.Local)) {
		r.inline = make([]byte, wr.Len)
		if err := n.Mem.Read(wr.Local, r.inline); err != nil {
			n.wrs.put(i)
			return err
		}
	}
	if c.tail != 0 {
		n.wrs.at(c.tail).next = i
	} else {
		c.head = i
	}
	c.tail = i
	if c.cur == 0 {
		c.cur, c.off = i, 0
	}
	if !c.held {
		c.held = true
		n.Engine.Hold()
	}
	n.offer(id, c)
	return nil
}

// PostRecv posts a receive for the sends of the peer.
func (n *Net) PostRecv(id ConnID, r Recv) error {
	c := n.conns.at(id)
	if c.state != ready {
		return fmt.Errorf("transport: post receive on connection %d: %w", id, ErrState)
	}
	if r.Len > 0 {
		if err := n.Mem.Check(r.Addr, r.Len, mem.Writable); err != nil {
			return fmt.Errorf("transport: post receive: %w", err)
		}
	}
	q := n.receives(c)
	q.q = append(q.q, r)
	return nil
}

func (n *Net) receives(c *conn) *recvQueue {
	return &n.moreOf(c).recv
}
