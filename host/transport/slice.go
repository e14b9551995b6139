package transport

// offer has a connection end look for something to send.
func (n *Net) offer(id ConnID, c *conn) {
	if c.role == roleBundle {
		n.bundleAt(id).offer()
		return
	}
	n.ready(id, c)
}

// offer binds a bundle to its channels when there is something to deal.
func (b *bundle) offer() {
	c := b.n.conns.at(b.id)
	if c.cur == 0 || c.state != ready {
		return
	}
	if !b.bound {
		b.bound = true
		for _, ch := range b.channels {
			ch.bind(b.id)
		}
	}
	deal(b.channels)
}

// may says whether a channel may draw from the bundle now.
func (b *bundle) may(ch *channel) bool {
	c := b.n.conns.at(b.id)
	ok := c.state == ready && c.cur != 0 && (b.spec.Outstanding == 0 || b.flying < b.spec.Outstanding) &&
		(!b.spec.InTurn || b.channels[b.turn] == ch)
	if r := b.n.wrs.at(c.cur); ok && r.alone && c.off == 0 && b.n.behind(c) {
		ok = false
	}
	if !ok {
		b.blocked = true
	}
	return ok
}

// part is the length of the next slice of a request of which off bytes are dealt.
func (b *bundle) part(r *request, off int64, mtu uint32) int64 {
	size := b.spec.Slice
	if b.spec.Even {
		k := int64(len(b.channels))
		each := (r.Len + k - 1) / k
		size = max(size, (each+int64(mtu)-1)/int64(mtu)*int64(mtu))
	}
	return min(size, r.Len-off)
}

// post takes the next slice of the bundle and sends it on a channel.
func (b *bundle) post(ch *channel) {
	n := b.n
	c := n.conns.at(b.id)
	i := c.cur
	p := n.wrs.at(i)
	wr := p.WR
	wr.ID, wr.Flags = uint64(i), Signaled|flagSlice
	if p.Op == OpAtomic {
		wr.Len = p.value
	} else {
		wr.Len = b.part(p, c.off, c.mtu)
		wr.Local, wr.Remote = wr.Local.Add(c.off), wr.Remote.Add(c.off)
		if c.off+wr.Len < p.Len { // the last one carries the notify
			switch p.Op {
			case OpWriteNotify:
				wr.Op = OpWrite
			case OpWriteReduceNotify:
				wr.Op = OpWriteReduce
			}
		}
	}
	wr.at = c.off
	if c.off == 0 {
		p.started = true
	}
	p.flight++
	p.unsent++
	b.flying++
	ch.unsent++
	ch.posted++
	if b.turn++; b.turn == len(b.channels) {
		b.turn = 0
	}
	if c.off += p.dealt(&wr); c.off == p.Len {
		p.sent = true
		c.cur, c.off = p.next, 0
	}
	if c.cur == 0 {
		b.rest()
	}
	if err := n.push(ch.conn, n.conns.at(ch.conn), &wr, i); err != nil {
		n.fail(b.id, c, StatusLocalOp, err)
	}
}

// dealt is how far a slice takes its request.
func (r *request) dealt(wr *WR) int64 {
	if r.Op == OpAtomic {
		return r.Len
	}
	return wr.Len
}

// rest takes a bundle off its channels.
func (b *bundle) rest() {
	if !b.bound {
		return
	}
	b.bound = false
	for _, ch := range b.channels {
		ch.unbind(b.id)
	}
}

// sliceLeft says that the last packet of a slice of request i has left.
func (n *Net) sliceLeft(i uint32) {
	p := n.wrs.at(i)
	if p.unsent--; p.unsent > 0 || !p.sent || p.gone || p.Flags&flagHalf != 0 {
		return
	}
	if d, ok := n.conns.at(p.conn).sink.(Departures); ok {
		d.Departed(p.conn, p.ID)
	}
}

// sliceDone books a slice that is complete, and the request with its last one.
func (n *Net) sliceDone(ch *channel, x *Completion) {
	i := uint32(x.ID)
	p := n.wrs.at(i)
	id := p.conn
	c := n.conns.at(id)
	b := n.bundleAt(id)
	b.flying--
	if n.landed(i, 1); c.state != ready {
		return
	}
	if !p.timed || x.First < p.first {
		p.first, p.timed = x.First, true
	}
	if x.Status != StatusOK {
		s := x.Status
		if cause := n.conns.at(ch.conn).status; s == StatusFlush && cause != StatusOK {
			s = cause // the channel failed with something that is no slice
		}
		n.failBundle(id, c, i, s, x.Err)
		ch.lost(s, x.Err)
		return
	}
	n.complete(id, c)
	if b.blocked && c.state == ready {
		b.blocked = false
		deal(b.channels)
	}
}

// failBundle ends a bundle by request bad. Others are flushed; slices of them on
// the way change nothing more.
func (n *Net) failBundle(id ConnID, c *conn, bad uint32, s Status, err error) {
	if c.state != ready {
		return
	}
	c.state, c.status = failed, s
	n.bundleAt(id).rest()
	for c.head != 0 {
		i := c.head
		r := n.wrs.at(i)
		n.pop(c)
		if i == bad {
			n.finish(id, c, r, s, err)
		} else {
			n.finish(id, c, r, StatusFlush, nil)
		}
		n.release(i, r)
	}
	n.flush(id, c, StatusFlush, StatusFlush, nil)
	n.bundleAt(c.peer).pending = nil
}
