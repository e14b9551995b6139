package acl

import (
	"hsim/host/mem"
)

// HostRegisterType is how registered host memory is mapped.
type HostRegisterType int

// The types.
const (
	HostMapped   HostRegisterType = 0
	HostIOMemory HostRegisterType = 4
	HostReadOnly HostRegisterType = 8
)

// HostRegister gives host memory of the process an address by which kernels of the
// current device reach it: two addresses, one memory. Copies do not take that
// address. Errors: ContextNull; FeatureNotSupport on the first generation;
// AddrUnaligned for an address off the chip's alignment; ParamInvalid for another
// type, memory that is not the host's, and a range that is registered already.
func (t *Thread) HostRegister(a mem.Addr, size int64, kind HostRegisterType) (mem.Addr, error) {
	const call = "aclrtHostRegister"
	if err := t.enter(call); err != nil {
		return 0, err
	}
	c, err := t.context(call)
	if err != nil {
		return 0, err
	}
	r, loc := t.locate(a)
	chip := c.use.dev.Chip()
	switch {
	case firstGeneration(chip):
		return 0, fail(FeatureNotSupport, call, "chip %s does not map host memory", chip.Name)
	case kind != HostMapped && kind != HostIOMemory && kind != HostReadOnly:
		return 0, fail(ParamInvalid, call, "got type %d, want 0, 4 or 8", kind)
	case a == 0 || size < 1 || loc != LocationHost:
		return 0, fail(ParamInvalid, call, "got %d bytes at %v (%v), want 1 or more of host memory", size, a, loc)
	case chip.HostRegisterAlign > 0 && a.Offset()%chip.HostRegisterAlign != 0:
		return 0, fail(AddrUnaligned, call, "%v is %d bytes into its buffer, want a multiple of %d", a, a.Offset(), chip.HostRegisterAlign)
	}
	if err := t.checkRange(call, "memory", a, size, r, loc, mem.Readable); err != nil {
		return 0, err
	}
	if m := t.p.mapped(a, size); m != nil {
		return 0, fail(ParamInvalid, call, "%d bytes at %v are registered already", m.size, m.host)
	}
	rights := mem.ReadWrite
	if kind == HostReadOnly {
		rights = mem.Readable
	}
	x := t.p.rt
	d, err := x.mem.Alias(a, mem.AllocSpec{Size: size, Pid: t.p.pid, Ctx: c.id, Kind: mem.KindRegistered, Rights: rights, Name: "device address of " + r.Name.String()})
	if err != nil {
		return 0, wrap(ParamInvalid, call, err)
	}
	m := &memoryMap{p: t.p, ptr: d, host: a, size: size, block: r.Block}
	x.maps.add(m, x.now())
	t.p.registered[a] = m
	return d, nil
}

// mapped finds the first registration that overlaps n bytes from a.
func (p *Process) mapped(a mem.Addr, n int64) (first *memoryMap) {
	for at, m := range p.registered {
		if a < at.Add(m.size) && at < a.Add(n) && (first == nil || at < first.host) {
			first = m
		}
	}
	return first
}

// HostUnregister ends HostRegister, by the host's address. ParamInvalid for one
// that is not registered.
func (t *Thread) HostUnregister(a mem.Addr) error {
	const call = "aclrtHostUnregister"
	if err := t.enter(call); err != nil {
		return err
	}
	m := t.p.registered[a]
	if m == nil {
		return fail(ParamInvalid, call, "%v is not registered", a)
	}
	delete(t.p.registered, a)
	t.p.rt.maps.end(m, t.p.rt.now())
	return t.done(call, t.p.rt.mem.Free(m.ptr))
}
