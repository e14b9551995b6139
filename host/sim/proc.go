package sim

import (
	"fmt"
	"iter"
)

// Proc is a coroutine that blocks in virtual time: a runner thread, a kernel
// block, a host program. Its methods may be called only from its own function,
// also from inside a WebAssembly import.
type Proc struct {
	e       *Engine
	name    string
	who     fmt.Stringer // names the process where name is ""
	co      *coro
	idx     uint32
	gen     uint32 // of the wait, so that a late wake-up of an earlier one is ignored
	waiting bool   // in Wait or WaitTimeout
	fired   bool   // the wait was ended by the condition, not by its time-out
	done    bool
	why     Cause
	since   Time
	on      *Cond
	ended   Cond
}

// halted unwinds a coroutine that is stopped at the end of a run. It passes
// through WebAssembly frames as a host error.
type halted struct{}

func (halted) Error() string { return "sim: the run has ended" }

// ErrHalted is the value a stopped coroutine unwinds with; code that recovers
// panics of a coroutine lets it pass.
var ErrHalted error = halted{}

type procHandler struct{ e *Engine }

func (h procHandler) Handle(_ Time, arg uint64) {
	p := h.e.procs[arg>>32]
	if p.done || uint32(arg) != p.gen {
		return
	}
	if p.on != nil { // a time-out: leave the condition's list
		p.on.remove(p)
		p.on = nil
	}
	p.resume()
}

// Go starts f as a coroutine at the current time, after the events already
// queued for it.
func (e *Engine) Go(name string, f func(p *Proc)) *Proc {
	p := &Proc{e: e, name: name, idx: uint32(len(e.procs))}
	if n := len(e.ended); n > 0 { // the place of one that has ended, past its wake-ups
		p.idx = e.ended[n-1]
		p.gen = e.procs[p.idx].gen + 1
		e.ended = e.ended[:n-1]
		e.procs[p.idx] = p
	} else {
		e.procs = append(e.procs, p)
	}
	e.live++
	p.co = e.coroutine()
	p.co.p, p.co.f = p, f
	e.At(e.now, 0, p.wake())
	return p
}

// coro is a coroutine. When the function of its process has ended it runs that of
// another one, with a stack that has grown already.
type coro struct {
	next  func() (struct{}, bool)
	stop  func()
	yield func(struct{}) bool
	p     *Proc
	f     func(p *Proc)
}

// maxIdle is how many coroutines without a process are kept.
const maxIdle = 256

func (e *Engine) coroutine() *coro {
	if n := len(e.idle); n > 0 {
		c := e.idle[n-1]
		e.idle = e.idle[:n-1]
		return c
	}
	c := &coro{}
	c.next, c.stop = iter.Pull(func(yield func(struct{}) bool) {
		c.yield = yield
		for c.run() && len(e.idle) < maxIdle {
			e.idle = append(e.idle, c)
			if !yield(struct{}{}) {
				return
			}
		}
	})
	return c
}

// run runs the function of the process; false when it was unwound.
func (c *coro) run() (ended bool) {
	p, f := c.p, c.f
	c.p, c.f = nil, nil
	defer func() {
		p.done, p.waiting = true, false
		p.e.live--
		p.e.ended = append(p.e.ended, p.idx)
		if r := recover(); r != nil {
			if _, ok := r.(halted); !ok {
				panic(r)
			}
		}
	}()
	f(p)
	p.ended.Broadcast(p.e)
	return true
}

// GoAs is Go for processes that are many and short: who is asked for the name only
// when somebody wants it.
func (e *Engine) GoAs(who fmt.Stringer, f func(p *Proc)) *Proc {
	p := e.Go("", f)
	p.who = who
	return p
}

func (p *Proc) wake() uint64 { return uint64(p.idx)<<32 | uint64(p.gen) }

func (p *Proc) resume() {
	p.waiting = false
	p.gen++
	prev := p.e.cur
	p.e.cur = p
	p.co.next()
	p.e.cur = prev
}

