package transport

import (
	"fmt"

	"hsim/abi"
	"hsim/host/fabric"
	"hsim/host/mem"
	"hsim/host/sim"
	"hsim/host/topo"
)

// Receive takes a packet off the fabric, asks the plugin what it means and acts
// on the verdict.
func (x *nic) Receive(f *fabric.Packet, in topo.PortID) {
	n := x.n
	id := ConnID(f.DstConn)
	c := n.conns.at(id)
	if c.state != ready || c.deaf && f.Kind != abi.PacketAck && f.Kind != abi.PacketNak {
		return
	}
	e := x.engines[c.proto]
	now := n.Engine.Now()
	at := n.offset(f, e)
	p := e.proto.Packet()
	// Field by field: a literal would be built apart and copied.
	p.Kind, p.Lane, p.Flags, p.Entropy, p.NPkts, p.Marked = f.Kind, f.Lane, f.Flags&^fabric.FlagDetour, f.Entropy, f.NPkts, f.Marked
	p.PSN, p.Payload, p.Wire, p.MSN, p.Conn = f.PSN, f.Payload, f.Wire, f.MSN, c.local
	p.Offset, p.CC, p.SentAt, p.Now = uint64(at), f.CC, int64(f.SentAt), int64(now)
	p.Port, p.ExtLen = uint16(n.Graph.Ports[in].Index), 0
	if f.Kind == abi.PacketData && n.unready(c, f) {
		p.Flags |= abi.PacketNoReceive
	}
	clearVerdict(e.proto.Verdict(), now)
	if err := e.proto.Receive(); err != nil {
		n.fail(id, c, StatusLocalOp, n.pluginFault(c, err))
		return
	}
	v := e.proto.Verdict()
	next := uint32(0)
	if v.Deliver == abi.DeliverInOrder || v.Deliver == abi.DeliverOutOfOrder {
		var ok bool
		if next, ok = n.deliver(id, c, f, at, v.Deliver == abi.DeliverInOrder); !ok {
			return
		}
	}
	if v.Reply != 0 {
		n.reply(id, c, e, v, f, in)
	}
	d := decide(v) // what follows may call the plugin again
	if next != 0 {
		n.advance(id, c, next)
	}
	n.apply(id, c, d)
}

// clearVerdict makes a verdict ready for a call; fields that only count beside
// a flag keep what they had.
func clearVerdict(v *abi.Verdict, now sim.Time) {
	v.Deliver, v.Wake, v.Flags, v.Status = 0, 0, 0, 0
	v.AckedValid, v.GoBackValid, v.ResendValid, v.Reply = 0, 0, 0, 0
	v.ReplyFlags, v.ReplyMSN, v.ReplyCC, v.ReplyExtLen = 0, 0, [4]uint32{}, 0
	v.Timer, v.Now = 0, int64(now)
}

// decision is what a verdict says of the connection as a sender.
type decision struct {
	timer         int64
	status        int32
	acked, goBack uint32
	ack, back     bool
	wake          bool
}

func decide(v *abi.Verdict) decision {
	return decision{v.Timer, v.Status, v.Acked, v.GoBack, v.AckedValid != 0, v.GoBackValid != 0, v.Wake != 0}
}

// offset is where the payload of a data packet lies in its message.
func (n *Net) offset(f *fabric.Packet, e *engine) int64 {
	if f.WR == 0 {
		return 0
	}
	return int64(f.PSN-n.wrs.at(f.WR).psn) * int64(e.car.MTU)
}

// unready says that a send found no posted receive.
func (n *Net) unready(c *conn, f *fabric.Packet) bool {
	r := n.wrs.at(f.WR)
	if r.msn != f.MSN || r.conn != ConnID(f.SrcConn) || r.Op != OpSend {
		return false
	}
	return c.recvs < 0 || n.recvs[c.recvs].of(r.seq) == nil
}

