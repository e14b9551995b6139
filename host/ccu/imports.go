package ccu

import (
	"fmt"

	"hsim/host/mem"
	"hsim/host/wasm"
)

// imports is the host's side of hsim_ccu_v1: each import records one operation
// in the Recorder that is the call's data. What the recorder refuses ends the
// recording, so the status a program sees is never negative.
func imports() map[string]wasm.Import {
	out := map[string]wasm.Import{}
	for name, f := range importTable() {
		out[name] = func(c *wasm.CallCtx, a []uint64) {
			r, _ := c.Data.(*Recorder)
			if r == nil {
				c.Abort(fmt.Errorf("%s: got a call outside the recording function", name))
			}
			id := f(r, c, a)
			if r.err != nil {
				c.Abort(r.err)
			}
			a[0] = uint64(uint32(id))
		}
	}
	return out
}

type importFunc func(r *Recorder, c *wasm.CallCtx, a []uint64) int32

// nothing makes an import of an operation that returns no identifier.
func nothing(f func(r *Recorder, a []uint64)) importFunc {
	return func(r *Recorder, _ *wasm.CallCtx, a []uint64) int32 {
		f(r, a)
		return 0
	}
}

// names makes an import of one that does.
func names(f func(r *Recorder, a []uint64) int32) importFunc {
	return func(r *Recorder, _ *wasm.CallCtx, a []uint64) int32 { return f(r, a) }
}

func u32(v uint64) uint32 { return uint32(v) }
func s32(v uint64) int32  { return int32(v) }

func memAt(a []uint64) Mem   { return Mem{s32(a[0]), s32(a[1])} }
func doneAt(a []uint64) Done { return Done{s32(a[0]), u32(a[1])} }

// dtype and operator keep numbers that fit no byte from turning into valid ones.
func dtype(v uint64) mem.Dtype { return mem.Dtype(min(uint32(v), 255)) }
func operator(v uint64) mem.Op { return mem.Op(min(uint32(v), 255)) }

func importTable() map[string]importFunc {
	t := map[string]importFunc{
		"variables": names(func(r *Recorder, a []uint64) int32 { return r.Variables(u32(a[0])) }),
		"addresses": names(func(r *Recorder, a []uint64) int32 { return r.Addresses(u32(a[0])) }),
		"events":    names(func(r *Recorder, a []uint64) int32 { return r.Events(u32(a[0])) }),
		"buffers":   names(func(r *Recorder, a []uint64) int32 { return r.Buffers(u32(a[0])) }),
		"channel_variable": names(func(r *Recorder, a []uint64) int32 {
			return r.ChannelVariable(u32(a[0]), u32(a[1]))
		}),

		"load_arg":            nothing(func(r *Recorder, a []uint64) { r.LoadArg(s32(a[0]), u32(a[1])) }),
		"set":                 nothing(func(r *Recorder, a []uint64) { r.Set(s32(a[0]), a[1]) }),
		"move":                nothing(func(r *Recorder, a []uint64) { r.Move(s32(a[0]), s32(a[1])) }),
		"add":                 nothing(func(r *Recorder, a []uint64) { r.Add(s32(a[0]), s32(a[1]), s32(a[2])) }),
		"address_set":         nothing(func(r *Recorder, a []uint64) { r.AddressSet(s32(a[0]), a[1]) }),
		"address_move":        nothing(func(r *Recorder, a []uint64) { r.AddressMove(s32(a[0]), s32(a[1])) }),
		"address_from":        nothing(func(r *Recorder, a []uint64) { r.AddressFrom(s32(a[0]), s32(a[1])) }),
		"address_add":         nothing(func(r *Recorder, a []uint64) { r.AddressAdd(s32(a[0]), s32(a[1]), s32(a[2])) }),
		"address_add_address": nothing(func(r *Recorder, a []uint64) { r.AddressAddAddress(s32(a[0]), s32(a[1]), s32(a[2])) }),

		"read": nothing(func(r *Recorder, a []uint64) { r.Read(u32(a[0]), memAt(a[1:]), memAt(a[3:]), s32(a[5]), doneAt(a[6:])) }),
		"write": nothing(func(r *Recorder, a []uint64) {
			r.Write(u32(a[0]), memAt(a[1:]), memAt(a[3:]), s32(a[5]), doneAt(a[6:]))
		}),
		"read_buffer": nothing(func(r *Recorder, a []uint64) {
			r.ReadBuffer(u32(a[0]), s32(a[1]), memAt(a[2:]), s32(a[4]), doneAt(a[5:]))
		}),
		"write_buffer": nothing(func(r *Recorder, a []uint64) {
			r.WriteBuffer(u32(a[0]), memAt(a[1:]), s32(a[3]), s32(a[4]), doneAt(a[5:]))
		}),
		"read_reduce": nothing(func(r *Recorder, a []uint64) {
			r.ReadReduce(u32(a[0]), memAt(a[1:]), memAt(a[3:]), s32(a[5]), dtype(a[6]), operator(a[7]), doneAt(a[8:]))
		}),
		"write_reduce": nothing(func(r *Recorder, a []uint64) {
			r.WriteReduce(u32(a[0]), memAt(a[1:]), memAt(a[3:]), s32(a[5]), dtype(a[6]), operator(a[7]), doneAt(a[8:]))
		}),
		"local_copy":     nothing(func(r *Recorder, a []uint64) { r.LocalCopy(memAt(a), memAt(a[2:]), s32(a[4]), doneAt(a[5:])) }),
		"local_copy_in":  nothing(func(r *Recorder, a []uint64) { r.LocalCopyIn(s32(a[0]), memAt(a[1:]), s32(a[3]), doneAt(a[4:])) }),
		"local_copy_out": nothing(func(r *Recorder, a []uint64) { r.LocalCopyOut(memAt(a), s32(a[2]), s32(a[3]), doneAt(a[4:])) }),
		"local_reduce": nothing(func(r *Recorder, a []uint64) {
			r.LocalReduce(memAt(a), memAt(a[2:]), s32(a[4]), dtype(a[5]), operator(a[6]), doneAt(a[7:]))
		}),
		"buffer_reduce": nothing(func(r *Recorder, a []uint64) {
			r.BufferReduce(s32(a[0]), u32(a[1]), dtype(a[2]), dtype(a[3]), operator(a[4]), s32(a[5]), doneAt(a[6:]))
		}),
		"load":  nothing(func(r *Recorder, a []uint64) { r.Load(s32(a[0]), memAt(a[1:]), u32(a[3]), doneAt(a[4:])) }),
		"store": nothing(func(r *Recorder, a []uint64) { r.Store(memAt(a), s32(a[2]), u32(a[3]), doneAt(a[4:])) }),
	}
	for name, f := range flowImports() {
		t[name] = f
	}
	return t
}

