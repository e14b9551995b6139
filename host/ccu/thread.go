package ccu

import (
	"fmt"

	"hsim/host/sim"
)

// threadBits is the width of a thread's number in an event.
const threadBits = 16

type threadState uint8

const (
	tIdle    threadState = iota
	tReady               // in the ready list
	tRunning             // executes now
	tArmed               // an event lets it go on
	tBlocked             // waits for bits of an event
	tGroup               // waits for its loops
	tZombie              // dropped while an event for it was under way
)

// thread is a program counter: the main program of a mission, or a loop on a
// loop engine. It may run ahead of the clock through instructions whose effect
// nobody else sees: at is its own time, never before the clock's.
type thread struct {
	u      *Unit
	m      *mission
	number int32
	engine int // loop engine, -1 of the main program
	state  threadState
	ready  bool // the present instruction has been issued
	pc     int
	end    int // the thread, or one iteration, is over there
	at     sim.Time
	since  sim.Time // of a wait
	held   bool     // the present instruction has waited

	first       int // of a loop: its first instruction
	iter, iters uint64
	step, addr  uint64
	ms, cke     int
	parent      *thread
	loops       int // of a group: those that run

	next *thread // in a wait list
}

// waitList is the threads that wait for bits of one event, in wait order.
type waitList struct{ first, last *thread }

// thread takes an idle one or makes it.
func (u *Unit) thread(m *mission, engine int) *thread {
	var t *thread
	if n := len(u.unused); n > 0 {
		t = u.unused[n-1]
		u.unused = u.unused[:n-1]
	} else {
		t = &thread{u: u, number: int32(len(u.threads))}
		u.threads = append(u.threads, t)
	}
	*t = thread{u: u, number: t.number, m: m, engine: engine, state: tReady}
	return t
}

// drop ends a thread wherever it is.
func (t *thread) drop() {
	switch t.state {
	case tBlocked:
		t.u.unwait(t)
	case tArmed:
		t.state = tZombie
		return
	case tIdle, tZombie:
		return
	}
	t.state = tIdle
	t.u.unused = append(t.u.unused, t)
}

// arm lets the thread go on at its own time.
func (t *thread) arm() {
	t.state = tArmed
	e := t.u.e
	e.cfg.Sim.At(t.at, e.id, uint64(t.u.die<<threadBits|int(t.number))<<evKindBit|evThread)
}

// timer is the event of arm.
func (u *Unit) timer(number int32) {
	t := u.threads[number]
	if t.state == tZombie {
		t.state = tIdle
		u.unused = append(u.unused, t)
		return
	}
	t.wake()
}

// wake puts the thread into the ready list, not before the clock.
func (t *thread) wake() {
	t.state = tReady
	t.at = max(t.at, t.u.e.cfg.Sim.Now())
	t.u.e.kick(t)
}

// run executes until the thread has to wait.
func (t *thread) run() {
	if t.state != tReady {
		return // dropped while it was in the list
	}
	t.state = tRunning
	for t.state == tRunning {
		t.stepOn()
	}
}

// maxSpin is how many instructions a mission may execute without a wait or a
// move: it does nothing but turn in circles.
const maxSpin = 1 << 22

// stepOn executes one instruction, or finds out that it cannot yet.
func (t *thread) stepOn() {
	now := t.u.e.cfg.Sim.Now()
	if t.pc == t.end {
		t.ended(now)
		return
	}
	if t.pc < 0 || t.pc >= len(t.u.code) {
		t.m.fail(StatusOpcode, -1, fmt.Errorf("got a jump to instruction %d, want one that was loaded", t.pc))
		return
	}
	ins := &t.u.code[t.pc]
	if !t.ready {
		t.ready = true
		t.at = t.at.Add(t.u.e.issue)
		if t.m.spin++; t.m.spin > maxSpin {
			t.m.fail(StatusKilled, t.pc, fmt.Errorf("got %d instructions without a wait or a move, want an end (a loop whose condition nothing changes)", maxSpin))
			return
		}
	}
	if t.at > now && seen(ins.Op) {
		t.arm()
		return
	}
	wait, mask := int(ins.V[SlotWait])+t.cke, uint16(ins.V[SlotWaitMask])
	if last := max(wait, int(ins.V[SlotSet])+t.cke); last >= len(t.u.cke) {
		t.refuse(StatusOpcode, "got event %d, want less than %d (the steps of a loop group go beyond)", last, len(t.u.cke))
		return
	}
	if mask != 0 {
		if t.u.cke[wait]&mask != mask {
			t.block(wait, now)
			return
		}
		t.m.spin = 0
		if t.held {
			t.waited()
		}
		if ins.V[SlotClear] != 0 {
			t.u.cke[wait] &^= mask
		}
	}
	t.ready = false
	t.execute(ins)
}

// seen says whether somebody else can see when the instruction is executed.
func seen(op Op) bool {
	switch op {
	case OpJump, OpSetCKE, OpRead, OpWrite, OpRemoteMemToMS, OpMSToRemoteMem, OpSyncCKE, OpSyncGSA, OpSyncXn:
		return true
	}
	return false
}

// ended is the end of the main program, of an iteration or of a loop.
func (t *thread) ended(now sim.Time) {
	if t.engine < 0 {
		if t.at > now {
			t.arm()
			return
		}
		t.m.finish()
		return
	}
	if t.iter++; t.iter < t.iters {
		t.pc = t.first
		return
	}
	p, m := t.parent, t.m
	for i := range m.loops {
		if m.loops[i] == t {
			m.loops[i] = m.loops[len(m.loops)-1]
			m.loops = m.loops[:len(m.loops)-1]
			break
		}
	}
	p.at = max(p.at, t.at)
	t.drop()
	if p.loops--; p.loops == 0 {
		p.wake()
	}
}

// block puts the thread into the wait list of an event.
func (t *thread) block(cke int, now sim.Time) {
	t.state = tBlocked
	if !t.held {
		t.held, t.since = true, max(t.at, now)
	}
	l := &t.u.waiters[cke]
	if l.last == nil {
		l.first = t
	} else {
		l.last.next = t
	}
	l.last = t
}

// waited records a wait of the main program.
func (t *thread) waited() {
	if t.engine < 0 && t.u.e.cfg.Record.On() && t.at > t.since {
		t.m.span("wait", "", t.since)
	}
	t.held = false
}

// unwait takes the thread out of its wait list.
func (u *Unit) unwait(t *thread) {
	l := &u.waiters[int(u.code[t.pc].V[SlotWait])+t.cke]
	var before *thread
	for x := l.first; x != nil; before, x = x, x.next {
		if x != t {
			continue
		}
		if before == nil {
			l.first = x.next
		} else {
			before.next = x.next
		}
		if l.last == x {
			l.last = before
		}
		break
	}
	t.next = nil
}

// set adds bits to an event and wakes who waits for them, in wait order.
func (u *Unit) set(cke int, bits uint16) {
	u.cke[cke] |= bits
	for t := u.waiters[cke].first; t != nil; {
		next := t.next
		if mask := uint16(u.code[t.pc].V[SlotWaitMask]); u.cke[cke]&mask == mask {
			u.unwait(t)
			t.wake()
		}
		t = next
	}
	if u.heard != nil {
		u.heard(cke, bits)
	}
}