func (n *Net) reply(id ConnID, c *conn, e *engine, v *abi.Verdict, f *fabric.Packet, in topo.PortID) {
	out := &n.out
	wire := v.ReplyWire
	if !n.Headers {
		wire = 0
	}
	out.Dst, out.Net, out.Entropy, out.Wire, out.NPkts = c.far, n.paths[c.ports].net, f.Entropy^0x5bd1e995, wire, 1
	out.Flags, out.Kind, out.Lane, out.Marked, out.Payload = v.ReplyFlags, v.ReplyKind, f.Lane, 0, 0
	out.SrcConn, out.DstConn, out.PSN, out.MSN = int32(id), int32(c.peer), v.ReplyPSN, v.ReplyMSN
	out.WR, out.SentAt, out.CC, out.Hint = 0, f.SentAt, v.ReplyCC, f.Hint
	n.Fabric.Send(out, in)
}

// apply acts on a decision.
func (n *Net) apply(id ConnID, c *conn, v decision) {
	if v.timer != 0 {
		n.setTimer(id, c, v.timer)
	}
	if v.ack && int32(v.acked-c.acked) > 0 {
		if int32(v.acked-c.high) > 0 {
			n.fail(id, c, StatusLocalOp, n.pluginFault(c, fmt.Errorf("acknowledged sequence number %d, want at most %d, the next to be sent", v.acked, c.high)))
			return
		}
		c.acked = v.acked
		if int32(c.acked-c.psn) > 0 { // acknowledged past a cursor that was set back
			n.rewind(c, c.acked)
		}
		n.complete(id, c)
	}
	if v.status != 0 {
		n.fail(id, c, Status(v.status), nil)
		return
	}
	wake := v.wake
	if v.back {
		if !n.rewind(c, v.goBack) {
			n.fail(id, c, StatusLocalOp, n.pluginFault(c, fmt.Errorf("go back to sequence number %d, want one between %d and %d", v.goBack, c.acked, c.psn)))
			return
		}
		wake = true
	}
	if wake {
		n.ready(id, c)
	}
}

// rewind sets the send cursor to the packet psn, back or, when packets sent
// before an earlier rewind were acknowledged after it, forward.
func (n *Net) rewind(c *conn, psn uint32) bool {
	if psn == c.psn {
		return true
	}
	mtu := int64(n.engineOf(c).car.MTU)
	for i := c.head; i != 0; {
		r := n.wrs.at(i)
		if !r.started || int32(psn-r.psn) < 0 {
			return false
		}
		if !r.sent || int32(psn-r.end) < 0 {
			c.cur, c.off, c.psn = i, int64(psn-r.psn)*mtu, psn
			return true
		}
		if i = r.next; psn == r.end && (i == 0 || !n.wrs.at(i).started) {
			c.cur, c.off, c.psn = i, 0, psn
			return true
		}
	}
	return false
}

// deliver lands the bytes of a packet at connection end id. It returns the
// request that the receiver can now finish, if any, and false when the packet
// failed a connection, so that no reply may be sent.
func (n *Net) deliver(id ConnID, c *conn, f *fabric.Packet, at int64, inOrder bool) (uint32, bool) {
	src := ConnID(f.SrcConn)
	r := n.wrs.at(f.WR)
	if n.conns.at(src).state != ready {
		return 0, false // the sender has failed; what is on the wire changes nothing more
	}
	if r.msn != f.MSN || r.conn != src || r.landed {
		n.fail(id, c, StatusLocalOp, n.pluginFault(c, fmt.Errorf("delivered packet %d of message %d twice", f.PSN, f.MSN)))
		return 0, false
	}
	if inOrder && (f.MSN != c.rx || at != r.delivered) {
		n.fail(id, c, StatusLocalOp, n.pluginFault(c, fmt.Errorf(
			"delivered byte %d of message %d in order, want byte %d of message %d", at, f.MSN, r.delivered, c.rx)))
		return 0, false
	}
	if f.Kind == abi.PacketData && f.Payload > 0 || r.Op == OpSend {
		if status, err := n.land(id, c, r, at, int64(f.Payload)); err != nil {
			n.refuse(f, r, status, err)
			return 0, false
		}
	}
	r.delivered += int64(f.Payload)
	if r.delivered > r.Len {
		n.fail(id, c, StatusLocalOp, n.pluginFault(c, fmt.Errorf("delivered %d bytes of message %d of %d", r.delivered, f.MSN, r.Len)))
		return 0, false
	}
	if r.delivered == r.Len || f.Kind == abi.PacketReadRequest {
		r.landed = true
		if f.MSN == c.rx {
			return f.WR, true
		}
	}
	return 0, true
}

