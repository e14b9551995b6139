package acl

import (
	"fmt"

	"hsim/host/device"
	"hsim/host/sim"
)

// Flags of an event.
const (
	EventSync           = 1    // makes streams wait, can be reset
	EventStreamProgress = 2    // for query and synchronise
	EventTimeLine       = 8    // keeps time stamps
	EventDeviceUseOnly  = 0x10 //
	EventExternal       = 0x20 //
	EventAutoReset      = 0x100
	eventAll            = EventSync | EventStreamProgress | EventTimeLine | EventDeviceUseOnly | EventExternal | EventAutoReset
)

// EventState is the state of an event's latest record.
type EventState string

// The states of an event.
const (
	NotRecorded EventState = "NotRecorded"
	Recorded    EventState = "Recorded"
	Completed   EventState = "Completed"
)

// Event marks a point in a stream. Every record starts a new generation; who
// waits or synchronises waits for the generation that is the latest when the
// call is made, whatever is recorded later.
type Event struct {
	uid     int
	id      int // of the device, -1 before the first record
	ctx     *Context
	flags   uint32
	plain   bool // made without flags
	made    sim.Time
	dead    bool
	gen     uint64 // records queued
	open    []uint64
	top     uint64 // highest generation completed
	cleared uint64 // generations up to here were reset
	at      sim.Time
	waiting []eventWait
	queued  int // waits queued and not passed
	changed sim.Cond
}

// eventWait is a stream that waits on the device.
type eventWait struct {
	gen    uint64
	ticket device.Ticket
	by     *device.Stream
}

// UID is the event's number in the simulation.
func (e *Event) UID() int { return e.uid }

// Context is where the event was made.
func (e *Event) Context() *Context { return e.ctx }

// Flags are the flags the event was made with.
func (e *Event) Flags() uint32 { return e.flags }

// Created is when the event was made.
func (e *Event) Created() sim.Time { return e.made }

// State is the seed's state of the event.
func (e *Event) State() EventState {
	switch {
	case e.gen == 0 || e.gen <= e.cleared:
		return NotRecorded
	case e.done(e.gen):
		return Completed
	}
	return Recorded
}

// done says that generation g has been executed.
func (e *Event) done(g uint64) bool {
	for _, o := range e.open {
		if o == g {
			return false
		}
	}
	return g <= e.gen
}

// passes says that a wait for generation g is over: it was executed and not
// reset since, or a later one was executed after the reset.
func (e *Event) passes(g uint64) bool {
	if g > e.cleared {
		return e.done(g)
	}
	return e.top > e.cleared
}

// CreateEvent makes an event with every capability but reset.
func (t *Thread) CreateEvent() (*Event, error) {
	return t.createEvent("aclrtCreateEvent", EventSync|EventStreamProgress|EventTimeLine, true)
}

// CreateEventWithFlag makes an event with the capabilities of its flags.
// EventAutoReset, an extension, resets it with every wait that passes.
func (t *Thread) CreateEventWithFlag(flags uint32) (*Event, error) {
	return t.createEvent("aclrtCreateEventWithFlag", flags, false)
}

func (t *Thread) createEvent(call string, flags uint32, plain bool) (*Event, error) {
	t.pay()
	c, err := t.context(call)
	if err != nil {
		return nil, err
	}
	if flags == 0 || flags&^eventAll != 0 {
		return nil, fail(ParamInvalid, call, "got flags %#x, want bits of %#x", flags, eventAll)
	}
	r := t.p.rt
	e := &Event{id: -1, ctx: c, flags: flags, plain: plain, made: t.proc.Now()}
	if flags&EventSync != 0 && !plain {
		if e.id, err = c.use.dev.AllocEvent(); err != nil {
			return nil, resource(call, err)
		}
	}
	r.events++
	e.uid = r.events
	return e, nil
}

// DestroyEvent frees an event. Waits that are queued keep their generation.
func (t *Thread) DestroyEvent(e *Event) error {
	t.pay()
	if err := t.event("aclrtDestroyEvent", e); err != nil {
		return err
	}
	if e.id >= 0 {
		_ = e.ctx.use.dev.FreeEvent(e.id)
		e.id = -1
	}
	e.dead = true
	return nil
}

