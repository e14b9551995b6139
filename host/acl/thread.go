package acl

import (
	"encoding/json"
	"fmt"
	"os"

	"hsim/host/device"
	"hsim/host/sim"
)

// Thread is a runner: one thread of a process, with its own current context.
// Its methods are the runtime calls; they may be made from its own coroutine
// only.
type Thread struct {
	object
	p      *Process
	proc   *sim.Proc
	number int // in its process
	ctx    *Context
	ts     int         // task scheduler chosen with SetTsDevice
	mode   CaptureMode // what the thread lets captures forbid it

	copies map[*deviceUse]*device.Stream // of synchronous calls
}

// Go starts a thread.
func (p *Process) Go(name string, f func(t *Thread)) *Thread {
	t := p.newThread()
	if name == "" {
		name = fmt.Sprintf("thread %d", t.number)
	}
	t.proc = p.rt.eng.Go(p.name+" / "+name, func(*sim.Proc) {
		f(t)
		p.rt.runners.end(t, p.rt.now())
	})
	return t
}

// Adopt makes a thread of a coroutine that somebody else started.
func (p *Process) Adopt(proc *sim.Proc) *Thread {
	t := p.newThread()
	t.proc = proc
	return t
}

func (p *Process) newThread() *Thread {
	t := &Thread{p: p, number: len(p.threads)}
	p.threads = append(p.threads, t)
	p.rt.runners.add(t, p.rt.now())
	return t
}

// Process is the thread's process.
func (t *Thread) Process() *Process { return t.p }

// Proc is the thread's coroutine.
func (t *Thread) Proc() *sim.Proc { return t.proc }

// ID is the thread's number in its process, which SubscribeReport takes.
func (t *Thread) ID() int { return t.number }

// RunID is the thread's number in the simulation.
func (t *Thread) RunID() int { return t.id }

// Current is the thread's current context, nil without one.
func (t *Thread) Current() *Context { return t.ctx }

// pay charges the host for one call.
func (t *Thread) pay() {
	if d := t.p.chip().HostCall; d > 0 {
		t.proc.Sleep(d)
	}
}

// enter charges the host for one call, and refuses it after aclFinalize.
func (t *Thread) enter(call string) error {
	t.pay()
	return t.open(call)
}

// launchable is enter for a call that enqueues a task.
func (t *Thread) enterLaunch(call string) error {
	c := t.p.chip()
	if d := c.HostCall + c.HostLaunch; d > 0 {
		t.proc.Sleep(d)
	}
	return t.open(call)
}

func (t *Thread) open(call string) error {
	if t.p.state == processFinal {
		return fail(ACLUninitialize, call, "%s has called aclFinalize", t.p.name)
	}
	return nil
}

// ready refuses a call before aclInit as well.
func (t *Thread) ready(call string) error {
	if t.p.state != processReady {
		return fail(ACLUninitialize, call, "%s is not initialised (call aclInit first)", t.p.name)
	}
	return nil
}

// context is the current context, or ContextNull.
func (t *Thread) context(call string) (*Context, error) {
	if t.ctx == nil {
		return nil, fail(ContextNull, call, "thread %d of %s has no current context (call aclrtSetDevice or aclrtSetCurrentContext first)", t.number, t.p.name)
	}
	return t.ctx, nil
}

// stream resolves a stream argument: nil is the current context's default one.
func (t *Thread) stream(call string, s *Stream) (*Stream, error) {
	c, err := t.context(call)
	if err != nil {
		return nil, err
	}
	switch {
	case s == nil:
		return c.def, nil
	case s.ctx == nil || s.ctx.p != t.p:
		return nil, fail(InvalidHandle, call, "got a stream that %s does not have", t.p.name)
	case s.Gone:
		return nil, fail(InvalidHandle, call, "stream %d was destroyed", s.id)
	case s.ctx != c:
		return nil, fail(StreamContext, call, "stream %d belongs to context %d on %s, the current context is %d on %s",
			s.id, s.ctx.id, s.ctx.use.dev.Name(), c.id, c.use.dev.Name())
	}
	return s, nil
}

// Init is aclInit: once per process, again only after Finalize. config is "" or
// the path of a JSON file, whose keys are for parts that are not simulated.
// Errors: ACLRepeatInitialize, ACLInvalidFile, ACLParseFile.
func (t *Thread) Init(config string) error {
	const call = "aclInit"
	t.pay()
	if t.p.state == processReady {
		return fail(ACLRepeatInitialize, call, "%s is initialised", t.p.name)
	}
	if config != "" {
		text, err := os.ReadFile(config)
		if err != nil {
			return wrap(ACLInvalidFile, call, err)
		}
		var any map[string]any
		if err := json.Unmarshal(text, &any); err != nil {
			return wrap(ACLParseFile, call, fmt.Errorf("%s: %w", config, err))
		}
	}
	t.p.state = processReady
	return nil
}

// Finalize is aclFinalize; what the process still holds is reclaimed after its
// tasks have ended. Errors: ACLUninitialize, ACLRepeatFinalize.
func (t *Thread) Finalize() error {
	const call = "aclFinalize"
	t.pay()
	switch t.p.state {
	case processNew:
		return fail(ACLUninitialize, call, "%s is not initialised", t.p.name)
	case processFinal:
		return fail(ACLRepeatFinalize, call, "%s has finalised", t.p.name)
	}
	t.p.reclaim(t)
	t.p.state = processFinal
	return nil
}

// SetOpWaitTimeout limits how long event waits hold a stream; 0 = for ever.
func (t *Thread) SetOpWaitTimeout(d sim.Time) error {
	const call = "aclrtSetOpWaitTimeout"
	if err := t.enter(call); err != nil {
		return err
	}
	if d < 0 {
		return fail(ParamInvalid, call, "got %v, want 0 or more", d)
	}
	t.p.opWait = d
	return nil
}

// SetOpExecuteTimeout limits how long a kernel runs; 0 = for ever.
func (t *Thread) SetOpExecuteTimeout(d sim.Time) error {
	const call = "aclrtSetOpExecuteTimeOut"
	if err := t.enter(call); err != nil {
		return err
	}
	if d < 0 {
		return fail(ParamInvalid, call, "got %v, want 0 or more", d)
	}
	t.p.opExecute = d
	return nil
}

// GetOpTimeOutInterval is the step of SetOpExecuteTimeout's limits, as
// aclrtGetOpTimeOutInterval returns it: the simulator's clock has no steps, so a
// microsecond, the unit of the call.
func (t *Thread) GetOpTimeOutInterval() (sim.Time, error) {
	return sim.Microsecond, t.enter("aclrtGetOpTimeOutInterval")
}
