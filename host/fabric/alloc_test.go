package fabric

import (
	"testing"

	"github.com/stretchr/testify/require"

	"hsim/host/sim"
)

// The published runs of one UB CTP write over a direct link of 400 Gb/s with 1 ns
// latency and 10 ns to choose a packet: 2185 packets of 4096 bytes and 36 of
// headers, each acknowledged by 24 bytes, end at 180.55266 us; one write in either
// direction at the same time ends at 195.87198 us, 15.3 us later for the time it
// takes to choose the small packets, not for that on the wire: frames of 40 bytes
// that return the credit of 1024 cells, 4 with every other packet, throw the two
// directions out of step. With no time to choose, they and the acknowledgements
// take theirs on the wire alone: 181.61202 us, as in a published all-to-all.
func TestAllocationOfPublishedRuns(t *testing.T) {
	const packets, bytes = 2185, 8_947_849 + 2185*36
	run := func(alloc sim.Time, both bool) *rig {
		r := newRig(t, plan{devices: 2, wires: []wire{{0, 1, 400 * gbps, sim.Nanosecond}}}, Config{Features: Features{Lanes: 16, Allocation: alloc,
			Credits: Credits{Cells: 6553, Grain: 1024, DataGrain: 4, Frame: 40}}})
		r.add(flow{from: 0, to: 1, bytes: bytes, size: 4132, window: packets, ack: 24})
		if both {
			r.add(flow{from: 1, to: 0, bytes: bytes, size: 4132, window: packets, ack: 24})
		}
		r.run()
		require.EqualValues(t, packets, r.flows[0].packets)
		return r
	}
	require.Equal(t, "180.55266", run(10*sim.Nanosecond, false).flows[0].finished.Micros())
	for _, x := range run(10*sim.Nanosecond, true).flows {
		require.InEpsilon(t, 195.87198, us(x.finished), 0.005)
	}
	require.InDelta(t, 180.53018+0.00248, us(run(0, false).flows[0].finished), 0.0001)
	require.InDelta(t, 181.61202, us(run(0, true).flows[0].finished), 0.001)
}

// Choosing takes no time from large packets: it happens while the one before is on
// the wire.
func TestAllocationOverlaps(t *testing.T) {
	r := newRig(t, starOf(3, 400*gbps, sim.Microsecond), Config{Features: Features{Allocation: 50 * sim.Nanosecond}})
	for i := range 2 {
		r.add(flow{from: r.nodes[i].node, to: 2, bytes: 4_000_000})
	}
	end := r.run().End
	// Once at the device and once at the switch for the first packet.
	require.InDelta(t, us((400*gbps).Time(8_000_000)+2*sim.Microsecond+100*sim.Nanosecond), us(end), 0.1)
}

// A packet shorter than the choice waits for it.
func TestAllocationBoundsSmallPackets(t *testing.T) {
	r := newRig(t, plan{devices: 2, wires: []wire{{0, 1, 400 * gbps, sim.Microsecond}}}, Config{Features: Features{Allocation: 10 * sim.Nanosecond}})
	r.add(flow{from: 0, to: 1, bytes: 64_000, size: 64})
	end := r.run().End
	require.InEpsilon(t, us(1000*10*sim.Nanosecond+sim.Microsecond), us(end), 0.02)
}

func TestAllocationWithCredits(t *testing.T) {
	r := newRig(t, starOf(3, 400*gbps, sim.Microsecond), Config{Features: Features{Lanes: 2, Turns: true, Allocation: 10 * sim.Nanosecond, Credits: Credits{Cells: 100}}})
	for i := range 2 {
		r.add(flow{from: r.nodes[i].node, to: 2, bytes: 4_000_000, lane: uint8(i)})
	}
	end := r.run().End
	// Each lane has credit for four packets in the loop of the last link.
	loop := 2*sim.Microsecond + (400 * gbps).Time(mtu)
	require.InEpsilon(t, us(loop)*1000/4, us(end), 0.03)
}
