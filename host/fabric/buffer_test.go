package fabric

import (
	"testing"

	"github.com/stretchr/testify/require"

	"hsim/host/sim"
	"hsim/host/topo"
)

// Two senders at full rate into one port with room for k packets of each: as many
// leave as the port sends while they come, k of each wait at the end, and the rest
// is lost.
func TestTailDrop(t *testing.T) {
	for _, train := range []int64{1, 20} {
		const n, k = 1000, 50
		r := newRig(t, starOf(3, 400*gbps, sim.Microsecond), Config{Features: Features{Buffer: Buffer{Reserve: k * mtu}}})
		for i := range 2 {
			r.add(flow{from: topo.NodeID(i), to: 2, bytes: n * mtu, train: train})
		}
		r.run()
		var full int64
		for i := range 2 {
			full += r.f.Stat(r.g.NodePorts(topo.NodeID(i))[0]).Full
		}
		require.InDelta(t, 2*n-n-2*k, full, float64(3*train))
		require.InDelta(t, full/2, r.f.Stat(0).Full, float64(full)/4, "both lose")
	}
}

// One port and lane may take half of what is free (alpha 1): it holds a third of
// the pool, two hold a quarter each... at alpha 0 one holds half, two a third each.
func TestDynamicThreshold(t *testing.T) {
	for _, x := range []struct {
		alpha   uint
		senders int
		share   float64 // of the pool that each holds at the most
	}{{0, 2, 1. / 3}, {1, 2, 1. / 4}, {0, 3, 1. / 4}, {2, 2, 1. / 6}} {
		const pool = 1_000_000
		r := newRig(t, starOf(x.senders+1, 400*gbps, sim.Microsecond), Config{Features: Features{Buffer: Buffer{Shared: pool, Alpha: x.alpha}}})
		for i := range x.senders {
			r.add(flow{from: topo.NodeID(i), to: topo.NodeID(x.senders), bytes: 8_000_000})
		}
		r.run()
		out := r.g.NodePorts(topo.NodeID(x.senders))[0]
		require.InEpsilon(t, x.share*pool*float64(x.senders), r.f.Stat(r.g.Peer(out)).Depth, 0.03, "%v", x)
	}
}

// What one lane fills up does not take the reserve of another.
func TestReserveIsKept(t *testing.T) {
	r := newRig(t, starOf(3, 400*gbps, sim.Microsecond), Config{Features: Features{Lanes: 2, Buffer: Buffer{Reserve: 20 * mtu, Shared: 100 * mtu}}})
	r.add(flow{from: 0, to: 2, bytes: 4_000_000, lane: 1})
	r.add(flow{from: 1, to: 2, bytes: 4_000_000, lane: 1})
	quiet := r.add(flow{from: 1, to: 2, bytes: 10 * mtu, lane: 0, at: 30 * sim.Microsecond})
	r.run()
	require.Equal(t, quiet.bytes, quiet.got)
	require.Positive(t, r.f.Stat(0).Full)
}

// An incast over pauses loses nothing, keeps the port to the receiver busy and
// holds no more than thresholds and headroom allow.
func TestPauseIsLossless(t *testing.T) {
	for _, p := range []Pause{{Lanes: 3, Off: 100_000, On: 60_000}, {Lanes: 3, Dynamic: true, Below: 8000}} {
		for _, train := range []int64{1, 16} {
			const n, bytes = 8, 4_000_000
			latency := 500 * sim.Nanosecond
			// What comes after a pause: two ways over the link and a packet at either end.
			headroom := (400 * gbps).Bytes(2*latency) + 2*mtu*train
			r := newRig(t, starOf(n+1, 400*gbps, latency), Config{Features: Features{Lanes: 2, Pause: p, Quantum: [MaxLanes]int32{4000, 4000},
				Buffer: Buffer{Reserve: 8000, Shared: 2_000_000, Headroom: headroom, Alpha: 1}}})
			for i := range n {
				r.add(flow{from: topo.NodeID(i), to: n, bytes: bytes, lane: uint8(i % 2), train: train})
			}
			end := r.run().End
			require.InEpsilon(t, us((400 * gbps).Time(n*bytes)), us(end), 0.01)
			require.Positive(t, r.f.Stat(0).Pauses)
			require.Positive(t, r.f.Stat(0).Blocked)
			out := r.g.Peer(r.g.NodePorts(n)[0])
			most := int64(n) * (100_000 + headroom)
			if p.Dynamic {
				most = 2_000_000 + n*(8000+headroom)
			}
			require.Less(t, r.f.Stat(out).Depth, most)
			require.Less(t, us(r.f.Stat(out).Queue), us((400 * gbps).Time(most)))
		}
	}
}

