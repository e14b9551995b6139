package acl

import (
	"fmt"

	"hsim/host/device"
	"hsim/host/mem"
	"hsim/host/soc"
	"hsim/host/topo"
)

// SatMode is what results outside a float type's range become.
type SatMode int

// The modes. SatUndefined is no mode to set.
const (
	SatSaturate  SatMode = 0
	SatInfNaN    SatMode = 1
	SatUndefined SatMode = 2
)

// SyncStrategy is how host threads wait for a device.
type SyncStrategy int

// The strategies, an extension: they are kept and shown, and cost nothing.
const (
	SyncAuto SyncStrategy = iota
	SyncSpin
	SyncYield
	SyncBlock
)

// Capabilities of a device, the bits of DeviceStatusRow.Capability.
const (
	CapInfNaN      = 1 << iota // floats may overflow to infinity
	CapSplitCores              // vector cores apart from cube cores
	CapCCU                     // communication units
	CapUB                      // scale-up over UB
	CapHostMapping             // aclrtHostRegister
)

// deviceState is what the runtime keeps of a device for all processes.
type deviceState struct {
	strategy SyncStrategy
	timeout  int32  // ms that aclrtSynchronizeDevice waits, 0 = for ever
	seen     uint64 // overflows that ResetOverflowStatus has cleared
}

func (r *Runtime) stateOf(d *device.Device) *deviceState {
	for len(r.state) < len(r.sys.Devices()) {
		r.state = append(r.state, deviceState{})
	}
	return &r.state[d.Index()]
}

// firstGeneration tells the first generation of chips, which has one kind of core and
// always saturates.
func firstGeneration(c *soc.Chip) bool { return c.Generation == "910" }

func splitCores(c *soc.Chip) bool { return !firstGeneration(c) }

// capability is the capability mask of a chip.
func capability(c *soc.Chip) (mask uint64) {
	for bit, has := range map[uint64]bool{CapInfNaN: !firstGeneration(c), CapSplitCores: splitCores(c), CapCCU: c.CCU.Version != 0,
		CapUB: c.ScaleUp != topo.HCCS, CapHostMapping: !firstGeneration(c)} {
		if has {
			mask |= bit
		}
	}
	return mask
}

// SetDeviceSatMode sets what floats of the current device's reductions do when
// they overflow. Errors: ContextNull, ParamInvalid, FeatureNotSupport for
// infinities on a chip without.
func (t *Thread) SetDeviceSatMode(m SatMode) error {
	const call = "aclrtSetDeviceSatMode"
	if err := t.enter(call); err != nil {
		return err
	}
	c, err := t.context(call)
	if err != nil {
		return err
	}
	d := c.use.dev
	switch {
	case m != SatSaturate && m != SatInfNaN:
		return fail(ParamInvalid, call, "got mode %d, want 0 (saturation) or 1 (infinities and NaN)", m)
	case m == SatInfNaN && firstGeneration(d.Chip()):
		return fail(FeatureNotSupport, call, "chip %s always saturates", d.Chip().Name)
	case m == SatSaturate:
		d.SetOverflow(d.Overflow() | mem.SaturateFloat)
	default:
		d.SetOverflow(d.Overflow() &^ mem.SaturateFloat)
	}
	return nil
}

// GetDeviceSatMode reads the mode of the current device: infinities unless the
// chip is of the first generation or it was set.
func (t *Thread) GetDeviceSatMode() (SatMode, error) {
	const call = "aclrtGetDeviceSatMode"
	if err := t.enter(call); err != nil {
		return SatUndefined, err
	}
	c, err := t.context(call)
	if err != nil {
		return SatUndefined, err
	}
	return satMode(c.use.dev), nil
}

func satMode(d *device.Device) SatMode {
	if firstGeneration(d.Chip()) || d.Overflow()&mem.SaturateFloat != 0 {
		return SatSaturate
	}
	return SatInfNaN
}

// overflowBytes is the size of a context's overflow flags: a 32-bit word that is
// 1 after an overflow, and room as on hardware.
const overflowBytes = 64

// CtxGetFloatOverflowAddr is the address of the overflow flags of the current
// context: the first 32-bit word is 1 after a task of the context overflowed.
func (t *Thread) CtxGetFloatOverflowAddr() (mem.Addr, error) {
	const call = "aclrtCtxGetFloatOverflowAddr"
	if err := t.enter(call); err != nil {
		return 0, err
	}
	c, err := t.context(call)
	if err != nil {
		return 0, err
	}
	if err := c.flags(); err != nil {
		return 0, resource(call, err)
	}
	return c.overflow, nil
}

// flags makes the context's overflow flags.
func (c *Context) flags() (err error) {
	if c.overflow == 0 {
		c.overflow, err = c.p.rt.mem.Alloc(mem.AllocSpec{Device: c.use.dev.Index(), Size: overflowBytes, Pid: c.p.pid, Ctx: c.id, Kind: mem.KindTs,
			Store: mem.StoreReal, Name: fmt.Sprintf("overflow flags of context %d", c.id)})
	}
	return err
}

