package acl

import (
	"hsim/host/device"
)

// TaskGroup is a run of captured tasks whose arguments can be replaced between
// executions.
type TaskGroup struct {
	object
	lane     *lane
	from, to int
	at       int // the next one to be replaced
	on       *Stream
}

// taskGroupMark is a task group whose end has not been captured.
type taskGroupMark struct {
	lane *lane
	from int
}

// RICaptureTaskGrpBegin starts a task group on a captured stream. Errors:
// StreamNotCaptured, StreamTaskGroupStatus when one is open.
func (t *Thread) RICaptureTaskGrpBegin(s *Stream) error {
	const call = "aclmdlRICaptureTaskGrpBegin"
	s, err := t.captured(call, s)
	if err != nil {
		return err
	}
	if s.open != nil {
		return fail(StreamTaskGroupStatus, call, "%v has an open task group", s)
	}
	l := s.capture.laneOf(s)
	s.open = &taskGroupMark{l, len(l.tasks)}
	return nil
}

// RICaptureTaskGrpEnd ends the task group and returns it. StreamTaskGroupIntr
// when none is open, or the capture was broken meanwhile.
func (t *Thread) RICaptureTaskGrpEnd(s *Stream) (*TaskGroup, error) {
	const call = "aclmdlRICaptureTaskGrpEnd"
	s, err := t.captured(call, s)
	if err != nil {
		return nil, err
	}
	if s.open == nil || s.capture.invalid != nil {
		return nil, fail(StreamTaskGroupIntr, call, "%v has no task group that can end", s)
	}
	g := &TaskGroup{lane: s.open.lane, from: s.open.from, to: len(s.open.lane.tasks)}
	s.open = nil
	t.p.rt.groups.add(g, t.p.rt.now())
	return g, nil
}

func (t *Thread) captured(call string, s *Stream) (*Stream, error) {
	if err := t.enter(call); err != nil {
		return nil, err
	}
	s, err := t.stream(call, s)
	if err != nil {
		return nil, err
	}
	if s.capture == nil {
		return nil, fail(StreamNotCaptured, call, "%v is not captured", s)
	}
	return s, nil
}

// RICaptureTaskUpdateBegin makes the next tasks of the stream replace those of
// the group, in order, instead of running. Errors: ParamInvalid, InvalidHandle,
// StreamTaskGroupStatus when the stream replaces another group's.
func (t *Thread) RICaptureTaskUpdateBegin(s *Stream, g *TaskGroup) error {
	const call = "aclmdlRICaptureTaskUpdateBegin"
	if err := t.enter(call); err != nil {
		return err
	}
	s, err := t.stream(call, s)
	switch {
	case err != nil:
		return err
	case g == nil:
		return fail(ParamInvalid, call, "got a null task group")
	case g.lane == nil || g.lane.model.ctx.p != t.p || g.lane.model.Gone:
		return fail(InvalidHandle, call, "got a task group without a live model")
	case s.capture != nil || s.group != nil || g.on != nil:
		return fail(StreamTaskGroupStatus, call, "%v is captured or replaces tasks already", s)
	}
	s.group, g.on, g.at = g, s, g.from
	return nil
}

// RICaptureTaskUpdateEnd ends RICaptureTaskUpdateBegin. Errors:
// StreamTaskGroupStatus without it, StreamTaskGroupIntr when tasks of the group
// were not replaced.
func (t *Thread) RICaptureTaskUpdateEnd(s *Stream) error {
	const call = "aclmdlRICaptureTaskUpdateEnd"
	if err := t.enter(call); err != nil {
		return err
	}
	s, err := t.stream(call, s)
	if err != nil {
		return err
	}
	g := s.group
	if g == nil {
		return fail(StreamTaskGroupStatus, call, "%v replaces no tasks", s)
	}
	s.group, g.on = nil, nil
	if g.at != g.to {
		return fail(StreamTaskGroupIntr, call, "%d of %d tasks of the group were replaced", g.at-g.from, g.to-g.from)
	}
	return nil
}

// replace puts a task in the place of the next one of the group.
func (g *TaskGroup) replace(call string, task *device.Task, row *TaskRow) error {
	if g.at == g.to {
		return fail(StreamTaskGroupStatus, call, "the group has %d tasks, all replaced", g.to-g.from)
	}
	old := &g.lane.tasks[g.at]
	if old.row.Type != row.Type {
		return fail(StreamTaskGroupStatus, call, "task %d of the group is %s, got %s", g.at-g.from+1, old.row.Type, row.Type)
	}
	old.end()
	id, stream, state := old.row.ID, old.row.Stream, old.row.State
	old.task, old.row = *task, *row
	old.row.ID, old.row.Stream, old.row.State = id, stream, state
	old.row.ran(g.lane.stream.ctx.use.dev)
	g.at++
	return nil
}
