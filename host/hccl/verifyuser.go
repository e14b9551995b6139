package hccl

import (
	"fmt"
	"slices"
)

// fill is the user writing the input before the operation (and whatever it likes
// into the output), results the user reading the output after it.
func (v *verifier) fill(rank int) error {
	m, i := v.mems[rank], int32(rank*v.streams)
	by := access{thread: i, tick: v.threads[i].clock[i]}
	for _, b := range [...]Buf{Output, Input} {
		at := m.bufs[b]
		pieces := m.pieces(at)
		for j := range pieces {
			if err := v.touch(&pieces[j], by, i, true); err != nil {
				return fmt.Errorf("the user of rank %d writes %v[%d]: %w", rank, b, pieces[j].off-at.lo, err)
			}
		}
		if len(pieces) == 0 {
			continue
		}
		pieces[0].val = value{}
		if b == Input && (v.p.Op != Broadcast || rank == v.p.Root) {
			pieces[0].val = single(rank, 0)
		}
		s := &m.stores[at.store]
		lo := s.find(at.lo)
		*s = slices.Delete(*s, lo+1, lo+len(pieces)) // all written alike: one piece
	}
	return nil
}

func (v *verifier) results() error {
	for r := range v.n {
		m, i := v.mems[r], int32(r*v.streams)
		by := access{thread: i, tick: v.threads[i].clock[i]}
		at := m.bufs[Output]
		if v.p.Op == AllGather || v.p.Op == AllToAll {
			for off := at.lo; off < at.hi; off += v.p.Count * v.p.Elem {
				m.stores[at.store].cut(off, m.elem)
			}
		}
		pieces := m.pieces(at)
		for j := range pieces {
			elem := (pieces[j].off - at.lo) / v.p.Elem
			if err := v.touch(&pieces[j], by, i, false); err != nil {
				return fmt.Errorf("the user of rank %d reads output element %d: %w", r, elem, err)
			}
			if want := v.want(r, elem); pieces[j].val != want {
				return fmt.Errorf("rank %d: output element %d is %v, want %v", r, elem, pieces[j].val, want)
			}
		}
	}
	return nil
}

// want is what output element i of a rank must be.
func (v *verifier) want(r int, i int64) (w value) {
	count := v.p.Count
	switch v.p.Op {
	case Broadcast:
		return single(v.p.Root, i)
	case AllGather:
		return single(int(i/count), i%count)
	case AllToAll:
		return single(int(i/count), int64(r)*count+i%count)
	}
	for q := range v.n {
		w.ranks[q/64] |= 1 << (q % 64)
	}
	w.elem = i
	if v.p.Op == ReduceScatter {
		w.elem += int64(r) * count
	}
	return w
}
