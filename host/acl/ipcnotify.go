package acl

import "fmt"

// KeyLen is the size of a key buffer with its terminator.
const KeyLen = 65

// Flags of export and import of a notify.
const (
	NotifyNoPidCheck = 2 // export
	NotifyPeerAccess = 2 // import
)

// ipcNotify is an exported notify.
type ipcNotify struct {
	object
	key     string
	owner   *Notify
	pids    whitelist
	noCheck bool
}

// whitelist is the pids that may import something, in the order of their naming.
type whitelist []int

func (w *whitelist) add(pids []int) {
	for _, pid := range pids {
		if !w.has(pid) {
			*w = append(*w, pid)
		}
	}
}

func (w whitelist) has(pid int) bool {
	for _, p := range w {
		if p == pid {
			return true
		}
	}
	return false
}

// NotifyGetExportKey makes the notify importable by other processes and returns
// its key, the same at every call. length is the room of the caller's buffer, at
// least KeyLen; flags 0, or NotifyNoPidCheck. Errors: ParamInvalid, also for an
// imported notify; InvalidHandle.
func (t *Thread) NotifyGetExportKey(n *Notify, length int, flags uint32) (string, error) {
	const call = "aclrtNotifyGetExportKey"
	if err := t.enter(call); err != nil {
		return "", err
	}
	if err := t.notify(call, n); err != nil {
		return "", err
	}
	switch {
	case length < KeyLen:
		return "", fail(ParamInvalid, call, "got a key buffer of %d bytes, want at least %d", length, KeyLen)
	case flags != 0 && flags != NotifyNoPidCheck:
		return "", fail(ParamInvalid, call, "got flags %d, want 0 or %d", flags, NotifyNoPidCheck)
	case n.hw.ipc != nil && n.hw.ipc.owner != n:
		return "", fail(ParamInvalid, call, "notify %d was imported: its owner exports it", n.id)
	}
	if n.hw.ipc == nil {
		k := &ipcNotify{key: fmt.Sprintf("notify-%d-%d-%d", t.p.pid, n.dev.Index(), n.id), owner: n}
		n.hw.ipc = k
		t.p.rt.notifyKeys[k.key] = k
		t.p.rt.ipcNotify.add(k, t.p.rt.now())
	}
	n.hw.ipc.noCheck = n.hw.ipc.noCheck || flags == NotifyNoPidCheck
	return n.hw.ipc.key, nil
}

// NotifySetImportPid lets processes import the notify. ParamInvalid for a notify
// that this process has not exported, and for no pid.
func (t *Thread) NotifySetImportPid(n *Notify, pids ...int) error {
	const call = "aclrtNotifySetImportPid"
	if err := t.enter(call); err != nil {
		return err
	}
	if err := t.notify(call, n); err != nil {
		return err
	}
	if n.hw.ipc == nil || n.hw.ipc.owner != n {
		return fail(ParamInvalid, call, "notify %d was not exported by this process", n.id)
	}
	if len(pids) == 0 {
		return fail(ParamInvalid, call, "got no pid")
	}
	n.hw.ipc.pids.add(pids)
	return nil
}

// NotifyImportByKey makes a handle on a notify of another process. flags 2
// allows recording it from another device than its own. Errors: ParamInvalid for
// an unknown key, NoPermission for a pid that is not on the whitelist.
func (t *Thread) NotifyImportByKey(key string, flags uint32) (*Notify, error) {
	const call = "aclrtNotifyImportByKey"
	if err := t.enter(call); err != nil {
		return nil, err
	}
	c, err := t.context(call)
	if err != nil {
		return nil, err
	}
	if flags != 0 && flags != NotifyPeerAccess {
		return nil, fail(ParamInvalid, call, "got flags %d, want 0 or %d", flags, NotifyPeerAccess)
	}
	k := t.p.rt.notifyKeys[key]
	switch {
	case k == nil:
		return nil, fail(ParamInvalid, call, "got key %q, which no live notify has", key)
	case k.owner.Gone:
		return nil, fail(ParamInvalid, call, "notify %d was destroyed by %s", k.owner.id, k.owner.ctx.p.name)
	case k.owner.ctx.p == t.p:
		return nil, fail(ParamInvalid, call, "notify %d belongs to this process", k.owner.id)
	case !k.noCheck && !k.pids.has(t.p.pid):
		return nil, fail(NoPermission, call, "pid %d is not on the whitelist of notify %d (aclrtNotifySetImportPid)", t.p.pid, k.owner.id)
	}
	o := k.owner
	o.hw.refs++
	n := &Notify{reg: o.reg, addr: o.addr, dev: o.dev, ctx: c, hw: o.hw, peer: flags == NotifyPeerAccess}
	n.made()
	return n, nil
}
