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
	TypeLink     TaskType = "Link" // a posted work request
	TypeOther    TaskType = "Other"
)

// TaskState is how far a task is.
type TaskState string

// The states of a task.
const (
	TaskQueued TaskState = "queued"
	TaskDone   TaskState = "done"
	TaskFailed TaskState = "failed"
)

// TaskRow is one row of the task table with the fields of its subtype. Seq
// counts up from 1 inside the stream; sub-tasks of one operation share its ID
// and Seq and count up in Sub.
type TaskRow struct {
	ID       uint64
	Sub      uint32
	Stream   int // Stream.UID, 0 for a queue of the system
	Seq      uint32
	Type     TaskType
	What     string // record, wait, reset; the memcpy kind; the kernel's name
	Executor string // the device
	Queued   sim.Time
	Start    sim.Time
	End      sim.Time
	State    TaskState
	Code     Code

	Dst, Src mem.Addr
	Size     int64
	Notify   int // id on its device, -1 without
	Event    int // Event.UID, 0 without
	Blocks   int
	Seen     uint64 // generation of the event
}

// taskRows is the task table.
type taskRows struct {
	rows []TaskRow
	at   map[uint64]int
}

func newTaskRows() *taskRows { return &taskRows{at: map[uint64]int{}} }

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
		if x.Stream == s.uid {
			all = append(all, x)
		}
	}
	return all
}

// push queues a task and, where rows are kept, its row.
func (t *Thread) push(call string, s *Stream, task *device.Task, row *TaskRow) error {
	s.q.WaitRoom(t.proc)
	r := t.p.rt
	n := -1
	if r.rows != nil {
		row.ID, row.Seq, row.Stream = r.sys.NextTask(), uint32(s.q.Pushed()+1), s.uid
		row.Executor, row.Queued, row.State = s.ctx.use.dev.Name(), t.proc.Now(), TaskQueued
		if row.Type != TypeNotify {
			row.Notify = -1
		}
		n = len(r.rows.rows)
		r.rows.at[row.ID] = n
		r.rows.rows = append(r.rows.rows, *row)
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

// TaskDone implements device.Observer: it fills the row in, or adds one for a
// task that the runtime did not queue.
func (r *Runtime) TaskDone(q *device.Stream, t *device.Task, start, end sim.Time, f *device.Fault) {
	if r.rows == nil {
		return
	}
	i, ok := r.rows.at[t.ID]
	if !ok || t.Sub != 0 {
		i = len(r.rows.rows)
		row := TaskRow{ID: t.ID, Sub: t.Sub, Seq: t.Seq, Type: typeOf(t.Kind), What: t.Kind.String(), Executor: q.Device().Name(), Queued: start,
			Dst: t.Dst, Src: t.Src, Size: t.Len, Notify: -1}
		if s := r.ops[q]; s != nil {
			row.Stream = s.uid
		}
		if id, ok := q.Device().NotifyID(t.Notify); ok {
			row.Notify = id
		}
		r.rows.rows = append(r.rows.rows, row)
	}
	row := &r.rows.rows[i]
	row.Start, row.End, row.State = start, end, TaskDone
	if f != nil {
		row.State, row.Code = TaskFailed, FaultCode(f, q.Device())
	}
}

func typeOf(k device.Kind) TaskType {
	switch k {
	case device.KindCopy, device.KindReduce, device.KindPeerCopy, device.KindHostCopy, device.KindFill:
		return TypeMemcpy
	case device.KindNotifyRecord, device.KindNotifyWait:
		return TypeNotify
	case device.KindPost:
		return TypeLink
	}
	return TypeOther
}
