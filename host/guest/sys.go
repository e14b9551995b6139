package guest

import (
	"encoding/binary"

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
	"stream_export":    sys(streamExport),
	"devices_connect":  sys(devicesConnect),
	"export_end":       sys(exportEnd),
	"device_synchronize": sys(func(c call) uint64 {
		return uint64(c.code(c.t.acl.SetDeviceSynchronize(acl.SyncStrategy(c.i32(0)), c.i32(1))))
	}),
	"device_address": sys(deviceAddress),
	"device_memory":  sys(deviceMemory),
}

// sys makes an import of a function that may block.
func sys(f func(c call) uint64) wasm.Import {
	return func(ctx *wasm.CallCtx, a []uint64) {
		t := ctx.Data.(*thread)
		t.checkStack(ctx)
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
