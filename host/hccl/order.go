package hccl

import (
	"fmt"

	"hsim/host/mem"
)

// Merges yields the reduction tree of one chunk as combinations in order: the
// partial result of rank dst becomes itself combined with that of rank src (the
// own input at first). The last dst holds the result. All operators of HCCL are
// commutative, so a tree fixes the bits of the result; rank counts and
// algorithms that share a tree share results.
//
// ring: (((x[c+1] x[c+2]) x[c+3]) ...) x[c] for chunk c. mesh, both forms:
// ascending, ((x[0] x[1]) x[2]) ... nhr: halving, the partner at distance 1
// first, then 2, 4 ...
func Merges(a Algorithm, ranks, chunk int, yield func(dst, src int) bool) {
	p := ranks
	switch a {
	case Ring:
		for k := 2; k <= p; k++ {
			// The travelling partial comes to rank c+k and is combined there.
			if !yield((chunk+k)%p, (chunk+k-1)%p) {
				return
			}
		}
	case Mesh, MeshOneShot:
		for q := 1; q < p; q++ {
			if !yield(0, q) {
				return
			}
		}
	case NHR:
		for d := 1; d < p; d *= 2 {
			// Rank c+2di gets chunk c from rank c+2di+d.
			for i := 0; i < (p-1+d)/(2*d); i++ {
				if !yield((chunk+2*d*i)%p, (chunk+2*d*i+d)%p) {
					return
				}
			}
		}
	}
}

// ReduceReference combines one chunk of every rank in the order of the
// algorithm and returns the result; inputs are not changed. All inputs have the
// length of the chunk. It is what a run must equal bit for bit.
func ReduceReference(a Algorithm, chunk int, inputs [][]byte, dt mem.Dtype, op mem.Op, mode mem.Overflow) ([]byte, error) {
	if len(inputs) == 0 {
		return nil, fmt.Errorf("hccl: reference: got no inputs")
	}
	part := make([][]byte, len(inputs))
	for r, b := range inputs {
		part[r] = append([]byte(nil), b...)
	}
	last := 0
	var err error
	Merges(a, len(inputs), chunk, func(dst, src int) bool {
		last = dst
		_, err = mem.Reduce(part[dst], part[src], dt, op, mode)
		return err == nil
	})
	return part[last], err
}

// Chunks yields the chunk number and byte range of every part of a rank's input
// that is reduced in one tree, round by round: for all_reduce over the vector,
// for reduce_scatter over the part of rank p.Rank.
func Chunks(p Params, yield func(chunk int, off, n int64) bool) error {
	it, err := NewIter(p)
	if err != nil {
		return err
	}
	for ; !it.over; it.skipRound() {
		l := it.f.input
		if p.Op == AllReduce && p.Alg == MeshOneShot || p.Ranks == 1 {
			if !yield(0, l.off, l.len(0)) {
				return nil
			}
			continue
		}
		for c := range it.f.p {
			if p.Op == ReduceScatter && c != it.f.r {
				continue
			}
			if n := l.len(c); n > 0 && !yield(int(c), l.at(c), n) {
				return nil
			}
		}
	}
	return nil
}

func (it *Iter) skipRound() {
	it.done += it.unit
	it.round++
	if it.round >= it.rounds {
		it.over = true
		return
	}
	it.begin()
}
