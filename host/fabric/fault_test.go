package fabric

import (
	"testing"

	"github.com/stretchr/testify/require"

	"hsim/host/sim"
	"hsim/host/topo"
)

var faultable = map[string]Features{
	"fast":    {},
	"credits": {Lanes: 2, Credits: Credits{Cells: 6553}},
	"pause":   {Pause: Pause{Lanes: 1, Off: 1 << 20, On: 1 << 19}, Buffer: Buffer{Reserve: 1 << 21}},
}

func oneFlow(t *testing.T, c Features, train int64, fs ...Fault) (*rig, *flow) {
	r := newRig(t, starOf(2, 400*gbps, sim.Microsecond), Config{Features: c, Faults: fs})
	x := r.add(flow{from: 0, to: 1, bytes: 4_000_000, train: train})
	r.run()
	return r, x
}

// What is sent while the link is down is lost, and nothing else.
func TestLinkDown(t *testing.T) {
	each(t, faultable, []int64{1}, func(t *testing.T, c Features, train int64) {
		r, x := oneFlow(t, c, train, Fault{At: 20 * sim.Microsecond, For: 16 * sim.Microsecond, Kind: FaultDown, Port: 0})
		require.InDelta(t, 16/0.08, r.f.Stat(0).Drops, 1)
		require.EqualValues(t, 1000-x.packets, r.f.Stat(0).Drops)
		require.Zero(t, r.f.Stat(0).Full)
	})
}

// Half the rate for a time costs half that time.
func TestRateCut(t *testing.T) {
	each(t, faultable, []int64{1, 4}, func(t *testing.T, c Features, train int64) {
		_, whole := oneFlow(t, c, train)
		_, cut := oneFlow(t, c, train, Fault{At: 20 * sim.Microsecond, For: 20 * sim.Microsecond, Kind: FaultRate, Rate: 200 * gbps, Port: 0})
		require.InDelta(t, 10, us(cut.last-whole.last), 0.5*float64(train))
	})
}

// More latency delays what starts after it; packets do not overtake when it ends.
func TestAddedLatency(t *testing.T) {
	each(t, faultable, []int64{1, 4}, func(t *testing.T, c Features, train int64) {
		_, whole := oneFlow(t, c, train)
		_, late := oneFlow(t, c, train, Fault{At: 20 * sim.Microsecond, Kind: FaultLatency, Latency: 3 * sim.Microsecond, Port: 0})
		require.Equal(t, 3*sim.Microsecond, late.last-whole.last)
		_, over := oneFlow(t, c, train, Fault{At: 20 * sim.Microsecond, For: 20 * sim.Microsecond, Kind: FaultLatency, Latency: 3 * sim.Microsecond, Port: 0})
		require.IsIncreasing(t, over.order)
	})
}

// Loss and damage hit their share of the packets of trains too, and split them:
// the receiver sees true gaps.
func TestLossAndCorruption(t *testing.T) {
	each(t, faultable, []int64{1, 16}, func(t *testing.T, c Features, train int64) {
		r, x := oneFlow(t, c, train, Fault{Kind: FaultLoss, PPM: 50_000, Port: 0}, Fault{Kind: FaultCorrupt, PPM: 100_000, Port: 0})
		s := r.f.Stat(0)
		require.InDelta(t, 50, s.Drops, 25)
		require.InDelta(t, 95, s.Corrupt, 35)
		require.Equal(t, s.Corrupt, x.corrupt)
		require.EqualValues(t, 1000-x.packets, s.Drops)
		require.IsIncreasing(t, x.order)
		require.Equal(t, x.packets*mtu, x.got)
	})
}

