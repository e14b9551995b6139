package guest

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math"

	"hsim/abi"
	"hsim/host/acl"
	"hsim/host/mem"
	"hsim/host/wasm"
)

// call is one call of an import: its arguments, as the program passed them, and what the functions of this package need to
// answer it. It lives on the stack.
type call struct {
	t    *thread
	a    []uint64
	name string // as the program calls it
	ctx  *wasm.CallCtx
}

// answer carries out a call and returns its result.
type answer func(c call) uint32

// imports binds the functions of every group by all their names.
func imports() map[string]wasm.Import {
	answers := map[string]answer{}
	for _, group := range []map[string]answer{deviceAnswers, contextAnswers, streamAnswers, captureAnswers, memoryAnswers, copyAnswers, vmmAnswers, shareAnswers,
		ipcAnswers, notifyAnswers, eventAnswers, callbackAnswers, kernelAnswers, argsAnswers, ccuAnswers, commAnswers, collectiveAnswers} {
		for name, f := range group {
			answers[name] = f
		}
	}
	out := map[string]wasm.Import{}
	for name, f := range sysImports {
		out[name] = f
	}
	for _, f := range abi.Lookup(abi.Program).Imports {
		name := f.Name
		if f.Real != "" {
			name = f.Real
		}
		if a := answers[name]; a != nil {
			out[f.Name] = bind(a, f.Name)
		}
	}
	return out
}

// bind makes an import of an answer. Every call may block, so the stack pointer is saved, and the memory's place told.
func bind(f answer, name string) wasm.Import {
	return func(ctx *wasm.CallCtx, a []uint64) {
		t := ctx.Data.(*thread)
		t.checkStack(ctx)
		r := t.block()
		code := f(call{t, a, name, ctx})
		r.resume()
		a[0] = uint64(code)
	}
}

// checkStack ends the process when the calling thread has run over its stack: whatever lay below is spoilt.
func (t *thread) checkStack(ctx *wasm.CallCtx) {
	if t.overrun() {
		ctx.Abort(fmt.Errorf("guest: %v has used up its stack (pthread_attr_setstacksize gives it more)", t))
	}
}

// code turns the outcome of a runtime call into its return code and keeps what was wrong.
func (c call) code(err error) uint32 {
	if err == nil {
		return 0
	}
	return c.failed(uint32(acl.CodeOf(err)), err)
}

// timed is code for a call with a time-out in milliseconds.
func (c call) timed(ms int32, f func() error) uint32 {
	if ms <= 0 {
		return c.code(f())
	}
	var err error
	c.t.timed(func() bool {
		err = f()
		switch acl.CodeOf(err) {
		case acl.StreamSyncTimeout, acl.EventSyncTimeout, acl.ReportTimeout:
			return false
		}
		return true
	})
	return c.code(err)
}

func (c call) failed(code uint32, err error) uint32 {
	c.t.failure = err
	if p := c.t.p; p.verbose {
		p.print(Stderr, fmt.Sprintf("[ERROR] %v", err))
	}
	return code
}

// bad is a code of the runtime for what this package finds wrong.
func (c call) bad(code acl.Code, format string, args ...any) uint32 {
	return c.code(&acl.Error{Code: code, Call: c.name, Text: fmt.Sprintf(format, args...)})
}

func (c call) null(what string) uint32 { return c.bad(acl.ParamInvalid, "%s is null", what) }

// The arguments by place.
func (c call) u32(i int) uint32 { return uint32(c.a[i]) }
func (c call) i32(i int) int32  { return int32(c.a[i]) }
func (c call) u64(i int) uint64 { return c.a[i] }
func (c call) size(i int) int64 { return int64(uint32(c.a[i])) }

// flags is a 64-bit argument of which the runtime knows 32 bits; what does not fit becomes a value that is refused.
func (c call) flags(i int) uint32 { return uint32(min(c.a[i], math.MaxUint32)) }

// bytes is memory of the program; nil when it is not all there.
func (c call) bytes(at, n uint32) []byte {
	b, err := c.t.p.in.Bytes(at, n)
	if err != nil || at == 0 {
		return nil
	}
	return b
}

