package transport

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"hsim/host/mem"
	"hsim/host/sim"
	"hsim/host/topo"
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
	keeps func(q, w float64) float64
}

func goBack(q, w float64) float64 { return (1 - q) / (1 - q + w*q) }

var repairs = []repair{
	{protocols[0], "go-back-N", nil, goBack},
	{protocols[2], "go-back-N", map[string]any{"rto": "dynamic", "rto_base": "33us", "rto_exponent": 0}, goBack},
}

// A link that loses a share of the packets: with go-back-N every loss costs all that
// is under way, which is a round trip of packets.
func TestClosedLoss(t *testing.T) {
	const bytes, rate, latency = 64 << 20, 400 * units.Gbps, 5 * sim.Microsecond
	for _, k := range repairs {
		for _, ppm := range []int32{0, 1000, 3000, 10_000} {
			for _, train := range []int{1, 0} {
				r := newRig(t, carrier(k.plugin, k.proto), wire(rate, ns(5000)), attributes(func(c *Carrier) { c.AckTimeout, c.RetryCount = 3, 7 }),
					func(c *rigConfig) { c.data, c.train, c.params = mem.Phantom, train, k.params })
				r.write(0, 1, bytes)
				for _, p := range r.g.NodePorts(0) {
					r.f.SetLoss(p, ppm)
				}
				end := r.ended(t)[0]
				one := rate.Time(4096 + k.header)
				under := float64(2*latency+one) / float64(one)
				q := float64(ppm) / 1e6
				want := k.keeps(q, under)
				got := float64(rate.Time(k.wire(bytes))+2*latency) / float64(end)
				t.Logf("%v, %s, %d in a million, train %d: keeps %.4f of the rate, want %.4f: %+.2f %%; %d lost", k.carried, k.name, ppm, train, got, want, 100*(got/want-1), r.f.Stat(topo.PortID(r.g.NodePorts(0)[0])).Drops)
				assert.InEpsilon(t, want, got, 0.1, "%v, %s, %d in a million, train %d", k.carried, k.name, ppm, train)
			}
		}
	}
}
