//go:build wasip1

// Code generated from the tables of package abi by go generate; DO NOT EDIT.

package kernel

import "unsafe"

// DMAIn: Copy n bytes of device memory to local memory; returns when they are there.
//
//go:wasmimport hsim_kernel_v1 dma_in
func DMAIn(local unsafe.Pointer, dev uint64, n uint32) int32

// DMAOut: Copy n bytes of local memory to device memory; an address of a peer crosses the fabric.
//
//go:wasmimport hsim_kernel_v1 dma_out
func DMAOut(dev uint64, local unsafe.Pointer, n uint32) int32

// DMAIn2D: Copy rows rows of row bytes each, strides in bytes from row start to row start.
//
//go:wasmimport hsim_kernel_v1 dma_in_2d
func DMAIn2D(local unsafe.Pointer, localStride uint32, dev uint64, devStride uint64, row uint32, rows uint32) int32

// DMAOut2D: The same outward.
//
//go:wasmimport hsim_kernel_v1 dma_out_2d
func DMAOut2D(dev uint64, devStride uint64, local unsafe.Pointer, localStride uint32, row uint32, rows uint32) int32

// DMAOutReduce: Combine n bytes of local memory into device memory.
//
//go:wasmimport hsim_kernel_v1 dma_out_reduce
func DMAOutReduce(dev uint64, local unsafe.Pointer, n uint32, dtype uint32, op uint32) int32

// DMAStartIn: Begin a copy in on a pipe (0..7) and return; transfers of one pipe run in order. Local memory is written by the time dma_wait returns.
//
//go:wasmimport hsim_kernel_v1 dma_start_in
func DMAStartIn(pipe uint32, local unsafe.Pointer, dev uint64, n uint32) int32

// DMAStartOut: Begin a copy out on a pipe. The bytes are read before this call returns, so the buffer's content is safe; its place in time is not.
//
//go:wasmimport hsim_kernel_v1 dma_start_out
func DMAStartOut(pipe uint32, dev uint64, local unsafe.Pointer, n uint32) int32

// DMAStartOutReduce: Begin a copy out with reduce on a pipe.
//
//go:wasmimport hsim_kernel_v1 dma_start_out_reduce
func DMAStartOutReduce(pipe uint32, dev uint64, local unsafe.Pointer, n uint32, dtype uint32, op uint32) int32

// DMAWait: Wait until everything begun on the pipe is done; returns the first failure.
//
//go:wasmimport hsim_kernel_v1 dma_wait
func DMAWait(pipe uint32) int32

// MemWait: Wait until the 64-bit word in device or peer memory fulfils the relation.
//
//go:wasmimport hsim_kernel_v1 mem_wait
func MemWait(dev uint64, compare uint32, value uint64) int32

// Vector: Spend the time of one vector operation on elems elements.
//
//go:wasmimport hsim_kernel_v1 vector
func Vector(elems uint64, dtype uint32) int32

// Cube: Spend the time of a matrix product m x k by k x n on the cube unit.
//
//go:wasmimport hsim_kernel_v1 cube
func Cube(m uint32, n uint32, k uint32, dtype uint32) int32

// Scalar: Spend cycles of the core's clock.
//
//go:wasmimport hsim_kernel_v1 scalar
func Scalar(cycles uint64) int32

// Barrier: Wait for all blocks of the launch.
//
//go:wasmimport hsim_kernel_v1 barrier
func Barrier() int32

// NotifyRecord: Set a notify of this device.
//
//go:wasmimport hsim_kernel_v1 notify_record
func NotifyRecord(id uint32) int32

// NotifyWait: Wait for a notify of this device and reset it.
//
//go:wasmimport hsim_kernel_v1 notify_wait
func NotifyWait(id uint32) int32

// ThreadCopy: AI CPU: enqueue a copy on a thread (a stream). This and the imports up to batch_end return at once, with a status.
//
//go:wasmimport hsim_kernel_v1 thread_copy
func ThreadCopy(thread uint64, dst uint64, src uint64, n uint64) int32

// ThreadReduce: AI CPU: enqueue dst = dst op src over n bytes.
//
//go:wasmimport hsim_kernel_v1 thread_reduce
func ThreadReduce(thread uint64, dst uint64, src uint64, n uint64, dtype uint32, op uint32) int32

// ThreadNotifyRecord: AI CPU: enqueue a record of a notify of the thread target.
//
//go:wasmimport hsim_kernel_v1 thread_notify_record
func ThreadNotifyRecord(thread uint64, target uint64, notify uint32) int32

// ThreadNotifyWait: AI CPU: enqueue a wait for a notify of the thread, which resets it; 0 seconds wait for ever.
//
//go:wasmimport hsim_kernel_v1 thread_notify_wait
func ThreadNotifyWait(thread uint64, notify uint32, seconds uint32) int32

// ChannelWrite: AI CPU: enqueue a write to the peer of a channel.
//
//go:wasmimport hsim_kernel_v1 channel_write
func ChannelWrite(thread uint64, channel uint64, dst uint64, src uint64, n uint64) int32

// ChannelWriteReduce: AI CPU: enqueue a write that combines into the peer's memory.
//
//go:wasmimport hsim_kernel_v1 channel_write_reduce
func ChannelWriteReduce(thread uint64, channel uint64, dst uint64, src uint64, n uint64, dtype uint32, op uint32) int32

// ChannelWriteNotify: AI CPU: enqueue a write that records a notify of the peer when its bytes have landed.
//
//go:wasmimport hsim_kernel_v1 channel_write_notify
func ChannelWriteNotify(thread uint64, channel uint64, dst uint64, src uint64, n uint64, notify uint32) int32

// ChannelRead: AI CPU: enqueue a read from the peer; later tasks of the thread find the bytes.
//
//go:wasmimport hsim_kernel_v1 channel_read
func ChannelRead(thread uint64, channel uint64, dst uint64, src uint64, n uint64) int32

// ChannelNotifyRecord: AI CPU: enqueue a record of a notify of the peer, after earlier writes.
//
//go:wasmimport hsim_kernel_v1 channel_notify_record
func ChannelNotifyRecord(thread uint64, channel uint64, notify uint32) int32

// ChannelNotifyWait: AI CPU: enqueue a wait for a notify that the peer records.
//
//go:wasmimport hsim_kernel_v1 channel_notify_wait
func ChannelNotifyWait(thread uint64, channel uint64, notify uint32, seconds uint32) int32

// ChannelFence: AI CPU: enqueue a wait until all earlier writes of the thread to the peer have landed.
//
//go:wasmimport hsim_kernel_v1 channel_fence
func ChannelFence(thread uint64, channel uint64) int32

// BatchStart: AI CPU: hold what is enqueued back.
//
//go:wasmimport hsim_kernel_v1 batch_start
func BatchStart() int32

// BatchEnd: AI CPU: let go of what was held back, all at once.
//
//go:wasmimport hsim_kernel_v1 batch_end
func BatchEnd() int32

// Log: Write a line to the log.
//
//go:wasmimport hsim_kernel_v1 log
func Log(text string)

// Fail: End the kernel with an error; does not return.
//
//go:wasmimport hsim_kernel_v1 fail
func Fail(text string)
