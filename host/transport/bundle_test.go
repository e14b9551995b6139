package transport

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"hsim/host/mem"
	"hsim/host/sim"
	"hsim/host/topo"
	"hsim/host/units"
)

// grouped gives every connection a number of channels.
func grouped(channels int, s BundleSpec) option {
	return attributes(func(c *Carrier) { c.Channels, c.Bundle = channels, s })
}

// Slices over several ports, a channel each, move at the sum of their rates.
func TestChannelsAddUp(t *testing.T) {
	for _, w := range []world{{"ub", topo.UB_TP, 1}, {"ub", topo.UB_CTP, 1}, {"rdma", topo.ROCE, 1}} {
		for _, train := range []int{1, 0} {
			for _, s := range []BundleSpec{{}, {InTurn: true}, {Even: true}} {
				end := func(ports int) float64 {
					w := w
					w.planes = ports
					r := w.rig(t, func(c *rigConfig) { c.data, c.train = mem.Phantom, train }, grouped(ports, s))
					a, _ := r.connect(0, 1)
					r.post(a, 1, WR{Op: OpWrite, Local: r.buffer(0, 64<<20), Remote: r.buffer(1, 64<<20), Len: 64 << 20})
					require.Equal(t, sim.Done, r.run().Reason)
					require.Equal(t, []Status{StatusOK}, r.statuses())
					require.Zero(t, r.done[0].First)
					used := 0
					for p := range r.g.Ports {
						if r.g.Ports[p].Node == 0 && r.f.Stat(topo.PortID(p)).Bytes > 1<<20 {
							used++
						}
					}
					require.Equal(t, ports, used, "%v %+v", w, s)
					return micros(r.done[0].At)
				}
				one := end(1)
				for _, ports := range []int{2, 4} {
					require.InEpsilon(t, one/float64(ports), end(ports), 0.01, "%v %+v train %d over %d", w, s, train, ports)
				}
			}
		}
	}
}

// Queue pairs of one connection are hashed by source ports of their own: they
// share the uplinks of a tree that one would leave idle.
func TestQueuePairsSpreadOverATree(t *testing.T) {
	uplinks := func(channels int) (used int, end float64) {
		r := newRig(t, carrier("rdma", topo.ROCE), grouped(channels, BundleSpec{Even: true, Slice: 512 << 10}), func(c *rigConfig) {
			c.spec = topo.Spec{Kind: "fattree", Servers: 16, Devices: 8, Params: topo.Params{K: 16, Tiers: 2, Planes: 1, Rate: 400 * units.Gbps}}
			c.data = mem.Phantom
		})
		const n = 16 << 20
		for d := range topo.NodeID(8) {
			x, _ := r.connect(d, d+64)
			r.post(x, uint64(d), WR{Op: OpWrite, Local: r.buffer(int(d), n), Remote: r.buffer(int(d+64), n), Len: n})
		}
		res := r.run()
		require.Equal(t, sim.Done, res.Reason)
		for p := range r.g.Ports {
			id := topo.PortID(p)
			if r.g.Nodes[r.g.Ports[p].Node].Kind == topo.Switch && r.g.Nodes[r.g.PeerNode(id)].Kind == topo.Switch && r.f.Stat(id).Bytes > 1<<20 {
				used++
			}
		}
		return used, micros(res.End)
	}
	few, slow := uplinks(1)
	many, fast := uplinks(8)
	require.Greater(t, many, few)
	require.Less(t, fast, slow*0.9)
}

// A share is no smaller than the threshold: a message of less than two of them goes
// over one channel.
func TestEvenSharesHaveAThreshold(t *testing.T) {
	for _, c := range []struct {
		size int64
		used int
	}{{4096, 1}, {512 << 10, 1}, {512<<10 + 1, 2}, {1 << 20, 2}, {4 << 20, 4}, {64 << 20, 4}} {
		r := world{"ub", topo.UB_TP, 4}.rig(t, func(c *rigConfig) { c.data = mem.Phantom }, grouped(4, BundleSpec{Even: true, Slice: 512 << 10}))
		a, _ := r.connect(0, 1)
		r.post(a, 1, WR{Op: OpWrite, Local: r.buffer(0, c.size), Remote: r.buffer(1, c.size), Len: c.size})
		r.run()
		used, most := 0, int64(0)
		for p := range r.g.Ports {
			if b := r.f.Stat(topo.PortID(p)).Bytes; r.g.Ports[p].Node == 0 && b > 0 {
				used++
				most = max(most, b)
			}
		}
		require.Equal(t, c.used, used, "%d bytes", c.size)
		share := max((c.size+3)/4, min(c.size, 512<<10))
		require.Equal(t, share+(share+4095)/4096*78, most, "%d bytes", c.size)
	}
}

