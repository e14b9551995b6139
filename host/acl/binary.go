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
	object
	p    *Process
	name string
	file string // "" for one from memory
	data []byte
}

// Binary is a kernel image loaded on a device.
type Binary struct {
	object
	ctx   *Context
	image *BinaryImage
	own   bool // the image was made by the load
	bin   *kernel.Binary
	space mem.Addr // what the image takes of device memory, 0 until a lazy load
	cpu   bool
	funcs map[string]*Function
	busy  int // launches that have not ended
}

// ID is the handle's number in the simulation.
func (b *Binary) ID() int { return b.id }

// Functions lists the functions of the image by name.
func (b *Binary) Functions() []*kernel.Function { return b.bin.Functions() }

// BinaryOption is an option of a load.
type BinaryOption struct {
	ID    int
	Value uint64
}

// The options of a load, and what they may be.
const (
	BinaryLazy    = 1 // 1: the image takes device memory with its first function
	BinaryMagic   = 2 // for which cores: one of the three magics
	BinaryCPUMode = 3 // kernels of AI CPUs; 0 described by JSON, 1 in a library, 2 in this image

	MagicAICore = 0x43554245
	MagicVector = 0x41415246
	MagicCube   = 0x41494343
)

// CreateBinary describes an image; it does not touch a device. nil without data.
func (t *Thread) CreateBinary(data []byte) *BinaryImage {
	t.pay()
	if len(data) == 0 || t.p.state == processFinal {
		return nil
	}
	return t.p.newImage("binary", "", data)
}

func (p *Process) newImage(name, file string, data []byte) *BinaryImage {
	b := &BinaryImage{p: p, name: name, file: file, data: data}
	p.rt.images.add(b, p.rt.now())
	return b
}

func (t *Thread) image(call string, b *BinaryImage) error {
	if err := t.enter(call); err != nil {
		return err
	}
	switch {
	case b == nil:
		return fail(ParamInvalid, call, "got a null binary")
	case b.p != t.p:
		return fail(ParamInvalid, call, "got a binary that %s does not have", t.p.name)
	case b.Gone:
		return fail(ParamInvalid, call, "binary %d was destroyed", b.id)
	}
	return nil
}

// DestroyBinary frees a descriptor; what was loaded from it stays.
func (t *Thread) DestroyBinary(b *BinaryImage) error {
	if err := t.image("aclrtDestroyBinary", b); err != nil {
		return err
	}
	t.p.rt.images.end(b, t.p.rt.now())
	return nil
}

// BinaryLoad loads a described image on the current device. Errors: ContextNull,
// ParamInvalid for a bad image, MemoryAllocation.
func (t *Thread) BinaryLoad(b *BinaryImage) (*Binary, error) {
	const call = "aclrtBinaryLoad"
	if err := t.image(call, b); err != nil {
		return nil, err
	}
	return t.load(call, b, nil)
}

// BinaryLoadFromData loads an image from memory. Errors: as BinaryLoad, and for
// options.
func (t *Thread) BinaryLoadFromData(name string, data []byte, options ...BinaryOption) (*Binary, error) {
	const call = "aclrtBinaryLoadFromData"
	if err := t.enter(call); err != nil {
		return nil, err
	}
	if len(data) == 0 {
		return nil, fail(ParamInvalid, call, "got no data")
	}
	return t.loadOwn(call, name, "", data, options)
}

// BinaryLoadFromFile loads an image from a file. FileOpen when it cannot be read.
func (t *Thread) BinaryLoadFromFile(path string, options ...BinaryOption) (*Binary, error) {
	const call = "aclrtBinaryLoadFromFile"
	if err := t.enter(call); err != nil {
		return nil, err
	}
	if _, err := t.context(call); err != nil {
		return nil, err
	}
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, wrap(FileOpen, call, err)
	}
	return t.loadOwn(call, strings.TrimSuffix(filepath.Base(path), ".wasm"), path, data, options)
}

