package acl

import (
	"fmt"

	"hsim/host/device"
	"hsim/host/sim"
)

// maxReportThreads is how many threads of a process may take callbacks.
const maxReportThreads = 1024

// ExceptionInfo describes a failed task to the exception callback.
type ExceptionInfo struct {
	Task   uint64
	Stream int // id on its device
	Thread int
	Device int // logic id
	Code   Code
}

// report is the report channel of a thread: the callbacks that devices have
// reached and the thread has not run.
type report struct {
	thread  int
	streams []*Stream
	ready   []pendingCallback
	changed sim.Cond
}

type pendingCallback struct {
	cb     *callback
	ticket device.Ticket
}

// callback is one LaunchCallback.
type callback struct {
	f     func()
	block bool
	on    *report
}

func (r *report) remove(s *Stream) {
	for i, x := range r.streams {
		if x == s {
			r.streams = append(r.streams[:i], r.streams[i+1:]...)
			break
		}
	}
	s.report = nil
}

// SubscribeReport makes a thread of the process take the stream's callbacks. A
// stream has at most one such thread; a thread serves streams of one device.
func (t *Thread) SubscribeReport(thread int, s *Stream) error {
	const call = "aclrtSubscribeReport"
	t.pay()
	s, err := t.stream(call, s)
	if err != nil {
		return err
	}
	if s.report != nil {
		return fail(StreamSubscribe, call, "%v is subscribed by thread %d", s, s.report.thread)
	}
	r := t.p.reports[thread]
	if r == nil {
		if len(t.p.reports) >= maxReportThreads {
			return fail(OverLimit, call, "got %d threads, want at most %d", len(t.p.reports)+1, maxReportThreads)
		}
		r = &report{thread: thread}
		t.p.reports[thread] = r
	}
	if len(r.streams) > 0 && r.streams[0].ctx.use != s.ctx.use {
		return fail(ThreadSubscribe, call, "thread %d serves %s, %v is not on it", thread, r.streams[0].ctx.use.dev.Name(), s)
	}
	r.streams = append(r.streams, s)
	s.report = r
	return nil
}

// UnSubscribeReport ends SubscribeReport.
func (t *Thread) UnSubscribeReport(thread int, s *Stream) error {
	const call = "aclrtUnSubscribeReport"
	t.pay()
	s, err := t.stream(call, s)
	if err != nil {
		return err
	}
	if s.report == nil || s.report.thread != thread {
		return fail(StreamSubscribe, call, "%v is not subscribed by thread %d", s, thread)
	}
	s.report.remove(s)
	return nil
}

// LaunchCallback queues a call of f, made by the subscribed thread inside
// ProcessReport. block holds the stream until f has returned.
func (t *Thread) LaunchCallback(f func(), block bool, s *Stream) error {
	const call = "aclrtLaunchCallback"
	t.payLaunch()
	s, err := t.stream(call, s)
	if err != nil {
		return err
	}
	if f == nil {
		return fail(ParamInvalid, call, "got no function")
	}
	if s.report == nil {
		return fail(StreamNoCBReg, call, "%v has no thread that takes its callbacks (call aclrtSubscribeReport first)", s)
	}
	return t.push(call, s, &device.Task{Kind: device.KindOp, Op: &callback{f: f, block: block, on: s.report}}, &TaskRow{Type: TypeCallback, What: "callback"})
}

// ProcessReport waits for callbacks of the thread's streams and runs those that
// are ready. ms is the time-out in milliseconds, -1 for none; ReportTimeout
// when it ends first.
func (t *Thread) ProcessReport(ms int32) error {
	const call = "aclrtProcessReport"
	t.pay()
	if ms == 0 {
		return fail(ParamInvalid, call, "got time-out 0 ms, want -1 (for ever) or more than 0")
	}
	d, err := millis(call, ms)
	if err != nil {
		return err
	}
	r := t.p.reports[t.id]
	if r == nil || len(r.streams) == 0 {
		return fail(ThreadSubscribe, call, "thread %d of %s is not subscribed to a stream", t.id, t.p.name)
	}
	for len(r.ready) == 0 {
		if !t.proc.WaitTimeout(&r.changed, d, sim.Cause{What: "a callback"}) {
			return fail(ReportTimeout, call, "no callback within %v", d)
		}
	}
	for len(r.ready) > 0 {
		p := r.ready[0]
		r.ready = r.ready[1:]
		p.cb.f()
		if p.cb.block {
			p.ticket.Finish(device.CauseNone, nil)
		}
	}
	return nil
}

// Start implements device.Op.
func (c *callback) Start(s *device.Stream, _ *device.Task) device.Status {
	c.on.ready = append(c.on.ready, pendingCallback{c, s.Ticket()})
	c.on.changed.Broadcast(s.System().Engine())
	if c.block {
		return device.Pending
	}
	return device.Done
}

// Describe implements the wait reason of a stall report.
func (c *callback) Describe(*device.Stream, *device.Task) (what, actor string) {
	return fmt.Sprintf("a blocking callback of thread %d (aclrtProcessReport)", c.on.thread), ""
}

// SetExceptionInfoCallback sets the process's hook for failed tasks; nil
// removes it.
func (t *Thread) SetExceptionInfoCallback(f func(ExceptionInfo)) {
	t.pay()
	t.p.exception = f
}
