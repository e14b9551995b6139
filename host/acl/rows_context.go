package acl

import (
	"strings"

	"hsim/host/mem"
	"hsim/host/sim"
	"hsim/host/topo"
)

// RunnerRow is a row of table runner: a thread of a process. HostID is its host,
// which may be the device's own CPU; -1 without a topology.
type RunnerRow struct {
	RunID     int   `col:"run_id" key:"pk"`
	HostID    int   `col:"host_id" key:"host.host_id" null:"-1"`
	Pid       int   `col:"pid"`
	ThreadID  int   `col:"thread_id"`
	TimeoutMs int64 `col:"timeout_config_ms"` // of event waits, 0 = for ever
	CurrentID int   `col:"current_ctx_id" key:"context.ctx_id"`
	Life
}

func (r *Runtime) runnerRows(yield func(RunnerRow)) {
	r.runners.each(func(t *Thread) {
		row := RunnerRow{RunID: t.id, HostID: topo.None, Pid: t.p.pid, ThreadID: t.number, TimeoutMs: int64(t.p.opWait / sim.Millisecond), Life: t.Life}
		if len(t.p.uses) > 0 {
			row.HostID = r.hostOf(t.p.uses[0].dev)
		}
		if t.ctx != nil {
			row.CurrentID = t.ctx.id
		}
		yield(row)
	})
}

// ContextRow is a row of table context.
type ContextRow struct {
	CtxID        int         `col:"ctx_id" key:"pk"`
	RunID        int         `col:"run_id" key:"runner.run_id"`
	ThreadID     int         `col:"thread_id"`
	DeviceID     int         `col:"device_id" key:"device.device_id" null:"-1"`
	IsDefault    bool        `col:"is_default"`
	OverflowAddr mem.Addr    `col:"float_overflow_addr"`
	CaptureMode  CaptureMode `col:"capture_mode"`
	Life
}

func (r *Runtime) contextRows(yield func(ContextRow)) {
	r.contexts.each(func(c *Context) {
		yield(ContextRow{c.id, c.maker.id, c.maker.number, c.use.dev.Index(), c.primary, c.overflow, c.capture, c.Life})
	})
}

// The states of a stream.
const (
	StreamRunning = "Running"
	StreamIdle    = "Idle"
)

// StreamRow is a row of table stream. SqBaseAddr is where the queue's entries
// would lie: unique, and no memory of the simulation.
type StreamRow struct {
	StreamID         int           `col:"stream_id" key:"pk"`
	CtxID            int           `col:"ctx_id" key:"context.ctx_id"`
	DeviceStream     int           `col:"device_stream"` // number on the device
	SqBaseAddr       uint64        `col:"sq_base_addr"`
	IsPrimaryDefault bool          `col:"is_primary_default"`
	IsOtherDefault   bool          `col:"is_other_default"`
	Priority         int           `col:"priority"`
	ScheduleStrategy string        `col:"schedule_strategy"`
	FailureMode      uint32        `col:"failure_mode"`
	UserTag          uint32        `col:"user_tag"`
	OverflowSwitch   uint32        `col:"overflow_switch"`
	Activated        bool          `col:"activated"`
	CaptureStatus    CaptureStatus `col:"capture_status"`
	Complete         int           `col:"task_complete_status"` // 0 complete, 1 not ready
	State            string        `col:"state"`
	ModelID          int           `col:"model_id"` // of a stream that a captured model owns, 0 for none
	Life
}

const (
	sqBase    = 0xa0_0000_0000_0000
	sqPerChip = 1 << 36
	sqBytes   = 1 << 17 // 2048 entries of 64 bytes
)

func (r *Runtime) streamRows(yield func(StreamRow)) {
	r.streams.each(func(s *Stream) {
		row := StreamRow{StreamID: s.id, CtxID: s.ctx.id, DeviceStream: s.q.ID(), Priority: int(s.priority),
			SqBaseAddr:       sqBase + uint64(s.ctx.use.dev.Index())*sqPerChip + uint64(s.q.ID())*sqBytes,
			IsPrimaryDefault: s.IsDefault() && s.ctx.primary, IsOtherDefault: s.IsDefault() && !s.ctx.primary, ScheduleStrategy: strategy(s.flags),
			FailureMode: s.attrs[AttrFailureMode], UserTag: s.attrs[AttrUserTag], OverflowSwitch: s.attrs[AttrOverflowCheck], Activated: !s.stopped,
			CaptureStatus: s.captureStatus(), State: StreamIdle, Life: s.Life}
		if s.model != nil {
			row.ModelID = s.model.id
		}
		if s.ctx.domain.StopOnFailure {
			row.FailureMode = 1
		}
		if !s.Gone && s.q.Busy() {
			row.State, row.Complete = StreamRunning, 1
		}
		yield(row)
	})
}

var strategyNames = [...]string{"fast launch", "fast sync", "persistent", "huge", "CPU schedule", "device use only"}

// strategy names the flags of a stream.
func strategy(flags uint32) string {
	var names []string
	for i, n := range strategyNames {
		if flags>>i&1 != 0 {
			names = append(names, n)
		}
	}
	if len(names) == 0 {
		return "default"
	}
	return strings.Join(names, ", ")
}

// ReportChannelRow is a row of table report_channel.
type ReportChannelRow struct {
	ReportID int `col:"report_id" key:"pk"`
	StreamID int `col:"stream_id" key:"stream.stream_id"`
	RunID    int `col:"run_id" key:"runner.run_id"` // 0: no thread with the number has started
	ThreadID int `col:"thread_id"`
	Life
}

func (r *Runtime) channelRows(yield func(ReportChannelRow)) {
	r.channels.each(func(c *channel) {
		if p := c.stream.ctx.p; c.thread == nil && c.number >= 0 && c.number < len(p.threads) {
			c.thread = p.threads[c.number]
		}
		row := ReportChannelRow{ReportID: c.id, StreamID: c.stream.id, ThreadID: c.number, Life: c.Life}
		if c.thread != nil {
			row.RunID = c.thread.id
		}
		yield(row)
	})
}
