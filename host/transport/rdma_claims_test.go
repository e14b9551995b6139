package transport

import (
	"testing"

	"github.com/stretchr/testify/require"

	"hsim/abi"
	"hsim/host/sim"
)

// sender sends packets in order, and again what the host asks for.
func sender(l *liar, left, room int64) int64 {
	n := min(left, room, 4096)
	l.p.NPkts, l.p.Payload, l.p.Wire = 1, uint32(n), uint32(n)
	if l.p.Flags&abi.PacketRetransmission == 0 {
		l.p.PSN = l.psn
		l.psn++
	}
	return n
}

// What a plugin may not say of resending, answers, timers and statuses: each is a
// fault that names it, and none keeps a run going.
func TestMoreFalseClaims(t *testing.T) {
	honest := func(l *liar) {
		if l.p.Kind == abi.PacketData {
			l.v.Deliver, l.v.Reply, l.v.ReplyKind, l.v.ReplyPSN = abi.DeliverInOrder, 1, abi.PacketAck, l.p.PSN+1
		}
	}
	onAck := func(f func(l *liar)) func(l *liar) {
		return func(l *liar) {
			honest(l)
			if l.p.Kind != abi.PacketData {
				f(l)
			}
		}
	}
	onData := func(f func(l *liar)) func(l *liar) {
		return func(l *liar) {
			honest(l)
			if l.p.Kind == abi.PacketData {
				f(l)
			}
		}
	}
	for _, c := range []struct {
		name, says string
		next       func(l *liar, left, room int64) int64
		receive    func(l *liar)
	}{
		{"answers for ever", "got an answer to an answer, 5 in a chain, want at most 4", sender, onAck(func(l *liar) { l.v.Reply, l.v.ReplyKind = 1, abi.PacketAck })},
		{"sends for ever", "got an answer to an answer, 5 in a chain, want at most 4", sender, onAck(func(l *liar) {
			l.out.Add(&abi.Packet{Kind: abi.PacketProbe, Conn: l.p.Conn}, nil)
			l.out.Add(&abi.Packet{Kind: abi.PacketProbe, Conn: l.p.Conn}, nil)
		})},
		{"acknowledges what it dropped", "acknowledged message 0, of which 0 of ", sender, func(l *liar) {
			honest(l)
			if l.v.Deliver = abi.DeliverDrop; l.p.Kind == abi.PacketAck {
				l.v.Deliver, l.v.AckedValid, l.v.Acked = abi.DeliverNone, 1, l.p.PSN
			}
		}},
		{"answers with data", "reply: got a packet of kind 0", sender, onData(func(l *liar) { l.v.ReplyKind = abi.PacketData })},
		{"unknown answer", "reply: got a packet of kind 9", sender, onData(func(l *liar) { l.v.ReplyKind = 9 })},
		{"long extension", "extension of 257 bytes, want at most 256", sender, onData(func(l *liar) { l.v.ReplyExtLen = 257 })},
		{"delivers an answer", "delivered a packet of kind 1", sender, onAck(func(l *liar) { l.v.Deliver = abi.DeliverInOrder })},
		{"large status", "status: got 300, want a completion status", sender, onAck(func(l *liar) { l.v.Status = 300 })},
		{"unknown status", "status: got 3,", sender, onAck(func(l *liar) { l.v.Status = 3 })},
		{"negative status", "status: got -1,", sender, onAck(func(l *liar) { l.v.Status = -1 })},
		{"sends the future again", "send again 1 packets from sequence number 99, want those between 0 and", sender, onAck(func(l *liar) { l.v.ResendValid, l.v.Resend = 1, 99 })},
		{"sends too many again", "send again 50 packets from sequence number 0", sender, onAck(func(l *liar) { l.v.ResendValid, l.v.ResendCount = 1, 50 })},
		{"long map", "resend map: got 2049 packets, want at most 2048", sender, onAck(func(l *liar) { l.v.ResendValid, l.v.ResendCount, l.v.ResendMap = 1, 2049, 8 })},
		{"sends another again", "want packet 0 alone with its 4096 bytes, to send it again", func(l *liar, left, room int64) int64 {
			n := sender(l, left, room)
			if l.p.Flags&abi.PacketRetransmission != 0 {
				l.p.PSN++
			}
			return n
		}, onAck(func(l *liar) { l.v.ResendValid, l.v.Resend = 1, 0 })},
		{"timer of the past", "timer: got 1 ps, want a time after now", sender, onAck(func(l *liar) { l.v.Timer = 1 })},
		{"unknown connection", "send: got connection 5, want one of the", sender, onData(func(l *liar) {
			l.out.Add(&abi.Packet{Kind: abi.PacketProbe, Conn: 5}, nil)
		})},
		{"unknown path", "send: got path 3, want one of 1", sender, onData(func(l *liar) {
			l.out.Add(&abi.Packet{Kind: abi.PacketProbe, Conn: l.p.Conn, Path: 3}, nil)
		})},
		{"later for ever", "waits or sends again and again from sequence number 0", func(l *liar, _, _ int64) int64 {
			l.p.NotBefore = l.p.Now + 1
			return 0
		}, honest},
		{"again for ever", "sends again and again from sequence number 0 and nothing is acknowledged", sender, func(l *liar) {
			if l.p.Kind == abi.PacketData {
				l.v.Deliver, l.v.Reply, l.v.ReplyKind = abi.DeliverDrop, 1, abi.PacketNak
			} else {
				l.v.ResendValid, l.v.Resend = 1, 0
			}
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := newRig(t, func(rc *rigConfig) {
				rc.now = liars{func() *liar { return &liar{next: c.next, receive: c.receive} }}
				rc.spec.Params.Latency = ns(0) // all of it may happen at one instant
			})
			a, _ := r.connect(0, 1)
			r.post(a, 1, WR{Op: OpWrite, Local: r.buffer(0, 10_000), Remote: r.buffer(1, 10_000), Len: 10_000})
			r.e.Run(sim.Second)
			require.ErrorContains(t, r.n.Fault(), "plugin liar on npu")
			require.ErrorContains(t, r.n.Fault(), c.says)
		})
	}
}

