package transport

import (
	"fmt"

	"hsim/abi"
	"hsim/host/fabric"
	"hsim/host/topo"
)

// control says that packets of a kind carry no bytes of messages.
func control(kind uint8) bool {
	return kind != abi.PacketData && kind != abi.PacketReadRequest && kind <= abi.PacketProbe
}

// Control packets use two fields of fabric.Packet for themselves: WR is the index
// of what travels beside the packet, 0 for nothing, and Payload its depth: 1 for
// an answer to data, one more for an answer to that. Answers to answers without
// end would keep a run busy for ever.
const maxChain = 4

// exts holds what travels beside control packets; index 0 is nothing.
type exts struct {
	slots []*ext
	free  []uint32
}

type ext struct {
	n     int
	bytes [abi.MaxExt]byte
}

func (s *exts) put(b []byte) uint32 {
	if len(b) == 0 {
		return 0
	}
	if len(s.free) == 0 {
		if len(s.slots) == 0 {
			s.slots = append(s.slots, nil)
		}
		s.slots = append(s.slots, new(ext))
		s.free = append(s.free, uint32(len(s.slots)-1))
	}
	i := s.free[len(s.free)-1]
	s.free = s.free[:len(s.free)-1]
	s.slots[i].n = copy(s.slots[i].bytes[:], b)
	return i
}

func (s *exts) at(i uint32) []byte { return s.slots[i].bytes[:s.slots[i].n] }

// reply sends what a verdict answers to packet f by local port in. It says false
// when the connection failed for it.
func (n *Net) reply(id ConnID, c *conn, e *engine, v *abi.Verdict, f *fabric.Packet, in topo.PortID) bool {
	depth := uint32(1)
	if control(f.Kind) {
		depth = f.Payload + 1
	}
	var beside []byte
	var err error
	switch {
	case !control(v.ReplyKind):
		err = fmt.Errorf("reply: got a packet of kind %d, want an acknowledgement, a notification or a probe", v.ReplyKind)
	case depth > maxChain:
		err = errChain(depth)
	case v.ReplyExtLen > abi.MaxExt:
		err = fmt.Errorf("reply: got an extension of %d bytes, want at most %d", v.ReplyExtLen, abi.MaxExt)
	case v.ReplyExtLen > 0:
		beside, err = e.proto.Bytes(v.ReplyExtPtr, v.ReplyExtLen)
	}
	if err != nil {
		n.fail(id, c, StatusLocalOp, n.pluginFault(c, err))
		return false
	}
	out := &n.out
	wire := v.ReplyWire
	if !n.Headers {
		wire = 0
	}
	out.Dst, out.Net, out.Entropy, out.Wire, out.NPkts = c.far, n.paths[c.ports].net, f.Entropy^0x5bd1e995, wire, 1
	out.Flags, out.Kind, out.Lane, out.Marked, out.Payload = v.ReplyFlags, v.ReplyKind, f.Lane, 0, depth
	out.SrcConn, out.DstConn, out.PSN, out.MSN = int32(id), int32(c.peer), v.ReplyPSN, v.ReplyMSN
	out.WR, out.SentAt, out.CC, out.Hint = n.exts.put(beside), f.SentAt, v.ReplyCC, f.Hint
	n.Fabric.Send(out, in)
	return true
}

func errChain(depth uint32) error {
	return fmt.Errorf("reply: got an answer to an answer, %d in a chain, want at most %d", depth, maxChain)
}

// post sends what an engine sent by itself.
func (n *Net) post(e *engine) {
	sent := e.out.sent
	e.out.sent = nil // sending may fill it again
	for i := range sent {
		s := &sent[i]
		if s.Conn < 0 || int(s.Conn) >= len(e.conns) {
			_ = n.engineFault(e, e.node, fmt.Errorf("send: got connection %d, want one of the %d that are open", s.Conn, len(e.conns)))
			continue
		}
		id := e.conns[s.Conn]
		c := n.conns.at(id)
		if c.state != ready {
			continue
		}
		if s.depth > maxChain || s.Path >= uint16(c.paths) {
			err := errChain(s.depth)
			if s.depth <= maxChain {
				err = fmt.Errorf("send: got path %d, want one of %d", s.Path, c.paths)
			}
			n.fail(id, c, StatusLocalOp, n.pluginFault(c, err))
			continue
		}
		pt := &n.paths[c.ports+uint32(s.Path)]
		out := &n.out
		wire := s.Wire
		if !n.Headers {
			wire = 0
		}
		entropy := s.Entropy
		if entropy == 0 {
			entropy = c.entropy
		}
		out.Dst, out.Net, out.Entropy, out.Wire, out.NPkts = c.far, pt.net, entropy, wire, 1
		out.Flags, out.Kind, out.Lane, out.Marked, out.Payload = s.Flags&^fabric.FlagDetour, s.Kind, s.Lane, 0, s.depth
		out.SrcConn, out.DstConn, out.PSN, out.MSN = int32(id), int32(c.peer), s.PSN, s.MSN
		out.WR, out.SentAt, out.CC, out.Hint = n.exts.put(s.ext), n.Engine.Now(), s.CC, pt.hint
		n.Fabric.Send(out, pt.trunk)
	}
}

// spent is told of every packet that has been taken or lost.
func (n *Net) spent(f *fabric.Packet) {
	if f.WR == 0 {
		return
	}
	if control(f.Kind) {
		n.exts.free = append(n.exts.free, f.WR)
		return
	}
	if n.conns.at(ConnID(f.SrcConn)).loose() {
		n.landed(f.WR, f.NPkts)
	}
}
