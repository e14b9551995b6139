package fabric

import (
	"testing"

	"github.com/stretchr/testify/require"

	"hsim/host/sim"
	"hsim/host/topo"
)

// A link that is slow for a time holds up what starts while it lasts, also what waits at a switch: a flow that keeps it
// busy loses what the link did not carry meanwhile, and no more.
func TestFaultHoldsForWhatStarts(t *testing.T) {
	p := plan{devices: 2, switches: 1, wires: []wire{{0, 2, 400 * gbps, sim.Microsecond}, {1, 2, 400 * gbps, sim.Microsecond}}}
	last := func(faults ...Fault) sim.Time {
		r := newRig(t, p, Config{Faults: faults})
		x := r.add(flow{from: 0, to: 1, bytes: 100_000_000})
		r.run()
		return x.last
	}
	healthy := last()
	out := topo.PortID(3) // of the switch to device 1
	slow := last(Fault{At: 100 * sim.Microsecond, For: 400 * sim.Microsecond, Port: out, Kind: FaultRate, Rate: 100 * gbps})
	require.InEpsilon(t, float64(healthy+300*sim.Microsecond), float64(slow), 0.001)
}

// The hashes of switches have a seed of their own.
func TestSeedOfHashes(t *testing.T) {
	seeds := func(seed uint64) []uint32 {
		g := newRig(t, leaves(2, 2), Config{}).g
		return New(Config{Engine: sim.New(3), Graph: g, Seed: seed}).seeds
	}
	require.Equal(t, seeds(0), seeds(3), "the engine's where there is none")
	require.NotEqual(t, seeds(0), seeds(4))
}
