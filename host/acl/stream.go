package acl

import (
	"fmt"

	"hsim/host/device"
	"hsim/host/sim"
)

// Flags of a stream.
const (
	StreamFastLaunch    = 1
	StreamFastSync      = 2
	StreamPersistent    = 4
	StreamHuge          = 8
	StreamCPUSchedule   = 0x10
	StreamDeviceUseOnly = 0x20

	streamNoSync = StreamPersistent | StreamCPUSchedule | StreamDeviceUseOnly
	maxPriority  = 7
)

// StreamAttr is an attribute of a stream.
type StreamAttr int

// The attributes.
const (
	AttrFailureMode   StreamAttr = 1 // 0 continue, 1 stop
	AttrOverflowCheck StreamAttr = 2
	AttrUserTag       StreamAttr = 3
	AttrCacheOpInfo   StreamAttr = 4
)

// Stream is a stream of a context: an ordered list of tasks on its device.
type Stream struct {
	uid      int
	ctx      *Context
	q        *device.Stream
	flags    uint32
	priority uint8
	dead     bool
	mode     bool // failure mode was set
	attrs    [5]uint32
	report   *report // of the thread that takes its callbacks
}

// ID is the stream's number on its device.
func (s *Stream) ID() int { return s.q.ID() }

// UID is the stream's number in the simulation.
func (s *Stream) UID() int { return s.uid }

// Context is the stream's context.
func (s *Stream) Context() *Context { return s.ctx }

// Queue is the hardware queue; collectives push their tasks there.
func (s *Stream) Queue() *device.Stream { return s.q }

// IsDefault says that the stream is its context's default one.
func (s *Stream) IsDefault() bool { return s.ctx.def == s }

// Priority is 0 (best) to 7.
func (s *Stream) Priority() int { return int(s.priority) }

// Flags are the flags the stream was made with.
func (s *Stream) Flags() uint32 { return s.flags }

// Destroyed says that the stream is gone.
func (s *Stream) Destroyed() bool { return s.dead }

// String names the stream.
func (s *Stream) String() string { return fmt.Sprintf("stream %d (%s)", s.uid, s.q.Name()) }

func (c *Context) newStream(call string, priority uint32, flags uint32) (*Stream, error) {
	priority = min(priority, maxPriority)
	q, err := c.use.dev.NewStream(device.StreamOptions{Priority: uint8(priority), Domain: &c.domain})
	if err != nil {
		return nil, resource(call, err)
	}
	r := c.p.rt
	r.streams++
	s := &Stream{uid: r.streams, ctx: c, q: q, flags: flags, priority: uint8(priority)}
	r.ops[q] = s
	c.streams = append(c.streams, s)
	return s, nil
}

func (s *Stream) free() {
	_ = s.ctx.use.dev.Free(s.q) // idle by now
	delete(s.ctx.p.rt.ops, s.q)
	s.dead = true
	if s.report != nil {
		s.report.remove(s)
	}
	for i, x := range s.ctx.streams {
		if x == s {
			s.ctx.streams = append(s.ctx.streams[:i], s.ctx.streams[i+1:]...)
			return
		}
	}
}

// CreateStream makes a stream of the current context. NoStreamResource when the
// device's streams, shared by all processes, are used up.
func (t *Thread) CreateStream() (*Stream, error) { return t.createStream("aclrtCreateStream", 0, 0) }

// CreateStreamWithConfig is CreateStream with a priority (0 best; more than 7
// counts as 7) and flags.
func (t *Thread) CreateStreamWithConfig(priority, flags uint32) (*Stream, error) {
	return t.createStream("aclrtCreateStreamWithConfig", priority, flags)
}

func (t *Thread) createStream(call string, priority, flags uint32) (*Stream, error) {
	t.pay()
	c, err := t.context(call)
	if err != nil {
		return nil, err
	}
	return c.newStream(call, priority, flags)
}

// GetStreamAvailableNum is how many more streams the current device has.
func (t *Thread) GetStreamAvailableNum() (int, error) {
	t.pay()
	c, err := t.context("aclrtGetStreamAvailableNum")
	if err != nil {
		return 0, err
	}
	return c.use.dev.FreeStreams(), nil
}

// DestroyStream frees a stream after its tasks have ended.
func (t *Thread) DestroyStream(s *Stream) error {
	return t.destroyStream("aclrtDestroyStream", s, false)
}

