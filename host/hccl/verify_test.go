package hccl

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func sizes() []int {
	var list []int
	for p := 1; p <= 33; p++ {
		list = append(list, p)
	}
	return append(list, 64, 100, 128)
}

func TestEveryPlanIsProven(t *testing.T) {
	for op := range numOps {
		for _, alg := range Algorithms(op) {
			t.Run(fmt.Sprintf("%v/%v", op, alg), func(t *testing.T) {
				for _, p := range sizes() {
					if !alg.Fits(p, 0) {
						continue
					}
					counts := []int64{1, int64(p), int64(2*p + 3), int64(max(p-1, 1))}
					if op == AllToAll || op == AllGather || op == ReduceScatter {
						counts = []int64{1, 3}
					}
					if p > 33 {
						counts = counts[len(counts)-2 : len(counts)-1]
					}
					roots := []int{0}
					if op == Broadcast {
						roots = []int{0, p / 2, p - 1}
					}
					for i, count := range counts {
						for _, root := range roots {
							prm := Params{Op: op, Alg: alg, Ranks: p, Root: root, Count: count, Elem: 2}
							require.NoError(t, Verify(prm, nil))
							if op != AllToAll && op != Broadcast {
								// In place on every rank, or on every other one.
								require.NoError(t, Verify(prm, func(r int) bool { return i%2 == 0 || r%2 == 0 }), "in place")
							}
						}
					}
				}
			})
		}
	}
}

// A large vector is proven on one of a few elements with the same remainder and
// more than one round where there was.
func TestVerifyScalesLargeVectorsDown(t *testing.T) {
	for op := range numOps {
		for _, alg := range Algorithms(op) {
			ranks := 6
			if !alg.Fits(ranks, 0) {
				ranks = 8
			}
			require.NoError(t, Verify(Params{Op: op, Alg: alg, Ranks: ranks, Count: 1<<30 + 5, Elem: 4, Scratch: 200 << 20}, nil))
		}
	}
}

func TestRoundsAreProven(t *testing.T) {
	for op := range numOps {
		for _, alg := range Algorithms(op) {
			for _, p := range []int{1, 2, 3, 4, 5, 8, 9, 17} {
				if !alg.Fits(p, 0) {
					continue
				}
				prm := Params{Op: op, Alg: alg, Ranks: p, Count: 113, Elem: 4, Scratch: int64(4 * 3 * p)}
				require.NoError(t, Verify(prm, nil))
				if op != AllToAll && op != Broadcast {
					require.NoError(t, Verify(prm, func(r int) bool { return r != 1 }))
				}
				it, err := NewIter(prm)
				require.NoError(t, err)
				require.LessOrEqual(t, it.ScratchUse(), prm.Scratch)
				if op.Reduces() && p > 2 {
					require.Greater(t, it.Rounds(), 1, "%v %v %d", op, alg, p)
				}
			}
		}
	}
}

// spoiled changes or drops steps.
type spoiled struct {
	Walker
	change func(*Step) bool // false drops the step
}

func (s *spoiled) Next(st *Step) bool {
	for s.Walker.Next(st) {
		if s.change(st) {
			return true
		}
	}
	return false
}

