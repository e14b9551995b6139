package acl

import (
	"fmt"

	"hsim/host/device"
)

// The device side of an event: one Op per direction, the event itself behind
// each, so that queueing one allocates nothing.
type (
	recordOp Event
	waitOp   Event
	resetOp  Event
)

// Start implements device.Op: the generation Task.Value completes.
func (o *recordOp) Start(s *device.Stream, t *device.Task) device.Status {
	(*Event)(o).complete(t.Value, s)
	return device.Done
}

// Drop lets those go that wait for a record which will never run.
func (o *recordOp) Drop(s *device.Stream, t *device.Task) { (*Event)(o).complete(t.Value, s) }

func (e *Event) complete(g uint64, s *device.Stream) {
	for i, o := range e.open {
		if o == g {
			e.open = append(e.open[:i], e.open[i+1:]...)
			break
		}
	}
	e.top = max(e.top, g)
	if s != nil && g == e.top {
		e.at = s.System().Engine().Now()
	}
	if e.die != nil && e.res >= 0 {
		e.die.SetSignal(e.res)
	}
	e.wake()
	e.changed.Broadcast(e.ctx.p.rt.eng)
}

// wake lets go of every stream whose wait is over, in wait order.
func (e *Event) wake() {
	for i := 0; i < len(e.waiting); {
		w := e.waiting[i]
		if !e.passes(w.gen) {
			i++
			continue
		}
		e.waiting = append(e.waiting[:i], e.waiting[i+1:]...)
		e.passed()
		w.ticket.Finish(device.CauseNone, nil)
	}
}

func (e *Event) passed() {
	e.queued--
	if e.flags&EventAutoReset != 0 {
		e.cleared = e.top
	}
}

// Start implements device.Op: the stream waits for generation Task.Value.
func (o *waitOp) Start(s *device.Stream, t *device.Task) device.Status {
	e := (*Event)(o)
	if t.Value == 0 && !e.ctx.p.rt.conf.StrictEvents || e.passes(t.Value) {
		e.passed()
		return device.Done
	}
	e.waiting = append(e.waiting, eventWait{t.Value, s.Ticket(), s})
	return device.Pending
}

// Abort takes the stream out of the event's list.
func (o *waitOp) Abort(s *device.Stream, _ *device.Task) {
	e := (*Event)(o)
	for i := range e.waiting {
		if e.waiting[i].by == s {
			e.waiting = append(e.waiting[:i], e.waiting[i+1:]...)
			e.queued--
			break
		}
	}
	if e.ctx.p.opWait > 0 {
		s.Fail(device.CauseEvent, fmt.Errorf("acl: event %d did not complete within %v", e.id, e.ctx.p.opWait))
	}
}

// Drop forgets a wait that never started.
func (o *waitOp) Drop(*device.Stream, *device.Task) { o.queued-- }

// Describe implements the wait reason of a stall report.
func (o *waitOp) Describe(*device.Stream, *device.Task) (what, actor string) {
	e := (*Event)(o)
	if e.gen == 0 {
		return fmt.Sprintf("event %d, which was never recorded", e.id), ""
	}
	if len(e.open) == 0 {
		return fmt.Sprintf("event %d, which was reset", e.id), ""
	}
	return fmt.Sprintf("record %d of event %d", e.open[0], e.id), ""
}

// Start implements device.Op: what has completed is forgotten.
func (o *resetOp) Start(*device.Stream, *device.Task) device.Status {
	o.cleared = o.top
	if e := (*Event)(o); e.die != nil && e.res >= 0 {
		e.die.ClearSignal(e.res)
	}
	return device.Done
}