// DestroyStreamForce frees a stream at once; what it has left is dropped.
func (t *Thread) DestroyStreamForce(s *Stream) error {
	return t.destroyStream("aclrtDestroyStreamForce", s, true)
}

func (t *Thread) destroyStream(call string, s *Stream, force bool) error {
	t.pay()
	if s == nil {
		return fail(ParamInvalid, call, "got a null stream")
	}
	s, err := t.stream(call, s)
	if err != nil {
		return err
	}
	if s.IsDefault() {
		return fail(ParamInvalid, call, "stream %d is the default one of context %d", s.uid, s.ctx.id)
	}
	if force {
		s.q.Abort()
	} else {
		s.q.Drain(t.proc)
	}
	if !s.dead {
		s.free()
	}
	return nil
}

// SynchronizeStream blocks until every task queued by now has ended, and
// returns the first failure since the last synchronisation.
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
	t.pay()
	s, err := t.stream(call, s)
	if err != nil {
		return err
	}
	if s.flags&streamNoSync != 0 {
		return nil
	}
	if !s.q.Wait(t.proc, s.q.Pushed(), limit) {
		return fail(StreamSyncTimeout, call, "%v has tasks left after %v", s, limit)
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
// have ended.
func (t *Thread) SynchronizeDevice() error {
	return t.syncDevice("aclrtSynchronizeDevice", sim.Forever)
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
	t.pay()
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
		if s.flags&streamNoSync != 0 {
			continue
		}
		left := sim.Forever
		if limit != sim.Forever {
			left = max(0, end-t.proc.Now())
		}
		if !s.q.Wait(t.proc, s.q.Pushed(), left) {
			return fail(StreamSyncTimeout, call, "%v has tasks left after %v", s, limit)
		}
		if err := s.takeErr(call); err != nil && first == nil {
			first = err
		}
	}
	return first
}

// QueryStream reports whether every task of the stream has ended.
func (t *Thread) QueryStream(s *Stream) (complete bool, err error) {
	t.pay()
	s, err = t.stream("aclrtStreamQuery", s)
	if err != nil {
		return false, err
	}
	return !s.q.Busy(), nil
}

// StopStream holds the stream after its running task.
func (t *Thread) StopStream(s *Stream) error {
	t.pay()
	s, err := t.stream("aclrtStreamStop", s)
	if err != nil {
		return err
	}
	s.q.Stop()
	return nil
}

// AbortStream drops the stream's running task and what is queued.
func (t *Thread) AbortStream(s *Stream) error {
	t.pay()
	s, err := t.stream("aclrtStreamAbort", s)
	if err != nil {
		return err
	}
	s.q.Abort()
	return nil
}

// SetStreamAttribute sets one attribute. The failure mode can be set once per
// stream and then holds for all streams of its context.
func (t *Thread) SetStreamAttribute(s *Stream, a StreamAttr, value uint32) error {
	const call = "aclrtSetStreamAttribute"
	t.pay()
	s, err := t.stream(call, s)
	if err != nil {
		return err
	}
	switch a {
	case AttrFailureMode:
		if value > 1 {
			return fail(ParamInvalid, call, "got failure mode %d, want 0 (continue) or 1 (stop)", value)
		}
		if s.mode {
			return fail(ParamInvalid, call, "the failure mode of %v was set before", s)
		}
		s.mode = true
		if value == 1 {
			s.ctx.domain.StopOnFailure = true
		}
	case AttrOverflowCheck, AttrCacheOpInfo:
		if value > 1 {
			return fail(ParamInvalid, call, "got attribute %d = %d, want 0 or 1", a, value)
		}
	case AttrUserTag:
	default:
		return fail(ParamInvalid, call, "got attribute %d, want 1 to 4", a)
	}
	s.attrs[a] = value
	return nil
}

// GetStreamAttribute reads one attribute; what was never set is 0.
func (t *Thread) GetStreamAttribute(s *Stream, a StreamAttr) (uint32, error) {
	const call = "aclrtGetStreamAttribute"
	t.pay()
	s, err := t.stream(call, s)
	if err != nil {
		return 0, err
	}
	if a < AttrFailureMode || a > AttrCacheOpInfo {
		return 0, fail(ParamInvalid, call, "got attribute %d, want 1 to 4", a)
	}
	return s.attrs[a], nil
}
