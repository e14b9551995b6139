package transport

import "fmt"

// BundleSpec says how a bundle cuts its requests among its channels.
type BundleSpec struct {
	// Slice is the largest part of a request that goes over one channel, in
	// bytes: a multiple of the MTU, 0 = 64 KiB, the slice of UB's transactions.
	Slice int64
	// Even cuts a request into equal parts instead, one a channel, but none
	// smaller than Slice: as queue pairs share the data of a connection.
	Even bool
	// InTurn gives slices to the channels in turn; else the first that is free
	// takes the next one.
	InTurn bool
	// Ahead is how many slices with packets left to send a channel holds, 0 = 2:
	// the one being sent and the next.
	Ahead int
	// Outstanding bounds the slices of a bundle that are not answered, Posted
	// those of a channel; 0 = any number.
	Outstanding, Posted int
}

// maxChannels is the most of one bundle: 32, as HCCL has queue pairs of a connection
// and URMA jetties of a group.
const maxChannels = 32

// DefaultSlice is the slice of UB's transaction layer.
const DefaultSlice = 64 << 10

// Roles of connection ends.
const (
	rolePlain   = iota
	roleBundle  // its requests are cut in slices
	roleChannel // carries them
)

// bundle is what a connection end has that is a bundle.
type bundle struct {
	n        *Net
	id       ConnID
	spec     BundleSpec
	channels []*channel
	owned    bool // made with the channels, and closed with them
	turn     int  // channel of the next slice, where they take turns
	flying   int  // slices posted and not complete
	blocked  bool // a channel found it unwilling
	bound    bool
	pending  []arrival // at the peer: slices before their turn
}

// Bundle makes a connection of several: what is posted on its ends is cut in
// slices that go over the given ones, of which a request is complete when all its
// slices are. ends are ends of connections between one pair of devices, all at the
// first; several bundles may share them, and nothing else may be posted on them.
// Errors: ends that do not fit together, a slice that is no multiple of an MTU.
func (n *Net) Bundle(ends []ConnID, s BundleSpec) (a, b ConnID, err error) {
	if len(ends) == 0 {
		return 0, 0, fmt.Errorf("transport: bundle: got no connections, want at least one")
	}
	if s.Slice == 0 {
		s.Slice = DefaultSlice
	}
	if s.Ahead == 0 {
		s.Ahead = 2
	}
	if s.Slice < 0 || s.Ahead < 0 || s.Outstanding < 0 || s.Posted < 0 {
		return 0, 0, fmt.Errorf("transport: bundle: got a slice of %d bytes and limits of %d, %d and %d slices, want none below 0", s.Slice, s.Ahead, s.Outstanding, s.Posted)
	}
	head := n.conns.at(ends[0])
	for _, id := range ends {
		c := n.conns.at(id)
		switch {
		case c.node != head.node || c.far != head.far || c.proto != head.proto || c.mtu != head.mtu || c.service != head.service:
			return 0, 0, fmt.Errorf("transport: bundle: connection %d of %s to %s is not of the kind of connection %d", id, n.Graph.Nodes[c.node].Name, n.Graph.Nodes[c.far].Name, ends[0])
		case c.role == roleBundle || c.state != ready:
			return 0, 0, fmt.Errorf("transport: bundle: connection %d of %s is a bundle, failed or closed", id, n.Graph.Nodes[c.node].Name)
		case c.loose():
			return 0, 0, fmt.Errorf("transport: bundle: connection %d of %s is not reliable", id, n.Graph.Nodes[c.node].Name)
		case s.Slice%int64(c.mtu) != 0:
			return 0, 0, fmt.Errorf("transport: bundle: got a slice of %d bytes, want a multiple of the MTU, %d", s.Slice, c.mtu)
		}
	}
	a, b = n.bundleEnd(ends, &s), n.bundleEnd(n.peers(ends), &s)
	n.conns.at(a).peer, n.conns.at(b).peer = b, a
	return a, b, nil
}

// group makes a bundle with the channels it is made of.
func (n *Net) group(car *carrierState, s Spec) (a, b ConnID, err error) {
	s.Channels = max(s.Channels, 1)
	if s.Channels > maxChannels {
		return 0, 0, fmt.Errorf("transport: connect %s to %s: got %d channels, want at most %d", n.Graph.Nodes[s.A].Name, n.Graph.Nodes[s.B].Name, s.Channels, maxChannels)
	}
	ends := make([]ConnID, s.Channels)
	for i := range ends {
		s.channel = i + 1
		if ends[i], _, err = n.Connect(s); err != nil {
			return 0, 0, err
		}
	}
	if a, b, err = n.Bundle(ends, car.Bundle); err != nil {
		return 0, 0, err
	}
	n.bundleAt(a).owned = true
	return a, b, nil
}

func (n *Net) peers(ends []ConnID) []ConnID {
	out := make([]ConnID, len(ends))
	for i, id := range ends {
		out[i] = n.conns.at(id).peer
	}
	return out
}

func (n *Net) bundleEnd(ends []ConnID, s *BundleSpec) ConnID {
	id, c := n.conns.get()
	head := n.conns.at(ends[0])
	c.node, c.far, c.proto, c.engine, c.service, c.mtu, c.order, c.role = head.node, head.far, head.proto, head.engine, head.service, head.mtu, head.order, roleBundle
	b := &bundle{n: n, id: id, spec: *s}
	for _, e := range ends {
		ch := n.channelOf(e, s)
		ch.members = append(ch.members, id)
		b.channels = append(b.channels, ch)
	}
	n.moreOf(c).bundle = b
	return id
}

func (n *Net) bundleAt(id ConnID) *bundle { return n.more[n.conns.at(id).more].bundle }

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
	if p.unsent--; p.unsent > 0 || !p.sent || p.gone {
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
		n.failBundle(id, c, i, x.Status, x.Err)
		for _, other := range ch.members {
			if oc := n.conns.at(other); oc.state == ready {
				n.failBundle(other, oc, oc.head, x.Status, x.Err)
			}
		}
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

// closeBundle closes the channels that were made with a bundle.
func (n *Net) closeBundle(b *bundle) error {
	if !b.owned {
		return nil
	}
	for _, ch := range b.channels {
		if err := n.Close(ch.conn); err != nil {
			return err
		}
	}
	return nil
}
