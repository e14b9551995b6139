package fabric

import (
	"testing"

	"github.com/stretchr/testify/require"

	"hsim/host/sim"
	"hsim/host/topo"
)

// disciplines that lose nothing and, with one lane in use, give the same answers.
var lossless = map[string]Features{
	"fast":            {},
	"lanes":           {Lanes: 16},
	"turns":           {Lanes: 2, Turns: true},
	"credits":         {Credits: Credits{Cells: 6553}},
	"shared credits":  {Lanes: 2, Credits: Credits{Cells: 1000, Shared: 4096}},
	"grains":          {Lanes: 2, Credits: Credits{Cells: 6553, Grain: 32, DataGrain: 4}},
	"pause":           {Pause: Pause{Lanes: 1, Off: 100_000, On: 60_000}},
	"pause, buffer":   {Pause: Pause{Lanes: 1, Off: 100_000, On: 60_000}, Buffer: Buffer{Reserve: 200_000, Headroom: 200_000}},
	"dynamic pause":   {Pause: Pause{Lanes: 1, Dynamic: true, Below: 4096}, Buffer: Buffer{Reserve: 16_000, Shared: 4 << 20, Headroom: 200_000, Alpha: 1}},
	"credits + turns": {Lanes: 4, Turns: true, Credits: Credits{Cells: 6553}},
}

func each(t *testing.T, fs map[string]Features, trains []int64, f func(t *testing.T, c Features, train int64)) {
	for name, c := range fs {
		for _, n := range trains {
			label := name
			if n > 1 {
				label += ", trains"
			}
			t.Run(label, func(t *testing.T) { f(t, c, n) })
		}
	}
}

// N senders of equal rate into one port: each has a share of 1/N until the end.
func TestIncastEqual(t *testing.T) {
	each(t, lossless, []int64{1, 16}, func(t *testing.T, c Features, train int64) {
		const n, bytes = 8, 2_000_000
		r := newRig(t, starOf(n+1, 400*gbps, sim.Microsecond), Config{Features: c})
		for i := range n {
			r.add(flow{from: topo.NodeID(i), to: n, bytes: bytes, train: train})
		}
		end := r.run().End
		require.InEpsilon(t, us((400 * gbps).Time(n*bytes)), us(end), 0.01)
		for _, x := range r.flows {
			require.Greater(t, us(x.last), 0.93*us(end), "equal flows end together")
		}
		require.Equal(t, "s0:0/8", r.f.Loads()[0].Port, "the bottleneck is the port to the receiver")
	})
}

// Flows of different sizes fill up like water: the k-th smallest ends at the sum
// over i up to k of (s_i - s_(i-1)) (N - i + 1) / B.
func TestIncastUnequal(t *testing.T) {
	each(t, lossless, []int64{1, 8}, func(t *testing.T, c Features, train int64) {
		sizes := []int64{1_000_000, 2_000_000, 4_000_000, 5_000_000}
		r := newRig(t, starOf(5, 400*gbps, sim.Microsecond), Config{Features: c})
		for i, s := range sizes {
			r.add(flow{from: topo.NodeID(i), to: 4, bytes: s, train: train})
		}
		r.run()
		var at, before int64
		for i, s := range sizes {
			at += (s - before) * int64(len(sizes)-i)
			before = s
			slack := 0.01 * float64(train)
			if c.Pause.Lanes != 0 { // a pause stops one sender a little earlier than the others
				slack = max(slack, 0.05)
			}
			require.InEpsilon(t, us((400*gbps).Time(at))+2, us(r.flows[i].last), slack, "flow %d", i)
		}
	})
}

// parking is a lot with two links of the given rate between three switches:
// devices 0 and 1 at the first, 2 and 3 at the second, 4 and 5 at the third.
func parking() plan {
	p := plan{devices: 6, switches: 3}
	for i := range 6 {
		p.wires = append(p.wires, wire{i, 6 + i/2, 400 * gbps, sim.Microsecond})
	}
	p.wires = append(p.wires, wire{6, 7, 400 * gbps, sim.Microsecond}, wire{7, 8, 400 * gbps, sim.Microsecond})
	return p
}

