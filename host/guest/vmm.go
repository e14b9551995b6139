package guest

import (
	"hsim/host/acl"
	"hsim/host/mem"
)

var vmmAnswers = map[string]answer{
	"aclrtMallocPhysical": func(c call) uint32 {
		prop, ok := c.physicalProp(2)
		if !ok {
			return c.noOut(2)
		}
		return c.newPhysical(0, func() (*acl.PhysHandle, error) { return c.t.acl.MallocPhysical(c.size(1), prop, c.u64(3)) })
	},
	"aclrtFreePhysical": func(c call) uint32 { return c.code(c.t.acl.FreePhysical(c.physical(0))) },
	"aclrtReserveMemAddress": func(c call) uint32 {
		if !c.out(0, 4) {
			return c.noOut(0)
		}
		n := c.size(1)
		a, err := c.t.acl.ReserveMemAddress(n, c.size(2), mem.Addr(c.u32(3)), c.u64(4))
		if err != nil {
			return c.code(err)
		}
		at, err := c.expose(a, n)
		if err != nil {
			_ = c.t.acl.ReleaseMemAddress(a) // reserved just now
			return c.code(err)
		}
		return c.set(0, at)
	},
	"aclrtReleaseMemAddress": func(c call) uint32 {
		at := c.u32(0)
		err := c.t.acl.ReleaseMemAddress(c.t.p.addr(at, 1))
		if err == nil {
			c.t.p.window.remove(at)
		}
		return c.code(err)
	},
	"aclrtMapMem": func(c call) uint32 {
		return c.code(c.t.acl.MapMem(c.addr(0, 1), c.size(1), c.size(2), c.physical(3), c.u64(4)))
	},
	"aclrtUnmapMem": func(c call) uint32 { return c.code(c.t.acl.UnmapMem(c.addr(0, 1))) },
	"aclrtMemGetAllocationGranularity": func(c call) uint32 {
		prop, ok := c.physicalProp(0)
		if !ok {
			return c.noOut(0)
		}
		return c.number(2, func() (int, error) {
			g, err := c.t.acl.MemGetAllocationGranularity(prop, int(c.i32(1)))
			return int(g), err
		})
	},
	"aclrtMemExportToShareableHandle": func(c call) uint32 {
		if !c.out(3, 8) {
			return c.noOut(3)
		}
		fd, err := c.t.acl.MemExportToShareableHandle(c.physical(0), int(c.i32(1)), c.u64(2))
		if err != nil {
			return c.code(err)
		}
		return c.set64(3, fd)
	},
	"aclrtMemImportFromShareableHandle": func(c call) uint32 {
		return c.newPhysical(2, func() (*acl.PhysHandle, error) {
			return c.t.acl.MemImportFromShareableHandle(c.u64(0), int(c.i32(1)))
		})
	},
	"aclrtMemSetPidToShareableHandle": func(c call) uint32 {
		return c.pids(1, 2, func(pids []int) error { return c.t.acl.MemSetPidToShareableHandle(c.u64(0), pids...) })
	},
}

func (c call) physical(i int) *acl.PhysHandle { return c.t.p.acl.PhysicalOf(c.handle(i)) }

func (c call) newPhysical(out int, f func() (*acl.PhysHandle, error)) uint32 {
	if !c.out(out, 4) {
		return c.noOut(out)
	}
	h, err := f()
	if err != nil {
		return c.code(err)
	}
	return c.set(out, uint32(acl.HandleOf(c.t.p.acl, h)))
}

// physicalProp reads an aclrtPhysicalMemProp.
func (c call) physicalProp(i int) (acl.PhysicalProp, bool) {
	at := c.u32(i)
	if c.bytes(at, 32) == nil {
		return acl.PhysicalProp{}, false
	}
	return acl.PhysicalProp{HandleType: int(int32(c.word(at))), AllocationType: int(int32(c.word(at + 4))), Attr: acl.MemAttr(int32(c.word(at + 8))),
		Device: int(int32(c.word(at + 12))), Location: acl.Location(int32(c.word(at + 16))), Reserve: c.long(at + 24)}, true
}

var ipcAnswers = map[string]answer{
	"aclrtIpcMemGetExportKey": func(c call) uint32 {
		return c.newKey(2, 3, func(length int) (string, error) {
			return c.t.acl.IpcMemGetExportKey(c.addr(0, c.size(1)), c.size(1), length, c.u64(4))
		})
	},
	"aclrtIpcMemImportByKey": func(c call) uint32 {
		if !c.out(0, 4) {
			return c.noOut(0)
		}
		key, ok := c.text(c.u32(1))
		if !ok {
			return c.noOut(1)
		}
		a, err := c.t.acl.IpcMemImportByKey(key, c.u64(2))
		if err != nil {
			return c.code(err)
		}
		r := c.visible(0, a)
		if r != 0 {
			_ = c.t.acl.IpcMemClose(key) // imported just now
			return r
		}
		p := c.t.p
		if p.imported == nil {
			p.imported = map[string]uint32{}
		}
		p.imported[key] = c.word(c.u32(0))
		return 0
	},
	"aclrtIpcMemClose": func(c call) uint32 {
		key, ok := c.text(c.u32(0))
		if !ok {
			return c.noOut(0)
		}
		err := c.t.acl.IpcMemClose(key)
		if at := c.t.p.imported[key]; err == nil && at != 0 {
			c.t.p.window.remove(at)
			delete(c.t.p.imported, key)
		}
		return c.code(err)
	},
	"aclrtIpcMemSetImportPid": func(c call) uint32 {
		key, ok := c.text(c.u32(0))
		if !ok {
			return c.noOut(0)
		}
		return c.pids(1, 2, func(pids []int) error { return c.t.acl.IpcMemSetImportPid(key, pids...) })
	},
}

// visible writes a pointer to a whole range of the simulation, which is shown in the window once.
func (c call) visible(out int, a mem.Addr) uint32 {
	p := c.t.p
	if at, ok := p.window.of(a); ok {
		return c.set(out, at)
	}
	r, ok := c.space().Lookup(a)
	if !ok {
		return c.bad(acl.InternalError, "got address %v, which is not mapped", a)
	}
	at, err := c.expose(r.Start, r.Size)
	if err != nil {
		return c.code(err)
	}
	return c.set(out, at+uint32(a-r.Start))
}

func (c call) putWord(at, v uint32) {
	if b := c.bytes(at, 4); b != nil {
		b[0], b[1], b[2], b[3] = byte(v), byte(v>>8), byte(v>>16), byte(v>>24)
	}
}
