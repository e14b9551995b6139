package guest

import (
	"encoding/binary"
	"fmt"

	"hsim/host/acl"
	"hsim/host/mem"
	"hsim/host/sim"
	"hsim/host/wasm"
)

// Error numbers of hsim_sys_v1, those of POSIX in WASI.
const (
	eAgain   = 6
	eDeadlk  = 16
	eInval   = 28
	eSrch    = 71
	eTimeout = 73
)

// sysImports are the functions of hsim_sys_v1. Results of 32 bits that are errors of threads and locks are error numbers.
var sysImports = map[string]wasm.Import{
	"thread_create":    sys(threadCreate),
	"thread_join":      sys(threadJoin),
	"thread_detach":    sys(threadDetach),
	"thread_self":      func(c *wasm.CallCtx, a []uint64) { a[0] = uint64(c.Data.(*thread).id) },
	"thread_exit":      threadExit,
	"thread_yield":     sys(threadYield),
	"futex_wait":       sys(futexWait),
	"futex_wake":       sys(futexWake),
	"time_now":         func(c *wasm.CallCtx, a []uint64) { a[0] = uint64(c.Data.(*thread).p.sys.eng.Now()) },
	"time_sleep":       sys(timeSleep),
	"process_pid":      func(c *wasm.CallCtx, a []uint64) { a[0] = uint64(c.Data.(*thread).p.acl.Pid()) },
	"process_server":   func(c *wasm.CallCtx, a []uint64) { a[0] = uint64(c.Data.(*thread).p.acl.Server()) },
	"process_rank":     func(c *wasm.CallCtx, a []uint64) { a[0] = uint64(c.Data.(*thread).p.rank) },
	"process_count":    func(c *wasm.CallCtx, a []uint64) { a[0] = uint64(len(c.Data.(*thread).p.job.procs)) },
	"process_exchange": sys(processExchange),
	"device_address":   sys(deviceAddress),
	"device_memory":    sys(deviceMemory),
}

// sys makes an import of a function that may block.
func sys(f func(c call) uint64) wasm.Import {
	return func(ctx *wasm.CallCtx, a []uint64) {
		t := ctx.Data.(*thread)
		r := t.block()
		v := f(call{t: t, a: a, ctx: ctx})
		r.resume()
		if len(a) > 0 {
			a[0] = v
		}
	}
}

func threadCreate(c call) uint64 {
	t, err := c.t.p.spawn("thread", c.u32(0), c.u32(1), c.u32(2))
	if err != nil {
		c.t.p.print(Stderr, err.Error())
		return errno(-eAgain)
	}
	return uint64(t.id)
}

func errno(e int32) uint64 { return uint64(uint32(e)) }

// thread finds a thread that can be joined or detached.
func (p *Process) thread(id int32) *thread {
	if id < 1 || int(id) > len(p.threads) || p.threads[id-1] == nil {
		return nil
	}
	return p.threads[id-1]
}

func threadJoin(c call) uint64 {
	t := c.t.p.thread(c.i32(0))
	switch {
	case t == nil:
		return errno(eSrch)
	case t == c.t:
		return errno(eDeadlk)
	case t.detached || t.joined:
		return errno(eInval)
	}
	t.joined = true
	for !t.done {
		c.t.acl.Proc().Wait(&t.ended, sim.Cause{What: "the end of", On: t})
	}
	c.t.p.threads[t.id-1] = nil
	if at := c.u32(1); at != 0 {
		if b := c.bytes(at, 4); b != nil {
			binary.LittleEndian.PutUint32(b, t.result)
		}
	}
	return 0
}

// String names the thread in reports.
func (t *thread) String() string { return t.acl.Proc().Name() }

// Actor says that the thread itself should act.
func (t *thread) Actor() string { return t.acl.Proc().Name() }

func threadDetach(c call) uint64 {
	t := c.t.p.thread(c.i32(0))
	switch {
	case t == nil:
		return errno(eSrch)
	case t.detached || t.joined:
		return errno(eInval)
	}
	t.detached = true
	if t.done {
		c.t.p.threads[t.id-1] = nil
	}
	return 0
}

func threadYield(c call) uint64 {
	c.t.yield()
	return 0
}

func (t *thread) yield() {
	if !t.spins() {
		t.acl.Proc().Yield()
	}
}

func threadExit(ctx *wasm.CallCtx, a []uint64) {
	t := ctx.Data.(*thread)
	t.result = uint32(a[0])
	ctx.Abort(errThreadExit)
}

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

func timeSleep(c call) uint64 {
	if d := sim.Time(c.u64(0)); d > 0 {
		c.t.acl.Proc().Sleep(d)
	} else {
		c.t.acl.Proc().Yield()
	}
	return 0
}

func deviceAddress(c call) uint64 {
	if ptr := c.u32(0); ptr >= windowBase && c.t.p.window.find(ptr) != nil {
		return uint64(c.t.p.window.addr(ptr))
	}
	return 0
}

func deviceMemory(c call) uint64 {
	devs := c.t.p.acl.Devices()
	id := c.i32(0)
	switch {
	case id < 0 || int(id) >= len(devs):
		return uint64(acl.InvalidDeviceID)
	case !c.out(1, 8) || !c.out(2, 8):
		return uint64(acl.ParamInvalid)
	}
	total, used, _ := c.space().Usage(devs[id].Index())
	c.set64(1, uint64(total-used))
	c.set64(2, uint64(total))
	return 0
}

func (c call) space() *mem.Space { return c.t.p.acl.Runtime().Mem() }

// meeting is where the processes of a job exchange data.
type meeting struct {
	size    uint32
	pieces  [][]byte
	arrived int
	all     []byte
	changed sim.Cond
}

// processExchange gives every process the pieces of all, in order of rank, once the last has come.
func processExchange(c call) uint64 {
	p := c.t.p
	j, n := p.job, uint32(len(p.job.procs))
	size := c.u32(2)
	mine := c.bytes(c.u32(0), size)
	if size > 0 && (mine == nil || uint64(size)*uint64(n) >= windowBase || c.bytes(c.u32(1), size*n) == nil) {
		return errno(eInval)
	}
	m := &j.meet
	if m.pieces == nil {
		m.pieces, m.size = make([][]byte, n), size
	}
	if m.pieces[p.rank] != nil || m.size != size {
		return errno(eInval)
	}
	m.pieces[p.rank] = append([]byte{}, mine...)
	if m.arrived++; m.arrived == int(n) {
		all := []byte{} // not nil, also when the pieces are empty
		for _, b := range m.pieces {
			all = append(all, b...)
		}
		for _, q := range j.procs {
			q.met = all
		}
		m.pieces, m.arrived = nil, 0
		m.changed.Broadcast(p.sys.eng)
	} else {
		p.met = nil
		for p.met == nil {
			c.t.acl.Proc().Wait(&m.changed, sim.Cause{What: "all processes of the run", On: j})
		}
	}
	if size > 0 {
		copy(c.bytes(c.u32(1), size*n), p.met)
	}
	p.met = nil
	return 0
}

// String says who is missing, for reports of a meeting.
func (j *Job) String() string {
	var out string
	for i, b := range j.meet.pieces {
		if b != nil {
			continue
		}
		if out != "" {
			out += ", "
		}
		out += fmt.Sprint(i)
		if j.procs[i].over {
			out += " (ended)"
		}
		if len(out) > 60 {
			return "(missing: " + out + " and more)"
		}
	}
	return "(missing: " + out + ")"
}
