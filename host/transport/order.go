package transport

import (
	"fmt"

	"hsim/host/soc"
	"hsim/host/topo"
)

// Order says who keeps the order of a connection's operations; the numbers are
// those of abi.Conn.Order.
type Order uint8

// The orders.
const (
	OrderDefault   Order = iota // as by target
	OrderTarget                 // ROT: the target holds what comes before its turn; no round trip more
	OrderInitiator              // ROI: the initiator waits for what is earlier to be answered; a round trip more
	OrderLower                  // ROL: the layer below keeps order, over one path
	OrderNone                   // UNO: unreliable, at most an MTU, in any order
)

var orderNames = [...]string{"default", "by target", "by initiator", "by lower layer", "none"}

func (o Order) String() string {
	if int(o) < len(orderNames) {
		return orderNames[o]
	}
	return fmt.Sprintf("order %d", uint8(o))
}

// Mark is the order of one operation among those of its connection. Whatever its
// mark, a notify comes after all earlier bytes, and receives fill in posting order.
type Mark uint8

// The marks.
const (
	MarkRelaxed Mark = iota // RO: may overtake; a later strong one waits for it
	MarkStrong              // SO: takes effect after all earlier RO and SO
	MarkNone                // NO: nothing waits for it, it waits for nothing
)

func (m Mark) String() string { return [...]string{"RO", "SO", "NO", "?"}[min(m, 3)] }

// Trans is the transport mode of URMA that a connection is of.
type Trans uint8

// The modes.
const (
	TransDefault Trans = iota // RM, or UM where the service is not reliable
	TransRM                   // reliable message, among many
	TransRC                   // reliable, between two
	TransUM                   // unreliable message
)

var transNames = [...]string{"default", "RM", "RC", "UM"}

func (t Trans) String() string {
	if int(t) < len(transNames) {
		return transNames[t]
	}
	return fmt.Sprintf("mode %d", uint8(t))
}

// urma holds a mode and an order to the rules of URMA: what is unreliable is of
// mode UM, RTP never is, and without order there is no reliable mode.
func urma(p topo.Protocol, t Trans, o Order, reliable bool) error {
	switch {
	case t > TransUM:
		return fmt.Errorf("got %v, want RM, RC or UM", t)
	case o > OrderNone:
		return fmt.Errorf("got %v, want one of default, by target, by initiator, by lower layer, none", o)
	}
	if t == TransDefault {
		if t = TransRM; !reliable {
			t = TransUM
		}
	}
	rtp := reliable && (p == soc.UB_TP || p == soc.UBOE)
	switch {
	case !reliable && t != TransUM:
		return fmt.Errorf("got mode %v over an unreliable service, want UM", t)
	case rtp && t == TransUM:
		return fmt.Errorf("got mode UM over RTP, want RM or RC (try an unreliable service)")
	case t != TransUM && o == OrderNone:
		return fmt.Errorf("got order none with mode %v, want UM", t)
	case !reliable && o != OrderDefault && o != OrderNone:
		return fmt.Errorf("got order %v over an unreliable service, want none", o)
	}
	return nil
}

// checkOrder holds what is posted to the order of its connection.
func (n *Net) checkOrder(c *conn, wr *WR) error {
	switch {
	case wr.Mark > MarkNone:
		return fmt.Errorf("transport: post %v of %s: got mark %d, want RO, SO or NO", wr.Op, n.Graph.Nodes[c.node].Name, wr.Mark)
	case c.order == OrderNone && wr.Len > int64(c.mtu):
		return fmt.Errorf("transport: post %v of %s: got %d bytes on a connection without order, want at most %d, one packet", wr.Op, n.Graph.Nodes[c.node].Name, wr.Len, c.mtu)
	case c.order == OrderNone && wr.Mark == MarkStrong:
		return fmt.Errorf("transport: post %v of %s: got mark SO on a connection without order, want RO or NO", wr.Op, n.Graph.Nodes[c.node].Name)
	}
	return nil
}

// behind says that something that the request at the cursor waits for is not
// answered.
func (n *Net) behind(c *conn) bool {
	for i := c.head; i != c.cur; {
		r := n.wrs.at(i)
		if r.Mark != MarkNone {
			return true
		}
		i = r.next
	}
	return false
}

// split posts a write whose notify the initiator orders: the notify follows when
// the write is answered. Both are one request to the sink.
func (n *Net) split(id ConnID, c *conn, wr *WR) error {
	data, note := *wr, *wr
	data.Op = OpWrite
	if wr.Op.reduces() {
		data.Op = OpWriteReduce
	}
	data.Flags |= flagHalf
	data.whole, note.whole, note.value = wr.Op, wr.Op, wr.Len
	note.Op, note.Local, note.Remote, note.Len, note.RKey = OpNotify, 0, 0, 0, 0
	note.Flags = note.Flags&^Inline | flagRest
	if err := n.push(id, c, &data, 0); err != nil {
		return err
	}
	if c.state != ready { // the first part failed at once and was reported
		return nil
	}
	return n.push(id, c, &note, 0)
}

// join says whether the end of one half of such a request is reported: the last, or
// the first that failed.
func (n *Net) join(r *request, s Status) bool {
	switch {
	case r.Flags&flagHalf == 0:
		return true
	case r.Flags&flagRest != 0: // the other half was reported
		return false
	}
	next := n.wrs.at(r.next)
	if s == StatusOK {
		next.began = r.first
		return false
	}
	if r.next != 0 {
		next.Flags |= flagHalf
	}
	return true
}
