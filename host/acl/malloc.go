package acl

import (
	"errors"
	"fmt"

	"hsim/host/mem"
)

// Policies of an allocation, and bits that may be or-ed to them.
const (
	MallocHugeFirst     = 0
	MallocHugeOnly      = 1
	MallocNormalOnly    = 2
	MallocHugeFirstP2P  = 3
	MallocHugeOnlyP2P   = 4
	MallocNormalOnlyP2P = 5
	MallocHuge1G        = 6
	MallocHuge1GP2P     = 7
	mallocPolicies      = 8
	mallocTypeLow       = 0x100
	mallocTypeHigh      = 0x1000
	mallocUserReadOnly  = 0x100000

	policyTS      = 1 << 30 // kept with the range: task scheduler memory of a program
	policyWrapped = 1 << 29 // a program's own bytes
)

// Page sizes in bytes.
const (
	normalPage = 4 << 10
	hugePage   = 2 << 20
	giantPage  = 1 << 30

	hugeFrom = 1 << 20 // "huge first" takes normal pages up to this size
)

// pageSize is the page that a policy takes for a size.
func pageSize(policy uint32, size int64) int64 {
	switch policy & 0xff {
	case MallocHugeOnly, MallocHugeOnlyP2P:
		return hugePage
	case MallocNormalOnly, MallocNormalOnlyP2P:
		return normalPage
	case MallocHuge1G, MallocHuge1GP2P:
		return giantPage
	}
	if size > hugeFrom {
		return hugePage
	}
	return normalPage
}

// MallocAttr is an attribute of MallocWithCfg.
type MallocAttr struct {
	ID    int
	Value uint64
}

// The attributes of an allocation.
const (
	MallocModuleID = 1 // who accounts for it, kept and not needed
	MallocDeviceID = 2 // logic id of the device, instead of the current one
)

// Malloc allocates size bytes on the current device. MemoryAllocation when the
// device has not enough pages left.
func (t *Thread) Malloc(size int64, policy uint32) (mem.Addr, error) {
	return t.malloc("aclrtMalloc", mem.AllocSpec{Size: size, Policy: policy, Kind: mem.KindMalloc}, nil)
}

// MallocNamed is Malloc with a name for errors.
func (t *Thread) MallocNamed(size int64, policy uint32, name string) (mem.Addr, error) {
	return t.malloc("aclrtMalloc", mem.AllocSpec{Size: size, Policy: policy, Kind: mem.KindMalloc, Name: name}, nil)
}

// MallocWithCfg is Malloc with attributes. Errors: ContextNull, ParamInvalid for a
// size below 1 or an attribute, InvalidMallocType for a policy, InvalidDeviceID,
// MemoryAllocation.
func (t *Thread) MallocWithCfg(size int64, policy uint32, attrs []MallocAttr) (mem.Addr, error) {
	return t.malloc("aclrtMallocWithCfg", mem.AllocSpec{Size: size, Policy: policy, Kind: mem.KindMalloc}, attrs)
}

// MallocForTaskScheduler is MallocWithCfg of memory that the task scheduler
// reaches.
func (t *Thread) MallocForTaskScheduler(size int64, policy uint32, attrs []MallocAttr) (mem.Addr, error) {
	return t.malloc("aclrtMallocForTaskScheduler", mem.AllocSpec{Size: size, Policy: policy, Kind: mem.KindTs}, attrs)
}

func (t *Thread) malloc(call string, spec mem.AllocSpec, attrs []MallocAttr) (mem.Addr, error) {
	if err := t.enter(call); err != nil {
		return 0, err
	}
	c, err := t.context(call)
	if err != nil {
		return 0, err
	}
	u := c.use
	for _, a := range attrs {
		switch a.ID {
		case MallocModuleID:
		case MallocDeviceID:
			if u, err = t.use(call, int(min(a.Value, 1<<31-1))); err != nil {
				return 0, err
			}
		default:
			return 0, fail(ParamInvalid, call, "got attribute %d, want 1 (module) or 2 (device)", a.ID)
		}
	}
	switch {
	case spec.Size < 1:
		return 0, fail(ParamInvalid, call, "got %d bytes, want 1 or more", spec.Size)
	case spec.Policy&^(mallocTypeLow|mallocTypeHigh|mallocUserReadOnly) >= mallocPolicies:
		return 0, fail(InvalidMallocType, call, "got policy %#x, want 0 to 7 with type bits", spec.Policy)
	}
	spec.Device, spec.Pid, spec.Ctx = u.dev.Index(), t.p.pid, c.id
	if spec.Kind == mem.KindTs {
		spec.Policy |= policyTS
	}
	return t.p.rt.pages(call, spec)
}

// pages allocates whole pages; "huge first" falls back to normal ones.
func (r *Runtime) pages(call string, spec mem.AllocSpec) (mem.Addr, error) {
	page := pageSize(spec.Policy, spec.Size)
	if spec.Size > mem.MaxRange {
		return 0, fail(MemoryAllocation, call, "EL0004 got %d bytes, more than a device has", spec.Size)
	}
	spec.Charge = roundUp(spec.Size, page)
	a, err := r.mem.Alloc(spec)
	first := spec.Policy&0xff == MallocHugeFirst || spec.Policy&0xff == MallocHugeFirstP2P
	if errors.Is(err, mem.ErrOutOfMemory) && first && page > normalPage {
		spec.Charge = roundUp(spec.Size, normalPage)
		a, err = r.mem.Alloc(spec)
	}
	switch {
	case errors.Is(err, mem.ErrOutOfMemory):
		return 0, &Error{Code: MemoryAllocation, Call: call, Text: fmt.Sprintf("EL0004 device memory is used up: got %d bytes in pages of %d", spec.Size, page), Err: err}
	case err != nil:
		return 0, wrap(ParamInvalid, call, err)
	}
	return a, nil
}

func roundUp(n, page int64) int64 { return (n + page - 1) / page * page }

// MallocHost allocates page-locked memory of the host. Errors: ParamInvalid,
// MemoryAllocation.
func (t *Thread) MallocHost(size int64) (mem.Addr, error) {
	return t.mallocHost("aclrtMallocHost", size)
}

// MallocHostWithCfg is MallocHost with attributes, of which only the module counts
// here.
func (t *Thread) MallocHostWithCfg(size int64, attrs []MallocAttr) (mem.Addr, error) {
	const call = "aclrtMallocHostWithCfg"
	for _, a := range attrs {
		if a.ID != MallocModuleID {
			t.pay()
			return 0, fail(ParamInvalid, call, "got attribute %d, want 1 (module)", a.ID)
		}
	}
	return t.mallocHost(call, size)
}

func (t *Thread) mallocHost(call string, size int64) (mem.Addr, error) {
	if err := t.enter(call); err != nil {
		return 0, err
	}
	if size < 1 {
		return 0, fail(ParamInvalid, call, "got %d bytes, want 1 or more", size)
	}
	spec := mem.AllocSpec{Device: mem.Host, Size: size, Pid: t.p.pid, Kind: mem.KindHost}
	if t.ctx != nil {
		spec.Ctx = t.ctx.id
	}
	a, err := t.p.rt.mem.Alloc(spec)
	if err != nil {
		return 0, wrap(MemoryAllocation, call, err)
	}
	return a, nil
}
