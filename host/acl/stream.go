package acl

import (
	"fmt"
	"slices"

	"hsim/host/device"
	"hsim/host/mem"
)

// Flags of a stream.
const (
	StreamFastLaunch    = 1
	StreamFastSync      = 2
	StreamPersistent    = 4
	StreamHuge          = 8
	StreamCPUSchedule   = 0x10
	StreamDeviceUseOnly = 0x20

	streamAll    = 0x3f
	streamAlone  = StreamPersistent | StreamHuge | StreamCPUSchedule | StreamDeviceUseOnly // each only by itself
	streamNoSync = StreamPersistent | StreamCPUSchedule | StreamDeviceUseOnly
	maxPriority  = 7
)

// Stream is a stream of a context: an ordered list of tasks on its device.
type Stream struct {
	object
	ctx      *Context
	q        *device.Stream
	flags    uint32
	priority uint8
	retired  bool // DestroyStream waits for what is left
	stopped  bool
	mode     bool   // failure mode was set
	aborts   int    // AbortStream calls
	first    uint64 // row of its first task, 0 without
	lost     bool   // an abort dropped tasks and nobody has heard of it
	attrs    [5]uint32
	report   *report  // of the thread that takes its callbacks
	capture  *capture // under way
	model    *Model   // whose stream this is
	group    *TaskGroup
	open     *taskGroupMark // of the capture
}

// ID is the stream's number on its device.
func (s *Stream) ID() int { return s.q.ID() }

// UID is the stream's number in the simulation.
func (s *Stream) UID() int { return s.id }

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
func (s *Stream) Destroyed() bool { return s.Gone }

// String names the stream.
func (s *Stream) String() string { return fmt.Sprintf("stream %d (%s)", s.id, s.q.Name()) }

func (c *Context) newStream(call string, priority uint32, flags uint32) (*Stream, error) {
	priority = min(priority, maxPriority)
	q, err := c.use.dev.NewStream(device.StreamOptions{Priority: uint8(priority), Domain: &c.domain})
	if err != nil {
		return nil, resource(call, err)
	}
	r := c.p.rt
	s := &Stream{ctx: c, q: q, flags: flags, priority: uint8(priority)}
	r.streams.add(s, r.now())
	r.ops[q] = s
	c.streams = append(c.streams, s)
	return s, nil
}

// drop aborts what the stream has left; whoever waits for it hears of that.
func (s *Stream) drop() {
	if s.q.Busy() {
		s.lost = true
		s.aborts++
	}
	s.q.Abort()
}

func (s *Stream) free() {
	r := s.ctx.p.rt
	_ = s.ctx.use.dev.Free(s.q) // idle by now
	delete(r.ops, s.q)
	r.streams.end(s, r.now())
	if s.report != nil {
		s.report.remove(s)
	}
	if i := slices.Index(s.ctx.streams, s); i >= 0 {
		s.ctx.streams = slices.Delete(s.ctx.streams, i, i+1)
	}
}

// StreamConfig is what a stream is made with.
type StreamConfig struct {
	Priority uint32   // 0 best; more than 7 counts as 7
	Flags    uint32   // unknown bits count as no flag
	Work     mem.Addr // memory for the device's own use, kept and not needed
	WorkSize int64
}

// CreateStream makes a stream of the current context with the best priority.
// Errors: ContextNull, NoStreamResource when the device's streams, shared by all
// processes, are used up.
func (t *Thread) CreateStream() (*Stream, error) {
	return t.createStream("aclrtCreateStream", StreamConfig{})
}

// CreateStreamWithConfig is CreateStream with a priority (0 best; more than 7
// counts as 7) and flags. ParamInvalid for flags that do not go together: only
// fast launch and fast synchronisation do.
func (t *Thread) CreateStreamWithConfig(priority, flags uint32) (*Stream, error) {
	return t.createStream("aclrtCreateStreamWithConfig", StreamConfig{Priority: priority, Flags: flags})
}

// CreateStreamV2 is CreateStreamWithConfig with a configuration handle's fields.
func (t *Thread) CreateStreamV2(c StreamConfig) (*Stream, error) {
	return t.createStream("aclrtCreateStreamV2", c)
}

