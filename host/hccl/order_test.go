package hccl

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"hsim/host/mem"
)

// play runs the plans of all ranks on real bytes, one rank after the other as
// far as each comes. Verify has shown that the order does not matter.
func play(t *testing.T, p Params, inputs [][]byte, dt mem.Dtype, op mem.Op) [][]byte {
	t.Helper()
	n := p.Ranks
	bufs := make([][numBufs][]byte, n)
	iters := make([]*Iter, n)
	var outs [][]byte
	for r := range n {
		q := p
		q.Rank = r
		it, err := NewIter(q)
		require.NoError(t, err)
		iters[r] = it
		bufs[r][Input] = append([]byte(nil), inputs[r]...)
		bufs[r][Output] = make([]byte, q.OutBytes())
		if p.Op == Broadcast {
			bufs[r][Output] = bufs[r][Input]
		}
		bufs[r][Scratch] = make([]byte, it.ScratchUse())
		outs = append(outs, bufs[r][Output])
	}
	at := func(r int32, l Loc, n int64) []byte { return bufs[r][l.Buf][l.Off : l.Off+n] }
	regs := map[[3]int32]bool{}
	steps := make([]Step, n)
	state := make([]int, n) // 0 fetch, 1 have, 2 over
	for left := n; left > 0; {
		moved := false
		for r := range int32(n) {
			for state[r] < 2 {
				st := &steps[r]
				if state[r] == 0 {
					if !iters[r].Next(st) {
						state[r] = 2
						left--
						moved = true
						break
					}
					state[r] = 1
				}
				kind := int32(st.Kind)
				switch st.Kind {
				case Ready, Last:
					regs[[3]int32{kind, st.Peer, r}] = true
				case AwaitReady, AwaitData, AwaitLast:
					k := [3]int32{kind - 1, r, st.Peer}
					if !regs[k] {
						kind = -1
						break
					}
					delete(regs, k)
				case Send:
					copy(at(st.Peer, st.Dst, st.Len), at(r, st.Src, st.Len))
					if st.Notify {
						regs[[3]int32{kind, st.Peer, r}] = true
					}
				case Copy:
					copy(at(r, st.Dst, st.Len), at(r, st.Src, st.Len))
				case Reduce:
					_, err := mem.Reduce(at(r, st.Dst, st.Len), at(r, st.Src, st.Len), dt, op, 0)
					require.NoError(t, err)
				}
				if kind < 0 {
					break
				}
				state[r], moved = 0, true
			}
		}
		require.True(t, moved, "deadlock")
	}
	return outs
}

func floats(seed uint32, n int64) []byte {
	b := make([]byte, 4*n)
	for i := range n {
		seed = seed*1664525 + 1013904223
		v := (float32(seed>>8) - 1<<23) * float32(math.Exp2(float64(int(seed>>3&31)-16)))
		binary.LittleEndian.PutUint32(b[4*i:], math.Float32bits(v))
	}
	return b
}

// The result of every algorithm is, bit for bit, its stated reduction tree.
func TestReductionOrderIsExact(t *testing.T) {
	differ := false
	for _, op := range []OpKind{AllReduce, ReduceScatter} {
		for _, alg := range Algorithms(op) {
			for _, n := range []int{1, 2, 3, 4, 5, 6, 7, 8, 9, 11, 16, 21} {
				for _, scratch := range []int64{0, int64(4 * 5 * n)} {
					p := Params{Op: op, Alg: alg, Ranks: n, Count: 53, Elem: 4, Scratch: scratch}
					inputs := make([][]byte, n)
					for r := range inputs {
						inputs[r] = floats(uint32(r+1), p.InBytes()/4)
					}
					outs := play(t, p, inputs, mem.FP32, mem.Sum)
					for r := range outs {
						q := p
						q.Rank = r
						err := Chunks(q, func(chunk int, off, size int64) bool {
							parts := make([][]byte, n)
							for i := range parts {
								parts[i] = inputs[i][off : off+size]
							}
							want, err := ReduceReference(alg, chunk, parts, mem.FP32, mem.Sum, 0)
							require.NoError(t, err)
							got := off
							if op == ReduceScatter {
								got -= int64(r) * p.Count * p.Elem
							}
							require.Equal(t, want, outs[r][got:got+size], "%v %v, %d ranks, rank %d, chunk %d", op, alg, n, r, chunk)
							if alg != Ring && n > 2 {
								other, _ := ReduceReference(Ring, chunk, parts, mem.FP32, mem.Sum, 0)
								differ = differ || !bytes.Equal(other, want)
							}
							return true
						})
						require.NoError(t, err)
					}
				}
			}
		}
	}
	require.True(t, differ, "the test data cannot tell the trees apart")
}

func TestEveryRankIsMergedOnce(t *testing.T) {
	for _, alg := range []Algorithm{Ring, Mesh, MeshOneShot, NHR} {
		for n := 1; n <= 40; n++ {
			for c := range n {
				parts := make([]uint64, n)
				for r := range parts {
					parts[r] = 1 << r
				}
				last := 0
				Merges(alg, n, c, func(dst, src int) bool {
					require.Zero(t, parts[dst]&parts[src])
					parts[dst] |= parts[src]
					last = dst
					return true
				})
				require.Equal(t, uint64(1)<<n-1, parts[last], fmt.Sprint(alg, n, c))
			}
		}
	}
}

// Data movement operations and the values of the 8-rank hccl_test logs.
func TestEightRankValues(t *testing.T) {
	fill := func(v func(i int64) float32, n int64) []byte {
		b := make([]byte, 4*n)
		for i := range n {
			binary.LittleEndian.PutUint32(b[4*i:], math.Float32bits(v(i)))
		}
		return b
	}
	const n, count = 8, 6
	for op := range numOps {
		for _, alg := range Algorithms(op) {
			p := Params{Op: op, Alg: alg, Ranks: n, Count: count, Elem: 4}
			inputs := make([][]byte, n)
			for r := range inputs {
				value := func(int64) float32 { return float32(r + 1) }
				if op == ReduceScatter {
					value = func(i int64) float32 { return float32(10 + i/count) }
				}
				inputs[r] = fill(value, p.InBytes()/4)
			}
			for r, out := range play(t, p, inputs, mem.FP32, mem.Sum) {
				want := func(i int64) float32 { return 36 }
				switch op {
				case AllGather, AllToAll:
					want = func(i int64) float32 { return float32(i/count + 1) }
				case ReduceScatter:
					want = func(int64) float32 { return float32(80 + 8*r) }
				case Broadcast:
					want = func(int64) float32 { return 1 }
				}
				require.Equal(t, fill(want, p.OutBytes()/4), out, "%v %v rank %d", op, alg, r)
			}
		}
	}
}
