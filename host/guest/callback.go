package guest

import (
	"hsim/abi"
	"hsim/host/acl"
)

var callbackAnswers = map[string]answer{
	"aclrtSubscribeReport": func(c call) uint32 {
		return c.code(c.t.acl.SubscribeReport(c.runner(0), c.stream(1)))
	},
	"aclrtUnSubscribeReport": func(c call) uint32 {
		return c.code(c.t.acl.UnSubscribeReport(c.runner(0), c.stream(1)))
	},
	"aclrtLaunchCallback": func(c call) uint32 {
		entry, p, ctx := c.u32(0), c.t.p, c.ctx
		cb := acl.Callback{Data: uint64(c.u32(1)), Entry: uint64(entry)}
		if entry != 0 {
			if _, err := p.in.TableFunc("callback", entry, []abi.ValType{abi.I32}, nil); err != nil {
				return c.bad(acl.ParamInvalid, "%v", err)
			}
			cb.Func = func(data uint64) {
				if err := p.current().invoke("callback", entry, uint32(data)); err != nil {
					ctx.Abort(err)
				}
			}
		}
		return c.code(c.t.acl.LaunchCallback(cb, int(c.i32(2)), c.stream(3)))
	},
	"aclrtProcessReport": func(c call) uint32 {
		return c.timed(c.i32(0), func() error { return c.t.acl.ProcessReport(c.i32(0)) })
	},
	"aclrtSetExceptionInfoCallback": func(c call) uint32 {
		entry, p := c.u32(0), c.t.p
		if entry == 0 {
			return c.code(c.t.acl.SetExceptionInfoCallback(nil))
		}
		if _, err := p.in.TableFunc("exception callback", entry, []abi.ValType{abi.I32}, nil); err != nil {
			return c.bad(acl.ParamInvalid, "%v", err)
		}
		return c.code(c.t.acl.SetExceptionInfoCallback(func(on *acl.Thread, x acl.ExceptionInfo) { p.exception(on, entry, x) }))
	},
	"aclrtGetTaskIdFromExceptionInfo":    func(c call) uint32 { return c.exceptionField(0) },
	"aclrtGetStreamIdFromExceptionInfo":  func(c call) uint32 { return c.exceptionField(1) },
	"aclrtGetThreadIdFromExceptionInfo":  func(c call) uint32 { return c.exceptionField(2) },
	"aclrtGetDeviceIdFromExceptionInfo":  func(c call) uint32 { return c.exceptionField(3) },
	"aclrtGetErrorCodeFromExceptionInfo": func(c call) uint32 { return c.exceptionField(4) },
}

// runner is the runtime's number of a thread that the program names by pthread_self, also when that has ended.
func (c call) runner(i int) int {
	if id := c.u64(i); id >= 1 && id <= uint64(len(c.t.p.runners)) {
		return c.t.p.runners[id-1]
	}
	return -1
}

// threadID is the program's name of a thread by the runtime's number.
func (p *Process) threadID(runner int) uint32 {
	for i, r := range p.runners {
		if r == runner {
			return uint32(i + 1)
		}
	}
	return 0
}

// exceptionSize is the size of aclrtExceptionInfo: five numbers.
const exceptionSize = 20

// exceptionField reads a field of an aclrtExceptionInfo; what is not known is all ones.
func (c call) exceptionField(i uint32) uint32 {
	if c.bytes(c.u32(0), exceptionSize) == nil {
		return 0xffffffff
	}
	return c.word(c.u32(0) + 4*i)
}

// exception calls the program's hook with a failed task. The runtime has a thread of its own for that, which becomes one
// of the process for as long as it lasts.
func (p *Process) exception(on *acl.Thread, entry uint32, x acl.ExceptionInfo) {
	if p.over {
		return
	}
	fn, err := p.in.TableFunc("exception callback", entry, []abi.ValType{abi.I32}, nil)
	if err != nil {
		return // it was one when the hook was set, and tables do not shrink
	}
	info, ok := p.heap.alloc(exceptionSize)
	if !ok {
		return
	}
	stack, ok := p.heap.alloc(defaultStack)
	if !ok {
		p.heap.free(info)
		return
	}
	p.guard(stack)
	t := p.newThread(on)
	t.fn, t.stack, t.detached = fn, stack, true
	p.live++
	c := call{t: t}
	for i, v := range []uint32{uint32(x.Task), uint32(x.Stream), p.threadID(x.Thread), uint32(x.Device), uint32(x.Code)} {
		c.putWord(info+4*uint32(i), v)
	}
	fn.Ctx().Data = t
	p.in.SetStack(stack + defaultStack)
	p.refill()
	_, err = fn.Call(uint64(info))
	if p.in != nil {
		p.heap.free(info)
	}
	t.leave(err)
}
