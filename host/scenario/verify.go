package scenario

import (
	"bytes"
	"fmt"

	"hsim/host/hccl"
	"hsim/host/mem"
)

// tileElements is how many elements are made at once: a whole number of periods.
const tileElements = period * 64

// tile is a run of elements that repeats with the period, ready to be written or compared from any phase on.
type tile struct {
	bytes []byte
	size  int64 // of an element
}

// newTile makes the tile of value, which must have the period.
func newTile(dt mem.Dtype, value func(i int64) int64) tile {
	size := dt.Size()
	t := tile{bytes: make([]byte, (tileElements+period)*size), size: size}
	one := t.bytes[:period*size]
	for i := range int64(period) {
		store(one[i*size:(i+1)*size], dt, value(i))
	}
	for done := len(one); done < len(t.bytes); done *= 2 {
		copy(t.bytes[done:], t.bytes[:done])
	}
	return t
}

// each yields consecutive parts of the endless tile that cover the bytes from..to.
func (t tile) each(from, to int64, f func(part []byte) bool) {
	cycle := period * t.size
	for from < to {
		phase := from % cycle
		n := min(to-from, tileElements*t.size)
		if !f(t.bytes[phase : phase+n]) {
			return
		}
		from += n
	}
}

// fill writes the elements first.. of a rank's input to n bytes at a.
func (p *pattern) fill(s *mem.Space, a mem.Addr, rank int, n int64) error {
	size := p.dt.Size()
	if p.input == InputRank && p.op == hccl.ReduceScatter {
		// Constant within a piece, different between pieces.
		for piece := range p.ranks {
			t := newTile(p.dt, func(int64) int64 { return 10 + piece })
			if err := t.write(s, a+mem.Addr(piece*p.count*size), 0, p.count*size); err != nil {
				return err
			}
		}
		return nil
	}
	return newTile(p.dt, func(i int64) int64 { return p.at(rank, i) }).write(s, a, 0, n)
}

func (t tile) write(s *mem.Space, a mem.Addr, from, n int64) error {
	pos := from
	return s.Pieces(a, n, func(piece []byte) error {
		t.each(pos, pos+int64(len(piece)), func(part []byte) bool {
			piece = piece[copy(piece, part):]
			pos += int64(len(part))
			return true
		})
		return nil
	})
}

// mismatch is the first wrong element of an output.
type mismatch struct {
	rank    int
	element int64
	got     float64
	want    float64
}

func (m *mismatch) String() string {
	return fmt.Sprintf("rank %d, element %d: got %v, want %v", m.rank, m.element, m.got, m.want)
}

// check compares every rank's output with what it must be; nil when all are right.
func (p *pattern) check(s *mem.Space, outputs []mem.Addr) (*mismatch, error) {
	switch p.op {
	case hccl.AllGather, hccl.AllToAll:
		// One tile per source rank; its piece stands in every output.
		for src := range outputs {
			t := newTile(p.dt, func(i int64) int64 { return p.at(src, i) })
			for r, a := range outputs {
				from := int64(0)
				if p.op == hccl.AllToAll {
					from = int64(r) * p.count
				}
				if m, err := p.compare(s, t, a, r, int64(src)*p.count, from, p.count); m != nil || err != nil {
					return m, err
				}
			}
		}
		return nil, nil
	}
	shared := newTile(p.dt, func(i int64) int64 { return p.want(0, i) })
	for r, a := range outputs {
		t, from := shared, int64(0)
		if p.op == hccl.ReduceScatter {
			if from = int64(r) * p.count; p.input == InputRank {
				t = newTile(p.dt, func(int64) int64 { return p.want(r, 0) })
			} else if r == 0 {
				shared = newTile(p.dt, p.reduced)
				t = shared
			}
		}
		if m, err := p.compare(s, t, a, r, 0, from, p.count); m != nil || err != nil {
			return m, err
		}
	}
	return nil, nil
}

// compare holds n elements of rank r's output at element `at` against the tile from element `from` on.
func (p *pattern) compare(s *mem.Space, t tile, a mem.Addr, r int, at, from, n int64) (*mismatch, error) {
	var bad *mismatch
	size := p.dt.Size()
	pos := from * size
	err := s.Pieces(a+mem.Addr(at*size), n*size, func(piece []byte) error {
		start := pos
		t.each(start, start+int64(len(piece)), func(part []byte) bool {
			if got := piece[:len(part)]; bad == nil && !bytes.Equal(got, part) {
				bad = p.locate(got, part, r, at+pos/size-from)
			}
			piece, pos = piece[len(part):], pos+int64(len(part))
			return bad == nil
		})
		return nil
	})
	return bad, err
}

func (p *pattern) locate(got, want []byte, rank int, first int64) *mismatch {
	size := int(p.dt.Size())
	for i := 0; i+size <= len(got); i += size {
		if !bytes.Equal(got[i:i+size], want[i:i+size]) {
			return &mismatch{rank: rank, element: first + int64(i/size), got: fetch(got[i:i+size], p.dt), want: fetch(want[i:i+size], p.dt)}
		}
	}
	return nil
}
