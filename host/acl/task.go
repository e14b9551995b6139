package acl

import (
	"hsim/host/device"
	"hsim/host/mem"
	"hsim/host/sim"
)

// TaskType is what a row of the task table is.
type TaskType string

// The types of task.
const (
	TypeKernel   TaskType = "Kernel"
	TypeMemcpy   TaskType = "Memcpy"
	TypeCallback TaskType = "Callback"
	TypeNotify   TaskType = "Notify"
	TypeEvent    TaskType = "EVENT"
	TypeModel    TaskType = "Model" // an execution of a captured model
	TypeLink     TaskType = "Link"  // a posted work request
	TypeMission  TaskType = "Ccu"   // a mission of a communication unit
	TypeOther    TaskType = "Other"
)

// TaskState is how far a task is.
type TaskState string

// The states of a task.
const (
	TaskQueued   TaskState = "queued"
	TaskDone     TaskState = "done"
	TaskFailed   TaskState = "failed"
	TaskDropped  TaskState = "dropped"  // never ran
	TaskCaptured TaskState = "captured" // into a model; runs as other rows
)

// TaskRow is one row of the task table with the fields of its subtype. Seq
// counts up from 1 inside the stream; captured tasks and waits of the host, which
// no stream queues, have 0.
type TaskRow struct {
	ID       uint64
	Parent   uint64 // the task that this is a part of, 0 for none
	Sub      uint32 // 1, 2, 3 ... in the parent
	Stream   int    // Stream.UID, 0 for a queue of the system
	Seq      uint32
	Type     TaskType
	What     string // record, wait, reset; the memcpy kind; the kernel's name
	Executor string // the device
	Device   int
	Queued   sim.Time
	Start    sim.Time
	End      sim.Time
	State    TaskState
	Code     Code

	Dst, Src mem.Addr
	Size     int64

	Notify   int // Notify.UID, 0 without
	Register int // the notify's number on its device, -1 without

	Event     int    // Event.UID, 0 without
	Seen      uint64 // generation of the event
	Record    uint64 // of a wait: the record that it waits for, 0 for none
	TimeLine  bool   // a record that keeps its time
	Trace     uint64 // of a record that traces: the task at which the trace begins
	OpTimeout sim.Time
	Captured  bool   // a record made while its stream was captured
	First     uint64 // of a captured event task: the first captured task of the model

	Report   int    // ReportChannel of a callback
	Callback uint64 // the program's function
	UserData uint64

	Blocks    int
	Unit      string // compute kind of a kernel: Cube, Vector, AICPU, Hybrid
	Scheduler string // Scalar, CCU or CPU
	TS        int    // number of the scheduler on its device
	Function  int
	Args      int
	Config    int
}

// taskRows is the task table.
type taskRows struct {
	rows []TaskRow
	at   map[uint64]int
}

func newTaskRows() *taskRows { return &taskRows{at: map[uint64]int{}} }

// add appends a row and returns its index.
func (x *taskRows) add(row *TaskRow) int {
	n := len(x.rows)
	x.at[row.ID] = n
	x.rows = append(x.rows, *row)
	return n
}

// Tasks is the task table in order of queueing (sub-tasks: of their end); empty
// unless Config.Rows is set.
func (r *Runtime) Tasks() []TaskRow {
	if r.rows == nil {
		return nil
	}
	return r.rows.rows
}

// TasksOf is the part of the task table that belongs to one stream.
func (r *Runtime) TasksOf(s *Stream) (all []TaskRow) {
	for _, x := range r.Tasks() {
		if x.Stream == s.id {
			all = append(all, x)
		}
	}
	return all
}

