package fabric

import (
	"math/bits"

	"hsim/host/sim"
	"hsim/host/topo"
	"hsim/host/units"
)

// lane is one virtual lane of a link: the packets that wait for it at its
// sender, and the account of it that its receiver keeps. It fills a cache line.
type lane struct {
	list           // packets that wait, in order of arrival
	primed  uint32 // a data packet of this node itself, sent after all of list
	turns   uint32 // 1 + index in queued.turns, 0 before there is one
	credits int32  // cells left, of those whose return was heard
	bytes   int64  // that wait
	deficit int64

	owed     int32 // cells that the receiver has not returned yet
	stopped  bool  // the receiver has sent a pause
	used     int64 // bytes held in the receiver's buffer, headroom apart
	headroom int64 // bytes held in headroom
}

// qport is the egress side of a port that queues, and the link behind it. The
// fields of a cache line are used together.
type qport struct {
	busy    sim.Time // the wire is taken until here
	armed   sim.Time // when the port's event is due, Forever without one
	wire    sim.Time // latency of the link alone
	waiting uint16   // lanes that have packets
	paused  uint16   // lanes that the receiver has stopped
	hungry  bool     // the sender has more and wants to be asked
	feeding bool     // the sender is being asked
	stopped bool     // no lane that has packets may send
	serves  uint8    // lane of the packet in service
	signals signals

	flight  flight   // packets on the link
	latency sim.Time // of the link, plus processing in the switch at its end
	peer    topo.NodeID
	perByte int32    // ps a byte where that is whole and small, else 0
	depth   int64    // bytes that wait
	one     sim.Time // serialisation of one packet of the train in service

	stat    Stat
	rich    uint16 // lanes that may have a deficit counter
	owing   uint16 // lanes whose receiver owes enough cells to send back with data
	next    uint8  // lane whose turn it is
	store   bool   // the switch at the end stores and forwards
	device  bool   // the node has a Feeder
	shared  int32  // cells of the port's pool
	rate    units.Rate
	slack   sim.Time // how much later than it happens a start may be worked out
	since   sim.Time // stopped since then
	toggles signals  // pauses and their ends
	slipped sim.Time // end of the last packet that slipped into the train in service
	alloc   alloc
}

func (p *qport) serial(n uint32) sim.Time {
	if p.perByte > 0 {
		return sim.Time(int64(n) * int64(p.perByte))
	}
	return p.rate.Time(int64(n))
}

func (p *qport) setRate(r units.Rate, perByte int64) {
	p.rate, p.perByte = r, 0
	if perByte <= 1<<20 {
		p.perByte = int32(perByte)
	}
}

// flight is a ring of the packets on a link in order of arrival.
type flight struct {
	buf  []arrival // its length is a power of two
	head uint32
	n    uint32
}

type arrival struct {
	at   sim.Time
	item uint32
}

func (r *flight) put(a arrival) {
	if int(r.n) == len(r.buf) {
		next := make([]arrival, max(2*len(r.buf), 8))
		m := copy(next, r.buf[r.head:])
		copy(next[m:], r.buf[:r.head])
		r.buf, r.head = next, 0
	}
	r.buf[(r.head+r.n)&uint32(len(r.buf)-1)] = a
	r.n++
}

func (r *flight) first() *arrival { return &r.buf[r.head] }

func (r *flight) last() *arrival { return &r.buf[(r.head+r.n-1)&uint32(len(r.buf)-1)] }

func (r *flight) drop() {
	r.head = (r.head + 1) & uint32(len(r.buf)-1)
	if r.n--; r.n == 0 {
		r.head = 0 // start over in memory that is still in the cache
	}
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
	w.stat.Depth = max(w.stat.Depth, w.depth)
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
	}
}

// choose is the lane that sends next at time at, -1 when every lane that has
// packets is stopped.
func (q *queued) choose(id topo.PortID, w *qport, at sim.Time) int {
	if w.toggles.n > 0 {
		q.obey(w, at)
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
		q.lanes[int(id)*q.n+bits.TrailingZeros16(r)].deficit = 0
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
