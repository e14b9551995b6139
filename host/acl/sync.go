package acl

import (
	"hsim/host/sim"
)

// SynchronizeStream blocks until every task queued by now has ended, and
// returns the first failure since the last synchronisation. Errors beside those
// of tasks: StreamContext, InvalidHandle, StreamCaptured, StreamAbort when tasks
// were dropped, TaskAbortStop for a stopped stream with tasks left, which would
// wait for ever.
func (t *Thread) SynchronizeStream(s *Stream) error {
	return t.syncStream("aclrtSynchronizeStream", s, sim.Forever)
}

// SynchronizeStreamWithTimeout is SynchronizeStream for at most ms milliseconds
// (-1 for ever, 0 checks now); StreamSyncTimeout when they are over. The tasks
// go on.
func (t *Thread) SynchronizeStreamWithTimeout(s *Stream, ms int32) error {
	const call = "aclrtSynchronizeStreamWithTimeout"
	d, err := millis(call, ms)
	if err != nil {
		t.pay()
		return err
	}
	return t.syncStream(call, s, d)
}

func millis(call string, ms int32) (sim.Time, error) {
	switch {
	case ms == -1:
		return sim.Forever, nil
	case ms < 0:
		return 0, fail(ParamInvalid, call, "got time-out %d ms, want -1 (for ever) or more", ms)
	}
	return sim.Time(ms) * sim.Millisecond, nil
}

func (t *Thread) syncStream(call string, s *Stream, limit sim.Time) error {
	if err := t.enter(call); err != nil {
		return err
	}
	s, err := t.stream(call, s)
	if err != nil {
		return err
	}
	return t.await(call, s, limit)
}

// await waits for a stream's tasks of now and takes its error.
func (t *Thread) await(call string, s *Stream, limit sim.Time) error {
	switch {
	case s.capture != nil:
		return fail(StreamCaptured, call, "%v is captured", s)
	case s.flags&streamNoSync != 0:
		return nil
	case s.stopped && s.q.Busy() && limit == sim.Forever && !s.lost:
		return fail(TaskAbortStop, call, "%v is stopped and has tasks left (call aclrtActiveStream or aclrtStreamAbort)", s)
	}
	aborts := s.aborts
	if !s.q.Wait(t.proc, s.q.Pushed(), limit) {
		return fail(StreamSyncTimeout, call, "%v has tasks left after %v", s, limit)
	}
	if s.lost || s.aborts != aborts {
		s.lost = false
		return fail(StreamAbort, call, "tasks of %v were dropped", s)
	}
	return s.takeErr(call)
}

// takeErr returns the latched failure and clears it; a stopped context keeps it.
func (s *Stream) takeErr(call string) error {
	f := s.q.Err()
	if f == nil {
		f = s.ctx.domain.Failed()
	}
	if f == nil {
		return nil
	}
	s.q.ClearErr()
	return wrap(FaultCode(f, s.ctx.use.dev), call, f)
}

// SynchronizeDevice blocks until all tasks of the process on the current device
// have ended, at most for the time of SetDeviceSynchronize.
func (t *Thread) SynchronizeDevice() error {
	limit := sim.Forever
	if ms := t.SynchronizeTimeout(); ms > 0 {
		limit = sim.Time(ms) * sim.Millisecond
	}
	return t.syncDevice("aclrtSynchronizeDevice", limit)
}

// SynchronizeTimeout is the time of SetDeviceSynchronize in milliseconds, 0 = for
// ever.
func (t *Thread) SynchronizeTimeout() int32 {
	if t.ctx == nil {
		return 0
	}
	return t.p.rt.stateOf(t.ctx.use.dev).timeout
}

// SynchronizeDeviceWithTimeout is SynchronizeDevice for at most ms milliseconds.
func (t *Thread) SynchronizeDeviceWithTimeout(ms int32) error {
	const call = "aclrtSynchronizeDeviceWithTimeout"
	d, err := millis(call, ms)
	if err != nil {
		t.pay()
		return err
	}
	return t.syncDevice(call, d)
}

func (t *Thread) syncDevice(call string, limit sim.Time) error {
	if err := t.enter(call); err != nil {
		return err
	}
	c, err := t.context(call)
	if err != nil {
		return err
	}
	end := t.proc.Now().Add(limit)
	var all []*Stream
	for _, x := range c.use.contexts {
		all = append(all, x.streams...)
	}
	var first error
	for _, s := range all {
		left := sim.Forever
		if limit != sim.Forever {
			left = max(0, end-t.proc.Now())
		}
		if s.Gone {
			continue
		}
		err := t.await(call, s, left)
		if first == nil {
			first = err
		}
		if CodeOf(err) == StreamSyncTimeout {
			return err
		}
	}
	return first
}

// QueryStream reports whether every task of the stream has ended.
func (t *Thread) QueryStream(s *Stream) (complete bool, err error) {
	const call = "aclrtStreamQuery"
	if err := t.enter(call); err != nil {
		return false, err
	}
	s, err = t.stream(call, s)
	if err != nil {
		return false, err
	}
	if s.capture != nil {
		return false, fail(StreamCaptured, call, "%v is captured", s)
	}
	return !s.q.Busy(), nil
}
