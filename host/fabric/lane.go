package fabric

import (
	"math/bits"

	"hsim/host/sim"
	"hsim/host/topo"
	"hsim/host/units"
)

// lane is one virtual lane of a link: the packets that wait for it at its
// sender, and the account of it that its receiver keeps.
type lane struct {
	list            // packets that wait, in order of arrival
	primed   uint32 // a data packet of this node itself, sent after all of list
	turns    uint32 // 1 + index in queued.turns, 0 before there is one
	credits  int32  // cells left
	owed     int32  // cells that the receiver has not returned yet
	bytes    int64  // that wait
	deficit  int64
	used     int64 // bytes held in the receiver's buffer, headroom apart
	headroom int64 // bytes held in headroom
	stopped  bool  // the receiver has sent a pause
}

// qport is the egress side of a port that queues, and the link behind it.
type qport struct {
	busy    sim.Time // the wire is taken until here
	armed   sim.Time // when the next turn is due, Forever without one
	perByte int64    // ps a byte where that is whole, else 0
	latency sim.Time // of the link, plus processing in the switch at its end
	flight  list     // packets on the link in order of arrival
	waiting uint16   // lanes that have packets
	paused  uint16   // lanes that the receiver has stopped
	owing   uint16   // lanes whose receiver owes enough cells to send back with data
	next    uint8    // lane whose turn it is
	serves  uint8    // lane of the packet in service
	hungry  bool     // the sender has more and wants to be asked
	feeding bool     // the sender is being asked
	store   bool     // the switch at the end stores and forwards
	device  bool     // the node has a Feeder
	peer    topo.NodeID
	shared  int32 // cells of the port's pool

	start   sim.Time // of the train in service
	one     sim.Time // serialisation of one packet of that train
	wire    sim.Time // latency of the link alone
	since   sim.Time // all lanes that have packets have been stopped since then, Forever when not
	depth   int64    // bytes that wait
	signals signals
	alloc   alloc
	rate    units.Rate
}

func (p *qport) serial(n uint32) sim.Time {
	if p.perByte > 0 {
		return sim.Time(int64(n) * p.perByte)
	}
	return p.rate.Time(int64(n))
}

// join puts a packet into its lane.
func (q *queued) join(id topo.PortID, w *qport, i uint32, it *item) {
	l := &q.lanes[int(id)*q.n+int(it.Lane)]
	switch {
	case w.device && it.in < 0 && it.Kind == 0:
		if l.primed != 0 {
			q.append(l, l.primed, q.at(l.primed))
		}
		l.primed = i
		q.occupy(l, 0)
	default:
		q.append(l, i, it)
	}
	l.bytes += int64(it.Wire)
	w.depth += int64(it.Wire)
	w.waiting |= 1 << it.Lane
	if s := &q.f.ports[id].stat; w.depth > s.Depth {
		s.Depth = w.depth
	}
}

func (q *queued) append(l *lane, i uint32, it *item) {
	if q.byTurns {
		q.appendTurn(l, i, it)
		return
	}
	q.push(&l.list, i, it)
}

// first is the packet of a lane that goes next, 0 without one.
func (q *queued) first(l *lane) uint32 {
	if q.byTurns {
		return q.firstTurn(l)
	}
	if l.head != 0 {
		return l.head
	}
	return l.primed
}

// leave takes the first packet i out of its lane.
func (q *queued) leave(w *qport, l *lane, i uint32, it *item) {
	switch {
	case q.byTurns:
		q.leaveTurn(l, i, it)
	case l.head != 0:
		l.head = it.next
	default:
		l.primed = 0
	}
	l.bytes -= int64(it.Wire)
	w.depth -= int64(it.Wire)
	if q.first(l) == 0 {
		w.waiting &^= 1 << it.Lane
		l.deficit = 0
	}
}

// choose is the lane that sends next, -1 when every lane that has packets is
// stopped.
func (q *queued) choose(id topo.PortID, w *qport) int {
	m := w.waiting &^ w.paused
	if m&(m-1) == 0 {
		if n := bits.TrailingZeros16(m); n < 16 && q.affords(id, w, n) {
			return n
		}
		return -1
	}
	for s := m & q.strict; s != 0; s &= s - 1 {
		if n := bits.TrailingZeros16(s); q.affords(id, w, n) {
			return n
		}
	}
	return q.weigh(id, w, m&^q.strict)
}

// weigh is deficit round robin among the lanes m. A lane's turn adds its quantum
// to its deficit and lasts while the deficit covers the lane's first packet. Turns
// are numbered from the one that is on, 0, and those in which nothing would be
// sent are skipped in one step.
func (q *queued) weigh(id topo.PortID, w *qport, m uint16) int {
	best, at := -1, int64(0)
	n := int64(q.n)
	for k := range q.n {
		c := (int(w.next) + k) % q.n
		if m>>c&1 == 0 {
			continue
		}
		if !q.affords(id, w, c) {
			m &^= 1 << c
			continue
		}
		l := &q.lanes[int(id)*q.n+c]
		short := int64(q.at(q.first(l)).Wire) - l.deficit
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
				q.lanes[int(id)*q.n+c].deficit += q.quantum[c] * ((at-d)/n + 1)
			}
		}
		w.next = uint8(best)
	}
	l := &q.lanes[int(id)*q.n+best]
	l.deficit -= int64(q.at(q.first(l)).Wire)
	return best
}

// distance is the number of turns until the next one of lane c begins.
func (q *queued) distance(w *qport, c int) int64 {
	if d := c - int(w.next); d > 0 {
		return int64(d)
	} else {
		return int64(d + q.n)
	}
}
