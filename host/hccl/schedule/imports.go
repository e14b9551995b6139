package schedule

import (
	"math"

	"hsim/abi"
	"hsim/host/hccl"
	"hsim/host/wasm"
)

// imports put steps onto the tape of the rank that is called for. The first wrong
// step returns a status; a plugin that goes on emitting then is ended.
var imports = map[string]wasm.Import{
	"send": emit(func(t *hccl.Tape, s []uint64) error {
		return t.Send(loc(s[0], s[1]), long(s[2]), word(s[3]), word(s[4]), word(s[5]))
	}),
	"receive": emit(func(t *hccl.Tape, s []uint64) error {
		return t.Receive(loc(s[0], s[1]), long(s[2]), false, word(s[3]), word(s[4]), word(s[5]))
	}),
	"receive_reduce": emit(func(t *hccl.Tape, s []uint64) error {
		return t.Receive(loc(s[0], s[1]), long(s[2]), true, word(s[3]), word(s[4]), word(s[5]))
	}),
	"copy": emit(func(t *hccl.Tape, s []uint64) error {
		return t.Local(loc(s[0], s[1]), loc(s[2], s[3]), long(s[4]), false, word(s[5]))
	}),
	"reduce": emit(func(t *hccl.Tape, s []uint64) error {
		return t.Local(loc(s[0], s[1]), loc(s[2], s[3]), long(s[4]), true, word(s[5]))
	}),
	"sync": emit(func(t *hccl.Tape, s []uint64) error { return t.Sync(word(s[0]), word(s[1])) }),
}

func emit(step func(*hccl.Tape, []uint64) error) wasm.Import {
	return func(c *wasm.CallCtx, stack []uint64) {
		t, ok := c.Data.(*hccl.Tape)
		if !ok {
			stack[0] = status(abi.State) // a constructor, or hsim_buffer
			return
		}
		if err := t.Err(); err != nil {
			c.Abort(err)
		}
		result := abi.OK
		if err := step(t, stack); err != nil {
			result = abi.Invalid
		}
		stack[0] = status(result)
	}
}

func status(s abi.Status) uint64 { return uint64(uint32(s)) }

// word takes a 32-bit argument off the stack, whose upper half is garbage.
func word(v uint64) int { return int(uint32(v)) }

// long takes a 64-bit argument; what no buffer has room for becomes negative.
func long(v uint64) int64 {
	if v > math.MaxInt64 {
		return -1
	}
	return int64(v)
}

func loc(buffer, off uint64) hccl.Loc {
	return hccl.Loc{Buf: hccl.Buf(min(uint32(buffer), math.MaxUint8)), Off: long(off)}
}
