package acl

import (
	"hsim/host/device"
	"hsim/host/mem"
	"hsim/host/sim"
)

// Notify is a handle on a notify register of a device: the owner's, or one that
// another process got by importing its key.
type Notify struct {
	uid  int
	id   int
	addr mem.Addr
	dev  *device.Device
	ctx  *Context // that made or imported it
	flag uint32
	hw   *notifyRegister
	peer bool // imported with peer access
	dead bool
}

// notifyRegister is the hardware register and how many handles keep it.
type notifyRegister struct {
	refs int
	ipc  *ipcNotify
}

// UID is the handle's number in the simulation.
func (n *Notify) UID() int { return n.uid }

// ID is the register's number on its device.
func (n *Notify) ID() int { return n.id }

// Addr is the register's address.
func (n *Notify) Addr() mem.Addr { return n.addr }

// Device is the register's device.
func (n *Notify) Device() *device.Device { return n.dev }

// Value is what the register holds: 0 or 1.
func (n *Notify) Value() uint64 { return n.dev.NotifyValue(n.id) }

// CreateNotify takes the lowest free notify of the current device, with value
// 0. flag is 0, or 1 for use by the device only.
func (t *Thread) CreateNotify(flag uint32) (*Notify, error) {
	const call = "aclrtCreateNotify"
	t.pay()
	c, err := t.context(call)
	if err != nil {
		return nil, err
	}
	if flag > 1 {
		return nil, fail(ParamInvalid, call, "got flag %d, want 0 or 1", flag)
	}
	id, a, err := c.use.dev.AllocNotify()
	if err != nil {
		return nil, resource(call, err)
	}
	r := t.p.rt
	r.notifies++
	return &Notify{uid: r.notifies, id: id, addr: a, dev: c.use.dev, ctx: c, flag: flag, hw: &notifyRegister{refs: 1}}, nil
}

func (t *Thread) notify(call string, n *Notify) error {
	switch {
	case n == nil:
		return fail(ParamInvalid, call, "got a null notify")
	case n.dead:
		return fail(InvalidHandle, call, "notify %d was destroyed", n.uid)
	case n.ctx.p != t.p:
		return fail(ParamInvalid, call, "notify %d is a handle of %s (import its key)", n.uid, n.ctx.p.name)
	}
	return nil
}

// DestroyNotify gives the handle back; the register is free when the last
// process has.
func (t *Thread) DestroyNotify(n *Notify) error {
	t.pay()
	if err := t.notify("aclrtDestroyNotify", n); err != nil {
		return err
	}
	n.dead = true
	if n.hw.refs--; n.hw.refs == 0 {
		_ = n.dev.FreeNotify(n.id)
		if k := n.hw.ipc; k != nil {
			delete(t.p.rt.ipc, k.key)
		}
	}
	return nil
}

// GetNotifyId is the register's number on its device.
func (t *Thread) GetNotifyId(n *Notify) (int, error) {
	t.pay()
	if err := t.notify("aclrtGetNotifyId", n); err != nil {
		return 0, err
	}
	return n.id, nil
}

// RecordNotify queues a task that sets the register. A register of another
// device needs peer access.
func (t *Thread) RecordNotify(n *Notify, s *Stream) error {
	const call = "aclrtRecordNotify"
	t.payLaunch()
	if err := t.notify(call, n); err != nil {
		return err
	}
	s, err := t.stream(call, s)
	if err != nil {
		return err
	}
	if u := s.ctx.use; n.dev != u.dev && !n.peer && !u.peers[n.dev.Index()] {
		return fail(NoPermission, call, "notify %d is of %s, %v is not (enable peer access, or import it with flag 2)", n.uid, n.dev.Name(), s)
	}
	return t.push(call, s, &device.Task{Kind: device.KindNotifyRecord, Notify: n.addr}, &TaskRow{Type: TypeNotify, What: "record", Notify: n.id})
}

// WaitAndResetNotify queues a task that holds the stream until the register is
// set and clears it; seconds 0 waits for ever.
func (t *Thread) WaitAndResetNotify(n *Notify, s *Stream, seconds uint32) error {
	const call = "aclrtWaitAndResetNotify"
	t.payLaunch()
	if err := t.notify(call, n); err != nil {
		return err
	}
	s, err := t.stream(call, s)
	if err != nil {
		return err
	}
	if n.dev != s.ctx.use.dev {
		return fail(ParamInvalid, call, "notify %d is of %s, %v is not: only its own device waits", n.uid, n.dev.Name(), s)
	}
	return t.push(call, s, &device.Task{Kind: device.KindNotifyWait, Notify: n.addr, Timeout: sim.Time(seconds) * sim.Second},
		&TaskRow{Type: TypeNotify, What: "wait", Notify: n.id})
}
