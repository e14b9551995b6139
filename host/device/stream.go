package device

import (
	"fmt"
	"math"

	"hsim/host/record"
	"hsim/host/sim"
)

const (
	noTarget  = math.MaxUint64
	firstRing = 8 // entries of a stream's first queue array
)

// state of a stream.
type state uint8

const (
	stIdle    state = iota // between tasks
	stArmed                // the task scheduler's event is under way
	stStart                // it has come: the task starts
	stBusy                 // an event ends the task
	stChannel              // waits for a DMA channel
	stNotify               // waits for a notify
	stOp                   // an operation or a completion ends the task
	stPeer                 // the start-up of a peer copy is under way
	stDone                 // the task has ended and waits in the ready list to be counted
)

// entry is one place of a stream's queue.
type entry struct {
	task   Task
	feeder Feeder
}

// Stream is a hardware queue: an ordered list of tasks that the task scheduler
// runs one after the other. It is a state machine without a goroutine.
//
// The fields that every task touches come first, in three cache lines.
type Stream struct {
	sys      *System
	dev      *Device
	next     *Stream // in the ready list
	nextWait *Stream // in a notify's or channel set's list
	feeder   Feeder
	slot     int32
	gen      uint32 // told apart in events from earlier users and aborted tasks
	class    Class
	state    state
	queued   bool // in the ready list
	freed    bool
	held     bool // Stop: starts nothing new
	begun    bool // the feeder has been told

	cur      Task
	started  sim.Time // of the current task
	pending  *Fault   // of the current task, latched when it ends
	since    sim.Time // of the current wait
	deadline sim.Time
	timer    sim.Time // earliest time-out event under way, 0 = none
	dma      *channels

	ring       []entry // length a power of two
	head, tail uint32  // counted without wrapping

	pushed, finished uint64
	target           uint64 // finished count that wakes idle's waiters
	ops              uint32 // operations started, for tickets

	parent Task // of the feeder
	began  sim.Time

	id      int // of the device, -1 for hidden ones
	changed sim.Cond
	err     *Fault
	domain  *Domain
	track   record.TrackID

	// Priority is what the creator asked for, kept for the tables.
	Priority uint8
}

// Device is the stream's device.
func (s *Stream) Device() *Device { return s.dev }

// System is the simulation's devices.
func (s *Stream) System() *System { return s.sys }

// ID is the stream's number on its device, -1 for a hidden one.
func (s *Stream) ID() int { return s.id }

// Class is the stream's engine class.
func (s *Stream) Class() Class { return s.class }

// SetClass changes who the stream's tasks are expanded by, from the next task on.
func (s *Stream) SetClass(c Class) { s.class = c }

// Name is like "rank 3 / device 3 / stream 1".
func (s *Stream) Name() string {
	if s.id < 0 {
		return s.dev.Name() + fmt.Sprintf(" / internal stream %d", s.slot)
	}
	return s.dev.Name() + fmt.Sprintf(" / stream %d", s.id)
}

// Push queues a copy of t, whose ID and Seq it fills in, and starts it when the
// stream is ready, perhaps before Push returns. Errors: ErrFull (wait for Changed and try again),
// ErrStopped, ErrFreed.
func (s *Stream) Push(t *Task) error { return s.push(t, nil) }

// PushFeeder queues a task that draws its sub-tasks from f until there are none
// left. t gives the fields that count (Ready, Label, Flags); nil for none.
func (s *Stream) PushFeeder(f Feeder, t *Task) error {
	var zero Task
	if t == nil {
		t = &zero
	}
	return s.push(t, f)
}

