package acl

import (
	"hsim/host/mem"
	"hsim/host/sim"
)

// TaskTableRow is a row of table task. SeqNumber is 0 for captured tasks and for
// waits of the host, which no stream queues.
type TaskTableRow struct {
	TaskID    uint64    `col:"task_id" key:"pk"`
	StreamID  int       `col:"stream_id" key:"stream.stream_id"`
	SeqNumber uint32    `col:"seq_number"`
	Type      TaskType  `col:"type"`
	ParentID  uint64    `col:"parent_task_id" key:"task.task_id"`
	DeviceID  int       `col:"device_id" key:"device.device_id" null:"-1"`
	TsID      int       `col:"ts_id" key:"task_scheduler_device.ts_id"`
	What      string    `col:"what"`
	Queued    sim.Time  `col:"queued"`
	Start     sim.Time  `col:"start"`
	End       sim.Time  `col:"end"`
	State     TaskState `col:"state"`
	Code      Code      `col:"code"`
}

// MemcpyTaskRow is a row of table memcpy_task.
type MemcpyTaskRow struct {
	TaskID  uint64   `col:"task_id" key:"task.task_id"`
	SrcAddr mem.Addr `col:"src_addr"`
	DstAddr mem.Addr `col:"dst_addr"`
	Size    int64    `col:"size"`
}

// NotifyRecordRow and NotifyWaitRow are rows of tables notify_record_task and
// notify_wait_task. NotifyID is 0 for a notify that no call of the runtime made.
type (
	NotifyRecordRow struct {
		TaskID   uint64 `col:"task_id" key:"task.task_id"`
		NotifyID int    `col:"notify_id" key:"notify.notify_id"`
	}
	NotifyWaitRow struct {
		TaskID   uint64 `col:"task_id" key:"task.task_id"`
		NotifyID int    `col:"notify_id" key:"notify.notify_id"`
	}
)

// EventTaskRow is a row of table event_task: the part that all tasks on events
// share.
type EventTaskRow struct {
	TaskID       uint64   `col:"task_id" key:"task.task_id"`
	EventID      int      `col:"event_id" key:"event.event_id"`
	ExecuteTime  sim.Time `col:"execute_time"`
	FinishTime   sim.Time `col:"finish_time"`
	FirstCapture uint64   `col:"first_capture_task_id" key:"task.task_id"`
}

// EventCaptureRow is a row of table event_ri_capture_task: a record made while its
// stream was captured.
type EventCaptureRow struct {
	TaskID      uint64   `col:"task_id" key:"event_task.task_id"`
	UpdatedTime sim.Time `col:"updated_time"`
}

// EventSyncRow is a row of table event_sync_task: records and waits of streams, and
// waits of the host.
type EventSyncRow struct {
	TaskID      uint64   `col:"task_id" key:"event_task.task_id"`
	EventID     int      `col:"event_id" key:"event.event_id"`
	ExecuteTime sim.Time `col:"execute_time"`
	FinishTime  sim.Time `col:"finish_time"`
	OpTimeoutS  float64  `col:"op_timeout_s"` // 0 = for ever
}

// EventRecordRow, EventWaitRow and EventResetRow are rows of tables
// event_record_task, event_wait_task and event_reset_task.
type (
	EventRecordRow struct {
		TaskID      uint64   `col:"task_id" key:"event_sync_task.task_id"`
		EventID     int      `col:"event_id" key:"event.event_id"`
		ExecuteTime sim.Time `col:"execute_time"`
		FinishTime  sim.Time `col:"finish_time"`
		Generation  uint64   `col:"generation"`
	}
	EventWaitRow struct {
		TaskID      uint64   `col:"task_id" key:"event_sync_task.task_id"`
		EventID     int      `col:"event_id" key:"event.event_id"`
		ExecuteTime sim.Time `col:"execute_time"`
		FinishTime  sim.Time `col:"finish_time"`
		Generation  uint64   `col:"generation"`
		RecordID    uint64   `col:"record_task_id" key:"task.task_id"` // that it waits for
	}
	EventResetRow struct {
		TaskID      uint64   `col:"task_id" key:"event_task.task_id"`
		EventID     int      `col:"event_id" key:"event.event_id"`
		ExecuteTime sim.Time `col:"execute_time"`
		FinishTime  sim.Time `col:"finish_time"`
	}
)

// EventTimeRow is a row of table event_time_task: a record that keeps its time.
type EventTimeRow struct {
	TaskID      uint64   `col:"task_id" key:"event_task.task_id"`
	EventID     int      `col:"event_id" key:"event.event_id"`
	ExecuteTime sim.Time `col:"execute_time"`
}

// EventTraceRow is a row of table event_trace_task: a record of an event that
// follows a stream's progress, with the task at which the trace begins.
type EventTraceRow struct {
	TaskID    uint64 `col:"task_id" key:"event_task.task_id"`
	EventID   int    `col:"event_id" key:"event.event_id"`
	StartTask uint64 `col:"start_task_id" key:"task.task_id"`
}

// CallbackTaskRow is a row of table callback_task.
type CallbackTaskRow struct {
	TaskID     uint64 `col:"task_id" key:"task.task_id"`
	ReportID   int    `col:"report_id" key:"report_channel.report_id"`
	CallbackFn uint64 `col:"callback_fn"`
	UserData   uint64 `col:"user_data"`
}

