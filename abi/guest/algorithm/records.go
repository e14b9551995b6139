// Code generated from the tables of package abi by go generate; DO NOT EDIT.

package algorithm

import (
	"structs"
	"unsafe"
)

// Op: One rank's view of a collective operation.
type Op struct {
	_         structs.HostLayout
	Size      uint32
	Operation uint32 // Operation*
	Dtype     uint32 // Dtype*
	Reduce    uint32 // Reduce*
	Rank      uint32
	Ranks     uint32
	Root      uint32
	Elem      uint32 // bytes of one element
	Count     uint64 // elements of the operation, as in the collective's call
	Input     uint64 // bytes of the input buffer, which is only read
	Output    uint64 // bytes of the output buffer
	Scratch   uint64 // bytes of the scratch buffer
	Group     uint32 // ranks of each server, which are neighbours in rank order; 0: they are not, or uneven
	Streams   uint32 // streams a rank may use
}

// A record that does not lie as the interface says does not compile.
const (
	_ = -(uint(unsafe.Sizeof(Op{})) ^ 72)
	_ = -(uint(unsafe.Offsetof(Op{}.Operation)) ^ 4)
	_ = -(uint(unsafe.Offsetof(Op{}.Dtype)) ^ 8)
	_ = -(uint(unsafe.Offsetof(Op{}.Reduce)) ^ 12)
	_ = -(uint(unsafe.Offsetof(Op{}.Rank)) ^ 16)
	_ = -(uint(unsafe.Offsetof(Op{}.Ranks)) ^ 20)
	_ = -(uint(unsafe.Offsetof(Op{}.Root)) ^ 24)
	_ = -(uint(unsafe.Offsetof(Op{}.Elem)) ^ 28)
	_ = -(uint(unsafe.Offsetof(Op{}.Count)) ^ 32)
	_ = -(uint(unsafe.Offsetof(Op{}.Input)) ^ 40)
	_ = -(uint(unsafe.Offsetof(Op{}.Output)) ^ 48)
	_ = -(uint(unsafe.Offsetof(Op{}.Scratch)) ^ 56)
	_ = -(uint(unsafe.Offsetof(Op{}.Group)) ^ 64)
	_ = -(uint(unsafe.Offsetof(Op{}.Streams)) ^ 68)
)
