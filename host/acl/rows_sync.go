package acl

import (
	"hsim/host/device"
	"hsim/host/mem"
)

// NotifyRow is a row of table notify: a handle on a register. CcuID is set for a
// signal of a communication unit.
type NotifyRow struct {
	NotifyID        int    `col:"notify_id" key:"pk"`
	CreatedCtxID    int    `col:"created_ctx_id" key:"context.ctx_id"`
	DeviceID        int    `col:"device_id" key:"device.device_id" null:"-1"`
	DeviceNotifySeq int    `col:"device_notify_seq"`
	Value           uint64 `col:"value"`
	CcuID           int    `col:"ccu_id" key:"ccu.ccu_id"`
	Life
}

// IpcNotifyRow is a row of table ipc_notify.
type IpcNotifyRow struct {
	IpcID     int    `col:"ipc_id" key:"pk"`
	NotifyID  int    `col:"notify_id" key:"notify.notify_id"`
	NameOrKey string `col:"name_or_key"`
	CreatePid int    `col:"create_pid"`
	Life
}

// IpcVisitorRow is a row of table ipc_notify_visitor.
type IpcVisitorRow struct {
	IpcID      int `col:"ipc_id" key:"ipc_notify.ipc_id"`
	VisitorPid int `col:"visitor_pid"`
}

// EventRow is a row of table event. DeviceResSeq is -1 before the first record of
// an event that takes its number then.
type EventRow struct {
	EventID      int        `col:"event_id" key:"pk"`
	CreatedCtxID int        `col:"created_ctx_id" key:"context.ctx_id"`
	EventFlag    uint32     `col:"event_flag"`
	DeviceResSeq int        `col:"device_res_seq"`
	Status       EventState `col:"status"`
	CcuID        int        `col:"ccu_id" key:"ccu.ccu_id"`
	Life
}

// ccuID is the number of a die's unit in the simulation, 0 for none.
func ccuID(e *device.Die) int {
	if e == nil {
		return 0
	}
	return e.Device().Index()*maxSchedulers + e.Index() + 1
}

func (r *Runtime) syncTables() []Table {
	return []Table{
		table("notify", func(yield func(NotifyRow)) {
			r.notifies.each(func(n *Notify) {
				row := NotifyRow{NotifyID: n.id, CreatedCtxID: n.ctx.id, DeviceID: n.dev.Index(), DeviceNotifySeq: n.reg, CcuID: ccuID(n.hw.die), Life: n.Life}
				if !n.Gone {
					row.Value = n.Value()
				}
				yield(row)
			})
		}),
		table("ipc_notify", func(yield func(IpcNotifyRow)) {
			r.ipcNotify.each(func(k *ipcNotify) { yield(IpcNotifyRow{k.id, k.owner.id, k.key, k.owner.ctx.p.pid, k.Life}) })
		}),
		table("ipc_notify_visitor", func(yield func(IpcVisitorRow)) {
			r.ipcNotify.each(func(k *ipcNotify) {
				for _, pid := range k.pids {
					yield(IpcVisitorRow{k.id, pid})
				}
			})
		}),
		table("event", func(yield func(EventRow)) {
			r.events.each(func(e *Event) { yield(EventRow{e.id, e.ctx.id, e.flags, e.number, e.State(), ccuID(e.die), e.Life}) })
		}),
	}
}

// CcuRow is a row of table ccu: a communication unit, ready from the start. Its
// registers get their addresses, 0 until then, when something uses them.
type CcuRow struct {
	CcuID        int      `col:"ccu_id" key:"pk"`
	DeviceID     int      `col:"device_id" key:"device.device_id" null:"-1"`
	ResourceAddr mem.Addr `col:"resource_addr"`
	DieID        int      `col:"die_id"`
	Status       string   `col:"status"`
}

func (r *Runtime) dies(f func(*device.Die)) {
	for _, d := range r.sys.Devices() {
		for _, e := range d.Dies() {
			f(e)
		}
	}
}

