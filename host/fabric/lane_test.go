package fabric

import (
	"testing"

	"github.com/stretchr/testify/require"

	"hsim/host/sim"
	"hsim/host/topo"
)

// Backlogged lanes share a port by their quanta, at a device and at a switch,
// whatever the sizes of their packets.
func TestRoundRobinShares(t *testing.T) {
	for _, x := range []struct {
		name   string
		from   []topo.NodeID // one per lane
		train  int64
		quanta [MaxLanes]int32
	}{
		{"device", []topo.NodeID{0, 0, 0}, 1, [MaxLanes]int32{1500, 3000, 6000}},
		{"switch", []topo.NodeID{0, 1, 2}, 1, [MaxLanes]int32{1500, 3000, 6000}},
		{"large quanta", []topo.NodeID{0, 1, 2}, 1, [MaxLanes]int32{150_000, 300_000, 600_000}},
		{"trains", []topo.NodeID{0, 1, 2}, 8, [MaxLanes]int32{1500, 3000, 6000}},
	} {
		t.Run(x.name, func(t *testing.T) {
			r := newRig(t, starOf(4, 400*gbps, sim.Microsecond), Config{Features: Features{Lanes: 4, Quantum: x.quanta}})
			for n, from := range x.from {
				r.add(flow{from: from, to: 3, bytes: int64(x.quanta[n]) * 20_000_000 / int64(x.quanta[0]), lane: uint8(n), size: int64(mtu - 777*n), train: x.train})
			}
			end := r.run().End
			// In proportion, so that all end together.
			for n, f := range r.flows {
				require.InEpsilon(t, us(end), us(f.last), 0.01, "lane %d", n)
			}
		})
	}
}

// A lane that does not use its share leaves it to the others.
func TestRoundRobinWastesNothing(t *testing.T) {
	r := newRig(t, starOf(4, 400*gbps, sim.Microsecond), Config{Features: Features{Lanes: 4, Quantum: [MaxLanes]int32{4000, 4000, 4000}}})
	r.add(flow{from: 0, to: 3, bytes: 1_000_000, lane: 0})
	r.add(flow{from: 1, to: 3, bytes: 2_000_000, lane: 1})
	r.add(flow{from: 2, to: 3, bytes: 4_000_000, lane: 2})
	r.run()
	for i, want := range []int64{3_000_000, 5_000_000, 7_000_000} {
		require.InEpsilon(t, us((400*gbps).Time(want))+2, us(r.flows[i].last), 0.01)
	}
}

// The lower lane goes first: it is as fast as alone, but for the packet in service
// when it comes.
func TestStrictPriority(t *testing.T) {
	for _, from := range []topo.NodeID{0, 1} { // same device, another one
		r := newRig(t, starOf(3, 400*gbps, sim.Microsecond), Config{Features: Features{Lanes: 2}})
		bulk := r.add(flow{from: 0, to: 2, bytes: 20_000_000, lane: 1})
		first := r.add(flow{from: from, to: 2, bytes: 4_000_000, at: 50*sim.Microsecond + 7, lane: 0})
		r.run()
		alone := us((400 * gbps).Time(4_000_000)) + 2
		require.InDelta(t, alone, us(first.last-first.at), 2*0.08)
		require.InEpsilon(t, us((400*gbps).Time(24_000_000))+2, us(bulk.last), 0.01)
	}
}

// Lanes with a quantum share what strict lanes leave.
func TestStrictBeforeWeighted(t *testing.T) {
	r := newRig(t, starOf(4, 400*gbps, sim.Microsecond), Config{Features: Features{Lanes: 3, Quantum: [MaxLanes]int32{4000, 4000, 0}}})
	r.add(flow{from: 0, to: 3, bytes: 4_000_000, lane: 0})
	r.add(flow{from: 1, to: 3, bytes: 4_000_000, lane: 1})
	r.add(flow{from: 2, to: 3, bytes: 2_000_000, lane: 2})
	r.run()
	for i, want := range []int64{10_000_000, 10_000_000, 2_000_000} {
		require.InEpsilon(t, us((400*gbps).Time(want))+2, us(r.flows[i].last), 0.01)
	}
}

