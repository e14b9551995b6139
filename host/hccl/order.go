package hccl

import (
	"fmt"

	"hsim/host/mem"
)

// Merges yields the reduction tree of one chunk at one level as combinations in order: the
// partial result of rank dst becomes itself combined with that of rank src (the
// own input at first). The last dst holds the result. All operators of HCCL are
// commutative, so a tree fixes the bits of the result; rank counts and
// algorithms that share a tree share results.
//
// ring: (((x[c+1] x[c+2]) x[c+3]) ...) x[c] for chunk c. mesh, both forms:
// ascending, ((x[0] x[1]) x[2]) ... nhr: halving, the partner at distance 1
// first, then 2, 4 ... rhd: the partner at the largest distance first.
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
	case RHD:
		for d := p / 2; d > 0; d /= 2 {
			// The ranks that keep chunk c at distance d get it from their partners.
			for low := range d {
				dst := chunk&^(d-1) | low
				if !yield(dst, dst^d) {
					return
				}
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

// Tree is the order in which one chunk of every rank's input is combined: at one
// level, or at two, the second on the results of the first. Rank (x, y) of two
// levels is x*step of the first + y*step of the second.
type Tree struct{ levels [2]treeLevel }

type treeLevel struct {
	alg            Algorithm
	p, step, chunk int
}

// Merges yields the combinations of all levels in order.
func (t *Tree) Merges(yield func(dst, src int) bool) {
	a, b := &t.levels[0], &t.levels[1]
	last, more := 0, true
	for y := 0; more && y < max(b.p, 1); y++ {
		Merges(a.alg, a.p, a.chunk, func(dst, src int) bool {
			last = dst
			more = yield(dst*a.step+y*b.step, src*a.step+y*b.step)
			return more
		})
	}
	if more && b.p > 1 {
		Merges(b.alg, b.p, b.chunk, func(dst, src int) bool { return yield(last*a.step+dst*b.step, last*a.step+src*b.step) })
	}
}

// Reference combines one chunk of every rank in the order of the tree and returns
// the result; inputs are not changed. All inputs have the length of the chunk. It
// is what a run must equal bit for bit.
func (t *Tree) Reference(inputs [][]byte, dt mem.Dtype, op mem.Op, mode mem.Overflow) ([]byte, error) {
	if len(inputs) == 0 {
		return nil, fmt.Errorf("hccl: reference: got no inputs")
	}
	part := make([][]byte, len(inputs))
	for r, b := range inputs {
		part[r] = append([]byte(nil), b...)
	}
	last := 0
	var err error
	t.Merges(func(dst, src int) bool {
		last = dst
		_, err = mem.Reduce(part[dst], part[src], dt, op, mode)
		return err == nil
	})
	return part[last], err
}

// Chunks yields the tree and byte range of every part of a rank's input that is
// reduced in one tree, stream by stream and round by round: for all_reduce over
// the vector, for reduce_scatter over the part of rank p.Rank.
func Chunks(p Params, yield func(t *Tree, off, n int64) bool) error {
	for s := range p.Streams() {
		it, err := newIter(p, int32(s))
		if err != nil {
			return err
		}
		for !it.over && it.chunks(it.first+it.done, min(it.unit, it.count-it.done), yield) {
			it.nextRound()
		}
	}
	return nil
}

// chunks of an algorithm over all ranks.
func (f *flat) chunks(_, _ int64, yield func(t *Tree, off, n int64) bool) bool {
	p, l := f.prm, &f.input
	t := &Tree{}
	t.levels[0] = treeLevel{alg: p.Alg, p: p.Ranks, step: 1}
	if p.Op == AllReduce && p.Alg == MeshOneShot || p.Ranks == 1 {
		return yield(t, l.off, l.len(0))
	}
	for c := range f.p {
		if p.Op == ReduceScatter && c != f.r {
			continue
		}
		t.levels[0].chunk = int(c)
		if n := l.len(c); n > 0 && !yield(t, l.at(c), n) {
			return false
		}
	}
	return true
}

// chunks of a two-level algorithm.
func (t *twoLevel) chunks(e, n int64, yield func(t *Tree, off, n int64) bool) bool {
	o, i, elem := &t.outer, &t.inner, t.prm.Elem
	tree := &Tree{}
	tree.levels[0] = treeLevel{alg: t.oAlg, p: int(o.p), step: int(o.step), chunk: int(o.r)}
	tree.levels[1] = treeLevel{alg: t.iAlg, p: int(i.p), step: int(i.step), chunk: int(i.r)}
	if t.prm.Op == ReduceScatter {
		return yield(tree, (int64(t.prm.Rank)*t.prm.Count+e)*elem, n*elem)
	}
	whole := split(e*elem, n, elem, o.p)
	for x := range o.p {
		part := split(whole.at(x), whole.len(x)/elem, elem, i.p)
		for y := range i.p {
			tree.levels[0].chunk, tree.levels[1].chunk = int(x), int(y)
			if n := part.len(y); n > 0 && !yield(tree, part.at(y), n) {
				return false
			}
		}
	}
	return true
}
