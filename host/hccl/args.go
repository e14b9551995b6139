package hccl

import (
	"fmt"

	"hsim/host/device"
	"hsim/host/mem"
)

// Args is one call of a collective on one rank. Count is that of the public
// function: the vector of all_reduce and broadcast, sendCount of all_gather and
// all_to_all (per peer), recvCount of reduce_scatter. A broadcast works in Send;
// Recv is ignored.
type Args struct {
	Op        OpKind
	Send      mem.Addr
	Recv      mem.Addr
	Count     int64
	Dtype     mem.Dtype
	Red       mem.Op
	Root      int
	Algorithm Algorithm // Auto: the communicator's
	Schedule  *Schedule // of a user, instead of an algorithm; the same on all ranks
	Expansion Expansion
	Stream    *device.Stream
}

// opArgs is the part that all ranks must agree on.
type opArgs struct {
	op    OpKind
	dtype mem.Dtype
	red   mem.Op
	alg   Algorithm
	sched *Schedule
	exp   Expansion
	root  int32
	count int64
	place bool // in place; only with a schedule, whose plan depends on it
}

// String is like "all_reduce of 1024 fp32, sum".
func (a opArgs) String() string {
	s := fmt.Sprintf("%v of %d %v", a.op, a.count, a.dtype)
	if a.op.Reduces() {
		s += fmt.Sprintf(", %v", a.red)
	}
	if a.op == Broadcast {
		s += fmt.Sprintf(", root %d", a.root)
	}
	return s
}

// differ names the first argument in which two ranks differ.
func (a opArgs) differ(b opArgs) string {
	switch {
	case a.op != b.op:
		return fmt.Sprintf("operator %v against %v", a.op, b.op)
	case a.count != b.count:
		return fmt.Sprintf("count %d against %d", a.count, b.count)
	case a.dtype != b.dtype:
		return fmt.Sprintf("dataType %v against %v", a.dtype, b.dtype)
	case a.red != b.red:
		return fmt.Sprintf("op %v against %v", a.red, b.red)
	case a.root != b.root:
		return fmt.Sprintf("root %d against %d", a.root, b.root)
	case a.alg != b.alg || a.sched != b.sched:
		return fmt.Sprintf("algorithm %s against %s", algorithmName(a.alg, a.sched), algorithmName(b.alg, b.sched))
	case a.place != b.place:
		return fmt.Sprintf("in place %v against %v, which %v has to know", a.place, b.place, a.sched)
	}
	return fmt.Sprintf("expansion %v against %v", a.exp, b.exp)
}

// params are the plan parameters of a rank of m.
func (a *opArgs) params(m *Comm, rank int32, inPlace bool) Params {
	return Params{Op: a.op, Alg: a.alg, Schedule: a.sched, Ranks: len(m.ranks), Rank: int(rank), Root: int(a.root), Count: a.count,
		Elem: a.dtype.Size(), Dtype: a.dtype, Red: a.red, InPlace: inPlace, Scratch: m.cfg.BufferBytes, Group: m.model.shape.Group}
}

// check looks at everything that one rank can see. It returns the normalised
// buffers and whether the rank works in place.
func (r *Rank) check(a *Args) (send, recv mem.Addr, inPlace bool, err error) {
	m := r.comm
	bad := func(code Result, id string, cause error, format string, args ...any) (mem.Addr, mem.Addr, bool, error) {
		return 0, 0, false, &Error{Code: code, ID: id, Call: a.Op.Call(), Rank: int(r.rank), Text: fmt.Sprintf(format, args...), Err: cause}
	}
	if a.Op >= numOps {
		return bad(ErrPara, "EI0003", nil, "got operation %d", uint8(a.Op))
	}
	if err := CheckType(r.dev.Chip().Generation, a.Op, a.Dtype, a.Red); err != nil {
		e := *err.(*Error)
		e.Rank = int(r.rank)
		return 0, 0, false, &e
	}
	switch {
	case a.Stream == nil:
		return bad(ErrPtr, "EI0003", nil, "got no stream")
	case a.Stream.Device() != r.dev:
		return bad(ErrPara, "EI0003", nil, "got a stream of %s, want one of %s", a.Stream.Device().Name(), r.dev.Name())
	case a.Count < 0:
		return bad(ErrPara, "EI0003", nil, "got count %d, want 0 or more", a.Count)
	case a.Op == Broadcast && (a.Root < 0 || a.Root >= len(m.ranks)):
		return bad(ErrPara, "EI0003", nil, "got root %d, want 0 to %d", a.Root, len(m.ranks)-1)
	}
	if a.Count == 0 {
		return a.Send, a.Recv, false, nil
	}
	if limit := mem.MaxRange / a.Dtype.Size() / int64(len(m.ranks)); a.Count > limit {
		return bad(ErrPara, "EI0003", nil, "got count %d, want at most %d (one buffer holds up to %d bytes)", a.Count, limit, mem.MaxRange)
	}
	p := Params{Op: a.Op, Ranks: len(m.ranks), Count: a.Count, Elem: a.Dtype.Size()}
	send, recv = a.Send, a.Recv
	in, out := p.InBytes(), p.OutBytes()
	if a.Op == Broadcast {
		recv = send
	}
	bufs := [...]struct {
		name   string
		at     mem.Addr
		n      int64
		rights mem.Rights
	}{{"sendBuf", send, in, mem.Readable}, {"recvBuf", recv, out, mem.Writable}}
	for i, b := range bufs {
		if a.Op == Broadcast {
			if i == 1 {
				break
			}
			b.name, b.rights = "buf", mem.ReadWrite
		}
		if b.at == 0 {
			return bad(ErrPtr, "EI0003", nil, "%s is null", b.name)
		}
		if uint64(b.at)%uint64(a.Dtype.Size()) != 0 {
			return bad(ErrPara, "EI0003", nil, "%s at %v is not aligned to %d bytes of %v", b.name, b.at, a.Dtype.Size(), a.Dtype)
		}
		if err := m.mem.Check(b.at, b.n, b.rights); err != nil {
			return bad(ErrPara, "EI0003", err, "%s of %d bytes at offset %d", b.name, b.n, b.at.Offset())
		}
		if g, ok := m.mem.Lookup(b.at); ok && g.Device != r.dev.Index() {
			return bad(ErrPara, "EI0003", nil, "%s at %v is memory of %s, want memory of %s", b.name, b.at, placeName(g.Device), r.dev.Name())
		}
	}
	if a.Op == Broadcast {
		return send, recv, true, nil
	}
	if send >= recv+mem.Addr(out) || recv >= send+mem.Addr(in) {
		return send, recv, false, nil
	}
	own := int64(r.rank) * a.Count * a.Dtype.Size()
	switch a.Op {
	case AllReduce:
		inPlace = send == recv
	case AllGather:
		inPlace = send == recv.Add(own)
	case ReduceScatter:
		inPlace = recv == send.Add(own)
	}
	if !inPlace {
		return bad(ErrPara, "EI0003", nil, "sendBuf %v and recvBuf %v overlap (in place means %s)", send, recv, inPlaceRule[a.Op])
	}
	return send, recv, true, nil
}

var inPlaceRule = [numOps]string{"the same address", "sendBuf at the own part of recvBuf", "recvBuf at the own part of sendBuf", "always", "never: all_to_all needs two buffers"}

func placeName(dev int) string {
	if dev == mem.Host {
		return "the host"
	}
	return fmt.Sprintf("device %d", dev)
}
