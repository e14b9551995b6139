package acl

import (
	"errors"

	"hsim/host/device"
	"hsim/host/mem"
)

// Location is where an address lives.
type Location int

// The locations.
const (
	LocationHost         Location = 0
	LocationDevice       Location = 1
	LocationUnregistered Location = 2
)

// String names the location.
func (l Location) String() string {
	switch l {
	case LocationHost:
		return "host"
	case LocationDevice:
		return "device"
	}
	return "unregistered"
}

// Policies of an allocation, and bits that may be or-ed to them.
const (
	MallocHugeFirst    = 0
	MallocHugeOnly     = 1
	MallocNormalOnly   = 2
	mallocPolicies     = 8
	mallocTypeLow      = 0x100
	mallocTypeHigh     = 0x1000
	mallocUserReadOnly = 0x100000
)

// Malloc allocates size bytes on the current device. MemoryAllocation when the
// device has not enough left.
func (t *Thread) Malloc(size int64, policy uint32) (mem.Addr, error) {
	return t.MallocNamed(size, policy, "")
}

// MallocNamed is Malloc with a name for errors.
func (t *Thread) MallocNamed(size int64, policy uint32, name string) (mem.Addr, error) {
	const call = "aclrtMalloc"
	t.pay()
	c, err := t.context(call)
	if err != nil {
		return 0, err
	}
	if size <= 0 {
		return 0, fail(ParamInvalid, call, "got %d bytes, want 1 or more", size)
	}
	if policy&^(mallocTypeLow|mallocTypeHigh|mallocUserReadOnly) >= mallocPolicies {
		return 0, fail(ParamInvalid, call, "got policy %#x, want 0 to 7 with type bits", policy)
	}
	a, err := t.p.rt.mem.Alloc(mem.AllocSpec{Device: c.use.dev.Index(), Size: size, Pid: t.p.pid, Ctx: c.id, Kind: mem.KindMalloc, Policy: policy, Name: name})
	if err != nil {
		if errors.Is(err, mem.ErrOutOfMemory) {
			return 0, resource(call, err)
		}
		return 0, wrap(ParamInvalid, call, err)
	}
	return a, nil
}

// Free frees memory of Malloc by its first address, without waiting for tasks
// that use it.
func (t *Thread) Free(a mem.Addr) error { return t.free("aclrtFree", a, mem.KindMalloc) }

// MallocHost allocates page-locked memory of the host.
func (t *Thread) MallocHost(size int64) (mem.Addr, error) {
	const call = "aclrtMallocHost"
	t.pay()
	if _, err := t.context(call); err != nil {
		return 0, err
	}
	if size <= 0 {
		return 0, fail(ParamInvalid, call, "got %d bytes, want 1 or more", size)
	}
	a, err := t.p.rt.mem.Alloc(mem.AllocSpec{Device: mem.Host, Size: size, Pid: t.p.pid, Ctx: t.ctx.id, Kind: mem.KindHost})
	if err != nil {
		return 0, wrap(MemoryAllocation, call, err)
	}
	return a, nil
}

// FreeHost frees memory of MallocHost.
func (t *Thread) FreeHost(a mem.Addr) error { return t.free("aclrtFreeHost", a, mem.KindHost) }

func (t *Thread) free(call string, a mem.Addr, kind mem.Kind) error {
	t.pay()
	r, loc := t.locate(a)
	switch {
	case loc == LocationUnregistered:
		return fail(ParamInvalid, call, "%v is not allocated", a)
	case r.Pid != t.p.pid:
		return fail(ParamInvalid, call, "%v (%s) belongs to another process", a, r.Name)
	case r.Kind != kind:
		return fail(ParamInvalid, call, "%v (%s) is %v memory, want %v", a, r.Name, r.Kind, kind)
	case a != r.Start:
		return fail(ParamInvalid, call, "%v is %d bytes into %s, want its first address", a, a.Offset(), r.Name)
	}
	if err := t.p.rt.mem.Free(a); err != nil {
		return wrap(ParamInvalid, call, err)
	}
	return nil
}

// Wrap makes a Go slice addressable as host memory of the process, the way a
// program's own buffers are.
func (t *Thread) Wrap(b []byte, name string) (mem.Addr, error) {
	return t.p.rt.mem.Wrap(mem.AllocSpec{Device: mem.Host, Size: int64(len(b)), Pid: t.p.pid, Name: name}, b)
}

// Unwrap ends Wrap.
func (t *Thread) Unwrap(a mem.Addr) error { return t.p.rt.mem.Free(a) }