func (t *Thread) createStream(call string, conf StreamConfig) (*Stream, error) {
	if err := t.enter(call); err != nil {
		return nil, err
	}
	c, err := t.context(call)
	if err != nil {
		return nil, err
	}
	flags := conf.Flags
	if flags&^streamAll != 0 {
		flags = 0
	}
	if alone := flags & streamAlone; alone != 0 && flags&(flags-1) != 0 {
		return nil, fail(ParamInvalid, call, "got flags %#x, of which only 1 and 2 go together", conf.Flags)
	}
	return c.newStream(call, conf.Priority, flags)
}

// GetStreamAvailableNum is how many more streams the current device has.
func (t *Thread) GetStreamAvailableNum() (int, error) {
	const call = "aclrtGetStreamAvailableNum"
	if err := t.enter(call); err != nil {
		return 0, err
	}
	c, err := t.context(call)
	if err != nil {
		return 0, err
	}
	return c.use.dev.FreeStreams(), nil
}

// DestroyStream frees a stream after its tasks have ended. Errors: ParamInvalid
// for null and the default stream, StreamContext, InvalidHandle, StreamCaptured
// for a stream that is captured, StreamSubscribe for one whose callbacks a thread
// still takes.
func (t *Thread) DestroyStream(s *Stream) error {
	return t.destroyStream("aclrtDestroyStream", s, false)
}

// DestroyStreamForce frees a stream at once; what it has left is dropped, a
// capture too.
func (t *Thread) DestroyStreamForce(s *Stream) error {
	return t.destroyStream("aclrtDestroyStreamForce", s, true)
}

func (t *Thread) destroyStream(call string, s *Stream, force bool) error {
	if err := t.enter(call); err != nil {
		return err
	}
	if s == nil {
		return fail(ParamInvalid, call, "got a null stream")
	}
	s, err := t.stream(call, s)
	switch {
	case err != nil:
		return err
	case s.IsDefault():
		return fail(ParamInvalid, call, "%v is the default one of context %d", s, s.ctx.id)
	case s.retired && !force:
		return fail(InvalidHandle, call, "%v is being destroyed", s)
	case force:
		if s.capture != nil {
			s.capture.drop()
		}
		s.drop()
	case s.capture != nil:
		return fail(StreamCaptured, call, "%v is captured (call aclmdlRICaptureEnd first)", s)
	case s.report != nil:
		return fail(StreamSubscribe, call, "thread %d takes the callbacks of %v (call aclrtUnSubscribeReport first)", s.report.thread, s)
	default:
		s.retired = true
		s.q.Drain(t.proc)
	}
	if !s.Gone {
		s.free()
	}
	return nil
}

// StopStream holds the stream after its running task: what has not started is
// withheld until ActivateStream.
func (t *Thread) StopStream(s *Stream) error {
	return t.setActive("aclrtStreamStop", s, false)
}

// ActivateStream ends StopStream.
func (t *Thread) ActivateStream(s *Stream) error {
	return t.setActive("aclrtActiveStream", s, true)
}

func (t *Thread) setActive(call string, s *Stream, active bool) error {
	if err := t.enter(call); err != nil {
		return err
	}
	if s == nil {
		return fail(ParamInvalid, call, "got a null stream")
	}
	s, err := t.stream(call, s)
	if err != nil {
		return err
	}
	s.stopped = !active
	if active {
		s.q.Start()
	} else {
		s.q.Stop()
	}
	return nil
}

// AbortStream drops the stream's running task and what is queued; who
// synchronises hears of it with StreamAbort.
func (t *Thread) AbortStream(s *Stream) error {
	const call = "aclrtStreamAbort"
	if err := t.enter(call); err != nil {
		return err
	}
	if s == nil {
		return fail(ParamInvalid, call, "got a null stream")
	}
	s, err := t.stream(call, s)
	if err != nil {
		return err
	}
	if s.q.Busy() {
		s.ctx.p.rt.dropped(s)
	}
	s.drop()
	return nil
}

// dropped marks the rows of tasks that will not run.
func (r *Runtime) dropped(s *Stream) {
	for i := range r.Tasks() {
		if x := &r.rows.rows[i]; x.Stream == s.id && x.State == TaskQueued {
			x.State, x.End = TaskDropped, r.now()
		}
	}
}
