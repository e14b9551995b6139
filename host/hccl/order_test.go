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
	streams := p.Streams()
	n := p.Ranks * streams
	bufs := make([][numBufs][]byte, p.Ranks)
	iters := make([]Walker, n)
	var outs [][]byte
	for r := range p.Ranks {
		q := p
		q.Rank = r
		use := int64(0)
		for s := range streams {
			w, u, err := q.walk(s)
			require.NoError(t, err)
			iters[r*streams+s], use = w, max(use, u)
		}
		bufs[r][Input] = append([]byte(nil), inputs[r]...)
		bufs[r][Output] = make([]byte, q.OutBytes())
		if p.Op == Broadcast {
			bufs[r][Output] = bufs[r][Input]
		}
		bufs[r][Scratch] = make([]byte, use)
		outs = append(outs, bufs[r][Output])
	}
	at := func(r int32, l Loc, n int64) []byte { return bufs[r][l.Buf][l.Off : l.Off+n] }
	regs := map[regKey]bool{}
	steps := make([]Step, n)
	state := make([]int, n) // 0 fetch, 1 have, 2 over
	for left := n; left > 0; {
		moved := false
		for i := range int32(n) {
			r := i / int32(streams)
			for state[i] < 2 {
				st := &steps[i]
				if state[i] == 0 {
					if !iters[i].Next(st) {
						state[i] = 2
						left--
						moved = true
						break
					}
					state[i] = 1
				}
				blocked := false
				switch st.Kind {
				case Ready, Last:
					regs[regKey{uint8(st.Kind), st.Channel, st.Peer, r}] = true
				case Signal:
					regs[regKey{uint8(st.Kind), 0, r, int32(st.Dst.Off)}] = true
				case AwaitReady, AwaitData, AwaitLast, AwaitSignal:
					k := regKey{uint8(st.Kind - 1), st.Channel, r, st.Peer}
					if st.Kind == AwaitSignal {
						k = regKey{uint8(Signal), 0, r, int32(st.Dst.Off)}
					}
					if blocked = !regs[k]; !blocked {
						delete(regs, k)
					}
				case Send:
					copy(at(st.Peer, st.Dst, st.Len), at(r, st.Src, st.Len))
					if st.Notify {
						regs[regKey{uint8(Send), st.Channel, st.Peer, r}] = true
					}
				case Copy:
					copy(at(r, st.Dst, st.Len), at(r, st.Src, st.Len))
				case Reduce:
					_, err := mem.Reduce(at(r, st.Dst, st.Len), at(r, st.Src, st.Len), dt, op, 0)
					require.NoError(t, err)
				}
				if blocked {
					break
				}
				state[i], moved = 0, true
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
		for _, alg := range append(Algorithms(op), TwoLevel(op)...) {
			for _, n := range []int{1, 2, 3, 4, 5, 6, 7, 8, 9, 11, 16, 21} {
				group := map[int]int{4: 2, 6: 3, 8: 2, 9: 3, 16: 4, 21: 7}[n]
				if !alg.Fits(n, group) {
					continue
				}
				for _, scratch := range []int64{0, int64(4 * 9 * n)} {
					p := Params{Op: op, Alg: alg, Ranks: n, Group: group, Count: 53, Elem: 4, Scratch: scratch}
					inputs := make([][]byte, n)
					for r := range inputs {
						inputs[r] = floats(uint32(r+1), p.InBytes()/4)
					}
					outs := play(t, p, inputs, mem.FP32, mem.Sum)
					for r := range outs {
						q := p
						q.Rank = r
						err := Chunks(q, func(tree *Tree, off, size int64) bool {
							parts := make([][]byte, n)
							for i := range parts {
								parts[i] = inputs[i][off : off+size]
							}
							want, err := tree.Reference(parts, mem.FP32, mem.Sum, 0)
							require.NoError(t, err)
							got := off
							if op == ReduceScatter {
								got -= int64(r) * p.Count * p.Elem
							}
							require.Equal(t, want, outs[r][got:got+size], "%v %v, %d ranks, rank %d, %d bytes at %d", op, alg, n, r, size, off)
							if alg != Ring && n > 2 {
								ring := &Tree{[2]treeLevel{{alg: Ring, p: n, step: 1, chunk: tree.levels[0].chunk}}}
								other, _ := ring.Reference(parts, mem.FP32, mem.Sum, 0)
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
	for _, alg := range []Algorithm{Ring, Mesh, MeshOneShot, NHR, RHD} {
		for n := 1; n <= 40; n++ {
			if !alg.Fits(n, 0) {
				continue
			}
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
		for _, alg := range append(Algorithms(op), TwoLevel(op)...) {
			p := Params{Op: op, Alg: alg, Ranks: n, Group: 4, Count: count, Elem: 4}
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