// With a bounded number of answers to come, loads and stores of 512 bytes move as
// many of them in every round trip.
func TestOutstandingBoundsTheRate(t *testing.T) {
	const n, limit = 4 << 20, 64
	for _, op := range []Op{OpWrite, OpRead} {
		for _, latency := range []int64{2000, 5000} {
			r := newRig(t, carrier("ub", topo.UB_MEM), wire(400*units.Gbps, ns(latency)), func(c *rigConfig) { c.data = mem.Phantom }, grouped(1, BundleSpec{Slice: 512, Outstanding: limit}),
				attributes(func(c *Carrier) { c.MTU = 512 }))
			a, _ := r.connect(0, 1)
			r.post(a, 1, WR{Op: op, Local: r.buffer(0, n), Remote: r.buffer(1, n), Len: n})
			require.Equal(t, sim.Done, r.run().Reason)
			require.Equal(t, []Status{StatusOK}, r.statuses())
			there, back := int64(512+28), int64(16)
			if op == OpRead {
				there, back = 28, 512+28
			}
			rtt := 2*sim.Time(latency)*sim.Nanosecond + (400 * units.Gbps).Time(there) + (400 * units.Gbps).Time(back)
			require.InEpsilon(t, micros(rtt)*n/512/limit, micros(r.done[0].At), 0.01, "%v at %d ns", op, latency)
		}
	}
}

// Everything that a connection carries goes over bundles too, in both directions
// at once, under loss, in packets and in trains: bytes whole, receives in order,
// notifies after their bytes, atomics once.
func TestBundlesCarryEverything(t *testing.T) {
	for _, w := range []world{{"ub", topo.UB_TP, 3}, {"ub", topo.UB_CTP, 3}, {"rdma", topo.ROCE, 2}} {
		for seed := range uint64(4) {
			for _, train := range []int{1, 0} {
				for _, s := range []BundleSpec{{Slice: 8192, Outstanding: 7}, {InTurn: true, Ahead: 1}, {Even: true, Slice: 4096, Posted: 3}} {
					if seed > 0 && (s.Even || w.proto == topo.UB_CTP) {
						continue
					}
					t.Run(fmt.Sprintf("%v-%d-train%d-%+v", w, seed, train, s), func(t *testing.T) { everything(t, w, seed, train, s) })
				}
			}
		}
	}
}

