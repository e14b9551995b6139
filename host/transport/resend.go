package transport

import (
	"fmt"

	"hsim/abi"
)

// span is the packets [from, to).
type span struct{ from, to uint32 }

// resend queues the packets that a verdict names. It says false when the
// connection failed for it.
func (n *Net) resend(id ConnID, c *conn, e *engine, v *abi.Verdict) bool {
	count := max(v.ResendCount, 1)
	var bits []byte
	var err error
	if v.ResendMap != 0 {
		if count > 8*abi.MaxExt {
			err = fmt.Errorf("resend map: got %d packets, want at most %d", count, 8*abi.MaxExt)
		} else {
			bits, err = e.proto.Bytes(v.ResendMap, (count+7)/8)
		}
	}
	if err == nil && (v.Resend-c.acked >= c.high-c.acked || count > c.high-v.Resend) {
		err = fmt.Errorf("send again %d packets from sequence number %d, want those between %d and %d, which are under way", count, v.Resend, c.acked, c.high)
	}
	if err != nil {
		n.fail(id, c, StatusLocalOp, n.pluginFault(c, err))
		return false
	}
	if !n.vain(id, c, vainBack) {
		return false
	}
	m := n.moreOf(c)
	if bits == nil {
		m.add(span{v.Resend, v.Resend + count})
	}
	for i := uint32(0); bits != nil && i < count; i++ {
		if bits[i>>3]>>(i&7)&1 == 0 {
			continue
		}
		from := i
		for i++; i < count && bits[i>>3]>>(i&7)&1 != 0; i++ {
		}
		m.add(span{v.Resend + from, v.Resend + i})
	}
	m.cut(c) // what the cursor has been set back over is sent again anyway
	v.Wake = 1
	return true
}

// add puts packets in their place among those to send again.
func (m *more) add(s span) {
	i := len(m.again)
	for i > 0 && int32(m.again[i-1].to-s.from) >= 0 {
		i--
	}
	j := i
	for ; j < len(m.again) && int32(s.to-m.again[j].from) >= 0; j++ {
		if int32(m.again[j].from-s.from) < 0 {
			s.from = m.again[j].from
		}
		if int32(m.again[j].to-s.to) > 0 {
			s.to = m.again[j].to
		}
	}
	if i == j {
		m.again = append(m.again, span{})
		copy(m.again[i+1:], m.again[i:])
	} else {
		m.again = append(m.again[:i+1], m.again[j:]...)
	}
	m.again[i] = s
}

// cut forgets packets that were acknowledged and those that the cursor has yet to
// come to.
func (m *more) cut(c *conn) {
	k := 0
	for _, s := range m.again {
		if int32(c.acked-s.from) > 0 {
			s.from = c.acked
		}
		if int32(s.to-c.psn) > 0 {
			s.to = c.psn
		}
		if int32(s.to-s.from) > 0 {
			m.again[k] = s
			k++
		}
	}
	m.again = m.again[:k]
	c.again = k > 0
}

// holder is the request at or after the head of the queue that packet psn belongs
// to, 0 for none.
func (n *Net) holder(c *conn, psn uint32) (uint32, *request) {
	for i := c.head; i != 0; {
		r := n.wrs.at(i)
		if !r.started || int32(psn-r.psn) < 0 {
			break
		}
		if !r.sent || int32(psn-r.end) < 0 {
			return i, r
		}
		i = r.next
	}
	return 0, nil
}

// emitAgain asks the plugin for the oldest packet that is to be sent again, and
// sends it. It says whether it was sent.
func (n *Net) emitAgain(id ConnID, c *conn, pathIndex uint8) bool {
	m := n.more[c.more]
	psn := m.again[0].from
	i, r := n.holder(c, psn)
	if i == 0 {
		n.fail(id, c, StatusLocalOp, n.pluginFault(c, fmt.Errorf("send again packet %d, which belongs to no message", psn)))
		return false
	}
	e := n.engineOf(c)
	pt := &n.paths[c.ports+uint32(pathIndex)]
	at := int64(psn-r.psn) * int64(c.mtu)
	left, kind := max(min(r.Len-at, int64(c.mtu)), 0), uint8(abi.PacketData)
	if r.Op == OpRead {
		left, kind = 0, abi.PacketReadRequest
	}
	flags := uint16(abi.PacketRetransmission)
	if psn == r.psn {
		flags |= abi.PacketFirst
	}
	if r.sent && psn+1 == r.end {
		flags |= abi.PacketLast
		if r.Op.notifies() {
			flags |= abi.PacketNotify
		}
	}
	n.blank(e.proto.Packet(), c, pt, pathIndex, kind, flags, psn, r.msn, at)
	payload, err := e.proto.Next(c.local, left, int64(c.mtu))
	p, ok := n.asked(id, c, e, err)
	if !ok {
		return false
	}
	if p.PSN != psn || p.NPkts != 1 || payload != left || int64(p.Payload) != left || int64(p.Wire) < left {
		n.fail(id, c, StatusLocalOp, n.pluginFault(c, fmt.Errorf(
			"next: got %d bytes in %d packets from sequence number %d, payload %d, wire %d, want packet %d alone with its %d bytes, to send it again",
			payload, p.NPkts, p.PSN, p.Payload, p.Wire, psn, left)))
		return false
	}
	if s := &m.again[0]; s.from+1 == s.to {
		m.again = append(m.again[:0], m.again[1:]...)
		c.again = len(m.again) > 0
	} else {
		s.from++
	}
	f := n.frame(id, c, pt, e, p, kind, flags|p.Flags, i, r)
	if c.loose() {
		r.flight++
	}
	n.again++
	n.Fabric.Send(f, pt.trunk)
	return true
}

// The most that a connection may do in vain: calls of its timer, delays, and, each
// worth vainBack of those, decisions to send again, with nothing new sent and
// nothing acknowledged in between. Time-outs end in an error long before; what goes
// on is a loop.
const (
	vainMost = 1 << 20
	vainBack = 4
)

// vain counts what was done since something new was sent or acknowledged. It says false when the connection failed for it.
func (n *Net) vain(id ConnID, c *conn, by uint32) bool {
	m := n.moreOf(c)
	if m.vain += by; m.vain < vainMost {
		return true
	}
	n.fail(id, c, StatusRetry, n.pluginFault(c, fmt.Errorf(
		"connection to %s: waits or sends again and again from sequence number %d and nothing is acknowledged (a receive that is never posted, or a time-out without a limit)",
		n.Graph.Nodes[c.far].Name, c.acked)))
	return false
}
