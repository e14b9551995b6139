package transport

import (
	"testing"

	"github.com/stretchr/testify/require"

	"hsim/host/mem"
	"hsim/host/sim"
	"hsim/host/units"
)

// repair is a way to make good what is lost, with time-outs not much longer than the
// round trip: they are for the loss of what was sent again.
type repair struct {
	carried
	name   string
	params map[string]any
	// keeps is the part of the rate that is left when a share q of the packets is
	// lost and w are under way.
	keeps  func(q, w float64) float64
	within float64
}

func goBack(q, w float64) float64 { return (1 - q) / (1 - q + w*q) }

func selective(q, _ float64) float64 { return 1 - q }

var repairs = []repair{
	{protocols[0], "go-back-N", nil, goBack, 0.1},
	{protocols[2], "go-back-N", map[string]any{"rto": "dynamic", "rto_base": "33us", "rto_exponent": 0}, goBack, 0.1},
	{protocols[0], "selective", map[string]any{"retransmit": "selective"}, selective, 0.03},
	{protocols[2], "selective", map[string]any{"selective": true, "window": 2048, "rto": "dynamic", "rto_base": "33us", "rto_exponent": 0}, selective, 0.03},
}

// A link that loses a share of the packets: with go-back-N every loss costs all that
// is under way, which is a round trip of packets.
func TestClosedLoss(t *testing.T) {
	const bytes, rate, latency = 64 << 20, 400 * units.Gbps, 5 * sim.Microsecond
	for _, k := range repairs {
		for _, ppm := range []int32{0, 1000, 3000, 10_000, 50_000} {
			var got [2]float64
			for i, train := range []int{1, 0} {
				r := newRig(t, carrier(k.plugin, k.proto), wire(rate, ns(5000)), attributes(func(c *Carrier) { c.AckTimeout, c.RetryCount = 3, 7 }),
					func(c *rigConfig) { c.data, c.train, c.params = mem.Phantom, train, k.params })
				r.write(0, 1, bytes)
				r.lose(int64(ppm))
				got[i] = float64(rate.Time(k.wire(bytes))+2*latency) / float64(r.ended(t)[0])
				lost := r.f.Stat(r.g.NodePorts(0)[0]).Drops
				require.Equal(t, ppm > 0, lost > 0)
			}
			one := rate.Time(4096 + k.header)
			want := k.keeps(float64(ppm)/1e6, float64(2*latency+one)/float64(one))
			t.Logf("%v, %s, %d in a million: %.4f of the rate and in trains %.4f, want %.4f: %+.2f %%", k.carried, k.name, ppm, got[0], got[1], want, 100*(got[0]/want-1))
			require.InEpsilon(t, want, got[0], k.within, "%v, %s, %d in a million", k.carried, k.name, ppm)
			require.InEpsilon(t, got[0], got[1], 0.03, "%v, %s, %d in a million: trains against packets", k.carried, k.name, ppm)
		}
	}
}
