package acl

import (
	"fmt"

	"hsim/host/mem"
)

// MemAttr is the kind of physical memory.
type MemAttr int

// The kinds.
const (
	AttrDDR          MemAttr = 0
	AttrHBM          MemAttr = 1
	AttrDDRHuge      MemAttr = 2
	AttrDDRNormal    MemAttr = 3
	AttrHBMHuge      MemAttr = 4
	AttrHBMNormal    MemAttr = 5
	AttrDDRHugeP2P   MemAttr = 6
	AttrDDRNormalP2P MemAttr = 7
	AttrHBMHugeP2P   MemAttr = 8
	AttrHBMNormalP2P MemAttr = 9
	AttrHBMHuge1G    MemAttr = 10
	AttrHBMHuge1GP2P MemAttr = 11
	numMemAttrs              = 12
)

// PhysicalProp describes physical memory. The header's handle type, allocation
// type and reserved fields take one value each, 0.
type PhysicalProp struct {
	HandleType     int
	AllocationType int
	Attr           MemAttr
	Location       Location // where: device (1)
	Device         int      // logic id
	Reserve        uint64
}

// PhysHandle is a process's reference to physical memory: the memory that it
// made, or that of another process.
type PhysHandle struct {
	object
	p      *Process
	use    *deviceUse
	block  mem.BlockID
	size   int64
	attr   MemAttr
	maps   int // mappings of this handle
	share  *shareable
	remote *shareable // imported from
}

// Size is the handle's size in bytes.
func (h *PhysHandle) Size() int64 { return h.size }

// Block is the number of the physical block.
func (h *PhysHandle) Block() mem.BlockID { return h.block }

// granularity is what sizes and addresses of physical memory are multiples of.
func (a MemAttr) granularity() int64 {
	if a == AttrHBMHuge1G || a == AttrHBMHuge1GP2P {
		return giantPage
	}
	return hugePage
}

func (t *Thread) prop(call string, p PhysicalProp) (*deviceUse, error) {
	switch {
	case p.HandleType != 0 || p.AllocationType != 0 || p.Reserve != 0:
		return nil, fail(ParamInvalid, call, "got handle type %d, allocation type %d and reserve %d, want 0", p.HandleType, p.AllocationType, p.Reserve)
	case p.Attr < 0 || p.Attr >= numMemAttrs:
		return nil, fail(ParamInvalid, call, "got memory attribute %d, want 0 to %d", p.Attr, numMemAttrs-1)
	case p.Location != LocationDevice:
		return nil, fail(ParamInvalid, call, "got location %v, want device (1)", p.Location)
	}
	return t.use(call, p.Device)
}

// MemGetAllocationGranularity is what the size of physical memory must be a
// multiple of. option is 0 (minimum) or 1 (recommended), which are the same here.
func (t *Thread) MemGetAllocationGranularity(p PhysicalProp, option int) (int64, error) {
	const call = "aclrtMemGetAllocationGranularity"
	if err := t.enter(call); err != nil {
		return 0, err
	}
	if _, err := t.prop(call, p); err != nil {
		return 0, err
	}
	if option != 0 && option != 1 {
		return 0, fail(ParamInvalid, call, "got option %d, want 0 or 1", option)
	}
	return p.Attr.granularity(), nil
}

// MallocPhysical allocates physical memory without an address. Errors:
// ParamInvalid, also for a size that is no multiple of the granularity;
// InvalidDeviceID; MemoryAllocation.
func (t *Thread) MallocPhysical(size int64, p PhysicalProp, flags uint64) (*PhysHandle, error) {
	const call = "aclrtMallocPhysical"
	if err := t.enter(call); err != nil {
		return nil, err
	}
	u, err := t.prop(call, p)
	if err != nil {
		return nil, err
	}
	if flags != 0 {
		return nil, fail(ParamInvalid, call, "got flags %#x, want 0", flags)
	}
	if g := p.Attr.granularity(); size < 1 || size%g != 0 {
		return nil, fail(ParamInvalid, call, "got %d bytes, want a multiple of %d", size, g)
	}
	if size > mem.MaxRange {
		return nil, fail(MemoryAllocation, call, "EL0004 got %d bytes, more than a device has", size)
	}
	id, err := t.p.rt.mem.NewBlock(mem.AllocSpec{Device: u.dev.Index(), Size: size})
	if err != nil {
		return nil, resource(call, err)
	}
	h := &PhysHandle{p: t.p, use: u, block: id, size: size, attr: p.Attr}
	t.p.rt.physical.add(h, t.p.rt.now())
	return h, nil
}

