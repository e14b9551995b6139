package acl

import (
	"encoding/binary"

	"hsim/host/mem"
)

// maxArgs is how many bytes of arguments a launch may have.
const maxArgs = 64 << 10

// KernelArgs collects the arguments of a kernel: values in the order of the
// calls, each at a multiple of its size (at most 8).
type KernelArgs struct {
	object
	f      *Function
	data   []byte
	parts  []argPart
	final  bool
	device bool // packed in device memory by the program
	size   int64
}

type argPart struct {
	off, size   int
	placeholder bool
	buffer      mem.Addr
}

// ArgHandle names one argument, for later updates.
type ArgHandle int

// KernelArgsInit starts the arguments of a function.
func (t *Thread) KernelArgsInit(f *Function) (*KernelArgs, error) {
	const call = "aclrtKernelArgsInit"
	if err := t.enter(call); err != nil {
		return nil, err
	}
	if err := t.function(call, f); err != nil {
		return nil, err
	}
	a := &KernelArgs{f: f}
	t.p.rt.args.add(a, t.p.rt.now())
	return a, nil
}

func (t *Thread) argsOf(call string, a *KernelArgs) error {
	switch {
	case a == nil:
		return fail(ParamInvalid, call, "got null arguments")
	case a.f == nil || a.f.bin.ctx.p != t.p:
		return fail(InvalidHandle, call, "got arguments that %s does not have", t.p.name)
	case a.Gone:
		return fail(InvalidHandle, call, "arguments %d were destroyed", a.id)
	}
	return nil
}

// Freed says that the arguments went with their image.
func (a *KernelArgs) Freed() bool { return a.Gone }

// free gives back what lies behind placeholders.
func (a *KernelArgs) free() {
	r := a.f.bin.ctx.p.rt
	for i := range a.parts {
		if p := &a.parts[i]; p.buffer != 0 {
			_ = r.mem.Free(p.buffer) // the runtime's own
		}
	}
	a.data = nil
	r.args.end(a, r.now())
}

// openArgs is the checks of calls that add arguments.
func (t *Thread) openArgs(call string, a *KernelArgs) error {
	if err := t.enter(call); err != nil {
		return err
	}
	if err := t.argsOf(call, a); err != nil {
		return err
	}
	if a.final {
		return fail(ParamInvalid, call, "the arguments of %s are final", a.f.name)
	}
	return nil
}

func (a *KernelArgs) add(call string, p argPart, value []byte) (ArgHandle, error) {
	align := 1
	for align < 8 && align < p.size {
		align *= 2
	}
	for len(a.data)%align != 0 {
		a.data = append(a.data, 0)
	}
	if len(a.data)+p.size > maxArgs {
		return 0, fail(ParamInvalid, call, "got %d bytes of arguments for %s, want at most %d", len(a.data)+p.size, a.f.name, maxArgs)
	}
	p.off = len(a.data)
	a.data = append(a.data, value...)
	a.parts = append(a.parts, p)
	return ArgHandle(len(a.parts) - 1), nil
}

// KernelArgsAppend adds one value.
func (t *Thread) KernelArgsAppend(a *KernelArgs, value []byte) (ArgHandle, error) {
	const call = "aclrtKernelArgsAppend"
	if err := t.openArgs(call, a); err != nil {
		return 0, err
	}
	if len(value) == 0 {
		return 0, fail(ParamInvalid, call, "got a value of no bytes")
	}
	return a.add(call, argPart{size: len(value)}, value)
}

// AppendAddr is KernelArgsAppend of a device address.
func (t *Thread) AppendAddr(a *KernelArgs, p mem.Addr) (ArgHandle, error) {
	return t.KernelArgsAppend(a, binary.LittleEndian.AppendUint64(nil, uint64(p)))
}

// AppendUint64 is KernelArgsAppend of a 64-bit number.
func (t *Thread) AppendUint64(a *KernelArgs, v uint64) (ArgHandle, error) {
	return t.KernelArgsAppend(a, binary.LittleEndian.AppendUint64(nil, v))
}

// AppendUint32 is KernelArgsAppend of a 32-bit number.
func (t *Thread) AppendUint32(a *KernelArgs, v uint32) (ArgHandle, error) {
	return t.KernelArgsAppend(a, binary.LittleEndian.AppendUint32(nil, v))
}

// KernelArgsAppendPlaceHolder adds a pointer whose target the runtime will
// place: see KernelArgsGetPlaceHolderBuffer.
func (t *Thread) KernelArgsAppendPlaceHolder(a *KernelArgs) (ArgHandle, error) {
	const call = "aclrtKernelArgsAppendPlaceHolder"
	if err := t.openArgs(call, a); err != nil {
		return 0, err
	}
	return a.add(call, argPart{size: 8, placeholder: true}, make([]byte, 8))
}

// KernelArgsGetPlaceHolderBuffer allocates size bytes of device memory behind a
// placeholder and returns their address; the caller fills them.
func (t *Thread) KernelArgsGetPlaceHolderBuffer(a *KernelArgs, h ArgHandle, size int64) (mem.Addr, error) {
	const call = "aclrtKernelArgsGetPlaceHolderBuffer"
	if err := t.openArgs(call, a); err != nil {
		return 0, err
	}
	if h < 0 || int(h) >= len(a.parts) || !a.parts[h].placeholder || size <= 0 || size > mem.MaxRange {
		return 0, fail(ParamInvalid, call, "got handle %d and %d bytes, want a placeholder of %s and 1 byte or more", h, size, a.f.name)
	}
	c, r := a.f.bin.ctx, t.p.rt
	p, err := r.mem.Alloc(mem.AllocSpec{Device: c.use.dev.Index(), Size: size, Pid: t.p.pid, Ctx: c.id, Kind: mem.KindTs, Name: "arguments of " + a.f.name})
	if err != nil {
		return 0, resource(call, err)
	}
	if old := a.parts[h].buffer; old != 0 {
		_ = r.mem.Free(old) // the runtime's own
	}
	a.parts[h].buffer = p
	binary.LittleEndian.PutUint64(a.data[a.parts[h].off:], uint64(p))
	return p, nil
}

// KernelArgsParaUpdate replaces one value by another of the same size, also of
// final arguments.
func (t *Thread) KernelArgsParaUpdate(a *KernelArgs, h ArgHandle, value []byte) error {
	const call = "aclrtKernelArgsParaUpdate"
	if err := t.enter(call); err != nil {
		return err
	}
	if err := t.argsOf(call, a); err != nil {
		return err
	}
	if h < 0 || int(h) >= len(a.parts) || a.parts[h].placeholder || a.parts[h].size != len(value) {
		return fail(ParamInvalid, call, "got handle %d and %d bytes, want a value of the arguments and as many bytes", h, len(value))
	}
	copy(a.data[a.parts[h].off:], value)
	return nil
}

// KernelArgsFinalize ends the collection; every placeholder has its buffer by
// now.
func (t *Thread) KernelArgsFinalize(a *KernelArgs) error {
	const call = "aclrtKernelArgsFinalize"
	if err := t.openArgs(call, a); err != nil {
		return err
	}
	for i, p := range a.parts {
		if p.placeholder && p.buffer == 0 {
			return fail(ParamInvalid, call, "placeholder %d of %s has no buffer", i, a.f.name)
		}
	}
	a.final, a.size = true, int64(len(a.data))
	return nil
}
