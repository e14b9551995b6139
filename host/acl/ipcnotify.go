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
	key     string
	owner   *Notify
	pids    map[int]bool
	noCheck bool
}

// NotifyGetExportKey makes the notify importable by other processes and returns
// its key. length is the room of the caller's buffer, at least KeyLen.
func (t *Thread) NotifyGetExportKey(n *Notify, length int, flags uint32) (string, error) {
	const call = "aclrtNotifyGetExportKey"
	t.pay()
	if err := t.notify(call, n); err != nil {
		return "", err
	}
	if length < KeyLen {
		return "", fail(ParamInvalid, call, "got a key buffer of %d bytes, want at least %d", length, KeyLen)
	}
	if flags != 0 && flags != NotifyNoPidCheck {
		return "", fail(ParamInvalid, call, "got flags %d, want 0 or %d", flags, NotifyNoPidCheck)
	}
	if n.hw.ipc == nil {
		k := &ipcNotify{key: fmt.Sprintf("notify-%d-%d-%d", t.p.pid, n.dev.Index(), n.uid), owner: n, pids: map[int]bool{}}
		n.hw.ipc = k
		t.p.rt.ipc[k.key] = k
	}
	n.hw.ipc.noCheck = n.hw.ipc.noCheck || flags == NotifyNoPidCheck
	return n.hw.ipc.key, nil
}

// NotifySetImportPid lets processes import the notify.
func (t *Thread) NotifySetImportPid(n *Notify, pids ...int) error {
	const call = "aclrtNotifySetImportPid"
	t.pay()
	if err := t.notify(call, n); err != nil {
		return err
	}
	if n.hw.ipc == nil || n.hw.ipc.owner != n {
		return fail(ParamInvalid, call, "notify %d was not exported by this process", n.uid)
	}
	if len(pids) == 0 {
		return fail(ParamInvalid, call, "got no pid")
	}
	for _, pid := range pids {
		n.hw.ipc.pids[pid] = true
	}
	return nil
}

// NotifyImportByKey makes a handle on a notify of another process. flags 2
// allows recording it from another device than its own.
func (t *Thread) NotifyImportByKey(key string, flags uint32) (*Notify, error) {
	const call = "aclrtNotifyImportByKey"
	t.pay()
	c, err := t.context(call)
	if err != nil {
		return nil, err
	}
	if flags != 0 && flags != NotifyPeerAccess {
		return nil, fail(ParamInvalid, call, "got flags %d, want 0 or %d", flags, NotifyPeerAccess)
	}
	k := t.p.rt.ipc[key]
	if k == nil {
		return nil, fail(ParamInvalid, call, "got key %q, which no live notify has", key)
	}
	if k.owner.ctx.p == t.p {
		return nil, fail(ParamInvalid, call, "notify %d belongs to this process", k.owner.uid)
	}
	if !k.noCheck && !k.pids[t.p.pid] {
		return nil, fail(NoPermission, call, "pid %d is not on the whitelist of notify %d (aclrtNotifySetImportPid)", t.p.pid, k.owner.uid)
	}
	r := t.p.rt
	r.notifies++
	k.owner.hw.refs++
	o := k.owner
	return &Notify{uid: r.notifies, id: o.id, addr: o.addr, dev: o.dev, ctx: c, hw: o.hw, peer: flags == NotifyPeerAccess}, nil
}
