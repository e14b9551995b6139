package acl

import (
	"crypto/sha256"
	"os"
	"path/filepath"
	"strings"

	"hsim/abi"
	"hsim/host/kernel"
	"hsim/host/mem"
)

// BinaryImage is the host-side descriptor of a kernel image.
type BinaryImage struct {
	name string
	data []byte
	dead bool
}

// Binary is a kernel image loaded on a device.
type Binary struct {
	id    int
	ctx   *Context
	bin   *kernel.Binary
	space mem.Addr // what the image takes of device memory
	funcs map[string]*Function
	dead  bool
}

// ID is the handle's number in the simulation.
func (b *Binary) ID() int { return b.id }

// Functions lists the functions of the image by name.
func (b *Binary) Functions() []*kernel.Function { return b.bin.Functions() }

// Function is a handle on one kernel of a loaded image.
type Function struct {
	bin   *Binary
	fn    *kernel.Function
	name  string
	entry uint64
}

// Name is the kernel's name.
func (f *Function) Name() string { return f.name }

// Binary is the image the function is of.
func (f *Function) Binary() *Binary { return f.bin }

// CreateBinary describes an image; it does not touch a device. nil without data.
func (t *Thread) CreateBinary(data []byte) *BinaryImage {
	t.pay()
	if len(data) == 0 {
		return nil
	}
	return &BinaryImage{name: "binary", data: data}
}

// DestroyBinary frees a descriptor; what was loaded from it stays.
func (t *Thread) DestroyBinary(b *BinaryImage) error {
	t.pay()
	if b == nil || b.dead {
		return fail(ParamInvalid, "aclrtDestroyBinary", "got no live binary")
	}
	b.dead = true
	return nil
}

// BinaryLoad loads a described image on the current device.
func (t *Thread) BinaryLoad(b *BinaryImage) (*Binary, error) {
	if b == nil || b.dead {
		t.pay()
		return nil, fail(ParamInvalid, "aclrtBinaryLoad", "got no live binary")
	}
	return t.load("aclrtBinaryLoad", b.name, b.data)
}

// BinaryLoadFromData loads an image from memory.
func (t *Thread) BinaryLoadFromData(name string, data []byte) (*Binary, error) {
	return t.load("aclrtBinaryLoadFromData", name, data)
}

// BinaryLoadFromFile loads an image from a file. FileOpen when it cannot be read.
func (t *Thread) BinaryLoadFromFile(path string) (*Binary, error) {
	const call = "aclrtBinaryLoadFromFile"
	data, err := os.ReadFile(path)
	if err != nil {
		t.pay()
		return nil, wrap(FileOpen, call, err)
	}
	return t.load(call, strings.TrimSuffix(filepath.Base(path), ".wasm"), data)
}

func (t *Thread) load(call, name string, data []byte) (*Binary, error) {
	t.pay()
	c, err := t.context(call)
	if err != nil {
		return nil, err
	}
	r := t.p.rt
	k, err := r.kernels(name, data)
	if err != nil {
		return nil, wrap(ParamInvalid, call, err)
	}
	a, err := r.mem.Alloc(mem.AllocSpec{Device: c.use.dev.Index(), Size: int64(max(1, k.Size())), Pid: t.p.pid, Ctx: c.id, Kind: mem.KindTs, Name: "image of " + name})
	if err != nil {
		return nil, resource(call, err)
	}
	r.binaries++
	return &Binary{id: r.binaries, ctx: c, bin: k, space: a, funcs: map[string]*Function{}}, nil
}

// kernels compiles an image once per simulation.
func (r *Runtime) kernels(name string, data []byte) (*kernel.Binary, error) {
	if r.conf.Wasm == nil {
		return nil, FeatureNotSupport
	}
	key := sha256.Sum256(data)
	if k := r.images[key]; k != nil {
		return k, nil
	}
	m, err := r.conf.Wasm.Load(name, data, abi.Kernel)
	if err != nil {
		return nil, err
	}
	k, err := kernel.NewBinary(m, len(data))
	if err != nil {
		return nil, err
	}
	r.images[key] = k
	return k, nil
}

