package acl

import (
	"fmt"

	"hsim/host/device"
	"hsim/host/sim"
)

// Flags of an event.
const (
	EventSync           = 1    // makes streams wait, can be reset
	EventStreamProgress = 2    // for query and synchronise; its records trace
	EventTimeLine       = 8    // keeps time stamps
	EventDeviceUseOnly  = 0x10 //
	EventExternal       = 0x20 // stays outside captures
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
	object
	res     int // number on the device, -1 before the first record
	number  int // res as it was, for the rows of a destroyed one
	ctx     *Context
	flags   uint32
	plain   bool // made without flags
	fixed   bool // made as an Ex event: no reset
	die     *device.Die
	gen     uint64 // records queued
	open    []uint64
	top     uint64 // highest generation completed
	cleared uint64 // generations up to here were reset
	at      sim.Time
	record  uint64 // task of the latest record
	traced  uint64 // task at which the next trace begins
	waiting []eventWait
	queued  int // waits queued and not passed
	changed sim.Cond
	node    *node // of the latest record, when that was captured
}

// eventWait is a stream that waits on the device.
type eventWait struct {
	gen    uint64
	ticket device.Ticket
	by     *device.Stream
	due    sim.Time // when a stream of another device hears of the completion, 0 before it
}

// UID is the event's number in the simulation.
func (e *Event) UID() int { return e.id }

// Context is where the event was made.
func (e *Event) Context() *Context { return e.ctx }

// Flags are the flags the event was made with.
func (e *Event) Flags() uint32 { return e.flags }

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
	return t.createEvent("aclrtCreateEvent", Event{flags: EventSync | EventStreamProgress | EventTimeLine, plain: true}, 0)
}

// CreateEventWithFlag makes an event with the capabilities of its flags.
// EventAutoReset, an extension, resets it with every wait that passes. CcuDie
// or-ed to the flags makes it a completed event of a die's communication unit.
// Errors: ContextNull, ParamInvalid, NoEventResource, InvalidDieID,
// FeatureNotSupport for a die of a chip without such units.
func (t *Thread) CreateEventWithFlag(flags uint32) (*Event, error) {
	return t.createEvent("aclrtCreateEventWithFlag", Event{flags: flags &^ ccuDieMask}, flags&ccuDieMask)
}

// CreateEventExWithFlag makes an event that takes its number with the first
// record and cannot be reset.
func (t *Thread) CreateEventExWithFlag(flags uint32) (*Event, error) {
	return t.createEvent("aclrtCreateEventExWithFlag", Event{flags: flags, fixed: true}, 0)
}

func (t *Thread) createEvent(call string, like Event, dies uint32) (*Event, error) {
	if err := t.enter(call); err != nil {
		return nil, err
	}
	c, err := t.context(call)
	if err != nil {
		return nil, err
	}
	if like.flags == 0 || like.flags&^eventAll != 0 {
		return nil, fail(ParamInvalid, call, "got flags %#x, want bits of %#x", like.flags, eventAll)
	}
	e := &like
	e.res, e.number, e.ctx = -1, -1, c
	if dies != 0 {
		if e.die, err = c.die(call, dies); err != nil {
			return nil, err
		}
	}
	if e.die != nil || e.flags&EventSync != 0 && !e.plain && !e.fixed {
		if err := e.takeNumber(call); err != nil {
			return nil, err
		}
	}
	t.p.rt.events.add(e, t.p.rt.now())
	return e, nil
}

// takeNumber takes a register of the device, or a signal of the die.
func (e *Event) takeNumber(call string) error {
	if e.die != nil {
		id, err := e.die.AllocSignal()
		if err != nil {
			return wrap(NoEventResource, call, err)
		}
		e.res, e.number = id, id
		return nil
	}
	id, err := e.ctx.use.dev.AllocEvent()
	if err != nil {
		return resource(call, err)
	}
	e.res, e.number = id, id
	return nil
}

// DestroyEvent frees an event. Waits that are queued keep their generation.
func (t *Thread) DestroyEvent(e *Event) error {
	const call = "aclrtDestroyEvent"
	if err := t.enter(call); err != nil {
		return err
	}
	if err := t.event(call, e); err != nil {
		return err
	}
	e.destroy()
	return nil
}

func (e *Event) destroy() {
	if e.res >= 0 {
		if e.die != nil {
			e.die.FreeSignal(e.res)
		} else {
			_ = e.ctx.use.dev.FreeEvent(e.res) // its own
		}
		e.res = -1
	}
	e.ctx.p.rt.events.end(e, e.ctx.p.rt.now())
}

func (t *Thread) event(call string, e *Event) error {
	switch {
	case e == nil:
		return fail(ParamInvalid, call, "got a null event")
	case e.ctx == nil || e.ctx.p != t.p:
		return fail(InvalidHandle, call, "got an event that %s does not have (events do not cross processes)", t.p.name)
	case e.Gone:
		return fail(InvalidHandle, call, "event %d was destroyed", e.id)
	}
	return nil
}

