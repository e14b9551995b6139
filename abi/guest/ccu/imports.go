//go:build wasip1

// Code generated from the tables of package abi by go generate; DO NOT EDIT.

package ccu

import _ "unsafe" // go:wasmimport

// Variables: Take n 64-bit variables; the first identifier, or a negative status, as for the next three.
//
//go:wasmimport hsim_ccu_v1 variables
func Variables(n uint32) int32

// Addresses: Take n addresses.
//
//go:wasmimport hsim_ccu_v1 addresses
func Addresses(n uint32) int32

// Events: Take n events of 16 bits.
//
//go:wasmimport hsim_ccu_v1 events
func Events(n uint32) int32

// Buffers: Take n on-chip buffers of 4096 bytes.
//
//go:wasmimport hsim_ccu_v1 buffers
func Buffers(n uint32) int32

// ChannelVariable: The variable that a channel mirrors on both ends under an index.
//
//go:wasmimport hsim_ccu_v1 channel_variable
func ChannelVariable(channel uint32, index uint32) int32

// LoadArg: Set a variable from a launch argument; before everything else.
//
//go:wasmimport hsim_ccu_v1 load_arg
func LoadArg(variable int32, arg uint32) int32

// Set: Set a variable to a constant.
//
//go:wasmimport hsim_ccu_v1 set
func Set(variable int32, value uint64) int32

// Move: Copy a variable.
//
//go:wasmimport hsim_ccu_v1 move
func Move(variable int32, from int32) int32

// Add: Sum of two variables.
//
//go:wasmimport hsim_ccu_v1 add
func Add(variable int32, a int32, b int32) int32

// AddressSet: Set an address to a constant.
//
//go:wasmimport hsim_ccu_v1 address_set
func AddressSet(addr int32, value uint64) int32

// AddressMove: Copy an address.
//
//go:wasmimport hsim_ccu_v1 address_move
func AddressMove(addr int32, from int32) int32

// AddressFrom: Set an address from a variable.
//
//go:wasmimport hsim_ccu_v1 address_from
func AddressFrom(addr int32, variable int32) int32

// AddressAdd: Sum of an address and a variable.
//
//go:wasmimport hsim_ccu_v1 address_add
func AddressAdd(addr int32, a int32, variable int32) int32

// AddressAddAddress: Sum of two addresses.
//
//go:wasmimport hsim_ccu_v1 address_add_address
func AddressAddAddress(addr int32, a int32, b int32) int32

// Alu: Version 2: hsim_ccu_* of two variables.
//
//go:wasmimport hsim_ccu_v1 alu
func Alu(op uint32, variable int32, a int32, b int32) int32

// AluConst: Version 2: hsim_ccu_* of a variable and a 16-bit constant.
//
//go:wasmimport hsim_ccu_v1 alu_const
func AluConst(op uint32, variable int32, a int32, value uint32) int32

// Read: Peer memory to own memory; n is a variable.
//
//go:wasmimport hsim_ccu_v1 read
func Read(channel uint32, to int32, toToken int32, from int32, fromToken int32, n int32, event int32, mask uint32) int32

// Write: Own memory to peer memory.
//
//go:wasmimport hsim_ccu_v1 write
func Write(channel uint32, to int32, toToken int32, from int32, fromToken int32, n int32, event int32, mask uint32) int32

// ReadBuffer: Peer memory to a buffer.
//
//go:wasmimport hsim_ccu_v1 read_buffer
func ReadBuffer(channel uint32, buffer int32, from int32, fromToken int32, n int32, event int32, mask uint32) int32

// WriteBuffer: A buffer to peer memory.
//
//go:wasmimport hsim_ccu_v1 write_buffer
func WriteBuffer(channel uint32, to int32, toToken int32, buffer int32, n int32, event int32, mask uint32) int32

// ReadReduce: Combine peer memory into own memory.
//
//go:wasmimport hsim_ccu_v1 read_reduce
func ReadReduce(channel uint32, to int32, toToken int32, from int32, fromToken int32, n int32, dtype uint32, op uint32, event int32, mask uint32) int32

// WriteReduce: Combine own memory into peer memory.
//
//go:wasmimport hsim_ccu_v1 write_reduce
func WriteReduce(channel uint32, to int32, toToken int32, from int32, fromToken int32, n int32, dtype uint32, op uint32, event int32, mask uint32) int32

// LocalCopy: Own memory to own memory.
//
//go:wasmimport hsim_ccu_v1 local_copy
func LocalCopy(to int32, toToken int32, from int32, fromToken int32, n int32, event int32, mask uint32) int32

// LocalCopyIn: Own memory to a buffer.
//
//go:wasmimport hsim_ccu_v1 local_copy_in
func LocalCopyIn(buffer int32, from int32, fromToken int32, n int32, event int32, mask uint32) int32

// LocalCopyOut: A buffer to own memory.
//
//go:wasmimport hsim_ccu_v1 local_copy_out
func LocalCopyOut(to int32, toToken int32, buffer int32, n int32, event int32, mask uint32) int32

