//go:build wasip1

package guest

import "unsafe"

// version marks the module as a kernel plugin of interface version 1 without feature bits.
//
//go:wasmexport hsim_abi_kernel_v1
func version() uint32 { return 0 }

var space []byte // keeps what buffer returned alive

// buffer gives the host room for kernel arguments.
//
//go:wasmexport hsim_buffer
func buffer(size uint32) uint32 {
	space = make([]byte, size+16)
	return uint32(uintptr(unsafe.Pointer(&space[0]))+15) &^ 15
}

// Log writes a line to the simulator's log.
func Log(text string) { rawLog(unsafe.Pointer(unsafe.StringData(text)), uint32(len(text))) }

// Fail ends the kernel with an error; it does not return.
func Fail(text string) { rawFail(unsafe.Pointer(unsafe.StringData(text)), uint32(len(text))) }

// Args views the arguments of a kernel as a structure; it fails the kernel when they are too short.
func Args[T any](args unsafe.Pointer, n uint32) *T {
	var t T
	if uintptr(n) < unsafe.Sizeof(t) {
		Fail("the arguments are shorter than the kernel's structure")
	}
	return (*T)(args)
}

// In copies from device memory until buf is full; it returns a status.
func In[T any](buf []T, dev uint64) int32 {
	if len(buf) == 0 {
		return StatusOK
	}
	return DMAIn(unsafe.Pointer(&buf[0]), dev, size(buf))
}

// Out copies buf to device memory; it returns a status.
func Out[T any](dev uint64, buf []T) int32 {
	if len(buf) == 0 {
		return StatusOK
	}
	return DMAOut(dev, unsafe.Pointer(&buf[0]), size(buf))
}

func size[T any](buf []T) uint32 { return uint32(uintptr(len(buf)) * unsafe.Sizeof(buf[0])) }