func TestVerifyFindsFaults(t *testing.T) {
	ring := Params{Op: AllReduce, Alg: Ring, Ranks: 4, Count: 8, Elem: 4}
	nhr := Params{Op: AllReduce, Alg: NHR, Ranks: 8, Count: 16, Elem: 4}
	for _, c := range []struct {
		name   string
		p      Params
		rank   int // -1: every rank
		change func(*Step) bool
		want   string
	}{
		{"a ready is missing", ring, 1, func(s *Step) bool { return !(s.Kind == Ready && s.Index == 2) }, "deadlock: rank 0 waits in step 2 await-ready rank 1"},
		{"a reduce is missing", ring, 2, func(s *Step) bool { return !(s.Kind == Reduce && s.Index == 1) }, "output element"},
		{"a reduce counts twice", ring, 2, func(s *Step) bool {
			if s.Kind == Reduce && s.Index == 1 {
				s.Src.Off = s.Dst.Off
				s.Src.Buf = s.Dst.Buf
			}
			return true
		}, "twice"},
		{"nobody waits for ready", ring, -1, func(s *Step) bool { return s.Kind != AwaitReady }, "raised twice"},
		{"nobody waits for data", ring, -1, func(s *Step) bool { return s.Kind != AwaitData }, "reduce of nothing"},
		{"nobody waits for last", ring, -1, func(s *Step) bool { return s.Kind != AwaitLast }, "never consumed"},
		{"no last at all", ring, -1, func(s *Step) bool { return s.Kind != AwaitLast && s.Kind != Last }, "may still read"},
		{"an extra record", ring, 3, func(s *Step) bool {
			if s.Kind == AwaitLast {
				s.Kind = Last
			}
			return true
		}, "never consumed"},
		{"two chunks in one slot", nhr, -1, func(s *Step) bool {
			if s.Dst.Buf == Scratch && s.Kind == Send && s.Dst.Off > 0 {
				s.Dst.Off -= 8
			}
			return true
		}, ""},
		{"outside the buffer", ring, 0, func(s *Step) bool {
			if s.Kind == Copy {
				s.Dst.Off += 1 << 20
			}
			return true
		}, "outside the buffer"},
	} {
		t.Run(c.name, func(t *testing.T) {
			err := verify(c.p, nil, func(r int, it Walker) Walker {
				if c.rank >= 0 && r != c.rank {
					return it
				}
				return &spoiled{it, c.change}
			})
			require.Error(t, err)
			require.Contains(t, strings.ToLower(err.Error()), c.want)
		})
	}
}

func TestImpossiblePlans(t *testing.T) {
	for _, c := range []struct {
		p    Params
		want string
	}{
		{Params{Op: Broadcast, Alg: Pairwise, Ranks: 2, Elem: 1}, "does not exist for it (try ring, mesh, nhr, rhd, mesh-nhr, mesh-ring"},
		{Params{Op: AllReduce, Alg: RHD, Ranks: 6, Count: 6, Elem: 4}, "got 6 ranks with 0 on each server, want a power of two of ranks (try ring, mesh, mesh-oneshot, nhr)"},
		{Params{Op: AllReduce, Alg: 99, Ranks: 2, Elem: 1}, "algorithm 99 does not exist for it"},
		{Params{Op: AllReduce, Alg: Ring, Ranks: 0, Elem: 1}, "got 0 ranks"},
		{Params{Op: AllReduce, Alg: Ring, Ranks: 2, Rank: 2, Elem: 1}, "want 0 to 1"},
		{Params{Op: Broadcast, Alg: Ring, Ranks: 2, Root: 7, Elem: 1}, "got root 7"},
		{Params{Op: AllReduce, Alg: Ring, Ranks: 9, Count: 9, Elem: 4, Scratch: 31}, "raise HCCL_BUFFSIZE"},
	} {
		_, err := NewIter(c.p)
		require.ErrorContains(t, err, c.want)
		if c.p.Rank == 0 { // Verify takes all ranks
			require.ErrorContains(t, Verify(c.p, nil), c.want)
		}
	}
}

func TestIterDoesNotAllocate(t *testing.T) {
	for op := range numOps {
		for _, alg := range Algorithms(op) {
			it, err := NewIter(Params{Op: op, Alg: alg, Ranks: 1024, Rank: 77, Count: 1 << 18, Elem: 4, Scratch: 200 << 20})
			require.NoError(t, err)
			var st Step
			n := 0
			require.Zero(t, testing.AllocsPerRun(1, func() {
				it.Reset()
				for n = 0; it.Next(&st); n++ {
				}
			}))
			require.Positive(t, n)
		}
	}
}

func BenchmarkIter(b *testing.B) {
	for _, c := range []Params{
		{Op: AllReduce, Alg: Ring}, {Op: AllReduce, Alg: NHR}, {Op: AllReduce, Alg: Mesh}, {Op: AllToAll, Alg: Pairwise},
	} {
		b.Run(fmt.Sprintf("%v-%v", c.Op, c.Alg), func(b *testing.B) {
			c.Ranks, c.Rank, c.Count, c.Elem, c.Scratch = 1024, 77, 1<<18, 4, 200<<20
			it, err := NewIter(c)
			require.NoError(b, err)
			var st Step
			b.ReportAllocs()
			for b.Loop() {
				if !it.Next(&st) {
					it.Reset()
				}
			}
		})
	}
}
