package hccl

import (
	"encoding/binary"
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"hsim/host/mem"
	"hsim/host/sim"
	"hsim/host/topo"
)

// whole fills every rank's input with small integers, so that the order of a
// reduction does not matter; value says element i of rank r.
func (j *job) whole(round int) (value func(r int, i int64) float32) {
	value = func(r int, i int64) float32 { return float32((int64(r)*7 + i*3 + int64(round)) % 11) }
	for r := range j.m.Size() {
		n := j.p.InBytes() / 4
		b := make([]byte, 4*n)
		for i := range n {
			binary.LittleEndian.PutUint32(b[4*i:], math.Float32bits(value(r, i)))
		}
		j.fill(r, b)
	}
	return value
}

// Schedules run on devices as the built-in algorithms do: late ranks, in place,
// several streams, repeated on the same buffers.
func TestSchedulesOnDevices(t *testing.T) {
	for _, chip := range []setup{{chip: "ideal", kind: "star"}, {chip: "a2", kind: "mesh"}, {chip: "a3", kind: "star"}} {
		for _, c := range []struct {
			name  string
			op    OpKind
			e     emitter
			place bool
		}{
			{"doubling", AllReduce, doubling, true}, {"star", AllReduce, star, true}, {"two streams", AllGather, twoStreams, true}, {"exchange", AllToAll, exchange, false},
		} {
			for _, inPlace := range []bool{false, c.place} {
				chip.devices = 5
				k := newCluster(t, chip)
				m := k.comm(CommConfig{BufferBytes: 1 << 20})
				before, free := k.dev[0].FreeNotifies(), k.dev[0].FreeStreams()
				const count = 1031
				j := k.job(m, c.op, count, mem.FP32, mem.Sum, inPlace)
				j.sched = schedule(c.e)
				for round := range 2 {
					value := j.whole(round)
					j.startLate()
					k.run()
					for r := range 5 {
						out := k.read(j.recv[r], j.p.OutBytes())
						for i := range j.p.OutBytes() / 4 {
							want := float32(0)
							switch q, o := int(i/count), i%count; c.op {
							case AllGather:
								want = value(q, o)
							case AllToAll:
								want = value(q, int64(r)*count+o)
							default:
								for q := range 5 {
									want += value(q, i)
								}
							}
							require.Equal(t, want, math.Float32frombits(binary.LittleEndian.Uint32(out[4*i:])), "%s on %s, rank %d, element %d", c.name, chip.chip, r, i)
						}
					}
				}
				require.NoError(t, m.Close())
				require.Equal(t, before, k.dev[0].FreeNotifies(), "registers are given back")
				require.Equal(t, free, k.dev[0].FreeStreams(), "streams are given back")
			}
		}
	}
}

// A schedule that is wrong never starts, and ranks that differ are told so.
func TestWrongSchedulesDoNotStart(t *testing.T) {
	k := newCluster(t, setup{chip: "a3", kind: "star", devices: 2})
	m := k.comm(CommConfig{})
	j := k.job(m, AllReduce, 8, mem.FP32, mem.Sum, false)
	a := j.args(0)
	a.Schedule = schedule(func(p *Params, t *Tape) error { return t.Local(out(0), in(0), 32, false, 0) })
	_, err := m.Rank(0).Start(a)
	require.Equal(t, ErrPara, CodeOf(err))
	require.ErrorContains(t, err, "the schedule is not right: hccl: algorithm mine of module mine.wasm: all_reduce, 2 ranks, 8 elements: rank 0: output element 0")
	a.Schedule = schedule(doubling)
	_, err = m.Rank(0).Start(a)
	require.NoError(t, err)
	b := j.args(1)
	b.Algorithm = Ring
	_, err = m.Rank(1).Start(b)
	require.ErrorContains(t, err, "algorithm ring against mine on rank 0")
}