// A pause of one lane leaves the other alone.
func TestPauseIsPerLane(t *testing.T) {
	p := starOf(4, 400*gbps, 500*sim.Nanosecond)
	r := newRig(t, p, Config{Features: Features{Lanes: 2, Pause: Pause{Lanes: 3, Off: 50_000, On: 30_000}}})
	for i := range 2 {
		r.add(flow{from: topo.NodeID(i), to: 2, bytes: 8_000_000, lane: 0})
	}
	other := r.add(flow{from: 0, to: 3, bytes: 4_000_000, lane: 1})
	r.run()
	// Device 0 sends lane 0 at half its rate, so that the other half is free.
	require.InEpsilon(t, us((400 * gbps).Time(8_000_000)), us(other.last), 0.05)
}

// Congestion spreads: behind a paused link a flow to an idle device waits too.
func TestPauseSpreads(t *testing.T) {
	run := func(c Features) sim.Time {
		r := newRig(t, parking(), Config{Features: c})
		for i := range 2 {
			r.add(flow{from: topo.NodeID(i), to: 4, bytes: 8_000_000})
		}
		r.add(flow{from: 2, to: 4, bytes: 8_000_000})
		victim := r.add(flow{from: 0, to: 3, bytes: 2_000_000})
		r.run()
		return victim.last
	}
	free := run(Features{})
	held := run(Features{Pause: Pause{Lanes: 1, Off: 100_000, On: 60_000}})
	require.Greater(t, held, free+free/10)
}

// Beyond Kmax all are marked, up to Kmin none, between them a share that grows to
// Pmax. A window holds the queue at a constant depth.
func TestMarks(t *testing.T) {
	const latency = sim.Microsecond
	for _, x := range []struct {
		window int64
		share  float64
	}{{60, 0}, {120, 0.089}, {160, 0.169}, {300, 1}} {
		r := newRig(t, starOf(3, 400*gbps, latency), Config{Features: Features{Mark: Mark{Kmin: 100 * mtu, Kmax: 300 * mtu, PmaxPPM: 200_000}}})
		for i := range 2 {
			r.add(flow{from: topo.NodeID(i), to: 2, bytes: 40_000_000, window: x.window})
		}
		r.run()
		// Two windows, less what is on the way there and back and on the wire.
		queue := float64(2*x.window) - us(4*latency+(400*gbps).Time(mtu))/0.08
		want := min(max(queue-100, 0)/200*0.2, 0.2)
		if queue > 300 {
			want = 1
		}
		require.InDelta(t, x.share, want, 0.001, "the figures of the table are those of the formula")
		var marked, all int64
		for _, f := range r.flows {
			marked, all = marked+f.marked, all+f.packets
		}
		require.InDelta(t, want, float64(marked)/float64(all), 0.01+float64(x.window)/15_000, "queue %v, but for its beginning and end", queue)
		out := r.g.Peer(r.g.NodePorts(2)[0])
		require.Equal(t, marked, r.f.Stat(out).Marked)
	}
}

// The packets of a train are marked one by one.
func TestMarksOfTrains(t *testing.T) {
	r := newRig(t, starOf(3, 400*gbps, sim.Microsecond), Config{Features: Features{Mark: Mark{Kmin: 0, Kmax: 1 << 40, PmaxPPM: 1_000_000}}})
	for i := range 2 {
		r.add(flow{from: topo.NodeID(i), to: 2, bytes: 40_000_000, train: 20})
	}
	r.run()
	require.Zero(t, r.flows[0].marked, "no queue is near a terabyte")
	r = newRig(t, starOf(3, 400*gbps, sim.Microsecond), Config{Features: Features{Mark: Mark{Kmin: 1, Kmax: 80_000_000, PmaxPPM: 1_000_000}}})
	for i := range 2 {
		r.add(flow{from: topo.NodeID(i), to: 2, bytes: 40_000_000, train: 20})
	}
	r.run()
	// The queue grows to 40 MB while they come and goes down again: at most half of
	// them marked, a quarter on average.
	marked := float64(r.flows[0].marked + r.flows[1].marked)
	require.InDelta(t, 0.25, marked/20_000, 0.02)
}
