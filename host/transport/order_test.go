package transport

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"hsim/host/fabric"
	"hsim/host/mem"
	"hsim/host/sim"
	"hsim/host/topo"
	"hsim/host/units"
)

// connectAs connects devices 0 and 1 as a spec says beyond that.
func (r *rig) connectAs(s Spec) (ConnID, ConnID) {
	s.B, s.Protocol = 1, r.proto
	a, b, err := r.n.Connect(s)
	require.NoError(r.t, err)
	r.n.SetSink(a, r)
	r.n.SetSink(b, r)
	return a, b
}

// times posts n equal requests at once and returns when each was complete.
func times(t *testing.T, order Order, n int, wr WR, opts ...option) []sim.Time {
	r := newRig(t, append([]option{carrier("ub", topo.UB_TP), wire(400*units.Gbps, ns(700)), func(c *rigConfig) { c.data = mem.Phantom }}, opts...)...)
	a, _ := r.connectAs(Spec{Order: order})
	wr.Local, wr.Remote = r.buffer(0, wr.Len), r.buffer(1, wr.Len)
	for i := range uint64(n) {
		r.post(a, i, wr)
	}
	require.Equal(t, sim.Done, r.run().Reason)
	require.Len(t, r.done, n)
	var at []sim.Time
	for i, d := range r.done {
		require.EqualValues(t, i, d.ID)
		require.Equal(t, StatusOK, d.Status)
		at = append(at, d.At)
	}
	return at
}

// Ordered by the initiator, strong operations take a round trip each, exactly;
// relaxed ones, and strong ones ordered by the target or below, follow each other
// on the wire.
func TestOrderCostsARoundTripAtTheInitiatorOnly(t *testing.T) {
	const n, size = 10, 100_000
	serial := (400 * units.Gbps).Time(size + 25*78)
	for _, op := range []Op{OpWrite, OpRead, OpSend} {
		if op == OpSend {
			continue // the same as a write
		}
		one := times(t, OrderDefault, 1, WR{Op: op, Len: size})[0]
		require.Greater(t, one, serial+1400*sim.Nanosecond)
		for _, order := range []Order{OrderDefault, OrderTarget, OrderInitiator, OrderLower} {
			for _, mark := range []Mark{MarkRelaxed, MarkStrong, MarkNone} {
				at := times(t, order, n, WR{Op: op, Len: size, Mark: mark})
				for i := range at {
					want := one + sim.Time(i)*serial
					if order == OrderInitiator && mark == MarkStrong {
						want = sim.Time(i+1) * one
						if op == OpRead { // a request leaves behind the acknowledgement of the last answer
							want += sim.Time(i) * (400 * units.Gbps).Time(70)
						}
					}
					if op == OpRead && !(order == OrderInitiator && mark == MarkStrong) {
						// Answers share their wire with acknowledgements of requests.
						require.InEpsilon(t, micros(want), micros(at[i]), 0.005, "%v %v %v %d", op, order, mark, i)
						continue
					}
					require.Equal(t, want, at[i], "%v %v %v %d", op, order, mark, i)
				}
			}
		}
	}
}

// A strong operation waits for relaxed ones and not for those without order.
func TestStrongWaitsForWhatIsOrdered(t *testing.T) {
	first := func(mark Mark) sim.Time {
		r := newRig(t, carrier("ub", topo.UB_TP), wire(400*units.Gbps, ns(700)), func(c *rigConfig) { c.data = mem.Phantom })
		a, _ := r.connectAs(Spec{Order: OrderInitiator})
		src, dst := r.buffer(0, 8192), r.buffer(1, 8192)
		r.post(a, 0, WR{Op: OpWrite, Len: 8192, Local: src, Remote: dst, Mark: mark})
		r.post(a, 1, WR{Op: OpWrite, Len: 8, Local: src, Remote: dst, Mark: MarkStrong})
		require.Equal(t, sim.Done, r.run().Reason)
		return r.done[1].First
	}
	packets := (400 * units.Gbps).Time(2 * (4096 + 78))
	require.Equal(t, packets, first(MarkNone))
	require.Equal(t, packets+1400*sim.Nanosecond+(400*units.Gbps).Time(70), first(MarkRelaxed))
}

