package wasm

import (
	"fmt"

	"github.com/tetratelabs/wazero/api"

	"hsim/abi"
)

// Func is one exported function of one instance, with the stack it runs on (10 KiB). It takes one call at a time; calls
// that overlap, because an import blocks, each need their own Func.
type Func struct {
	in    *Instance
	fn    api.Function
	name  string
	ctx   CallCtx
	stack []uint64
	args  int
	rets  int
	busy  bool

	pointer bool // of the table, not an export
}

// Func looks an export up. That takes microseconds: do it once. A pattern export is asked for by its full name.
func (in *Instance) Func(name string) (*Func, error) {
	fn := in.wz.ExportedFunction(name)
	if fn == nil {
		return nil, fmt.Errorf("wasm: plugin %s: got no export %s, want one of %v", in.mod.name, name, in.mod.exportNames())
	}
	def := fn.Definition()
	f := &Func{in: in, fn: fn, name: name, args: len(def.ParamTypes()), rets: len(def.ResultTypes())}
	f.stack = make([]uint64, max(f.args, f.rets, 1))
	f.ctx = CallCtx{In: in, Func: f, Data: in.cfg.Data}
	return f, nil
}

// Name returns the export's name.
func (f *Func) Name() string { return f.name }

// Ctx returns what imports see while f runs; set its Data before a call.
func (f *Func) Ctx() *CallCtx { return &f.ctx }

// Call runs the function with args and returns its first result, 0 when it has none. It does not allocate. A failure of
// the guest is a *Trap; the instance may be called again. Results of 32 bits are zero- or garbage-extended: convert them
// with int32 or uint32.
func (f *Func) Call(args ...uint64) (uint64, error) {
	if len(args) != f.args || f.busy {
		return 0, f.misuse(len(args))
	}
	copy(f.stack, args)
	f.busy = true
	err := f.fn.CallWithStack(&f.ctx, f.stack)
	f.busy = false
	if err != nil {
		return 0, f.failed(err)
	}
	return f.stack[0], nil
}

// Status runs the function and takes its result as an abi.Status: a negative one becomes an error.
func (f *Func) Status(args ...uint64) error {
	r, err := f.Call(args...)
	if err != nil {
		return err
	}
	if s := abi.Status(int32(r)); s != abi.OK && f.rets > 0 {
		return fmt.Errorf("wasm: plugin %s: function %s: got status %d (%s)", f.in.mod.name, f.name, int32(s), s)
	}
	return nil
}

func (f *Func) misuse(n int) error {
	if f.busy {
		return fmt.Errorf("wasm: plugin %s: function %s: got a call while one is under way, want a Func for each", f.in.mod.name, f.name)
	}
	return fmt.Errorf("wasm: plugin %s: function %s: got %d arguments, want %d", f.in.mod.name, f.name, n, f.args)
}

// failed makes a Trap of err and puts the instance in order for the next call.
func (f *Func) failed(err error) error {
	in := f.in
	t := in.trap(f.name, err)
	if in.stack != nil {
		in.stack.Set(in.rest)
	}
	if t.Reason == StackOverflow && !f.pointer {
		// The stack has grown to hundreds of MiB; a new Function starts small.
		f.fn = in.wz.ExportedFunction(f.name)
	}
	return t
}