// eventStream checks an event together with the stream it is used on. A stream of
// another device may wait with peer access.
func (t *Thread) eventStream(call string, e *Event, s *Stream, wait bool) (*Stream, error) {
	if err := t.event(call, e); err != nil {
		return nil, err
	}
	s, err := t.stream(call, s)
	if err != nil {
		return nil, err
	}
	if e.ctx.use != s.ctx.use && (!wait || s.ctx.use.peers[e.ctx.use.dev.Index()] == nil) {
		return nil, fail(ParamInvalid, call, "event %d is of %s, %v is not (a wait needs peer access)", e.id, e.ctx.use.dev.Name(), s)
	}
	if t.p.rt.conf.StrictEvents && e.ctx != s.ctx {
		return nil, fail(StreamContext, call, "event %d is of context %d, %v of context %d (strict_events)", e.id, e.ctx.id, s, s.ctx.id)
	}
	return s, nil
}

// GetEventId is the event's number on its device; it has one from its first
// record on, a resettable one from its creation on.
func (t *Thread) GetEventId(e *Event) (int, error) {
	const call = "aclrtGetEventId"
	if err := t.enter(call); err != nil {
		return 0, err
	}
	if err := t.event(call, e); err != nil {
		return 0, err
	}
	if e.res < 0 {
		return 0, fail(ParamInvalid, call, "event %d has no id before its first record", e.id)
	}
	return e.res, nil
}

// RecordEvent queues a record: a new generation that completes when everything
// queued on the stream before it has. On a captured stream it marks a point of
// the capture instead.
func (t *Thread) RecordEvent(e *Event, s *Stream) error {
	const call = "aclrtRecordEvent"
	if err := t.enterLaunch(call); err != nil {
		return err
	}
	s, err := t.eventStream(call, e, s, false)
	if err != nil {
		return err
	}
	if err := t.implicit(call, s); err != nil {
		return err
	}
	if s.capture != nil && e.flags&EventExternal == 0 {
		return s.capture.record(call, e, s)
	}
	if e.res < 0 {
		if err := e.takeNumber(call); err != nil {
			return err
		}
	}
	row := e.recordRow(s)
	if s.capture != nil {
		row.Captured = true
		return t.push(call, s, &device.Task{Kind: device.KindOp, Op: (*externalRecord)(e)}, &row)
	}
	s.q.WaitRoom(t.proc)
	e.gen++
	e.open = append(e.open, e.gen)
	g := e.gen
	row.Seen = g
	err = t.push(call, s, &device.Task{Kind: device.KindOp, Op: (*recordOp)(e), Value: g}, &row)
	if err != nil {
		(*recordOp)(e).Drop(nil, &device.Task{Value: g})
		return err
	}
	e.record, e.node = row.ID, nil
	e.traced = row.ID
	return nil
}

func (e *Event) recordRow(s *Stream) TaskRow {
	row := TaskRow{Type: TypeEvent, What: "record", Event: e.id, TimeLine: e.flags&EventTimeLine != 0}
	if e.flags&EventStreamProgress != 0 {
		if row.Trace = e.traced; row.Trace == 0 {
			row.Trace = s.first
		}
	}
	return row
}

// StreamWaitEvent makes later tasks of the stream wait for the event's
// generation of now. An event that was never recorded holds nothing (unless
// events are strict). An event whose record was captured draws the stream into
// that capture. Errors beside those of handles: CaptureDependency for a captured
// stream that would wait for a record outside, StreamCaptureConflict for an event
// of another capture, ResourceAllocFail when the capture gets no stream; the
// first two break the capture, the last one ends it.
func (t *Thread) StreamWaitEvent(s *Stream, e *Event) error {
	const call = "aclrtStreamWaitEvent"
	if err := t.enterLaunch(call); err != nil {
		return err
	}
	s, err := t.eventStream(call, e, s, true)
	if err != nil {
		return err
	}
	if e.flags&EventSync == 0 {
		return fail(ParamInvalid, call, "event %d was made with flags %#x, want the sync flag (1)", e.id, e.flags)
	}
	if s.capture != nil || e.node != nil {
		done, err := t.waitCaptured(call, e, s)
		if done || err != nil {
			return err
		}
	} else if err := t.implicit(call, s); err != nil {
		return err
	}
	e.queued++
	err = t.push(call, s, &device.Task{Kind: device.KindOp, Op: (*waitOp)(e), Value: e.gen, Timeout: t.p.opWait},
		&TaskRow{Type: TypeEvent, What: "wait", Event: e.id, Seen: e.gen, Record: e.record, OpTimeout: t.p.opWait})
	if err != nil {
		e.queued--
	}
	return err
}

// ResetEvent queues a reset: waits that run after it block until the next
// record. Only for events made with the sync flag.
func (t *Thread) ResetEvent(e *Event, s *Stream) error {
	const call = "aclrtResetEvent"
	if err := t.enterLaunch(call); err != nil {
		return err
	}
	s, err := t.eventStream(call, e, s, false)
	if err != nil {
		return err
	}
	if e.plain || e.fixed || e.flags&EventSync == 0 {
		return fail(ParamInvalid, call, "event %d cannot be reset (make it with aclrtCreateEventWithFlag and the sync flag)", e.id)
	}
	task := device.Task{Kind: device.KindOp, Op: (*resetOp)(e)}
	if s.capture != nil {
		task.Op = noOp{} // records of a capture start afresh with every execution
	}
	return t.push(call, s, &task, &TaskRow{Type: TypeEvent, What: "reset", Event: e.id, Seen: e.gen})
}

// String names the event, for wait reasons.
func (e *Event) String() string { return fmt.Sprintf("event %d", e.id) }
