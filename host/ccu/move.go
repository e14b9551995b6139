package ccu

import (
	"fmt"

	"hsim/host/mem"
	"hsim/host/record"
	"hsim/host/sim"
	"hsim/host/units"
)

// maxWrite bounds one write to a peer. Source: the programming guide's limit.
const maxWrite = 256 << 20

// side is one end of a move in memory.
type side struct {
	at    mem.Addr
	token uint64
	slot  Slot // of its address
	write bool
	far   bool
	ms    bool
}

// sides finds the two ends of a move from its instruction.
func (t *thread) sides(ins *Instruction) (dst, src side, ok bool) {
	v := &ins.V
	memory := func(s Slot, far bool) side {
		return side{at: t.operand(v[s], v[s+1]), token: t.u.xn[v[s+1]], slot: s, far: far}
	}
	ok = true
	buffer := func(s Slot) side {
		at, fine := t.buffer(v[s])
		ok = ok && fine
		return side{at: at, slot: s, ms: true}
	}
	switch ins.Op {
	case OpMemToMS, OpRemoteMemToMS:
		dst, src = buffer(SlotA), memory(SlotB, ins.Op == OpRemoteMemToMS)
	case OpMSToMem, OpMSToRemoteMem:
		dst, src = memory(SlotA, ins.Op == OpMSToRemoteMem), buffer(SlotC)
	case OpMSToMS:
		dst, src = buffer(SlotA), buffer(SlotB)
	default:
		dst, src = memory(SlotA, ins.Op == OpWrite), memory(SlotC, ins.Op == OpRead)
	}
	dst.write = true
	return dst, src, ok
}

// move starts a move.
func (t *thread) move(ins *Instruction) {
	u, v := t.u, &ins.V
	n := int64(BufferSize)
	if v[SlotLenOn] != 0 {
		n = int64(u.xn[v[SlotLen]])
	}
	dst, src, ok := t.sides(ins)
	if v[SlotChannel] == loopback {
		dst.far, src.far = false, false
	}
	switch {
	case !ok:
		t.refuse(StatusLocal, "got a buffer that the die does not have, want less than %d", u.Capacity(Buffers))
		return
	case n <= 0:
		t.refuse(StatusLocal, "got a length of %d, want at least 1 byte", n)
		return
	case (dst.ms || src.ms) && n > BufferSize:
		t.refuse(StatusLocal, "got %d bytes for a buffer, want at most %d", n, BufferSize)
		return
	case dst.far && n >= maxWrite:
		t.refuse(StatusLocal, "got a write of %d bytes to a peer, want less than %d", n, maxWrite)
		return
	}
	for _, s := range []*side{&dst, &src} {
		if s.ms {
			continue
		}
		if err := u.allowed(s, n); err != nil {
			t.refuse(StatusAccess, "%s: %w", map[bool]string{true: "destination", false: "source"}[s.write], err)
			return
		}
	}
	x := transfer{dst: dst.at, src: src.at, n: n, fold: v[SlotReduceOn] != 0}
	if x.fold {
		x.dt, _ = typeOf(remoteTypes, v[SlotDtype])
		x.red = operatorOf(v[SlotReduce])
	}
	if dst.far || src.far {
		t.remote(ins, &x, &dst, &src)
		return
	}
	t.local(ins, &x)
}

// remote posts a move to or from a peer.
func (t *thread) remote(ins *Instruction, x *transfer, dst, src *side) {
	c := t.u.channelOf(ins.V[SlotChannel])
	if c == nil || c.conn == 0 {
		t.refuse(StatusRemote, "got channel %d, want an open one to a peer", ins.V[SlotChannel])
		return
	}
	r := Request{Kind: Write, Local: x.src, Remote: x.dst, Len: x.n, RKey: uint32(dst.token), Dtype: x.dt, Red: x.red}
	switch {
	case src.far:
		r.Kind, r.Local, r.Remote, r.RKey = Read, x.dst, x.src, uint32(src.token)
		if x.fold {
			// The transport reads, and the die combines what came.
			stage, err := t.u.e.cfg.Mem.Alloc(mem.AllocSpec{Device: t.u.e.cfg.Device, Size: x.n, Name: "stage of " + t.u.Name()})
			if err != nil {
				t.refuse(StatusLocal, "%w", err)
				return
			}
			x.stage, r.Local = stage, stage
		}
	case x.fold:
		r.Kind = WriteReduce
	}
	t.begin(x, ins)
	t.post(c, &r, x)
}

// post hands a request to the device.
func (t *thread) post(c *Channel, r *Request, x *transfer) {
	e := t.u.e
	if e.cfg.Port == nil {
		t.m.fail(StatusRemote, x.pc, fmt.Errorf("got no way to peers"))
		return
	}
	i := e.keep(x)
	r.ID = uint64(i)
	if err := e.cfg.Port.Post(c.conn, r); err != nil {
		e.take(i)
		t.m.fail(StatusRemote, x.pc, err)
	}
}

// local starts a move inside the device. It takes its path from the thread's own
// time on, so nobody has to wake for it.
func (t *thread) local(ins *Instruction, x *transfer) {
	u := t.u
	c := &u.e.cfg.Chip.CCU
	d := span(c.MSCopyRate, x.n)
	var end sim.Time
	switch {
	case x.fold:
		d = span(c.MSReduceRate, x.n)
		end = u.fold.take(t.at, d)
	case ins.Op == OpMSToMem:
		end = u.out.take(t.at, d)
	case ins.Op == OpMemToMem || ins.Op == OpRead || ins.Op == OpWrite:
		end = u.in.take(max(t.at, u.out.free), d)
		u.out.free = end
	default:
		end = u.in.take(t.at, d)
	}
	t.begin(x, ins)
	u.trace(ins.Op, x, end-d, end)
	u.later(t, x, end)
}

func span(r units.Rate, n int64) sim.Time {
	if r <= 0 {
		return 0
	}
	return r.Time(n)
}

// trace records what a path of the die does.
func (u *Unit) trace(op Op, x *transfer, start, end sim.Time) {
	rec := u.e.cfg.Record
	if !rec.On() {
		return
	}
	path := "in"
	switch {
	case x.fold || x.count > 0:
		path = "adders"
	case op == OpMSToMem:
		path = "out"
	}
	rec.Span(rec.Track(u.e.cfg.Name(), fmt.Sprintf("die %d %s", u.die, path)), op.String(), start, end, record.Int("bytes", x.n))
}
