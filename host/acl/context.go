package acl

import (
	"slices"

	"hsim/host/device"
	"hsim/host/mem"
	"hsim/host/sim"
)

// Context owns streams of one device. It belongs to the process; any of its
// threads may make it current.
type Context struct {
	object
	p        *Process
	use      *deviceUse
	maker    *Thread
	primary  bool
	gone     release
	def      *Stream
	streams  []*Stream
	domain   device.Domain
	overflow mem.Addr // flag words, 0 before the first use
	capture  CaptureMode
}

// release is how a context went away.
type release uint8

const (
	releasedByUser release = iota
	releasedByReset
)

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
	if u.dev.Lost() {
		return nil, fail(DevSetupError, call, "%s is lost", u.dev.Name())
	}
	c := &Context{p: t.p, use: u, maker: t, primary: primary, capture: CaptureRelaxed}
	s, err := c.newStream(call, 0, 0)
	if err != nil {
		return nil, err
	}
	t.p.rt.contexts.add(c, t.p.rt.now())
	c.def = s
	u.contexts = append(u.contexts, c)
	return c, nil
}

// CreateContext makes an explicit context with its default stream and makes it
// current. Errors: InvalidDeviceID, NoStreamResource.
func (t *Thread) CreateContext(logic int) (*Context, error) {
	const call = "aclrtCreateContext"
	if err := t.enter(call); err != nil {
		return nil, err
	}
	u, err := t.use(call, logic)
	if err != nil {
		return nil, err
	}
	c, err := t.newContext(call, u, false)
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
	if err := t.enter(call); err != nil {
		return err
	}
	if err := t.usable(call, c); err != nil {
		return err
	}
	if c.primary {
		return fail(ParamInvalid, call, "context %d is the default one of device %d (try aclrtResetDevice)", c.id, c.use.logic)
	}
	c.drain(t.proc)
	c.release(false, releasedByUser)
	return nil
}

func (t *Thread) usable(call string, c *Context) error {
	switch {
	case c == nil:
		return fail(ParamInvalid, call, "got a null context")
	case c.p != t.p:
		return fail(ParamInvalid, call, "got a context that %s does not have", t.p.name)
	case c.Gone && c.gone == releasedByReset:
		return fail(ContextReleaseError, call, "context %d went with a reset of its device", c.id)
	case c.Gone:
		return fail(ContextNull, call, "context %d was destroyed", c.id)
	}
	return nil
}

// SetCurrentContext makes c the thread's context, and its device the thread's.
// Errors: ParamInvalid, ContextNull for a destroyed context, ContextReleaseError
// for one of a device that was reset.
func (t *Thread) SetCurrentContext(c *Context) error {
	const call = "aclrtSetCurrentContext"
	if err := t.enter(call); err != nil {
		return err
	}
	if err := t.usable(call, c); err != nil {
		return err
	}
	t.ctx = c
	return nil
}

// GetCurrentContext is the thread's context, or ContextNull.
func (t *Thread) GetCurrentContext() (*Context, error) {
	const call = "aclrtGetCurrentContext"
	if err := t.enter(call); err != nil {
		return nil, err
	}
	return t.context(call)
}

// drain waits for every stream of the context.
func (c *Context) drain(p *sim.Proc) {
	for _, s := range slices.Clone(c.streams) {
		if s.capture == nil && !s.q.Held() {
			s.q.Drain(p)
		}
	}
}

// release frees the context's streams and takes it off every thread.
func (c *Context) release(abort bool, how release) {
	for _, x := range c.p.captures {
		if x.origin.ctx == c {
			x.drop()
			break
		}
	}
	for len(c.streams) > 0 {
		s := c.streams[len(c.streams)-1]
		if abort || s.q.Busy() {
			s.drop()
		}
		s.free()
	}
	c.gone = how
	c.p.rt.contexts.end(c, c.p.rt.now())
	if c.overflow != 0 {
		_ = c.p.rt.mem.Free(c.overflow) // the runtime's own
		c.overflow = 0
	}
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
