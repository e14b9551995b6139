package transport

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"hsim/abi"
	"hsim/host/sim"
	"hsim/host/topo"
	"hsim/host/units"
)

// pacer asks the plugin itself how fast a connection may send.
type pacer struct {
	t testing.TB
	p Protocol
	c *conn
}

// rate is the rate in Gb/s at a time, from the distance of two packets: one may leave
// late and the next on time, the third has to wait.
func (x *pacer) rate(at sim.Time) float64 {
	for range 3 {
		p := x.p.Packet()
		p.Kind, p.Flags, p.NPkts, p.Now, p.NotBefore, p.Timer = abi.PacketData, 0, 0, int64(at), 0, 0
		_, err := x.p.Next(x.c.local, 1<<30, 4096)
		require.NoError(x.t, err)
		if p = x.p.Packet(); p.NPkts == 0 {
			return fullPacket * 8 / float64(p.NotBefore-int64(at)) * 1000
		}
		require.EqualValues(x.t, fullPacket, p.Wire)
	}
	return math.Inf(1) // as fast as the port
}

func (x *pacer) notify(at sim.Time) {
	p := x.p.Packet()
	p.Kind, p.Flags, p.Conn, p.Now, p.ExtLen = abi.PacketCNP, 0, x.c.local, int64(at), 0
	clearVerdict(x.p.Verdict(), at)
	require.NoError(x.t, x.p.Receive())
}

func newPacer(t testing.TB, m map[string]any) *pacer {
	m["cc"] = "dcqcn"
	r := newRig(t, carrier("rdma", topo.ROCE), wire(40*units.Gbps, ns(1000)), params(m))
	a, _ := r.connect(0, 1)
	c := r.n.conns.at(a)
	return &pacer{t, r.n.engineOf(c).proto, c}
}

// The equations of DCQCN, one after the other: alpha is 1 at first, so that a
// notification halves the rate; five times half the way back; then the target rises
// by 40 Mb/s at a time; a second cut is by half of what is left of alpha, which has
// fallen by a 256th every 55 us.
func TestDCQCNByTheLetter(t *testing.T) {
	const us = sim.Microsecond
	x := newPacer(t, map[string]any{})
	require.True(t, math.IsInf(x.rate(us), 1), "nothing limits a flow before it is notified")
	t0 := 10 * us
	x.notify(t0)
	require.InEpsilon(t, 20, x.rate(t0+10*us), 0.001)
	rate, target := 20.0, 40.0
	for k := sim.Time(1); k <= 5; k++ {
		rate = (rate + target) / 2
		require.InEpsilon(t, rate, x.rate(t0+k*55*us+10*us), 0.001, "step %d", k)
	}
	// A second notification, 5 periods after the first.
	t1 := t0 + 5*55*us + 20*us
	x.notify(t1)
	target = rate
	rate *= 1 - math.Pow(255.0/256, 5)/2
	require.InEpsilon(t, rate, x.rate(t1+10*us), 0.001)
	for k := sim.Time(1); k <= 20; k++ {
		if k > 5 { // the byte counter has not run out once, so there is no hyper increase
			target = min(target+0.04, 40)
		}
		rate = (rate + target) / 2
		require.InEpsilon(t, rate, x.rate(t1+k*55*us+10*us), 0.001, "step %d", k)
	}
}

// By bytes the rate rises as by time; with both beyond fast recovery the increase is
// the hyper one.
func TestDCQCNHyperIncrease(t *testing.T) {
	const us = sim.Microsecond
	// Every rate takes two packets, so every 8th runs the counter out.
	const counter = 16 * fullPacket
	x := newPacer(t, map[string]any{"byte_counter": counter, "fast_recovery": 1, "rate_ai": "1Gbps", "rate_hai": "5Gbps", "rate_timer": "1s"})
	t0 := 10 * us
	x.notify(t0)
	rate, target, at := 20.0, 40.0, t0+us
	for k := range 4 {
		for i := range 8 {
			got := x.rate(at)
			want := rate
			if i == 7 {
				if k > 0 { // beyond fast recovery by bytes, never by time
					target = min(target+1, 40)
				}
				rate = (rate + target) / 2
			}
			require.InEpsilon(t, want, got, 0.005, "rate %d of round %d", i, k)
			at += 10 * us
		}
	}
}

// Never below the least rate; from there up by the additive increase, and by the
// hyper one once bytes have run the counter out too.
func TestDCQCNFromTheLeast(t *testing.T) {
	const ms = sim.Millisecond
	x := newPacer(t, map[string]any{"byte_counter": 16 * fullPacket, "fast_recovery": 0, "rate_ai": "100Mbps", "rate_hai": "1Gbps", "rate_timer": "1ms"})
	for k := range sim.Time(30) {
		x.notify(10*ms + k)
	}
	rate, target := 0.01, 0.01
	require.InEpsilon(t, rate, x.rate(10*ms+ms/2), 0.001)
	step := func(by float64) {
		target += by
		rate = (rate + target) / 2
	}
	for range 10 {
		step(0.1)
	}
	require.InEpsilon(t, rate, x.rate(20*ms+ms/2), 0.001)
	for k := range sim.Time(6) { // 16 packets with these: the counter runs out once
		require.InEpsilon(t, rate, x.rate(20*ms+ms/2+(k+1)*80*sim.Microsecond), 0.001)
	}
	for range 1 + 8 {
		step(1)
	}
	require.InEpsilon(t, rate, x.rate(28*ms+ms/2), 0.001)
}