func (r *Runtime) ccuRows(yield func(CcuRow)) {
	r.dies(func(e *device.Die) {
		status := "ready"
		if e.Device().Lost() {
			status = "lost"
		}
		row := CcuRow{CcuID: ccuID(e), DeviceID: e.Device().Index(), DieID: e.Index(), Status: status}
		if e.Made() {
			row.ResourceAddr = e.Base()
		}
		yield(row)
	})
}

// CcuSchedulerRow is a row of table ccu_scheduler.
type CcuSchedulerRow struct {
	CcuID      int    `col:"ccu_id" key:"ccu.ccu_id"`
	TsID       int    `col:"ts_id" key:"task_scheduler_device.ts_id"`
	Version    string `col:"version"`
	XnNum      int    `col:"xn_num"`
	CkeNum     int    `col:"cke_num"`
	MsNum      int    `col:"ms_num"`
	ChannelNum int    `col:"channel_num"`
}

func (r *Runtime) ccuSchedulerRows(yield func(CcuSchedulerRow)) {
	r.schedulers(func(d *device.Device, s scheduler) {
		if s.kind != SchedulerCCU {
			return
		}
		c := &d.Chip().CCU
		yield(CcuSchedulerRow{ccuID(d.Dies()[s.die]), tsID(d, s.ts), [...]string{"", "v1", "v2"}[min(c.Version, 2)], c.Xn, c.CKE, c.MS, c.Channels})
	})
}

// CcuBufRow is a row of table ccu_buf.
type CcuBufRow struct {
	CcuBufID int      `col:"ccu_buf_id" key:"pk"`
	CcuID    int      `col:"ccu_id" key:"ccu.ccu_id"`
	Addr     mem.Addr `col:"addr"`
	Size     int64    `col:"size"`
	InUse    bool     `col:"in_use"`
	Life
}

// CcuVariableRow is a row of table ccu_variable.
type CcuVariableRow struct {
	VariableID int    `col:"variable_id" key:"pk"`
	CcuID      int    `col:"ccu_id" key:"ccu.ccu_id"`
	Register   int    `col:"register"`
	Value      uint64 `col:"value"`
	Life
}

// CompletedEventRow is a row of table ccu_completed_event: an event that is a
// signal of a communication unit.
type CompletedEventRow struct {
	ID     int  `col:"id" key:"event.event_id"`
	CcuID  int  `col:"ccu_id" key:"ccu.ccu_id"`
	Status bool `col:"status"`
}

// CcuAddrRow is a row of table ccu_addr.
type CcuAddrRow struct {
	ID        int      `col:"id" key:"pk"`
	CcuID     int      `col:"ccu_id" key:"ccu.ccu_id"`
	Kind      string   `col:"kind"` // local, remote
	Addr      mem.Addr `col:"addr"`
	PeerCcuID int      `col:"peer_ccu_id" key:"ccu.ccu_id"`
	Life
}

func (r *Runtime) dieTables() []Table {
	return []Table{
		table("ccu_buf", func(yield func(CcuBufRow)) {
			r.ccuBufs.each(func(b *CcuBuf) {
				yield(CcuBufRow{b.id, ccuID(b.die), b.die.SliceAddr(b.first), int64(b.n) * device.SliceBytes, !b.Gone, b.Life})
			})
		}),
		table("ccu_variable", func(yield func(CcuVariableRow)) {
			r.variables.each(func(v *Variable) {
				row := CcuVariableRow{v.id, ccuID(v.die), v.reg, 0, v.Life}
				if !v.Gone {
					row.Value = v.Value()
				}
				yield(row)
			})
		}),
		table("ccu_completed_event", func(yield func(CompletedEventRow)) {
			r.events.each(func(e *Event) {
				if e.die != nil {
					yield(CompletedEventRow{e.id, ccuID(e.die), !e.Gone && e.die.Signal(e.res)})
				}
			})
		}),
		table("ccu_addr", func(yield func(CcuAddrRow)) {
			r.ccuAddrs.each(func(a *ccuAddr) {
				row := CcuAddrRow{a.id, ccuID(a.die), "local", a.addr, ccuID(a.peer), a.Life}
				if a.peer != nil {
					row.Kind = "remote"
				}
				yield(row)
			})
		}),
	}
}
