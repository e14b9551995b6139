package acl

import (
	"fmt"
	"slices"

	"hsim/host/mem"
)

// Flags of export and import of memory by key.
const (
	IpcMemNoPidCheck = 1 // export
	IpcMemPeerAccess = 1 // import
)

// ipcMemory is device memory shared by key.
type ipcMemory struct {
	object
	key     string
	p       *Process
	addr    mem.Addr
	size    int64
	block   mem.BlockID
	device  int
	pids    whitelist
	noCheck bool
	closed  bool // by the exporter
	by      []*ipcImport
}

// ipcImport is one process's address of shared memory.
type ipcImport struct {
	p    *Process
	addr mem.Addr
	peer bool
}

// IpcMemGetExportKey makes memory of the malloc family importable by other
// processes and returns its key. length is the room of the caller's buffer, KeyLen
// exactly; flags 0 or IpcMemNoPidCheck. Errors: ParamInvalid for a range outside an
// allocation, InvalidMemoryType for host memory.
func (t *Thread) IpcMemGetExportKey(a mem.Addr, size int64, length int, flags uint64) (string, error) {
	const call = "aclrtIpcMemGetExportKey"
	if err := t.enter(call); err != nil {
		return "", err
	}
	r, loc := t.locate(a)
	switch {
	case length != KeyLen:
		return "", fail(ParamInvalid, call, "got a key buffer of %d bytes, want %d", length, KeyLen)
	case flags > IpcMemNoPidCheck:
		return "", fail(ParamInvalid, call, "got flags %d, want 0 or 1", flags)
	case loc == LocationHost || loc == LocationDevice && r.Device == mem.Host:
		return "", fail(InvalidMemoryType, call, "%v is host memory", a)
	}
	if err := t.checkRange(call, "memory", a, size, r, loc, mem.Readable); err != nil {
		return "", err
	}
	if size < 1 || r.Pid != t.p.pid || r.Kind != mem.KindMalloc {
		return "", fail(ParamInvalid, call, "got %d bytes of %s (%v), want 1 or more of memory that aclrtMalloc made here", size, r.Name, r.Kind)
	}
	x := t.p.rt
	k := &ipcMemory{p: t.p, addr: a, size: size, block: r.Block, device: r.Device, noCheck: flags == IpcMemNoPidCheck}
	x.ipcMemory.add(k, x.now())
	k.key = fmt.Sprintf("memory-%d-%d-%d", t.p.pid, r.Device, k.id)
	x.memoryKeys[k.key] = k
	return k.key, nil
}

func (t *Thread) memoryKey(call, key string) (*ipcMemory, error) {
	if err := t.enter(call); err != nil {
		return nil, err
	}
	k := t.p.rt.memoryKeys[key]
	if k == nil {
		return nil, fail(ParamInvalid, call, "got key %q, which no shared memory has", key)
	}
	return k, nil
}

// IpcMemSetImportPid lets processes import. Errors: ParamInvalid, NoPermission for
// a process that did not export.
func (t *Thread) IpcMemSetImportPid(key string, pids ...int) error {
	const call = "aclrtIpcMemSetImportPid"
	k, err := t.memoryKey(call, key)
	switch {
	case err != nil:
		return err
	case k.closed:
		return fail(ParamInvalid, call, "key %q was closed", key)
	case k.p != t.p:
		return fail(NoPermission, call, "key %q was exported by %s", key, k.p.name)
	case len(pids) == 0:
		return fail(ParamInvalid, call, "got no pid")
	}
	k.pids.add(pids)
	return nil
}

// IpcMemImportByKey gives shared memory an address in this process. flags is 0, or
// IpcMemPeerAccess to use it from another device than its own. Errors: ContextNull;
// ParamInvalid for an unknown key, the exporter itself and a second import;
// IPCError for a key that was closed or whose memory is gone; NoPermission for a
// pid that is not listed; DRVInternalError when no link joins the devices.
func (t *Thread) IpcMemImportByKey(key string, flags uint64) (mem.Addr, error) {
	const call = "aclrtIpcMemImportByKey"
	k, err := t.memoryKey(call, key)
	if err != nil {
		return 0, err
	}
	c, err := t.context(call)
	if err != nil {
		return 0, err
	}
	r := t.p.rt
	owner := r.sys.Devices()[k.device]
	switch {
	case flags > IpcMemPeerAccess:
		return 0, fail(ParamInvalid, call, "got flags %d, want 0 or 1", flags)
	case k.p == t.p:
		return 0, fail(ParamInvalid, call, "key %q belongs to this process", key)
	case t.p.imports[key] != nil:
		return 0, fail(ParamInvalid, call, "key %q was imported before (call aclrtIpcMemClose first)", key)
	case k.closed:
		return 0, fail(IPCError, call, "key %q was closed by %s", key, k.p.name)
	case !k.noCheck && !k.pids.has(t.p.pid):
		return 0, fail(NoPermission, call, "pid %d is not on the whitelist of key %q (aclrtIpcMemSetImportPid)", t.p.pid, key)
	case c.use.dev != owner && !r.canReach(c.use.dev, owner):
		return 0, fail(DRVInternalError, call, "%s does not reach the memory of %s", c.use.dev.Name(), owner.Name())
	}
	a, err := r.mem.Alias(k.addr, mem.AllocSpec{Size: k.size, Pid: t.p.pid, Ctx: c.id, Kind: mem.KindIPC, Name: "shared " + key})
	if err != nil {
		return 0, wrap(IPCError, call, err)
	}
	k.by = append(k.by, &ipcImport{t.p, a, flags == IpcMemPeerAccess})
	t.p.imports[key] = k
	return a, nil
}

// IpcMemClose ends the use of a key: at an importer it takes the address away, at
// the exporter it ends the sharing; who imported keeps the memory. ParamInvalid for
// an unknown key and a second close.
func (t *Thread) IpcMemClose(key string) error {
	const call = "aclrtIpcMemClose"
	k, err := t.memoryKey(call, key)
	switch {
	case err != nil:
		return err
	case k.p == t.p && !k.closed:
		k.closed = true
		k.settle()
		return nil
	case t.p.imports[key] != nil:
		k.leave(t.p)
		return nil
	}
	return fail(ParamInvalid, call, "key %q is not open in %s", key, t.p.name)
}

// leave ends one process's import.
func (k *ipcMemory) leave(p *Process) {
	delete(p.imports, k.key)
	for i, x := range k.by {
		if x.p == p {
			_ = p.rt.mem.Free(x.addr) // its own
			k.by = slices.Delete(k.by, i, i+1)
			break
		}
	}
	k.settle()
}

// settle ends a key that nobody uses any more; it stays known as closed.
func (k *ipcMemory) settle() {
	if k.closed && len(k.by) == 0 {
		k.p.rt.ipcMemory.end(k, k.p.rt.now())
	}
}

// importOf is the import whose address holds a, nil without one.
func (p *Process) importOf(a mem.Addr) *ipcImport {
	for _, k := range p.imports {
		for _, x := range k.by {
			if x.p == p && x.addr == a.Start() {
				return x
			}
		}
	}
	return nil
}

// closeShares ends what the process shares and imports.
func (p *Process) closeShares() {
	r := p.rt
	r.ipcMemory.live(func(k *ipcMemory) {
		if p.imports[k.key] != nil {
			k.leave(p)
		}
		if k.p == p && !k.closed {
			k.closed = true
			k.settle()
		}
	})
}
