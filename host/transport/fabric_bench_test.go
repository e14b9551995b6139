package transport

import (
	"runtime"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"hsim/host/fabric"
	"hsim/host/mem"
	"hsim/host/sim"
	"hsim/host/topo"
	"hsim/host/units"
)

// BenchmarkFabric is the workloads of the network with the features of the fabric
// on: W9 with PFC, packet by packet and in trains as auto makes them, W10 and W11 with
// lanes and credits, W14 with credits. It prints packets, link crossings, processor
// time and memory of one run.
func BenchmarkFabric(b *testing.B) {
	credits := fabric.Credits{Cells: 6553}
	spray := func(c *rigConfig) { c.params = map[string]any{"spray": true, "window": 2048} }
	pfc := fabric.Features{Lanes: 4, Pause: fabric.Pause{Lanes: 15, Off: 819200, On: 655360},
		Buffer: fabric.Buffer{Reserve: 1 << 20, Shared: 32 << 20, Headroom: 400_000}}
	for _, c := range []struct {
		name string
		make func() *rig
	}{
		{"W9-128", func() *rig { return pods(b, 8, 128, 2_000_000, permuted(128), carrier("rdma", topo.ROCE)) }},
		{"W9-128-PFC", func() *rig { return pods(b, 8, 128, 2_000_000, permuted(128), carrier("rdma", topo.ROCE), ports(pfc)) }},
		{"W9-1024", func() *rig { return pods(b, 16, 1024, 2_000_000, permuted(1024), carrier("rdma", topo.ROCE)) }},
		{"W9-1024-PFC", func() *rig {
			return pods(b, 16, 1024, 2_000_000, permuted(1024), carrier("rdma", topo.ROCE), ports(pfc))
		}},
		{"W9-1024-PFC-trains", func() *rig {
			return pods(b, 16, 1024, 2_000_000, permuted(1024), carrier("rdma", topo.ROCE), ports(pfc), func(c *rigConfig) { c.train = 0 })
		}},
		{"W10-128", func() *rig { return pods(b, 8, 128, 2_000_000, permuted(128), spray) }},
		{"W10-128-lanes+credits", func() *rig {
			return pods(b, 8, 128, 2_000_000, permuted(128), spray, ports(fabric.Features{Lanes: 16, Credits: credits}))
		}},
		{"W10-1024", func() *rig { return pods(b, 16, 1024, 2_000_000, permuted(1024), spray) }},
		{"W10-1024-lanes+credits", func() *rig {
			return pods(b, 16, 1024, 2_000_000, permuted(1024), spray, ports(fabric.Features{Lanes: 16, Credits: credits}))
		}},
		{"W11", func() *rig { return pods(b, 8, 128, 65536, everyPair(128), spray) }},
		{"W11-lanes+credits", func() *rig {
			return pods(b, 8, 128, 65536, everyPair(128), spray, ports(fabric.Features{Lanes: 16, Credits: credits}))
		}},
		{"W14-credits", func() *rig { return star(b, 128, 2_000_000, ports(fabric.Features{Credits: credits})) }},
	} {
		b.Run(c.name, func(b *testing.B) {
			b.ReportAllocs()
			var spent time.Duration
			var r *rig
			var end sim.Time
			for range b.N {
				b.StopTimer()
				r = nil
				runtime.GC()
				r = c.make()
				from := cpu()
				b.StartTimer()
				end = r.e.Run(0).End
				spent += cpu() - from
			}
			var packets, full int64
			for i := range r.g.Ports {
				s := r.f.Stat(topo.PortID(i))
				if int(r.g.Ports[i].Node) < r.g.Devices {
					packets += s.Packets
				}
				full += s.Full
			}
			require.Zero(b, full)
			s := spent.Seconds() / float64(b.N)
			b.ReportMetric(s, "cpu-s")
			b.ReportMetric(float64(packets)/1e3, "kpackets")
			b.ReportMetric(float64(r.f.Hops())/1e6, "Mhops")
			b.ReportMetric(float64(r.f.Hops())/s/1e6, "Mhops/cpu-s")
			b.ReportMetric(micros(end), "last-us")
			var u syscall.Rusage
			require.NoError(b, syscall.Getrusage(syscall.RUSAGE_SELF, &u))
			b.ReportMetric(float64(u.Maxrss)/1024, "peak-MiB") // of the process so far
		})
	}
}

type pair struct{ from, to topo.NodeID }

// permuted has every device send to one in another pod.
func permuted(n int) []pair {
	var ps []pair
	for d := range n {
		ps = append(ps, pair{topo.NodeID(d), topo.NodeID((d*5 + n/2 + 3) % n)})
	}
	return ps
}

func everyPair(n int) []pair {
	var ps []pair
	for k := 1; k < n; k++ {
		for d := range n {
			ps = append(ps, pair{topo.NodeID(d), topo.NodeID((d + k) % n)})
		}
	}
	return ps
}

// pods is a three-tier fat tree of switches with k ports, 400 Gb/s and 1 us links.
func pods(t testing.TB, k, devices int, n int64, ps []pair, opts ...option) *rig {
	return posted(t, n, ps, append([]option{func(c *rigConfig) {
		c.spec = topo.Spec{Kind: "fattree", Servers: devices / 8, Devices: 8, Params: topo.Params{K: k, Tiers: 3, Planes: 1, Rate: 400 * units.Gbps,
			Latency: ns(1000), Uplink: ns(1000), Hop: ns(0)}}
	}}, opts...)...)
}

// star is one switch, every device writing to the next.
func star(t testing.TB, devices int, n int64, opts ...option) *rig {
	var ps []pair
	for d := range devices {
		ps = append(ps, pair{topo.NodeID(d), topo.NodeID((d + 1) % devices)})
	}
	return posted(t, n, ps, append([]option{func(c *rigConfig) {
		c.spec = topo.Spec{Kind: "star", Servers: devices / 8, Devices: 8, Params: topo.Params{Planes: 1, Rate: 400 * units.Gbps, Latency: ns(500), Hop: ns(0)}}
	}}, opts...)...)
}

func posted(t testing.TB, n int64, ps []pair, opts ...option) *rig {
	r := newRig(t, append(opts, func(c *rigConfig) { c.data = mem.Phantom })...)
	from, to := map[topo.NodeID]mem.Addr{}, map[topo.NodeID]mem.Addr{}
	for i, p := range ps {
		if from[p.from] == 0 {
			from[p.from] = r.buffer(int(p.from), n)
		}
		if to[p.to] == 0 {
			to[p.to] = r.buffer(int(p.to), n)
		}
		x, _ := r.connect(p.from, p.to)
		require.NoError(t, r.n.Post(x, &WR{Op: OpWrite, Flags: Signaled, ID: uint64(i), Local: from[p.from], Remote: to[p.to], Len: n}))
	}
	return r
}
