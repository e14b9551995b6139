package transport

import (
	"bytes"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"hsim/abi"
	"hsim/host/fabric"
	"hsim/host/mem"
	"hsim/host/sim"
	"hsim/host/topo"
	"hsim/host/units"
)

func params(m map[string]any) option { return func(c *rigConfig) { c.params = m } }

func trains(n int) option { return func(c *rigConfig) { c.train = n } }

// roce is two devices on a link of 400 Gb/s and 10 us, with rdma.
func roce(t testing.TB, opts ...option) *rig {
	return newRig(t, append([]option{carrier("rdma", topo.ROCE), wire(400*units.Gbps, ns(10_000)), func(c *rigConfig) { c.data = mem.Phantom }}, opts...)...)
}

// lose sets the loss of what device 0 sends, in packets of a million.
func (r *rig) lose(ppm int64) {
	for _, p := range r.g.NodePorts(0) {
		r.f.SetLoss(p, int32(ppm))
	}
}

// goodput is bytes per microsecond of one write of n bytes.
func goodput(t *testing.T, r *rig, n int64) float64 {
	a, _ := r.connect(0, 1)
	r.post(a, 1, WR{Op: OpWrite, Local: r.buffer(0, n), Remote: r.buffer(1, n), Len: n})
	require.Equal(t, sim.Done, r.run().Reason)
	require.NoError(t, r.n.Fault())
	require.Equal(t, []Status{StatusOK}, r.statuses())
	return float64(n) / micros(r.done[0].At)
}

const fullPacket = 4096 + 82

// A window of W packets in flight moves W packets in a round trip.
func TestWindowLimitsTheRate(t *testing.T) {
	for _, w := range []int64{1, 8, 100} {
		for _, mode := range []string{"go-back-n", "selective"} {
			r := roce(t, params(map[string]any{"window": w, "retransmit": mode}))
			rtt := 20 + micros((400 * units.Gbps).Time(fullPacket)) + micros((400 * units.Gbps).Time(86))
			require.InEpsilon(t, float64(w)*4096/rtt, goodput(t, r, w*4096*200), 0.01, "%s window %d", mode, w)
		}
	}
}

// Closed forms of goodput under loss q: go-back-N loses a window of W packets with
// each, selective retransmission only what was lost.
func TestGoodputUnderLoss(t *testing.T) {
	line := 4096 / micros((400 * units.Gbps).Time(fullPacket))
	timeout := attributes(func(c *Carrier) { c.AckTimeout, c.RetryCount = 4, 7 })
	for _, q := range []float64{0.0005, 0.002, 0.01} {
		const w = 220 // of the 240 that a round trip holds: smaller windows leave in bursts, of which a loss cuts the pause short
		r := roce(t, timeout, params(map[string]any{"window": w}))
		r.lose(int64(q * 1e6))
		rtt := 20 + micros((400 * units.Gbps).Time(fullPacket+86))
		want, got := w*4096/rtt*(1-q)/(1-q+w*q), goodput(t, r, 128<<20)
		t.Logf("go-back-N, loss %g: %.1f B/us, closed form %.1f", q, got, want)
		require.InEpsilon(t, want, got, 0.1)
	}
	for _, q := range []float64{0.002, 0.01, 0.05, 0.1} {
		r := roce(t, timeout, params(map[string]any{"retransmit": "selective"}))
		r.lose(int64(q * 1e6))
		want, got := line*(1-q), goodput(t, r, 128<<20)
		t.Logf("selective, loss %g: %.1f B/us, closed form %.1f", q, got, want)
		require.InEpsilon(t, want, got, 0.1)
	}
}

