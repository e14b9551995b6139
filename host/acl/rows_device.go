package acl

import (
	"slices"

	"hsim/host/device"
	"hsim/host/topo"
)

// DeviceRow is a row of table device. LogicID is the number among the devices that
// programs see of the server, -1 for one that they do not see. Status is "online",
// "lost", "backup" for a device that stands by, or "replaced" for one that a backup
// stands in for; these two run nothing and come behind the others.
type DeviceRow struct {
	DeviceID     int    `col:"device_id" key:"pk"`
	ServerID     int    `col:"server_id" key:"server.server_id" null:"-1"`
	LogicID      int    `col:"logic_id"`
	PhysicalID   int    `col:"physical_id"`
	SuperID      int    `col:"sdid"`
	CcuDieNum    int    `col:"ccu_die_num"`
	OverflowMode int    `col:"overflow_mode"`
	Status       string `col:"status"`
	SocVersion   string `col:"soc_version"`
	SocName      string `col:"soc_name"`
	DeviceType   string `col:"device_type"`
	MaxStreamCnt int    `col:"max_stream_cnt"`
	MaxNotifyCnt int    `col:"max_notify_cnt"`
	MaxEventCnt  int    `col:"max_event_cnt"`
}

func (r *Runtime) deviceRows(yield func(DeviceRow)) {
	for _, d := range r.sys.Devices() {
		c := d.Chip()
		server, index := r.placeOf(d)
		status := "online"
		if d.Lost() {
			status = "lost"
		}
		row := DeviceRow{DeviceID: d.Index(), ServerID: server, LogicID: index, PhysicalID: index, SuperID: r.SuperDeviceID(d), CcuDieNum: dieNum(d),
			OverflowMode: int(satMode(d)), Status: status, SocVersion: c.Generation, SocName: c.SocName, DeviceType: c.Generation,
			MaxStreamCnt: c.MaxStreams, MaxNotifyCnt: c.MaxNotifies, MaxEventCnt: c.MaxEvents}
		if r.conf.Visible != nil {
			row.LogicID = slices.Index(r.conf.Visible, index)
		}
		yield(row)
	}
	r.backupRows(yield)
}

// backupRows are the rows of the devices that stand by: the last nodes of the graph.
func (r *Runtime) backupRows(yield func(DeviceRow)) {
	all := r.sys.Devices()
	if r.graph == nil || len(all) == 0 {
		return
	}
	c := all[0].Chip()
	for k, n := range r.graph.Nodes[len(r.graph.Nodes)-r.graph.Spares:] {
		status := "backup"
		if n.Replaced {
			status = "replaced"
		}
		yield(DeviceRow{DeviceID: r.graph.Devices + k, ServerID: int(n.Server), LogicID: -1, PhysicalID: int(n.Index), CcuDieNum: dieNum(all[0]),
			OverflowMode: int(satMode(all[0])), Status: status, SocVersion: c.Generation, SocName: c.SocName, DeviceType: c.Generation,
			MaxStreamCnt: c.MaxStreams, MaxNotifyCnt: c.MaxNotifies, MaxEventCnt: c.MaxEvents})
	}
}

// DeviceStatusRow is a row of table device_status.
type DeviceStatusRow struct {
	DeviceID    int          `col:"device_id" key:"pk"`
	Overflow    bool         `col:"overflow_status"`
	Strategy    SyncStrategy `col:"synchronize_strategy"`
	SyncTimeout int32        `col:"synchronize_timeout"` // ms, 0 = for ever
	Capability  uint64       `col:"capability_mask"`
	RunByHost   bool         `col:"run_by_host"`
	TsCore      int          `col:"ts_core"` // task schedulers
	Online      bool         `col:"online_status"`
}

func (r *Runtime) statusRows(yield func(DeviceStatusRow)) {
	for _, d := range r.sys.Devices() {
		s := r.stateOf(d)
		yield(DeviceStatusRow{DeviceID: d.Index(), Overflow: d.Overflows() != s.seen, Strategy: s.strategy, SyncTimeout: s.timeout,
			Capability: capability(d.Chip()), RunByHost: r.onHost(d), TsCore: len(schedulersOf(d.Chip())), Online: !d.Lost()})
	}
}

// TaskSchedulerRow is a row of table task_scheduler_device.
type TaskSchedulerRow struct {
	TsID     int    `col:"ts_id" key:"pk"`
	DeviceID int    `col:"device_id" key:"device.device_id" null:"-1"`
	Type     string `col:"type"`
}

