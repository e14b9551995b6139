package guest

import (
	"encoding/binary"
	"fmt"

	"hsim/host/sim"
)

// futex is a queue of threads that wait at a word of memory.
type futex struct {
	p       *Process
	at      uint32
	waiting int
	cond    sim.Cond
}

// futexWhy are the reasons of futex_wait in the words of a stall report.
var futexWhy = [...]string{"a word at", "the mutex at", "the condition variable at", "the semaphore at", "the barrier at", "the lock at"}

// String completes the reason of a wait.
func (f *futex) String() string { return fmt.Sprintf("%#x of %s", f.at, f.p.acl.Name()) }

func futexWait(c call) uint64 {
	p, at := c.t.p, c.u32(0)
	b := c.bytes(at, 4)
	if b == nil || at%4 != 0 {
		return errno(eInval)
	}
	if binary.LittleEndian.Uint32(b) != c.u32(1) {
		return errno(eAgain)
	}
	f := p.futexes[at]
	if f == nil {
		if p.futexes == nil {
			p.futexes = map[uint32]*futex{}
		}
		f = &futex{p: p, at: at}
		p.futexes[at] = f
	}
	why := sim.Cause{What: futexWhy[min(c.u32(3), uint32(len(futexWhy)-1))], On: f}
	f.waiting++
	woken := true
	if ns := int64(c.u64(2)); ns < 0 {
		c.t.acl.Proc().Wait(&f.cond, why)
	} else {
		c.t.timed(func() bool {
			woken = c.t.acl.Proc().WaitTimeout(&f.cond, nanoseconds(ns), why)
			return woken
		})
	}
	if !woken {
		p.left(f)
		return errno(eTimeout)
	}
	return 0
}

func (p *Process) left(f *futex) {
	if f.waiting--; f.waiting == 0 {
		delete(p.futexes, f.at)
	}
}

func futexWake(c call) uint64 {
	f := c.t.p.futexes[c.u32(0)]
	woken := uint64(0)
	for f != nil && woken < uint64(c.u32(1)) && f.cond.Waiters() > 0 {
		f.cond.Signal(c.t.p.sys.eng)
		c.t.p.left(f)
		woken++
	}
	return woken
}

// nanoseconds is a time of the program, which may be longer than the simulation can tell.
func nanoseconds(ns int64) sim.Time {
	if ns > int64(sim.Forever/sim.Nanosecond) {
		return sim.Forever
	}
	return sim.Time(ns) * sim.Nanosecond
}
