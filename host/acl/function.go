package acl

import (
	"hsim/host/kernel"
	"hsim/host/mem"
)

// Function is a handle on one kernel of a loaded image.
type Function struct {
	object
	bin   *Binary
	fn    *kernel.Function
	name  string // by which it is launched
	entry uint64
}

// Name is the kernel's name.
func (f *Function) Name() string { return f.name }

// Binary is the image the function is of.
func (f *Function) Binary() *Binary { return f.bin }

func (t *Thread) function(call string, f *Function) error {
	switch {
	case f == nil:
		return fail(ParamInvalid, call, "got a null function")
	case f.bin == nil:
		return fail(InvalidHandle, call, "got a function that %s does not have", t.p.name)
	}
	return t.binary(call, f.bin)
}

// BinaryGetFunction finds a kernel by name. KernelLookup, listing the names,
// when there is none.
func (t *Thread) BinaryGetFunction(b *Binary, name string) (*Function, error) {
	const call = "aclrtBinaryGetFunction"
	if err := t.enter(call); err != nil {
		return nil, err
	}
	if err := t.binary(call, b); err != nil {
		return nil, err
	}
	return t.find(call, b, name)
}

func (t *Thread) find(call string, b *Binary, name string) (*Function, error) {
	if f := b.funcs[name]; f != nil {
		return f, nil
	}
	k, err := b.bin.Function(name)
	if err != nil {
		return nil, wrap(KernelLookup, call, err)
	}
	return t.newFunction(call, b, k, name)
}

func (t *Thread) newFunction(call string, b *Binary, k *kernel.Function, name string) (*Function, error) {
	if err := b.place(call); err != nil {
		return nil, err
	}
	f := &Function{bin: b, fn: k, name: name}
	for i, x := range b.bin.Functions() {
		if x == k {
			f.entry = uint64(i)
		}
	}
	b.funcs[name] = f
	t.p.rt.functions.add(f, t.p.rt.now())
	return f, nil
}

// BinaryGetFunctionByEntry finds a kernel by its number in the image.
func (t *Thread) BinaryGetFunctionByEntry(b *Binary, entry uint64) (*Function, error) {
	const call = "aclrtBinaryGetFunctionByEntry"
	if err := t.enter(call); err != nil {
		return nil, err
	}
	if err := t.binary(call, b); err != nil {
		return nil, err
	}
	all := b.bin.Functions()
	if entry >= uint64(len(all)) {
		return nil, fail(KernelLookup, call, "got entry %d, want 0 to %d", entry, len(all)-1)
	}
	return t.find(call, b, all[entry].Name)
}

// RegisterCpuFunc makes a handle on an AI CPU function of an image. Errors:
// ParamInvalid for an image or a function without code for AI CPUs, KernelLookup,
// KernelDuplicate.
func (t *Thread) RegisterCpuFunc(b *Binary, function, kernelName string) (*Function, error) {
	const call = "aclrtRegisterCpuFunc"
	if err := t.enter(call); err != nil {
		return nil, err
	}
	if err := t.binary(call, b); err != nil {
		return nil, err
	}
	if kernelName == "" {
		return nil, fail(ParamInvalid, call, "got no kernel name")
	}
	k, err := b.bin.Function(function)
	switch {
	case err != nil:
		return nil, wrap(KernelLookup, call, err)
	case !k.Runs(kernel.AICPU):
		return nil, fail(ParamInvalid, call, "function %s has no code for AI CPUs", function)
	case b.funcs[kernelName] != nil:
		return nil, fail(KernelDuplicate, call, "kernel %s is registered", kernelName)
	}
	return t.newFunction(call, b, k, kernelName)
}

// codeAlign is the distance of two functions in the image's address space, as
// GetFunctionAddr shows it.
const codeAlign = 64

// GetFunctionAddr is where the cube and the vector part of a kernel start, 0
// for a part that is not there.
func (t *Thread) GetFunctionAddr(f *Function) (aic, aiv mem.Addr, err error) {
	const call = "aclrtGetFunctionAddr"
	if err := t.enter(call); err != nil {
		return 0, 0, err
	}
	if err := t.function(call, f); err != nil {
		return 0, 0, err
	}
	aic, aiv = f.addrs()
	return aic, aiv, nil
}

func (f *Function) addrs() (aic, aiv mem.Addr) {
	at := f.bin.space.Add(int64(f.entry) * codeAlign)
	if f.fn.Runs(kernel.CubeCore) {
		aic = at
	}
	if f.fn.Runs(kernel.VectorCore) {
		aiv = at
	}
	return aic, aiv
}

// GetFunctionName is the kernel's name; ParamInvalid when it does not fit in
// room bytes with its terminator.
func (t *Thread) GetFunctionName(f *Function, room int) (string, error) {
	const call = "aclrtGetFunctionName"
	if err := t.enter(call); err != nil {
		return "", err
	}
	if err := t.function(call, f); err != nil {
		return "", err
	}
	if len(f.name)+1 > room {
		return "", fail(ParamInvalid, call, "got room for %d bytes, want %d", room, len(f.name)+1)
	}
	return f.name, nil
}
