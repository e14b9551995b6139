package transport

import (
	"fmt"

	"hsim/host/fabric"
)

// complete reports the requests at the head of the queue that are finished.
func (n *Net) complete(id ConnID, c *conn) {
	for c.head != 0 {
		i := c.head
		r := n.wrs.at(i)
		if c.role == roleBundle && r.flight > 0 || !r.sent || int32(r.end-c.acked) > 0 || r.waits {
			break
		}
		if !r.landed && c.role != roleBundle && !c.loose() {
			n.fail(id, c, StatusLocalOp, n.pluginFault(c, fmt.Errorf("acknowledged message %d, of which %d of %d bytes were delivered, want all of them", r.msn, r.delivered, r.Len)))
			return
		}
		n.pop(c)
		n.finish(id, c, r, StatusOK, nil)
		n.wrs.put(i)
	}
	if c.cur != 0 && n.wrs.at(c.cur).alone && c.state == ready {
		n.offer(id, c)
	}
}

func (n *Net) pop(c *conn) {
	i := c.head
	c.head = n.wrs.at(i).next
	if c.cur == i {
		c.cur, c.off = c.head, 0
	}
	if c.head == 0 {
		c.tail = 0
		c.held = false
		n.Engine.Release()
	}
}

func (n *Net) finish(id ConnID, c *conn, r *request, s Status, err error) {
	if c.sink == nil || r.Op == opReadResponse || s == StatusOK && r.Flags&Signaled == 0 {
		return
	}
	if r.Flags&(flagHalf|flagRest) != 0 && !n.join(r, s) {
		return
	}
	done := Completion{Conn: id, ID: r.ID, Op: r.Op, Status: s, First: r.first, At: n.Engine.Now(), Err: err}
	if s == StatusOK {
		if done.Bytes = r.Len; r.Op == OpAtomic || r.Flags&flagRest != 0 {
			done.Bytes = r.value
		}
	}
	if r.Flags&(flagHalf|flagRest) != 0 {
		if done.Op = r.whole; r.Flags&flagRest != 0 {
			done.First = r.began
		}
	}
	c.sink.Complete(&done)
}

// refuse carries a fault met at the receiver back to the sender, as long after
// as the packet took to come.
func (n *Net) refuse(f *fabric.Packet, r *request, s Status, err error) {
	if r.status == StatusOK {
		r.status, r.err = s, err
		n.conns.at(n.conns.at(r.conn).peer).deaf = true
		n.Engine.At(n.Engine.Now()+(n.Engine.Now()-f.SentAt), n.id, evFail|uint64(f.WR))
	}
}

// refuseNow carries back a fault met when the turn of a request has come, with
// the packet that has just arrived.
func (n *Net) refuseNow(i uint32, r *request, s Status, err error) {
	n.refuse(&fabric.Packet{WR: i, SentAt: n.Engine.Now() - n.flown}, r, s, err)
}

func (n *Net) remoteFault(i uint32) {
	r := n.wrs.at(i)
	id := r.conn
	if r.status == StatusOK || id == 0 {
		return
	}
	c := n.conns.at(id)
	if c.state == ready {
		n.failAt(id, c, i, r.status, r.err)
	}
}

// fail ends a connection: its oldest request completes with status, the rest
// are flushed, and what is posted later is refused.
func (n *Net) fail(id ConnID, c *conn, s Status, err error) {
	if c.state == ready {
		n.failAt(id, c, c.head, s, err)
	}
}

func (n *Net) failAt(id ConnID, c *conn, bad uint32, s Status, err error) {
	if c.role == roleBundle {
		n.failBundle(id, c, bad, s, err)
		return
	}
	c.state, c.status, c.timer = failed, s, 0
	for c.head != 0 && c.head != bad {
		i := c.head
		r := n.wrs.at(i)
		n.pop(c)
		n.finish(id, c, r, StatusOK, nil) // an earlier request whose acknowledgement was under way
		n.release(i, r)
	}
	n.flush(id, c, s, StatusFlush, err)
}

func (n *Net) flush(id ConnID, c *conn, first, rest Status, err error) {
	s := first
	for c.head != 0 {
		i := c.head
		r := n.wrs.at(i)
		n.pop(c)
		n.finish(id, c, r, s, err)
		n.release(i, r)
		s, err = rest, nil
	}
	c.cur, c.off, c.inRing, c.again = 0, 0, 0, false
	if c.more != 0 {
		n.more[c.more].again = nil
		q := &n.more[c.more].recv
		for q.len() > 0 {
			rc := q.pop()
			if c.sink != nil {
				c.sink.Complete(&Completion{Conn: id, ID: rc.ID, Op: OpSend, Recv: true, Status: StatusFlush, At: n.Engine.Now()})
			}
		}
	}
}