// Whatever is lost or overtakes, every message lands once and whole, in order, and
// its notify after it.
func TestRandomLossDeliversOnce(t *testing.T) {
	for seed := range uint64(6) {
		for _, mode := range []string{"go-back-n", "selective"} {
			for _, train := range []int{1, 0} {
				for _, every := range []int{1, 16} {
					t.Run(fmt.Sprintf("%s-train%d-ack%d-%d", mode, train, every, seed), func(t *testing.T) {
						r := roce(t, trains(train), func(c *rigConfig) { c.data = mem.Real }, params(map[string]any{"retransmit": mode, "ack_every": every, "window": int(8 + 300*seed)}),
							attributes(func(c *Carrier) { c.AckTimeout, c.RetryCount, c.RnrCount, c.RnrTimer = 4, 7, 7, 1 }))
						for i := range r.g.Ports {
							r.f.SetLoss(topo.PortID(i), int32(2000)<<seed)
							r.f.SetCorrupt(topo.PortID(i), 1000)
						}
						checkMessages(t, r, 1, seed)
					})
				}
			}
		}
	}
}

// checkMessages sends writes, reads and sends of many sizes both ways and looks at
// what came of each.
func checkMessages(t *testing.T, r *rig, far int, seed uint64) {
	t.Helper()
	var ends [2]ConnID
	ends[0], ends[1] = r.connect(0, topo.NodeID(far))
	devices := [2]int{0, far}
	type moved struct {
		to   mem.Addr
		want []byte
	}
	var all []moved
	var regs [2]*flags
	sizes := []int64{0, 1, 4096, 4097, 70_000, 5, 300_001, 12_288, 1 << 20}
	for side := range 2 {
		f, reg := newFlags(r, devices[1-side], len(sizes))
		regs[side] = f
		for i, n := range sizes {
			b := pattern(n, seed*100+uint64(side*50+i))
			from, to := r.fill(devices[side], b), r.buffer(devices[1-side], max(n, 1))
			wr := WR{Op: OpWriteNotify, Local: from, Remote: to, Len: n, NotifyAddr: reg.Add(int64(i) * mem.RegisterSize), NotifyValue: 1}
			switch {
			case i%3 == 1:
				wr = WR{Op: OpSend, Local: from, Len: n}
				require.NoError(t, r.n.PostRecv(ends[1-side], Recv{ID: uint64(i), Addr: to, Len: n}))
			case i%3 == 2:
				from, to = r.fill(devices[1-side], b), r.buffer(devices[side], n)
				wr = WR{Op: OpRead, Local: to, Remote: from, Len: n}
			case n == 0:
				wr.Op = OpNotify
			}
			all = append(all, moved{to, b})
			r.post(ends[side], uint64(i), wr)
		}
	}
	require.Equal(t, sim.Done, r.run().Reason)
	require.NoError(t, r.n.Fault())
	for _, m := range all {
		require.True(t, bytes.Equal(m.want, r.bytes(m.to, int64(len(m.want)))))
	}
	require.Len(t, r.done, 2*len(sizes)+2*3, "every request and every receive once")
	for _, d := range r.done {
		require.Equal(t, StatusOK, d.Status, "%v", d.Err)
	}
	for _, f := range regs {
		for i := range sizes {
			if i%3 == 0 {
				require.EqualValues(t, 1, f.v[i], "notify %d", i)
			}
		}
	}
}

// watch counts the data packets that come after one sent later.
type watch struct {
	next fabric.Receiver
	seen map[int32]uint32
	late int
}

func (w *watch) Receive(p *fabric.Packet, in topo.PortID) {
	if p.Kind == abi.PacketData && p.Flags&abi.PacketRetransmission == 0 {
		if p.PSN < w.seen[p.SrcConn] {
			w.late++
		}
		w.seen[p.SrcConn] = max(w.seen[p.SrcConn], p.PSN)
	}
	w.next.Receive(p, in)
}