// push queues a task and, where rows are kept, its row; on a stream that is
// captured the task joins the model instead. row.ID is set where rows are kept.
func (t *Thread) push(call string, s *Stream, task *device.Task, row *TaskRow) error {
	if s.capture != nil {
		return s.capture.take(call, s, task, row)
	}
	if s.group != nil {
		return s.group.replace(call, task, row)
	}
	if s.retired {
		return fail(StreamAbort, call, "%v is being destroyed", s)
	}
	s.q.WaitRoom(t.proc)
	if s.Gone { // by another thread, meanwhile
		return fail(InvalidHandle, call, "%v was destroyed", s)
	}
	r := t.p.rt
	n := -1
	if r.rows != nil {
		row.ID, row.Seq, row.Stream = r.sys.NextTask(), uint32(s.q.Pushed()+1), s.id
		row.Queued, row.State = t.proc.Now(), TaskQueued
		row.ran(s.ctx.use.dev)
		n = r.rows.add(row)
		if s.first == 0 {
			s.first = row.ID
		}
	}
	if err := s.q.Push(task); err != nil {
		if n >= 0 {
			delete(r.rows.at, row.ID)
			r.rows.rows = r.rows.rows[:n]
		}
		return resource(call, err)
	}
	return nil
}

// ran fills in who executes the task.
func (row *TaskRow) ran(d *device.Device) {
	row.Executor, row.Device = d.Name(), d.Index()
	if row.Type != TypeNotify {
		row.Register = -1
	}
	if row.Scheduler == "" {
		row.Scheduler = SchedulerScalar
	}
}

// TaskDone implements device.Observer: it fills the row in, or adds one for a
// task that the runtime did not queue.
func (r *Runtime) TaskDone(q *device.Stream, t *device.Task, start, end sim.Time, f *device.Fault) {
	if r.rows == nil {
		return
	}
	i, ok := r.rows.at[t.ID]
	if !ok || t.Sub != 0 {
		i = r.rows.add(r.foreign(q, t, start))
	}
	row := &r.rows.rows[i]
	row.Start, row.End, row.State = start, end, TaskDone
	if f != nil {
		row.State, row.Code = TaskFailed, FaultCode(f, q.Device())
	}
}

// foreign is the row of a task that no call of the runtime queued: a sub-task, a
// task of a model, one that a collective or an AI CPU function pushed.
func (r *Runtime) foreign(q *device.Stream, t *device.Task, start sim.Time) *TaskRow {
	row := &TaskRow{ID: t.ID, Seq: t.Seq, Type: typeOf(t.Kind), What: t.Kind.String(), Queued: start, Dst: t.Dst, Src: t.Src, Size: t.Len}
	if t.Sub != 0 {
		row.ID, row.Parent, row.Sub = r.sys.TakeTask(), t.ID, t.Sub
	}
	if l := r.lanes[q]; l != nil {
		l.describe(row, t)
	} else if s := r.ops[q]; s != nil {
		row.Stream = s.id
	}
	row.operation(t.Op, q.Device())
	row.ran(q.Device())
	row.Register = -1
	if id, ok := q.Device().NotifyID(t.Notify); ok {
		row.Register = id
	}
	return row
}

// operation fills in what an operation is that no call of the runtime queued.
func (row *TaskRow) operation(op device.Op, d *device.Device) {
	if row.Type != TypeOther {
		return
	}
	switch o := op.(type) {
	case *device.MissionOp:
		p := o.Launch.Program()
		row.Type, row.What, row.Scheduler, row.TS = TypeMission, p.Name(), SchedulerCCU, unitTS(d.Chip(), p.Unit().Die())
	case *device.KernelOp:
		row.Type, row.What, row.Blocks = TypeKernel, o.Fn.Name, max(1, o.Spec.Blocks)
		if u, err := o.Fn.Unit(o.Spec.Unit); err == nil {
			row.Unit, row.Scheduler, row.TS = computeKind(d.Chip(), u)
		}
	}
}

func typeOf(k device.Kind) TaskType {
	switch k {
	case device.KindCopy, device.KindReduce, device.KindPeerCopy, device.KindPeerReduce, device.KindHostCopy, device.KindFill:
		return TypeMemcpy
	case device.KindNotifyRecord, device.KindNotifyWait:
		return TypeNotify
	case device.KindPost:
		return TypeLink
	}
	return TypeOther
}
