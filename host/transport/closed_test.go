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

// What closed forms say of the network, through the plugins as they are: all of
// what a packet carries takes its time on the wire.

// carried is a plugin, a protocol and the bytes that it adds to a packet and to the
// first one of a message.
type carried struct {
	plugin       string
	proto        topo.Protocol
	header, more int64
}

var protocols = []carried{{"rdma", topo.ROCE, 82, 16}, {"ub", topo.UB_CTP, 36, 0}, {"ub", topo.UB_TP, 78, 0}}

// acks is the bytes of an acknowledgement.
var acks = map[topo.Protocol]int64{topo.ROCE: 86, topo.UB_CTP: 24, topo.UB_TP: 70}

func (k carried) String() string { return fmt.Sprintf("%s over %v", k.proto, k.plugin) }

// wire is the bytes of a message on the wire.
func (k carried) wire(n int64) int64 { return n + (n+4095)/4096*k.header + k.more }

const (
	linkRate = 400 * units.Gbps
	linkTime = 500 * sim.Nanosecond
)

// disciplines of ports that lose nothing, and share a port among those that send to
// it in turn.
var disciplines = map[string]fabric.Features{
	"plain":   {},
	"credits": {Turns: true, Credits: fabric.Credits{Cells: 6553}},
	"grains":  {Lanes: 2, Turns: true, Credits: fabric.Credits{Cells: 6553, Grain: 32, DataGrain: 4}},
	"pause":   {Turns: true, Pause: fabric.Pause{Lanes: 1, Off: 819_200, On: 655_360}, Buffer: fabric.Buffer{Reserve: 1 << 20}},
}

// forms runs f for all protocols and disciplines, at packet level and in trains. f
// gives the makespan, which must not differ by more than 2 %.
func forms(t *testing.T, ds map[string]fabric.Features, f func(t *testing.T, k carried, opts option, train int) sim.Time) {
	for _, k := range protocols {
		for name, d := range ds {
			t.Run(fmt.Sprintf("%v, %s", k, name), func(t *testing.T) {
				var at [2]sim.Time
				for i, train := range []int{1, 0} {
					at[i] = f(t, k, func(c *rigConfig) {
						carrier(k.plugin, k.proto)(c)
						c.ports, c.train, c.data = d, train, mem.Phantom
					}, train)
				}
				require.InEpsilon(t, micros(at[0]), micros(at[1]), 0.02, "trains against packets")
			})
		}
	}
}

// ended runs to the end and gives when each request was complete, by its number.
func (r *rig) ended(t *testing.T) []sim.Time {
	res := r.run()
	require.Equal(t, sim.Done, res.Reason, "%v", res.Stall)
	require.NoError(t, r.n.Fault())
	at := make([]sim.Time, len(r.done))
	bytes := int64(0)
	for _, d := range r.done {
		require.Equal(t, StatusOK, d.Status)
		require.Zero(t, at[d.ID], "each once")
		at[d.ID], bytes = d.At, bytes+d.Bytes
	}
	require.Equal(t, r.posted, bytes)
	return at
}

// write posts a write of n bytes as a connection of its own.
func (r *rig) write(from, to topo.NodeID, n int64) {
	x, _ := r.connect(from, to)
	r.post(x, uint64(r.writes), WR{Op: OpWrite, Local: r.buffer(int(from), n), Remote: r.buffer(int(to), n), Len: n})
	r.writes++
	r.posted += n
}

func starOf(devices int) option {
	return func(c *rigConfig) {
		c.spec = topo.Spec{Kind: "star", Servers: 1, Devices: devices, Params: topo.Params{Planes: 1, Rate: linkRate, Latency: ns(500), Hop: ns(0)}}
	}
}

