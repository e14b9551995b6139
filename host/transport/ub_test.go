package transport

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"hsim/host/fabric"
	"hsim/host/mem"
	"hsim/host/sim"
	"hsim/host/topo"
	"hsim/host/units"
)

// rtp is a link between two devices with an RTP channel over it.
func rtp(t *testing.T, latency int64, params map[string]any, opts ...option) *rig {
	return newRig(t, append([]option{carrier("ub", topo.UB_TP), wire(400*units.Gbps, ns(latency)), func(c *rigConfig) {
		c.data, c.params = mem.Phantom, params
	}}, opts...)...)
}

const rtpPacket = 4096 + 78

func (r *rig) drops() (n int64) {
	for p := range r.g.Ports {
		n += r.f.Stat(topo.PortID(p)).Drops
	}
	return n
}

// When nothing comes back the time-outs are those of the parameters, exactly, and
// after the last retry the request has failed.
func TestTimeoutsAreExact(t *testing.T) {
	for _, c := range []struct {
		params map[string]any
		at     sim.Time
	}{
		{nil, 8 * 16 * sim.Millisecond},
		{map[string]any{"rto_static": "512us"}, 8 * 512 * sim.Microsecond},
		{map[string]any{"rto_static": "128ms", "retries": 2}, 3 * 128 * sim.Millisecond},
		{map[string]any{"rto_static": "4s", "retries": 0}, 4 * sim.Second},
		// 20, 160, 1280, 10 240, 81 920, 655 360 and 5 242 880 us, and as long once more as the last retry waits
		{map[string]any{"rto": "dynamic"}, (20 + 160 + 1280 + 10_240 + 81_920 + 655_360 + 5_242_880 + 41_943_040) * sim.Microsecond},
		{map[string]any{"rto": "dynamic", "rto_base": "4us", "rto_exponent": 1, "retries": 3}, 4 * 15 * sim.Microsecond},
		{map[string]any{"rto": "dynamic", "rto_base": "25.6us", "rto_exponent": 0, "retries": 7}, 8 * 25600 * sim.Nanosecond},
	} {
		for _, selective := range []bool{false, true} {
			params := map[string]any{"selective": selective}
			for k, v := range c.params {
				params[k] = v
			}
			r := rtp(t, 700, params)
			a, _ := r.connect(0, 1)
			r.f.SetDown(0, true)
			for i := range uint64(2) {
				r.post(a, i, WR{Op: OpWrite, Local: r.buffer(0, 100_000), Remote: r.buffer(1, 100_000), Len: 100_000})
			}
			require.Equal(t, sim.Done, r.run().Reason)
			require.Equal(t, []Status{StatusRetry, StatusFlush}, r.statuses())
			require.Equal(t, c.at, r.done[0].At, "%v", params)
		}
	}
}

// Compact transport sends nothing again: its one time-out is the end.
func TestTransactionTimeout(t *testing.T) {
	for _, c := range []struct {
		proto  topo.Protocol
		params map[string]any
		at     sim.Time
	}{{topo.UB_CTP, nil, 4 * sim.Second}, {topo.UB_MEM, map[string]any{"ta_timeout": "512ms"}, 512 * sim.Millisecond},
		{topo.UB_CTP, map[string]any{"ta_timeout": "0"}, -1}, {topo.UB_MEM, map[string]any{"ta_timeout": "0"}, -1}} {
		r := rtp(t, 700, c.params, carrier("ub", c.proto))
		a, _ := r.connect(0, 1)
		r.f.SetDown(0, true)
		r.post(a, 1, WR{Op: OpWrite, Local: r.buffer(0, 8), Remote: r.buffer(1, 8), Len: 8})
		r.e.Go("watch", func(p *sim.Proc) { p.Sleep(300 * sim.Second) })
		res := r.run()
		require.Zero(t, r.counts["packets sent again"])
		if c.at < 0 { // never
			require.Equal(t, sim.Stalled, res.Reason)
			require.Empty(t, r.done)
			continue
		}
		require.Equal(t, sim.Done, res.Reason)
		require.Equal(t, []Status{StatusRetry}, r.statuses())
		require.Equal(t, c.at, r.done[0].At)
	}
}

