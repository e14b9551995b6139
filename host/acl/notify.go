package acl

import (
	"slices"

	"hsim/host/device"
	"hsim/host/mem"
	"hsim/host/sim"
)

// NotifyDeviceUseOnly is the flag of a notify that only the device uses.
const NotifyDeviceUseOnly = 1

// Notify is a handle on a notify register of a device: the owner's, or one that
// another process got by importing its key.
type Notify struct {
	object
	reg  int
	addr mem.Addr
	dev  *device.Device
	ctx  *Context // that made or imported it
	flag uint32
	hw   *notifyRegister
	peer bool // imported with peer access
}

// notifyRegister is the hardware register and how many handles keep it. After the
// last one it stays taken while tasks that name it are left, so that nobody else
// gets a register that an old task still sets or clears.
type notifyRegister struct {
	refs    int
	ipc     *ipcNotify
	die     *device.Die // whose signal it is, nil for a register of the device
	dev     *device.Device
	reg     int
	pushing int         // calls that are about to queue a task
	uses    []notifyUse // by tasks that may be left
	models  []*Model    // that captured such tasks
}

// notifyUse says that a task of a stream names the register, the last one as the
// stream's n-th.
type notifyUse struct {
	q *device.Stream
	n uint64
}

// inUse reports whether a task that is queued, under way or captured names the
// register.
func (hw *notifyRegister) inUse() bool {
	hw.uses = slices.DeleteFunc(hw.uses, notifyUse.over)
	hw.models = slices.DeleteFunc(hw.models, func(m *Model) bool { return m.Gone })
	return hw.pushing+len(hw.uses)+len(hw.models) > 0
}

func (u notifyUse) over() bool { return u.q.Finished() >= u.n }

// used keeps that the latest task of a stream names the register.
func (hw *notifyRegister) used(s *Stream) {
	if s.capture != nil || s.group != nil {
		m := s.modelOf()
		if !slices.Contains(hw.models, m) {
			hw.models = append(hw.models, m)
		}
		return
	}
	for i := range hw.uses {
		if u := &hw.uses[i]; u.q == s.q || u.over() {
			*u = notifyUse{s.q, s.q.Pushed()}
			return
		}
	}
	hw.uses = append(hw.uses, notifyUse{s.q, s.q.Pushed()})
}

// modelOf is the model that tasks of the stream go into.
func (s *Stream) modelOf() *Model {
	if s.capture != nil {
		return s.capture.model
	}
	return s.group.lane.model
}

// push queues a task that names the notify's register.
func (n *Notify) push(t *Thread, call string, s *Stream, task *device.Task, row *TaskRow) error {
	n.hw.pushing++ // the queue may be full, and another thread destroy the notify meanwhile
	defer func() { n.hw.pushing-- }()
	if err := t.push(call, s, task, row); err != nil {
		return err
	}
	n.hw.used(s)
	return nil
}

// register is a notify register of a device.
type register struct {
	dev *device.Device
	reg int
}

// made keeps a new handle.
func (n *Notify) made() {
	p := n.ctx.p
	p.rt.notifies.add(n, p.rt.now())
	if n.hw.die == nil {
		p.registers[register{n.dev, n.reg}]++
	}
}

// UID is the handle's number in the simulation.
func (n *Notify) UID() int { return n.id }

// ID is the register's number on its device, or on its die.
func (n *Notify) ID() int { return n.reg }

// Addr is the register's address.
func (n *Notify) Addr() mem.Addr { return n.addr }

// Device is the register's device.
func (n *Notify) Device() *device.Device { return n.dev }

// Die is the communication unit whose signal the notify is, nil for none.
func (n *Notify) Die() *device.Die { return n.hw.die }

// Value is what the register holds: 0 or 1.
func (n *Notify) Value() uint64 {
	if n.hw.die == nil {
		return n.dev.NotifyValue(n.reg)
	}
	if n.hw.die.Signal(n.reg) {
		return 1
	}
	return 0
}

// CreateNotify takes the lowest free notify of the current device, with value
// 0. flag is 0, or NotifyDeviceUseOnly; CcuDie or-ed to it takes a signal of a
// die's communication unit instead. Errors: ContextNull, ParamInvalid,
// NoNotifyResource, InvalidDieID, FeatureNotSupport for a die of a chip without
// such units.
func (t *Thread) CreateNotify(flag uint32) (*Notify, error) {
	const call = "aclrtCreateNotify"
	if err := t.enter(call); err != nil {
		return nil, err
	}
	c, err := t.context(call)
	if err != nil {
		return nil, err
	}
	if flag&^ccuDieMask > NotifyDeviceUseOnly {
		return nil, fail(ParamInvalid, call, "got flag %#x, want 0 or 1", flag)
	}
	t.p.rt.freeNotifies()
	n := &Notify{dev: c.use.dev, ctx: c, flag: flag, hw: &notifyRegister{refs: 1}}
	if dies := flag & ccuDieMask; dies != 0 {
		if n.hw.die, err = c.die(call, dies); err != nil {
			return nil, err
		}
		if n.reg, err = n.hw.die.AllocSignal(); err != nil {
			return nil, wrap(NoNotifyResource, call, err)
		}
		n.addr, _ = n.hw.die.SignalAddr(n.reg)
	} else if n.reg, n.addr, err = c.use.dev.AllocNotify(); err != nil {
		return nil, resource(call, err)
	}
	n.made()
	return n, nil
}

