package fabric

import (
	"math/bits"

	"hsim/host/topo"
)

// turns are the queues of one lane where the ports that packets came in by take
// turns: one each, and the first for what the node itself sends.
type turns struct {
	queues []ring[ticket]
	some   []uint64 // which queues have packets, one bit each
	next   int32
	n      int32 // how many have
}

// slotOf numbers the queue of a packet that came in from the port at the other
// end of a link.
func (q *queued) slotOf(in topo.PortID) int {
	if in < 0 {
		return 0
	}
	return int(q.slots[in])
}

// occupy notes that a queue of l has a packet.
func (q *queued) occupy(l *lane, slot int) *turns {
	t := q.turnsOf(l)
	for slot >= len(t.queues) {
		t.queues = append(t.queues, ring[ticket]{})
	}
	for slot>>6 >= len(t.some) {
		t.some = append(t.some, 0)
	}
	if t.some[slot>>6]>>(slot&63)&1 == 0 {
		t.some[slot>>6] |= 1 << (slot & 63)
		t.n++
	}
	return t
}

func (q *queued) turnsOf(l *lane) *turns {
	if l.turns == 0 {
		q.turns = append(q.turns, turns{})
		l.turns = uint32(len(q.turns))
	}
	return &q.turns[l.turns-1]
}

func (q *queued) appendTurn(l *lane, x *ticket) {
	slot := q.slotOf(x.in)
	q.occupy(l, slot).queues[slot].put(*x)
}

// current is the queue whose turn it is; one of them must have packets.
func (t *turns) current() int {
	word := int(t.next) >> 6
	m := t.some[word] &^ (1<<(t.next&63) - 1)
	for m == 0 {
		if word++; word == len(t.some) {
			word = 0
		}
		m = t.some[word]
	}
	return word<<6 + bits.TrailingZeros64(m)
}

func (q *queued) firstTurn(l *lane) *ticket {
	t := &q.turns[l.turns-1]
	if r := &t.queues[t.current()]; r.n > 0 {
		return r.first()
	}
	return &q.primed[l.primed-1]
}

// leaveTurn takes the first packet out and says whether the lane is empty now.
func (q *queued) leaveTurn(l *lane) bool {
	t := &q.turns[l.turns-1]
	slot := t.current()
	if r := &t.queues[slot]; r.n > 0 {
		r.drop()
	} else {
		q.unprime(l)
	}
	if t.queues[slot].n == 0 && (slot > 0 || l.primed == 0) {
		t.some[slot>>6] &^= 1 << (slot & 63)
		t.n--
	}
	if t.next = int32(slot + 1); int(t.next) == len(t.some)<<6 {
		t.next = 0
	}
	return t.n == 0
}
