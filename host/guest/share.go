package guest

import (
	"hsim/host/acl"
)

// Kinds of shareable handle: a number of 8 bytes, and 128 bytes that other servers take too.
const (
	shareNumber = 1
	shareFabric = 2
)

var shareAnswers = map[string]answer{
	"aclrtMemExportToShareableHandleV2": func(c call) uint32 {
		n, ok := c.shareSize(2)
		switch {
		case !ok:
			return c.badShare(2)
		case !c.out(3, n):
			return c.noOut(3)
		case n == 8:
			fd, err := c.t.acl.MemExportToShareableHandle(c.physical(0), 0, c.u64(1))
			if err != nil {
				return c.code(err)
			}
			return c.set64(3, fd)
		}
		f, err := c.t.acl.MemExportToFabricHandle(c.physical(0), c.u64(1))
		if err != nil {
			return c.code(err)
		}
		copy(c.bytes(c.u32(3), n), f[:])
		return 0
	},
	"aclrtMemImportFromShareableHandleV2": func(c call) uint32 {
		n, ok := c.shareSize(1)
		if !ok {
			return c.badShare(1)
		}
		b := c.bytes(c.u32(0), n)
		if b == nil {
			return c.noOut(0)
		}
		if c.u64(2) != 0 {
			return c.bad(acl.ParamInvalid, "got flags %#x, want 0", c.u64(2))
		}
		logic, err := c.t.acl.GetDevice()
		if err != nil {
			return c.code(err)
		}
		return c.newPhysical(3, func() (*acl.PhysHandle, error) {
			if n == 8 {
				return c.t.acl.MemImportFromShareableHandle(c.long(c.u32(0)), logic)
			}
			return c.t.acl.MemImportFromFabricHandle(acl.FabricHandle(b), logic)
		})
	},
	"aclrtMemSetPidToShareableHandleV2": func(c call) uint32 {
		n, ok := c.shareSize(1)
		if !ok {
			return c.badShare(1)
		}
		if c.bytes(c.u32(0), n) == nil {
			return c.noOut(0)
		}
		const size = 12 // of aclrtServerPid: a device of the superpod, and an array of processes with its length
		servers := c.u32(3)
		if servers == 0 || servers > 1024 || c.bytes(c.u32(2), servers*size) == nil {
			return c.noOut(2)
		}
		for k := range servers {
			at := c.u32(2) + k*size
			pids := c.list(c.word(at+4), int64(c.word(at+8)))
			if pids == nil {
				return c.bad(acl.ParamInvalid, "the processes of entry %d are null, none or outside the program's memory", k)
			}
			var err error
			if n == 8 {
				err = c.t.acl.MemSetPidToShareableHandle(c.long(c.u32(0)), pids...)
			} else {
				err = c.t.acl.MemSetPidToFabricHandle(acl.FabricHandle(c.bytes(c.u32(0), n)), int(c.word(at)), pids...)
			}
			if err != nil {
				return c.code(err)
			}
		}
		return 0
	},
}

// shareSize is the size of a shareable handle by its kind.
func (c call) shareSize(kind int) (uint32, bool) {
	switch c.u32(kind) {
	case shareNumber:
		return 8, true
	case shareFabric:
		return uint32(len(acl.FabricHandle{})), true
	}
	return 0, false
}

func (c call) badShare(kind int) uint32 {
	return c.bad(acl.ParamInvalid, "got share type %d, want 1 (default) or 2 (fabric)", c.u32(kind))
}
