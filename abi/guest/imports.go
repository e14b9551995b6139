//go:build wasip1

// Code generated from the tables of package abi by go generate; DO NOT EDIT.

package guest

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

//go:wasmimport hsim_kernel_v1 log
func rawLog(text unsafe.Pointer, n uint32)

//go:wasmimport hsim_kernel_v1 fail
func rawFail(text unsafe.Pointer, n uint32)
