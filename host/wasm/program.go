package wasm

import (
	"fmt"

	"github.com/tetratelabs/wazero/api"
	"github.com/tetratelabs/wazero/experimental/table"

	"hsim/abi"
)

// What programs need beside calls of exports: function pointers, stacks of threads, and memory that the host hands out.

// TableFunc returns the function behind a C function pointer: entry index of the module's first table. Its name in reports
// is name. An entry that is empty, out of range or of another signature is an error. Like every Func it takes one call at a
// time; it has no gate, so the caller's steps go on being counted.
func (in *Instance) TableFunc(name string, index uint32, params, results []abi.ValType) (f *Func, err error) {
	defer func() {
		if r := recover(); r != nil { // how the engine reports a pointer that cannot be called
			f, err = nil, fmt.Errorf("wasm: program %s: %s: got function pointer %d, want one of signature %s (%v)",
				in.mod.name, name, index, abi.Signature(params, results), r)
		}
	}()
	fn := table.LookupFunction(in.wz, 0, index, valTypes(params), valTypes(results))
	f = &Func{in: in, fn: fn, name: name, args: len(params), rets: len(results), pointer: true}
	f.stack = make([]uint64, max(f.args, f.rets, 1))
	f.ctx = CallCtx{In: in, Func: f, Data: in.cfg.Data}
	return f, nil
}

// Stack returns the guest's stack pointer, for callers that let calls of one instance overlap: each has its own stack, and
// SetStack puts its pointer back before the guest goes on. ok is false for a module that has none that can be found.
func (in *Instance) Stack() (sp uint32, ok bool) {
	if in.stack == nil {
		return 0, false
	}
	return api.DecodeU32(in.stack.Get()), true
}

// SetStack sets the guest's stack pointer.
func (in *Instance) SetStack(sp uint32) {
	if in.stack != nil {
		in.stack.Set(uint64(sp))
	}
}

// Grow adds n bytes, rounded up to pages, at the end of the guest's memory and returns where they begin; ok is false when
// the limit does not allow it. A guest takes them for its own only if it asks for them, so they are the host's to give away.
func (in *Instance) Grow(n uint32) (at uint32, ok bool) {
	pages := uint32((uint64(n) + PageSize - 1) / PageSize)
	before, ok := in.wz.Memory().Grow(pages)
	return before * PageSize, ok
}

// Memory returns the guest's memory; its capacity is what can be reached before the memory moves.
func (in *Instance) Memory() []byte { return in.mem.buf }
