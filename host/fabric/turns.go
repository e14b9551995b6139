package fabric

import (
	"math/bits"

	"hsim/host/topo"
)

// turns are the queues of one lane where the ports that packets came in by take
// turns: one each, and the first for what the node itself sends.
type turns struct {
	lists []list
	some  []uint64 // which lists have packets, one bit each
	next  int32
	n     int32 // how many have
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
func (q *queued) occupy(l *lane, slot int) {
	if !q.byTurns {
		return
	}
	t := q.turnsOf(l)
	for slot >= len(t.lists) {
		t.lists = append(t.lists, list{})
	}
	for slot>>6 >= len(t.some) {
		t.some = append(t.some, 0)
	}
	if t.some[slot>>6]>>(slot&63)&1 == 0 {
		t.some[slot>>6] |= 1 << (slot & 63)
		t.n++
	}
}

func (q *queued) turnsOf(l *lane) *turns {
	if l.turns == 0 {
		q.turns = append(q.turns, turns{})
		l.turns = uint32(len(q.turns))
	}
	return &q.turns[l.turns-1]
}

func (q *queued) appendTurn(l *lane, i uint32, it *item) {
	slot := q.slotOf(it.in)
	q.occupy(l, slot)
	q.push(&q.turnsOf(l).lists[slot], i, it)
}

// current is the queue whose turn it is, -1 when all are empty.
func (t *turns) current() int {
	if t.n == 0 {
		return -1
	}
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

func (q *queued) firstTurn(l *lane) uint32 {
	if l.turns == 0 {
		return 0
	}
	t := &q.turns[l.turns-1]
	slot := t.current()
	if slot < 0 {
		return 0
	}
	if h := t.lists[slot].head; h != 0 {
		return h
	}
	return l.primed
}

func (q *queued) leaveTurn(l *lane, i uint32, it *item) {
	t := &q.turns[l.turns-1]
	slot := t.current()
	if s := &t.lists[slot]; s.head == i {
		s.head = it.next
	} else {
		l.primed = 0
	}
	if t.lists[slot].head == 0 && (slot > 0 || l.primed == 0) {
		t.some[slot>>6] &^= 1 << (slot & 63)
		t.n--
	}
	if t.next = int32(slot + 1); int(t.next) == len(t.some)<<6 {
		t.next = 0
	}
}
