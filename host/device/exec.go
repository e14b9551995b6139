package device

import (
	"fmt"

	"hsim/host/sim"
)

// inlineTasks is how many tasks a stream runs before it lets the engine look at
// other events of the same time, and at an interrupt.
const inlineTasks = 4096

// run drives a stream until it has nothing to do or must wait.
func (s *Stream) run() {
	budget := inlineTasks
	for {
		switch s.state {
		case stDone:
			s.end()
			fallthrough
		case stIdle:
			if s.state != stIdle || !s.fetch() {
				return
			}
			now := s.sys.eng.Now()
			s.started = max(now, s.cur.Ready)
			at := s.started
			if s.cur.Flags&FlagNoDispatch == 0 {
				at = at.Add(s.dev.cost.dispatch)
			}
			if budget--; at > now || budget < 0 {
				s.state = stArmed
				s.arm(at)
				return
			}
		case stStart:
		default:
			return
		}
		s.state = stDone
		s.start()
		if s.state != stDone {
			return
		}
	}
}

// fetch takes the next task into s.cur.
func (s *Stream) fetch() bool {
	if s.held {
		return false
	}
	for {
		if s.feeder != nil {
			t := &s.cur
			if !s.begun && !s.begin() {
				return true
			}
			*t = Task{ID: t.ID, Seq: t.Seq, Sub: t.Sub + 1}
			if s.feeder.Next(t) {
				return true
			}
			s.endFeeder(nil)
			if s.held {
				return false
			}
		}
		if s.head == s.tail {
			return false
		}
		e := &s.ring[s.head&uint32(len(s.ring)-1)]
		s.head++
		if e.feeder == nil {
			s.cur = e.task
			if e.task.Op != nil {
				e.task.Op = nil
			}
			return true
		}
		s.parent, s.feeder, s.begun = e.task, e.feeder, false
		e.feeder = nil
	}
}

// begin tells the feeder that its turn has come; false when it has to wait for
// its Ready, in a task of its own.
func (s *Stream) begin() bool {
	now := s.sys.eng.Now()
	s.cur = Task{ID: s.parent.ID, Seq: s.parent.Seq}
	if s.parent.Ready > now {
		s.cur.Kind, s.cur.Flags, s.cur.Ready = KindDelay, FlagQuiet|FlagNoDispatch, s.parent.Ready
		return false
	}
	s.begun, s.began = true, now
	if b, ok := s.feeder.(beginner); ok {
		b.Begin(s, now)
	}
	return true
}

// start carries the task out; it leaves stDone, or the state it waits in.
func (s *Stream) start() {
	t := &s.cur
	switch t.Kind {
	case KindPost:
		s.post(t)
	case KindNotifyWait:
		s.waitNotify(t)
	case KindNotifyRecord:
		s.recordNotify(t)
	case KindReduce, KindCopy, KindFill:
		s.startDMA(t)
	case KindOp:
		s.startOp(t)
	case KindDelay:
		if t.Value > 0 {
			s.state = stBusy
			s.arm(s.sys.eng.Now().Add(sim.Time(t.Value)))
		}
	case KindHostCopy:
		s.startHostCopy(t)
	case KindPeerCopy, KindPeerReduce:
		s.startPeerCopy(t)
	default:
		s.pending = s.fault(CauseTask, fmt.Errorf("device: start task: got kind %d (%v), want one the device runs", t.Kind, t.Kind))
	}
}

func (s *Stream) startOp(t *Task) {
	if t.Op == nil {
		s.pending = s.fault(CauseTask, fmt.Errorf("device: start operation: got none"))
		return
	}
	s.state = stOp
	s.since = s.sys.eng.Now()
	s.ops++
	n := s.ops
	s.deadline = sim.Forever
	if t.Timeout > 0 {
		s.deadline = s.since.Add(t.Timeout)
		s.setTimer()
	}
	if t.Op.Start(s, t) == Done && s.state == stOp && s.ops == n {
		s.state = stDone
	}
}

// arm pushes the stream's one strong event.
func (s *Stream) arm(at sim.Time) { s.sys.eng.At(at, s.sys.id, s.word(0)) }

func (s *Stream) eventFired() {
	switch s.state {
	case stArmed:
		s.state = stStart
	case stPeer:
		s.postPeerCopy()
		if s.state != stDone {
			return
		}
	case stBusy:
		if s.dma != nil {
			s.endDMA()
		}
		s.state = stDone
	default:
		return
	}
	s.sys.kick(s)
}

// end counts the current task and tells who wants to know.
func (s *Stream) end() {
	f := s.pending
	s.state = stIdle
	if s.sys.observing && s.cur.Flags&FlagQuiet == 0 {
		s.sys.observe(s, &s.cur, s.started, f, s.sys.spanName(&s.cur, s.maker()))
	}
	s.cur.Op = nil
	switch {
	case s.feeder == nil:
		s.count(1)
	case f != nil:
		s.endFeeder(f)
	}
	if f != nil {
		s.pending = nil
		s.latch(f) // last: it may abort this very stream
	}
}

// maker is who made the current task what it is: its Op, else the Feeder that
// drew it.
func (s *Stream) maker() any {
	if s.cur.Op != nil {
		return s.cur.Op
	}
	return s.feeder
}

// count adds finished tasks and wakes who waits for them.
func (s *Stream) count(n uint64) {
	s.finished += n
	if s.finished >= s.target {
		s.target = noTarget
		s.changed.Broadcast(s.sys.eng)
	}
}

func (s *Stream) endFeeder(f *Fault) {
	feeder := s.feeder
	s.feeder = nil
	s.cur = s.parent
	s.parent = Task{}
	now := s.sys.eng.Now()
	name := s.sys.spanName(&s.cur, feeder) // before End, which lets go of what it is made of
	if e, ok := feeder.(ender); ok {
		e.End(s, now, f)
	}
	if s.sys.observing && s.cur.Flags&FlagQuiet == 0 {
		s.sys.observe(s, &s.cur, s.began, f, name)
	}
	s.count(1)
}

// latch keeps the first fault and stops the domain where it is set to.
func (s *Stream) latch(f *Fault) {
	if s.err == nil {
		s.err = f
	}
	for _, hear := range s.sys.onFault {
		hear(s, f)
	}
	if d := s.domain; d != nil && d.StopOnFailure && d.failed == nil {
		d.failed = f
		for _, t := range d.streams {
			t.Abort()
		}
	}
}
