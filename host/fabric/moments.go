package fabric

import "hsim/host/sim"

// moment is something that happens at a node in its window: how long after the
// window's beginning, what, and where.
type moment uint64

const (
	whichBits = 24
	kindBits  = 2
)

const (
	arrival = iota // from the link of a port
	sending        // of a frame
	choice         // of a port
)

func momentOf(after sim.Time, kind uint8, which uint32) moment {
	return moment(max(after, 0))<<(whichBits+kindBits) | moment(kind)<<whichBits | moment(which)
}

func (m moment) after() sim.Time { return sim.Time(m >> (whichBits + kindBits)) }
func (m moment) kind() uint8     { return uint8(m>>whichBits) & (1<<kindBits - 1) }
func (m moment) which() uint32   { return uint32(m & (1<<whichBits - 1)) }

// moments is a binary heap with the first one on top.
type moments []moment

func (h moments) build() {
	for i := len(h)/2 - 1; i >= 0; i-- {
		h.sink(i)
	}
}

func (h *moments) add(m moment) {
	*h = append(*h, m)
	s := *h
	i := len(s) - 1
	for i > 0 && s[(i-1)/2] > m {
		s[i] = s[(i-1)/2]
		i = (i - 1) / 2
	}
	s[i] = m
}

// renew puts m in place of the first moment.
func (h moments) renew(m moment) {
	h[0] = m
	h.sink(0)
}

// drop removes the first moment.
func (h *moments) drop() {
	s := *h
	last := len(s) - 1
	s[0] = s[last]
	s = s[:last]
	*h = s
	if last > 1 {
		s.sink(0)
	}
}

func (h moments) sink(i int) {
	m := h[i]
	for {
		c := 2*i + 1
		if c >= len(h) {
			break
		}
		if c+1 < len(h) && h[c+1] < h[c] {
			c++
		}
		if h[c] >= m {
			break
		}
		h[i] = h[c]
		i = c
	}
	h[i] = m
}
