package hccl

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"hsim/host/mem"
	"hsim/host/sim"
)

// want is what rank r's output must be, from the stated reduction trees.
func (j *job) want(r int) []byte {
	p, n := j.p, j.m.Size()
	out := make([]byte, p.OutBytes())
	part := p.Count * p.Elem
	switch p.Op {
	case Broadcast:
		return j.inputs[p.Root]
	case AllGather:
		for q := range n {
			copy(out[int64(q)*part:], j.inputs[q])
		}
	case AllToAll:
		for q := range n {
			copy(out[int64(q)*part:int64(q+1)*part], j.inputs[q][int64(r)*part:])
		}
	default:
		p.Rank = r
		err := Chunks(p, func(chunk int, off, size int64) bool {
			parts := make([][]byte, n)
			for i := range parts {
				parts[i] = j.inputs[i][off : off+size]
			}
			v, err := ReduceReference(p.Alg, chunk, parts, j.dt, j.red, 0)
			require.NoError(j.c.t, err)
			if p.Op == ReduceScatter {
				off -= int64(r) * part
			}
			copy(out[off:], v)
			return true
		})
		require.NoError(j.c.t, err)
	}
	return out
}

func (j *job) check() {
	for r := range j.m.Size() {
		require.Equal(j.c.t, j.want(r), j.c.read(j.recv[r], j.p.OutBytes()), "%v %v rank %d", j.p.Op, j.p.Alg, r)
	}
}

// Every operation and algorithm on simulated devices, over wasm transports, with
// late ranks, in place, in rounds, repeated on the same buffers.
func TestCollectivesOnDevices(t *testing.T) {
	for _, chip := range []setup{
		{chip: "ideal", kind: "star"}, {chip: "a2", kind: "mesh"}, {chip: "a3", kind: "star"}, {chip: "950dt", kind: "mesh"},
	} {
		for op := range numOps {
			for _, alg := range Algorithms(op) {
				t.Run(fmt.Sprintf("%s/%v/%v", chip.chip, op, alg), func(t *testing.T) {
					for _, n := range []int{1, 2, 3, 5, 8} {
						for _, inPlace := range []bool{false, true} {
							if inPlace && (op == Broadcast || op == AllToAll) {
								continue
							}
							s := chip
							s.devices = n
							c := newCluster(t, s)
							m := c.comm(CommConfig{BufferBytes: 1 << 20})
							m.cfg.BufferBytes = int64(2000 * n) // several rounds of what does not fit
							j := c.job(m, op, 1031, mem.FP32, mem.Sum, inPlace)
							j.p.Alg, j.p.Root, j.p.Scratch = alg, n/2, m.cfg.BufferBytes
							for round := range 2 {
								for r := range n {
									j.fill(r, floats(uint32(round*100+r+1), j.p.InBytes()/4))
								}
								for r := range n {
									// Ranks are late by up to 3 ms, in an order of their own.
									late := sim.Time(r*r%5) * 700 * sim.Microsecond
									c.eng.Go(fmt.Sprint("rank ", r), func(p *sim.Proc) {
										p.Sleep(late)
										_, err := m.Rank(r).Start(j.args(r))
										require.NoError(t, err)
									})
								}
								c.run()
								j.check()
							}
							require.False(t, m.Busy())
							require.NoError(t, m.Close())
						}
					}
				})
			}
		}
	}
}
