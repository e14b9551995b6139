package transport

// arrival is a slice at the peer that waits for the turn of its request: a copy,
// since the sender may have the slice complete before.
type arrival struct {
	conn    ConnID // the channel's end here
	wr      uint32
	request request
}

// home is the request that a slice is of, and the bundle end at the receiver.
func (n *Net) home(r *request) (p *request, id ConnID, c *conn) {
	p = n.wrs.at(r.origin)
	id = n.conns.at(p.conn).peer
	return p, id, n.conns.at(id)
}

// early says that a request that must take effect in its turn has come before it.
func (n *Net) early(c *conn, r *request) bool {
	if r.Flags&flagSlice == 0 {
		return r.msn != c.rx
	}
	p, _, pc := n.home(r)
	return p.msn != pc.rx
}

// arrived takes a slice that landed whole on channel end id: it takes effect now or
// when its request's turn has come, and its request is finished with the last one.
func (n *Net) arrived(id ConnID, c *conn, i uint32, r *request) {
	p, home, pc := n.home(r)
	if p.gone || pc.state != ready {
		return
	}
	inTurn := r.held || r.Op == OpAtomic || r.Op == OpRead && r.Mark == MarkStrong
	if inTurn && p.msn != pc.rx {
		b := n.bundleAt(home)
		b.pending = append(b.pending, arrival{id, i, *r})
	} else if !n.effect(id, c, i, r) {
		return
	}
	if p.delivered += r.Len; p.delivered < p.Len {
		return
	}
	p.landed = true
	if p.msn == pc.rx {
		n.advance(home, pc, r.origin)
	}
}

// effect does what a slice asks for besides bytes that landed as they came.
func (n *Net) effect(id ConnID, c *conn, i uint32, r *request) bool {
	var s Status
	var err error
	switch {
	case r.Op == OpRead:
		n.answer(id, c, i, r)
	case r.Op == OpAtomic:
		if err = n.execute(id, c, i, r); err != nil {
			s = StatusRemoteAccess
		}
	case r.held:
		s, err = n.land(id, c, r, 0, r.Len)
	}
	if err != nil {
		// The slice may be complete at its sender; the request is not.
		p := n.wrs.at(r.origin)
		n.refuseNow(r.origin, p, s, err)
	}
	return err == nil
}

// turned lets take effect what waited for the present turn of a bundle end.
func (n *Net) turned(c *conn) {
	b := n.more[c.more].bundle
	for k := 0; k < len(b.pending); {
		a := b.pending[k]
		if n.wrs.at(a.request.origin).msn != c.rx {
			k++
			continue
		}
		b.pending = append(b.pending[:k], b.pending[k+1:]...)
		n.effect(a.conn, n.conns.at(a.conn), a.wr, &a.request)
	}
}
