package sim

import "math/bits"

// event is one entry of the queue: when, for whom, and one word of argument.
type event struct {
	t    Time
	arg  uint64
	id   uint32 // handler
	weak bool
}

const (
	digitBits = 6
	slots     = 1 << digitBits
	levels    = (63 + digitBits - 1) / digitBits
)

// bucket is a first-in first-out list of events; its array is kept for reuse.
type bucket struct {
	ev   []event
	head int
}

// queue is a monotone radix queue: an event lies at the level of the highest
// 6-bit digit in which its time differs from the last popped time, so a pop
// touches an event at most once per level and equal times keep push order
// without comparing sequence numbers. Nothing earlier than the last popped time
// may be pushed.
type queue struct {
	last Time
	n    int
	occ  [levels]uint64
	b    [levels][slots]bucket
}

func (q *queue) push(ev event) {
	level := 0
	if x := uint64(ev.t ^ q.last); x >= slots {
		level = (63 - bits.LeadingZeros64(x)) / digitBits
	}
	slot := uint(ev.t>>(digitBits*level)) & (slots - 1)
	b := &q.b[level][slot]
	b.ev = append(b.ev, ev)
	q.occ[level] |= 1 << slot
	q.n++
}

// pop removes the earliest event; the queue must not be empty.
func (q *queue) pop() event {
	for q.occ[0] == 0 {
		q.redistribute()
	}
	slot := bits.TrailingZeros64(q.occ[0])
	b := &q.b[0][slot]
	ev := b.ev[b.head]
	b.head++
	if b.head == len(b.ev) {
		b.ev, b.head = b.ev[:0], 0
		q.occ[0] &^= 1 << slot
	}
	q.last = ev.t
	q.n--
	return ev
}

// redistribute moves the lowest bucket above level 0 down, relative to the
// earliest time in it.
func (q *queue) redistribute() {
	level := 1
	for q.occ[level] == 0 {
		level++
	}
	slot := bits.TrailingZeros64(q.occ[level])
	b := &q.b[level][slot]
	q.occ[level] &^= 1 << slot
	ev := b.ev
	b.ev = b.ev[:0]
	least := ev[0].t
	for i := 1; i < len(ev); i++ {
		if ev[i].t < least {
			least = ev[i].t
		}
	}
	q.last = least
	for i := range ev {
		q.push(ev[i])
	}
	q.n -= len(ev)
}

// peek returns the earliest time without redistributing, which would advance
// last past times that may still be pushed. The queue must not be empty.
func (q *queue) peek() Time {
	level := 0
	for q.occ[level] == 0 {
		level++
	}
	b := &q.b[level][bits.TrailingZeros64(q.occ[level])]
	least := b.ev[b.head].t
	if level > 0 {
		for _, ev := range b.ev[b.head:] {
			least = min(least, ev.t)
		}
	}
	return least
}