// KernelTaskRow is a row of table kernel_task.
type KernelTaskRow struct {
	TaskID      uint64   `col:"task_id" key:"task.task_id"`
	FuncID      int      `col:"func_id" key:"kernel_func_handle.handle_id"`
	ArgsID      int      `col:"args_id" key:"kernel_func_args_handle.args_handle_id"`
	LaunchCfgID int      `col:"launch_cfg_id" key:"kernel_launch_cfg.launch_cfg_id"`
	Blocks      int      `col:"blocks"`
	Compute     string   `col:"compute"` // Cube, Vector, Hybrid, AICPU
	Start       sim.Time `col:"start"`
	End         sim.Time `col:"end"`
}

// pick makes a table of the task rows that a condition holds for.
func pick[T any](r *Runtime, name string, of func(x *TaskRow) bool, row func(x *TaskRow) T) Table {
	return table(name, func(yield func(T)) {
		all := r.Tasks()
		for i := range all {
			if of(&all[i]) {
				yield(row(&all[i]))
			}
		}
	})
}

func eventTask(what ...string) func(x *TaskRow) bool {
	return func(x *TaskRow) bool {
		if x.Type != TypeEvent {
			return false
		}
		for _, w := range what {
			if x.What == w {
				return true
			}
		}
		return len(what) == 0
	}
}

func (r *Runtime) taskTables() []Table {
	all := []Table{pick(r, "task", func(*TaskRow) bool { return true }, r.taskRow)}
	all = append(all, r.plainTaskTables()...)
	return append(all, r.eventTaskTables()...)
}

func (r *Runtime) taskRow(x *TaskRow) TaskTableRow {
	row := TaskTableRow{x.ID, x.Stream, x.Seq, x.Type, x.Parent, x.Device, 0, x.What, x.Queued, x.Start, x.End, x.State, x.Code}
	if x.Scheduler != "" {
		row.TsID = x.Device*maxSchedulers + x.TS + 1
	}
	if x.State == TaskQueued && x.Stream != 0 && r.ended(x.Stream) {
		row.State = TaskDropped
	}
	return row
}

// ended says whether a stream is destroyed.
func (r *Runtime) ended(stream int) bool {
	if stream < 1 || stream > len(r.streams.all) || r.streams.all[stream-1] == nil {
		return true
	}
	return r.streams.all[stream-1].Gone // rows are kept: a stream's place is its number
}

func (r *Runtime) plainTaskTables() []Table {
	notify := func(what string) func(x *TaskRow) bool {
		return func(x *TaskRow) bool { return x.Type == TypeNotify && (x.What == what || x.What == "notify "+what) }
	}
	return []Table{
		pick(r, "memcpy_task", func(x *TaskRow) bool { return x.Type == TypeMemcpy },
			func(x *TaskRow) MemcpyTaskRow { return MemcpyTaskRow{x.ID, x.Src, x.Dst, x.Size} }),
		pick(r, "notify_record_task", notify("record"), func(x *TaskRow) NotifyRecordRow { return NotifyRecordRow{x.ID, x.Notify} }),
		pick(r, "notify_wait_task", notify("wait"), func(x *TaskRow) NotifyWaitRow { return NotifyWaitRow{x.ID, x.Notify} }),
		pick(r, "callback_task", func(x *TaskRow) bool { return x.Type == TypeCallback },
			func(x *TaskRow) CallbackTaskRow { return CallbackTaskRow{x.ID, x.Report, x.Callback, x.UserData} }),
		pick(r, "kernel_task", func(x *TaskRow) bool { return x.Type == TypeKernel },
			func(x *TaskRow) KernelTaskRow {
				return KernelTaskRow{x.ID, x.Function, x.Args, x.Config, x.Blocks, x.Unit, x.Start, x.End}
			}),
	}
}

func (r *Runtime) eventTaskTables() []Table {
	return []Table{
		pick(r, "event_task", eventTask(), func(x *TaskRow) EventTaskRow { return EventTaskRow{x.ID, x.Event, x.Start, x.End, x.First} }),
		pick(r, "event_ri_capture_task", func(x *TaskRow) bool { return x.Type == TypeEvent && x.Captured },
			func(x *TaskRow) EventCaptureRow { return EventCaptureRow{x.ID, x.Queued} }),
		pick(r, "event_sync_task", eventTask("record", "wait", "sync"),
			func(x *TaskRow) EventSyncRow {
				return EventSyncRow{x.ID, x.Event, x.Start, x.End, float64(x.OpTimeout) / float64(sim.Second)}
			}),
		pick(r, "event_record_task", eventTask("record"), func(x *TaskRow) EventRecordRow { return EventRecordRow{x.ID, x.Event, x.Start, x.End, x.Seen} }),
		pick(r, "event_wait_task", eventTask("wait"),
			func(x *TaskRow) EventWaitRow { return EventWaitRow{x.ID, x.Event, x.Start, x.End, x.Seen, x.Record} }),
		pick(r, "event_reset_task", eventTask("reset"), func(x *TaskRow) EventResetRow { return EventResetRow{x.ID, x.Event, x.Start, x.End} }),
		pick(r, "event_time_task", func(x *TaskRow) bool { return x.Type == TypeEvent && x.TimeLine },
			func(x *TaskRow) EventTimeRow { return EventTimeRow{x.ID, x.Event, x.Start} }),
		pick(r, "event_trace_task", func(x *TaskRow) bool { return x.Type == TypeEvent && x.Trace != 0 },
			func(x *TaskRow) EventTraceRow { return EventTraceRow{x.ID, x.Event, x.Trace} }),
	}
}