// The long flow shares each of its two links with one other: all three get half,
// and who has sent all leaves nothing to the others that they could use.
func TestParkingLot(t *testing.T) {
	each(t, map[string]Features{
		"credits": {Turns: true, Credits: Credits{Cells: 1000}},
		"pause":   {Turns: true, Pause: Pause{Lanes: 1, Off: 100_000, On: 60_000}},
	}, []int64{1, 4}, func(t *testing.T, c Features, train int64) {
		const bytes = 10_000_000
		r := newRig(t, parking(), Config{Features: c})
		r.add(flow{from: 0, to: 4, bytes: bytes, train: train})
		r.add(flow{from: 1, to: 2, bytes: bytes, train: train})
		r.add(flow{from: 3, to: 5, bytes: bytes, train: train})
		r.run()
		for i, x := range r.flows {
			require.InEpsilon(t, us((400 * gbps).Time(2*bytes)), us(x.last), 0.02, "flow %d", i)
		}
	})
}

// What comes over a slow link through a fast port takes its own time of the port and
// no more: both flows have all of their links, which the port can just take.
func TestSlowLinkLeavesTheRest(t *testing.T) {
	each(t, lossless, []int64{1, 8}, func(t *testing.T, c Features, train int64) {
		p := starOf(3, 400*gbps, sim.Microsecond)
		p.wires[0].rate, p.wires[1].rate = 100*gbps, 300*gbps
		r := newRig(t, p, Config{Features: c})
		slow := r.add(flow{from: 0, to: 2, bytes: 2_000_000, train: train})
		fast := r.add(flow{from: 1, to: 2, bytes: 6_000_000, train: train})
		r.run()
		for _, x := range []*flow{slow, fast} {
			require.InEpsilon(t, us((100*gbps).Time(2_000_000))+2, us(x.last), 0.02)
		}
	})
}

// Two flows from one device share its port, whatever their lanes have of weight 1.
func TestTwoFlowsOfAPort(t *testing.T) {
	each(t, lossless, []int64{1, 8}, func(t *testing.T, c Features, train int64) {
		r := newRig(t, starOf(3, 400*gbps, sim.Microsecond), Config{Features: c})
		r.add(flow{from: 0, to: 1, bytes: 4_000_000, train: train})
		r.add(flow{from: 0, to: 2, bytes: 4_000_000, train: train})
		r.run()
		for _, x := range r.flows {
			require.InEpsilon(t, us((400 * gbps).Time(8_000_000)), us(x.last), 0.02)
		}
	})
}

// A window of W bytes and a round trip of RTT bound the rate to W/RTT.
func TestWindowLimit(t *testing.T) {
	each(t, lossless, []int64{1}, func(t *testing.T, c Features, train int64) {
		const bytes, window = 4_000_000, 20
		r := newRig(t, starOf(2, 400*gbps, 2*sim.Microsecond), Config{Features: c})
		x := r.add(flow{from: 0, to: 1, bytes: bytes, window: window, ack: 64})
		r.run()
		// Once through two links cut through, once back, and both packets on the wire.
		rtt := 4*2*sim.Microsecond + (400 * gbps).Time(mtu+64)
		require.InEpsilon(t, us(rtt)*bytes/mtu/window, us(x.finished), 0.01)
	})
}

// Credit for n packets that come back a round trip after the packet has started
// bounds the rate to n packets in that time.
func TestCreditLimit(t *testing.T) {
	for _, x := range []struct {
		cells, packets int32
		trains         int64
	}{{25, 1, 1}, {75, 3, 1}, {99, 3, 1}, {250, 10, 1}, {250, 10, 16}} {
		r := newRig(t, plan{devices: 2, wires: []wire{{0, 1, 400 * gbps, 2 * sim.Microsecond}}}, Config{Features: Features{Credits: Credits{Cells: x.cells}}})
		r.add(flow{from: 0, to: 1, bytes: 4_000_000, train: x.trains})
		end := r.run().End
		loop := 2*2*sim.Microsecond + (400 * gbps).Time(mtu)
		require.InEpsilon(t, us(loop)*1000/float64(x.packets), us(end), 0.01, "%v", x)
		require.Greater(t, us(r.f.Stat(0).Blocked), 0.5*us(end))
	}
}

