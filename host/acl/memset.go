package acl

import (
	"hsim/host/device"
	"hsim/host/mem"
)

// Memset sets count bytes at a to value and waits for it. maxCount is what the
// caller says is there.
func (t *Thread) Memset(a mem.Addr, maxCount int64, value byte, count int64) error {
	const call = "aclrtMemset"
	if err := t.enter(call); err != nil {
		return err
	}
	c, err := t.context(call)
	if err != nil {
		return err
	}
	if err := t.unsafe(call); err != nil {
		return err
	}
	r, loc, err := t.checkSet(call, a, maxCount, count)
	if err != nil {
		return err
	}
	if loc == LocationHost {
		return t.done(call, t.p.rt.mem.Fill(a, count, value))
	}
	if err := t.peerRights(call, c.use, "dst", a, r, loc); err != nil {
		return err
	}
	return t.hidden(call, c.use, &device.Task{Kind: device.KindFill, Dst: a, Len: count, Value: uint64(value)})
}

// MemsetAsync queues Memset of device memory.
func (t *Thread) MemsetAsync(a mem.Addr, maxCount int64, value byte, count int64, s *Stream) error {
	const call = "aclrtMemsetAsync"
	s, err := t.copyStream(call, s)
	if err != nil {
		return err
	}
	r, loc, err := t.checkSet(call, a, maxCount, count)
	if err != nil {
		return err
	}
	if loc != LocationDevice {
		return fail(ParamInvalid, call, "%v is %v memory (loc type=%d), want device memory", a, loc, loc)
	}
	if err := t.peerRights(call, s.ctx.use, "dst", a, r, loc); err != nil {
		return err
	}
	return t.push(call, s, &device.Task{Kind: device.KindFill, Dst: a, Len: count, Value: uint64(value)},
		&TaskRow{Type: TypeMemcpy, What: "set", Dst: a, Size: count})
}

// copyStream resolves the stream of a copy or fill.
func (t *Thread) copyStream(call string, s *Stream) (*Stream, error) {
	if err := t.enterLaunch(call); err != nil {
		return nil, err
	}
	s, err := t.stream(call, s)
	if err != nil {
		return nil, err
	}
	return s, t.implicit(call, s)
}

func (t *Thread) checkSet(call string, a mem.Addr, maxCount, count int64) (mem.Range, Location, error) {
	r, loc := t.locate(a)
	if count <= 0 || maxCount < count {
		return r, loc, fail(ParamInvalid, call, "got count %d and maxCount %d, want 1 <= count <= maxCount", count, maxCount)
	}
	return r, loc, t.checkRange(call, "dst", a, count, r, loc, mem.Writable)
}
