package transport

import (
	"fmt"

	"hsim/abi"
	"hsim/host/fabric"
	"hsim/host/sim"
)

// room is the largest train, in bytes, for what is left of a message of length
// bytes. Over several paths trains shrink towards the end of the message, so
// that all paths carry it to its end, and at most 256 packets leave in one round
// of them, a part of what a window holds: what is acknowledged a train at a time
// would wait otherwise. Trains that switches spray over many paths queue for a dozen
// times their length: they are a small part of the message. Connections that share a port have trains alike. Trains of a
// connection that was full are a small part of what it had under way.
func (n *Net) room(c *conn, pt *path, length, left int64) int64 {
	t, mtu, paths := int64(n.Train), int64(c.mtu), int64(c.paths)
	if t == 0 {
		t = min(max(length/mtu/16, shortTrain), longTrain)
		if paths > 1 {
			t = min(t, max(min(left/mtu/4, 256)/paths, 1))
		} else if car := n.engineOf(c).car; car.sprays {
			t = min(t, max(length/mtu/512, 1))
		} else if !car.began {
			t = min(t, shortTrain) // shows whether the plugin has them sprayed
		}
		if left > shortTrain*mtu {
			t = n.nics[c.node].ports[pt.port].share(pt.lane, t)
		}
	}
	if c.more != 0 {
		if full := int64(n.more[c.more].full); full > 0 {
			t = min(t, max(full/60, 1))
		}
	}
	if size := t * mtu; size < left || left < mtu {
		return size
	}
	return left - left%mtu // packets of a train are equal: a shorter last one goes alone
}

// The bounds of trains whose length follows that of their message, in packets.
const (
	shortTrain = 16
	longTrain  = 128
)

// share is the length of a train of a connection that would send t packets: where
// others wait for the port it is that of the shortest trains since a message ended, as
// a turn is a train and every connection has the same part of the port.
func (p *nicPort) share(lane uint8, t int64) int64 {
	r := &p.ring
	if len(p.lanes) > 0 {
		r = &p.lanes[min(int(lane), len(p.lanes)-1)]
	}
	switch {
	case r.len() == 0:
		p.turn = 0
	case p.turn == 0 || t < p.turn:
		p.turn = t
	default:
		t = p.turn
	}
	return t
}

// fills remembers how many packets a connection had under way when its plugin sent
// no more, or went back: a train that is a part of them worth mentioning waits for
// its acknowledgement, or is sent in vain, longer than packets are.
func (n *Net) fills(c *conn, packets uint32) {
	if n.Train != 1 {
		n.moreOf(c).full = max(packets, 1)
	}
}

// emit asks the plugin for the next packet of the connection and sends it. It
// says whether one was sent.
func (n *Net) emit(id ConnID, c *conn, pathIndex uint8) bool {
	if c.again {
		return n.emitAgain(id, c, pathIndex)
	}
	e := n.engineOf(c)
	r := n.wrs.at(c.cur)
	if r.alone && !r.started && n.behind(c) {
		return false
	}
	left := r.Len
	kind := uint8(abi.PacketData)
	if r.Op == OpRead {
		left, kind = 0, abi.PacketReadRequest
	}
	left -= c.off
	pt := &n.paths[c.ports+uint32(pathIndex)]
	now := n.Engine.Now()
	flags := uint16(0)
	if c.off == 0 {
		flags = abi.PacketFirst
	}
	if r.Op.notifies() {
		flags |= abi.PacketNotify
	}
	n.blank(e.proto.Packet(), c, pt, pathIndex, kind, flags, c.psn, r.msn, c.off)
	payload, err := e.proto.Next(c.local, left, n.room(c, pt, r.Len, left))
	p, ok := n.asked(id, c, e, err)
	if !ok {
		return false
	}
	mtu := int64(c.mtu)
	if payload < 0 || payload > left || max((payload+mtu-1)/mtu, 1) != int64(p.NPkts) || payload < left && payload != int64(p.NPkts)*mtu || p.PSN != c.psn {
		n.fail(id, c, StatusLocalOp, n.pluginFault(c, fmt.Errorf(
			"next: got %d bytes in %d packets from sequence number %d, want at most %d bytes in full packets of %d from %d",
			payload, p.NPkts, p.PSN, left, mtu, c.psn)))
		return false
	}
	if int64(p.Payload) != payload || int64(p.Wire) < payload {
		n.fail(id, c, StatusLocalOp, n.pluginFault(c, fmt.Errorf(
			"next: got payload %d and wire %d for %d bytes, want payload %d and wire no less", p.Payload, p.Wire, payload, payload)))
		return false
	}
	if c.off == 0 {
		r.psn, r.started, r.first = p.PSN, true, now
	}
	if c.psn += p.NPkts; int32(c.psn-c.high) > 0 {
		if c.high = c.psn; c.more != 0 {
			n.more[c.more].vain = 0
		}
	}
	c.off += payload
	if payload == left {
		r.end, r.sent = c.psn, true
		p.Flags |= abi.PacketLast
		n.nics[c.node].ports[pt.port].turn = 0
	}
	e.car.began, e.car.sprays = true, e.car.sprays || p.Flags&abi.PacketSpray != 0
	f := n.frame(id, c, pt, e, p, kind, p.Flags, c.cur, r)
	if payload == left {
		c.cur, c.off = r.next, 0
	}
	if c.loose() {
		r.flight += f.NPkts
	}
	if f.Flags&abi.PacketRetransmission != 0 {
		n.again += uint64(f.NPkts)
	}
	n.Fabric.Send(f, pt.trunk)
	if c.loose() && payload == left {
		n.leave(r, f.WR, pt.trunk, f.Wire)
	}
	if r.sent && f.Flags&abi.PacketRetransmission == 0 && r.Flags&flagHalf == 0 {
		if d, ok := c.sink.(Departures); ok {
			lane := f.Lane
			d.Departed(id, r.ID)
			n.out.Lane = lane // what was posted may have gone out by another
		}
	}
	return true
}