func flowImports() map[string]importFunc {
	t := map[string]importFunc{
		"event_record": nothing(func(r *Recorder, a []uint64) { r.EventRecord(s32(a[0]), u32(a[1])) }),
		"event_wait":   nothing(func(r *Recorder, a []uint64) { r.EventWait(s32(a[0]), u32(a[1])) }),
		"tag_record": func(r *Recorder, c *wasm.CallCtx, a []uint64) int32 {
			r.TagRecord(c.Text(a[0], a[1]), u32(a[2]))
			return 0
		},
		"tag_wait": func(r *Recorder, c *wasm.CallCtx, a []uint64) int32 {
			r.TagWait(c.Text(a[0], a[1]), u32(a[2]))
			return 0
		},
		"notify_record": nothing(func(r *Recorder, a []uint64) { r.NotifyRecord(u32(a[0]), u32(a[1]), u32(a[2])) }),
		"notify_wait":   nothing(func(r *Recorder, a []uint64) { r.NotifyWait(u32(a[0]), u32(a[1]), u32(a[2])) }),
		"write_variable_with_notify": nothing(func(r *Recorder, a []uint64) {
			r.WriteVariableWithNotify(u32(a[0]), s32(a[1]), u32(a[2]), u32(a[3]), u32(a[4]))
		}),
		"if_begin":       nothing(func(r *Recorder, a []uint64) { r.IfBegin(s32(a[0]), u32(a[1]), a[2]) }),
		"if_else":        nothing(func(r *Recorder, _ []uint64) { r.IfElse() }),
		"if_end":         nothing(func(r *Recorder, _ []uint64) { r.IfEnd() }),
		"while_begin":    nothing(func(r *Recorder, a []uint64) { r.WhileBegin(s32(a[0]), u32(a[1]), a[2]) }),
		"while_end":      nothing(func(r *Recorder, _ []uint64) { r.WhileEnd() }),
		"do_begin":       nothing(func(r *Recorder, _ []uint64) { r.DoBegin() }),
		"do_end":         nothing(func(r *Recorder, a []uint64) { r.DoEnd(s32(a[0]), u32(a[1]), a[2]) }),
		"function_begin": names(func(r *Recorder, _ []uint64) int32 { return r.FunctionBegin() }),
		"function_end":   nothing(func(r *Recorder, _ []uint64) { r.FunctionEnd() }),
		"call":           nothing(func(r *Recorder, a []uint64) { r.Call(s32(a[0])) }),
		"loop_begin":     names(func(r *Recorder, a []uint64) int32 { return r.LoopBegin(s32(a[0]), s32(a[1])) }),
		"loop_end":       nothing(func(r *Recorder, _ []uint64) { r.LoopEnd() }),
		"loop_group": nothing(func(r *Recorder, a []uint64) {
			r.LoopGroup(Group{s32(a[0]), u32(a[1]), u32(a[2]), s32(a[3]), u32(a[4]), u32(a[5]), s32(a[6]), u32(a[7])})
		}),
	}
	for _, name := range []string{"alu", "alu_const", "sync_add", "variable_wait"} {
		t[name] = nothing(func(r *Recorder, _ []uint64) { r.second(name) })
	}
	return t
}
