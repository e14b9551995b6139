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

// Callback is a function of the program. Data is passed to it; Entry is the
// program's own number for it, shown in the tables.
type Callback struct {
	Func  func(data uint64)
	Data  uint64
	Entry uint64
}

// Whether a callback holds its stream.
const (
	CallbackNoBlock = 0
	CallbackBlock   = 1
)

// report is what a thread takes callbacks through: those that devices have
// reached and the thread has not run.
type report struct {
	thread  int
	streams []*Stream
	links   map[*Stream]*channel
	ready   []pendingCallback
	changed sim.Cond
	running *launched // the callback that the thread is in
}

// channel is the report channel of one stream.
type channel struct {
	object
	stream *Stream
	thread *Thread // nil when the number is no thread's yet
	number int
}

type pendingCallback struct {
	cb     *launched
	ticket device.Ticket
}

// launched is one LaunchCallback.
type launched struct {
	cb    Callback
	block bool
	on    *report
	s     *Stream
}

func (r *report) remove(s *Stream) {
	for i, x := range r.streams {
		if x == s {
			r.streams = append(r.streams[:i], r.streams[i+1:]...)
			break
		}
	}
	rt := s.ctx.p.rt
	rt.channels.end(r.links[s], rt.now())
	delete(r.links, s)
	s.report = nil
}

// SubscribeReport makes a thread of the process take the stream's callbacks. A
// stream has at most one such thread; a thread serves streams of one device.
// Errors: StreamContext, InvalidHandle, StreamSubscribe, ThreadSubscribe,
// OverLimit for more than 1024 threads.
func (t *Thread) SubscribeReport(thread int, s *Stream) error {
	const call = "aclrtSubscribeReport"
	if err := t.enter(call); err != nil {
		return err
	}
	s, err := t.stream(call, s)
	if err != nil {
		return err
	}
	if s.report != nil {
		return fail(StreamSubscribe, call, "thread %d takes the callbacks of %v", s.report.thread, s)
	}
	r := t.p.reports[thread]
	if r == nil {
		if len(t.p.reports) >= maxReportThreads {
			return fail(OverLimit, call, "got %d threads, want at most %d", len(t.p.reports)+1, maxReportThreads)
		}
		r = &report{thread: thread, links: map[*Stream]*channel{}}
		t.p.reports[thread] = r
	}
	if len(r.streams) > 0 && r.streams[0].ctx.use != s.ctx.use {
		return fail(ThreadSubscribe, call, "thread %d serves %s, %v is not on it", thread, r.streams[0].ctx.use.dev.Name(), s)
	}
	c := &channel{stream: s, number: thread}
	if thread >= 0 && thread < len(t.p.threads) {
		c.thread = t.p.threads[thread]
	}
	t.p.rt.channels.add(c, t.p.rt.now())
	r.streams = append(r.streams, s)
	r.links[s] = c
	s.report = r
	return nil
}

// UnSubscribeReport ends SubscribeReport. StreamSubscribe when the thread does not
// take the stream's callbacks.
func (t *Thread) UnSubscribeReport(thread int, s *Stream) error {
	const call = "aclrtUnSubscribeReport"
	if err := t.enter(call); err != nil {
		return err
	}
	s, err := t.stream(call, s)
	if err != nil {
		return err
	}
	if s.report == nil || s.report.thread != thread {
		return fail(StreamSubscribe, call, "thread %d does not take the callbacks of %v", thread, s)
	}
	s.report.remove(s)
	if r := t.p.reports[thread]; len(r.streams) == 0 && len(r.ready) == 0 {
		delete(t.p.reports, thread)
	}
	return nil
}

// LaunchCallback queues a call of a function, made by the subscribed thread inside
// ProcessReport. CallbackBlock holds the stream until it has returned. Errors:
// ParamInvalid, StreamContext, StreamNoCBReg.
func (t *Thread) LaunchCallback(cb Callback, block int, s *Stream) error {
	const call = "aclrtLaunchCallback"
	if err := t.enterLaunch(call); err != nil {
		return err
	}
	s, err := t.stream(call, s)
	switch {
	case err != nil:
		return err
	case cb.Func == nil:
		return fail(ParamInvalid, call, "got no function")
	case block != CallbackNoBlock && block != CallbackBlock:
		return fail(ParamInvalid, call, "got block type %d, want 0 or 1", block)
	case s.report == nil:
		return fail(StreamNoCBReg, call, "%v has no thread that takes its callbacks (call aclrtSubscribeReport first)", s)
	}
	if err := t.implicit(call, s); err != nil {
		return err
	}
	l := &launched{cb: cb, block: block == CallbackBlock, on: s.report, s: s}
	row := TaskRow{Type: TypeCallback, What: "callback", Report: s.report.links[s].id, Callback: cb.Entry, UserData: cb.Data}
	return t.push(call, s, &device.Task{Kind: device.KindOp, Op: l}, &row)
}

// ProcessReport waits for callbacks of the thread's streams and runs those that
// are ready. ms is the time-out in milliseconds, -1 for none. Errors: ParamInvalid
// for 0 and below -1, ThreadSubscribe, ReportTimeout.
func (t *Thread) ProcessReport(ms int32) error {
	const call = "aclrtProcessReport"
	if err := t.enter(call); err != nil {
		return err
	}
	if ms == 0 {
		return fail(ParamInvalid, call, "got time-out 0 ms, want -1 (for ever) or more than 0")
	}
	d, err := millis(call, ms)
	if err != nil {
		return err
	}
	r := t.p.reports[t.number]
	if r == nil || len(r.streams) == 0 && len(r.ready) == 0 {
		return fail(ThreadSubscribe, call, "thread %d of %s is not subscribed to a stream", t.number, t.p.name)
	}
	for len(r.ready) == 0 {
		if !t.proc.WaitTimeout(&r.changed, d, sim.Cause{What: "a callback"}) {
			return fail(ReportTimeout, call, "no callback within %v", d)
		}
	}
	for len(r.ready) > 0 {
		p := r.ready[0]
		r.ready = r.ready[1:]
		outer := r.running
		r.running = p.cb
		p.cb.cb.Func(p.cb.cb.Data)
		r.running = outer
		if p.cb.block {
			p.ticket.Finish(device.CauseNone, nil)
		}
	}
	return nil
}

// Start implements device.Op.
func (c *launched) Start(s *device.Stream, _ *device.Task) device.Status {
	c.on.ready = append(c.on.ready, pendingCallback{c, s.Ticket()})
	c.on.changed.Broadcast(s.System().Engine())
	if c.block {
		return device.Pending
	}
	return device.Done
}

// Describe implements the wait reason of a stall report: nobody runs the callback,
// or it waits for the stream that it holds.
func (c *launched) Describe(*device.Stream, *device.Task) (what, actor string) {
	if c.on.running == c {
		return fmt.Sprintf("a blocking callback that thread %d is in, and that may wait for this very stream", c.on.thread), ""
	}
	return fmt.Sprintf("a blocking callback of thread %d (aclrtProcessReport)", c.on.thread), ""
}

// SetExceptionInfoCallback sets the process's hook for failed tasks; nil removes
// it. A thread of the runtime makes the call, and may call the runtime.
// ACLUninitialize before aclInit.
func (t *Thread) SetExceptionInfoCallback(f func(*Thread, ExceptionInfo)) error {
	const call = "aclrtSetExceptionInfoCallback"
	t.pay()
	if err := t.ready(call); err != nil {
		return err
	}
	t.p.exception = f
	return nil
}
