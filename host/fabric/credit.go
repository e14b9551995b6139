package fabric

import (
	"math/bits"

	"hsim/host/sim"
	"hsim/host/topo"
)

// signal is what the receiver of a link tells its sender, with the time at which
// it arrives there. Nobody is woken by it unless lanes are stopped: the sender
// hears what has come when it needs to.
type signal struct {
	at    sim.Time
	cells int32 // returned
	lane  uint8
	kind  uint8
	ramp  uint16 // 1 + index in queued.ramps: more returns follow
}

const (
	returned = iota // credits
	pause
	resume
)

// ramp is the returns of a train after its first.
type ramp struct {
	step sim.Time
	left uint32
}

// signals is a ring of signals in order of arrival.
type signals struct{ ring[signal] }

// put inserts s behind all that arrive no later.
func (r *signals) put(s signal) {
	r.ring.put(s)
	for k := r.n - 1; k > 0 && r.nth(k-1).at > s.at; k-- {
		*r.nth(k), *r.nth(k - 1) = *r.nth(k - 1), s
	}
}

// nextSignal is when the next signal arrives, Forever when none is under way.
func (w *qport) nextSignal() sim.Time {
	at := sim.Forever
	if w.signals.n > 0 {
		at = w.signals.first().at
	}
	if w.toggles.n > 0 {
		at = min(at, w.toggles.first().at)
	}
	return at
}

// tell sends a signal to port id, and has the port look at it where its lanes are
// stopped.
func (q *queued) tell(id topo.PortID, s signal) {
	w := &q.ports[id]
	if s.kind == returned {
		w.signals.put(s)
	} else {
		w.toggles.put(s)
	}
	if w.stopped && s.kind != pause {
		q.arm(id, w, w.wakes())
	}
}

// hear takes in the credits that have come back until now, and says whether there
// were any.
func (q *queued) hear(id topo.PortID, w *qport, now sim.Time) (heard bool) {
	for w.signals.n > 0 {
		s := w.signals.first()
		if s.at > now {
			break
		}
		heard = true
		q.refill(id, w, s)
		if s.ramp == 0 {
			w.signals.drop()
			continue
		}
		more := *s
		w.signals.drop()
		r := &q.ramps[more.ramp-1]
		more.at += r.step
		if r.left--; r.left == 0 {
			q.freeRamps = append(q.freeRamps, more.ramp)
			more.ramp = 0
		}
		w.signals.put(more)
	}
	return heard
}

// obey takes in the pauses and their ends that have come until now.
func (q *queued) obey(w *qport, now sim.Time) (heard bool) {
	for w.toggles.n > 0 && w.toggles.first().at <= now {
		if s := w.toggles.first(); s.kind == pause {
			w.paused |= 1 << s.lane
			w.stat.Pauses++
		} else {
			w.paused &^= 1 << s.lane
		}
		w.toggles.drop()
		heard = true
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
// one of its train, at time at.
func (q *queued) affords(id topo.PortID, w *qport, n int, at sim.Time) bool {
	if q.cell == 0 {
		return true
	}
	l := &q.lanes[int(id)*q.n+n]
	x := q.first(l)
	if q.covers(id, w, l, x.cells, at) {
		return true
	}
	return x.npkts > 1 && l.credits+w.shared >= x.cells/int32(x.npkts)
}

// lazy is how many returns may be under way or not heard before they are heard in
// any case, so that their list stays short.
const lazy uint32 = 32

// covers says whether lane l has credit for cells at time at. Returns are heard
// only when there seems not to be enough, except that with a pool the order in
// which it is spent and filled up counts.
func (q *queued) covers(id topo.PortID, w *qport, l *lane, cells int32, at sim.Time) bool {
	if l.credits >= cells && w.signals.n < q.lazy {
		return true
	}
	q.hear(id, w, at)
	return l.credits+w.shared >= cells
}

// spend takes credit for cells of lane l, from the pool first.
func (w *qport) spend(l *lane, cells int32) {
	pool := min(w.shared, cells)
	w.shared -= pool
	l.credits -= cells - pool
}

// giveBack returns the credit of n packets of a lane to the sender of link id.
// The first is free at the receiver at time at, the others a step later each; the
// return takes a link latency, and a place on the wire where it is a frame.
func (q *queued) giveBack(id topo.PortID, n8 uint8, cells int32, n uint32, at, step sim.Time) {
	if q.grains {
		if cells = q.owe(id, n8, cells); cells == 0 {
			return
		}
	}
	if q.c.Credits.Frame > 0 {
		q.frame(id, n8, cells, at)
		return
	}
	at += q.ports[id].wire
	if each := cells / int32(n); n > 1 && each > 0 && len(q.ramps) < 1<<16-1 {
		if len(q.freeRamps) == 0 {
			q.ramps = append(q.ramps, ramp{})
			q.freeRamps = append(q.freeRamps, uint16(len(q.ramps)))
		}
		k := q.freeRamps[len(q.freeRamps)-1]
		q.freeRamps = q.freeRamps[:len(q.freeRamps)-1]
		q.ramps[k-1] = ramp{step, n - 1}
		q.tell(id, signal{at: at, cells: each, lane: n8, ramp: k})
		if cells -= each * int32(n); cells == 0 {
			return
		}
	}
	q.tell(id, signal{at: at + step*sim.Time(n-1), cells: cells, lane: n8})
}

// owe books cells to be returned to the sender of link id and gives what is
// returned now, whole grains.
func (q *queued) owe(id topo.PortID, n8 uint8, cells int32) int32 {
	w := &q.ports[id]
	l := &q.lanes[int(id)*q.n+int(n8)]
	l.owed += cells
	back := l.owed - l.owed%q.grain
	l.owed -= back
	w.owing &^= 1 << n8
	if g := q.c.Credits.DataGrain; g > 0 && l.owed >= g {
		w.owing |= 1 << n8
	}
	return back
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
