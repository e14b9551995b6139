package fabric

import (
	"syscall"
	"testing"
	"time"

	"hsim/host/sim"
	"hsim/host/topo"
)

// BenchmarkHops is the cost of a link crossing without a transport: flows over two
// leaves and four spines, with nothing but a wire at the ports, and with features.
func BenchmarkHops(b *testing.B) {
	for _, x := range []struct {
		name string
		c    Features
	}{
		{"fast", Features{}},
		{"lanes", Features{Lanes: 16}},
		{"credits", Features{Lanes: 16, Credits: Credits{Cells: 6553}}},
		{"tight credits", Features{Lanes: 16, Credits: Credits{Cells: 500}}},
		{"pool", Features{Lanes: 16, Credits: Credits{Cells: 1000, Shared: 4096}}},
		{"turns", Features{Lanes: 16, Turns: true, Credits: Credits{Cells: 6553}}},
		{"weights", Features{Lanes: 4, Quantum: [MaxLanes]int32{1500, 1500, 1500, 1500}}},
		{"pause", Features{Lanes: 4, Pause: Pause{Lanes: 15, Off: 819_200, On: 655_360}, Buffer: Buffer{Reserve: 1 << 20, Headroom: 400_000}}},
		{"marks", Features{Mark: Mark{Kmin: 100_000, Kmax: 400_000, PmaxPPM: 200_000}}},
		{"allocation", Features{Lanes: 16, Turns: true, Credits: Credits{Cells: 6553, Grain: 32}, Allocation: 10 * sim.Nanosecond}},
	} {
		b.Run(x.name, func(b *testing.B) {
			b.ReportAllocs()
			var spent time.Duration
			var hops uint64
			for range b.N {
				b.StopTimer()
				r := newRig(b, leaves(4, 4), Config{Features: x.c})
				for i := range 8 {
					r.add(flow{from: topo.NodeID(i), to: topo.NodeID((i + 4 + i/4) % 8), bytes: 40_000_000, flags: FlagSpray, lane: uint8(i % max(1, x.c.Lanes)), silent: true})
				}
				from := cpu()
				b.StartTimer()
				r.e.Run(0)
				spent += cpu() - from
				hops += r.f.Hops()
			}
			b.ReportMetric(float64(spent.Nanoseconds())/float64(hops), "cpu-ns/hop")
			b.ReportMetric(float64(hops)/spent.Seconds()/1e6, "Mhops/cpu-s")
		})
	}
}

func cpu() time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		panic(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
