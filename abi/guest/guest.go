//go:build wasip1

package guest

import "unsafe"

var space []byte // keeps what buffer returned alive

// buffer gives the host room for arguments and records.
//
//go:wasmexport hsim_buffer
func buffer(size uint32) uint32 {
	space = make([]byte, size+16)
	return uint32(uintptr(unsafe.Pointer(&space[0]))+15) &^ 15
}

// Text is where a text lies, as hsim_describe returns it. The text must be a constant or live as long as the module.
func Text(s string) uint64 {
	return uint64(uintptr(unsafe.Pointer(unsafe.StringData(s))))<<32 | uint64(len(s))
}