// GetMemInfo is the free and total memory of the current device in bytes.
func (t *Thread) GetMemInfo() (free, total int64, err error) {
	t.pay()
	c, err := t.context("aclrtGetMemInfo")
	if err != nil {
		return 0, 0, err
	}
	total, used, _ := t.p.rt.mem.Usage(c.use.dev.Index())
	return total - used, total, nil
}

// PointerGetAttributes tells where an address lives; device is the logic id,
// -1 for host memory and for addresses that are not known.
func (t *Thread) PointerGetAttributes(a mem.Addr) (loc Location, device int) {
	t.pay()
	r, loc := t.locate(a)
	device = -1
	if loc == LocationDevice {
		if u := t.p.useOf(r.Device); u != nil {
			device = u.logic
		}
	}
	return loc, device
}

// locate describes the live range that holds a.
func (t *Thread) locate(a mem.Addr) (mem.Range, Location) {
	r, ok := t.p.rt.mem.Lookup(a)
	switch {
	case !ok || r.Freed:
		return r, LocationUnregistered
	case r.Device == mem.Host && r.Kind != mem.KindRegistered:
		return r, LocationHost
	}
	return r, LocationDevice
}

// Memset sets count bytes at a to value and waits for it. maxCount is what the
// caller says is there.
func (t *Thread) Memset(a mem.Addr, maxCount int64, value byte, count int64) error {
	const call = "aclrtMemset"
	t.pay()
	c, err := t.context(call)
	if err != nil {
		return err
	}
	loc, err := t.checkSet(call, a, maxCount, count)
	if err != nil {
		return err
	}
	if loc == LocationHost {
		return t.done(call, t.p.rt.mem.Fill(a, count, value))
	}
	return t.hidden(call, c.use, &device.Task{Kind: device.KindFill, Dst: a, Len: count, Value: uint64(value)})
}

// MemsetAsync queues Memset of device memory.
func (t *Thread) MemsetAsync(a mem.Addr, maxCount int64, value byte, count int64, s *Stream) error {
	const call = "aclrtMemsetAsync"
	t.payLaunch()
	s, err := t.stream(call, s)
	if err != nil {
		return err
	}
	loc, err := t.checkSet(call, a, maxCount, count)
	if err != nil {
		return err
	}
	if loc != LocationDevice {
		return fail(ParamInvalid, call, "%v is %v memory (loc type=%d), want device memory", a, loc, loc)
	}
	return t.push(call, s, &device.Task{Kind: device.KindFill, Dst: a, Len: count, Value: uint64(value)},
		&TaskRow{Type: TypeMemcpy, What: "set", Dst: a, Size: count})
}

func (t *Thread) checkSet(call string, a mem.Addr, maxCount, count int64) (Location, error) {
	if count <= 0 || maxCount < count {
		return 0, fail(ParamInvalid, call, "got count %d and maxCount %d, want 1 <= count <= maxCount", count, maxCount)
	}
	r, loc := t.locate(a)
	if err := t.checkRange(call, "dst", a, count, r, loc, mem.Writable); err != nil {
		return 0, err
	}
	return loc, nil
}

// checkRange holds that a transfer stays inside one range that the process may
// use.
func (t *Thread) checkRange(call, side string, a mem.Addr, n int64, r mem.Range, loc Location, need mem.Rights) error {
	switch {
	case loc == LocationUnregistered && r.Freed:
		return fail(ParamInvalid, call, "%s %v lies in %s, which was freed (loc type=%d)", side, a, r.Name, loc)
	case loc == LocationUnregistered:
		return fail(ParamInvalid, call, "%s %v is not allocated (loc type=%d)", side, a, loc)
	case r.Kind == mem.KindRegistered:
		return fail(ParamInvalid, call, "%s %v is the device's address of registered host memory, which only kernels use", side, a)
	case r.Kind == mem.KindRegister:
		return fail(ParamInvalid, call, "%s %v is a register", side, a)
	case r.Pid != 0 && r.Pid != t.p.pid:
		return fail(ParamInvalid, call, "%s %v lies in %s of process %d (import it first)", side, a, r.Name, r.Pid)
	}
	if err := t.p.rt.mem.Check(a, n, need); err != nil {
		return &Error{Code: ParamInvalid, Call: call, Text: side, Err: err}
	}
	return nil
}

func (t *Thread) done(call string, err error) error {
	if err != nil {
		return wrap(ParamInvalid, call, err)
	}
	return nil
}