// Packets that overtake each other, and losses among them.
func TestSelectiveOverSpray(t *testing.T) {
	for seed := range uint64(6) {
		for _, train := range []int{1, 0} {
			for _, adaptive := range []bool{false, true} {
				r := newRig(t, carrier("rdma", topo.ROCE), trains(train), func(c *rigConfig) {
					c.spec = topo.Spec{Kind: "fattree", Servers: 16, Devices: 1, Params: topo.Params{K: 8, Tiers: 2, Planes: 1, Rate: 400 * units.Gbps}}
					c.ports = fabric.Features{Adaptive: adaptive, Lanes: 1}
				}, params(map[string]any{"spray": true, "ack_every": 1 + int(seed)}), attributes(func(c *Carrier) { c.AckTimeout, c.RetryCount, c.RnrCount, c.RnrTimer = 6, 7, 7, 1 }))
				for i := range r.g.Ports {
					r.f.SetLoss(topo.PortID(i), int32(500)<<seed)
				}
				// Others in the way of some of the packets, so that they come late.
				for d := topo.NodeID(1); d < 15; d++ {
					to := 15 * (d % 2)
					x, _ := r.connect(d, to)
					r.n.SetSink(x, nil)
					require.NoError(t, r.n.Post(x, &WR{Op: OpWrite, Local: r.buffer(int(d), 1<<18), Remote: r.buffer(int(to), 1<<18), Len: 1 << 18}))
				}
				w := &watch{next: r.n.nic(15), seen: map[int32]uint32{}}
				r.f.SetReceiver(15, w)
				checkMessages(t, r, 15, seed)
				require.Positive(t, w.late, "packets were overtaken")
			}
		}
	}
}

// Time-outs and retries by the number: n of them, each as long as the exponent
// says, then retry exceeded; 0 waits for ever.
func TestRetriesByTheNumber(t *testing.T) {
	for _, mode := range []string{"go-back-n", "selective"} {
		for _, x := range []struct{ exponent, count uint32 }{{1, 0}, {5, 1}, {8, 3}, {14, 7}} {
			r := roce(t, params(map[string]any{"retransmit": mode}), attributes(func(c *Carrier) { c.AckTimeout, c.RetryCount = x.exponent, x.count }))
			a, _ := r.connect(0, 1)
			r.f.SetDown(r.g.NodePorts(0)[0], true)
			r.post(a, 1, WR{Op: OpWrite, Local: r.buffer(0, 100), Remote: r.buffer(1, 100), Len: 100})
			require.Equal(t, sim.Done, r.run().Reason)
			require.Equal(t, []Status{StatusRetry}, r.statuses())
			require.Equal(t, sim.Time(x.count+1)*(4096*sim.Nanosecond<<x.exponent), r.done[0].At, "%s %+v", mode, x)
			require.EqualValues(t, x.count+1, r.f.Stat(r.g.NodePorts(0)[0]).Packets, "sent once and %d times again", x.count)
		}
		// Not ready: the first try and as many again as the count, 0.01 ms after each answer.
		for _, count := range []uint32{0, 1, 4} {
			r := roce(t, params(map[string]any{"retransmit": mode}), attributes(func(c *Carrier) { c.RnrCount, c.RnrTimer = count, 1 }))
			a, _ := r.connect(0, 1)
			r.post(a, 1, WR{Op: OpSend, Local: r.buffer(0, 100), Len: 100})
			require.Equal(t, sim.Done, r.run().Reason)
			require.Equal(t, []Status{StatusRNR}, r.statuses())
			rtt := 20*sim.Microsecond + (400 * units.Gbps).Time(100+98-0) + (400 * units.Gbps).Time(86)
			require.EqualValues(t, count+1, r.f.Stat(r.g.NodePorts(0)[0]).Packets)
			require.InDelta(t, float64(sim.Time(count+1)*rtt+sim.Time(count)*10*sim.Microsecond), float64(r.done[0].At), float64(sim.Nanosecond), "%s count %d", mode, count)
		}
	}
	// A time-out of 0: what is lost stays lost, which is a stall.
	r := roce(t)
	a, _ := r.connect(0, 1)
	r.f.SetDown(r.g.NodePorts(0)[0], true)
	r.post(a, 1, WR{Op: OpWrite, Local: r.buffer(0, 100), Remote: r.buffer(1, 100), Len: 100})
	res := r.e.Run(0)
	require.Empty(t, r.done)
	require.Equal(t, sim.Stalled, res.Reason)
	require.Contains(t, res.Stall.String(), "the end of a write of 100 bytes")
}