// blank makes the record ready for a call of next.
func (n *Net) blank(p *abi.Packet, c *conn, pt *path, pathIndex, kind uint8, flags uint16, psn, msn uint32, at int64) {
	p.Kind, p.Lane, p.Flags, p.Path, p.Port = kind, pt.lane, flags, uint16(pathIndex), uint16(n.Graph.Ports[pt.trunk].Index)
	p.Entropy, p.NPkts, p.Marked, p.PSN, p.MSN = c.entropy, 0, 0, psn, msn
	p.Offset, p.CC, p.Now, p.NotBefore, p.Timer, p.ExtLen = uint64(at), [4]uint32{}, int64(n.Engine.Now()), 0, 0, 0
}

// frame is the record as a packet of request i on the way, in n.out.
func (n *Net) frame(id ConnID, c *conn, pt *path, e *engine, p *abi.Packet, kind uint8, flags uint16, i uint32, r *request) *fabric.Packet {
	f := &n.out
	f.Dst, f.Net, f.Entropy, f.Wire, f.NPkts = c.far, pt.net, p.Entropy, n.wire(e, r.Op, p), p.NPkts
	f.Flags, f.Kind, f.Lane, f.Marked, f.Payload = flags|pt.flags, kind, p.Lane, 0, p.Payload
	f.Hint = pt.hint
	f.SrcConn, f.DstConn, f.WR, f.MSN, f.PSN = int32(id), int32(c.peer), i, r.msn, p.PSN
	f.SentAt, f.CC = n.Engine.Now(), p.CC
	return f
}

// asked takes what a call of next said of timers and delays, and says whether the
// record holds a packet.
func (n *Net) asked(id ConnID, c *conn, e *engine, err error) (*abi.Packet, bool) {
	if err != nil {
		n.fail(id, c, StatusLocalOp, n.pluginFault(c, err))
		return nil, false
	}
	p := e.proto.Packet()
	if p.Timer != 0 {
		n.setTimer(id, c, p.Timer)
	}
	if p.NPkts != 0 {
		return p, c.state == ready
	}
	switch at := sim.Time(p.NotBefore); {
	case at <= n.Engine.Now():
		n.fills(c, c.psn-c.acked)
	case c.wakeEv == 0 || at < c.wakeEv:
		if !n.vain(id, c, 1) {
			return nil, false
		}
		c.wakeEv = at
		n.Engine.At(at, n.id, evWake|uint64(uint32(id)))
	}
	return nil, false
}

// wire is the bytes of a packet on the wire.
func (n *Net) wire(e *engine, op Op, p *abi.Packet) uint32 {
	if !n.Headers {
		return p.Payload
	}
	eff := e.car.WriteEff
	if op == opReadResponse {
		eff = e.car.ReadEff
	}
	if eff > 0 && p.Payload > 0 {
		return uint32((uint64(p.Payload)*1000 + uint64(eff) - 1) / uint64(eff))
	}
	return p.Wire
}
