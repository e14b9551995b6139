package fabric_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"hsim/host/fabric"
	"hsim/host/sim"
	"hsim/host/soc"
	"hsim/host/topo"
)

// stream is what one device sends to another, packet by packet in turn over its
// planes, and what arrived of it.
type stream struct {
	e        *sim.Engine
	f        *fabric.Fabric
	id       sim.ID
	ports    []topo.PortID
	packet   fabric.Packet
	left     int
	from, to sim.Time // what arrives in between is counted in window

	bytes, window int64
	last          sim.Time
}

// Handle sends some packets on every plane and comes back shortly before its wires
// are free.
func (s *stream) Handle(sim.Time, uint64) {
	for range min(s.left, 16*len(s.ports)) {
		s.f.Send(&s.packet, s.ports[int(s.packet.PSN)%len(s.ports)])
		s.packet.PSN++
		s.left--
	}
	if s.left > 0 {
		s.e.At(s.f.FreeAt(s.ports[0])-sim.Microsecond, s.id, 0)
	}
}

func (s *stream) Receive(p *fabric.Packet, _ topo.PortID) {
	s.last = s.e.Now()
	s.bytes += int64(p.Payload)
	if s.last >= s.from && s.last < s.to {
		s.window += int64(p.Payload)
	}
}

// A permutation of raw flows over CloudMatrix384, every packet sprayed over the
// equal-cost paths, runs at 97 % or more of the 196 GB/s of a die: the rate of every
// flow once the pipe is full, and, with 22 MB, of the slowest from its first packet to
// its last. (The last is late by the latency and by what is behind on the slowest of
// its paths, together 2.8 us.)
func TestPermutationOnCloudMatrix384(t *testing.T) {
	if testing.Short() {
		t.Skip("4.1 million packets over four links")
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
	const packets, size = 7 * 768, 4096
	const bytes = packets * size
	ideal := sim.Time(int64(bytes) * 1000 / 196) // picoseconds at 196 GB/s
	rand := e.Rand("permutation")
	to := make([]int, g.Devices)
	for i := range to {
		j := rand.Intn(i + 1)
		to[i], to[j] = to[j], i
	}
	var streams []*stream
	for d := range g.Devices {
		src, dst := topo.NodeID(d), topo.NodeID(to[d])
		if src == dst {
			continue
		}
		s := &stream{e: e, f: f, ports: r.Ports(src, dst), left: packets, from: ideal / 8, to: ideal / 8 * 7,
			packet: fabric.Packet{Dst: dst, Wire: size, Payload: size, NPkts: 1, Entropy: uint32(d) * 2654435761, Flags: fabric.FlagSpray, Net: net}}
		s.id = e.Register(s)
		f.SetReceiver(dst, s)
		e.At(0, s.id, 0)
		streams = append(streams, s)
	}
	e.Run(sim.Second)
	full, whole, sum := 1.0, 1.0, 0.0
	for _, s := range streams {
		require.EqualValues(t, bytes, s.bytes)
		part := float64(s.window) / (float64(bytes) * 6 / 8)
		full, sum = min(full, part), sum+part
		whole = min(whole, float64(ideal)/float64(s.last))
	}
	t.Logf("of 196 GB/s: %.1f %% on average, %.1f %% the slowest flow once the pipe is full, %.1f %% until its last packet",
		100*sum/float64(len(streams)), 100*full, 100*whole)
	require.GreaterOrEqual(t, full, 0.97)
	require.GreaterOrEqual(t, whole, 0.97)
}