func (p *Proc) halt() {
	if !p.done {
		p.co.stop()
		p.done = true
	}
}

// Kill ends the process now, from outside, as the end of the run would: its
// coroutine unwinds with ErrHalted. One that has ended is left alone.
func (p *Proc) Kill() {
	if p.done {
		return
	}
	if p.on != nil {
		p.on.remove(p)
		p.on = nil
	}
	p.co.stop()
	if !p.done { // it had not begun
		p.done, p.waiting = true, false
		p.e.live--
		p.e.ended = append(p.e.ended, p.idx)
	}
	p.ended.Broadcast(p.e)
}

// park gives control back to the engine until the process is resumed.
func (p *Proc) park() {
	if !p.co.yield(struct{}{}) {
		panic(halted{})
	}
}

// Name is the name given to Go.
func (p *Proc) Name() string {
	if p.who != nil {
		return p.who.String()
	}
	return p.name
}

// Now is the current virtual time.
func (p *Proc) Now() Time { return p.e.now }

// Engine is the engine the process belongs to.
func (p *Proc) Engine() *Engine { return p.e }

// Done says whether the process has ended.
func (p *Proc) Done() bool { return p.done }

// Sleep blocks for d; it counts as work, not as waiting.
func (p *Proc) Sleep(d Time) {
	if d <= 0 {
		return
	}
	p.e.After(d, 0, p.wake())
	p.park()
}

// Yield lets the events queued for the current time go first.
func (p *Proc) Yield() {
	p.e.At(p.e.now, 0, p.wake())
	p.park()
}

// Wait blocks until c wakes the process. why is shown if the run stalls.
func (p *Proc) Wait(c *Cond, why Cause) {
	p.enter(c, why)
	p.park()
}

// WaitTimeout is Wait that ends after d at the latest; it says whether the
// condition, not the time-out, ended it. The time-out is a weak event.
func (p *Proc) WaitTimeout(c *Cond, d Time, why Cause) bool {
	p.enter(c, why)
	if d < Forever {
		p.e.Weak(p.e.now.Add(d), 0, p.wake())
	}
	p.park()
	return p.fired
}

func (p *Proc) enter(c *Cond, why Cause) {
	p.waiting, p.fired, p.why, p.since, p.on = true, false, why, p.e.now, c
	c.waiters = append(c.waiters, p)
}

// Join blocks until q has ended.
func (p *Proc) Join(q *Proc) {
	for !q.done {
		p.Wait(&q.ended, Cause{What: "the end of " + q.Name()})
	}
}

// Current is the process that runs now, nil when the engine itself does.
func (e *Engine) Current() *Proc { return e.cur }

// Cond is a list of waiting processes. The zero value is ready for use.
type Cond struct{ waiters []*Proc }

// Signal wakes the process that waits longest, if any, at the current time.
func (c *Cond) Signal(e *Engine) {
	if len(c.waiters) > 0 {
		p := c.waiters[0]
		copy(c.waiters, c.waiters[1:])
		c.waiters = c.waiters[:len(c.waiters)-1]
		p.fire(e)
	}
}

// Broadcast wakes every waiting process at the current time, in wait order.
func (c *Cond) Broadcast(e *Engine) {
	if len(c.waiters) == 0 {
		return
	}
	for _, p := range c.waiters {
		p.fire(e)
	}
	c.waiters = c.waiters[:0]
}

// Waiters is the number of processes that wait.
func (c *Cond) Waiters() int { return len(c.waiters) }

func (p *Proc) fire(e *Engine) {
	p.fired, p.waiting, p.on = true, false, nil
	e.At(e.now, 0, p.wake())
}

func (c *Cond) remove(p *Proc) {
	for i, q := range c.waiters {
		if q == p {
			c.waiters = append(c.waiters[:i], c.waiters[i+1:]...)
			return
		}
	}
}
