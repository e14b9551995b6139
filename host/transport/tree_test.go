package transport

import (
	"testing"

	"github.com/stretchr/testify/require"

	"hsim/host/mem"
	"hsim/host/sim"
	"hsim/host/topo"
	"hsim/host/units"
)

// tree is a three-tier fat tree of 128 devices at 400 Gb/s with 1 us links,
// each device sending n bytes to another pod.
func tree(t testing.TB, n int64, train int, opts ...option) *rig {
	r := newRig(t, append([]option{func(c *rigConfig) {
		c.spec = topo.Spec{Kind: "fattree", Servers: 16, Devices: 8, Params: topo.Params{K: 8, Tiers: 3, Planes: 1, Rate: 400 * units.Gbps,
			Latency: ns(1000), Uplink: ns(1000), Hop: ns(0)}}
		c.data, c.train = mem.Phantom, train
	}}, opts...)...)
	for d := range topo.NodeID(128) {
		to := (d*5 + 64 + 3) % 128
		x, _ := r.connect(d, to)
		require.NoError(t, r.n.Post(x, &WR{Op: OpWrite, Flags: Signaled, ID: uint64(d), Local: r.buffer(int(d), n), Remote: r.buffer(int(to), n), Len: n}))
	}
	return r
}

// Per-flow hashing lets flows collide on uplinks; the same seed gives the same
// collisions every time.
func TestFlowHashIsRepeatable(t *testing.T) {
	run := func() []Completion {
		r := tree(t, 2<<20, 1, carrier("rdma", topo.ROCE))
		require.Equal(t, sim.Done, r.run().Reason)
		require.Len(t, r.done, 128)
		return r.done
	}
	first := run()
	require.Equal(t, first, run())
	ideal := micros((400 * units.Gbps).Time(2<<20+512*82)) + 12
	last := micros(first[127].At)
	require.Greater(t, last, 1.5*ideal, "some flows collide")
	require.Less(t, last, 6*ideal)
}

// Per-packet spray spreads every flow over all paths: a permutation then runs
// at the rate of the links.
func TestSprayFillsTheTree(t *testing.T) {
	r := tree(t, 2<<20, 1, carrier("ub", topo.UB_CTP), func(c *rigConfig) { c.params = map[string]any{"spray": true, "window": 2048} })
	require.Equal(t, sim.Done, r.run().Reason)
	require.Len(t, r.done, 128)
	ideal := micros((400 * units.Gbps).Time(2<<20+512*36)) + 12
	for _, d := range r.done {
		require.Equal(t, StatusOK, d.Status)
		require.Less(t, micros(d.At), 1.5*ideal)
		require.Greater(t, micros(d.At), ideal-12)
	}
}

// Conservation: each port carried exactly the bytes of the packets routed over
// it, and never more than its rate allows.
func TestNoPortAboveItsRate(t *testing.T) {
	r := tree(t, 1<<20, 1, carrier("rdma", topo.ROCE))
	res := r.run()
	var sent, received int64
	for i := range r.g.Ports {
		p := topo.PortID(i)
		s := r.f.Stat(p)
		if s.Packets == 0 {
			continue
		}
		require.LessOrEqual(t, s.Busy, res.End)
		require.LessOrEqual(t, s.Bytes, r.f.Rate(p).Bytes(s.Busy)+s.Packets)
		if int(r.g.Ports[i].Node) < r.g.Devices {
			sent += s.Bytes
		}
		if int(r.g.PeerNode(p)) < r.g.Devices {
			received += s.Bytes
		}
	}
	require.Equal(t, sent, received)
	packets := int64(128 * (1 << 20) / 4096)
	require.Equal(t, packets*(4096+82+86)+128*16, sent)
}
