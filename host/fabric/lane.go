package fabric

import (
	"math/bits"
	"unsafe"

	"hsim/host/sim"
	"hsim/host/topo"
)

// lane is one virtual lane of a link at its sender. It fills a cache line.
type lane struct {
	ring[uint32]        // items in order of arrival
	primed       uint32 // a data packet of this node itself, sent after the others
	turns        uint32 // 1 + index in queued.turns, 0 before there is one
	credits      int32  // cells left, of those whose return was heard
	owed         int32  // cells that the receiver has not returned yet
	bytes        int64  // that wait
	deficit      int64
}

// lane is lane n of port id.
func (q *queued) lane(id topo.PortID, n int) *lane {
	if w := &q.ports[id]; int(w.homeIs) == n+1 {
		return &w.home
	}
	return &q.lanes[n*len(q.ports)+int(id)]
}

// makeHome gives a port its home lane, the one of its first packet.
func (w *qport) makeHome(n uint8, credits int32) {
	w.homeIs = n + 1
	w.home.credits = credits
	w.home.buf = w.laneMem[:]
}

// join puts a packet into its lane.
func (q *queued) join(id topo.PortID, w *qport, it *item) {
	l := q.lane(id, int(it.Lane))
	if w.device && it.in < 0 && it.Kind == kindData {
		// It stays behind all others of its lane.
		if l.primed != 0 {
			q.append(l, q.at(l.primed))
		}
		l.primed = it.self
		if q.byTurns {
			q.occupy(l, 0)
		}
	} else {
		q.append(l, it)
	}
	l.bytes += int64(it.Wire)
	w.depth += int64(it.Wire)
	w.waiting |= 1 << it.Lane
	if w.ahead && !w.listed {
		w.listed = true
		node := &q.f.nodes[w.owner]
		node.waiting = append(node.waiting, id)
	}
	w.sent.depth = max(w.sent.depth, w.depth)
}

func (q *queued) append(l *lane, it *item) {
	if q.byTurns {
		q.appendTurn(l, it)
		return
	}
	l.put(it.self)
}

// first is the packet of a lane that goes next; the lane must not be empty.
func (q *queued) first(l *lane) *item {
	switch {
	case q.byTurns:
		return q.firstTurn(l)
	case l.n > 0:
		return q.at(*l.ring.first())
	}
	return q.at(l.primed)
}

// leave takes the first packet out of its lane.
func (q *queued) leave(w *qport, l *lane, it *item) {
	l.bytes -= int64(it.Wire)
	w.depth -= int64(it.Wire)
	empty := false
	switch {
	case q.byTurns:
		empty = q.leaveTurn(l, it.NPkts)
	case l.n > 0:
		l.drop()
		if l.n > 0 {
			fetch(unsafe.Pointer(q.at(*l.ring.first())))
		}
		empty = l.n == 0 && l.primed == 0
	default:
		l.primed = 0
		empty = true
	}
	if empty {
		w.waiting &^= 1 << it.Lane
	}
}

// choose is the lane that sends next at time at, -1 when every lane that has
// packets is stopped.
func (q *queued) choose(id topo.PortID, w *qport, at sim.Time) int {
	if w.rare.n > 0 {
		q.obey(id, w, at)
	}
	m := w.waiting &^ w.paused
	if m&(m-1) == 0 {
		if n := bits.TrailingZeros16(m); n < 16 && q.affords(id, w, n, at) {
			return n
		}
		return -1
	}
	for s := m & q.strict; s != 0; s &= s - 1 {
		if n := bits.TrailingZeros16(s); q.affords(id, w, n, at) {
			return n
		}
	}
	return q.weigh(id, w, m&^q.strict, at)
}

// weigh is deficit round robin among the lanes m. A lane's turn adds its quantum
// to its deficit and lasts while the deficit covers the lane's first packet. Turns
// are numbered from the one that is on, 0, and those in which nothing would be
// sent are skipped in one step.
func (q *queued) weigh(id topo.PortID, w *qport, m uint16, now sim.Time) int {
	best, at := -1, int64(0)
	n := int64(q.n)
	for r := w.rich &^ w.waiting; r != 0; r &= r - 1 { // who has nothing to send saves nothing
		q.lane(id, bits.TrailingZeros16(r)).deficit = 0
	}
	w.rich = w.waiting &^ q.strict
	for k := range q.n {
		c := (int(w.next) + k) % q.n
		if m>>c&1 == 0 {
			continue
		}
		if !q.affords(id, w, c, now) {
			m &^= 1 << c
			continue
		}
		l := q.lane(id, c)
		short := q.cost(w, l) - l.deficit
		if k == 0 && short <= 0 {
			best, at = c, 0
			break
		}
		rounds := max(1, (short+q.quantum[c]-1)/q.quantum[c])
		if turn := (rounds-1)*n + q.distance(w, c); best < 0 || turn < at {
			best, at = c, turn
		}
	}
	if best < 0 {
		return -1
	}
	if at > 0 {
		for r := m; r != 0; r &= r - 1 {
			c := bits.TrailingZeros16(r)
			if d := q.distance(w, c); d <= at {
				q.lane(id, c).deficit += q.quantum[c] * ((at-d)/n + 1)
			}
		}
		w.next = uint8(best)
	}
	l := q.lane(id, best)
	l.deficit -= q.cost(w, l)
	return best
}

// cost is the bytes of what a lane would send next.
func (q *queued) cost(w *qport, l *lane) int64 {
	it := q.first(l)
	if some := q.some(w, l, it); some < it.NPkts {
		return int64(it.Wire/it.NPkts) * int64(some)
	}
	return int64(it.Wire)
}

// distance is the number of turns until the next one of lane c begins.
func (q *queued) distance(w *qport, c int) int64 {
	d := c - int(w.next)
	if d <= 0 {
		d += q.n
	}
	return int64(d)
}
