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
	"aclrtMemSetAccess": func(c call) uint32 {
		const size = 24 // of aclrtMemAccessDesc
		n := c.u32(3)
		if n > 1024 || n > 0 && c.bytes(c.u32(2), n*size) == nil {
			return c.noOut(2)
		}
		var list []acl.AccessDesc
		for k := range n {
			at := c.u32(2) + k*size
			list = append(list, acl.AccessDesc{Flags: int(int32(c.word(at))), Device: int(int32(c.word(at + 4))), Location: acl.Location(int32(c.word(at + 8)))})
		}
		return c.code(c.t.acl.MemSetAccess(c.addr(0, 1), c.size(1), list))
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