func everything(t *testing.T, w world, seed uint64, train int, s BundleSpec) {
	r := w.rig(t, func(c *rigConfig) {
		if c.train, c.seed = train, seed; w.plugin == "ub" {
			c.params = []map[string]any{nil, {"selective": true}, {"spray": true, "rto_static": "512us"}, {"rto": "dynamic", "fast_retransmit": "off"}}[seed%4]
		}
	}, grouped(3, s), attributes(func(c *Carrier) {
		c.AckTimeout, c.RetryCount, c.RnrCount, c.RnrTimer = 5, 7, 7, 1
		c.Order = []Order{OrderDefault, OrderInitiator, OrderTarget}[seed%3]
	}))
	if w.proto != topo.UB_CTP {
		for i := range r.g.Ports {
			r.f.SetLoss(topo.PortID(i), 3000)
		}
	}
	ends := [2]ConnID{}
	ends[0], ends[1] = r.connect(0, 1)
	rnd := rand.New(rand.NewPCG(seed, 9))
	type moved struct {
		at   mem.Addr
		want []byte
	}
	var all []moved
	var regs [2]*flags
	count := r.buffer(1, 8)
	sends, atomics, posted := [2]int{}, 0, 0
	var late [2][]Recv
	const each = 60
	for side := range 2 {
		f, reg := newFlags(r, 1-side, each)
		f.then = map[int]func(){}
		regs[1-side] = f
		peer := 1 - side
		for i := range each {
			n := rnd.Int64N(3) * rnd.Int64N(100_000)
			b := pattern(n, seed*1000+uint64(side*each+i))
			wr := WR{Len: n, Mark: Mark(rnd.IntN(2))}
			switch k := rnd.IntN(5); {
			case k == 0:
				wr.Op, wr.Local, wr.Remote = OpRead, r.buffer(side, max(n, 1)), r.fill(peer, b)
				all = append(all, moved{wr.Local, b})
			case k == 1:
				wr.Op, wr.Local = OpSend, r.fill(side, b)
				to := r.buffer(peer, max(n, 1))
				all = append(all, moved{to, b})
				id := uint64(sends[peer])
				if sends[peer]++; sends[peer] < 3 {
					require.NoError(t, r.n.PostRecv(ends[peer], Recv{ID: id, Addr: to, Len: n}))
				} else { // the receiver is late
					late[peer] = append(late[peer], Recv{ID: id, Addr: to, Len: n})
				}
			case k == 2 && w.plugin == "ub":
				wr = WR{Op: OpAtomic, Len: 8, Remote: count, Local: r.buffer(side, 8), Atomic: &Atomic{Kind: AtomicFetchAdd, Operand: Value64(1)}}
				if side == 1 {
					wr = WR{Op: OpWrite, Mark: MarkStrong}
				} else {
					atomics++
				}
			default:
				wr.Op, wr.Local, wr.Remote, wr.NotifyAddr, wr.NotifyValue = OpWriteNotify, r.fill(side, b), r.buffer(peer, max(n, 1)), reg.Add(int64(i)*mem.RegisterSize), 1
				if k == 4 {
					wr.Flags = Inline
				}
				if n == 0 {
					wr.Op = OpNotify
				}
				m := moved{wr.Remote, b}
				all = append(all, m)
				f.then[i] = func() {
					require.True(t, bytes.Equal(m.want, r.bytes(m.at, int64(len(m.want)))), "the notify comes after its bytes")
				}
			}
			r.post(ends[side], uint64(i), wr)
			posted++
		}
	}
	r.e.Go("receivers", func(p *sim.Proc) {
		p.Sleep(100 * sim.Microsecond)
		for i := range 2 {
			for _, rc := range late[i] {
				require.NoError(t, r.n.PostRecv(ends[i], rc))
				p.Sleep(5 * sim.Microsecond)
			}
		}
	})
	res := r.run()
	require.Equal(t, sim.Done, res.Reason, "%v", res.Stall)
	require.NoError(t, r.n.Fault())
	for _, m := range all {
		require.True(t, bytes.Equal(m.want, r.bytes(m.at, int64(len(m.want)))))
	}
	next, recvs := map[ConnID]uint64{}, map[ConnID]uint64{}
	for _, d := range r.done {
		require.Equal(t, StatusOK, d.Status, "%+v", d)
		of := next
		if d.Recv {
			of = recvs
		}
		require.Equal(t, of[d.Conn], d.ID, "completions and receives in posting order")
		of[d.Conn]++
	}
	require.Len(t, r.done, posted+sends[0]+sends[1])
	require.Equal(t, Value64(uint64(atomics)), r.bytes(count, 8))
	for _, f := range regs {
		last := sim.Time(0)
		for i, n := range f.v {
			require.LessOrEqual(t, n, uint64(1))
			if n > 0 {
				require.GreaterOrEqual(t, f.at[i], last, "notifies in posting order")
				last = f.at[i]
			}
		}
	}
}

// A channel that is lost ends its bundle: the request by which it was found out has
// the error, what else was posted is flushed, each once and in order.
func TestALostChannelEndsItsBundle(t *testing.T) {
	for _, train := range []int{1, 0} {
		for down := range topo.PortID(2) {
			r := world{"ub", topo.UB_TP, 2}.rig(t, func(c *rigConfig) { c.data, c.train = mem.Phantom, train }, grouped(2, BundleSpec{}))
			a, b := r.connect(0, 1)
			f, reg := newFlags(r, 1, 4)
			for i := range uint64(4) {
				r.post(a, i, WR{Op: OpWriteNotify, Local: r.buffer(0, 4<<20), Remote: r.buffer(1, 4<<20), Len: 4 << 20, NotifyAddr: reg.Add(8 * int64(i)), NotifyValue: 1})
			}
			r.e.Go("cut", func(p *sim.Proc) {
				p.Sleep(60 * sim.Microsecond)
				r.f.SetDown(down, true)
			})
			require.Equal(t, sim.Done, r.run().Reason)
			require.Len(t, r.done, 4)
			for i, d := range r.done {
				require.EqualValues(t, i, d.ID)
			}
			require.Equal(t, []Status{StatusOK, StatusRetry, StatusFlush, StatusFlush}, r.statuses())
			require.Equal(t, 8*16*sim.Millisecond, r.done[1].At/sim.Millisecond*sim.Millisecond, "eight static time-outs")
			if r.g.Ports[down].Node == 0 { // else data arrive, and acknowledgements do not
				require.Equal(t, []uint64{1, 0, 0, 0}, f.v)
			}
			require.ErrorIs(t, r.n.Post(a, &WR{Op: OpNotify, NotifyAddr: reg}), ErrState)
			require.Equal(t, StatusRetry, r.n.Status(a))
			require.NoError(t, r.n.Close(a))
			require.NoError(t, r.n.Close(b))
		}
	}
}