func (s *Stream) push(t *Task, f Feeder) error {
	if s.freed {
		return fmt.Errorf("device: push to %s: %w", s.Name(), ErrFreed)
	}
	if s.dev.lost {
		return fmt.Errorf("device: push to %s: %w", s.Name(), ErrLost)
	}
	if s.domain != nil && s.domain.failed != nil {
		return fmt.Errorf("device: push to %s: %w: %w", s.Name(), ErrStopped, s.domain.failed)
	}
	if n := s.tail - s.head; n == uint32(len(s.ring)) {
		s.grow()
	}
	if depth := s.dev.chip.StreamDepth; depth > 0 && s.tail-s.head >= uint32(depth) {
		return fmt.Errorf("device: push to %s: %w: got %d tasks, want at most %d", s.Name(), ErrFull, s.tail-s.head, s.dev.chip.StreamDepth)
	}
	s.sys.tasks++
	s.pushed++
	e := &s.ring[s.tail&uint32(len(s.ring)-1)]
	t.ID, t.Seq, t.Sub = s.sys.tasks, uint32(s.pushed), 0
	e.task, e.feeder = *t, f
	if f != nil {
		e.task.Kind = KindFeeder
	}
	s.tail++
	if s.state == stIdle {
		s.sys.kick(s)
	}
	return nil
}

// grow doubles the queue's array.
func (s *Stream) grow() {
	n := max(firstRing, 2*len(s.ring))
	ring := make([]entry, n)
	for i := s.head; i != s.tail; i++ {
		ring[i&uint32(n-1)] = s.ring[i&uint32(len(s.ring)-1)]
	}
	s.ring = ring
}

// Room is how many more tasks fit; a chip without a depth has always room.
func (s *Stream) Room() int {
	if d := s.dev.chip.StreamDepth; d > 0 {
		return max(0, d-int(s.tail-s.head))
	}
	return math.MaxInt32
}

// Busy reports whether tasks are left: the seed's state Running.
func (s *Stream) Busy() bool { return s.state != stIdle || s.feeder != nil || s.head != s.tail }

// Pushed and Finished count tasks since the stream was made.
func (s *Stream) Pushed() uint64 { return s.pushed }

// Finished counts the tasks that have ended, in order.
func (s *Stream) Finished() uint64 { return s.finished }

// Err is the first fault since ClearErr, nil without one.
func (s *Stream) Err() *Fault { return s.err }

// ClearErr takes the latched fault away.
func (s *Stream) ClearErr() { s.err = nil }

// Wait blocks p until the first n tasks have ended, or d has passed (sim.Forever:
// no limit); it reports whether they have. Aborted tasks count as ended.
func (s *Stream) Wait(p *sim.Proc, n uint64, d sim.Time) bool {
	end := p.Now().Add(d)
	for s.finished < n {
		s.target = min(s.target, n)
		c := sim.Cause{What: "tasks of", On: s}
		if d == sim.Forever {
			p.Wait(&s.changed, c)
		} else if left := end - p.Now(); left <= 0 || !p.WaitTimeout(&s.changed, left, c) {
			return s.finished >= n
		}
	}
	return true
}

// Drain is Wait for all tasks queued by now.
func (s *Stream) Drain(p *sim.Proc) { s.Wait(p, s.pushed, sim.Forever) }

// WaitRoom blocks p until another task fits.
func (s *Stream) WaitRoom(p *sim.Proc) {
	for s.Room() == 0 && !s.freed {
		s.target = min(s.target, s.finished+1)
		p.Wait(&s.changed, sim.Cause{What: "room in the queue of", On: s})
	}
}

// String is the stream's name, for wait reasons.
func (s *Stream) String() string { return s.Name() }

// Actor is the stream's name, for wait reasons.
func (s *Stream) Actor() string { return s.Name() }

// Stop holds the stream after its current task; Start lets it go on.
func (s *Stream) Stop() { s.held = true }

// Start ends Stop.
func (s *Stream) Start() {
	s.held = false
	if s.state == stIdle && (s.head != s.tail || s.feeder != nil) {
		s.sys.kick(s)
	}
}

// Held reports whether Stop is in force.
func (s *Stream) Held() bool { return s.held }