// N writers to one device: each has a share of 1/N until the end.
func TestClosedIncastEqual(t *testing.T) {
	forms(t, disciplines, func(t *testing.T, k carried, o option, train int) sim.Time {
		const n, bytes = 8, 4 << 20
		r := newRig(t, o, starOf(n+1))
		for i := range topo.NodeID(n) {
			r.write(i, n, bytes)
		}
		form := linkRate.Time(n*k.wire(bytes)) + 4*linkTime
		for i, at := range r.ended(t) {
			slack := 0.01
			if train != 1 {
				slack = 1. / 16 // a turn: trains are a sixteenth of the message
			}
			require.InEpsilon(t, micros(form), micros(at), slack, "writer %d", i)
		}
		end := r.done[n-1].At
		require.InEpsilon(t, micros(form), micros(end), 0.01)
		return end
	})
}

// Writers of different sizes fill up like water: the k-th smallest ends at the sum
// over i up to k of (s_i - s_(i-1)) (N - i + 1) / B.
func TestClosedIncastUnequal(t *testing.T) {
	forms(t, disciplines, func(t *testing.T, k carried, o option, train int) sim.Time {
		sizes := []int64{2 << 20, 4 << 20, 8 << 20, 10 << 20}
		r := newRig(t, o, starOf(5))
		for i, s := range sizes {
			r.write(topo.NodeID(i), 4, s)
		}
		var at, before int64
		for i, end := range r.ended(t) {
			at += (k.wire(sizes[i]) - before) * int64(len(sizes)-i)
			before = k.wire(sizes[i])
			slack := 0.01
			if train != 1 && i < len(sizes)-1 {
				slack = 1. / 12 // half a turn: the trains of the larger ones are two to four times as long
			}
			require.InEpsilon(t, micros(linkRate.Time(at)+4*linkTime), micros(end), slack, "writer %d", i)
		}
		return r.done[3].At
	})
}

// given is a cluster of devices, then switches, and links as pairs of their numbers.
func given(t *testing.T, devices, switches int, latency sim.Time, links ...[2]topo.NodeID) option {
	in := topo.Given{Kind: "test"}
	for i := range devices + switches {
		n := topo.Node{Kind: topo.Device, Name: fmt.Sprintf("d%d", i), Server: -1, Index: -1, Super: -1}
		if i >= devices {
			n.Kind, n.Name, n.Forwards = topo.Switch, fmt.Sprintf("s%d", i-devices), true
		}
		in.Nodes = append(in.Nodes, n)
	}
	next := make([]int16, len(in.Nodes))
	for _, w := range links {
		l := topo.GivenLink{A: w[0], B: w[1], PortA: next[w[0]], PortB: next[w[1]]}
		l.Rate, l.Latency, l.Protocols = linkRate, latency, 1<<topo.ROCE|1<<topo.UB_CTP|1<<topo.UB_TP
		next[w[0]]++
		next[w[1]]++
		in.Links = append(in.Links, l)
	}
	g, err := topo.FromGiven(in)
	require.NoError(t, err)
	return func(c *rigConfig) { c.graph = g }
}

// A parking lot: the long way shares either of two links with one other, and all
// three have half. Switches take turns, and stop who sends more.
func TestClosedParkingLot(t *testing.T) {
	lot := given(t, 6, 3, linkTime, [2]topo.NodeID{0, 6}, [2]topo.NodeID{1, 6}, [2]topo.NodeID{2, 7}, [2]topo.NodeID{3, 7}, [2]topo.NodeID{4, 8}, [2]topo.NodeID{5, 8},
		[2]topo.NodeID{6, 7}, [2]topo.NodeID{7, 8})
	forms(t, map[string]fabric.Features{
		"credits": {Turns: true, Credits: fabric.Credits{Cells: 1000}},
		"pause":   {Turns: true, Pause: fabric.Pause{Lanes: 1, Off: 100_000, On: 60_000}},
	}, func(t *testing.T, k carried, o option, train int) sim.Time {
		const bytes = 16 << 20
		r := newRig(t, o, lot)
		r.write(0, 4, bytes)
		r.write(1, 2, bytes)
		r.write(3, 5, bytes)
		form := linkRate.Time(2*k.wire(bytes)) + 8*linkTime
		end := sim.Time(0)
		for i, at := range r.ended(t) {
			require.InEpsilon(t, micros(form), micros(at), 0.01, "write %d", i)
			end = max(end, at)
		}
		return end
	})
}

