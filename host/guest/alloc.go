package guest

import (
	"math"

	"hsim/host/acl"
	"hsim/host/mem"
)

var memoryAnswers = map[string]answer{
	"aclrtMalloc":                 func(c call) uint32 { return c.malloc(nil) },
	"aclrtMallocAlign32":          func(c call) uint32 { return c.malloc(nil) },
	"aclrtMallocCached":           func(c call) uint32 { return c.malloc(nil) },
	"aclrtMallocWithCfg":          func(c call) uint32 { return c.malloc((*acl.Thread).MallocWithCfg) },
	"aclrtMallocForTaskScheduler": func(c call) uint32 { return c.malloc((*acl.Thread).MallocForTaskScheduler) },
	"aclrtFree":                   func(c call) uint32 { return c.free((*acl.Thread).Free) },
	"aclrtFreeWithDevSync":        func(c call) uint32 { return c.free((*acl.Thread).FreeWithDevSync) },
	"aclrtMallocHost": func(c call) uint32 {
		return c.mallocHost(c.size(1), func() (mem.Addr, error) { return c.t.acl.MallocHost(c.size(1)) })
	},
	"aclrtMallocHostWithCfg": func(c call) uint32 {
		n := int64(min(c.u64(1), math.MaxInt64))
		attrs, ok := c.mallocAttrs(2)
		if !ok {
			return c.noOut(2)
		}
		return c.mallocHost(n, func() (mem.Addr, error) { return c.t.acl.MallocHostWithCfg(n, attrs) })
	},
	"aclrtFreeHost": func(c call) uint32 {
		at := c.u32(0)
		err := c.t.acl.FreeHost(c.t.p.addr(at, 1))
		if err == nil {
			c.t.p.host.removePin(at)
			c.t.p.heap.free(at)
		}
		return c.code(err)
	},
	"aclrtPointerGetAttributes": pointerAttributes,
	"aclrtHostRegister":         hostRegister,
	"aclrtHostUnregister":       hostUnregister,
}

// malloc allocates device memory and shows it in the window.
func (c call) malloc(f func(t *acl.Thread, n int64, policy uint32, attrs []acl.MallocAttr) (mem.Addr, error)) uint32 {
	if !c.out(0, 4) {
		return c.noOut(0)
	}
	n := c.size(1)
	var a mem.Addr
	var err error
	if f == nil {
		a, err = c.t.acl.Malloc(n, c.u32(2))
	} else {
		attrs, ok := c.mallocAttrs(3)
		if !ok {
			return c.noOut(3)
		}
		a, err = f(c.t.acl, n, c.u32(2), attrs)
	}
	if err != nil {
		return c.code(err)
	}
	at, err := c.expose(a, n)
	if err != nil {
		_ = c.t.acl.Free(a) // made just now
		return c.code(err)
	}
	return c.set(0, at)
}

func (c call) free(f func(t *acl.Thread, a mem.Addr) error) uint32 {
	at := c.u32(0)
	err := f(c.t.acl, c.t.p.addr(at, 1))
	if err == nil {
		c.t.p.window.remove(at)
	}
	return c.code(err)
}

// mallocAttrs reads an aclrtMallocConfig; ok is false where it points outside memory.
func (c call) mallocAttrs(i int) (list []acl.MallocAttr, ok bool) {
	at := c.u32(i)
	if at == 0 {
		return nil, true
	}
	b := c.bytes(at, 8)
	if b == nil {
		return nil, false
	}
	first, n := c.word(at), c.word(at+4)
	const size = 12 // of aclrtMallocAttribute: a number, and a union of 8 bytes
	if n > 64 || n > 0 && c.bytes(first, n*size) == nil {
		return nil, false
	}
	for k := range n {
		x := first + k*size
		a := acl.MallocAttr{ID: int(int32(c.word(x))), Value: uint64(c.word(x + 4))}
		if a.ID == acl.MallocModuleID {
			a.Value &= 0xffff
		}
		list = append(list, a)
	}
	return list, true
}

// mallocHost allocates page-locked memory. It lies in the program's own memory, where the program can use it; the runtime
// holds a range of its own over it.
func (c call) mallocHost(n int64, f func() (mem.Addr, error)) uint32 {
	if !c.out(0, 4) {
		return c.noOut(0)
	}
	a, err := f()
	if err != nil {
		return c.code(err)
	}
	p := c.t.p
	_ = c.space().Free(a) // it has served to ask the runtime
	at, ok := uint32(0), n <= math.MaxUint32-heapAlign
	if ok {
		at, ok = p.heap.alloc(uint32(n))
	}
	if !ok {
		return c.bad(acl.MemoryAllocation, "%d bytes do not fit into the program's memory of at most %d", n, uint64(p.sys.cfg.Pages)<<16)
	}
	clear(c.bytes(at, uint32(n)))
	a, err = c.space().Alias(p.host.addr(at, n), mem.AllocSpec{Size: n, Pid: p.acl.Pid(), Kind: mem.KindHost, Name: "page-locked memory"})
	if err != nil {
		p.heap.free(at)
		return c.code(&acl.Error{Code: acl.MemoryAllocation, Call: c.name, Err: err})
	}
	p.host.addPin(pinned{at, uint32(n), a})
	return c.set(0, at)
}

// pageable says that a pointer of the program is to memory that the runtime does not know of.
func (p *Process) pageable(at uint32) bool { return at < windowBase && p.host.pin(at) == nil }

func pointerAttributes(c call) uint32 {
	const size = 28 // of aclrtPtrAttributes
	if !c.out(1, size) {
		return c.noOut(1)
	}
	a := c.addr(0, 1)
	if at := c.u32(0); at != 0 && c.t.p.pageable(at) {
		a = mem.Addr(at) // an address that nobody allocated
	}
	x, err := c.t.acl.PointerGetAttributes(a)
	if err != nil {
		return c.code(err)
	}
	out := c.u32(1)
	b := c.bytes(out, size)
	clear(b)
	put := func(off int, v uint32) { c.putWord(out+uint32(off), v) }
	put(0, uint32(max(x.Device, 0)))
	put(4, uint32(x.Location))
	put(8, uint32(x.PageSize))
	return 0
}

func hostRegister(c call) uint32 {
	if !c.out(3, 4) {
		return c.noOut(3)
	}
	p, n := c.t.p, int64(min(c.u64(1), math.MaxInt64))
	host := c.addr(0, n)
	a, err := c.t.acl.HostRegister(host, n, acl.HostRegisterType(c.i32(2)))
	if err != nil {
		return c.code(err)
	}
	at, err := c.expose(a, n)
	if err != nil {
		_ = c.t.acl.HostUnregister(host) // made just now
		return c.code(err)
	}
	if p.registered == nil {
		p.registered = map[uint32]registered{}
	}
	p.registered[c.u32(0)] = registered{host, at}
	return c.set(3, at)
}

// registered is host memory that has a device address: its address in the simulation at that time, and the device's.
type registered struct {
	host mem.Addr
	at   uint32
}

func hostUnregister(c call) uint32 {
	p := c.t.p
	r, ok := p.registered[c.u32(0)]
	if !ok {
		r.host = c.addr(0, 1)
	}
	if err := c.t.acl.HostUnregister(r.host); err != nil {
		return c.code(err)
	}
	delete(p.registered, c.u32(0))
	p.window.remove(r.at)
	return 0
}