// W6: recursive doubling of 1 MiB over a star, log2 N (B/bw + L).
func TestRecursiveDoublingEqualsItsClosedForm(t *testing.T) {
	for _, n := range []int{16, 128} {
		k := newCluster(t, setup{chip: "ideal", kind: "star", devices: n, data: mem.Phantom, params: topo.Params{Planes: 1}})
		j := k.job(k.comm(CommConfig{}), AllReduce, 1<<18, mem.FP32, mem.Sum, false)
		j.sched = schedule(doubling)
		want := float64(logCeil(int32(n))) * (float64(1<<20)/50e9 + 1e-6) * 1e12
		require.InEpsilon(t, want, float64(j.time()), 1e-4)
	}
}

// The explanation of a schedule says how far it is proven, and predicts it.
func TestSchedulesAreExplained(t *testing.T) {
	for _, n := range []int{8, 65, 200} {
		k := newCluster(t, setup{chip: "a3", kind: "star", devices: n, data: mem.Phantom})
		m := k.comm(CommConfig{})
		s := schedule(doubling)
		e, err := m.Model().Explain(Request{Op: AllReduce, Count: 1 << 16, Dtype: mem.FP32, Schedule: s})
		require.NoError(t, err)
		text := e.String()
		require.Contains(t, text, "mine by aicpu: asked for, of module mine.wasm; the default of generation A3 [override: the hardware would not select this]")
		switch n {
		case 8:
			require.Contains(t, text, "plan: proven")
			j := k.job(m, AllReduce, 1<<16, mem.FP32, mem.Sum, false)
			j.sched = s
			require.InEpsilon(t, float64(j.time()), float64(e.Total), 0.01)
		case 65:
			require.Contains(t, text, "plan: proven\nno prediction: above 64 ranks")
		case 200:
			require.Contains(t, text, "above 192 ranks the result is not proven before a run\nno prediction")
		}
	}
}

// A link that is down for good ends an operation of several streams on every rank:
// nothing hangs, the streams of the communicator are idle, and it is broken.
func TestLinkDownWithSeveralStreams(t *testing.T) {
	c := newCluster(t, setup{chip: "a2", kind: "mesh", servers: 2, devices: 2, roce: "rdma"})
	m := c.comm(CommConfig{})
	j := c.job(m, AllReduce, 1000, mem.FP32, mem.Sum, false)
	j.p.Alg = MeshNHRParallel
	for _, p := range c.g.NodePorts(0) {
		if c.g.LinkOf(p).Protocols.Has(topo.ROCE) {
			c.fab.SetDown(p, true)
		}
	}
	j.start()
	r := c.eng.Run(0)
	require.Equal(t, sim.Done, r.Reason)
	for q := range 4 {
		require.NotNil(t, c.str[q].Err(), "rank %d", q)
		require.False(t, c.str[q].Busy())
		for _, s := range m.Rank(q).streams {
			require.False(t, s.Busy(), "rank %d", q)
		}
	}
	require.False(t, m.Busy())
	require.Error(t, m.Err())
}

// A rank that never comes: the others time out with EI0002 on all their streams.
func TestMissingRankWithSeveralStreams(t *testing.T) {
	c := newCluster(t, setup{chip: "a2", kind: "mesh", servers: 2, devices: 2, roce: "rdma"})
	m := c.comm(CommConfig{})
	j := c.job(m, AllReduce, 1000, mem.FP32, mem.Sum, false)
	j.p.Alg = MeshNHRParallel
	for q := range 3 {
		_, err := m.Rank(q).Start(j.args(q))
		require.NoError(t, err)
	}
	r := c.eng.Run(0)
	require.Equal(t, sim.Done, r.Reason)
	require.NotNil(t, r.Stall)
	require.Contains(t, r.Stall.String(), "rank 3, which has started 0 operations")
	for q := range 3 {
		require.ErrorContains(t, c.str[q].Err(), "EI0002")
		require.False(t, c.str[q].Busy())
		for _, s := range m.Rank(q).streams {
			require.False(t, s.Busy(), "rank %d", q)
		}
	}
	require.Equal(t, 1836*sim.Second/sim.Second, r.End/sim.Second)
}
