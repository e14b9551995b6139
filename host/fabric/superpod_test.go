package fabric_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"hsim/host/fabric"
	"hsim/host/sim"
	"hsim/host/soc"
	"hsim/host/topo"
)

// sink counts the bytes of one device, and those that arrived from one time to
// another.
type sink struct {
	e             *sim.Engine
	from, to      sim.Time
	bytes, window int64
}

func (s *sink) Receive(p *fabric.Packet, _ topo.PortID) {
	s.bytes += int64(p.Payload)
	if now := s.e.Now(); now >= s.from && now < s.to {
		s.window += int64(p.Payload)
	}
}

// A permutation of raw flows over CloudMatrix384, every packet sprayed over the
// equal-cost paths, runs at 97 % or more of the 196 GB/s of a die: the rate of
// every flow once the pipe is full. (Its last packet is later than that: of the
// random choices of a spray, one link is always behind.)
func TestPermutationOnCloudMatrix384(t *testing.T) {
	if testing.Short() {
		t.Skip("1.4 million packets over four links")
	}
	p, err := soc.Load("a3")
	require.NoError(t, err)
	g, err := topo.Build(topo.CloudMatrix384(), p.Chip())
	require.NoError(t, err)
	r, err := g.Routes(topo.HCCS)
	require.NoError(t, err)
	e := sim.New(1)
	f := fabric.New(fabric.Config{Engine: e, Graph: g, Seed: 1})
	net := f.AddRoutes(r)
	const packets, size = 7 * 256, 4096
	const bytes = packets * size
	ideal := sim.Time(int64(bytes) * 1000 / 196) // picoseconds at 196 GB/s
	sinks := make([]sink, g.Devices)
	for d := range g.Devices {
		sinks[d] = sink{e: e, from: ideal / 8, to: ideal / 8 * 7}
		f.SetReceiver(topo.NodeID(d), &sinks[d])
	}
	rand := e.Rand("permutation")
	to := make([]int, g.Devices)
	for i := range to {
		j := rand.Intn(i + 1)
		to[i], to[j] = to[j], i
	}
	for d := range g.Devices {
		src, dst := topo.NodeID(d), topo.NodeID(to[d])
		if src == dst {
			continue
		}
		ports := r.Ports(src, dst)
		for n := range packets {
			f.Send(&fabric.Packet{Dst: dst, Wire: size, Payload: size, NPkts: 1, Entropy: uint32(d) * 2654435761, PSN: uint32(n), Flags: fabric.FlagSpray, Net: net}, ports[n%len(ports)])
		}
	}
	e.Run(sim.Second)
	worst, sum, flows := 1.0, 0.0, 0
	for d := range g.Devices {
		if to[d] == d {
			continue
		}
		s := &sinks[to[d]]
		require.EqualValues(t, bytes, s.bytes)
		part := float64(s.window) / (float64(bytes) * 6 / 8)
		worst, sum, flows = min(worst, part), sum+part, flows+1
	}
	t.Logf("of 196 GB/s: %.1f %% on average, %.1f %% the slowest flow", 100*sum/float64(flows), 100*worst)
	require.GreaterOrEqual(t, worst, 0.97)
}
