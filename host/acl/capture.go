package acl

import (
	"slices"

	"hsim/host/device"
)

// CaptureMode is which calls a capture forbids meanwhile: those that would wait
// for the device behind the capture's back (synchronous copies and fills).
type CaptureMode int

// The modes: forbidden to every thread of the process, to the capturing thread,
// to nobody.
const (
	CaptureGlobal      CaptureMode = 0
	CaptureThreadLocal CaptureMode = 1
	CaptureRelaxed     CaptureMode = 2
)

// CaptureStatus is how far a stream's capture is.
type CaptureStatus int

// The states of a capture.
const (
	CaptureNone        CaptureStatus = 0
	CaptureActive      CaptureStatus = 1
	CaptureInvalidated CaptureStatus = 2
)

// capture is a capture under way: what is queued on its streams joins its model.
type capture struct {
	model   *Model
	origin  *Stream
	thread  *Thread
	mode    CaptureMode
	invalid error // what broke it
	lanes   []*lane
}

// RICaptureBegin starts to capture what is queued on the stream from now on
// (aclmdlRICaptureBegin). Errors: ParamInvalid, StreamCaptureImplicit for the
// default stream, StreamCaptured, NoStreamResource: the model takes a stream of
// the device for each one that it captures.
func (t *Thread) RICaptureBegin(s *Stream, mode CaptureMode) error {
	const call = "aclmdlRICaptureBegin"
	if err := t.enter(call); err != nil {
		return err
	}
	s, err := t.stream(call, s)
	switch {
	case err != nil:
		return err
	case mode < CaptureGlobal || mode > CaptureRelaxed:
		return fail(ParamInvalid, call, "got mode %d, want 0 (global), 1 (thread) or 2 (relaxed)", mode)
	case s.IsDefault():
		return fail(StreamCaptureImplicit, call, "%v is the default one of context %d, want an explicit stream", s, s.ctx.id)
	case s.capture != nil:
		return fail(StreamCaptured, call, "%v is captured", s)
	}
	c := &capture{origin: s, thread: t, mode: mode, model: &Model{ctx: s.ctx, capturing: true}}
	if err := c.join(call, s); err != nil {
		return err
	}
	t.p.rt.models.add(c.model, t.p.rt.now())
	t.p.captures = append(t.p.captures, c)
	s.ctx.capture = mode
	return nil
}

// join makes the stream one of the capture's: the model gets a stream for it.
func (c *capture) join(call string, s *Stream) error {
	m, err := s.ctx.newStream(call, uint32(s.priority), StreamPersistent)
	if err != nil {
		return err
	}
	m.model, m.attrs = c.model, s.attrs
	l := &lane{model: c.model, stream: m, of: s}
	s.ctx.p.rt.lanes[m.q] = l
	c.lanes = append(c.lanes, l)
	c.model.lanes = append(c.model.lanes, l)
	s.capture = c
	return nil
}

func (c *capture) laneOf(s *Stream) *lane {
	for _, l := range c.lanes {
		if l.of == s {
			return l
		}
	}
	return nil
}

// take captures one task.
func (c *capture) take(call string, s *Stream, task *device.Task, row *TaskRow) error {
	if c.invalid != nil {
		return wrap(StreamCaptureInvalidated, call, c.invalid)
	}
	l, r := c.laneOf(s), s.ctx.p.rt
	if r.rows != nil {
		row.ID, row.Stream, row.State, row.Queued = r.sys.TakeTask(), l.stream.id, TaskCaptured, r.now()
		row.ran(s.ctx.use.dev)
		if c.model.first == 0 {
			c.model.first = row.ID
		}
		if row.Type == TypeEvent {
			row.First = c.model.first
		}
		r.rows.add(row)
	}
	l.tasks = append(l.tasks, capturedTask{*task, *row})
	return nil
}

// breaks invalidates the capture because of an error, which it returns.
func (c *capture) breaks(err error) error {
	if c.invalid == nil {
		c.invalid = err
	}
	return err
}

// end lets the streams go.
func (c *capture) end() {
	for _, l := range c.lanes {
		if l.of.capture == c {
			l.of.capture, l.of.open = nil, nil
		}
	}
	p := c.origin.ctx.p
	if i := slices.Index(p.captures, c); i >= 0 {
		p.captures = slices.Delete(p.captures, i, i+1)
	}
	c.origin.ctx.capture = CaptureRelaxed
	c.model.capturing = false
}