// overflowed hears of an overflow: it reaches the context's flags, and the
// stream where its overflow switch is on.
func (r *Runtime) overflowed(q *device.Stream, e device.Engine) {
	s := r.ops[q]
	if s == nil {
		if l := r.lanes[q]; l != nil {
			s = l.stream
		}
	}
	if s == nil {
		return
	}
	if s.ctx.flags() == nil {
		_ = r.mem.Write(s.ctx.overflow, []byte{1, 0, 0, 0}) // the runtime's own memory
	}
	if s.attrs[AttrOverflowCheck] == 1 {
		f := q.Fault(device.CauseOverflow, fmt.Errorf("a result does not fit its data type"))
		f.Code = int32(overflowCode(e))
		q.Note(f)
	}
}

func overflowCode(e device.Engine) Code {
	switch e {
	case device.EngineCube:
		return AICoreOverFlow
	case device.EngineVector:
		return AIVecOverFlow
	}
	return OverFlow
}

// overflowOp is the task of GetOverflowStatus and ResetOverflowStatus.
type overflowOp struct {
	ctx *Context
	to  mem.Addr
}

// Start implements device.Op.
func (o *overflowOp) Start(s *device.Stream, _ *device.Task) device.Status {
	c := o.ctx
	var err error
	if o.to != 0 {
		var word [4]byte
		if c.overflow != 0 {
			err = c.p.rt.mem.Read(c.overflow, word[:])
		}
		if err == nil {
			err = c.p.rt.mem.Write(o.to, word[:])
		}
	} else {
		if c.overflow != 0 {
			err = c.p.rt.mem.Fill(c.overflow, overflowBytes, 0)
		}
		c.p.rt.stateOf(s.Device()).seen = s.Device().Overflows()
	}
	if err != nil {
		s.Fail(device.CauseSDMA, err)
	}
	return device.Done
}

// GetOverflowStatus queues a copy of the context's overflow flag to device memory:
// 0 or 1 in 32 bits.
func (t *Thread) GetOverflowStatus(to mem.Addr, size int64, s *Stream) error {
	const call = "aclrtGetOverflowStatus"
	if err := t.enterLaunch(call); err != nil {
		return err
	}
	s, err := t.stream(call, s)
	if err != nil {
		return err
	}
	r, loc := t.locate(to)
	if size < 4 || loc != LocationDevice {
		return fail(ParamInvalid, call, "got %d bytes of %v memory, want 4 or more of device memory", size, loc)
	}
	if err := t.checkRange(call, "output", to, size, r, loc, mem.Writable); err != nil {
		return err
	}
	return t.push(call, s, &device.Task{Kind: device.KindOp, Op: &overflowOp{s.ctx, to}}, &TaskRow{Type: TypeOther, What: "get overflow status", Dst: to, Size: 4})
}

// ResetOverflowStatus queues the clearing of the context's overflow flag and of
// the device's overflow status.
func (t *Thread) ResetOverflowStatus(s *Stream) error {
	const call = "aclrtResetOverflowStatus"
	if err := t.enterLaunch(call); err != nil {
		return err
	}
	s, err := t.stream(call, s)
	if err != nil {
		return err
	}
	return t.push(call, s, &device.Task{Kind: device.KindOp, Op: &overflowOp{s.ctx, 0}}, &TaskRow{Type: TypeOther, What: "reset overflow status"})
}

// SetDeviceSynchronize sets how threads wait for the current device and for how
// long aclrtSynchronizeDevice waits (ms, 0 = for ever): the two fields of the
// device's status that no public call sets. An extension.
func (t *Thread) SetDeviceSynchronize(how SyncStrategy, ms int32) error {
	const call = "hsimSetDeviceSynchronize"
	if err := t.enter(call); err != nil {
		return err
	}
	c, err := t.context(call)
	if err != nil {
		return err
	}
	if how < SyncAuto || how > SyncBlock || ms < 0 {
		return fail(ParamInvalid, call, "got strategy %d and %d ms, want 0 to 3 and 0 or more", how, ms)
	}
	x := t.p.rt.stateOf(c.use.dev)
	x.strategy, x.timeout = how, ms
	return nil
}

// GetRunMode is 1 where the program runs on a host, 0 on the device's own CPU.
func (t *Thread) GetRunMode() (int, error) {
	if err := t.enter("aclrtGetRunMode"); err != nil {
		return 0, err
	}
	if len(t.p.uses) > 0 && !t.p.rt.onHost(t.p.uses[0].dev) {
		return 0, nil
	}
	return 1, nil
}

// onHost says whether programs of the device run on a host.
func (r *Runtime) onHost(d *device.Device) bool {
	return r.graph == nil || r.graph.HostOf(d.Node()) != topo.None
}
