//go:build wasip1

package ccu

import (
	"unsafe"

	_ "hsim/abi/guest" // hsim_buffer
)

// version marks the module as a plugin of microprograms of interface version 1 without feature bits.
//
//go:wasmexport hsim_abi_ccu_v1
func version() uint32 { return 0 }

// Args views the room for the arguments of a launch.
func Args(args unsafe.Pointer, most uint32) []uint64 { return unsafe.Slice((*uint64)(args), most) }
