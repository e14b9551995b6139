//go:build wasip1

package kernel

import (
	"unsafe"

	_ "hsim/abi/guest" // hsim_buffer
)

// version marks the module as a kernel plugin of interface version 1 without feature bits.
//
//go:wasmexport hsim_abi_kernel_v1
func version() uint32 { return 0 }

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