// out says whether the program gave a place for n bytes of result.
func (c call) out(i int, n uint32) bool { return c.bytes(c.u32(i), n) != nil }

// noOut is the answer to a result pointer that is null or wild.
func (c call) noOut(i int) uint32 {
	f := c.declared()
	if at := c.u32(i); at != 0 {
		return c.bad(acl.ParamInvalid, "%s points to %#x, outside the program's memory", f.Args[i].Name, at)
	}
	return c.null(f.Args[i].Name)
}

func (c call) declared() *abi.Func { return abi.Lookup(abi.Program).Import(c.name) }

// set writes a result where out has looked before. Calls in between may have moved the memory.
func (c call) set(i int, v uint32) uint32 {
	binary.LittleEndian.PutUint32(c.bytes(c.u32(i), 4), v)
	return 0
}

func (c call) set64(i int, v uint64) uint32 {
	binary.LittleEndian.PutUint64(c.bytes(c.u32(i), 8), v)
	return 0
}

// word reads 32 bits of the program's memory, 0 where there is none.
func (c call) word(at uint32) uint32 {
	if b := c.bytes(at, 4); b != nil {
		return binary.LittleEndian.Uint32(b)
	}
	return 0
}

func (c call) long(at uint32) uint64 {
	if b := c.bytes(at, 8); b != nil {
		return binary.LittleEndian.Uint64(b)
	}
	return 0
}

// longestText bounds what is taken for a text of the program.
const longestText = 4096

// text reads a C string; ok is false for a null or wild pointer and for one without an end.
func (c call) text(at uint32) (string, bool) {
	all := c.t.p.in.Memory()
	if at == 0 || uint64(at) >= uint64(len(all)) {
		return "", false
	}
	b := all[at:min(uint64(len(all)), uint64(at)+longestText)]
	n := bytes.IndexByte(b, 0)
	if n < 0 {
		return "", false
	}
	return string(b[:n]), true
}

// putText writes a C string into n bytes at at, where out has looked before.
func (c call) putText(at uint32, text string) {
	if b := c.bytes(at, uint32(len(text)+1)); b != nil {
		copy(b, text)
		b[len(text)] = 0
	}
}

// list reads n 32-bit integers; nil when they are not all there.
func (c call) list(at uint32, n int64) []int {
	if n <= 0 || n > 1<<20 {
		return nil
	}
	b := c.bytes(at, uint32(n)*4)
	if b == nil {
		return nil
	}
	out := make([]int, n)
	for i := range out {
		out[i] = int(int32(binary.LittleEndian.Uint32(b[4*i:])))
	}
	return out
}

// addr is the address of n bytes behind a pointer of the program, to device or host memory.
func (c call) addr(i int, n int64) mem.Addr { return c.t.p.addr(c.u32(i), n) }

func (p *Process) addr(ptr uint32, n int64) mem.Addr {
	if ptr >= windowBase {
		return p.window.addr(ptr)
	}
	if ptr == 0 {
		return 0
	}
	return p.host.addr(ptr, n)
}

// Handles.

func (c call) handle(i int) acl.Handle { return acl.Handle(c.u32(i)) }

func (c call) stream(i int) *acl.Stream   { return c.t.p.acl.StreamOf(c.handle(i)) }
func (c call) event(i int) *acl.Event     { return c.t.p.acl.EventOf(c.handle(i)) }
func (c call) notify(i int) *acl.Notify   { return c.t.p.acl.NotifyOf(c.handle(i)) }
func (c call) context(i int) *acl.Context { return c.t.p.acl.ContextOf(c.handle(i)) }

// expose gives the program a pointer to n bytes of the simulation; the error says how full its window is.
func (c call) expose(a mem.Addr, n int64) (uint32, error) {
	p := c.t.p
	if at, ok := p.window.add(a, n); ok {
		return at, nil
	}
	return 0, &acl.Error{Code: acl.MemoryAllocation, Call: c.name, Text: fmt.Sprintf(
		"%d bytes do not fit into the program's window of device addresses, whose largest piece has %d bytes left of %d (a 32-bit program sees 2 GiB; larger sizes run from Go or as [[run]] op)",
		n, p.window.free.largest(), int64(windowSize))}
}
