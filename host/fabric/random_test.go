package fabric

import (
	"fmt"
	"runtime"
	"testing"

	"github.com/stretchr/testify/require"

	"hsim/host/sim"
	"hsim/host/topo"
	"hsim/host/units"
)

// tangle is a random network of leaves and spines with odd rates and latencies and
// random flows over it.
func tangle(t testing.TB, seed uint64, c Features, train int64) *rig {
	d := sim.New(seed).Rand("tangle")
	return knot(t, d, c, train, d.Intn(2) == 0, 1)
}

// untied is a tangle that stores and forwards and is so slow that, among all those
// picoseconds, no two things happen at the same time. With cut-through the head of
// a packet comes just when a port has sent the tail of the one before, and the order
// of the two events decides.
func untied(t testing.TB, seed uint64, c Features) *rig {
	return knot(t, sim.New(seed).Rand("untied"), c, 1, true, 1000)
}

func knot(t testing.TB, d *sim.Rand, c Features, train int64, store bool, slow int) *rig {
	p := leaves(3, 3)
	for i := range p.wires {
		p.wires[i].rate = (gbps*300 + units.Rate(d.Intn(1e11))) / units.Rate(slow)
		p.wires[i].latency = sim.Time((300_000 + d.Intn(900_000)) * slow)
	}
	p.delay = sim.Time(d.Intn(2)*slow) * 77_777
	p.store = store
	r := newRig(t, p, Config{Features: c})
	windows := 2
	if c.Buffer.on() && c.Pause.Lanes == 0 {
		windows = 1 // an acknowledgement that is lost would end a flow with a window
	}
	for range 12 {
		from := d.Intn(6)
		r.add(flow{from: topo.NodeID(from), to: topo.NodeID((from + 1 + d.Intn(5)) % 6), bytes: int64(50_000 + d.Intn(800_000)), size: int64(500 + d.Intn(4000)),
			lane: uint8(d.Intn(max(1, c.Lanes))), at: sim.Time(d.Intn(20_000_000 * slow)), window: int64(d.Intn(windows) * (5 + d.Intn(60))), ack: 70,
			flags: uint16(d.Intn(2) * FlagSpray), train: train})
	}
	return r
}

func (r *rig) ends() (s string) {
	for _, x := range r.flows {
		s += fmt.Sprintln(x.id, x.first, x.last, x.finished, x.marked, x.order)
	}
	for i := range r.g.Ports {
		s += fmt.Sprintln(r.f.Stat(topo.PortID(i)))
	}
	return s
}

var mixed = map[string]Features{
	"lanes":   {Lanes: 4},
	"credits": {Lanes: 4, Quantum: [MaxLanes]int32{0, 1500, 4500, 3000}, Credits: Credits{Cells: 200, Grain: 4}},
	"weights": {Lanes: 4, Quantum: [MaxLanes]int32{0, 1500, 4500, 3000}, Credits: Credits{Cells: 100}},
	"pool":    {Lanes: 3, Credits: Credits{Cells: 40, Shared: 200}, Turns: true},
	"pause":   {Lanes: 2, Pause: Pause{Lanes: 3, Off: 60_000, On: 30_000}, Mark: Mark{Kmin: 20_000, Kmax: 80_000, PmaxPPM: 500_000}},
	"buffer":  {Lanes: 2, Buffer: Buffer{Reserve: 8000, Shared: 100_000, Alpha: 1}},
	"alloc":   {Lanes: 2, Allocation: 10 * sim.Nanosecond, Credits: Credits{Cells: 300, Grain: 32, DataGrain: 4}},
	"all": {Lanes: 4, Turns: true, Quantum: [MaxLanes]int32{0, 1500, 4500}, Credits: Credits{Cells: 400, Grain: 4}, Pause: Pause{Lanes: 15, Off: 60_000, On: 30_000},
		Buffer: Buffer{Reserve: 100_000, Headroom: 1 << 20}, Mark: Mark{Kmin: 20_000, Kmax: 80_000, PmaxPPM: 500_000}, Adaptive: true},
}

// Everything at once: what is conserved is conserved, and the same run gives the
// same answer.
func TestRandomNetworks(t *testing.T) {
	each(t, mixed, []int64{1, 6}, func(t *testing.T, c Features, train int64) {
		for seed := range uint64(5) {
			r := tangle(t, seed, c, train)
			r.run()
			again := tangle(t, seed, c, train)
			again.run()
			require.Equal(t, r.ends(), again.ends())
		}
	})
}

// Switches that work ahead, choices that are worked out late and those made in time
// agree. Of what happens at the same time the order may differ, and with it that of
// two packets, but not the times; seeds that are left out have such a choice between
// packets of different length.
func TestAheadLateAndInTime(t *testing.T) {
	for name, c := range map[string]Features{
		"strict":  {Lanes: 4},
		"weights": {Lanes: 4, Quantum: [MaxLanes]int32{0, 1500, 4500, 3000}},
		"turns":   {Turns: true},
		"credits": {Credits: Credits{Cells: 100}},
		"pool":    {Credits: Credits{Cells: 50, Shared: 50}},
	} {
		for seed := uint64(8); seed < 22; seed++ {
			ahead := untied(t, seed, c)
			ahead.run()
			late := untied(t, seed, c)
			late.stepwise()
			late.run()
			in := untied(t, seed, c)
			in.stepwise()
			for i := range in.f.q.ports {
				in.f.q.ports[i].slack = 0
			}
			in.run()
			require.True(t, in.ends() == late.ends(), "%s, seed %d", name, seed)
			require.Equal(t, late.times(), ahead.times(), "%s, seed %d", name, seed)
		}
	}
}

// stepwise has no switch work ahead.
func (r *rig) stepwise() {
	for i := range r.f.nodes {
		r.f.nodes[i].span = 0
	}
	r.f.q.setSlack()
}

func (r *rig) times() (s string) {
	for _, x := range r.flows {
		s += fmt.Sprintln(x.id, x.first, x.last, x.finished)
	}
	return s
}

// With one lane in use and nothing to stop it, ports that queue do what the fast
// path does.
func TestQueuesAgreeWithTheFastPath(t *testing.T) {
	for seed := range uint64(40) {
		fast := untied(t, seed, Features{})
		fast.run()
		queued := untied(t, seed, Features{Credits: Credits{Cells: 1 << 20}})
		queued.run()
		for i, x := range fast.flows {
			y := queued.flows[i]
			require.Equal(t, []any{x.first, x.last, x.finished, x.order}, []any{y.first, y.last, y.finished, y.order}, "seed %d, flow %d", seed, i)
		}
	}
}

// Nothing is allocated for a packet once the queues have their size.
func TestNoAllocationWhenHot(t *testing.T) {
	for name, c := range mixed {
		r := newRig(t, leaves(4, 4), Config{Features: c})
		for i := range 4 {
			r.add(flow{from: topo.NodeID(i), to: topo.NodeID(4 + (i+1)%4), bytes: 40_000_000, flags: FlagSpray, lane: uint8(i % 2)})
		}
		for _, x := range r.flows {
			x.order = make([]uint32, 0, 20_000) // the test's own
		}
		count := func(at sim.Time, to *uint64) {
			r.e.At(at, r.e.Register(do(func() {
				var m runtime.MemStats
				runtime.ReadMemStats(&m)
				*to = m.Mallocs
			})), 0)
		}
		var from, to uint64
		count(200*sim.Microsecond, &from)
		count(700*sim.Microsecond, &to)
		r.run()
		require.Less(t, to-from, uint64(3000), name) // 25 000 packets over four links; the rest is the test's own
	}
}