// A channel that failed while it carried nothing is found out by the next request.
func TestAnIdleChannelIsLost(t *testing.T) {
	r := world{"ub", topo.UB_TP, 2}.rig(t, grouped(2, BundleSpec{}))
	a, _ := r.connect(0, 1)
	r.post(a, 1, WR{Op: OpWrite, Local: r.buffer(0, 1<<20), Remote: r.buffer(1, 1<<20), Len: 1 << 20})
	r.run()
	conn := r.n.bundleAt(a).channels[1].conn
	r.n.fail(conn, r.n.conns.at(conn), StatusRetry, nil)
	for i := range uint64(2) {
		r.post(a, 2+i, WR{Op: OpWrite, Local: r.buffer(0, 1<<20), Remote: r.buffer(1, 1<<20), Len: 1 << 20})
		if r.n.Status(a) != StatusOK {
			break
		}
	}
	require.Equal(t, sim.Done, r.run().Reason)
	require.Equal(t, []Status{StatusOK, StatusRetry}, r.statuses())
	require.ErrorIs(t, r.n.Post(a, &WR{Op: OpWrite, Local: r.buffer(0, 1), Remote: r.buffer(1, 1), Len: 1}), ErrState)
}

// A bundle that is closed in the middle flushes what is posted, once each, and
// what is under way changes nothing more.
func TestClosingABundle(t *testing.T) {
	for _, train := range []int{1, 0} {
		r := world{"ub", topo.UB_TP, 2}.rig(t, func(c *rigConfig) { c.train = train }, grouped(2, BundleSpec{Slice: 8192}))
		a, b := r.connect(0, 1)
		f, reg := newFlags(r, 1, 4)
		require.NoError(t, r.n.PostRecv(b, Recv{ID: 9, Addr: r.buffer(1, 8), Len: 8}))
		for i := range uint64(4) {
			r.post(a, i, WR{Op: []Op{OpWriteNotify, OpRead}[i%2], Local: r.buffer(0, 1<<20), Remote: r.buffer(1, 1<<20), Len: 1 << 20, NotifyAddr: reg.Add(8 * int64(i)), NotifyValue: 1})
		}
		r.e.Go("close", func(p *sim.Proc) {
			p.Sleep(5 * sim.Microsecond)
			require.NoError(t, r.n.Close(b))
			require.NoError(t, r.n.Close(a))
		})
		require.Equal(t, sim.Done, r.run().Reason)
		require.NoError(t, r.n.Fault())
		require.Len(t, r.done, 5)
		for _, d := range r.done {
			require.Equal(t, StatusFlush, d.Status)
		}
		require.Equal(t, []uint64{0, 0, 0, 0}, f.v)
	}
}

// What does not fit together is no bundle.
func TestBundlesAreRefused(t *testing.T) {
	r := newRig(t, carrier("ub", topo.UB_TP), func(c *rigConfig) { c.spec.Kind, c.spec.Devices = "star", 3 })
	ab, ba := r.connect(0, 1)
	ac, _ := r.connect(0, 2)
	for _, c := range []struct {
		ends []ConnID
		s    BundleSpec
		says string
	}{
		{nil, BundleSpec{}, "got no connections"},
		{[]ConnID{ab, ac}, BundleSpec{}, "is not of the kind of connection 1"},
		{[]ConnID{ab, ba}, BundleSpec{}, "is not of the kind of connection 1"},
		{[]ConnID{ab}, BundleSpec{Slice: 5000}, "want a multiple of the MTU, 4096"},
		{[]ConnID{ab}, BundleSpec{Ahead: -1}, "want none below 0"},
	} {
		_, _, err := r.n.Bundle(c.ends, c.s)
		require.ErrorContains(t, err, c.says)
	}
	_, _, err := r.n.Connect(Spec{A: 0, B: 1, Protocol: topo.UB_TP, Channels: 33})
	require.ErrorContains(t, err, "got 33 channels, want at most 32")
	x, _, err := r.n.Bundle([]ConnID{ab}, BundleSpec{})
	require.NoError(t, err)
	_, _, err = r.n.Bundle([]ConnID{x}, BundleSpec{})
	require.ErrorContains(t, err, "is a bundle")
	require.NoError(t, r.n.Close(x))
}
