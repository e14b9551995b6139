package hccl

import (
	"fmt"
	"runtime"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"hsim/host/device"
	"hsim/host/mem"
	"hsim/host/sim"
	"hsim/host/topo"
)

// workload runs one collective on a star of ideal chips and returns its time; Auto
// stands for recursive doubling.
func workload(t testing.TB, n int, op OpKind, alg Algorithm, count int64) (*cluster, sim.Time) {
	c := newCluster(t, setup{chip: "ideal", kind: "star", devices: n, data: mem.Phantom, params: topo.Params{Planes: 1}})
	j := c.job(c.comm(CommConfig{}), op, count, mem.FP32, mem.Sum, false)
	if j.p.Alg = alg; alg == Auto {
		j.sched = schedule(doubling)
	}
	return c, j.time()
}

// time runs the job once on all ranks and returns when its last rank was done.
func (j *job) time() (end sim.Time) {
	for r := range j.m.Size() {
		s := j.c.str[j.m.Rank(r).Device().Index()]
		_, err := j.m.Rank(r).Start(j.args(r))
		require.NoError(j.c.t, err)
		j.c.eng.Go(fmt.Sprint("rank ", r), func(p *sim.Proc) {
			s.Drain(p)
			end = max(end, p.Now())
		})
	}
	start := j.c.eng.Now()
	j.c.run()
	return end - start
}

func cpu() time.Duration {
	var u syscall.Rusage
	_ = syscall.Getrusage(syscall.RUSAGE_SELF, &u)
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// W1 and W2 have closed forms: 2(N-1)(B/(N bw)+L) and (N-1)(m/bw+L).
func TestWorkloadsEqualTheirClosedForms(t *testing.T) {
	for _, n := range []int{16, 64, 256} {
		c, got := workload(t, n, AllReduce, Ring, 1<<18)
		want := float64(2*(n-1)) * (float64(1<<20)/float64(n)/50e9 + 1e-6) * 1e12
		require.InEpsilon(t, want, float64(got), 1e-3, "W1, %d ranks: %v", n, got)
		require.Zero(t, c.fab.InFlight())
		_, got = workload(t, n, AllToAll, Pairwise, 1<<14)
		want = float64(n-1) * (65536/50e9 + 1e-6) * 1e12
		require.InEpsilon(t, want, float64(got), 1e-3, "W2, %d ranks: %v", n, got)
	}
}

func BenchmarkWorkloads(b *testing.B) {
	for _, w := range []struct {
		name  string
		op    OpKind
		alg   Algorithm
		count int64
	}{{"W1", AllReduce, Ring, 1 << 18}, {"W2", AllToAll, Pairwise, 1 << 14}, {"W6", AllReduce, Auto, 1 << 18}} {
		for _, n := range []int{256, 1024} {
			b.Run(fmt.Sprintf("%s-%d", w.name, n), func(b *testing.B) {
				for b.Loop() {
					runtime.GC()
					start := cpu()
					_, got := workload(b, n, w.op, w.alg, w.count)
					took := cpu() - start
					var s runtime.MemStats
					runtime.ReadMemStats(&s)
					b.ReportMetric(float64(s.Sys)/1e6, "MB-sys")
					b.ReportMetric(float64(got)/1e6, "virtual-us")
					b.ReportMetric(took.Seconds(), "cpu-s")
				}
			})
		}
	}
}

// BenchmarkFeeder is one device task drawn, handshakes, addresses and all; links
// exist.
func BenchmarkFeeder(b *testing.B) {
	for _, w := range []struct {
		op    OpKind
		alg   Algorithm
		count int64
	}{{AllReduce, Ring, 1 << 18}, {AllReduce, NHR, 1 << 18}, {AllToAll, Pairwise, 1 << 14}} {
		b.Run(fmt.Sprintf("%v-%v", w.op, w.alg), func(b *testing.B) {
			c := newCluster(b, setup{chip: "ideal", kind: "star", devices: 256, data: mem.Phantom, params: topo.Params{Planes: 1}})
			m := c.comm(CommConfig{})
			j := c.job(m, w.op, w.count, mem.FP32, mem.Sum, false)
			rec := &record{of: make([]part, m.Size())}
			for r := range rec.of {
				rec.of[r] = part{send: j.send[r], recv: j.recv[r]}
			}
			it, err := NewIter(Params{Op: w.op, Alg: w.alg, Ranks: m.Size(), Rank: 100, Count: w.count, Elem: 4, Scratch: DefaultBufferBytes})
			require.NoError(b, err)
			f := &feeder{r: m.Rank(100), rec: rec, it: it, dtype: mem.FP32}
			f.base = [numBufs]mem.Addr{j.send[100], j.recv[100], m.Rank(100).scratch}
			var t device.Task
			for f.Next(&t) {
			}
			it.Reset()
			b.ReportAllocs()
			for b.Loop() {
				t = device.Task{}
				if !f.Next(&t) {
					it.Reset()
				}
			}
			require.NoError(b, f.err)
		})
	}
}
