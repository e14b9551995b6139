package device

import (
	"fmt"

	"hsim/host/record"
	"hsim/host/sim"
)

// report yields every stream that waits, for a stall report.
func (y *System) report(yield func(sim.Waiting)) {
	for _, s := range y.streams {
		if s == nil {
			continue
		}
		if w, ok := s.waiting(); ok {
			yield(w)
		}
	}
}

// waiting says what the stream waits for.
func (s *Stream) waiting() (sim.Waiting, bool) {
	w := sim.Waiting{Who: s.Name(), Since: s.since}
	switch s.state {
	case stNotify:
		id, _ := s.dev.NotifyID(s.cur.Notify)
		w.What = fmt.Sprintf("notify %d of %s", id, s.dev.Name())
		if by := s.dev.notifies.at(id).by; by > 0 {
			if r := s.sys.streams[by-1]; r != nil && r != s {
				w.Actor = r.Name()
				w.What += " (last recorded by " + w.Actor + ")"
			}
		}
		if d := s.sys.describer; d != nil {
			what, actor := d.DescribeNotify(s.dev, id)
			if what != "" {
				w.What = fmt.Sprintf("notify %d of %s (%s)", id, s.dev.Name(), what)
			}
			if actor != "" {
				w.Actor = actor
			}
		}
	case stOp:
		w.What = "the completion of " + s.cur.Kind.String()
		if d, ok := s.cur.Op.(describer); ok {
			w.What, w.Actor = d.Describe(s, &s.cur)
		}
	case stChannel:
		w.What = "a DMA channel"
	default:
		return w, false
	}
	w.What += s.place()
	return w, true
}

// place says where in the stream the current task is.
func (s *Stream) place() string {
	if s.feeder != nil {
		return fmt.Sprintf(" in task %d.%d", s.cur.Seq, s.cur.Sub)
	}
	return fmt.Sprintf(" in task %d", s.cur.Seq)
}

// spanNamer is an optional part of an Op and of a Feeder: what a trace calls a
// task of theirs.
type spanNamer interface {
	SpanName(t *Task) string
}

// spanName is what a trace calls a task; by is its Op or its Feeder, nil without.
func (y *System) spanName(t *Task, by any) string {
	if !y.rec.On() {
		return ""
	}
	if n, ok := by.(spanNamer); ok {
		return n.SpanName(t)
	}
	return t.Kind.String()
}

// observe passes a finished task on.
func (y *System) observe(s *Stream, t *Task, start sim.Time, f *Fault, name string) {
	now := y.eng.Now()
	if y.observer != nil {
		y.observer.TaskDone(s, t, start, now, f)
	}
	if !y.rec.On() {
		return
	}
	if s.track == 0 {
		s.track = y.rec.Track(s.dev.Name(), fmt.Sprintf("stream %d", s.id))
	}
	var args [3]record.Arg
	a := append(args[:0], record.Int("seq", int64(t.Seq)))
	if t.Len > 0 {
		a = append(a, record.Int("bytes", t.Len))
	}
	if f != nil {
		a = append(a, record.Str("error", f.Error()))
	}
	y.rec.Span(s.track, name, start, now, a...)
}
