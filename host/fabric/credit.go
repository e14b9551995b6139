package fabric

import (
	"math/bits"

	"hsim/host/sim"
	"hsim/host/topo"
)

// signal is what the receiver of a link tells its sender, with the time at which
// it arrives there. Nobody is woken by it unless lanes wait: the sender reads what
// has come when it chooses its next packet.
type signal struct {
	at    sim.Time
	step  sim.Time // between the returns of a train's packets
	left  uint32   // returns to come, this one included
	cells int32    // of each return
	lane  uint8
	kind  uint8
}

const (
	returned = iota // credits
	pause
	resume
)

// signals is a ring of signals in order of arrival.
type signals struct {
	buf  []signal // its length is a power of two
	head uint32
	n    uint32
}

// put inserts s behind all that arrive no later.
func (r *signals) put(s signal) {
	if int(r.n) == len(r.buf) {
		next := make([]signal, max(2*len(r.buf), 8))
		m := copy(next, r.buf[r.head:])
		copy(next[m:], r.buf[:r.head])
		r.buf, r.head = next, 0
	}
	mask := uint32(len(r.buf) - 1)
	i := r.head + r.n
	for ; i != r.head && r.buf[(i-1)&mask].at > s.at; i-- {
		r.buf[i&mask] = r.buf[(i-1)&mask]
	}
	r.buf[i&mask] = s
	r.n++
}

func (r *signals) drop() {
	r.head = (r.head + 1) & uint32(len(r.buf)-1)
	r.n--
}

// tell sends a signal to port id, and has the port look at it where lanes wait.
func (q *queued) tell(id topo.PortID, s signal) {
	w := &q.ports[id]
	w.signals.put(s)
	if w.waiting != 0 && s.kind != pause {
		q.arm(id, w, max(s.at, w.busy))
	}
}

// hear takes in what has arrived and says whether anything has.
func (q *queued) hear(id topo.PortID, w *qport, now sim.Time) (heard bool) {
	for w.signals.n > 0 {
		s := &w.signals.buf[w.signals.head]
		if s.at > now {
			break
		}
		heard = true
		switch s.kind {
		case pause:
			w.paused |= 1 << s.lane
			q.f.ports[id].stat.Pauses++
		case resume:
			w.paused &^= 1 << s.lane
		default:
			q.refill(id, w, s)
			if s.left > 1 {
				again := *s
				again.left--
				again.at += s.step
				w.signals.drop()
				w.signals.put(again)
				continue
			}
		}
		w.signals.drop()
	}
	return heard
}

// refill books returned cells: to the lane, or with a pool to the pool, from
// which the lanes below their own share are filled up in order.
func (q *queued) refill(id topo.PortID, w *qport, s *signal) {
	if q.c.Credits.Shared == 0 {
		q.lanes[int(id)*q.n+int(s.lane)].credits += s.cells
		return
	}
	w.shared += s.cells
	for n := 0; n < q.n && w.shared > 0; n++ {
		l := &q.lanes[int(id)*q.n+n]
		more := min(q.c.Credits.Cells-l.credits, w.shared)
		l.credits += more
		w.shared -= more
	}
}

// cellsOf is the credit that a packet takes, each packet of a train by itself.
func (q *queued) cellsOf(p *Packet) int32 {
	if q.cell == 0 {
		return 0
	}
	if p.NPkts == 1 {
		return int32((p.Wire + q.cell - 1) / q.cell)
	}
	return int32(p.NPkts * ((p.Wire/p.NPkts + q.cell - 1) / q.cell))
}

// affords says whether lane n has credit for its first packet, or for the first
// one of its train.
func (q *queued) affords(id topo.PortID, w *qport, n int) bool {
	if q.cell == 0 {
		return true
	}
	l := &q.lanes[int(id)*q.n+n]
	it := q.at(q.first(l))
	need := it.cells
	if it.NPkts > 1 {
		need /= int32(it.NPkts)
	}
	return l.credits+w.shared >= need
}

// spend takes credit for cells of lane l, from the pool first.
func (w *qport) spend(l *lane, cells int32) {
	pool := min(w.shared, cells)
	w.shared -= pool
	l.credits -= cells - pool
}

// giveBack returns the credit of n packets of a lane to the sender of link id.
// The first is free at the receiver at time at, the others a step later each; the
// return takes a link latency.
func (q *queued) giveBack(id topo.PortID, n8 uint8, cells int32, n uint32, at, step sim.Time) {
	w := &q.ports[id]
	l := &q.lanes[int(id)*q.n+int(n8)]
	back := l.owed + cells
	if q.grain > 1 {
		back -= back % q.grain
	}
	l.owed += cells - back
	if g := q.c.Credits.DataGrain; g > 0 {
		w.owing &^= 1 << n8
		if l.owed >= g {
			w.owing |= 1 << n8
		}
	}
	if back == 0 {
		return
	}
	at += w.wire
	each := back / int32(n)
	if n > 1 && each > 0 {
		q.tell(id, signal{at: at, step: step, left: n, cells: each, lane: n8})
		back -= each * int32(n)
	}
	if back > 0 {
		q.tell(id, signal{at: at + step*sim.Time(n-1), cells: back, lane: n8})
	}
}

// carry returns credit of the link in the other direction with a packet that
// leaves port id now.
func (q *queued) carry(id topo.PortID, now sim.Time) {
	back := q.f.g.Peer(id)
	w := &q.ports[back]
	if w.owing == 0 {
		return
	}
	n := bits.TrailingZeros16(w.owing)
	l := &q.lanes[int(back)*q.n+n]
	g := q.c.Credits.DataGrain
	if l.owed -= g; l.owed < g {
		w.owing &^= 1 << n
	}
	q.tell(back, signal{at: now + w.wire, cells: g, lane: uint8(n)})
}
