package acl

import (
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

// PointerAttributes is what PointerGetAttributes tells.
type PointerAttributes struct {
	Location Location
	Device   int   // logic id, -1 for host memory and where the process does not see the device
	PageSize int64 // bytes, 0 where nothing is allocated
	Context  int   // in which the memory was made, 0 for none
}

// PointerGetAttributes tells where an address lives; one that nobody allocated is
// unregistered. ParamInvalid for null.
func (t *Thread) PointerGetAttributes(a mem.Addr) (PointerAttributes, error) {
	const call = "aclrtPointerGetAttributes"
	if err := t.enter(call); err != nil {
		return PointerAttributes{}, err
	}
	if a == 0 {
		return PointerAttributes{}, fail(ParamInvalid, call, "got a null pointer")
	}
	r, loc := t.locate(a)
	p := PointerAttributes{Location: loc, Device: -1}
	if loc == LocationUnregistered {
		return p, nil
	}
	p.PageSize, p.Context = pageOf(r), r.Ctx
	if loc == LocationDevice {
		if u := t.p.useOf(r.Device); u != nil {
			p.Device = u.logic
		}
	}
	return p, nil
}

// pageOf is the page size behind a range.
func pageOf(r mem.Range) int64 {
	switch r.Kind {
	case mem.KindMalloc, mem.KindTs, mem.KindIPC:
		return pageSize(r.Policy, r.Size)
	case mem.KindReserve, mem.KindFd:
		return hugePage
	}
	return normalPage
}

// Free frees memory of Malloc and its like by its first address, without waiting
// for tasks that use it. ParamInvalid for every other address: null, interior,
// freed, of the host, reserved, imported, of another process.
func (t *Thread) Free(a mem.Addr) error {
	return t.free("aclrtFree", a, mem.KindMalloc)
}

// FreeWithDevSync is Free after all tasks of the process on the current device.
func (t *Thread) FreeWithDevSync(a mem.Addr) error {
	if err := t.SynchronizeDevice(); err != nil {
		return err
	}
	return t.free("aclrtFreeWithDevSync", a, mem.KindMalloc)
}

// FreeHost frees memory of MallocHost.
func (t *Thread) FreeHost(a mem.Addr) error { return t.free("aclrtFreeHost", a, mem.KindHost) }

func (t *Thread) free(call string, a mem.Addr, kind mem.Kind) error {
	if err := t.enter(call); err != nil {
		return err
	}
	r, loc := t.locate(a)
	switch {
	case a == 0:
		return fail(ParamInvalid, call, "got a null pointer")
	case loc == LocationUnregistered && r.Freed:
		return fail(ParamInvalid, call, "%v (%s) was freed before", a, r.Name)
	case loc == LocationUnregistered:
		return fail(ParamInvalid, call, "%v is not allocated", a)
	case r.Pid != t.p.pid:
		return fail(ParamInvalid, call, "%v (%s) belongs to another process or to the system", a, r.Name)
	case r.Policy&policyWrapped != 0:
		return fail(ParamInvalid, call, "%v (%s) is the program's own memory", a, r.Name)
	case r.Kind != kind && !(kind == mem.KindMalloc && r.Kind == mem.KindTs && r.Policy&policyTS != 0):
		return fail(ParamInvalid, call, "%v (%s) is %v memory, want %v", a, r.Name, r.Kind, kind)
	case a != r.Start:
		return fail(ParamInvalid, call, "%v is %d bytes into %s, want its first address", a, a.Offset(), r.Name)
	case t.p.mapped(a, r.Size) != nil:
		return fail(ParamInvalid, call, "%v (%s) is registered (call aclrtHostUnregister first)", a, r.Name)
	}
	return t.done(call, t.p.rt.mem.Free(a))
}

// Wrap makes a Go slice addressable as host memory of the process, the way a
// program's own buffers are.
func (t *Thread) Wrap(b []byte, name string) (mem.Addr, error) {
	return t.p.rt.mem.Wrap(mem.AllocSpec{Device: mem.Host, Size: int64(len(b)), Pid: t.p.pid, Kind: mem.KindHost, Policy: policyWrapped, Name: name}, b)
}

// Unwrap ends Wrap.
func (t *Thread) Unwrap(a mem.Addr) error { return t.p.rt.mem.Free(a) }

// GetMemInfo is the free and total memory of the current device in bytes.
func (t *Thread) GetMemInfo() (free, total int64, err error) {
	const call = "aclrtGetMemInfo"
	if err := t.enter(call); err != nil {
		return 0, 0, err
	}
	c, err := t.context(call)
	if err != nil {
		return 0, 0, err
	}
	total, used, _ := t.p.rt.mem.Usage(c.use.dev.Index())
	return total - used, total, nil
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

// reclaimMemory gives back the memory of a process that ends.
func (p *Process) reclaimMemory() {
	r := p.rt
	p.closeShares()
	var starts []mem.Addr
	r.mem.Ranges(func(x mem.Range) bool {
		if !x.Freed && x.Pid == p.pid {
			starts = append(starts, x.Start)
		}
		return true
	})
	r.maps.live(func(m *memoryMap) {
		if m.p == p {
			r.maps.end(m, r.now())
		}
	})
	clear(p.registered)
	clear(p.reserved)
	for _, a := range starts {
		_ = r.mem.Free(a) // live, and its start
	}
	r.physical.live(func(h *PhysHandle) {
		if h.p == p {
			h.release()
		}
	})
}