// With a bitmap beside its acknowledgements only what was lost is sent again, once
// for every loss, and the rate falls by the share that is lost.
func TestSelectiveSendsOnlyWhatIsLost(t *testing.T) {
	const n = 64 << 20
	for _, ppm := range []int32{500, 1000, 10_000, 50_000} {
		for seed := range uint64(3) {
			r := rtp(t, 1000, map[string]any{"selective": true, "rto": "dynamic"}, func(c *rigConfig) { c.seed = seed })
			r.f.SetLoss(0, ppm)
			a, _ := r.connect(0, 1)
			r.post(a, 1, WR{Op: OpWrite, Local: r.buffer(0, n), Remote: r.buffer(1, n), Len: n})
			require.Equal(t, sim.Done, r.run().Reason)
			require.Equal(t, []Status{StatusOK}, r.statuses())
			lost := r.drops()
			require.Positive(t, lost)
			require.Equal(t, lost, r.counts["packets sent again"], "%d ppm", ppm)
			want := micros((400 * units.Gbps).Time(n/4096*rtpPacket)) / (1 - float64(ppm)/1e6)
			require.InEpsilon(t, want, micros(r.done[0].At), 0.03, "%d ppm", ppm)
		}
	}
}

// Trains and packets lose and repair alike.
func TestSelectiveInTrains(t *testing.T) {
	const n = 64 << 20
	var at [2]float64
	for i, train := range []int{1, 0} {
		r := rtp(t, 1000, map[string]any{"selective": true, "rto": "dynamic"}, func(c *rigConfig) { c.train = train })
		r.f.SetLoss(0, 1000)
		a, _ := r.connect(0, 1)
		r.post(a, 1, WR{Op: OpWrite, Local: r.buffer(0, n), Remote: r.buffer(1, n), Len: n})
		require.Equal(t, sim.Done, r.run().Reason)
		require.Equal(t, []Status{StatusOK}, r.statuses())
		require.Equal(t, r.drops(), r.counts["packets sent again"])
		at[i] = micros(r.done[0].At)
	}
	require.InEpsilon(t, at[0], at[1], 0.02)
}

// Without fast retransmission a loss is repaired at the time-out: by one packet
// where the receiver holds what came after it, by all that followed where it does not.
func TestSlowRetransmissionWaitsForTheTimeout(t *testing.T) {
	for _, c := range []struct {
		selective, fast bool
		again           int64 // of 100 packets, when packet 10 is lost
	}{{false, false, 90}, {true, false, 1}, {false, true, 0}, {true, true, 1}} {
		fast := map[bool]string{true: "on", false: "off"}[c.fast]
		r := rtp(t, 1000, map[string]any{"selective": c.selective, "fast_retransmit": fast, "rto_static": "512us"})
		a, _ := r.connect(0, 1)
		r.post(a, 1, WR{Op: OpWrite, Local: r.buffer(0, 100*4096), Remote: r.buffer(1, 100*4096), Len: 100 * 4096})
		packet := (400 * units.Gbps).Time(rtpPacket)
		r.e.Go("loss", func(p *sim.Proc) { // while packet 10 begins
			p.Sleep(10*packet - 1)
			r.f.SetLoss(0, 1_000_000)
			p.Sleep(2)
			r.f.SetLoss(0, 0)
		})
		require.Equal(t, sim.Done, r.run().Reason)
		require.EqualValues(t, 1, r.drops(), "%+v", c)
		again, late := r.counts["packets sent again"], r.done[0].At > 512*sim.Microsecond
		require.Equal(t, !c.fast, late, "%+v: %v", c, r.done[0].At)
		if c.again > 0 {
			require.Equal(t, c.again, again, "%+v", c)
		} else { // what left before the news came
			require.InDelta(t, float64(2*sim.Microsecond)/float64(packet)+2, again, 2, "%+v", c)
		}
	}
}

// A receiver holds so many packets beyond a gap and no more: what is under way over
// paths that overtake is bounded by that.
func TestOutOfOrderWindowBoundsTheRate(t *testing.T) {
	const n, latency = 64 << 20, 40_000
	rtt := 2*latency*sim.Nanosecond + (400 * units.Gbps).Time(rtpPacket+70)
	for _, window := range []int64{128, 256, 512, 1024} {
		r := rtp(t, latency, map[string]any{"ooo_window": fmt.Sprint(window), "selective": true, "window": 1 << 20})
		a, _ := r.connect(0, 1)
		r.post(a, 1, WR{Op: OpWrite, Local: r.buffer(0, n), Remote: r.buffer(1, n), Len: n})
		require.Equal(t, sim.Done, r.run().Reason)
		// A round trip for every window of packets but the last, of which the last packet is answered.
		want := sim.Time(n/4096/window-1)*rtt + (400 * units.Gbps).Time((window-1)*rtpPacket) + rtt
		if window*rtpPacket > (400 * units.Gbps).Bytes(rtt) {
			want = (400 * units.Gbps).Time((n/4096-1)*rtpPacket) + rtt
		}
		require.InEpsilon(t, micros(want), micros(r.done[0].At), 0.0001, "%d packets", window)
	}
}

