package guest

import (
	"encoding/binary"
	"fmt"

	"hsim/host/device"
	"hsim/host/hccl"
	"hsim/host/sim"
)

// DefaultConnectTimeout is how long a rank waits for the others of its communicator: HCCL_CONNECT_TIMEOUT.
const DefaultConnectTimeout = 120 * sim.Second

// rootInfoBytes is the size of HcclRootInfo; the number of the root stands in its first bytes, after a mark.
const rootInfoBytes = 4108

var rootMark = [8]byte{'h', 's', 'i', 'm', 'r', 'o', 'o', 't'}

// roots are the communicators that are being joined, by number.
type roots struct {
	last uint64
	open map[uint64]*root
}

// root is one communicator until all ranks have joined.
type root struct {
	id      uint64
	ranks   []*member
	arrived int
	comm    *hccl.Comm
	err     error
	over    bool
	changed sim.Cond
}

// member is one rank of a communicator, as a program holds it.
type member struct {
	p      *Process
	comm   *hccl.Comm
	rank   *hccl.Rank
	dev    *device.Device
	ctx    int
	handle uint32
	left   *int // members of the communicator that have not destroyed it
	gone   bool
	spare  [2]uint32 // buffers of barriers, in the window; 0 until the first
}

// newRoot gives a number to hand round.
func (r *roots) newRoot() uint64 {
	if r.open == nil {
		r.open = map[uint64]*root{}
	}
	r.last++
	r.open[r.last] = &root{id: r.last}
	return r.last
}

func writeRoot(b []byte, id uint64) {
	clear(b)
	copy(b, rootMark[:])
	binary.LittleEndian.PutUint64(b[8:], id)
}

func readRoot(b []byte) (uint64, bool) {
	return binary.LittleEndian.Uint64(b[8:]), [8]byte(b[:8]) == rootMark
}

// String says who is missing, for reports.
func (r *root) String() string {
	var out string
	missing := 0
	for i, m := range r.ranks {
		if m != nil {
			continue
		}
		if missing++; missing <= 8 {
			out += fmt.Sprintf(" %d", i)
		}
	}
	if missing > 8 {
		out += fmt.Sprintf(" and %d more", missing-8)
	}
	return fmt.Sprintf("%d (missing ranks:%s)", r.id, out)
}

// join waits until all ranks of a root have come, and makes the communicator when the last one has.
func (s *System) join(c call, name string, id uint64, n, rank int, m *member, cfg hccl.CommConfig) error {
	bad := func(code hccl.Result, eid, format string, args ...any) error {
		return &hccl.Error{Code: code, ID: eid, Call: name, Rank: rank, Text: fmt.Sprintf(format, args...)}
	}
	r := s.roots.open[id]
	switch {
	case r == nil || r.over:
		return bad(hccl.ErrPara, "EI0015", "got a root info that no communicator waits for (HcclGetRootInfo makes one for each communicator)")
	case n < 1 || rank < 0 || rank >= n:
		return bad(hccl.ErrPara, "EI0003", "got rank %d of %d, want 0 to %d", rank, n, n-1)
	case r.ranks == nil:
		r.ranks = make([]*member, n)
	case len(r.ranks) != n:
		return bad(hccl.ErrPara, "EI0016", "got %d ranks, another rank said %d", n, len(r.ranks))
	}
	if r.ranks[rank] != nil {
		return bad(hccl.ErrPara, "EI0003", "rank %d has joined before", rank)
	}
	r.ranks[rank] = m
	if r.arrived++; r.arrived == n {
		r.over = true
		delete(s.roots.open, id)
		r.comm, r.err = s.communicator(r.ranks, cfg)
		r.changed.Broadcast(s.eng)
		return r.err
	}
	for !r.over {
		if !c.t.acl.Proc().WaitTimeout(&r.changed, s.cfg.ConnectTimeout, sim.Cause{What: "all ranks of communicator", On: r}) {
			r.ranks[rank] = nil
			r.arrived--
			return bad(hccl.ErrTimeout, "EI0015", "only %d of %d ranks joined within %v (HCCL_CONNECT_TIMEOUT)", r.arrived+1, n, s.cfg.ConnectTimeout)
		}
	}
	return r.err
}

// communicator makes a communicator and gives every member its rank of it.
func (s *System) communicator(ranks []*member, cfg hccl.CommConfig) (*hccl.Comm, error) {
	left := len(ranks)
	for _, m := range ranks {
		// The buffers are the communicator's: a rank that ends leaves them to those that still use them.
		cfg.Devices = append(cfg.Devices, m.dev)
		cfg.Ctx = append(cfg.Ctx, m.ctx)
	}
	comm, err := s.cfg.HCCL.NewComm(cfg)
	if err != nil {
		return nil, err
	}
	for i, m := range ranks {
		m.comm, m.rank, m.left = comm, comm.Rank(i), &left
	}
	return comm, nil
}
