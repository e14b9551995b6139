package transport

import (
	"testing"

	"github.com/stretchr/testify/require"

	"hsim/abi"
	"hsim/host/mem"
	"hsim/host/sim"
	"hsim/host/topo"
)

func (r *rig) statuses() []Status {
	var s []Status
	for _, d := range r.done {
		s = append(s, d.Status)
	}
	return s
}

func (r *rig) post(c ConnID, id uint64, wr WR) {
	wr.ID, wr.Flags = id, wr.Flags|Signaled
	require.NoError(r.t, r.n.Post(c, &wr))
}

// A link that stays down: time-out 4.096 us * 2^6 and five retries, so the
// error comes after six time-outs and not before.
func TestRetryExceeded(t *testing.T) {
	r := world{"rdma", topo.ROCE, 1}.rig(t, attributes(func(c *Carrier) { c.AckTimeout, c.RetryCount = 6, 5 }))
	a, _ := r.connect(0, 1)
	r.f.SetDown(0, true)
	src, dst := r.buffer(0, 4096), r.buffer(1, 4096)
	for i := range uint64(3) {
		r.post(a, i, WR{Op: OpWrite, Local: src, Remote: dst, Len: 4096})
	}
	res := r.run()
	require.Equal(t, sim.Done, res.Reason)
	require.Nil(t, res.Stall, "data under way is work, not a stall")
	require.Equal(t, []Status{StatusRetry, StatusFlush, StatusFlush}, r.statuses())
	require.Equal(t, 6*262144*sim.Nanosecond, r.done[0].At)
	require.ErrorIs(t, r.n.Post(a, &WR{Op: OpWrite, Local: src, Remote: dst, Len: 1}), ErrState)
}

func TestShortOutageIsRepaired(t *testing.T) {
	r := world{"rdma", topo.ROCE, 1}.rig(t, attributes(func(c *Carrier) { c.AckTimeout, c.RetryCount = 6, 5 }))
	a, _ := r.connect(0, 1)
	r.f.SetDown(0, true)
	r.e.Go("splice", func(p *sim.Proc) { p.Sleep(500 * sim.Microsecond); r.f.SetDown(0, false) })
	r.post(a, 1, WR{Op: OpWrite, Local: r.buffer(0, 4096), Remote: r.buffer(1, 4096), Len: 4096})
	r.run()
	require.Equal(t, []Status{StatusOK}, r.statuses())
	require.Greater(t, r.done[0].At, 500*sim.Microsecond)
}

func TestReceiverNotReadyExceeded(t *testing.T) {
	for _, w := range []world{{"rdma", topo.ROCE, 1}, {"ub", topo.UB_TP, 1}, {"ub", topo.UB_TP, 2}} {
		for _, rnr := range []uint32{0, 3} {
			r := w.rig(t, attributes(func(c *Carrier) { c.RnrCount, c.RnrTimer = rnr, 1 }))
			a, _ := r.connect(0, 1)
			r.post(a, 1, WR{Op: OpSend, Local: r.buffer(0, 9000), Len: 9000})
			r.post(a, 2, WR{Op: OpWrite, Local: r.buffer(0, 4), Remote: r.buffer(1, 4), Len: 4})
			r.run()
			require.Equal(t, []Status{StatusRNR, StatusFlush}, r.statuses(), "%v %d", w, rnr)
			require.GreaterOrEqual(t, r.done[0].At, sim.Time(rnr)*10*sim.Microsecond)
		}
	}
}