func (t *Thread) event(call string, e *Event) error {
	switch {
	case e == nil:
		return fail(ParamInvalid, call, "got a null event")
	case e.dead:
		return fail(InvalidHandle, call, "event %d was destroyed", e.uid)
	case e.ctx.p != t.p:
		return fail(ParamInvalid, call, "event %d belongs to %s (events do not cross processes)", e.uid, e.ctx.p.name)
	}
	return nil
}

// eventStream checks an event together with the stream it is used on.
func (t *Thread) eventStream(call string, e *Event, s *Stream) (*Stream, error) {
	if err := t.event(call, e); err != nil {
		return nil, err
	}
	s, err := t.stream(call, s)
	if err != nil {
		return nil, err
	}
	if e.ctx.use != s.ctx.use {
		return nil, fail(ParamInvalid, call, "event %d is of %s, %v is not", e.uid, e.ctx.use.dev.Name(), s)
	}
	if t.p.rt.conf.StrictEvents && e.ctx != s.ctx {
		return nil, fail(StreamContext, call, "event %d is of context %d, %v of context %d (strict_events)", e.uid, e.ctx.id, s, s.ctx.id)
	}
	return s, nil
}

// GetEventId is the event's number on its device; it has one from its first
// record on, a resettable one from its creation on.
func (t *Thread) GetEventId(e *Event) (int, error) {
	const call = "aclrtGetEventId"
	t.pay()
	if err := t.event(call, e); err != nil {
		return 0, err
	}
	if e.id < 0 {
		return 0, fail(ParamInvalid, call, "event %d has no id before its first record", e.uid)
	}
	return e.id, nil
}

// RecordEvent queues a record: a new generation that completes when everything
// queued on the stream before it has.
func (t *Thread) RecordEvent(e *Event, s *Stream) error {
	const call = "aclrtRecordEvent"
	t.payLaunch()
	s, err := t.eventStream(call, e, s)
	if err != nil {
		return err
	}
	if e.id < 0 {
		id, err := e.ctx.use.dev.AllocEvent()
		if err != nil {
			return resource(call, err)
		}
		e.id = id
	}
	s.q.WaitRoom(t.proc)
	e.gen++
	e.open = append(e.open, e.gen)
	g := e.gen
	err = t.push(call, s, &device.Task{Kind: device.KindOp, Op: (*recordOp)(e), Value: g}, &TaskRow{Type: TypeEvent, What: "record", Event: e.uid, Seen: g})
	if err != nil {
		(*recordOp)(e).Drop(nil, &device.Task{Value: g})
	}
	return err
}

// StreamWaitEvent makes later tasks of the stream wait for the event's
// generation of now. An event that was never recorded holds nothing (unless
// events are strict).
func (t *Thread) StreamWaitEvent(s *Stream, e *Event) error {
	const call = "aclrtStreamWaitEvent"
	t.payLaunch()
	s, err := t.eventStream(call, e, s)
	if err != nil {
		return err
	}
	if e.flags&EventSync == 0 {
		return fail(ParamInvalid, call, "event %d was made with flags %#x, want the sync flag (1)", e.uid, e.flags)
	}
	e.queued++
	err = t.push(call, s, &device.Task{Kind: device.KindOp, Op: (*waitOp)(e), Value: e.gen, Timeout: t.p.opWait},
		&TaskRow{Type: TypeEvent, What: "wait", Event: e.uid, Seen: e.gen})
	if err != nil {
		e.queued--
	}
	return err
}

// ResetEvent queues a reset: waits that run after it block until the next
// record. Only for events made with the sync flag.
func (t *Thread) ResetEvent(e *Event, s *Stream) error {
	const call = "aclrtResetEvent"
	t.payLaunch()
	s, err := t.eventStream(call, e, s)
	if err != nil {
		return err
	}
	if e.plain || e.flags&EventSync == 0 {
		return fail(ParamInvalid, call, "event %d cannot be reset (make it with the sync flag)", e.uid)
	}
	return t.push(call, s, &device.Task{Kind: device.KindOp, Op: (*resetOp)(e)}, &TaskRow{Type: TypeEvent, What: "reset", Event: e.uid, Seen: e.gen})
}

