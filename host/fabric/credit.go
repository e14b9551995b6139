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
	cells int32    // returned
	left  uint32   // returns to come after this one, of a train
	step  sim.Time // between them
	lane  uint8
	kind  uint8
}

const (
	returned = iota // credits
	pause
	resume
)

// Most returns fit into a word: 20 bits of cells and four of the lane.
const (
	cellBits = 20
	maxCells = 1<<cellBits - 1
)

func (s *signal) pack() uint64 { return pack(s.at, uint32(s.lane)<<cellBits|uint32(s.cells)) }

// insert puts a return behind all that arrive no later.
func insert(r *ring[uint64], word uint64) {
	r.put(word)
	for k := r.n - 1; k > 0 && int64(*r.nth(k - 1)&^maxWord-word&^maxWord) > 0; k-- {
		*r.nth(k), *r.nth(k - 1) = *r.nth(k - 1), word
	}
}

// signals is a list of signals in order of arrival.
type signals struct{ ring[signal] }

// put inserts s behind all that arrive no later.
func (r *signals) put(s signal) {
	r.ring.put(s)
	for k := r.n - 1; k > 0 && r.nth(k-1).at > s.at; k-- {
		*r.nth(k), *r.nth(k - 1) = *r.nth(k - 1), s
	}
}

// nextSignal is when the next signal arrives, Forever when none is under way.
func (w *qport) nextSignal(now sim.Time) sim.Time {
	at := sim.Forever
	if w.signals.n > 0 {
		at = timeOf(*w.signals.first(), now)
	}
	if w.rare.n > 0 {
		at = min(at, w.rare.first().at)
	}
	return at
}

// tell sends a signal to port id, and has the port look at it where its lanes are
// stopped.
func (q *queued) tell(id topo.PortID, s signal) {
	w := &q.ports[id]
	now := q.e.Now()
	if s.kind == returned && s.left == 0 && s.at-now < farAway && s.cells <= maxCells {
		insert(&w.signals, s.pack())
	} else {
		w.rare.put(s)
	}
	if w.stopped && s.kind != pause {
		q.arm(id, w, w.wakes(now))
	}
}

// hear takes in the credits that have come back until at, and says whether there
// were any.
func (q *queued) hear(id topo.PortID, w *qport, at sim.Time) (heard bool) {
	for w.signals.n > 0 {
		word := *w.signals.first()
		if timeOf(word, at) > at {
			break
		}
		heard = true
		q.refill(id, w, uint8(word>>cellBits)&(MaxLanes-1), int32(word&maxCells))
		w.signals.drop()
	}
	if w.rare.n > 0 {
		heard = q.obey(id, w, at) || heard
	}
	return heard
}

// obey takes in pauses, their ends and the returns of trains that have come until
// at.
func (q *queued) obey(id topo.PortID, w *qport, at sim.Time) (heard bool) {
	for w.rare.n > 0 && w.rare.first().at <= at {
		s := *w.rare.first()
		w.rare.drop()
		heard = true
		switch s.kind {
		case pause:
			w.paused |= 1 << s.lane
			w.stat.Pauses++
		case resume:
			w.paused &^= 1 << s.lane
		default:
			q.refill(id, w, s.lane, s.cells)
			if s.left > 0 {
				s.left--
				s.at += s.step
				w.rare.put(s)
			}
		}
	}
	return heard
}

// refill books returned cells: to the lane, or with a pool to the pool, from
// which the lanes below their own share are filled up in order.
func (q *queued) refill(id topo.PortID, w *qport, n uint8, cells int32) {
	if q.c.Credits.Shared == 0 {
		q.lane(id, int(n)).credits += cells
		return
	}
	w.shared += cells
	for n := 0; n < q.n && w.shared > 0; n++ {
		l := q.lane(id, n)
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
	l := q.lane(id, n)
	it := q.first(l)
	if q.covers(id, w, l, it.cells, at) {
		return true
	}
	return it.NPkts > 1 && l.credits+w.shared >= it.cells/int32(it.NPkts)
}

// lazy is how many returns may be under way or not heard before they are heard in
// any case, so that their list stays short.
const lazy uint32 = 16

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
	if each := cells / int32(n); n > 1 && each > 0 {
		q.tell(id, signal{at: at, cells: each, lane: n8, left: n - 1, step: step})
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
	l := q.lane(id, int(n8))
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
	l := q.lane(back, n)
	g := q.c.Credits.DataGrain
	if l.owed -= g; l.owed < g {
		w.owing &^= 1 << n
	}
	q.tell(back, signal{at: now + w.wire, cells: g, lane: uint8(n)})
}