func (t *Thread) loadOwn(call, name, file string, data []byte, options []BinaryOption) (*Binary, error) {
	if _, err := t.context(call); err != nil {
		return nil, err
	}
	image := t.p.newImage(name, file, data)
	b, err := t.load(call, image, options)
	if err != nil {
		t.p.rt.images.end(image, t.p.rt.now())
		return nil, err
	}
	b.own = true
	return b, nil
}

func (t *Thread) load(call string, image *BinaryImage, options []BinaryOption) (*Binary, error) {
	c, err := t.context(call)
	if err != nil {
		return nil, err
	}
	b := &Binary{ctx: c, image: image, funcs: map[string]*Function{}}
	lazy := false
	for _, o := range options {
		ok := false
		switch o.ID {
		case BinaryLazy:
			lazy, ok = o.Value == 1, o.Value <= 1
		case BinaryMagic:
			ok = o.Value == MagicAICore || o.Value == MagicVector || o.Value == MagicCube
		case BinaryCPUMode:
			b.cpu, ok = true, o.Value <= 2
		}
		if !ok {
			return nil, fail(ParamInvalid, call, "got option %d = %#x, want lazy (1), magic (2) or CPU kernel mode (3) with one of its values", o.ID, o.Value)
		}
	}
	r := t.p.rt
	if b.bin, err = r.kernels(image.name, image.data); err != nil {
		return nil, wrap(ParamInvalid, call, err)
	}
	if !lazy {
		if err := b.place(call); err != nil {
			return nil, err
		}
	}
	r.binaries.add(b, r.now())
	return b, nil
}

// place puts the image into device memory.
func (b *Binary) place(call string) (err error) {
	if b.space != 0 {
		return nil
	}
	size := int64(max(1, b.bin.Size()))
	b.space, err = b.ctx.p.rt.mem.Alloc(mem.AllocSpec{Device: b.ctx.use.dev.Index(), Size: size, Charge: roundUp(size, normalPage), Pid: b.ctx.p.pid,
		Ctx: b.ctx.id, Kind: mem.KindTs, Name: "image of " + b.image.name})
	if err != nil {
		return resource(call, err)
	}
	return nil
}

// kernels compiles an image once per simulation.
func (r *Runtime) kernels(name string, data []byte) (*kernel.Binary, error) {
	if r.conf.Wasm == nil {
		return nil, FeatureNotSupport
	}
	key := sha256.Sum256(data)
	if k := r.compiled[key]; k != nil {
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
	r.compiled[key] = k
	return k, nil
}

func (t *Thread) binary(call string, b *Binary) error {
	switch {
	case b == nil:
		return fail(ParamInvalid, call, "got a null binary handle")
	case b.ctx == nil || b.ctx.p != t.p:
		return fail(InvalidHandle, call, "got a binary handle that %s does not have", t.p.name)
	case b.Gone:
		return fail(InvalidHandle, call, "binary %d was unloaded", b.id)
	}
	return nil
}

// BinaryUnLoad unloads an image; its functions and their arguments become invalid. Errors:
// InvalidHandle; KernelUnregistering while kernels of it are queued or run.
func (t *Thread) BinaryUnLoad(b *Binary) error {
	const call = "aclrtBinaryUnLoad"
	if err := t.enter(call); err != nil {
		return err
	}
	if err := t.binary(call, b); err != nil {
		return err
	}
	if b.busy > 0 {
		return fail(KernelUnregistering, call, "%d kernels of binary %d are queued or run", b.busy, b.id)
	}
	return t.done(call, b.unload())
}

func (b *Binary) unload() (err error) {
	r := b.ctx.p.rt
	r.binaries.end(b, r.now())
	r.functions.live(func(f *Function) {
		if f.bin == b {
			r.functions.end(f, r.now())
		}
	})
	r.args.live(func(a *KernelArgs) {
		if a.f.bin == b {
			a.free()
		}
	})
	if b.own {
		r.images.end(b.image, r.now())
	}
	if b.space != 0 {
		err = r.mem.Free(b.space)
	}
	return err
}