// A window of W packets and a round trip bound the rate to one by the other.
func TestClosedWindowLimit(t *testing.T) {
	for _, k := range protocols {
		for _, window := range []int64{1, 4, 16, 40} {
			const bytes = 8 << 20
			var at [2]sim.Time
			for i, train := range []int{1, 0} {
				r := newRig(t, carrier(k.plugin, k.proto), wire(linkRate, ns(2000)), attributes(func(c *Carrier) { c.Window = uint32(window) }),
					func(c *rigConfig) { c.data, c.train = mem.Phantom, train })
				r.write(0, 1, bytes)
				at[i] = r.ended(t)[0]
			}
			one := linkRate.Time(4096 + k.header)
			trip := one + linkRate.Time(acks[k.proto]) + 4*sim.Microsecond
			last := int64(bytes/4096 - 1)
			form := trip*sim.Time(last/window+1) + one*sim.Time(last%window)
			require.InEpsilon(t, micros(form), micros(at[0]), 0.01, "%v, window %d", k, window)
			require.InEpsilon(t, micros(at[0]), micros(at[1]), 0.02, "%v, window %d: trains against packets", k, window)
		}
	}
}

// Credit for some bytes, which comes back a round trip after a packet has started,
// bounds the rate to one by the other, on one link and on the first of two.
func TestClosedCreditLimit(t *testing.T) {
	const bytes, latency = 8 << 20, 2 * sim.Microsecond
	ways := []option{given(t, 2, 0, latency, [2]topo.NodeID{0, 1}), given(t, 2, 1, latency, [2]topo.NodeID{0, 2}, [2]topo.NodeID{1, 2})}
	for _, k := range protocols {
		cells := (4096 + k.header + 159) / 160
		for _, packets := range []int64{1, 4, 16} {
			for links, o := range ways {
				var at [2]sim.Time
				for i, train := range []int{1, 0} {
					r := newRig(t, carrier(k.plugin, k.proto), o, ports(fabric.Features{Credits: fabric.Credits{Cells: int32(cells * packets)}}),
						func(c *rigConfig) { c.data, c.train = mem.Phantom, train })
					r.write(0, 1, bytes)
					at[i] = r.ended(t)[0]
				}
				one := linkRate.Time(4096 + k.header)
				loops := (2*latency + one) * sim.Time(bytes/4096/packets-1)
				form := loops + one*sim.Time(packets) + 2*latency*sim.Time(links+1)
				require.InEpsilon(t, micros(form), micros(at[0]), 0.01, "%v, %d links, credit for %d packets", k, links+1, packets)
				require.InEpsilon(t, micros(at[0]), micros(at[1]), 0.02, "%v, %d links, credit for %d packets: trains against packets", k, links+1, packets)
			}
		}
	}
}

// Requests for data go between the packets of a write: reads have their direction of
// the link, in trains as well, where a turn is a train.
func TestClosedReadsBesideAWrite(t *testing.T) {
	forms(t, map[string]fabric.Features{"plain": {}, "credits": {Credits: fabric.Credits{Cells: 6553}}}, func(t *testing.T, k carried, o option, _ int) sim.Time {
		const bytes, slices = 128 << 10, 64
		r := newRig(t, o, starOf(3))
		x, _ := r.connect(0, 1)
		for range slices {
			r.post(x, uint64(r.writes), WR{Op: OpRead, Local: r.buffer(0, bytes), Remote: r.buffer(1, bytes), Len: bytes})
			r.writes++
			r.posted += bytes
		}
		r.write(0, 2, bytes*slices)
		at := r.ended(t)
		// Acknowledgements go against both.
		form := linkRate.Time(k.wire(bytes*slices)+bytes*slices/4096*acks[k.proto]) + 8*linkTime
		require.InEpsilon(t, micros(form), micros(at[slices-1]), 0.02, "reads")
		require.InEpsilon(t, micros(form), micros(at[slices]), 0.02, "write")
		return at[slices-1]
	})
}
