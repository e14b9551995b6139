package transport

// channel is a connection end that carries slices of bundles: of all that have
// something to send and are bound to it, in turn.
type channel struct {
	n       *Net
	conn    ConnID
	members []ConnID // all bundles over it
	bundles []ConnID // of them, with slices to deal
	turn    int
	unsent  int // slices posted of which packets are left to send
	posted  int // slices posted and not complete
	ahead   int // the most of the former
	limit   int // the most of the latter, 0 = any number
}

// channelOf makes a connection end a channel.
func (n *Net) channelOf(id ConnID, s *BundleSpec) *channel {
	c := n.conns.at(id)
	if ch, ok := c.sink.(*channel); ok {
		return ch
	}
	ch := &channel{n: n, conn: id, ahead: s.Ahead, limit: s.Posted}
	c.sink, c.role = ch, roleChannel
	return ch
}

// deal lets channels draw slices, one each in turn, until none can.
func deal(channels []*channel) {
	for again := true; again; {
		again = false
		for _, ch := range channels {
			again = ch.draw() || again
		}
	}
}

// draw posts the next slice on a channel and says whether there was one and room
// for it.
func (ch *channel) draw() bool {
	if c := ch.n.conns.at(ch.conn); c.state != ready {
		ch.lost(c.status, nil)
		return false
	}
	if ch.unsent >= ch.ahead || ch.limit > 0 && ch.posted >= ch.limit {
		return false
	}
	for range ch.bundles {
		if ch.turn >= len(ch.bundles) {
			ch.turn = 0
		}
		b := ch.n.bundleAt(ch.bundles[ch.turn])
		ch.turn++
		if b.may(ch) {
			b.post(ch)
			return true
		}
	}
	return false
}

// lost ends the bundles of a channel that has failed or was closed.
func (ch *channel) lost(s Status, err error) {
	if s == StatusOK {
		s = StatusFlush
	}
	for _, id := range ch.members {
		if c := ch.n.conns.at(id); c.state == ready {
			ch.n.failBundle(id, c, c.head, s, err)
		}
	}
}

// Departed lets the channel draw when a slice has left.
func (ch *channel) Departed(_ ConnID, id uint64) {
	ch.unsent--
	ch.n.sliceLeft(uint32(id))
	ch.draw()
}

// Complete takes the acknowledgement of a slice, or its failure.
func (ch *channel) Complete(x *Completion) {
	if x.Recv {
		return
	}
	ch.posted--
	ch.n.sliceDone(ch, x)
	for ch.draw() {
	}
}

// bind puts a bundle among those whose slices go over a channel.
func (ch *channel) bind(id ConnID) { ch.bundles = append(ch.bundles, id) }

// unbind takes it off when nothing of it is left to deal.
func (ch *channel) unbind(id ConnID) {
	for k, x := range ch.bundles {
		if x == id {
			ch.bundles = append(ch.bundles[:k], ch.bundles[k+1:]...)
			if ch.turn > k {
				ch.turn--
			}
			return
		}
	}
}