// A receive that is never posted, with retries without end: the run ends and says
// what happened.
func TestReceiverNeverReady(t *testing.T) {
	for _, mode := range []string{"go-back-n", "selective"} {
		r := roce(t, params(map[string]any{"retransmit": mode}), attributes(func(c *Carrier) { c.RnrCount, c.RnrTimer = 7, 12 }))
		a, _ := r.connect(0, 1)
		r.post(a, 1, WR{Op: OpSend, Local: r.buffer(0, 9000), Len: 9000})
		require.Equal(t, sim.Done, r.run().Reason)
		require.Equal(t, []Status{StatusRetry}, r.statuses())
		require.ErrorContains(t, r.n.Fault(), "connection to npu1: waits or sends again and again from sequence number 0 and nothing is acknowledged (a receive that is never posted")
	}
}

// Packets to send again: in order, none twice, none that was acknowledged or that the
// cursor has yet to come to.
func TestResendQueue(t *testing.T) {
	c := &conn{acked: 100, psn: 200}
	m := &more{}
	for _, s := range []span{{150, 152}, {110, 111}, {152, 153}, {149, 151}, {190, 210}, {90, 105}, {109, 112}} {
		m.add(s)
	}
	m.cut(c)
	require.Equal(t, []span{{100, 105}, {109, 112}, {149, 153}, {190, 200}}, m.again)
	c.acked, c.psn = 150, 195
	m.cut(c)
	require.Equal(t, []span{{150, 153}, {190, 195}}, m.again)
	m.add(span{140, 194})
	require.Equal(t, []span{{140, 195}}, m.again)
	c.acked = 195
	m.cut(c)
	require.Empty(t, m.again)
	require.False(t, c.again)
	// Numbers wrap.
	c, m = &conn{acked: ^uint32(0) - 1, psn: 5}, &more{}
	m.add(span{1, 3})
	m.add(span{^uint32(0), 0})
	m.cut(c)
	require.Equal(t, []span{{^uint32(0), 0}, {1, 3}}, m.again)
}
