package fabric

import (
	"math/bits"

	"hsim/host/topo"
)

// turns are the queues of one lane where the ports that packets came in by take
// turns: one each, and the first for what the node itself sends. A turn is one
// packet, so that a queue which has sent a train lets as many turns pass.
type turns struct {
	queues []ring[uint32]
	some   []uint64 // which queues have packets, one bit each
	passes []uint32 // turns that each queue lets pass
	next   int32
	n      int32 // how many have packets
	debts  int32 // how many let turns pass
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
		t.queues = append(t.queues, ring[uint32]{})
		t.passes = append(t.passes, 0)
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

func (q *queued) appendTurn(l *lane, it *item) {
	slot := q.slotOf(it.in)
	q.occupy(l, slot).queues[slot].put(it.self)
}

// current is the queue whose turn it is; one of them must have packets.
func (t *turns) current() int {
	if t.debts > 0 {
		slot, _ := t.least()
		return slot
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

// least is the queue with packets that lets the fewest turns pass, of several the
// one whose turn comes first, and how many rounds end before it.
func (t *turns) least() (best int, rounds uint32) {
	best = -1
	for k := range t.queues {
		slot := (int(t.next) + k) % len(t.queues)
		if t.some[slot>>6]>>(slot&63)&1 != 0 && (best < 0 || t.passes[slot] < rounds) {
			best, rounds = slot, t.passes[slot]
		}
	}
	return best, rounds
}

// pass lets the turns go by that come before the one of slot.
func (t *turns) pass(slot int) {
	_, rounds := t.least()
	before := true // queues of the last round that come before slot
	for k := range t.queues {
		c := (int(t.next) + k) % len(t.queues)
		before = before && c != slot
		n := rounds
		if before {
			n++
		}
		if t.passes[c] > 0 && n > 0 {
			if t.passes[c] -= min(n, t.passes[c]); t.passes[c] == 0 {
				t.debts--
			}
		}
	}
}

func (q *queued) firstTurn(l *lane) *item {
	t := &q.turns[l.turns-1]
	if r := &t.queues[t.current()]; r.n > 0 {
		return q.at(*r.first())
	}
	return q.at(l.primed)
}

// leaveTurn takes the first packet, or a train of n, out and says whether the lane
// is empty now.
func (q *queued) leaveTurn(l *lane, n uint32) bool {
	t := &q.turns[l.turns-1]
	slot := t.current()
	if t.debts > 0 {
		t.pass(slot)
	}
	if n > 1 {
		t.passes[slot] = n - 1
		t.debts++
	}
	if r := &t.queues[slot]; r.n > 0 {
		r.drop()
	} else {
		l.primed = 0
	}
	if t.queues[slot].n == 0 && (slot > 0 || l.primed == 0) {
		t.some[slot>>6] &^= 1 << (slot & 63)
		t.n--
	}
	if t.next = int32(slot + 1); int(t.next) >= len(t.queues) {
		t.next = 0
	}
	return t.n == 0
}