// Through a switch the credit of the first link comes back when the packet has
// left the switch: its link is not slower for what happens behind it.
func TestCreditLimitOfEachLink(t *testing.T) {
	r := newRig(t, starOf(2, 400*gbps, 2*sim.Microsecond), Config{Features: Features{Credits: Credits{Cells: 100}}})
	r.add(flow{from: 0, to: 1, bytes: 4_000_000})
	end := r.run().End
	require.InEpsilon(t, us(2*2*sim.Microsecond+(400*gbps).Time(mtu))*1000/4, us(end), 0.01)
}

// With a pool a lane uses the cells that others leave alone, and no lane is
// without its own.
func TestSharedCredits(t *testing.T) {
	run := func(c Credits, lanes ...uint8) sim.Time {
		r := newRig(t, plan{devices: 2, wires: []wire{{0, 1, 400 * gbps, 2 * sim.Microsecond}}}, Config{Features: Features{Lanes: 4, Credits: c}})
		for _, n := range lanes {
			r.add(flow{from: 0, to: 1, bytes: 4_000_000, lane: n})
		}
		return r.run().End
	}
	loop := us(2*2*sim.Microsecond + (400 * gbps).Time(mtu))
	require.InEpsilon(t, loop*1000/12, us(run(Credits{Cells: 50, Shared: 250}, 1)), 0.01, "50 of its own and 250 of all")
	// Lane 1 is first and takes the pool: it has 12 packets under way, lane 2 has two
	// of its own until lane 1 has ended.
	both := 1000./12 + (1000-2*1000./12)/12
	require.InEpsilon(t, loop*both, us(run(Credits{Cells: 50, Shared: 250}, 1, 2)), 0.02)
}

// Returns in grains come a little later, and what is owed travels with data in
// the other direction.
func TestCreditGrain(t *testing.T) {
	run := func(c Credits, back bool) (sim.Time, *rig) {
		r := newRig(t, plan{devices: 2, wires: []wire{{0, 1, 400 * gbps, 2 * sim.Microsecond}}}, Config{Features: Features{Lanes: 2, Credits: c}})
		x := r.add(flow{from: 0, to: 1, bytes: 4_000_000})
		if back {
			r.add(flow{from: 1, to: 0, bytes: 4_000_000, size: 160, lane: 1})
		}
		r.run()
		return x.last, r
	}
	each, _ := run(Credits{Cells: 100}, false)
	grain, _ := run(Credits{Cells: 100, Grain: 100}, false)
	with, _ := run(Credits{Cells: 100, Grain: 100, DataGrain: 25}, true)
	loop := us(2*2*sim.Microsecond + (400 * gbps).Time(mtu))
	require.InEpsilon(t, loop*1000/4, us(each), 0.01)
	require.InEpsilon(t, (loop+3*0.08)*1000/4, us(grain), 0.01, "four packets, and their credit in one")
	require.Less(t, with, grain)
}

// Acknowledgements of no length, as an ideal network has them, take no turn from
// what a device still has to send.
func TestEmptyAcknowledgements(t *testing.T) {
	each(t, lossless, []int64{1, 8}, func(t *testing.T, c Features, train int64) {
		p := starOf(4, 400*gbps, 100*sim.Nanosecond)
		p.wires[3].rate = 100 * gbps
		r := newRig(t, p, Config{Features: c})
		for i := range 12 {
			r.add(flow{from: topo.NodeID(i % 4), to: topo.NodeID((i + 1 + i/4) % 4), bytes: 1_000_000, window: 300, train: train, at: sim.Time(i) * 3 * sim.Microsecond})
		}
		r.run()
		for i, x := range r.flows {
			require.Equal(t, x.bytes, x.got, "flow %d", i)
		}
	})
}