// A notify ordered by the initiator leaves when the write is answered; else it is
// there with the last byte. It is one completion either way.
func TestNotifyByOrder(t *testing.T) {
	const size = 40960
	data := (400 * units.Gbps).Time(size + 10*78)
	oneWay := 700 * sim.Nanosecond
	answer := (400 * units.Gbps).Time(70) + oneWay
	for _, channels := range []int{0, 1} {
		for _, order := range []Order{OrderDefault, OrderTarget, OrderInitiator, OrderLower} {
			r := newRig(t, carrier("ub", topo.UB_TP), wire(400*units.Gbps, ns(700)), attributes(func(c *Carrier) {
				if channels > 0 {
					c.Bundle.Slice = DefaultSlice
				}
			}))
			a, _ := r.connectAs(Spec{Order: order})
			f, reg := newFlags(r, 1, 1)
			sink := &leaving{rig: r}
			r.n.SetSink(a, sink)
			r.post(a, 7, WR{Op: OpWriteNotify, Len: size, Local: r.buffer(0, size), Remote: r.buffer(1, size), NotifyAddr: reg, NotifyValue: 3})
			require.Equal(t, sim.Done, r.run().Reason)
			want := data + (400 * units.Gbps).Time(8) + oneWay
			if order == OrderInitiator {
				want = data + oneWay + answer + (400 * units.Gbps).Time(78+8) + oneWay
			}
			require.EqualValues(t, 3, f.v[0])
			require.Equal(t, want, f.at[0], "%v", order)
			require.Equal(t, []Completion{{Conn: a, ID: 7, Op: OpWriteNotify, Bytes: size, At: want + answer}}, r.done, "%v", order)
			require.Equal(t, []uint64{7}, sink.left, "it leaves once")
		}
	}
}

// leaving is a sink that notes what has left.
type leaving struct {
	*rig
	left []uint64
}

func (l *leaving) Departed(_ ConnID, id uint64) { l.left = append(l.left, id) }

// A write that fails takes its notify with it: one completion, and no notify.
func TestNotifyOfAFailedWrite(t *testing.T) {
	for _, bundled := range []bool{false, true} {
		r := newRig(t, carrier("ub", topo.UB_TP), attributes(func(c *Carrier) {
			if bundled {
				c.Bundle.Slice = DefaultSlice
			}
		}))
		a, _ := r.connectAs(Spec{Order: OrderInitiator})
		f, reg := newFlags(r, 1, 1)
		dst := r.buffer(1, 1<<20)
		key, err := r.m.RegisterRegion(mem.RegionSpec{Device: 1, Addr: dst, Len: 1 << 19, Access: mem.LocalWrite | mem.RemoteWrite})
		require.NoError(t, err)
		for i := range uint64(2) {
			r.post(a, i, WR{Op: OpWriteNotify, Len: 1 << 20, Local: r.buffer(0, 1<<20), Remote: dst, RKey: key.RKey, NotifyAddr: reg, NotifyValue: 3})
		}
		require.Equal(t, sim.Done, r.run().Reason)
		require.Equal(t, []Status{StatusRemoteAccess, StatusFlush}, r.statuses())
		for i, d := range r.done {
			require.EqualValues(t, i, d.ID)
			require.Equal(t, OpWriteNotify, d.Op)
		}
		require.Zero(t, f.v[0])
	}
}

// log is a bank of registers that remembers in which order they were written.
type log struct{ order []int }

func (l *log) WriteRegister(i int, _ uint64) { l.order = append(l.order, i) }
func (l *log) ReadRegister(int) uint64       { return 0 }

// What overtakes on the way takes effect as the marks say: everything once, nothing
// strong before what is earlier and ordered, over one connection with several paths
// and over bundles, with loss, in packets and in trains.
func TestMarksHoldUnderOvertaking(t *testing.T) {
	overtaken := 0
	for seed := range uint64(6) {
		for _, channels := range []int{0, 3} {
			for _, train := range []int{1, 0} {
				for _, order := range []Order{OrderTarget, OrderInitiator} {
					name := fmt.Sprintf("seed %d, %d channels, train %d, %v", seed, channels, train, order)
					r := world{"ub", topo.UB_TP, 3}.rig(t, func(c *rigConfig) {
						c.train, c.seed = train, seed
						c.params = []map[string]any{nil, {"selective": true}, {"selective": true, "fast_retransmit": "on", "rto_static": "512us"},
							{"rto": "dynamic"}, {"rto": "dynamic", "selective": true, "ooo_window": "128"}, {"spray": true, "rto_static": "512us"}}[seed]
						for i := range 3 { // planes of unequal length
							c.faults = append(c.faults, fabric.Fault{Kind: fabric.FaultLatency, Port: topo.PortID(i), Both: true, Latency: sim.Time(i*i) * sim.Microsecond})
						}
					})
					for i := range r.g.Ports {
						r.f.SetLoss(topo.PortID(i), 20_000)
					}
					a, _ := r.connectAs(Spec{Order: order, Channels: channels})
					rnd := rand.New(rand.NewPCG(seed, 5))
					const n = 60
					l := &log{}
					regs := r.m.Registers(l, 1, n)
					marks := make([]Mark, n)
					sizes := make([]int64, n)
					var src, dst []mem.Addr
					for i := range n {
						marks[i] = Mark(rnd.IntN(3))
						if sizes[i] = 8; rnd.IntN(3) == 0 {
							sizes[i] = rnd.Int64N(200_000)
						}
						src, dst = append(src, r.fill(0, pattern(sizes[i], uint64(i)))), append(dst, r.buffer(1, max(sizes[i], 1)))
						wr := WR{Op: OpWrite, Mark: marks[i], Len: sizes[i], Local: src[i], Remote: dst[i]}
						if sizes[i] == 8 {
							wr.Remote = regs.Add(int64(i) * mem.RegisterSize)
						}
						r.post(a, uint64(i), wr)
					}
					require.Equal(t, sim.Done, r.run().Reason, name)
					require.NoError(t, r.n.Fault(), name)
					require.Len(t, r.done, n, name)
					for i, d := range r.done {
						require.Equal(t, StatusOK, d.Status, name)
						require.EqualValues(t, i, d.ID, name)
						if sizes[i] != 8 {
							require.Equal(t, pattern(sizes[i], uint64(i)), r.bytes(dst[i], sizes[i]), name)
						}
					}
					at := map[int]int{}
					for k, i := range l.order {
						_, twice := at[i]
						require.False(t, twice, name)
						at[i] = k
					}
					for i := range n {
						for j := range i {
							if sizes[i] != 8 || sizes[j] != 8 {
								continue
							}
							if marks[i] == MarkStrong && marks[j] != MarkNone {
								require.Less(t, at[j], at[i], "%s: %d %v before %d %v", name, i, marks[i], j, marks[j])
							} else if at[j] > at[i] {
								overtaken++
							}
						}
					}
				}
			}
		}
	}
	require.Positive(t, overtaken, "what may overtake does somewhere")
}