// A stale key, a range that ends too early and memory that is gone: remote
// access error, what was queued behind is flushed, memory is as before.
func TestRemoteAccessError(t *testing.T) {
	for _, w := range worlds {
		for _, op := range []Op{OpWrite, OpRead} {
			r := w.rig(t)
			a, _ := r.connect(0, 1)
			src, dst := r.fill(0, pattern(8192, 1)), r.buffer(1, 8192)
			reg, err := r.m.RegisterRegion(mem.RegionSpec{Device: 1, Addr: dst, Len: 8192, Access: mem.LocalWrite | mem.RemoteWrite | mem.RemoteRead})
			require.NoError(t, err)
			r.post(a, 1, WR{Op: OpWrite, Local: src, Remote: dst, Len: 100, RKey: reg.RKey})
			r.e.Go("owner", func(p *sim.Proc) {
				p.Sleep(100 * sim.Microsecond)
				require.NoError(t, r.m.Deregister(reg.RKey))
				r.post(a, 2, WR{Op: op, Local: src, Remote: dst, Len: 8192, RKey: reg.RKey})
				r.post(a, 3, WR{Op: OpWrite, Local: src, Remote: dst, Len: 8})
			})
			require.Equal(t, sim.Done, r.run().Reason)
			require.Equal(t, []Status{StatusOK, StatusRemoteAccess, StatusFlush}, r.statuses(), "%v %v", w, op)
			require.Error(t, r.done[1].Err)
			require.Equal(t, make([]byte, 8092), r.bytes(dst.Add(100), 8092))
		}
	}
}

func TestPostChecksTheLocalBuffer(t *testing.T) {
	r := world{"ub", topo.UB_CTP, 1}.rig(t)
	a, _ := r.connect(0, 1)
	err := r.n.Post(a, &WR{Op: OpWrite, Local: r.buffer(0, 10), Remote: r.buffer(1, 100), Len: 11})
	require.ErrorIs(t, err, mem.ErrBounds)
	_, _, err = r.n.Connect(Spec{A: 0, B: 1, Protocol: topo.TCP})
	require.ErrorContains(t, err, "no plugin carries TCP")
	_, _, err = r.n.Connect(Spec{A: 0, B: 0, Protocol: r.proto})
	require.ErrorContains(t, err, "the same device")
}

func TestCloseFlushes(t *testing.T) {
	r := world{"ub", topo.UB_TP, 1}.rig(t)
	a, b := r.connect(0, 1)
	require.NoError(t, r.n.PostRecv(b, Recv{ID: 5, Addr: r.buffer(1, 8), Len: 8}))
	r.post(a, 1, WR{Op: OpWrite, Local: r.buffer(0, 1<<20), Remote: r.buffer(1, 1<<20), Len: 1 << 20})
	require.NoError(t, r.n.Close(a))
	require.NoError(t, r.n.Close(b))
	require.Equal(t, sim.Done, r.run().Reason)
	require.Equal(t, []Status{StatusFlush, StatusFlush}, r.statuses())
}

// liar is a protocol that claims what cannot be.
type liar struct {
	p       abi.Packet
	v       abi.Verdict
	c       abi.Conn
	next    func(l *liar, left, room int64) int64
	receive func(l *liar)
	psn     uint32
	ext     [abi.MaxExt]byte
	out     *Outbox
}

func (l *liar) Packet() *abi.Packet   { return &l.p }
func (l *liar) Verdict() *abi.Verdict { return &l.v }
func (l *liar) Conn() *abi.Conn       { return &l.c }
func (l *liar) Ext() []byte           { return l.ext[:] }
func (l *liar) Attach(o *Outbox) uint32 {
	l.out = o
	return 4096
}
func (l *liar) Bytes(at, n uint32) ([]byte, error) { return l.ext[:n], nil }
func (l *liar) Open() error                        { return nil }
func (l *liar) Modify() error                      { return nil }
func (l *liar) Close(int32) error                  { return nil }
func (l *liar) Timer(int32) error                  { return nil }
func (l *liar) Receive() error                     { l.receive(l); return nil }
func (l *liar) Next(_ int32, left, room int64) (int64, error) {
	return l.next(l, left, room), nil
}

type liars struct{ make func() *liar }