// Both directions, and faults of one link at the same time.
func TestFaultsAddUp(t *testing.T) {
	r := newRig(t, starOf(2, 400*gbps, sim.Microsecond), Config{Faults: []Fault{
		{At: 10, For: 20 * sim.Microsecond, Kind: FaultRate, Rate: 100 * gbps, Port: 0, Both: true},
		{At: 10 * sim.Microsecond, For: 100 * sim.Microsecond, Kind: FaultRate, Rate: 200 * gbps, Port: 0},
		{At: 10 * sim.Microsecond, For: 20 * sim.Microsecond, Kind: FaultLatency, Latency: 5, Port: 0},
		{At: 10 * sim.Microsecond, Kind: FaultLatency, Latency: 7, Port: 0},
	}})
	r.add(flow{from: 0, to: 1, bytes: 40_000_000})
	at := func(t sim.Time, f func()) { r.e.At(t, r.e.Register(do(f)), 0) }
	at(15*sim.Microsecond, func() {
		require.Equal(t, 100*gbps, r.f.Rate(0))
		require.Equal(t, 100*gbps, r.f.Rate(r.g.Peer(0)))
		require.Equal(t, sim.Microsecond+12, r.f.ports[0].latency)
	})
	at(50*sim.Microsecond, func() {
		require.Equal(t, 200*gbps, r.f.Rate(0))
		require.Equal(t, 400*gbps, r.f.Rate(r.g.Peer(0)))
		require.Equal(t, sim.Microsecond+7, r.f.ports[0].latency)
	})
	r.run()
	require.Equal(t, 400*gbps, r.f.Rate(0))
}

type do func()

func (f do) Handle(sim.Time, uint64) { f() }

func TestFaultsAreChecked(t *testing.T) {
	r := newRig(t, starOf(2, 400*gbps, sim.Microsecond), Config{})
	for _, x := range []struct {
		f    Fault
		says string
	}{
		{Fault{Port: 99}, "fault 0: port: got 99, want one of 4"},
		{Fault{At: -1}, "time: got -1ps"},
		{Fault{Kind: FaultRate}, "rate: got 0bps, want more than 0 (try down)"},
		{Fault{Kind: FaultLoss, PPM: 1_000_001}, "rate per million: got 1000001, want 0 to 1000000"},
		{Fault{Kind: FaultLatency, Latency: -1}, "latency: got -1ps"},
		{Fault{Kind: 77}, "kind"},
	} {
		require.ErrorContains(t, CheckFaults([]Fault{x.f}, r.g), x.says)
	}
}

// A fault that is still to come does not keep a run going.
func TestFaultToCome(t *testing.T) {
	r, _ := oneFlow(t, Features{}, 1, Fault{At: sim.Second, Kind: FaultDown, Port: 0})
	require.Less(t, r.e.Now(), 100*sim.Microsecond)
}

func TestFeaturesAreChecked(t *testing.T) {
	for _, x := range []struct {
		c    Features
		says string
	}{
		{Features{Lanes: 17}, "Lanes: got 17, want 0 to 16"},
		{Features{Credits: Credits{Cells: 10, Grain: 11}}, "Credits.Grain: got 11, want 0 to 10"},
		{Features{Pause: Pause{Lanes: 1}}, "Pause.Off: got 0"},
		{Features{Pause: Pause{Lanes: 1, Off: 10, On: 11}}, "Pause.On: got 11, want 0 to 10"},
		{Features{Pause: Pause{Lanes: 4, Off: 10}, Lanes: 2}, "Pause.Lanes: got 0x4, want lanes below 2"},
		{Features{Pause: Pause{Lanes: 1, Dynamic: true}}, "Pause.Dynamic: got no Buffer.Shared"},
		{Features{Mark: Mark{Kmin: 2, Kmax: 1}}, "Mark.Kmin: got 2, want 0 to 1"},
		{Features{Mark: Mark{PmaxPPM: 2_000_000}}, "Mark.PmaxPPM"},
		{Features{Quantum: [MaxLanes]int32{0, -1}}, "Quantum[1]: got -1"},
		{Features{Allocation: -1}, "Allocation"},
	} {
		require.ErrorContains(t, x.c.Check(), x.says)
	}
	for name, c := range lossless {
		require.NoError(t, c.Check(), name)
	}
}

// A flow over a lossy lossless network: what the link loses does not take the
// sender's credit along.
func TestLossKeepsCredit(t *testing.T) {
	r := newRig(t, starOf(2, 400*gbps, sim.Microsecond), Config{Features: Features{Credits: Credits{Cells: 100}},
		Faults: []Fault{{Kind: FaultLoss, PPM: 300_000, Port: 0}, {At: 100 * sim.Microsecond, For: 50 * sim.Microsecond, Kind: FaultDown, Port: topo.PortID(3)}}})
	r.add(flow{from: 0, to: 1, bytes: 4_000_000})
	r.run()
}