// Time-outs shorter than a queue ask with one packet and send nothing else again:
// a deep incast without loss ends when it would without them.
func TestLateIsNotLost(t *testing.T) {
	sizes := []int64{16 << 20, 16 << 20, 16 << 20, 16 << 20, 16 << 20, 16 << 20, 16 << 20, 16 << 20}
	for _, selective := range []bool{false, true} {
		for _, train := range []int{1, 0} {
			r := incast(t, sizes, carrier("ub", topo.UB_TP), func(c *rigConfig) {
				c.train, c.params = train, map[string]any{"rto": "dynamic", "rto_base": "4us", "rto_exponent": 3, "selective": selective}
			})
			require.Equal(t, sim.Done, r.run().Reason)
			require.Len(t, r.done, len(sizes))
			var total int64
			for i, s := range sizes {
				require.Equal(t, StatusOK, r.done[i].Status)
				total += s
			}
			require.InEpsilon(t, micros((400*units.Gbps).Time(total))+2, micros(r.done[len(sizes)-1].At), 0.02, "selective %v train %d", selective, train)
			if train != 1 { // a train of each flow takes longer than the time-out
				require.Positive(t, r.counts["time-outs"])
			}
			require.LessOrEqual(t, r.counts["packets sent again"], r.counts["time-outs"])
		}
	}
}

// Flows in step that overrun a small buffer come to an end, though each loses its
// packets again and again.
func TestFlowsInStepGetOutOfIt(t *testing.T) {
	sizes := []int64{400 << 10, 400 << 10, 400 << 10, 400 << 10}
	for _, selective := range []bool{false, true} {
		r := incast(t, sizes, carrier("ub", topo.UB_TP), ports(fabric.Features{Buffer: fabric.Buffer{Reserve: 16384}}), func(c *rigConfig) {
			c.params = map[string]any{"selective": selective}
		})
		require.Equal(t, sim.Done, r.run().Reason)
		require.Equal(t, []Status{0, 0, 0, 0}, r.statuses())
		require.Positive(t, r.drops())
	}
}

// UTP is packets alone: what is lost is lost, nothing is answered, and a message is
// at most one packet long.
func TestUTP(t *testing.T) {
	for _, service := range []Service{Unreliable, Datagram} {
		r := newRig(t, carrier("ub", topo.UB_TP), wire(400*units.Gbps, ns(700)))
		r.f.SetLoss(0, 200_000)
		a, b := r.connectAs(Spec{Service: service, Trans: TransUM, Order: OrderNone})
		const n = 200
		for i := range uint64(n) {
			require.NoError(t, r.n.PostRecv(b, Recv{ID: i, Addr: r.buffer(1, 4096), Len: 4096}))
			r.post(a, i, WR{Op: OpSend, Local: r.fill(0, pattern(4000, i)), Len: 4000})
		}
		require.ErrorContains(t, r.n.Post(a, &WR{Op: OpSend, Local: r.buffer(0, 4097), Len: 4097}), "want at most 4096")
		require.Equal(t, sim.Done, r.run().Reason)
		var sent, came int64
		for _, d := range r.done {
			if require.Equal(t, StatusOK, d.Status); d.Recv {
				came++
			} else {
				sent++
			}
		}
		require.EqualValues(t, n, sent)
		require.Equal(t, n-r.drops(), came)
		require.Positive(t, r.drops())
		require.EqualValues(t, n*(4000+62), r.f.Stat(0).Bytes, "no acknowledgement, no packet twice")
		require.Equal(t, Undelivered{Messages: r.drops()}, r.n.Undelivered())
	}
	r := newRig(t, carrier("ub", topo.UB_TP))
	for says, s := range map[string]Spec{
		"got mode RM over an unreliable service, want UM":      {Service: Unreliable, Trans: TransRM},
		"got order by target over an unreliable service, want": {Service: Datagram, Order: OrderTarget},
	} {
		s.B, s.Protocol = 1, topo.UB_TP
		_, _, err := r.n.Connect(s)
		require.ErrorContains(t, err, says)
	}
	a, _ := r.connectAs(Spec{Service: Unreliable})
	require.ErrorContains(t, r.n.Post(a, &WR{Op: OpWrite, Mark: MarkStrong, Local: r.buffer(0, 1), Remote: r.buffer(1, 1), Len: 1}), "mark SO on a connection without order")
}

// Parameters out of their range are refused.
func TestParametersOfUB(t *testing.T) {
	m := loadModule(t, "ub")
	d, err := m.Describe()
	require.NoError(t, err)
	for name, value := range map[string]any{"mtu": "5000B", "window": 0, "rto_base": "3us", "rto_exponent": 8, "retries": 8, "rto_static": "1s", "ooo_window": "100", "fast_retransmit": "maybe"} {
		s, err := d.Resolve("ub", map[string]any{name: value})
		if err == nil {
			p, e := NewModule(m, ModuleConfig{Engine: sim.New(1), Settings: s})
			require.NoError(t, e)
			_, err = p.New(0)
		}
		require.Error(t, err, name)
	}
}
