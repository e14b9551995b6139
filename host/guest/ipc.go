package guest

import (
	"hsim/host/acl"
	"hsim/host/mem"
)

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
