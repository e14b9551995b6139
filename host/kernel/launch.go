package kernel

import (
	"fmt"

	"hsim/host/mem"
	"hsim/host/sim"
)

// Spec says how a function is launched.
type Spec struct {
	Args    []byte   // copied before Launch returns
	Blocks  int      // 0 = 1; an AI CPU function has one
	Unit    Unit     // AnyUnit: what the function is made for
	Timeout sim.Time // from the start of its first block on; 0 = none
	Guard   Guard    // nil: nobody asks
}

// Guard is who launches, while the launch runs.
type Guard interface {
	// Overflowed is told of a reduction of the launch with a result outside its
	// type.
	Overflowed(u Unit)
	// Reach says whether the launch may touch memory of a device (or host) that
	// belongs to a process, 0 for the system; its error ends the launch.
	Reach(device, pid int, a mem.Addr) error
}

// NotifyGuard is a Guard that knows which notifies of the device are the
// launcher's.
type NotifyGuard interface {
	// Notify says whether the launch may record and wait for a notify; its error
	// ends the launch.
	Notify(id uint32) error
}

// Launch is one launch under way.
type Launch struct {
	e      *Engine
	fn     *Function
	unit   Unit
	export string
	args   []byte
	blocks int
	limit  sim.Time

	deadline sim.Time // of a limit, from the start of the first block on
	guard    Guard
	done     func(error)

	begins sim.Time // when its start cost is over
	ready  bool
	next   int // block to start
	live   int
	ended  int
	timed  bool
	over   bool

	arrived int      // blocks in the barrier
	round   uint64   // of the barrier
	waiters []*block // started and not ended
	fault   *Fault
}

// Launch starts fn; done is called once, in an event, when every block has ended
// or the launch failed, with nil or a *Fault. Blocks take cores as these become
// free, launches in order. The error of a launch that makes no sense is returned
// at once, and done is not called.
func (e *Engine) Launch(fn *Function, spec Spec, done func(error)) (*Launch, error) {
	unit, export, err := fn.resolve(spec.Unit)
	if err != nil {
		return nil, err
	}
	if spec.Blocks == 0 {
		spec.Blocks = 1
	}
	if spec.Blocks < 0 || spec.Blocks > MaxBlocks || (unit == AICPU && spec.Blocks != 1) {
		return nil, fmt.Errorf("kernel: launch %s of module %s: got %d blocks on %v, want 1 to %d (1 on an AI CPU)", fn.Name, fn.bin.Name(), spec.Blocks, unit, MaxBlocks)
	}
	p := &e.pools[unit]
	if p.cores == 0 {
		return nil, fmt.Errorf("kernel: launch %s of module %s on %s: the chip has no %v", fn.Name, fn.bin.Name(), e.cfg.Name, unit)
	}
	l := &Launch{e: e, fn: fn, unit: unit, export: export, args: append([]byte(nil), spec.Args...), blocks: spec.Blocks,
		limit: spec.Timeout, guard: spec.Guard, done: done}
	cost := e.cfg.Chip.KernelLaunch
	if unit == AICPU {
		cost = e.cfg.Chip.AICPULaunch
	}
	l.begins = e.cfg.Sim.Now().Add(cost)
	p.queue = append(p.queue, l)
	e.after(cost, evBegin, token{launch: l})
	return l, nil
}

// MaxBlocks is the most blocks of a launch, as block numbers are 16 bits wide.
const MaxBlocks = 65535

// Cancel ends a launch with a Canceled fault; blocks in the middle of a short
// operation end when it does. A launch that is over is left alone.
func (l *Launch) Cancel(reason error) { l.fail(-1, Canceled, reason) }

func (l *Launch) start(core int) {
	if l.limit > 0 && !l.timed {
		l.timed, l.deadline = true, l.e.cfg.Sim.Now().Add(l.limit)
		l.e.cfg.Sim.Weak(l.deadline, l.e.id, l.e.arg(evLimit, token{launch: l}))
	}
	b := &block{l: l, e: l.e, index: l.next, core: core}
	l.next++
	l.live++
	l.waiters = append(l.waiters, b)
	b.proc = l.e.cfg.Sim.GoAs(b, b.run)
}

func (l *Launch) expired() {
	l.fail(-1, Timeout, fmt.Errorf("got no end within %v", l.limit))
}

// fail keeps the first failure and wakes the other blocks so that they end.
func (l *Launch) fail(block int, cause Cause, err error) {
	if l.over || l.fault != nil {
		return
	}
	l.fault = &Fault{Cause: cause, Device: l.e.cfg.Name, Module: l.fn.bin.Name(), Function: l.fn.Name, Unit: l.unit, Own: l.export == l.fn.export[l.unit],
		Block: block, Blocks: l.blocks, Err: err}
	for _, b := range l.waiters {
		b.wake.Broadcast(l.e.cfg.Sim)
	}
	if l.live == 0 {
		l.finish()
	}
}

// blockEnded is called when a block's coroutine is about to end.
func (l *Launch) blockEnded(b *block) {
	l.live--
	l.ended++
	for i, x := range l.waiters {
		if x == b {
			l.waiters = append(l.waiters[:i], l.waiters[i+1:]...)
			break
		}
	}
	if l.fault == nil && l.arrived > 0 {
		l.fail(b.index, Deadlock, fmt.Errorf("the block ended while %d others wait in a barrier", l.arrived))
	}
	if l.live == 0 && (l.next == l.blocks || l.fault != nil) {
		l.finish()
	}
	l.e.pools[l.unit].release(l.e, b.core)
}

func (l *Launch) finish() {
	if !l.over {
		l.over = true
		l.e.after(0, evEnd, token{launch: l})
	}
}

func (l *Launch) failure() error {
	if l.fault == nil {
		return nil
	}
	return l.fault
}
