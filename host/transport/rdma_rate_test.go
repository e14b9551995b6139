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

// One acknowledgement for N packets: fewer by that factor, and completions as with
// one each, but for the last packet's that they wait for anyway.
func TestCoalescedAcknowledgements(t *testing.T) {
	const packets = 1600
	for _, mode := range []string{"go-back-n", "selective"} {
		for _, train := range []int{1, 0} {
			var plain sim.Time
			for _, every := range []int64{1, 4, 64} {
				r := roce(t, trains(train), params(map[string]any{"ack_every": every, "retransmit": mode}), attributes(func(c *Carrier) { c.AckTimeout, c.RetryCount = 10, 7 }))
				a, _ := r.connect(0, 1)
				for i := range uint64(2) {
					r.post(a, i, WR{Op: OpWrite, Local: r.buffer(0, packets*2048), Remote: r.buffer(1, packets*2048), Len: packets * 2048})
				}
				r.run()
				require.Equal(t, []Status{StatusOK, StatusOK}, r.statuses())
				there, back := r.f.Stat(r.g.NodePorts(0)[0]), r.f.Stat(r.g.NodePorts(1)[0])
				require.EqualValues(t, packets, there.Packets, "nothing was sent twice")
				// Both messages end with an acknowledgement of their own.
				require.EqualValues(t, (packets/2+every-1)/every*2, back.Bytes/86, "%s train %d every %d", mode, train, every)
				if every == 1 {
					plain = r.done[1].At
				}
				require.InDelta(t, float64(plain), float64(r.done[1].At), float64(100*sim.Nanosecond))
			}
		}
	}
}

// Where an acknowledgement would come too late it is asked for: a window smaller
// than what one stands for, a flow so slow that its timer would run out.
func TestAcknowledgementsAreAskedFor(t *testing.T) {
	for _, x := range []map[string]any{{"window": 8}, {"rate": "1Gbps"}} {
		x["ack_every"] = 64
		r := roce(t, params(x), attributes(func(c *Carrier) { c.AckTimeout, c.RetryCount = 6, 1 }))
		n := int64(200 * 4096)
		goodput(t, r, n)
		require.EqualValues(t, 200, r.f.Stat(r.g.NodePorts(0)[0]).Packets, "nothing was sent twice")
		require.Less(t, r.f.Stat(r.g.NodePorts(1)[0]).Packets, int64(160))
	}
}

// A rate limit holds for packets and trains, over any service.
func TestRateLimit(t *testing.T) {
	for _, train := range []int{1, 0} {
		for _, gbps := range []units.Rate{1, 100, 399, 1000} {
			for _, service := range []Service{Reliable, Unreliable} {
				r := roce(t, trains(train), params(map[string]any{"rate": fmt.Sprintf("%dGbps", gbps)}))
				a, _ := r.connectSpec(Spec{Service: service})
				const n = 1000 * 4096
				r.post(a, 1, WR{Op: OpWrite, Local: r.buffer(0, n), Remote: r.buffer(1, n), Len: n})
				r.run()
				want := micros((min(gbps, 400) * units.Gbps).Time(n / 4096 * fullPacket))
				if service == Reliable {
					want += 20
				}
				require.InEpsilon(t, want, micros(r.done[0].At), 0.01, "%d Gb/s, train %d, %v", gbps, train, service)
			}
		}
	}
}

// flow counts the bytes that arrive in a span of time.
type flow struct {
	r        *rig
	from, to sim.Time
	bytes    int64
	wr       WR
	id       ConnID
}

func (f *flow) Complete(c *Completion) {
	if c.At >= f.from && c.At < f.to {
		f.bytes += c.Bytes
	}
	if c.At < f.to {
		require.NoError(f.r.t, f.r.n.Post(f.id, &f.wr))
	}
}

func jain(x []float64) float64 {
	var sum, square float64
	for _, v := range x {
		sum += v
		square += v * v
	}
	return sum * sum / square / float64(len(x))
}

// DCQCN: flows into one port of 40 Gb/s come to equal shares and leave no much of it
// unused. Two flows that reproduce a figure of the paper come to 19.417 and 20.568
// Gb/s between 90 and 100 ms in another simulator.
func TestDCQCNConverges(t *testing.T) {
	if testing.Short() {
		t.Skip("100 ms of a link of 40 Gb/s")
	}
	for _, flows := range []int{2, 4} {
		for _, train := range []int{1, 0} {
			r := newRig(t, carrier("rdma", topo.ROCE), func(c *rigConfig) {
				c.spec = topo.Spec{Kind: "star", Servers: 1, Devices: flows + 1, Params: topo.Params{Planes: 1, Rate: 40 * units.Gbps, Latency: ns(1000), Hop: ns(0)}}
				c.data, c.train, c.headers = mem.Phantom, train, true
				c.ports = fabric.Features{Mark: fabric.Mark{Kmin: 5 << 10, Kmax: 200 << 10, PmaxPPM: 10_000}}
			}, params(map[string]any{"cc": "dcqcn"}))
			var fs []*flow
			for i := range flows {
				a, _ := r.connect(topo.NodeID(i), topo.NodeID(flows))
				f := &flow{r: r, from: 50 * sim.Millisecond, to: 100 * sim.Millisecond, id: a,
					wr: WR{Op: OpWrite, Flags: Signaled, Local: r.buffer(i, 64<<10), Remote: r.buffer(flows, 64<<10), Len: 64 << 10}}
				r.n.SetSink(a, f)
				fs = append(fs, f)
				at := sim.Time(i) * 5 * sim.Millisecond // one after the other: the first has the link to itself
				r.e.Go("flow", func(p *sim.Proc) {
					p.Sleep(at)
					for range 4 {
						require.NoError(t, r.n.Post(a, &f.wr))
					}
				})
			}
			require.Equal(t, sim.Done, r.run().Reason)
			var rates []float64
			sum := 0.0
			for _, f := range fs {
				g := float64(f.bytes) * 8 / micros(50*sim.Millisecond) / 1000
				rates = append(rates, g)
				sum += g
			}
			t.Logf("%d flows, train %d: %.3f Gb/s, Jain %.4f, sum %.3f", flows, train, rates, jain(rates), sum)
			require.GreaterOrEqual(t, jain(rates), 0.99)
			require.Greater(t, sum, 0.95*40*4096/fullPacket)
			require.LessOrEqual(t, sum, 40.0)
		}
	}
}
