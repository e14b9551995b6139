package acl

import (
	"fmt"

	"hsim/host/device"
	"hsim/host/sim"
)

// Thread is a runner: one thread of a process, with its own current context.
// Its methods are the runtime calls; they may be made from its own coroutine
// only.
type Thread struct {
	p    *Process
	proc *sim.Proc
	id   int
	ctx  *Context

	copies map[*deviceUse]*device.Stream // of synchronous calls
}

// Go starts a thread.
func (p *Process) Go(name string, f func(t *Thread)) *Thread {
	t := &Thread{p: p, id: len(p.threads)}
	if name == "" {
		name = fmt.Sprintf("thread %d", t.id)
	}
	p.threads = append(p.threads, t)
	t.proc = p.rt.eng.Go(p.name+" / "+name, func(*sim.Proc) { f(t) })
	return t
}

// Adopt makes a thread of a coroutine that somebody else started.
func (p *Process) Adopt(proc *sim.Proc) *Thread {
	t := &Thread{p: p, proc: proc, id: len(p.threads)}
	p.threads = append(p.threads, t)
	return t
}

// Process is the thread's process.
func (t *Thread) Process() *Process { return t.p }

// Proc is the thread's coroutine.
func (t *Thread) Proc() *sim.Proc { return t.proc }

// ID is the thread's number in its process.
func (t *Thread) ID() int { return t.id }

// Current is the thread's current context, nil without one.
func (t *Thread) Current() *Context { return t.ctx }

// pay charges the host for one call.
func (t *Thread) pay() {
	if d := t.p.chip().HostCall; d > 0 {
		t.proc.Sleep(d)
	}
}

// payLaunch charges the host for a call that enqueues a task.
func (t *Thread) payLaunch() {
	c := t.p.chip()
	if d := c.HostCall + c.HostLaunch; d > 0 {
		t.proc.Sleep(d)
	}
}

// context is the current context, or ContextNull.
func (t *Thread) context(call string) (*Context, error) {
	if t.ctx == nil {
		return nil, fail(ContextNull, call, "thread %d of %s has no current context (call aclrtSetDevice or aclrtSetCurrentContext first)", t.id, t.p.name)
	}
	if t.ctx.dead {
		return nil, fail(ContextNull, call, "the current context %d of thread %d of %s was destroyed", t.ctx.id, t.id, t.p.name)
	}
	return t.ctx, nil
}

// stream resolves a stream argument: nil is the current context's default one.
func (t *Thread) stream(call string, s *Stream) (*Stream, error) {
	c, err := t.context(call)
	if err != nil {
		return nil, err
	}
	if s == nil {
		return c.def, nil
	}
	if s.dead {
		return nil, fail(InvalidHandle, call, "stream %d was destroyed", s.uid)
	}
	if s.ctx != c {
		return nil, fail(StreamContext, call, "stream %d belongs to context %d on %s, the current context is %d on %s",
			s.uid, s.ctx.id, s.ctx.use.dev.Name(), c.id, c.use.dev.Name())
	}
	return s, nil
}

// Init is aclInit: once per process, again only after Finalize.
func (t *Thread) Init() error {
	t.pay()
	if t.p.inited {
		return fail(ACLRepeatInitialize, "aclInit", "%s is initialised", t.p.name)
	}
	t.p.inited = true
	return nil
}

// Finalize is aclFinalize; what the process still holds is reclaimed.
func (t *Thread) Finalize() error {
	t.pay()
	if !t.p.inited {
		return fail(ACLRepeatFinalize, "aclFinalize", "%s is not initialised", t.p.name)
	}
	t.p.inited = false
	for _, u := range t.p.uses {
		for len(u.contexts) > 0 {
			u.contexts[len(u.contexts)-1].drain(t.proc)
			u.contexts[len(u.contexts)-1].release(false)
		}
		u.refs, u.primary = 0, nil
	}
	return nil
}

// SetOpWaitTimeout limits how long event waits hold a stream; 0 = for ever.
func (t *Thread) SetOpWaitTimeout(d sim.Time) error {
	t.pay()
	if d < 0 {
		return fail(ParamInvalid, "aclrtSetOpWaitTimeout", "got %v, want 0 or more", d)
	}
	t.p.opWait = d
	return nil
}

// SetOpExecuteTimeout limits how long a kernel runs; 0 = for ever.
func (t *Thread) SetOpExecuteTimeout(d sim.Time) error {
	t.pay()
	if d < 0 {
		return fail(ParamInvalid, "aclrtSetOpExecuteTimeOut", "got %v, want 0 or more", d)
	}
	t.p.opExecute = d
	return nil
}
