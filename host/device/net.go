package device

import (
	"hsim/abi"
	"hsim/host/mem"
	"hsim/host/topo"
	"hsim/host/transport"
)

// Network is the transport as a device uses it; *transport.Net is one.
type Network interface {
	Connect(s transport.Spec) (a, b transport.ConnID, err error)
	Post(c transport.ConnID, wr *transport.WR) error
	SetSink(c transport.ConnID, s transport.Sink)
	Features(p topo.Protocol) uint32
}

// The id of a work request posted by a stream says who posted it, so that an
// error completion finds the stream without any table.
const (
	wrWaits    = 1 << 63 // the stream is held until the completion
	wrSlotAt   = 40
	wrGenAt    = 20
	wrSlotMask = 1<<23 - 1
	wrGenMask  = 1<<20 - 1
	wrSeqMask  = 1<<20 - 1
)

func (s *Stream) wrID() uint64 {
	return uint64(s.slot&wrSlotMask)<<wrSlotAt | uint64(s.gen&wrGenMask)<<wrGenAt | uint64(s.cur.Seq&wrSeqMask)
}

// Attach makes the system take the completions of a connection end that
// streams post on: an error is latched on the stream that posted. Successes
// that nobody waits for are not signaled and cost nothing.
func (y *System) Attach(c transport.ConnID) { y.net.SetSink(c, y) }

// Complete implements transport.Sink.
func (y *System) Complete(c *transport.Completion) {
	if c.Recv {
		return
	}
	slot := int(c.ID >> wrSlotAt & wrSlotMask)
	if slot >= len(y.streams) {
		return
	}
	s := y.streams[slot]
	if s == nil || s.gen&wrGenMask != uint32(c.ID>>wrGenAt)&wrGenMask {
		return
	}
	var f *Fault
	if c.Status != transport.StatusOK {
		f = &Fault{Cause: CauseLink, Status: int32(c.Status), Device: s.dev.index, Stream: s.Name(), Kind: KindPost,
			Seq: uint32(c.ID & wrSeqMask), At: y.eng.Now(), Err: &LinkError{Conn: c.Conn, Op: c.Op, Status: c.Status, Err: c.Err}}
	}
	if c.ID&wrWaits != 0 {
		if s.state == stOp {
			if s.pending == nil {
				s.pending = f
			}
			s.state = stDone
			y.kick(s)
		}
		return
	}
	if f != nil {
		s.latch(f)
	}
}

// LinkError is the error completion of a work request.
type LinkError struct {
	Conn   transport.ConnID
	Op     transport.Op
	Status transport.Status
	Err    error
}

// Error says what was posted and how it ended.
func (e *LinkError) Error() string {
	s := "device: " + e.Op.String() + ": " + e.Status.String()
	if e.Err != nil {
		s += ": " + e.Err.Error()
	}
	return s
}

// Unwrap gives the transport's own error.
func (e *LinkError) Unwrap() error { return e.Err }

// peerKey is a pair of devices, the lower one first.
type peerKey struct{ a, b topo.NodeID }

type peerConn struct {
	a, b  transport.ConnID
	proto topo.Protocol
}

// peer is the connection over which device from reaches device to for memory
// copies and notifies of the runtime, made at first use.
func (y *System) peer(from, to *Device) (transport.ConnID, topo.Protocol, error) {
	k := peerKey{from.node, to.node}
	swap := k.a > k.b
	if swap {
		k.a, k.b = k.b, k.a
	}
	p, ok := y.peers[k]
	if !ok {
		if y.net == nil || y.topo == nil {
			return 0, 0, errNoNet
		}
		var err error
		p.proto = y.topo.Protocol(k.a, k.b)
		p.a, p.b, err = y.net.Connect(transport.Spec{A: k.a, B: k.b, Protocol: p.proto, Index: peerIndex})
		if err != nil {
			return 0, 0, err
		}
		y.Attach(p.a)
		y.Attach(p.b)
		y.peers[k] = p
	}
	if swap {
		return p.b, p.proto, nil
	}
	return p.a, p.proto, nil
}

// Connect is the connection over which device from reaches device to for memory
// copies, made at first use.
func (y *System) Connect(from, to *Device) (transport.ConnID, error) {
	c, _, err := y.peer(from, to)
	return c, err
}

// peerIndex tells the runtime's connection of a pair from those of collectives.
const peerIndex = 1<<14 - 1

// owner is the device an address belongs to, nil for host memory.
func (y *System) owner(a mem.Addr) (*Device, error) {
	r, ok := y.mem.Lookup(a)
	if !ok {
		return nil, y.mem.Check(a, 1, 0)
	}
	if r.Device < 0 || r.Device >= len(y.devices) {
		return nil, nil
	}
	return y.devices[r.Device], nil
}

// reads says whether the plugin of a protocol carries reads.
func (y *System) reads(p topo.Protocol) bool {
	return y.net != nil && y.net.Features(p)&abi.FeatureRead != 0
}

func (y *System) topoProtocol(a, b *Device) topo.Protocol {
	if y.topo == nil {
		return topo.PCIE
	}
	return y.topo.Protocol(a.node, b.node)
}
