package acl

import (
	"errors"

	"hsim/host/device"
	"hsim/host/mem"
	"hsim/host/topo"
)

// ccuDieMask are the flag bits, in the second byte, that name the die of a notify
// or event of a communication unit.
const ccuDieMask = 0x1e00

// CcuDie is the flag of CreateNotify and CreateEventWithFlag for a signal of a
// die's communication unit.
func CcuDie(die int) uint32 { return 0x200 << die }

// die finds the die that flag bits name.
func (c *Context) die(call string, bits uint32) (*device.Die, error) {
	for i := 0; i < 4; i++ {
		if bits == CcuDie(i) {
			return c.use.die(call, i)
		}
	}
	return nil, fail(ParamInvalid, call, "got flag bits %#x, want one die", bits)
}

// die finds a die of the device. Errors: FeatureNotSupport for a chip without
// communication units, InvalidDieID.
func (u *deviceUse) die(call string, die int) (*device.Die, error) {
	e, err := u.dev.Die(die)
	switch {
	case errors.Is(err, device.ErrNoCCU):
		return nil, wrap(FeatureNotSupport, call, err)
	case err != nil:
		return nil, wrap(InvalidDieID, call, err)
	}
	return e, nil
}

// CcuBuf is adjacent buffer slices of a die's communication unit.
type CcuBuf struct {
	object
	p        *Process
	die      *device.Die
	first, n int
}

// Variable is a 64-bit register of a die's communication unit.
type Variable struct {
	object
	p   *Process
	die *device.Die
	reg int
}

// Register is the number of the variable's register on its die.
func (v *Variable) Register() int { return v.reg }

// Die is the variable's communication unit.
func (v *Variable) Die() *device.Die { return v.die }

// Value is what the register holds.
func (v *Variable) Value() uint64 { return v.die.Variable(v.reg) }

// dieCall resolves device and die of a call.
func (t *Thread) dieCall(call string, logic, die int) (*device.Die, error) {
	if err := t.enter(call); err != nil {
		return nil, err
	}
	u, err := t.use(call, logic)
	if err != nil {
		return nil, err
	}
	return u.die(call, die)
}

// CcuBufAlloc takes size bytes of adjacent buffer slices, whole slices of 4 KiB,
// of a die. Errors: InvalidDeviceID, FeatureNotSupport, InvalidDieID,
// ParamInvalid, ResourceAllocFail.
func (t *Thread) CcuBufAlloc(logic, die int, size int64) (*CcuBuf, error) {
	const call = "rtCcuBufAlloc"
	e, err := t.dieCall(call, logic, die)
	if err != nil {
		return nil, err
	}
	if size < 1 {
		return nil, fail(ParamInvalid, call, "got %d bytes, want 1 or more", size)
	}
	n := (size-1)/device.SliceBytes + 1
	first, err := e.AllocSlices(int(min(n, 1<<30)))
	if err != nil {
		return nil, wrap(ResourceAllocFail, call, err)
	}
	b := &CcuBuf{p: t.p, die: e, first: first, n: int(n)}
	t.p.rt.ccuBufs.add(b, t.p.rt.now())
	return b, nil
}

func (t *Thread) ccuBuf(call string, b *CcuBuf) error {
	if err := t.enter(call); err != nil {
		return err
	}
	switch {
	case b == nil:
		return fail(ParamInvalid, call, "got a null buffer")
	case b.p != t.p:
		return fail(InvalidHandle, call, "got a buffer that %s does not have", t.p.name)
	case b.Gone:
		return fail(InvalidHandle, call, "buffer %d was freed", b.id)
	}
	return nil
}

// CcuBufFree gives a buffer back to its die. InvalidHandle for one that was freed.
func (t *Thread) CcuBufFree(b *CcuBuf) error {
	if err := t.ccuBuf("rtCcuBufFree", b); err != nil {
		return err
	}
	b.free()
	return nil
}

func (b *CcuBuf) free() {
	b.die.FreeSlices(b.first, b.n)
	b.p.rt.ccuBufs.end(b, b.p.rt.now())
}

// CcuBufGetAddr is the address of a buffer's first slice.
func (t *Thread) CcuBufGetAddr(b *CcuBuf) (mem.Addr, error) {
	if err := t.ccuBuf("rtCcuBufGetAddr", b); err != nil {
		return 0, err
	}
	return b.die.SliceAddr(b.first), nil
}

// VariableCreate takes a variable of a die, with value 0. Errors as CcuBufAlloc.
func (t *Thread) VariableCreate(logic, die int) (*Variable, error) {
	const call = "rtVariableCreate"
	e, err := t.dieCall(call, logic, die)
	if err != nil {
		return nil, err
	}
	reg, err := e.AllocVariable()
	if err != nil {
		return nil, wrap(ResourceAllocFail, call, err)
	}
	v := &Variable{p: t.p, die: e, reg: reg}
	t.p.rt.variables.add(v, t.p.rt.now())
	return v, nil
}