func (r *Runtime) schedulers(f func(d *device.Device, s scheduler)) {
	for _, d := range r.sys.Devices() {
		for _, s := range schedulersOf(d.Chip()) {
			f(d, s)
		}
	}
}

func (r *Runtime) schedulerRows(yield func(TaskSchedulerRow)) {
	r.schedulers(func(d *device.Device, s scheduler) { yield(TaskSchedulerRow{tsID(d, s.ts), d.Index(), s.kind}) })
}

// CPUSchedulerRow is a row of table cpu_scheduler.
type CPUSchedulerRow struct {
	TsID int `col:"ts_id" key:"task_scheduler_device.ts_id"`
	CPUs int `col:"cpu_num"`
}

func (r *Runtime) cpuRows(yield func(CPUSchedulerRow)) {
	r.schedulers(func(d *device.Device, s scheduler) {
		if s.kind == SchedulerCPU {
			yield(CPUSchedulerRow{tsID(d, s.ts), d.Chip().AICPUs})
		}
	})
}

// ScalarRow is a row of table scalar_scheduler.
type ScalarRow struct {
	TsID int `col:"ts_id" key:"task_scheduler_device.ts_id"`
}

func (r *Runtime) scalarRows(yield func(ScalarRow)) {
	r.schedulers(func(d *device.Device, s scheduler) {
		if s.kind == SchedulerScalar {
			yield(ScalarRow{tsID(d, s.ts)})
		}
	})
}

// ComputeDieRow is a row of table compute_die: one core.
type ComputeDieRow struct {
	ComputeID int    `col:"compute_id" key:"pk"`
	TsID      int    `col:"ts_id" key:"task_scheduler_device.ts_id"`
	Type      string `col:"type"`
}

func (r *Runtime) computeRows(yield func(ComputeDieRow)) {
	id := 0
	r.schedulers(func(d *device.Device, s scheduler) {
		if s.kind != SchedulerScalar {
			return
		}
		kind, n := computeUnits(d.Chip(), s.ts)
		for range n {
			id++
			yield(ComputeDieRow{id, tsID(d, s.ts), kind})
		}
	})
}

// CubeRow, VectorRow and HybridRow are rows of tables cube, vector and
// hybrid_compute_die.
type (
	CubeRow struct {
		ComputeID int `col:"compute_id" key:"compute_die.compute_id"`
	}
	VectorRow struct {
		ComputeID int `col:"compute_id" key:"compute_die.compute_id"`
	}
	HybridRow struct {
		ComputeID int `col:"compute_id" key:"compute_die.compute_id"`
	}
)

func (r *Runtime) computeOf(kind string, f func(id int)) {
	r.computeRows(func(x ComputeDieRow) {
		if x.Type == kind {
			f(x.ComputeID)
		}
	})
}

func (r *Runtime) cubeRows(yield func(CubeRow)) {
	r.computeOf(ComputeCube, func(id int) { yield(CubeRow{id}) })
}

func (r *Runtime) vectorRows(yield func(VectorRow)) {
	r.computeOf(ComputeVector, func(id int) { yield(VectorRow{id}) })
}

func (r *Runtime) hybridRows(yield func(HybridRow)) {
	r.computeOf(ComputeHybrid, func(id int) { yield(HybridRow{id}) })
}

// ConnectionRow is a row of table device_connection: one direction of peer access.
type ConnectionRow struct {
	ConnectionID   int      `col:"connection_id" key:"pk"`
	SrcDevID       int      `col:"src_dev_id" key:"device.device_id" null:"-1"`
	DstDevID       int      `col:"dst_dev_id" key:"device.device_id" null:"-1"`
	LinkType       TopoKind `col:"link_type"`
	AccessByRemote bool     `col:"access_by_remote"` // the other direction is open too
	Pid            int      `col:"pid"`
	Life
}

func (r *Runtime) connectionRows(yield func(ConnectionRow)) {
	r.links.each(func(l *peerLink) {
		back := false
		if u := l.p.useOf(l.dst.Index()); u != nil {
			back = u.peers[l.src.Index()] != nil
		}
		yield(ConnectionRow{l.id, l.src.Index(), l.dst.Index(), l.kind, back, l.p.pid, l.Life})
	})
}

// hostOf is the host that drives a device, by its number in table host; topo.None
// without a topology.
func (r *Runtime) hostOf(d *device.Device) int {
	if r.graph == nil {
		return topo.None
	}
	return r.graph.HostNumber(d.Node())
}