// SynchronizeEvent blocks until the event's generation of now has completed;
// one that was never recorded returns at once.
func (t *Thread) SynchronizeEvent(e *Event) error {
	return t.syncEvent("aclrtSynchronizeEvent", e, sim.Forever)
}

// SynchronizeEventWithTimeout is SynchronizeEvent for at most ms milliseconds;
// EventSyncTimeout when they are over.
func (t *Thread) SynchronizeEventWithTimeout(e *Event, ms int32) error {
	const call = "aclrtSynchronizeEventWithTimeout"
	d, err := millis(call, ms)
	if err != nil {
		t.pay()
		return err
	}
	return t.syncEvent(call, e, d)
}

func (t *Thread) syncEvent(call string, e *Event, limit sim.Time) error {
	t.pay()
	if err := t.event(call, e); err != nil {
		return err
	}
	g := e.gen
	if g == 0 && !t.p.rt.conf.StrictEvents {
		return nil
	}
	end := t.proc.Now().Add(limit)
	for !e.passes(g) {
		why := sim.Cause{What: "the record of", On: e}
		if limit == sim.Forever {
			t.proc.Wait(&e.changed, why)
		} else if left := end - t.proc.Now(); left <= 0 || !t.proc.WaitTimeout(&e.changed, left, why) {
			return fail(EventSyncTimeout, call, "event %d did not complete within %v", e.uid, limit)
		}
	}
	return nil
}

// String names the event, for wait reasons.
func (e *Event) String() string { return fmt.Sprintf("event %d", e.uid) }

// QueryEventStatus reports whether the latest record has completed; an event
// that was never recorded is complete.
func (t *Thread) QueryEventStatus(e *Event) (complete bool, err error) {
	t.pay()
	if err := t.event("aclrtQueryEventStatus", e); err != nil {
		return false, err
	}
	if e.gen == 0 {
		return true, nil
	}
	return e.gen > e.cleared && e.done(e.gen), nil
}

// QueryEventWaitStatus reports whether every queued wait for the event has
// passed.
func (t *Thread) QueryEventWaitStatus(e *Event) (complete bool, err error) {
	t.pay()
	if err := t.event("aclrtQueryEventWaitStatus", e); err != nil {
		return false, err
	}
	return e.queued == 0, nil
}

// EventElapsedTime is the time between the records of two events.
// EventTimestampInvalid when one keeps no time, was never recorded or has not
// completed; EventTimestampReversal when end came first.
func (t *Thread) EventElapsedTime(start, end *Event) (sim.Time, error) {
	const call = "aclrtEventElapsedTime"
	t.pay()
	for _, e := range []*Event{start, end} {
		if err := t.event(call, e); err != nil {
			return 0, err
		}
		if e.flags&EventTimeLine == 0 {
			return 0, fail(EventTimestampInvalid, call, "event %d was made without the time line flag (8)", e.uid)
		}
		if e.State() != Completed {
			return 0, fail(EventTimestampInvalid, call, "event %d is %s, want Completed", e.uid, e.State())
		}
	}
	if end.at < start.at {
		return 0, fail(EventTimestampReversal, call, "event %d completed at %v, before event %d at %v", end.uid, end.at, start.uid, start.at)
	}
	return end.at - start.at, nil
}

// EventGetTimestamp is when the latest record completed.
func (t *Thread) EventGetTimestamp(e *Event) (sim.Time, error) {
	const call = "aclrtEventGetTimestamp"
	t.pay()
	if err := t.event(call, e); err != nil {
		return 0, err
	}
	if e.flags&EventTimeLine == 0 || e.State() != Completed {
		return 0, fail(EventTimestampInvalid, call, "event %d keeps no time, or is %s, want Completed", e.uid, e.State())
	}
	return e.at, nil
}
