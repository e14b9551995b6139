package wasm

import (
	"context"
	"fmt"
	"time"
)

// Import is the host's side of an imported function. Arguments are in stack in order; the result goes to stack[0]. Take
// 32-bit arguments as int32 or uint32 of the value: the upper half is garbage. It must not call into the same instance.
type Import = func(c *CallCtx, stack []uint64)

// CallCtx is what an Import learns about the call it serves. Each Func has its own.
type CallCtx struct {
	In   *Instance
	Func *Func // nil while the instance starts
	Data any   // the caller's, copied from InstanceConfig.Data; a Func's may be replaced between calls

	values context.Context // only while the instance starts
}

// CallCtx passes through wazero as the context of a call; it never ends.
var _ context.Context = (*CallCtx)(nil)

// Deadline implements context.Context: there is none.
func (*CallCtx) Deadline() (t time.Time, ok bool) { return t, false }

// Done implements context.Context: never.
func (*CallCtx) Done() <-chan struct{} { return nil }

// Err implements context.Context: nil.
func (*CallCtx) Err() error { return nil }

// Value implements context.Context: nothing, except what wazero looks for while the instance starts.
func (c *CallCtx) Value(key any) any {
	if c.values != nil {
		return c.values.Value(key)
	}
	return nil
}

// Abort ends the guest's call from inside an Import; Func.Call returns a Trap with reason Aborted that wraps err.
func (c *CallCtx) Abort(err error) { panic(&abort{err}) }

// Text returns a copy of n bytes of guest memory at ptr as a string, for messages: what lies outside memory is said
// instead.
func (c *CallCtx) Text(ptr, n uint64) string {
	b, err := c.In.Bytes(uint32(ptr), uint32(n))
	if err != nil {
		return fmt.Sprintf("(text at %#x, %d bytes: outside memory)", uint32(ptr), uint32(n))
	}
	const most = 4096
	if len(b) > most {
		b = b[:most]
	}
	return string(b)
}

type abort struct{ err error }

func (a *abort) Error() string { return a.err.Error() }
func (a *abort) Unwrap() error { return a.err }