// drop ends the capture without a model.
func (c *capture) drop() {
	c.end()
	c.model.destroy()
}

// RICaptureGetInfo is the state of a stream's capture and its model.
func (t *Thread) RICaptureGetInfo(s *Stream) (CaptureStatus, *Model, error) {
	const call = "aclmdlRICaptureGetInfo"
	if err := t.enter(call); err != nil {
		return CaptureNone, nil, err
	}
	s, err := t.stream(call, s)
	if err != nil || s.capture == nil {
		return CaptureNone, nil, err
	}
	return s.captureStatus(), s.capture.model, nil
}

func (s *Stream) captureStatus() CaptureStatus {
	switch {
	case s.capture == nil:
		return CaptureNone
	case s.capture.invalid != nil:
		return CaptureInvalidated
	}
	return CaptureActive
}

// RICaptureEnd ends the capture that began on the stream and returns its model.
// Errors, after which nothing is captured any more: StreamCaptureInvalidated,
// StreamUnjoined when a stream that joined is not waited for; and, which leave
// the capture as it is, StreamNotCaptured and StreamCaptureUnmatched for a stream
// on which it did not begin.
func (t *Thread) RICaptureEnd(s *Stream) (*Model, error) {
	const call = "aclmdlRICaptureEnd"
	if err := t.enter(call); err != nil {
		return nil, err
	}
	s, err := t.stream(call, s)
	if err != nil {
		return nil, err
	}
	c := s.capture
	switch {
	case c == nil:
		return nil, fail(StreamNotCaptured, call, "%v is not captured", s)
	case c.origin != s:
		return nil, fail(StreamCaptureUnmatched, call, "the capture began on %v, got %v", c.origin, s)
	case c.invalid != nil:
		c.drop()
		return nil, wrap(StreamCaptureInvalidated, call, c.invalid)
	}
	if l := c.unjoined(); l != nil {
		c.drop()
		return nil, fail(StreamUnjoined, call, "%v joined the capture, and %v does not wait for its last task", l.of, s)
	}
	c.end()
	return c.model, nil
}

// unjoined finds a lane whose last task nothing waits for that the origin waits
// for in turn.
func (c *capture) unjoined() *lane {
	joined := map[*lane]bool{c.lanes[0]: true}
	for more := true; more; {
		more = false
		for _, l := range c.lanes {
			if !joined[l] {
				continue
			}
			for _, n := range l.waits {
				if !joined[n.lane] && n.at >= n.lane.lastWork() {
					joined[n.lane], more = true, true
				}
			}
		}
	}
	for _, l := range c.lanes {
		if !joined[l] {
			return l
		}
	}
	return nil
}

// RICaptureThreadExchangeMode sets what the thread lets captures forbid it, and
// returns what it was.
func (t *Thread) RICaptureThreadExchangeMode(mode CaptureMode) (CaptureMode, error) {
	const call = "aclmdlRICaptureThreadExchangeMode"
	if err := t.enter(call); err != nil {
		return 0, err
	}
	if mode < CaptureGlobal || mode > CaptureRelaxed {
		return 0, fail(ParamInvalid, call, "got mode %d, want 0 (global), 1 (thread) or 2 (relaxed)", mode)
	}
	old := t.mode
	t.mode = mode
	return old, nil
}

// unsafe refuses a call that a capture forbids, with CaptureModeNotSupport.
func (t *Thread) unsafe(call string) error {
	for _, c := range t.p.captures {
		own := c.thread == t && c.mode != CaptureRelaxed && t.mode != CaptureRelaxed
		if own || c.mode == CaptureGlobal && t.mode == CaptureGlobal {
			return fail(CaptureModeNotSupport, call, "the capture of %v forbids it (capture in mode 2, or use the asynchronous call on the captured stream)", c.origin)
		}
	}
	return nil
}

// implicit refuses work on a default stream that a capture of its context would
// have to depend on.
func (t *Thread) implicit(call string, s *Stream) error {
	if !s.IsDefault() {
		return nil
	}
	for _, c := range t.p.captures {
		if c.origin.ctx == s.ctx && (c.mode == CaptureGlobal || c.mode == CaptureThreadLocal && c.thread == t) {
			return c.breaks(fail(StreamCaptureImplicit, call, "work on the default stream would depend on the capture of %v", c.origin))
		}
	}
	return nil
}
