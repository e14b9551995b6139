package fabric

import (
	"testing"

	"github.com/stretchr/testify/require"

	"hsim/host/sim"
	"hsim/host/topo"
)

// planes is two switches between n devices, each with a link to both; the links
// of the second are faster by the given factor.
func planes(n int, second int) plan {
	p := plan{devices: n, switches: 2}
	for i := range n {
		p.wires = append(p.wires, wire{i, n, 400 * gbps, sim.Microsecond}, wire{i, n + 1, 400 * gbps, sim.Microsecond})
	}
	return p
}

// leaves is two leaf switches with n devices each and k links between them over k
// spines.
func leaves(n, k int) plan {
	p := plan{devices: 2 * n, switches: 2 + k}
	for i := range 2 * n {
		p.wires = append(p.wires, wire{i, 2*n + i/n, 400 * gbps, sim.Microsecond})
	}
	for i := range k {
		p.wires = append(p.wires, wire{2 * n, 2*n + 2 + i, 400 * gbps, sim.Microsecond}, wire{2*n + 1, 2*n + 2 + i, 400 * gbps, sim.Microsecond})
	}
	return p
}

var routed = map[string]Features{"fast": {}, "credits": {Lanes: 2, Credits: Credits{Cells: 6553}}}

// uplinks are the bytes that the links from the first leaf to the spines carried.
func (r *rig) uplinks(leaf topo.NodeID) (all []int64) {
	for _, id := range r.g.NodePorts(leaf) {
		if r.g.Nodes[r.g.PeerNode(id)].Kind == topo.Switch {
			all = append(all, r.f.Stat(id).Bytes)
		}
	}
	return all
}

func busy(all []int64) (n int) {
	for _, b := range all {
		if b > 0 {
			n++
		}
	}
	return n
}

// One flow takes one way, the same in every run; sprayed it takes all equally.
func TestHashAndSpray(t *testing.T) {
	each(t, routed, []int64{1, 4}, func(t *testing.T, c Features, train int64) {
		run := func(flags uint16) []int64 {
			r := newRig(t, leaves(4, 4), Config{Features: c})
			r.add(flow{from: 0, to: 4, bytes: 4_000_000, flags: flags, train: train})
			r.run()
			return r.uplinks(8)
		}
		require.Equal(t, 1, busy(run(0)))
		require.Equal(t, run(0), run(0))
		for _, b := range run(FlagSpray) {
			require.InEpsilon(t, 1_000_000, b, 0.02)
		}
	})
}

// Adaptive choice: with one way taken by others, sprayed packets use the rest.
func TestAdaptiveAvoidsQueues(t *testing.T) {
	each(t, routed, []int64{1}, func(t *testing.T, c Features, train int64) {
		run := func(adaptive bool) (sim.Time, []int64) {
			c.Adaptive = adaptive
			r := newRig(t, leaves(4, 2), Config{Features: c})
			bulk := r.add(flow{from: 0, to: 4, bytes: 8_000_000}) // by its hash on one way
			x := r.add(flow{from: 1, to: 5, bytes: 4_000_000, flags: FlagSpray})
			r.run()
			return max(bulk.last, x.last), r.uplinks(8)
		}
		plain, _ := run(false)
		adapted, by := run(true)
		require.Less(t, adapted, plain)
		require.InEpsilon(t, us((400*gbps).Time(8_000_000))+4, us(adapted), 0.02, "the bulk flow has its way for itself")
		require.InEpsilon(t, 12_000_000, by[0]+by[1], 0.001)
	})
}

// A hint keeps to the ports of its group where a node has any.
func TestGroups(t *testing.T) {
	each(t, routed, []int64{1}, func(t *testing.T, c Features, train int64) {
		for group := range 2 {
			r := newRig(t, leaves(2, 4), Config{Features: c})
			up := 0
			for _, id := range r.g.NodePorts(4) {
				if r.g.Nodes[r.g.PeerNode(id)].Kind == topo.Switch {
					r.f.SetGroup(id, uint8(1+up/2))
					up++
				}
			}
			for i := range 2 {
				r.add(flow{from: topo.NodeID(i), to: 2 + topo.NodeID(i), bytes: 400_000, flags: FlagSpray, hint: uint8(1 + group)})
			}
			r.add(flow{from: 2, to: 0, bytes: 400_000, hint: 9}) // no port of that group
			r.run()
			by := r.uplinks(4)
			require.InEpsilon(t, 800_000, by[2*group]+by[2*group+1], 0.001)
			require.Zero(t, by[2-2*group]+by[3-2*group])
			require.Positive(t, by[2*group])
		}
	})
}

// All paths of a full mesh: the direct link and those over the other devices; no
// packet makes more than one detour.
func TestDetours(t *testing.T) {
	each(t, routed, []int64{1}, func(t *testing.T, c Features, train int64) {
		p := plan{devices: 1, switches: 5, forwards: false}
		p.devices = 2
		// Devices 0 and 1 at switches 0 and 1 of a full mesh of five.
		p.wires = []wire{{0, 2, 1600 * gbps, sim.Microsecond}, {1, 3, 1600 * gbps, sim.Microsecond}}
		for a := range 5 {
			for b := range a {
				p.wires = append(p.wires, wire{2 + a, 2 + b, 400 * gbps, sim.Microsecond})
			}
		}
		run := func(flags uint16, allow bool) (*rig, *flow) {
			r := newRig(t, p, Config{Features: c})
			if allow {
				r.f.AllowDetours()
			}
			x := r.add(flow{from: 0, to: 1, bytes: 4_000_000, flags: flags})
			r.run()
			return r, x
		}
		_, direct := run(FlagSpray, true)
		r, all := run(FlagSpray|FlagDetour, true)
		require.InEpsilon(t, us((400 * gbps).Time(4_000_000)), us(direct.last), 0.05)
		require.InEpsilon(t, us((400*gbps).Time(1_000_000))+4, us(all.last), 0.1, "four ways: one direct, three by one switch")
		require.InDelta(t, 1000*(2+1)+750, float64(r.f.Hops()), 20)
		_, flagOnly := run(FlagSpray|FlagDetour, false)
		require.Equal(t, direct.last, flagOnly.last)
	})
}

// Several links to one switch are equal ways.
func TestParallelLinks(t *testing.T) {
	r := newRig(t, planes(4, 1), Config{Features: Features{Lanes: 2}})
	for i := range 2 {
		r.add(flow{from: 0, to: 1, bytes: 4_000_000, lane: uint8(i)})
	}
	end := r.run().End
	require.InEpsilon(t, us((400*gbps).Time(4_000_000))+2, us(end), 0.001, "one flow on either plane")
}
