package acl

import (
	"fmt"

	"hsim/host/device"
)

// record captures a record of an event: a point that streams of the capture, and
// streams that join it, may wait for.
func (c *capture) record(call string, e *Event, s *Stream) error {
	l := c.laneOf(s)
	n := &node{model: c.model, event: e, lane: l, at: len(l.tasks)}
	row := &TaskRow{Type: TypeEvent, What: "record", Event: e.id, TimeLine: e.flags&EventTimeLine != 0, Captured: true}
	if err := c.take(call, s, &device.Task{Kind: device.KindOp, Op: (*nodeRecord)(n)}, row); err != nil {
		return err
	}
	n.record = row.ID
	c.model.nodes = append(c.model.nodes, n)
	e.node = n
	return nil
}

// waitCaptured makes a wait where stream or record are captured. done is false for
// a wait that a captured stream makes outside its capture: it is captured as a
// task like any other.
func (t *Thread) waitCaptured(call string, e *Event, s *Stream) (done bool, err error) {
	n := e.node
	switch {
	case e.flags&EventExternal != 0:
		op := &device.Task{Kind: device.KindOp, Op: (*externalWait)(e), Timeout: t.p.opWait}
		return true, t.push(call, s, op, &TaskRow{Type: TypeEvent, What: "wait", Event: e.id, OpTimeout: t.p.opWait})
	case n == nil && e.gen == 0 && !t.p.rt.conf.StrictEvents:
		return true, nil // never recorded: nothing to wait for
	case n == nil:
		return true, s.capture.breaks(fail(CaptureDependency, call, "event %d was recorded outside the capture of %v", e.id, s.capture.origin))
	case !n.model.capturing:
		return true, fail(EventCaptured, call, "event %d was recorded in model %d, whose capture has ended", e.id, n.model.id)
	}
	c := n.lane.of.capture
	if s.capture == nil {
		if s.IsDefault() {
			return true, c.breaks(fail(StreamCaptureImplicit, call, "the default stream cannot join the capture of %v", c.origin))
		}
		if err := c.join(call, s); err != nil {
			c.drop()
			return true, &Error{Code: ResourceAllocFail, Call: call, Text: "the capture got no stream for " + s.String() + " and has ended", Err: err}
		}
	}
	if s.capture != c {
		return true, s.capture.breaks(c.breaks(fail(StreamCaptureConflict, call, "event %d is of the capture of %v, %v is in that of %v", e.id, c.origin, s, s.capture.origin)))
	}
	l := c.laneOf(s)
	l.waits = append(l.waits, n)
	return true, c.take(call, s, &device.Task{Kind: device.KindOp, Op: (*nodeWait)(n)}, &TaskRow{Type: TypeEvent, What: "wait", Event: e.id, Record: n.record})
}

// externalRecord and externalWait are captured tasks that reach an event outside:
// each execution records a generation of its own, and waits for the latest.
type (
	externalRecord Event
	externalWait   Event
)

// Start implements device.Op.
func (o *externalRecord) Start(s *device.Stream, _ *device.Task) device.Status {
	e := (*Event)(o)
	e.gen++
	e.complete(e.gen, s)
	return device.Done
}

// Start implements device.Op.
func (o *externalWait) Start(s *device.Stream, t *device.Task) device.Status {
	e := (*Event)(o)
	e.queued++
	t.Value = e.gen
	return (*waitOp)(e).Start(s, t)
}

// Abort takes the stream out of the event's list.
func (o *externalWait) Abort(s *device.Stream, t *device.Task) { (*waitOp)(o).Abort(s, t) }

// Describe implements the wait reason of a stall report.
func (o *externalWait) Describe(*device.Stream, *device.Task) (what, actor string) {
	return fmt.Sprintf("event %d, from outside the model", o.id), ""
}