// The rules of URMA are held when connecting, and what is posted to the order.
func TestRulesOfOrder(t *testing.T) {
	r := world{"ub", topo.UB_TP, 2}.rig(t)
	for _, c := range []struct {
		s    Spec
		says string
	}{
		{Spec{Trans: TransUM}, "got mode UM over RTP, want RM or RC"},
		{Spec{Trans: TransRC, Order: OrderNone}, "got order none with mode RC, want UM"},
		{Spec{Order: OrderNone}, "got order none with mode RM, want UM"},
		{Spec{Order: 9}, "got order 9, want one of default"},
		{Spec{Trans: 9}, "got mode 9, want RM, RC or UM"},
		{Spec{Order: OrderLower}, "by lower layer"},
	} {
		c.s.B, c.s.Protocol = 1, topo.UB_TP
		_, _, err := r.n.Connect(c.s)
		require.ErrorContains(t, err, c.says)
		require.ErrorContains(t, err, "connect npu0 to npu1")
	}
	for _, s := range []Spec{{}, {Trans: TransRM, Order: OrderTarget}, {Trans: TransRC, Order: OrderInitiator}} {
		s.B, s.Protocol = 1, topo.UB_TP
		_, _, err := r.n.Connect(s)
		require.NoError(t, err)
	}
	a, _ := r.connect(0, 1)
	require.ErrorContains(t, r.n.Post(a, &WR{Op: OpNotify, Mark: 3}), "want RO, SO or NO")
}

// Strong operations on one place leave there what doing them one after the other
// leaves: the last write wins, sums are on top of it. Relaxed ones do not.
func TestStrongOperationsOnOnePlace(t *testing.T) {
	const size = 65536
	scrambled := 0
	for seed := range uint64(4) {
		for _, channels := range []int{0, 3} {
			for _, mark := range []Mark{MarkStrong, MarkRelaxed} {
				for _, train := range []int{1, 0} {
					r := world{"ub", topo.UB_TP, 3}.rig(t, func(c *rigConfig) {
						c.train, c.seed, c.params = train, seed, map[string]any{"selective": seed%2 == 1, "rto_static": "512us"}
						for i := range 3 {
							c.faults = append(c.faults, fabric.Fault{Kind: fabric.FaultLatency, Port: topo.PortID(i), Both: true, Latency: sim.Time(i*i) * sim.Microsecond})
						}
					}, attributes(func(c *Carrier) { c.Bundle.Slice = 8192 * int64(min(channels, 1)) }))
					for i := range r.g.Ports {
						r.f.SetLoss(topo.PortID(i), 10_000)
					}
					a, _ := r.connectAs(Spec{Channels: channels})
					rnd := rand.New(rand.NewPCG(seed, 3))
					dst := r.buffer(1, size)
					want := make([]byte, size)
					for i := range uint64(50) {
						at := rnd.Int64N(size/4) * 4
						n := rnd.Int64N((size-at)/4+1) * 4
						b := pattern(n, i)
						wr := WR{Op: OpWrite, Mark: mark, Local: r.fill(0, b), Remote: dst.Add(at), Len: n}
						if i%3 == 2 {
							wr.Op, wr.Dtype, wr.Red = OpWriteReduce, mem.Uint8, mem.Sum
							for k := range b {
								b[k] += want[at+int64(k)]
							}
						}
						copy(want[at:], b)
						r.post(a, i, wr)
					}
					require.Equal(t, sim.Done, r.run().Reason)
					require.NoError(t, r.n.Fault())
					same := string(want) == string(r.bytes(dst, size))
					if mark == MarkStrong {
						require.True(t, same, "seed %d, %d channels, train %d", seed, channels, train)
					} else if !same {
						scrambled++
					}
				}
			}
		}
	}
	require.Positive(t, scrambled)
}