func (t *Thread) variable(call string, v *Variable) error {
	if err := t.enter(call); err != nil {
		return err
	}
	switch {
	case v == nil:
		return fail(ParamInvalid, call, "got a null variable")
	case v.p != t.p:
		return fail(InvalidHandle, call, "got a variable that %s does not have", t.p.name)
	case v.Gone:
		return fail(InvalidHandle, call, "variable %d was destroyed", v.id)
	}
	return nil
}

// VariableDestroy gives a variable back.
func (t *Thread) VariableDestroy(v *Variable) error {
	if err := t.variable("rtVariableDestroy", v); err != nil {
		return err
	}
	v.free()
	return nil
}

func (v *Variable) free() {
	v.die.FreeVariable(v.reg)
	v.p.rt.variables.end(v, v.p.rt.now())
}

// VariableSet writes a variable; programs on the die see it at once.
func (t *Thread) VariableSet(v *Variable, value uint64) error {
	if err := t.variable("rtVariableSet", v); err != nil {
		return err
	}
	v.die.SetVariable(v.reg, value)
	return nil
}

// ccuAddr is an address of a die that a program asked for.
type ccuAddr struct {
	object
	p         *Process
	die, peer *device.Die // peer nil: local
	addr      mem.Addr
}

// GetDeviceLocalAddr is where the resources of a die begin, as the device itself
// sees them: its variables, 8 bytes each.
func (t *Thread) GetDeviceLocalAddr(logic, die int) (mem.Addr, error) {
	const call = "rtGetDeviceLocalAddr"
	e, err := t.dieCall(call, logic, die)
	if err != nil {
		return 0, err
	}
	return t.showAddr(e, nil), nil
}

// GetDeviceRemoteAddr is where the resources of a peer's die begin, as a die
// reaches them. LinkTypeNotSupported when nothing joins the two devices.
func (t *Thread) GetDeviceRemoteAddr(logic, die, peer, peerDie int) (mem.Addr, error) {
	const call = "rtGetDeviceRemoteAddr"
	e, err := t.dieCall(call, logic, die)
	if err != nil {
		return 0, err
	}
	v, err := t.use(call, peer)
	if err != nil {
		return 0, err
	}
	to, err := v.die(call, peerDie)
	if err != nil {
		return 0, err
	}
	if a, b := e.Device(), to.Device(); a != b && !t.p.rt.joined(a, b) {
		return 0, fail(LinkTypeNotSupported, call, "no link over which %s reaches %s", e.Name(), to.Name())
	}
	return t.showAddr(e, to), nil
}

// joined says whether links that communication units use join two devices.
func (r *Runtime) joined(a, b *device.Device) bool {
	if r.graph == nil {
		return false
	}
	for _, p := range []topo.Protocol{topo.UB_CTP, topo.UB_TP, topo.UB_MEM, topo.UBOE} {
		if r.graph.Reachable(a.Node(), b.Node(), p) {
			return true
		}
	}
	return false
}

func (t *Thread) showAddr(e, peer *device.Die) mem.Addr {
	a := e.Base()
	if peer != nil {
		a = peer.Base()
	}
	x := &ccuAddr{p: t.p, die: e, peer: peer, addr: a}
	t.p.rt.ccuAddrs.add(x, t.p.rt.now())
	return a
}

// CcuDieInfo is capacity and state of one communication unit.
type CcuDieInfo struct {
	Version      int
	Xn           int // 64-bit registers
	CKE          int // event registers of 16 signals
	MS           int // buffer slices of 4 KiB
	GSA          int
	Channels     int
	Instructions int
	Missions     int
	Loops        int
	Base         mem.Addr
	Ready        bool
}

// GetCcudieInfo describes the communication unit of a die. Errors:
// InvalidDeviceID, FeatureNotSupport for a chip without, InvalidDieID.
func (t *Thread) GetCcudieInfo(logic, die int) (CcuDieInfo, error) {
	e, err := t.dieCall("rtGetCcudieInfo", logic, die)
	if err != nil {
		return CcuDieInfo{}, err
	}
	return dieInfo(e), nil
}

func dieInfo(e *device.Die) CcuDieInfo {
	c := &e.Device().Chip().CCU
	return CcuDieInfo{Version: c.Version, Xn: c.Xn, CKE: c.CKE, MS: c.MS, GSA: c.GSA, Channels: c.Channels, Instructions: c.Instructions,
		Missions: c.Missions, Loops: c.Loops, Base: e.Base(), Ready: !e.Device().Lost()}
}

// GetCcudieNum is the number of dies with a communication unit.
func (t *Thread) GetCcudieNum(logic int) (int, error) {
	const call = "rtGetCcudieNum"
	if err := t.enter(call); err != nil {
		return 0, err
	}
	u, err := t.use(call, logic)
	if err != nil {
		return 0, err
	}
	return dieNum(u.dev), nil
}

// dieNum is how many dies of a device have a communication unit.
func dieNum(d *device.Device) int {
	if c := &d.Chip().CCU; c.Version != 0 {
		return c.Dies
	}
	return 0
}