// A high lane waits for one packet of a train in service, not for all of it.
func TestPriorityPassesTrains(t *testing.T) {
	r := newRig(t, starOf(3, 400*gbps, sim.Microsecond), Config{Features: Features{Lanes: 2}})
	r.add(flow{from: 0, to: 2, bytes: 4_000_000, lane: 1, train: 100})
	first := r.add(flow{from: 1, to: 2, bytes: mtu, at: 20*sim.Microsecond + 7, lane: 0})
	r.run()
	require.Less(t, us(first.last-first.at), 2+3*0.08)
}

// Cut-through pays for one packet at the end, store and forward at every switch.
func TestCutThroughAndStore(t *testing.T) {
	for _, fs := range []Features{{}, {Lanes: 2}, {Credits: Credits{Cells: 1000}}} {
		for _, train := range []int64{1, 10} {
			for _, store := range []bool{false, true} {
				p := plan{devices: 2, switches: 3, delay: 300 * sim.Nanosecond, store: store}
				for i, ends := range [][2]int{{0, 2}, {2, 3}, {3, 4}, {4, 1}} {
					p.wires = append(p.wires, wire{ends[0], ends[1], 400 * gbps, sim.Time(100*(i+1)) * sim.Nanosecond})
				}
				r := newRig(t, p, Config{Features: fs})
				x := r.add(flow{from: 0, to: 1, bytes: 10 * mtu, train: train})
				r.run()
				want := (1000+3*300)*sim.Nanosecond + (400 * gbps).Time(10*mtu)
				if store {
					want += 3 * (400 * gbps).Time(mtu)
				}
				require.Equal(t, want, x.last, "store %v, train %d", store, train)
			}
		}
	}
}

// A fast link behind a slow one cannot be faster than its packets come in.
func TestSlowLinkFirst(t *testing.T) {
	for _, fs := range []Features{{}, {Lanes: 2}} {
		p := plan{devices: 2, switches: 1, wires: []wire{{0, 2, 100 * gbps, sim.Microsecond}, {2, 1, 400 * gbps, sim.Microsecond}}}
		r := newRig(t, p, Config{Features: fs})
		x := r.add(flow{from: 0, to: 1, bytes: 10 * mtu})
		r.run()
		require.Equal(t, 2*sim.Microsecond+(100*gbps).Time(10*mtu), x.last)
	}
}

// Order within a flow holds, whatever the ports do.
func TestOrderOfAFlow(t *testing.T) {
	each(t, lossless, []int64{1, 7}, func(t *testing.T, c Features, train int64) {
		r := newRig(t, parking(), Config{Features: c})
		for i := range 4 {
			r.add(flow{from: topo.NodeID(i), to: 4 + topo.NodeID(i%2), bytes: 400_000, train: train, window: 30, ack: 64})
		}
		r.run()
		for _, x := range r.flows {
			require.IsIncreasing(t, x.order)
		}
	})
}

// A lane that was alone, in trains of which its credit covered a part, has saved
// nothing when another lane comes: both have half from then on.
func TestTrainsSaveNothing(t *testing.T) {
	for _, train := range []int64{1, 8, 32, 64} {
		c := Features{Lanes: 2, Credits: Credits{Cells: 250}}
		c.Quantum[0], c.Quantum[1] = 4000, 4000
		r := newRig(t, plan{devices: 2, wires: []wire{{0, 1, 400 * gbps, 10 * sim.Nanosecond}}}, Config{Features: c})
		early := r.add(flow{from: 0, to: 1, bytes: 4_000_000, train: train})
		late := r.add(flow{from: 0, to: 1, bytes: 4_000_000, train: train, lane: 1, at: 40 * sim.Microsecond})
		r.run()
		require.InEpsilon(t, 40+2*40, us(early.last), 0.05, "train %d", train)
		require.InEpsilon(t, 160, us(late.last), 0.01, "train %d", train)
	}
}
