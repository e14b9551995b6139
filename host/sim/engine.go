package sim

import (
	"context"
	"fmt"
	"sync/atomic"
)

// Handler receives the events of one registered part of the simulation.
type Handler interface {
	// Handle is called once per event with the current time and the argument
	// the event was pushed with.
	Handle(now Time, arg uint64)
}

// ID names a registered Handler in an event.
type ID uint32

// Reason of a Result.
type Reason uint8

// Why a run ended.
const (
	Done        Reason = iota // nothing left to do and nobody waits
	Stalled                   // somebody waits and nothing can wake them
	LimitHit                  // the next event lies beyond the limit
	Interrupted               // Interrupt was called
)

func (r Reason) String() string {
	return [...]string{"done", "stalled", "limit", "interrupted"}[r]
}

// Result says how a run ended. Stall is the first stall met, nil without one,
// also when time-outs ended it and the run went on.
type Result struct {
	Reason Reason
	Stall  *Stall
	End    Time
	Events uint64
}

// Engine is one simulation's clock and event queue.
type Engine struct {
	now       Time
	q         queue
	handlers  []Handler
	strong    int // strong events queued plus holds
	procs     []*Proc
	ended     []uint32 // places in procs that are free again
	idle      []*coro
	live      int // processes started and not ended
	reporters []func(yield func(Waiting))
	stall     *Stall
	seed      uint64
	events    uint64
	stop      atomic.Bool
	seen      atomic.Int64 // now, every so many events
	cur       *Proc
	Meta      map[string]string // free for the product layer: names shown in reports
}

// New returns an engine at time 0 whose random streams derive from seed.
func New(seed uint64) *Engine {
	e := &Engine{seed: seed}
	e.Register(procHandler{e}) // id 0
	return e
}

// Now is the current virtual time.
func (e *Engine) Now() Time { return e.now }

// Register gives h the id its events carry.
func (e *Engine) Register(h Handler) ID {
	e.handlers = append(e.handlers, h)
	return ID(len(e.handlers) - 1)
}

// At pushes a strong event for time t; a time in the past is taken as now.
func (e *Engine) At(t Time, id ID, arg uint64) {
	if t < e.now {
		t = e.now
	}
	e.strong++
	e.q.push(event{t: t, arg: arg, id: uint32(id)})
}

// After pushes a strong event d from now.
func (e *Engine) After(d Time, id ID, arg uint64) { e.At(e.now.Add(d), id, arg) }

// Weak pushes a weak event: a time-out or a periodic tick. It fires like any
// other while there is strong work or somebody waits, does not keep a run going
// and does not hide a stall.
func (e *Engine) Weak(t Time, id ID, arg uint64) {
	if t < e.now {
		t = e.now
	}
	e.q.push(event{t: t, arg: arg, id: uint32(id), weak: true})
}

// Hold counts work in flight that has no strong event of its own, such as data
// that waits for a retransmission timer. Every Hold needs one Release.
func (e *Engine) Hold() { e.strong++ }

// Release ends a Hold.
func (e *Engine) Release() {
	e.strong--
	if e.strong < 0 {
		panic("sim: Release without Hold")
	}
}

// Interrupt ends the run at the next event. Other goroutines may call it.
func (e *Engine) Interrupt() { e.stop.Store(true) }

// Seen is about where the run is, for progress; other goroutines may call it.
func (e *Engine) Seen() Time { return Time(e.seen.Load()) }

// InterruptWith interrupts the run when ctx is done, at the first event when it
// is done already. The caller calls release after Run.
func (e *Engine) InterruptWith(ctx context.Context) (release func() bool) {
	if ctx.Err() != nil {
		e.Interrupt() // now, not when another goroutine comes to run
	}
	return context.AfterFunc(ctx, e.Interrupt)
}

// Stall returns the first stall recorded so far, nil without one.
func (e *Engine) Stall() *Stall { return e.stall }

// Waiting is who waits now, for reports.
func (e *Engine) Waiting() []Waiting { return e.waiting() }

// Run processes events in order of (time, push) until nothing is left to do, a
// stall has no time-out left to end it, an event lies beyond limit (0 = none),
// or Interrupt. Coroutines that have not ended are stopped when it returns, so
// an engine runs once.
func (e *Engine) Run(limit Time) Result {
	reason := e.loop(limit)
	for _, p := range e.procs {
		p.halt()
	}
	for _, c := range e.idle {
		c.stop()
	}
	e.idle = nil
	return Result{Reason: reason, Stall: e.stall, End: e.now, Events: e.events}
}

func (e *Engine) loop(limit Time) Reason {
	if limit <= 0 {
		limit = Forever
	}
	for {
		if e.stop.Load() {
			return Interrupted
		}
		if e.strong == 0 {
			if e.stall == nil {
				waiting := e.waiting()
				if len(waiting) == 0 {
					return Done
				}
				e.stall = newStall(e.now, waiting)
			} else if !e.anyWaiting() {
				return Done
			}
			if e.q.n == 0 {
				return Stalled
			}
		}
		if e.q.n == 0 {
			// Held work that nothing will finish: a transport that lost its timer.
			if e.stall == nil {
				e.stall = newStall(e.now, e.waiting())
			}
			return Stalled
		}
		ev := e.q.pop()
		if ev.t > limit {
			e.now = limit
			return LimitHit
		}
		if !ev.weak {
			e.strong--
		}
		e.now = ev.t
		if e.events++; e.events%4096 == 0 {
			e.seen.Store(int64(e.now))
		}
		e.handlers[ev.id].Handle(ev.t, ev.arg)
	}
}

// AddReporter adds a source of waiters that are not coroutines (hardware queues
// and registers). It is asked only when a stall may have to be reported.
func (e *Engine) AddReporter(r func(yield func(Waiting))) { e.reporters = append(e.reporters, r) }

// anyWaiting is whether waiting would name somebody; coroutines are asked first,
// as hardware makes its lines at some cost.
func (e *Engine) anyWaiting() bool {
	for _, p := range e.procs {
		if p.waiting {
			return true
		}
	}
	any := false
	for _, r := range e.reporters {
		r(func(Waiting) { any = true })
		if any {
			return true
		}
	}
	return false
}

func (e *Engine) waiting() []Waiting {
	var w []Waiting
	for _, p := range e.procs {
		if p.waiting {
			w = append(w, p.why.describe(p.Name(), p.since))
		}
	}
	for _, r := range e.reporters {
		r(func(x Waiting) { w = append(w, x) })
	}
	return w
}

// String names the engine's state for debugging.
func (e *Engine) String() string {
	return fmt.Sprintf("sim: t=%v queued=%d strong=%d procs=%d", e.now, e.q.n, e.strong, e.live)
}
