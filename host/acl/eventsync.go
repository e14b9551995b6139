package acl

import (
	"hsim/host/sim"
)

// SynchronizeEvent blocks until the event's generation of now has completed;
// one that was never recorded returns at once. EventCaptured for an event whose
// record was captured.
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
	if err := t.hostEvent(call, e); err != nil {
		return err
	}
	g := e.gen
	if g == 0 && !t.p.rt.conf.StrictEvents {
		return nil
	}
	row := t.p.rt.waits(t, e, limit)
	end := t.proc.Now().Add(limit)
	for !e.passes(g) {
		why := sim.Cause{What: "the record of", On: e}
		if limit == sim.Forever {
			t.proc.Wait(&e.changed, why)
		} else if left := end - t.proc.Now(); left <= 0 || !t.proc.WaitTimeout(&e.changed, left, why) {
			t.p.rt.waited(row, EventSyncTimeout)
			return fail(EventSyncTimeout, call, "event %d did not complete within %v", e.id, limit)
		}
	}
	t.p.rt.waited(row, Success)
	return nil
}

// hostEvent is the checks of calls by which the host looks at an event.
func (t *Thread) hostEvent(call string, e *Event) error {
	if err := t.enter(call); err != nil {
		return err
	}
	if err := t.event(call, e); err != nil {
		return err
	}
	if e.node != nil {
		return fail(EventCaptured, call, "the latest record of event %d was captured", e.id)
	}
	return nil
}

// waits adds the row of a wait of the host, which no stream queues.
func (r *Runtime) waits(t *Thread, e *Event, limit sim.Time) int {
	if r.rows == nil {
		return -1
	}
	row := TaskRow{ID: r.sys.TakeTask(), Type: TypeEvent, What: "sync", Executor: t.p.name, Device: e.ctx.use.dev.Index(), Register: -1,
		Queued: r.now(), Start: r.now(), State: TaskQueued, Event: e.id, Seen: e.gen, Record: e.record}
	if limit != sim.Forever {
		row.OpTimeout = limit
	}
	return r.rows.add(&row)
}

func (r *Runtime) waited(i int, c Code) {
	if i < 0 {
		return
	}
	row := &r.rows.rows[i]
	row.End, row.State, row.Code = r.now(), TaskDone, c
	if c != Success {
		row.State = TaskFailed
	}
}

// QueryEventStatus reports whether the latest record has completed; an event
// that was never recorded is complete.
func (t *Thread) QueryEventStatus(e *Event) (complete bool, err error) {
	if err := t.hostEvent("aclrtQueryEventStatus", e); err != nil {
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
	if err := t.hostEvent("aclrtQueryEventWaitStatus", e); err != nil {
		return false, err
	}
	return e.queued == 0, nil
}

// EventElapsedTime is the time between the records of two events.
// EventTimestampInvalid when one keeps no time, was never recorded or has not
// completed; EventTimestampReversal when end came first.
func (t *Thread) EventElapsedTime(start, end *Event) (sim.Time, error) {
	const call = "aclrtEventElapsedTime"
	for i, e := range []*Event{start, end} {
		if i > 0 {
			if err := t.event(call, e); err != nil {
				return 0, err
			}
		} else if err := t.hostEvent(call, e); err != nil {
			return 0, err
		}
		if err := e.timed(call); err != nil {
			return 0, err
		}
	}
	if end.at < start.at {
		return 0, fail(EventTimestampReversal, call, "event %d completed at %v, before event %d at %v", end.id, end.at, start.id, start.at)
	}
	return end.at - start.at, nil
}

// timed holds that the event has a time stamp.
func (e *Event) timed(call string) error {
	switch {
	case e.node != nil:
		return fail(EventCaptured, call, "the latest record of event %d was captured", e.id)
	case e.flags&EventTimeLine == 0:
		return fail(EventTimestampInvalid, call, "event %d was made without the time line flag (8)", e.id)
	case e.State() != Completed:
		return fail(EventTimestampInvalid, call, "event %d is %s, want Completed", e.id, e.State())
	}
	return nil
}

// EventGetTimestamp is when the latest record completed.
func (t *Thread) EventGetTimestamp(e *Event) (sim.Time, error) {
	const call = "aclrtEventGetTimestamp"
	if err := t.hostEvent(call, e); err != nil {
		return 0, err
	}
	if err := e.timed(call); err != nil {
		return 0, err
	}
	return e.at, nil
}
