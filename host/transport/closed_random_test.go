package transport

import (
	"fmt"
	"math"
	"os"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"hsim/host/fabric"
	"hsim/host/mem"
	"hsim/host/sim"
	"hsim/host/topo"
	"hsim/host/units"
)

// share is a flow of the fluid that packets are held against: it takes a part of
// the links of its way, and of those of its acknowledgements.
type share struct {
	from, to topo.NodeID
	bytes    int64
	start    sim.Time
	takes    map[topo.PortID]float64 // bytes on the wire for a byte of payload
	acks     map[topo.PortID]float64
	left     float64
	rate     float64
	end      float64 // us
}

// fill is progressive filling: at any time the rates of all flows grow alike until a
// link is full, then those of the others go on. It gives each flow its end.
func fill(flows []*share, rate func(topo.PortID) float64) {
	now := 0.0
	for {
		var on []*share
		next := math.Inf(1)
		for _, f := range flows {
			switch begin := micros(f.start); {
			case f.end > 0:
			case begin > now:
				next = min(next, begin-now)
			default:
				on = append(on, f)
			}
		}
		if len(on) == 0 && math.IsInf(next, 1) {
			return
		}
		level(on, rate)
		for _, f := range on {
			next = min(next, f.left/f.rate)
		}
		now += next
		for _, f := range on {
			if f.left -= f.rate * next; f.left < 1e-6 {
				f.end = now
			}
		}
	}
}

// level sets the rates of flows that are on. Acknowledgements are few bytes and
// always get through: links have that much less for the rest.
func level(on []*share, rate func(topo.PortID) float64) {
	used, demand := map[topo.PortID]float64{}, map[topo.PortID]float64{}
	for range 6 { // each time with the acknowledgements of the rates before
		clear(used)
		for _, f := range on {
			for p, w := range f.acks {
				used[p] += w * f.rate
			}
		}
		for _, f := range on {
			f.rate = 0
		}
		for free := slices.Clone(on); len(free) > 0; {
			clear(demand)
			for _, f := range free {
				for p, w := range f.takes {
					demand[p] += w
				}
			}
			step := math.Inf(1)
			for p, d := range demand {
				step = min(step, (rate(p)-used[p])/d)
			}
			for _, f := range free {
				f.rate += step
			}
			for p, d := range demand {
				used[p] += d * step
			}
			free = slices.DeleteFunc(free, func(f *share) bool {
				for p := range f.takes {
					if used[p] > rate(p)*(1-1e-9) {
						return true
					}
				}
				return false
			})
		}
	}
}

