package hccl

import (
	"fmt"
	"math/bits"
	"slices"
	"sort"
	"strings"
)

// value is what the elements of a piece hold: the first one holds input element
// elem, summed over ranks, and the others the elements after it.
type value struct {
	elem  int64
	ranks rankSet
}

// rankSet is a set of up to MaxVerifyRanks ranks.
type rankSet [3]uint64

func single(rank int, elem int64) (v value) {
	v.elem = elem
	v.ranks[rank/64] = 1 << (rank % 64)
	return v
}

func (s *rankSet) empty() bool { return s[0]|s[1]|s[2] == 0 }

func (s *rankSet) meets(o *rankSet) bool { return s[0]&o[0]|s[1]&o[1]|s[2]&o[2] != 0 }

func (s *rankSet) add(o *rankSet) {
	for i := range s {
		s[i] |= o[i]
	}
}

func (v value) String() string {
	if v.ranks.empty() {
		return "nothing"
	}
	n := 0
	for _, w := range v.ranks {
		n += bits.OnesCount64(w)
	}
	var s []string
	for r := range 64 * len(v.ranks) {
		if v.ranks[r/64]>>(r%64)&1 != 0 && len(s) < 16 {
			s = append(s, fmt.Sprint(r))
		}
	}
	if n > len(s) {
		s = append(s, fmt.Sprintf("... (%d ranks)", n))
	}
	return fmt.Sprintf("element %d of ranks %s", v.elem, strings.Join(s, ","))
}

// piece is a run of bytes that were always treated alike. It ends where the next
// one begins.
type piece struct {
	off   int64
	val   value
	write access
	reads []access
}

// store is one block of memory as pieces in order; a last one without content
// marks the end.
type store []piece

func newStore(n int64) store { return store{{off: 0}, {off: n}} }

func (s store) size() int64 { return s[len(s)-1].off }

// find is the index of the piece that begins at or before off.
func (s store) find(off int64) int {
	return sort.Search(len(s), func(i int) bool { return s[i].off > off }) - 1
}

// cut makes off the beginning of a piece and returns that piece's index.
func (s *store) cut(off, elem int64) int {
	i := s.find(off)
	p := &(*s)[i]
	if p.off == off {
		return i
	}
	q := *p
	q.off = off
	q.reads = slices.Clone(p.reads)
	if !q.val.ranks.empty() {
		q.val.elem += (off - p.off) / elem
	}
	*s = slices.Insert(*s, i+1, q)
	return i + 1
}

// place is a run of bytes of one store.
type place struct {
	store  int
	lo, hi int64
}

// memory is what one rank has: stores, and where its buffers lie in them.
type memory struct {
	elem   int64
	stores [numBufs]store
	bufs   [numBufs]place
}

func newMemory(p *Params, scratch int64) *memory {
	m := &memory{elem: p.Elem, bufs: placesOf(p, scratch)}
	for _, b := range m.bufs {
		if s := &m.stores[b.store]; *s == nil || s.size() < b.hi {
			*s = newStore(b.hi)
		}
	}
	return m
}

// placesOf says where the buffers of p.Rank lie: in a store of their own, or
// inside one another in place.
func placesOf(p *Params, scratch int64) (bufs [numBufs]place) {
	in, out := p.InBytes(), p.OutBytes()
	at := int64(p.Rank) * p.Count * p.Elem
	bufs[Scratch] = place{int(Scratch), 0, scratch}
	bufs[Input] = place{int(Input), 0, in}
	switch {
	case p.Op == Broadcast, p.InPlace && in == out:
		bufs[Output] = bufs[Input]
	case p.InPlace && in > out:
		bufs[Output] = place{int(Input), at, at + out}
	case p.InPlace:
		bufs[Output] = place{int(Input), 0, out}
		bufs[Input] = place{int(Input), at, at + in}
	default:
		bufs[Output] = place{int(Output), 0, out}
	}
	return bufs
}

func (m *memory) at(l Loc, n int64) (place, error) {
	b := m.bufs[l.Buf]
	if l.Off < 0 || n < 0 || l.Off%m.elem != 0 || n%m.elem != 0 || l.Off > b.hi-b.lo-n {
		return place{}, fmt.Errorf("%v, %d bytes: outside the buffer of %d bytes, or not whole elements of %d bytes", l, n, b.hi-b.lo, m.elem)
	}
	return place{b.store, b.lo + l.Off, b.lo + l.Off + n}, nil
}

// pieces are the pieces of a place.
func (m *memory) pieces(p place) []piece {
	s := &m.stores[p.store]
	if p.lo == p.hi {
		return nil
	}
	lo := s.cut(p.lo, m.elem)
	hi := s.cut(p.hi, m.elem)
	return (*s)[lo:hi]
}

// align cuts two places of equal length, in m and in o, at the same distances
// from their beginnings, and returns their pieces. The places do not overlap, or
// are one.
func align(m *memory, a place, o *memory, b place) (x, y []piece) {
	o.cutAt(b, m.pieces(a), a.lo)
	m.cutAt(a, o.pieces(b), b.lo)
	return m.pieces(a), o.pieces(b)
}

// cutAt cuts a place where pieces of another one begin; lo is the other's start.
func (m *memory) cutAt(p place, like []piece, lo int64) {
	at := make([]int64, len(like))
	for i := range like {
		at[i] = p.lo + like[i].off - lo
	}
	for _, off := range at {
		m.stores[p.store].cut(off, m.elem)
	}
}