func (t *Thread) notify(call string, n *Notify) error {
	switch {
	case n == nil:
		return fail(ParamInvalid, call, "got a null notify")
	case n.ctx == nil || n.ctx.p != t.p:
		return fail(InvalidHandle, call, "got a notify that %s has no handle of (import its key)", t.p.name)
	case n.Gone:
		return fail(InvalidHandle, call, "notify %d was destroyed", n.id)
	}
	return nil
}

// DestroyNotify gives the handle back; the register is free when the last
// process has, and the tasks that name it have ended.
func (t *Thread) DestroyNotify(n *Notify) error {
	const call = "aclrtDestroyNotify"
	if err := t.enter(call); err != nil {
		return err
	}
	if err := t.notify(call, n); err != nil {
		return err
	}
	n.destroy()
	return nil
}

func (n *Notify) destroy() {
	r := n.ctx.p.rt
	r.notifies.end(n, r.now())
	if n.hw.die == nil {
		n.ctx.p.registers[register{n.dev, n.reg}]--
	}
	if n.hw.refs--; n.hw.refs > 0 {
		return
	}
	n.hw.dev, n.hw.reg = n.dev, n.reg
	r.leftNotifies = append(r.leftNotifies, n.hw)
	r.freeNotifies()
	if k := n.hw.ipc; k != nil {
		delete(r.notifyKeys, k.key)
		r.ipcNotify.end(k, r.now())
	}
}

// freeNotifies gives registers back that nobody has a handle of and no task names.
func (r *Runtime) freeNotifies() {
	r.leftNotifies = slices.DeleteFunc(r.leftNotifies, func(hw *notifyRegister) bool {
		if hw.inUse() {
			return false
		}
		if hw.die != nil {
			hw.die.FreeSignal(hw.reg)
		} else {
			_ = hw.dev.FreeNotify(hw.reg) // its own
		}
		return true
	})
}

// GetNotifyId is the register's number on its device.
func (t *Thread) GetNotifyId(n *Notify) (int, error) {
	const call = "aclrtGetNotifyId"
	if err := t.enter(call); err != nil {
		return 0, err
	}
	if err := t.notify(call, n); err != nil {
		return 0, err
	}
	return n.reg, nil
}

// RecordNotify queues a task that sets the register. A register of another
// device needs peer access. Errors: StreamContext, InvalidHandle, NoPermission.
func (t *Thread) RecordNotify(n *Notify, s *Stream) error {
	const call = "aclrtRecordNotify"
	s, err := t.notifyStream(call, n, s)
	if err != nil {
		return err
	}
	if u := s.ctx.use; n.dev != u.dev && !n.peer && u.peers[n.dev.Index()] == nil {
		return fail(NoPermission, call, "notify %d is of %s, %v is not (enable peer access, or import it with flag 2)", n.id, n.dev.Name(), s)
	}
	task := device.Task{Kind: device.KindNotifyRecord, Notify: n.addr}
	if n.hw.die != nil {
		task = device.Task{Kind: device.KindOp, Op: &device.SignalOp{Die: n.hw.die}, Value: uint64(n.reg)}
	}
	row := n.row("record")
	return n.push(t, call, s, &task, &row)
}

func (t *Thread) notifyStream(call string, n *Notify, s *Stream) (*Stream, error) {
	if err := t.enterLaunch(call); err != nil {
		return nil, err
	}
	if err := t.notify(call, n); err != nil {
		return nil, err
	}
	s, err := t.stream(call, s)
	if err != nil {
		return nil, err
	}
	return s, t.implicit(call, s)
}

// limit is a time-out in seconds, 0 = for ever; so is one longer than the
// simulation can tell.
func limit(seconds uint32) sim.Time {
	if sim.Time(seconds) > sim.Forever/sim.Second {
		return 0
	}
	return sim.Time(seconds) * sim.Second
}

func (n *Notify) row(what string) TaskRow {
	row := TaskRow{Type: TypeNotify, What: what, Notify: n.id, Register: n.reg}
	if n.hw.die != nil {
		row.Scheduler, row.TS = SchedulerCCU, unitTS(n.dev.Chip(), n.hw.die.Index())
	}
	return row
}

// WaitAndResetNotify queues a task that holds the stream until the register is
// set and clears it; seconds 0 waits for ever. Errors: StreamContext,
// InvalidHandle, ParamInvalid for a notify of another device; the time-out is
// what the stream's synchronisation returns (TaskTimeout).
func (t *Thread) WaitAndResetNotify(n *Notify, s *Stream, seconds uint32) error {
	const call = "aclrtWaitAndResetNotify"
	s, err := t.notifyStream(call, n, s)
	if err != nil {
		return err
	}
	if n.dev != s.ctx.use.dev {
		return fail(ParamInvalid, call, "notify %d is of %s, %v is not: only its own device waits", n.id, n.dev.Name(), s)
	}
	task := device.Task{Kind: device.KindNotifyWait, Notify: n.addr, Timeout: limit(seconds)}
	if n.hw.die != nil {
		task = device.Task{Kind: device.KindOp, Op: &device.SignalOp{Die: n.hw.die, Wait: true}, Value: uint64(n.reg), Timeout: task.Timeout}
	}
	row := n.row("wait")
	row.OpTimeout = task.Timeout
	return n.push(t, call, s, &task, &row)
}
