package kernel

import (
	"container/heap"
	"math/bits"

	"hsim/host/sim"
)

// share divides the HBM rate among the transfers under way: each gets the same
// part, and no more than its core's own rate. Since all get the same, one counter
// of service (bits x 10^12, in 128 bits) says when each is done: when the counter
// has grown by its size. All of it is integers, so nothing drifts.
type share struct {
	e     *Engine
	each  int64 // limit of one transfer in bit/s, 0 = none
	total int64 // limit of all together, 0 = none

	active  moves
	hi, lo  uint64 // service so far
	at      sim.Time
	pending bool // an event is under way for time next
	next    sim.Time
	seq     uint64
}

// rate is what one transfer gets now, 0 = no limit.
func (h *share) rate() uint64 {
	r := h.each
	if h.total > 0 {
		if part := max(h.total/int64(len(h.active)), 1); r == 0 || part < r {
			r = part
		}
	}
	return uint64(r)
}

func (h *share) advance(now sim.Time) {
	if len(h.active) > 0 && now > h.at {
		hi, lo := bits.Mul64(h.rate(), uint64(now-h.at))
		var carry uint64
		h.lo, carry = bits.Add64(h.lo, lo, 0)
		h.hi, _ = bits.Add64(h.hi, hi, carry)
	}
	h.at = now
}

// add starts a transfer of n bytes; its landed is called when they are through.
// It returns false when no limit applies, so that the transfer takes no time.
func (h *share) add(t *transfer, n int64) bool {
	if (h.each == 0 && h.total == 0) || n == 0 {
		return false
	}
	now := h.e.cfg.Sim.Now()
	h.advance(now)
	hi, lo := bits.Mul64(uint64(n)*8, uint64(sim.Second))
	var carry uint64
	t.endLo, carry = bits.Add64(h.lo, lo, 0)
	t.endHi, _ = bits.Add64(h.hi, hi, carry)
	h.seq++
	t.seq = h.seq
	heap.Push(&h.active, t)
	h.arm(now)
	return true
}

// fire ends every transfer that has had its service.
func (h *share) fire(now sim.Time) {
	if h.pending && now >= h.next {
		h.pending = false
	}
	h.advance(now)
	var ended []*transfer
	for len(h.active) > 0 {
		t := h.active[0]
		if t.endHi > h.hi || (t.endHi == h.hi && t.endLo > h.lo) {
			break
		}
		heap.Pop(&h.active)
		ended = append(ended, t)
	}
	h.arm(now)
	for _, t := range ended {
		t.landed(nil)
	}
}

// arm sees that an event comes no later than the next end. Events that come too
// early find nothing to do; none comes after the last end.
func (h *share) arm(now sim.Time) {
	if len(h.active) == 0 {
		return
	}
	t, r := h.active[0], h.rate()
	lo, borrow := bits.Sub64(t.endLo, h.lo, 0)
	hi, _ := bits.Sub64(t.endHi, h.hi, borrow)
	at := sim.Forever
	if hi < r {
		q, rem := bits.Div64(hi, lo, r)
		if rem > 0 {
			q++
		}
		if q < uint64(sim.Forever-now) {
			at = now + sim.Time(q)
		}
	}
	if h.pending && h.next <= at {
		return
	}
	h.pending, h.next = true, at
	h.e.cfg.Sim.At(at, h.e.id, evShare)
}

// moves is a heap of transfers by end of service, then by start.
type moves []*transfer

func (m moves) Len() int { return len(m) }
func (m moves) Less(i, j int) bool {
	a, b := m[i], m[j]
	if a.endHi != b.endHi {
		return a.endHi < b.endHi
	}
	if a.endLo != b.endLo {
		return a.endLo < b.endLo
	}
	return a.seq < b.seq
}
func (m moves) Swap(i, j int) { m[i], m[j] = m[j], m[i] }

// Push implements heap.Interface.
func (m *moves) Push(x any) { *m = append(*m, x.(*transfer)) }

// Pop implements heap.Interface.
func (m *moves) Pop() any {
	old := *m
	t := old[len(old)-1]
	*m = old[:len(old)-1]
	return t
}