// tangle is a random tree of switches with devices on them, links of three rates,
// and random flows. Without features each flow is in a lane of its own, which links
// take in turn and stop one by one: so every flow gets what progressive filling
// gives it.
func tangle(t *testing.T, seed uint64, train int, as *fabric.Features) (*rig, []*share, func()) {
	d := sim.New(seed).Rand("tangle")
	k := protocols[d.Intn(len(protocols))]
	devices, switches := 3+d.Intn(6), 1+d.Intn(4)
	in := topo.Given{Kind: "tangle"}
	for i := range devices + switches {
		n := topo.Node{Kind: topo.Device, Name: fmt.Sprintf("d%d", i), Server: -1, Index: -1, Super: -1}
		if i >= devices {
			n.Kind, n.Name, n.Forwards = topo.Switch, fmt.Sprintf("s%d", i-devices), true
		}
		in.Nodes = append(in.Nodes, n)
	}
	next := make([]int16, len(in.Nodes))
	for i := range in.Nodes {
		up := devices + d.Intn(switches)
		if i >= devices {
			if up = devices + d.Intn(max(i-devices, 1)); i == devices {
				continue
			}
		}
		l := topo.GivenLink{A: topo.NodeID(i), B: topo.NodeID(up), PortA: next[i], PortB: next[up]}
		l.Rate, l.Latency, l.Protocols = []units.Rate{100, 200, 400}[d.Intn(3)]*units.Gbps, sim.Time(10+d.Intn(90))*sim.Nanosecond, 1<<k.proto
		next[i]++
		next[up]++
		in.Links = append(in.Links, l)
	}
	g, err := topo.FromGiven(in)
	require.NoError(t, err)
	headers := d.Intn(2) == 0
	f := fabric.Features{Lanes: 16, Credits: fabric.Credits{Cells: 200}}
	if d.Intn(2) == 0 {
		f.Credits, f.Pause = fabric.Credits{}, fabric.Pause{Lanes: 1<<16 - 1, Off: 30_000, On: 20_000}
	}
	for i := range f.Quantum {
		f.Quantum[i] = 4200
	}
	if as != nil {
		f = *as
	}
	r := newRig(t, carrier(k.plugin, k.proto), ports(f), func(c *rigConfig) {
		c.graph, c.data, c.headers, c.train = g, mem.Phantom, headers, train
	})
	routes := r.n.Routes(k.proto)
	head, ack := 0.0, 0.0
	if headers {
		head, ack = float64(k.header), float64(acks[k.proto])
	}
	var flows []*share
	var posts []func()
	for i := range 2 + d.Intn(10) {
		from := topo.NodeID(d.Intn(devices))
		to := topo.NodeID((int(from) + 1 + d.Intn(devices-1)) % devices)
		s := &share{from: from, to: to, bytes: int64(200+d.Intn(1000)) * 4096, start: sim.Time(d.Intn(100)) * sim.Microsecond, takes: map[topo.PortID]float64{}, acks: map[topo.PortID]float64{}}
		s.left = float64(s.bytes)
		for at := from; at != to; {
			p := routes.Ports(at, to)[0]
			s.takes[p] += (4096 + head) / 4096
			s.acks[g.Peer(p)] += ack / 4096
			at = g.PeerNode(p)
		}
		flows = append(flows, s)
		a, b, err := r.n.Connect(Spec{A: from, B: to, Protocol: k.proto, Via: &Via{PortA: routes.Ports(from, to)[0], PortB: routes.Ports(to, from)[0], Lane: uint8(i)}})
		require.NoError(t, err)
		r.n.SetSink(a, r)
		r.n.SetSink(b, r)
		src, dst := r.buffer(int(from), s.bytes), r.buffer(int(to), s.bytes)
		posts = append(posts, func() {
			r.e.Go("sender", func(p *sim.Proc) {
				p.Sleep(s.start)
				r.post(a, uint64(i), WR{Op: OpWrite, Local: src, Remote: dst, Len: s.bytes})
			})
		})
		r.posted += s.bytes
	}
	return r, flows, func() {
		for _, f := range posts {
			f()
		}
	}
}

// Random trees and flows against progressive filling, and trains against packets.
// What flows that go on slower put into the buffers of their ways comes sooner than
// their share: one that ends early ends later for it.
func TestRandomSharesAreMaxMin(t *testing.T) {
	seeds, each, trains := uint64(12), 0.02, 0.02
	if os.Getenv("HSIM_NIGHTLY") != "" {
		seeds, each, trains = 300, 0.12, 0.04
	}
	for seed := range seeds {
		var made [2]float64
		for i, train := range []int{1, 0} {
			r, flows, start := tangle(t, seed, train, nil)
			start()
			fill(flows, func(p topo.PortID) float64 { return float64(r.f.Rate(p)) / 8e6 })
			form := 0.0
			for k, at := range r.ended(t) {
				made[i], form = max(made[i], micros(at)), max(form, flows[k].end)
				if train == 1 {
					require.InEpsilon(t, flows[k].end, micros(at), each, "seed %d, flow %d", seed, k)
				}
			}
			if train == 1 {
				require.InEpsilon(t, form, made[0], 0.01, "seed %d", seed)
			}
		}
		require.InEpsilon(t, made[0], made[1], trains, "seed %d: trains against packets", seed)
	}
}

// Flows that share a lane stand behind each other: what each gets is no longer
// progressive filling, but all together end near it, and no sooner than the port with
// most to carry lets them.
func TestRandomSharesOfALane(t *testing.T) {
	seeds := uint64(6)
	if os.Getenv("HSIM_NIGHTLY") != "" {
		seeds = 300
	}
	for name, f := range disciplines {
		for seed := range seeds {
			r, flows, start := tangle(t, seed, 1, &f)
			start()
			rate := func(p topo.PortID) float64 { return float64(r.f.Rate(p)) / 8e6 }
			fill(flows, rate)
			form, first, load := 0.0, math.Inf(1), map[topo.PortID]float64{}
			for _, s := range flows {
				form, first = max(form, s.end), min(first, micros(s.start))
				for p, w := range s.takes {
					load[p] += w * float64(s.bytes)
				}
			}
			least := 0.0
			for p, n := range load {
				least = max(least, n/rate(p))
			}
			end := 0.0
			for _, at := range r.ended(t) {
				end = max(end, micros(at))
			}
			require.Greater(t, end, first+least, "%s, seed %d", name, seed)
			require.InDelta(t, 1, end/form, 0.2, "%s, seed %d", name, seed)
		}
	}
}
