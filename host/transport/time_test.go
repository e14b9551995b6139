package transport

import (
	"testing"

	"github.com/stretchr/testify/require"

	"hsim/host/mem"
	"hsim/host/sim"
	"hsim/host/topo"
	"hsim/host/units"
)

// A CTP write of 8 947 849 B is 2185 packets of at most 4096 B with 36 B of
// headers each; at 50 000 B/us that is 180.53018 us, and the published run of
// the same case ends at 180.55266 us.
const (
	ctpBytes = 8_947_849
	ctpWire  = 180.53018
	ctpEnd   = 180.55266
)

func TestCTPWriteOverOneLink(t *testing.T) {
	r := newRig(t, wire(400*units.Gbps, ns(1)), func(c *rigConfig) { c.data = mem.Phantom })
	a, _ := r.connect(0, 1)
	require.NoError(t, r.n.Post(a, &WR{ID: 1, Op: OpWrite, Flags: Signaled, Local: r.buffer(0, ctpBytes), Remote: r.buffer(1, ctpBytes), Len: ctpBytes}))
	require.Equal(t, sim.Done, r.run().Reason)
	require.Len(t, r.done, 1)
	require.InEpsilon(t, ctpEnd, micros(r.done[0].At), 0.001)
}

func TestCTPWritesInSeries(t *testing.T) {
	r := newRig(t, wire(400*units.Gbps, ns(1)), func(c *rigConfig) { c.data = mem.Phantom })
	a, _ := r.connect(0, 1)
	src, dst := r.buffer(0, ctpBytes), r.buffer(1, ctpBytes)
	for i := range uint64(4) {
		require.NoError(t, r.n.Post(a, &WR{ID: i, Op: OpWrite, Flags: Signaled, Local: src, Remote: dst, Len: ctpBytes}))
	}
	r.run()
	require.Len(t, r.done, 4)
	for i := 1; i < 4; i++ {
		require.Equal(t, uint64(i), r.done[i].ID)
		require.InEpsilon(t, ctpWire, micros(r.done[i].At-r.done[i-1].At), 0.0005)
	}
}

func TestRDMABandwidthStaysBelowItsHeaderBound(t *testing.T) {
	for _, mib := range []int64{1, 2, 4, 8, 32, 128} {
		for _, train := range []int{1, 0} {
			r := newRig(t, carrier("rdma", topo.ROCE), wire(200*units.Gbps, ns(1000)), func(c *rigConfig) { c.data, c.train = mem.Phantom, train })
			a, _ := r.connect(0, 1)
			n := mib << 20
			require.NoError(t, r.n.Post(a, &WR{Op: OpWrite, Flags: Signaled, Local: r.buffer(0, n), Remote: r.buffer(1, n), Len: n}))
			r.run()
			gb := float64(n) / micros(r.done[0].At) / 1000
			require.Less(t, gb, 24.51)
			if mib >= 8 {
				require.GreaterOrEqual(t, gb, 24.2, "%d MiB", mib)
			}
		}
	}
}

// A read costs one round trip before its first byte comes.
func TestReadCostsARoundTripMore(t *testing.T) {
	for _, name := range []string{"rdma", "ub"} {
		end := func(op Op) sim.Time {
			r := newRig(t, carrier(name, topo.UB_TP), wire(400*units.Gbps, ns(1000)))
			a, _ := r.connect(0, 1)
			require.NoError(t, r.n.Post(a, &WR{Op: op, Flags: Signaled, Local: r.buffer(0, 1<<20), Remote: r.buffer(1, 1<<20), Len: 1 << 20}))
			r.run()
			require.Len(t, r.done, 1)
			return r.done[0].At
		}
		write, read := end(OpWrite), end(OpRead)
		// The write ends with its last acknowledgement, the read with its last
		// byte: one way more against one way less, plus the request on the wire.
		require.InDelta(t, 0, micros(read-write), 0.01, name)
	}
}

func TestTrainsAndPacketsAgree(t *testing.T) {
	for _, name := range []string{"rdma", "ub"} {
		var at [2]sim.Time
		for i, train := range []int{1, 0} {
			r := newRig(t, carrier(name, topo.UB_CTP), wire(400*units.Gbps, ns(500)), func(c *rigConfig) { c.data, c.train = mem.Phantom, train })
			a, _ := r.connect(0, 1)
			n := int64(32<<20 + 1234)
			f, reg := newFlags(r, 1, 1)
			require.NoError(t, r.n.Post(a, &WR{Op: OpWriteNotify, Local: r.buffer(0, n), Remote: r.buffer(1, n), Len: n, NotifyAddr: reg, NotifyValue: 1}))
			r.run()
			require.EqualValues(t, 1, f.v[0])
			at[i] = f.at[0]
		}
		require.InEpsilon(t, micros(at[0]), micros(at[1]), 0.0001, name)
	}
}

// Several ports to one peer carry one UB connection together.
func TestPortsOfAPairAddUp(t *testing.T) {
	end := func(planes int) float64 {
		r := newRig(t, wire(400*units.Gbps, ns(1)), func(c *rigConfig) {
			c.data, c.spec.Params.Planes = mem.Phantom, planes
		})
		a, _ := r.connect(0, 1)
		n := int64(64 << 20)
		require.NoError(t, r.n.Post(a, &WR{Op: OpWrite, Flags: Signaled, Local: r.buffer(0, n), Remote: r.buffer(1, n), Len: n}))
		r.run()
		require.Len(t, r.done, 1)
		return micros(r.done[0].At)
	}
	require.InEpsilon(t, end(1)/4, end(4), 0.001)
}
