package hccl

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"hsim/host/device"
	"hsim/host/mem"
	"hsim/host/sim"
	"hsim/host/topo"
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
		err := Chunks(p, func(tree *Tree, off, size int64) bool {
			parts := make([][]byte, n)
			for i := range parts {
				parts[i] = j.inputs[i][off : off+size]
			}
			v, err := tree.Reference(parts, j.dt, j.red, 0)
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
						if !alg.Fits(n, 0) {
							continue
						}
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
								j.startLate()
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

// The values of the real tool's runs on eight devices, on every chip.
func TestEightRankValuesOnDevices(t *testing.T) {
	for _, chip := range []setup{{chip: "a2", kind: "mesh"}, {chip: "a3", kind: "star"}, {chip: "950dt", kind: "mesh"}, {chip: "ideal", kind: "star"}} {
		chip.devices = 8
		c := newCluster(t, chip)
		m := c.comm(CommConfig{})
		for op := range numOps {
			const count = 1000
			j := c.job(m, op, count, mem.FP32, mem.Sum, false)
			for r := range 8 {
				var b []byte
				for q := range j.p.InBytes() / 4 / count {
					b = append(b, fp32(float32(TestValue(op, r, int(q), true)), count)...)
				}
				j.fill(r, b)
			}
			j.start()
			c.run()
			for r := range 8 {
				for q := range j.p.OutBytes() / 4 / count {
					want := TestResult(op, mem.Sum, r, int(q), 0, 8, true).Int64()
					require.Equal(t, fp32(float32(want), count), c.read(j.recv[r].Add(q*4*count), 4*count), "%s %v rank %d block %d", chip.chip, op, r, q)
				}
			}
		}
	}
}

// Real and phantom memory take the same time, and so does a second run.
func TestTimesDoNotDependOnData(t *testing.T) {
	for _, alg := range fitting(AllReduce, 6, 0) {
		times := map[sim.Time]bool{}
		for _, data := range []mem.Data{mem.Real, mem.Phantom, mem.Real} {
			c := newCluster(t, setup{chip: "a3", kind: "star", devices: 6, data: data})
			j := c.job(c.comm(CommConfig{}), AllReduce, 100003, mem.FP32, mem.Sum, false)
			j.p.Alg = alg
			times[j.time()] = true
		}
		require.Len(t, times, 1, "%v", alg)
	}
}

// Two servers: HCCS or UB inside, RoCE or UBOE between them, two plugins.
func TestTwoServersTwoTransports(t *testing.T) {
	for _, chip := range []string{"a2", "950dt"} {
		for _, alg := range []Algorithm{Ring, NHR, Mesh} {
			c := newCluster(t, setup{chip: chip, kind: map[string]string{"a2": "mesh", "950dt": "mesh-clos"}[chip], servers: 2, devices: 3, roce: "rdma"})
			j := c.job(c.comm(CommConfig{}), AllReduce, 5003, mem.FP32, mem.Sum, false)
			j.p.Alg = alg
			for r := range 6 {
				j.fill(r, floats(uint32(r+1), 5003))
			}
			j.start()
			c.run()
			j.check()
		}
	}
}

// A link that is down for good: the transport's error is on both streams at
// once, and the waits for what will never come end with EI0002.
func TestLinkDown(t *testing.T) {
	c := newCluster(t, setup{chip: "a2", kind: "mesh", servers: 2, devices: 1, roce: "rdma"})
	m := c.comm(CommConfig{})
	j := c.job(m, AllReduce, 1000, mem.FP32, mem.Sum, false)
	for _, p := range c.g.NodePorts(0) {
		if c.g.LinkOf(p).Protocols.Has(topo.ROCE) {
			c.fab.SetDown(p, true)
		}
	}
	j.start()
	r := c.eng.Run(0)
	require.Equal(t, sim.Done, r.Reason)
	for q := range 2 {
		f := c.str[q].Err()
		require.NotNil(t, f, "rank %d", q)
		require.False(t, c.str[q].Busy())
		require.Equal(t, device.CauseLink, f.Cause, "neither side's messages are acknowledged")
		require.ErrorContains(t, f, "retry exceeded")
		require.Less(t, f.At, 60*sim.Second, "retries end long before the time-out")
	}
	var e *Error
	require.ErrorAs(t, m.Err(), &e)
	require.Equal(t, "EI0002", e.ID)
	require.Greater(t, r.End, 1836*sim.Second)
}

// B28: sizes over 2^32 bytes keep their offsets, and time grows in proportion.
func TestB28LargeCounts(t *testing.T) {
	const n = 8
	for _, x := range []struct {
		op    OpKind
		alg   Algorithm
		count int64
		dt    mem.Dtype
	}{{AllGather, Ring, 1<<29 + 1, mem.Int8}, {Broadcast, Mesh, 1<<32 + 7, mem.Uint8}, {AllReduce, NHR, 1<<32 + 7, mem.Int8}} {
		p := Params{Op: x.op, Alg: x.alg, Ranks: n, Count: x.count, Elem: 1, Scratch: DefaultBufferBytes}
		end := int64(0)
		for r := range n {
			p.Rank = r
			it, err := NewIter(p)
			require.NoError(t, err)
			var st Step
			for it.Next(&st) {
				require.GreaterOrEqual(t, st.Len, int64(0))
				if st.Kind == Send && st.Dst.Buf == Output {
					require.LessOrEqual(t, st.Dst.Off+st.Len, p.OutBytes())
					end = max(end, st.Dst.Off+st.Len)
				}
			}
		}
		require.Equal(t, p.OutBytes(), end, "the last byte arrives")
		var times []sim.Time
		for _, count := range []int64{x.count / 4, x.count} {
			c := newCluster(t, setup{chip: "ideal", kind: "star", devices: n, data: mem.Phantom})
			j := c.job(c.comm(CommConfig{}), x.op, count, x.dt, mem.Sum, false)
			j.p.Alg = x.alg
			times = append(times, j.time())
		}
		require.InEpsilon(t, 4, float64(times[1])/float64(times[0]), 1e-3, "%v %v", x.op, times)
	}
}