func (t *Thread) physical(call string, h *PhysHandle) error {
	switch {
	case h == nil:
		return fail(ParamInvalid, call, "got a null handle")
	case h.p != t.p:
		return fail(InvalidHandle, call, "got a handle that %s does not have", t.p.name)
	case h.Gone:
		return fail(InvalidHandle, call, "physical memory %d was freed", h.id)
	}
	return nil
}

// FreePhysical gives the process's reference back. The memory is free when every
// process that made or imported it has, and nothing maps it. Errors:
// InvalidHandle; ParamInvalid while it is mapped here.
func (t *Thread) FreePhysical(h *PhysHandle) error {
	const call = "aclrtFreePhysical"
	if err := t.enter(call); err != nil {
		return err
	}
	if err := t.physical(call, h); err != nil {
		return err
	}
	if h.maps > 0 {
		return fail(ParamInvalid, call, "physical memory %d is mapped at %d addresses (call aclrtUnmapMem first)", h.id, h.maps)
	}
	h.release()
	return nil
}

func (h *PhysHandle) release() {
	r := h.p.rt
	if h.share != nil {
		h.share.close()
	}
	_ = r.mem.DropBlock(h.block) // held until now
	r.physical.end(h, r.now())
}

// reservation is a reserved range and what is mapped in it.
type reservation struct {
	start    mem.Addr
	size     int64
	maps     map[mem.Addr]*memoryMap
	device   *deviceUse // of what is mapped, nil while nothing is
	imported bool       // what is mapped was imported
}

// ReserveMemAddress reserves a range of device addresses without memory. alignment
// and expected address must be 0, flags 0 or 1 (huge pages). Errors: ContextNull,
// ParamInvalid, MemoryAllocation.
func (t *Thread) ReserveMemAddress(size, alignment int64, expect mem.Addr, flags uint64) (mem.Addr, error) {
	const call = "aclrtReserveMemAddress"
	if err := t.enter(call); err != nil {
		return 0, err
	}
	c, err := t.context(call)
	switch {
	case err != nil:
		return 0, err
	case alignment != 0 || expect != 0 || flags > 1:
		return 0, fail(ParamInvalid, call, "got alignment %d, address %v and flags %#x, want 0, null, and 0 or 1", alignment, expect, flags)
	case size < 1 || size%hugePage != 0:
		return 0, fail(ParamInvalid, call, "got %d bytes, want a multiple of %d", size, hugePage)
	case size > mem.MaxRange:
		return 0, fail(MemoryAllocation, call, "got %d bytes, want at most %d", size, mem.MaxRange)
	}
	a, err := t.p.rt.mem.Reserve(mem.AllocSpec{Device: c.use.dev.Index(), Size: size, Pid: t.p.pid, Ctx: c.id})
	if err != nil {
		return 0, wrap(MemoryAllocation, call, err)
	}
	t.p.reserved[a] = &reservation{start: a, size: size, maps: map[mem.Addr]*memoryMap{}}
	return a, nil
}

// ReleaseMemAddress gives a reserved range back. ParamInvalid for an address at
// which none starts, and while something is mapped in it.
func (t *Thread) ReleaseMemAddress(a mem.Addr) error {
	const call = "aclrtReleaseMemAddress"
	if err := t.enter(call); err != nil {
		return err
	}
	v := t.p.reserved[a]
	switch {
	case v == nil:
		return fail(ParamInvalid, call, "no reserved range of %s starts at %v", t.p.name, a)
	case len(v.maps) > 0:
		return fail(ParamInvalid, call, "%d mappings are left in the range at %v (call aclrtUnmapMem first)", len(v.maps), a)
	}
	delete(t.p.reserved, a)
	return t.done(call, t.p.rt.mem.Free(a))
}

