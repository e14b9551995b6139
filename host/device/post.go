package device

import (
	"errors"

	"hsim/host/sim"
	"hsim/host/transport"
)

var errNoNet = errors.New("device: no transport joins the devices of this simulation")

// post starts a KindPost.
func (s *Stream) post(t *Task) {
	y := s.sys
	if y.net == nil {
		s.pending = s.fault(CausePost, errNoNet)
		return
	}
	w := &y.wr
	w.ID, w.Op, w.Flags = s.wrID(), t.WROp, t.WRFlags
	w.Local, w.Remote, w.Len, w.RKey = t.Src, t.Dst, t.Len, t.RKey
	w.NotifyAddr, w.NotifyValue, w.Dtype, w.Red = t.Notify, t.Value, t.Dtype, t.Red
	if t.Flags&FlagWaitCompletion != 0 {
		s.postAndWait(t.Conn, w)
		return
	}
	if err := y.net.Post(t.Conn, w); err != nil {
		s.pending = s.fault(CausePost, err)
	}
}

// postAndWait posts a request and holds the stream until it has completed.
func (s *Stream) postAndWait(c transport.ConnID, w *transport.WR) {
	w.ID |= wrWaits
	w.Flags |= transport.Signaled
	s.state = stOp
	s.since = s.sys.eng.Now()
	s.deadline = sim.Forever
	if err := s.sys.net.Post(c, w); err != nil {
		s.pending = s.fault(CausePost, err)
		s.state = stDone
	}
}

// postNotify records a notify of another device through the network.
func (s *Stream) postNotify(t *Task) {
	y := s.sys
	d, err := y.owner(t.Notify)
	if err == nil && d == nil {
		err = y.mem.WriteRegister(t.Notify, 1) // a register of no device: refused with its reason, or the host's own
		if err == nil {
			return
		}
	}
	if err != nil {
		s.pending = s.fault(CauseTask, err)
		return
	}
	c, _, err := y.peer(s.dev, d)
	if err == nil {
		y.wr = transport.WR{ID: s.wrID(), Op: transport.OpNotify, NotifyAddr: t.Notify, NotifyValue: 1}
		err = y.net.Post(c, &y.wr)
	}
	if err != nil {
		s.pending = s.fault(CausePost, err)
	}
}

// startPeerCopy starts a KindPeerCopy or KindPeerReduce: the SDMA engine's start-up, then one
// work request whose completion ends the task.
func (s *Stream) startPeerCopy(t *Task) {
	dst, err := s.sys.owner(t.Dst)
	var src *Device
	if err == nil {
		src, err = s.sys.owner(t.Src)
	}
	switch {
	case err != nil:
		s.pending = s.fault(CauseSDMA, err)
	case dst == nil || src == nil:
		s.startHostCopy(t)
	case dst == src:
		s.startDMA(t)
	default:
		if alpha := s.dev.chip.SDMA.Alpha; alpha > 0 && t.Flags&FlagNoStart == 0 {
			s.state = stPeer
			s.arm(s.sys.eng.Now().Add(alpha))
			return
		}
		s.postPeerCopy()
	}
}

// postPeerCopy posts the request of a peer copy: a write where the stream's
// device is the source, a read where it is the destination and the protocol
// reads, else a write by the source.
func (s *Stream) postPeerCopy() {
	y, t := s.sys, &s.cur
	s.state = stDone
	dst, _ := y.owner(t.Dst)
	src, _ := y.owner(t.Src)
	if dst == nil || src == nil || t.Len == 0 {
		s.effect() // freed since: the access says so
		return
	}
	w := transport.WR{ID: s.wrID(), Op: transport.OpWrite, Local: t.Src, Remote: t.Dst, Len: t.Len}
	from, to := src, dst
	if t.Kind == KindPeerReduce {
		w.Op, w.Dtype, w.Red = transport.OpWriteReduce, t.Dtype, t.Red
	} else if s.dev == dst && y.reads(y.topoProtocol(src, dst)) {
		w.Op, w.Local, w.Remote = transport.OpRead, t.Dst, t.Src
		from, to = dst, src
	}
	c, _, err := y.peer(from, to)
	if err != nil {
		s.pending = s.fault(CausePost, err)
		return
	}
	y.wr = w
	s.postAndWait(c, &y.wr)
}
