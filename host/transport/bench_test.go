package transport

import (
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"hsim/host/mem"
	"hsim/host/sim"
	"hsim/host/topo"
	"hsim/host/units"
)

// BenchmarkPermutation moves 4 KiB packets of writes over a two-tier fat tree of
// 128 devices in which every device writes to another leaf's device; an
// operation is one round of all 128 writes, after a first that warms up.
func BenchmarkPermutation(b *testing.B) {
	for _, w := range []world{{"rdma", topo.ROCE, 1}, {"ub", topo.UB_CTP, 1}} {
		b.Run(w.String(), func(b *testing.B) {
			r := newRig(b, carrier(w.plugin, w.proto), func(c *rigConfig) {
				c.spec = topo.Spec{Kind: "fattree", Servers: 16, Devices: 8, Params: topo.Params{K: 16, Tiers: 2, Planes: 1, Rate: 400 * units.Gbps}}
				c.data = mem.Phantom
			})
			const n = 4 << 20
			left := &countdown{e: r.e}
			var post []func()
			for d := range topo.NodeID(128) {
				to := (d*5 + 64 + 3) % 128
				x, _ := r.connect(d, to)
				r.n.SetSink(x, left)
				wr := &WR{Op: OpWrite, Flags: Signaled, Local: r.buffer(int(d), n), Remote: r.buffer(int(to), n), Len: n}
				post = append(post, func() { require.NoError(b, r.n.Post(x, wr)) })
			}
			round := func(p *sim.Proc) {
				left.n = len(post)
				for _, f := range post {
					f()
				}
				p.Wait(&left.c, sim.Cause{What: "the round"})
			}
			b.ReportAllocs()
			r.e.Go("rounds", func(p *sim.Proc) {
				round(p)
				from, hops := cpu(), r.f.Hops()
				b.ResetTimer()
				for range b.N {
					round(p)
				}
				b.StopTimer()
				s := (cpu() - from).Seconds()
				b.ReportMetric(float64(r.f.Hops()-hops)/s/1e6, "Mhops/cpu-s")
				b.ReportMetric(s/float64(b.N)*1e9/(128*n/4096), "cpu-ns/packet")
			})
			require.Equal(b, sim.Done, r.e.Run(0).Reason)
		})
	}
}

// countdown wakes whoever waits for its last completion.
type countdown struct {
	e *sim.Engine
	n int
	c sim.Cond
}

func (w *countdown) Complete(*Completion) {
	if w.n--; w.n == 0 {
		w.c.Signal(w.e)
	}
}

// BenchmarkFatTree is workload W9 at 128 hosts (without PFC): a permutation of
// 2 MB over a three-tier fat tree, and W10, the same with per-packet spray.
func BenchmarkFatTree(b *testing.B) {
	for _, c := range []struct {
		name string
		opts []option
	}{
		{"W9", []option{carrier("rdma", topo.ROCE)}},
		{"W10", []option{carrier("ub", topo.UB_CTP), func(c *rigConfig) { c.params = map[string]any{"spray": true, "window": 2048} }}},
	} {
		b.Run(c.name, func(b *testing.B) {
			b.ReportAllocs()
			var spent time.Duration
			var end sim.Time
			var hops uint64
			for range b.N {
				b.StopTimer()
				r := tree(b, 2_000_000, 1, c.opts...)
				from := cpu()
				b.StartTimer()
				r.e.Run(0)
				spent += cpu() - from
				require.Len(b, r.done, 128)
				end, hops = r.done[127].At, r.f.Hops()
			}
			s := spent.Seconds() / float64(b.N)
			b.ReportMetric(s, "cpu-s")
			b.ReportMetric(float64(hops)/s/1e6, "Mhops/cpu-s")
			b.ReportMetric(micros(end), "last-us")
		})
	}
}

// cpu is the processor time of the process so far; on a shared machine it
// varies less than the time on the wall.
func cpu() time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		panic(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// BenchmarkNext is the cost of one call of a plugin on the hot path.
func BenchmarkNext(b *testing.B) {
	for _, name := range []string{"rdma", "ub"} {
		b.Run(name, func(b *testing.B) {
			r := newRig(b, carrier(name, topo.ROCE))
			a, _ := r.connect(0, 1)
			c := r.n.conns.at(a)
			p := r.n.engineOf(c).proto
			b.ReportAllocs()
			for i := 0; b.Loop(); i++ {
				pk := p.Packet()
				pk.NPkts, pk.Flags = 0, 0
				if _, err := p.Next(c.local, 1<<40, 4096); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