// MapMem maps physical memory at an address inside a reserved range. size is that
// of the memory, offset and flags are 0. Errors: InvalidHandle; AddrUnaligned for
// an address off the granularity; ParamInvalid for the rest: sizes, overlaps,
// addresses outside, devices or own and imported memory mixed in one range.
func (t *Thread) MapMem(a mem.Addr, size, offset int64, h *PhysHandle, flags uint64) error {
	const call = "aclrtMapMem"
	if err := t.enter(call); err != nil {
		return err
	}
	if err := t.physical(call, h); err != nil {
		return err
	}
	v := t.p.reserved[a.Start()]
	switch {
	case offset != 0 || flags != 0:
		return fail(ParamInvalid, call, "got offset %d and flags %#x, want 0", offset, flags)
	case v == nil:
		return fail(ParamInvalid, call, "%v is in no reserved range of %s", a, t.p.name)
	case size != h.size:
		return fail(ParamInvalid, call, "got %d bytes, want the memory's %d", size, h.size)
	case a.Offset()%h.attr.granularity() != 0:
		return fail(AddrUnaligned, call, "%v is %d bytes into its range, want a multiple of %d", a, a.Offset(), h.attr.granularity())
	case len(v.maps) > 0 && (v.device != h.use || v.imported != (h.remote != nil)):
		return fail(ParamInvalid, call, "the range at %v holds memory of another device, or own and imported memory would mix", v.start)
	}
	if err := t.p.rt.mem.Map(a, h.block); err != nil {
		return wrap(ParamInvalid, call, err)
	}
	v.device, v.imported = h.use, h.remote != nil
	m := &memoryMap{p: t.p, ptr: a, size: size, block: h.block, phys: h}
	t.p.rt.maps.add(m, t.p.rt.now())
	v.maps[a] = m
	h.maps++
	return nil
}

// UnmapMem takes away the mapping that starts at an address; memory and range
// stay. ParamInvalid when none does.
func (t *Thread) UnmapMem(a mem.Addr) error {
	const call = "aclrtUnmapMem"
	if err := t.enter(call); err != nil {
		return err
	}
	v := t.p.reserved[a.Start()]
	if v == nil || v.maps[a] == nil {
		return fail(ParamInvalid, call, "no mapping starts at %v", a)
	}
	m := v.maps[a]
	delete(v.maps, a)
	m.phys.maps--
	t.p.rt.maps.end(m, t.p.rt.now())
	return t.done(call, t.p.rt.mem.Unmap(a))
}

// AccessDesc is what MemSetAccess grants a device.
type AccessDesc struct {
	Flags    int // 0 nothing, 1 read, 3 read and write
	Location Location
	Device   int // logic id
}

// MemSetAccess sets what devices may do with mapped memory: whole mappings. The
// memory's own device starts with everything; another one needs it, or peer
// access. Errors: ParamInvalid, InvalidDeviceID.
func (t *Thread) MemSetAccess(a mem.Addr, size int64, list []AccessDesc) error {
	const call = "aclrtMemSetAccess"
	if err := t.enter(call); err != nil {
		return err
	}
	v := t.p.reserved[a.Start()]
	if v == nil || len(list) == 0 || size < 1 || size > v.size-a.Offset() {
		return fail(ParamInvalid, call, "got %d bytes at %v and %d devices, want a reserved range and 1 device or more", size, a, len(list))
	}
	for _, d := range list {
		u, err := t.use(call, d.Device)
		if err != nil {
			return err
		}
		rights := mem.Rights(0)
		switch d.Flags {
		case 0:
		case 1:
			rights = mem.Readable
		case 3:
			rights = mem.ReadWrite
		default:
			return fail(ParamInvalid, call, "got access flags %d, want 0, 1 or 3", d.Flags)
		}
		if u == v.device {
			if err := t.p.rt.mem.SetRights(a, size, rights); err != nil {
				return wrap(ParamInvalid, call, err)
			}
			continue
		}
		for at, m := range v.maps {
			if at >= a && at < a.Add(size) {
				m.grant(u.dev.Index(), rights)
			}
		}
	}
	return nil
}

// memoryMap is a second address of physical memory: a mapping in a reserved
// range, or the device's address of registered host memory.
type memoryMap struct {
	object
	p      *Process
	ptr    mem.Addr
	host   mem.Addr // of registered host memory, else 0
	size   int64
	block  mem.BlockID
	phys   *PhysHandle
	access map[int]mem.Rights // devices with rights of their own
}

func (m *memoryMap) grant(device int, r mem.Rights) {
	if m.access == nil {
		m.access = map[int]mem.Rights{}
	}
	m.access[device] = r
}

// granted says whether MemSetAccess lets the device use the memory at a.
func (p *Process) granted(device int, a mem.Addr) bool {
	v := p.reserved[a.Start()]
	if v == nil {
		return false
	}
	for at, m := range v.maps {
		if a >= at && a < at.Add(m.size) {
			return m.access[device] != 0
		}
	}
	return false
}

// String names the handle in errors.
func (h *PhysHandle) String() string { return fmt.Sprintf("physical memory %d", h.id) }