// LocalReduce: Combine own memory into own memory.
//
//go:wasmimport hsim_ccu_v1 local_reduce
func LocalReduce(to int32, toToken int32, from int32, fromToken int32, n int32, dtype uint32, op uint32, event int32, mask uint32) int32

// BufferReduce: Combine count (2..8) consecutive buffers in order into the first, widening to out_dtype.
//
//go:wasmimport hsim_ccu_v1 buffer_reduce
func BufferReduce(buffer int32, count uint32, dtype uint32, outDtype uint32, op uint32, n int32, event int32, mask uint32) int32

// Load: Read count consecutive variables from own memory.
//
//go:wasmimport hsim_ccu_v1 load
func Load(variable int32, addr int32, token int32, count uint32, event int32, mask uint32) int32

// Store: Write count consecutive variables to own memory.
//
//go:wasmimport hsim_ccu_v1 store
func Store(addr int32, token int32, variable int32, count uint32, event int32, mask uint32) int32

// EventRecord: Set bits of an event.
//
//go:wasmimport hsim_ccu_v1 event_record
func EventRecord(event int32, mask uint32) int32

// EventWait: Wait for all bits of mask and clear them.
//
//go:wasmimport hsim_ccu_v1 event_wait
func EventWait(event int32, mask uint32) int32

// TagRecord: Set bits of the notify that programs of one die share under a name.
//
//go:wasmimport hsim_ccu_v1 tag_record
func TagRecord(tag string, mask uint32) int32

// TagWait: Wait for such bits and clear them.
//
//go:wasmimport hsim_ccu_v1 tag_wait
func TagWait(tag string, mask uint32) int32

// NotifyRecord: Set bits of the peer's notify 0..7 of a channel.
//
//go:wasmimport hsim_ccu_v1 notify_record
func NotifyRecord(channel uint32, index uint32, mask uint32) int32

// NotifyWait: Wait for bits of the own notify of a channel and clear them.
//
//go:wasmimport hsim_ccu_v1 notify_wait
func NotifyWait(channel uint32, index uint32, mask uint32) int32

// WriteVariableWithNotify: Write a variable to the peer's channel variable, then set bits of its notify.
//
//go:wasmimport hsim_ccu_v1 write_variable_with_notify
func WriteVariableWithNotify(channel uint32, variable int32, index uint32, notify uint32, mask uint32) int32

// SyncAdd: Version 2: add a variable to the peer's channel variable in one step.
//
//go:wasmimport hsim_ccu_v1 sync_add
func SyncAdd(channel uint32, variable int32, index uint32) int32

// VariableWait: Version 2: wait until a variable fulfils the relation with another.
//
//go:wasmimport hsim_ccu_v1 variable_wait
func VariableWait(variable int32, compare uint32, value int32) int32

// IfBegin: Begin a block that runs when the relation holds; ge, gt, le and lt need version 2.
//
//go:wasmimport hsim_ccu_v1 if_begin
func IfBegin(variable int32, compare uint32, value uint64) int32

// IfElse: Begin the other block.
//
//go:wasmimport hsim_ccu_v1 if_else
func IfElse() int32

// IfEnd: End it.
//
//go:wasmimport hsim_ccu_v1 if_end
func IfEnd() int32

// WhileBegin: Begin a block that repeats while the relation holds.
//
//go:wasmimport hsim_ccu_v1 while_begin
func WhileBegin(variable int32, compare uint32, value uint64) int32

// WhileEnd: End it.
//
//go:wasmimport hsim_ccu_v1 while_end
func WhileEnd() int32

// DoBegin: Begin a block that runs at least once.
//
//go:wasmimport hsim_ccu_v1 do_begin
func DoBegin() int32

// DoEnd: End it; it repeats while the relation holds.
//
//go:wasmimport hsim_ccu_v1 do_end
func DoEnd(variable int32, compare uint32, value uint64) int32

// FunctionBegin: Begin a function; its identifier, or a negative status.
//
//go:wasmimport hsim_ccu_v1 function_begin
func FunctionBegin() int32

// FunctionEnd: End it.
//
//go:wasmimport hsim_ccu_v1 function_end
func FunctionEnd() int32

// Call: Run a function.
//
//go:wasmimport hsim_ccu_v1 call
func Call(function int32) int32

// LoopBegin: Begin the body of a loop and return its identifier; both arguments are variables, step in bytes is added to every address per iteration. No if, call or event_record inside.
//
//go:wasmimport hsim_ccu_v1 loop_begin
func LoopBegin(iterations int32, step int32) int32

// LoopEnd: End the body.
//
//go:wasmimport hsim_ccu_v1 loop_end
func LoopEnd() int32

// LoopGroup: Run loops consecutive loops in parallel, and the ones from repeat_first on again in repeats (a variable) clones with the steps added; waits for all.
//
//go:wasmimport hsim_ccu_v1 loop_group
func LoopGroup(first int32, loops uint32, repeatFirst uint32, repeats int32, bufferStep uint32, eventStep uint32, addressStep int32, variableStep uint32) int32

// Log: Write a line to the log.
//
//go:wasmimport hsim_ccu_v1 log
func Log(text string)

// Fail: Refuse the registration with an error; does not return.
//
//go:wasmimport hsim_ccu_v1 fail
func Fail(text string)