func (liars) Name() string     { return "liar" }
func (liars) Features() uint32 { return ^uint32(0) &^ (abi.FeatureMultipath | abi.FeatureShared) }
func (s liars) New(topo.NodeID) (Protocol, error) {
	return s.make(), nil
}

func TestFalseClaimsFailTheConnectionByName(t *testing.T) {
	honest := func(l *liar, left, room int64) int64 {
		n := min(left, room, 4096)
		l.p.NPkts, l.p.Payload, l.p.Wire = 1, uint32(n), uint32(n)
		if l.p.Flags&abi.PacketRetransmission != 0 {
			return n
		}
		l.p.PSN = l.psn
		l.psn++
		return n
	}
	deliver := func(how uint8) func(l *liar) {
		return func(l *liar) {
			if l.p.Kind == abi.PacketData {
				l.v.Deliver, l.v.Reply, l.v.ReplyKind, l.v.ReplyPSN = how, 1, abi.PacketAck, l.p.PSN+1
			} else {
				l.v.AckedValid, l.v.Acked = 1, l.p.PSN
			}
		}
	}
	for _, c := range []struct {
		name, says string
		next       func(l *liar, left, room int64) int64
		receive    func(l *liar)
	}{
		{"honest", "", honest, deliver(abi.DeliverInOrder)},
		{"too many bytes", "next: got", func(l *liar, left, room int64) int64 { honest(l, left, room); return left + 1 }, deliver(abi.DeliverInOrder)},
		{"half-empty packet", "full packets", func(l *liar, left, room int64) int64 { honest(l, left, room); return 1 }, deliver(abi.DeliverInOrder)},
		{"more packets than bytes", "next: got 4096 bytes in 1000000000 packets", func(l *liar, left, room int64) int64 {
			n := honest(l, left, room)
			l.p.NPkts = 1e9
			return n
		}, deliver(abi.DeliverInOrder)},
		{"jumping numbers", "from sequence number", func(l *liar, left, room int64) int64 { l.psn++; return honest(l, left, room) }, deliver(abi.DeliverInOrder)},
		{"other payload", "next: got payload 1 and wire 4096 for 4096 bytes", func(l *liar, left, room int64) int64 {
			n := honest(l, left, room)
			l.p.Payload = 1
			return n
		}, deliver(abi.DeliverInOrder)},
		{"less than its bytes on the wire", "next: got payload 4096 and wire 0 for 4096 bytes", func(l *liar, left, room int64) int64 {
			n := honest(l, left, room)
			l.p.Wire = 0
			return n
		}, deliver(abi.DeliverInOrder)},
		{"acks the future", "acknowledged sequence number", honest, func(l *liar) {
			l.v.AckedValid, l.v.Acked = 1, 1000
			l.v.Deliver, l.v.Reply, l.v.ReplyKind = abi.DeliverInOrder, 1, abi.PacketAck
		}},
		{"delivers twice", "twice", honest, func(l *liar) {
			if l.p.Kind == abi.PacketData {
				l.v.Deliver, l.v.Reply, l.v.ReplyKind = abi.DeliverOutOfOrder, 1, abi.PacketNak
			} else if l.p.Now < 50_000_000 {
				l.v.ResendValid, l.v.Resend = 1, 0
			}
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := newRig(t, func(rc *rigConfig) { rc.now = liars{func() *liar { return &liar{next: c.next, receive: c.receive} }} })
			a, _ := r.connect(0, 1)
			r.post(a, 1, WR{Op: OpWrite, Local: r.buffer(0, 10_000), Remote: r.buffer(1, 10_000), Len: 10_000})
			r.run()
			if c.says == "" {
				require.NoError(t, r.n.Fault())
				require.Equal(t, []Status{StatusOK}, r.statuses())
				return
			}
			require.ErrorContains(t, r.n.Fault(), "plugin liar on npu")
			require.ErrorContains(t, r.n.Fault(), c.says)
		})
	}
}