func (t *Thread) binary(call string, b *Binary) error {
	switch {
	case b == nil:
		return fail(ParamInvalid, call, "got a null binary handle")
	case b.dead:
		return fail(InvalidHandle, call, "binary %d was unloaded", b.id)
	case b.ctx.p != t.p:
		return fail(ParamInvalid, call, "binary %d belongs to %s", b.id, b.ctx.p.name)
	}
	return nil
}

// BinaryUnLoad unloads an image; its functions become invalid.
func (t *Thread) BinaryUnLoad(b *Binary) error {
	t.pay()
	if err := t.binary("aclrtBinaryUnLoad", b); err != nil {
		return err
	}
	b.dead = true
	return t.done("aclrtBinaryUnLoad", t.p.rt.mem.Free(b.space))
}

// BinaryGetFunction finds a kernel by name. KernelLookup, listing the names,
// when there is none.
func (t *Thread) BinaryGetFunction(b *Binary, name string) (*Function, error) {
	const call = "aclrtBinaryGetFunction"
	t.pay()
	if err := t.binary(call, b); err != nil {
		return nil, err
	}
	if f := b.funcs[name]; f != nil {
		return f, nil
	}
	k, err := b.bin.Function(name)
	if err != nil {
		return nil, wrap(KernelLookup, call, err)
	}
	f := &Function{bin: b, fn: k, name: name}
	for i, x := range b.bin.Functions() {
		if x == k {
			f.entry = uint64(i)
		}
	}
	b.funcs[name] = f
	return f, nil
}

// BinaryGetFunctionByEntry finds a kernel by its number in the image.
func (t *Thread) BinaryGetFunctionByEntry(b *Binary, entry uint64) (*Function, error) {
	const call = "aclrtBinaryGetFunctionByEntry"
	if err := t.binary(call, b); err != nil {
		t.pay()
		return nil, err
	}
	all := b.bin.Functions()
	if entry >= uint64(len(all)) {
		t.pay()
		return nil, fail(KernelLookup, call, "got entry %d, want 0 to %d", entry, len(all)-1)
	}
	return t.BinaryGetFunction(b, all[entry].Name)
}

// RegisterCpuFunc makes a handle on an AI CPU function of an image.
func (t *Thread) RegisterCpuFunc(b *Binary, function, kernelName string) (*Function, error) {
	const call = "aclrtRegisterCpuFunc"
	t.pay()
	if err := t.binary(call, b); err != nil {
		return nil, err
	}
	k, err := b.bin.Function(function)
	if err == nil && !k.Runs(kernel.AICPU) {
		err = fail(KernelLookup, call, "function %s has no code for AI CPUs", function)
	}
	if err != nil {
		return nil, wrap(KernelLookup, call, err)
	}
	if b.funcs[kernelName] != nil {
		return nil, fail(KernelDuplicate, call, "kernel %s is registered", kernelName)
	}
	f := &Function{bin: b, fn: k, name: kernelName}
	b.funcs[kernelName] = f
	return f, nil
}

// codeAlign is the distance of two functions in the image's address space, as
// GetFunctionAddr shows it.
const codeAlign = 64

// GetFunctionAddr is where the cube and the vector part of a kernel start, 0
// for a part that is not there.
func (t *Thread) GetFunctionAddr(f *Function) (aic, aiv mem.Addr, err error) {
	const call = "aclrtGetFunctionAddr"
	t.pay()
	if f == nil {
		return 0, 0, fail(ParamInvalid, call, "got a null function")
	}
	if err := t.binary(call, f.bin); err != nil {
		return 0, 0, err
	}
	at := f.bin.space.Add(int64(f.entry) * codeAlign)
	if f.fn.Runs(kernel.CubeCore) {
		aic = at
	}
	if f.fn.Runs(kernel.VectorCore) {
		aiv = at
	}
	return aic, aiv, nil
}

// GetFunctionName is the kernel's name; ParamInvalid when it does not fit in
// room bytes with its terminator.
func (t *Thread) GetFunctionName(f *Function, room int) (string, error) {
	const call = "aclrtGetFunctionName"
	t.pay()
	if f == nil {
		return "", fail(ParamInvalid, call, "got a null function")
	}
	if len(f.name)+1 > room {
		return "", fail(ParamInvalid, call, "got room for %d bytes, want %d", room, len(f.name)+1)
	}
	return f.name, nil
}
