package device

import (
	"errors"
	"fmt"

	"hsim/host/topo"
	"hsim/host/transport"
)

// The id of a work request posted by a stream: who posted it, so that an error
// completion finds the stream without any table.
const (
	wrWaits    = 1 << 63 // the stream is held until the completion
	wrSlotAt   = 40
	wrGenAt    = 20
	wrGenMask  = 1<<20 - 1
	wrSeqMask  = 1<<20 - 1
	wrSlotMask = 1<<23 - 1
)

func (s *Stream) wrID(t *Task) uint64 {
	return uint64(s.slot)<<wrSlotAt | uint64(s.gen&wrGenMask)<<wrGenAt | uint64(t.Seq&wrSeqMask)
}

var errNoNet = errors.New("device: post: got no transport")

// post starts a KindPost.
func (s *Stream) post(t *Task) {
	y := s.sys
	if y.net == nil {
		s.pending = s.fault(CausePost, errNoNet)
		return
	}
	w := &y.wr
	w.ID, w.Op, w.Flags = s.wrID(t), t.WROp, t.WRFlags
	w.Local, w.Remote, w.Len, w.RKey = t.Src, t.Dst, t.Len, t.RKey
	w.NotifyAddr, w.NotifyValue, w.Dtype, w.Red = t.Notify, t.Value, t.Dtype, t.Red
	if err := y.net.Post(t.Conn, w); err != nil {
		s.pending = s.fault(CausePost, err)
	}
}

func (s *Stream) postNotify(t *Task) {
	s.pending = s.fault(CauseTask, fmt.Errorf("device: notify record: %w", ErrNoPeer))
}

func (s *Stream) startPeerCopy(t *Task) {
	s.pending = s.fault(CauseTask, fmt.Errorf("device: peer copy: %w", ErrNoPeer))
}

type peerKey struct{ a, b topo.NodeID }

type peerConn struct{ a, b transport.ConnID }
