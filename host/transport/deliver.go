package transport

import (
	"fmt"

	"hsim/abi"
	"hsim/host/fabric"
	"hsim/host/mem"
	"hsim/host/sim"
	"hsim/host/topo"
)

// Receive takes a packet off the fabric.
func (x *nic) Receive(f *fabric.Packet, in topo.PortID) {
	n := x.n
	id := ConnID(f.DstConn)
	c := n.conns.at(id)
	if c.state == ready && (!c.deaf || control(f.Kind)) {
		x.take(id, c, f, in)
		if !c.loose() {
			return
		}
	}
	n.spent(f)
}

// take asks the plugin what a packet means and acts on the verdict.
func (x *nic) take(id ConnID, c *conn, f *fabric.Packet, in topo.PortID) {
	n := x.n
	e := n.engineOf(c)
	now := n.Engine.Now()
	at, data := int64(0), !control(f.Kind)
	n.flown = now - f.SentAt
	p := e.proto.Packet()
	if data {
		// What is under way belongs to a request of its sender.
		s := n.conns.at(ConnID(f.SrcConn))
		at = int64(f.PSN-n.wrs.at(f.WR).psn) * int64(s.mtu)
		if s.mtu > c.mtu && min(f.Payload, s.mtu) > c.mtu {
			n.oversized(c, f, s.mtu)
			return
		}
		p.Payload, p.ExtLen = f.Payload, 0
	} else {
		p.Payload, p.ExtLen = 0, 0
		if f.WR != 0 {
			p.ExtPtr, p.ExtLen = e.ext, uint32(copy(e.proto.Ext(), n.exts.at(f.WR)))
			n.spent(f)
			f.WR = 0
		}
		e.out.depth = f.Payload + 1
	}
	// Field by field: a literal would be built apart and copied.
	p.Kind, p.Lane, p.Flags, p.Entropy, p.NPkts, p.Marked = f.Kind, f.Lane, f.Flags&^fabric.FlagDetour, f.Entropy, f.NPkts, f.Marked
	p.PSN, p.Wire, p.MSN, p.Conn = f.PSN, f.Wire, f.MSN, c.local
	p.Offset, p.CC, p.SentAt, p.Now = uint64(at), f.CC, int64(f.SentAt), int64(now)
	p.Port = uint16(n.Graph.Ports[in].Index)
	if f.Kind == abi.PacketData && n.unready(c, f) {
		p.Flags |= abi.PacketNoReceive
		if c.loose() {
			n.wrs.at(f.WR).status = StatusRNR
		}
	}
	clearVerdict(e.proto.Verdict(), now)
	err := e.proto.Receive()
	if !data {
		e.out.depth = 1
	}
	if err != nil {
		n.fail(id, c, StatusLocalOp, n.pluginFault(c, err))
		return
	}
	v := e.proto.Verdict()
	next := uint32(0)
	if v.Deliver == abi.DeliverInOrder || v.Deliver == abi.DeliverOutOfOrder {
		ok := false
		switch inOrder := v.Deliver == abi.DeliverInOrder; {
		case !data:
			n.fail(id, c, StatusLocalOp, n.pluginFault(c, fmt.Errorf("delivered a packet of kind %d, want none but data and read requests", f.Kind)))
		case c.loose():
			ok = n.deliverLoose(id, c, f, at, inOrder)
		default:
			next, ok = n.deliver(id, c, f, at, inOrder)
		}
		if !ok {
			return
		}
	}
	if v.Reply != 0 && !n.reply(id, c, e, v, f, in) || v.ResendValid != 0 && !n.resend(id, c, e, v) {
		return
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

// oversized refuses a packet of more than the receiver's MTU, before the plugin sees
// it.
func (n *Net) oversized(c *conn, f *fabric.Packet, mtu uint32) {
	r := n.wrs.at(f.WR)
	switch {
	case c.loose():
		r.status = StatusRemoteInv
	case r.msn == f.MSN && r.conn == ConnID(f.SrcConn):
		n.refuse(f, r, StatusRemoteInv, fmt.Errorf("transport: packet of %d bytes to %s: its MTU is %d (try mtu_forced = false on both: they use the smaller then)",
			min(f.Payload, mtu), n.Graph.Nodes[c.node].Name, c.mtu))
	}
}

// unready says that a send found no posted receive.
func (n *Net) unready(c *conn, f *fabric.Packet) bool {
	r := n.wrs.at(f.WR)
	if r.msn != f.MSN || r.conn != ConnID(f.SrcConn) || r.Op != OpSend {
		return false
	}
	return n.taken(c, r) == nil
}

// taken is the receive that a send takes, the n-th send the n-th receive, or, where
// sends may be lost, the oldest; nil before it is posted.
func (n *Net) taken(c *conn, r *request) *Recv {
	if r.Flags&flagSlice != 0 {
		r, _, c = n.home(r)
	}
	if c.more == 0 {
		return nil
	}
	q := &n.more[c.more].recv
	if c.loose() {
		return q.of(q.done)
	}
	return q.of(r.seq)
}

// apply acts on a decision.
func (n *Net) apply(id ConnID, c *conn, v decision) {
	if v.timer != 0 {
		n.setTimer(id, c, v.timer)
	}
	moved := v.ack && int32(v.acked-c.acked) > 0
	if moved {
		if int32(v.acked-c.high) > 0 {
			n.fail(id, c, StatusLocalOp, n.pluginFault(c, fmt.Errorf("acknowledged sequence number %d, want at most %d, the next to be sent", v.acked, c.high)))
			return
		}
		c.acked = v.acked
		if c.more != 0 {
			m := n.more[c.more]
			m.vain = 0
			m.cut(c)
		}
		if int32(c.acked-c.psn) > 0 { // acknowledged past a cursor that was set back
			n.rewind(c, c.acked)
		}
	}
	wake := v.wake
	if v.back && v.status == 0 {
		if !n.vain(id, c, vainBack) {
			return
		}
		if !n.rewind(c, v.goBack) {
			n.fail(id, c, StatusLocalOp, n.pluginFault(c, fmt.Errorf("go back to sequence number %d, want one between %d and %d", v.goBack, c.acked, c.psn)))
			return
		}
		n.moreOf(c).cut(c)
		n.fills(c, c.high-c.acked)
		wake = true
	}
	if moved {
		n.complete(id, c) // may post, and so ask for packets: the cursor is where the plugin has it
	}
	if v.status != 0 {
		var err error
		if !known(v.status) {
			err = n.pluginFault(c, fmt.Errorf("status: got %d, want a completion status such as 12, retry exceeded", v.status))
			v.status = int32(StatusLocalOp)
		}
		n.fail(id, c, Status(v.status), err)
		return
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
	mtu := int64(c.mtu)
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
	if r.Mark == MarkStrong && !r.held && n.early(c, r) {
		r.held = true
	}
	if (f.Kind == abi.PacketData && f.Payload > 0 || r.Op == OpSend) && !r.held {
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
		rc := n.taken(c, r)
		if rc == nil {
			return StatusRNR, fmt.Errorf("transport: send to %s found no receive", n.Graph.Nodes[c.node].Name)
		}
		whole := r
		if r.Flags&flagSlice != 0 {
			whole, id, c = n.home(r)
		}
		if whole.Len > rc.Len {
			if s := c.sink; s != nil && !c.loose() {
				s.Complete(&Completion{Conn: id, ID: rc.ID, Op: OpSend, Recv: true, Status: StatusLocalLength, At: n.Engine.Now(),
					Err: fmt.Errorf("transport: receive on %s: got a send of %d bytes, want at most %d", n.Graph.Nodes[c.node].Name, whole.Len, rc.Len)})
			}
			return StatusRemoteInv, fmt.Errorf("transport: send of %d bytes to %s: the receive holds %d", whole.Len, n.Graph.Nodes[c.node].Name, rc.Len)
		}
		to = rc.Addr.Add(r.at)
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
	if length == 0 || r.Flags&flagSlice != 0 && n.wrs.at(r.origin).gone {
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
		if r.Flags&flagSlice != 0 {
			n.arrived(id, c, i, r)
			i = next
			continue
		}
		if r.held {
			if s, err := n.land(id, c, r, 0, r.Len); err != nil {
				n.refuseNow(i, r, s, err)
				return
			}
		}
		if c.role == roleBundle {
			n.turned(c)
		}
		switch r.Op {
		case OpWriteNotify, OpWriteReduceNotify, OpNotify:
			if err := n.Mem.WriteRegister(r.NotifyAddr, r.NotifyValue); err != nil {
				n.refuseNow(i, r, StatusRemoteAccess, err)
			}
		case OpSend:
			q := n.receives(c)
			rc := q.pop()
			q.done++
			if s := c.sink; s != nil {
				s.Complete(&Completion{Conn: id, ID: rc.ID, Op: OpSend, Recv: true, Bytes: r.Len, At: n.Engine.Now()})
			}
		case OpRead:
			if c.role != roleBundle { // its slices are answered
				n.answer(id, c, i, r)
			}
		case OpAtomic:
			if c.role == roleBundle {
				break
			}
			if err := n.execute(id, c, i, r); err != nil {
				n.refuseNow(i, r, StatusRemoteAccess, err)
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
		n.refuseNow(i, r, StatusRemoteAccess, err)
	}
}
