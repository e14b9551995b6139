package acl

import (
	"hsim/host/device"
	"hsim/host/sim"
)

// Context owns streams of one device. It belongs to the process; any of its
// threads may make it current.
type Context struct {
	id      int
	p       *Process
	use     *deviceUse
	thread  int // that made it
	primary bool
	dead    bool
	def     *Stream
	streams []*Stream
	domain  device.Domain
}

// ID is the context's number in the simulation.
func (c *Context) ID() int { return c.id }

// Process is the context's process.
func (c *Context) Process() *Process { return c.p }

// Device is the context's device, for life.
func (c *Context) Device() *device.Device { return c.use.dev }

// LogicDevice is the id by which the process knows the device.
func (c *Context) LogicDevice() int { return c.use.logic }

// IsDefault says that SetDevice made the context.
func (c *Context) IsDefault() bool { return c.primary }

// DefaultStream is the stream a nil stream stands for.
func (c *Context) DefaultStream() *Stream { return c.def }

// Streams lists the context's live streams, the default one first.
func (c *Context) Streams() []*Stream { return c.streams }

func (t *Thread) newContext(call string, u *deviceUse, primary bool) (*Context, error) {
	r := t.p.rt
	c := &Context{id: r.contexts + 1, p: t.p, use: u, thread: t.id, primary: primary}
	s, err := c.newStream(call, 0, 0)
	if err != nil {
		return nil, err
	}
	r.contexts++
	c.def = s
	u.contexts = append(u.contexts, c)
	return c, nil
}

// CreateContext makes an explicit context with its default stream and makes it
// current.
func (t *Thread) CreateContext(logic int) (*Context, error) {
	t.pay()
	u, err := t.use("aclrtCreateContext", logic)
	if err != nil {
		return nil, err
	}
	c, err := t.newContext("aclrtCreateContext", u, false)
	if err != nil {
		return nil, err
	}
	t.ctx = c
	return c, nil
}

// DestroyContext destroys an explicit context after its tasks have ended, with
// its streams. The default context is the device's: ResetDevice frees it.
func (t *Thread) DestroyContext(c *Context) error {
	const call = "aclrtDestroyContext"
	t.pay()
	if err := t.usable(call, c); err != nil {
		return err
	}
	if c.primary {
		return fail(ParamInvalid, call, "context %d is the default one of device %d (try aclrtResetDevice)", c.id, c.use.logic)
	}
	c.drain(t.proc)
	c.release(false)
	return nil
}

func (t *Thread) usable(call string, c *Context) error {
	switch {
	case c == nil:
		return fail(ParamInvalid, call, "got a null context")
	case c.p != t.p:
		return fail(ParamInvalid, call, "context %d belongs to %s", c.id, c.p.name)
	case c.dead:
		return fail(ContextNull, call, "context %d was destroyed, or its device reset", c.id)
	}
	return nil
}

// SetCurrentContext makes c the thread's context, and its device the thread's.
func (t *Thread) SetCurrentContext(c *Context) error {
	t.pay()
	if err := t.usable("aclrtSetCurrentContext", c); err != nil {
		return err
	}
	t.ctx = c
	return nil
}

// GetCurrentContext is the thread's context, or ContextNull.
func (t *Thread) GetCurrentContext() (*Context, error) {
	t.pay()
	return t.context("aclrtGetCurrentContext")
}

// drain waits for every stream of the context.
func (c *Context) drain(p *sim.Proc) {
	for _, s := range c.streams {
		s.q.Drain(p)
	}
}

// release frees the context's streams and takes it off every thread.
func (c *Context) release(abort bool) {
	for len(c.streams) > 0 {
		s := c.streams[len(c.streams)-1]
		if abort || s.q.Busy() {
			s.q.Abort()
		}
		s.free()
	}
	c.dead = true
	for i, x := range c.use.contexts {
		if x == c {
			c.use.contexts = append(c.use.contexts[:i], c.use.contexts[i+1:]...)
			break
		}
	}
	for _, t := range c.p.threads {
		if t.ctx == c {
			t.ctx = nil
		}
	}
}