// land moves the bytes of one packet to where they belong.
func (n *Net) land(id ConnID, c *conn, r *request, at, length int64) (Status, error) {
	to := r.Remote
	switch r.Op {
	case OpAtomic:
		return StatusOK, nil // executed in its turn
	case OpSend:
		rc := n.receives(c).of(r.seq)
		if rc == nil {
			return StatusRNR, fmt.Errorf("transport: send to %s found no receive", n.Graph.Nodes[c.node].Name)
		}
		if r.Len > rc.Len {
			if s := c.sink; s != nil {
				s.Complete(&Completion{Conn: id, ID: rc.ID, Op: OpSend, Recv: true, Status: StatusLocalLength, At: n.Engine.Now(),
					Err: fmt.Errorf("transport: receive on %s: got a send of %d bytes, want at most %d", n.Graph.Nodes[c.node].Name, r.Len, rc.Len)})
			}
			return StatusRemoteInv, fmt.Errorf("transport: send of %d bytes to %s: the receive holds %d", r.Len, n.Graph.Nodes[c.node].Name, rc.Len)
		}
		to = rc.Addr
	default:
		if at == 0 && r.RKey != 0 {
			access := mem.RemoteWrite
			if r.Op.reduces() {
				access = mem.RemoteAtomic
			}
			if err := n.Mem.CheckKey(r.RKey, r.Remote, r.Len, access); err != nil {
				return StatusRemoteAccess, err
			}
		}
	}
	if length == 0 {
		return StatusOK, nil
	}
	to = to.Add(at)
	var err error
	switch {
	case r.Op.reduces():
		err = n.reduce(to, r.Local.Add(at), length, r)
	case r.inline != nil:
		err = n.Mem.Write(to, r.inline[at:at+length])
	default:
		err = n.Mem.Copy(to, r.Local.Add(at), length)
	}
	if err != nil {
		return StatusRemoteAccess, err
	}
	return StatusOK, nil
}

// advance finishes messages at the receiver in order: notifies, receives, and
// the answers to reads.
func (n *Net) advance(id ConnID, c *conn, i uint32) {
	for i != 0 {
		r := n.wrs.at(i)
		if !r.landed || r.msn != c.rx {
			return
		}
		c.rx++
		next := r.next
		switch r.Op {
		case OpWriteNotify, OpWriteReduceNotify, OpNotify:
			if err := n.Mem.WriteRegister(r.NotifyAddr, r.NotifyValue); err != nil {
				n.refuse(&fabric.Packet{SrcConn: int32(c.peer), WR: i, MSN: r.msn, SentAt: n.Engine.Now()}, r, StatusRemoteAccess, err)
			}
		case OpSend:
			q := n.receives(c)
			rc := q.pop()
			q.done++
			if s := c.sink; s != nil {
				s.Complete(&Completion{Conn: id, ID: rc.ID, Op: OpSend, Recv: true, Bytes: r.Len, At: n.Engine.Now()})
			}
		case OpRead:
			n.answer(id, c, i, r)
		case OpAtomic:
			if err := n.execute(id, c, i, r); err != nil {
				n.refuse(&fabric.Packet{SrcConn: int32(c.peer), WR: i, MSN: r.msn, SentAt: n.Engine.Now()}, r, StatusRemoteAccess, err)
			}
		case opReadResponse:
			o := n.wrs.at(r.origin)
			o.waits = false
			n.complete(id, c)
		}
		i = next
	}
}

// answer queues the data of a read as a message of the connection's own.
func (n *Net) answer(id ConnID, c *conn, i uint32, r *request) {
	err := n.Mem.Check(r.Remote, r.Len, mem.Readable)
	if err == nil && r.RKey != 0 {
		err = n.Mem.CheckKey(r.RKey, r.Remote, r.Len, mem.RemoteRead)
	}
	if err == nil {
		err = n.push(id, c, &WR{Op: opReadResponse, Local: r.Remote, Remote: r.Local, Len: r.Len}, i)
	}
	if err != nil {
		n.refuse(&fabric.Packet{SrcConn: int32(c.peer), WR: i, MSN: r.msn, SentAt: n.Engine.Now()}, r, StatusRemoteAccess, err)
	}
}
