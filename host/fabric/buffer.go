package fabric

import (
	"math/bits"

	"hsim/host/sim"
	"hsim/host/topo"
)

// account is what a switch holds of one port and lane.
type account struct {
	used     int64 // bytes, headroom apart
	headroom int64
	stopped  bool // a pause has been sent
}

func (q *queued) account(in topo.PortID, n uint8) *account {
	return &q.accounts[int(n)*len(q.ports)+int(in)]
}

// admit takes a packet that came over a link into the buffer of switch node, or
// drops what does not fit. It gives what of it goes on, nil for nothing.
func (q *queued) admit(node topo.NodeID, out topo.PortID, it *item, now sim.Time) *item {
	l := q.account(it.in, it.Lane)
	size := q.load(out, it, now)
	lossless := q.c.Pause.Lanes>>it.Lane&1 != 0
	if q.c.Buffer.on() {
		free := q.fits(l, node, size)
		switch {
		case free >= size:
		case lossless && (l.headroom+size <= q.c.Buffer.Headroom || it.NPkts > 1):
			// Of a train the load is an estimate: it does not overrun.
			l.headroom += size
			it.held = int32(size)
			q.signalStop(it, l, node, now)
			return it
		case it.NPkts > 1 && free*int64(it.NPkts) >= size:
			all := int64(it.NPkts)
			front := q.cut(it, min(uint32(free*all/size), it.NPkts-1))
			q.drop(it, now)
			it, size = front, size*int64(front.NPkts)/all
		default:
			q.drop(it, now)
			return nil
		}
	}
	q.hold(l, node, size)
	it.held = int32(size)
	if lossless {
		q.signalStop(it, l, node, now)
	}
	return it
}

// load is the buffer that a packet will take: of a train only what will have
// arrived before it can start.
func (q *queued) load(out topo.PortID, it *item, now sim.Time) int64 {
	if it.NPkts == 1 {
		return int64(it.Wire)
	}
	w := &q.ports[out]
	wait := max(w.busy-now, 0) + w.rate.Time(w.depth)
	comes := it.lag - now
	unit := int64(it.Wire / it.NPkts)
	if wait >= comes {
		return int64(it.Wire)
	}
	hi, lo := bits.Mul64(uint64(it.Wire), uint64(wait))
	part, _ := bits.Div64(hi, lo, uint64(comes))
	return min(int64(it.Wire), unit+int64(part))
}

// fits is how many more bytes a port and lane may hold, at most size.
func (q *queued) fits(l *account, node topo.NodeID, size int64) int64 {
	b := &q.c.Buffer
	own := max(b.Reserve-l.used, 0)
	if own >= size {
		return size
	}
	pool := b.Shared - q.pools[node]
	return min(size, own+max(0, min(pool, pool>>b.Alpha-max(0, l.used-b.Reserve))))
}

// hold books size bytes of a port and lane, beyond its reserve in the pool.
func (q *queued) hold(l *account, node topo.NodeID, size int64) {
	before := max(0, l.used-q.c.Buffer.Reserve)
	l.used += size
	q.pools[node] += max(0, l.used-q.c.Buffer.Reserve) - before
}

// vacate gives the buffer of a packet back when its transmission starts.
func (q *queued) vacate(it *item, now sim.Time) {
	in, n := it.in, it.Lane
	l := q.account(in, n)
	node := q.ports[in].peer
	size := int64(it.held)
	over := min(size, l.headroom)
	l.headroom -= over
	q.hold(l, node, over-size)
	if l.stopped && q.mayResume(l, node) {
		l.stopped = false
		q.tell(in, signal{at: now + q.ports[in].wire, lane: n, kind: resume})
	}
}

// signalStop stops a lane of the sender at the other end of the link that a packet
// came over when the switch holds too much of it.
func (q *queued) signalStop(it *item, l *account, node topo.NodeID, now sim.Time) {
	if l.stopped {
		return
	}
	p := &q.c.Pause
	if p.Dynamic {
		if l.headroom == 0 && max(0, l.used-q.c.Buffer.Reserve) < q.share(node) {
			return
		}
	} else if l.used+l.headroom < p.Off {
		return
	}
	l.stopped = true
	q.tell(it.in, signal{at: now + q.ports[it.in].wire, lane: it.Lane, kind: pause})
}

func (q *queued) mayResume(l *account, node topo.NodeID) bool {
	if !q.c.Pause.Dynamic {
		return l.used+l.headroom <= q.c.Pause.On
	}
	if l.headroom > 0 {
		return false
	}
	shared := max(0, l.used-q.c.Buffer.Reserve)
	return shared == 0 || shared+q.c.Pause.Below <= q.share(node)
}

// share is the part of the pool that one port and lane may take.
func (q *queued) share(node topo.NodeID) int64 {
	return (q.c.Buffer.Shared - q.pools[node]) >> q.c.Buffer.Alpha
}

// drop ends a packet that found no room. The sender's credit, if there is any,
// comes back as if it had left.
func (q *queued) drop(it *item, now sim.Time) {
	q.f.lost(&it.Packet)
	q.f.flying--
	s := &q.ports[it.in].stat
	s.Drops += int64(it.NPkts)
	s.Full += int64(it.NPkts)
	if q.cell > 0 {
		q.giveBack(it.in, it.Lane, it.cells, 1, now, 0)
	}
	q.put(it)
}
