// Code generated from the tables of package abi by go generate; DO NOT EDIT.

package ccu

import (
	"structs"
	"unsafe"
)

// CCUChannel: A channel of the program's die.
type CCUChannel struct {
	_        structs.HostLayout
	Peer     uint32 // rank at the other end
	Die      uint8  // die of this end
	PeerDie  uint8
	Protocol uint8 // information only
	_        uint8
}

// Register: What a microprogram is recorded for.
type Register struct {
	_         structs.HostLayout
	Size      uint32
	Rank      uint32
	World     uint32
	Die       uint32
	Version   uint32 // 1 or 2
	Operation uint32 // Operation*
	Reduce    uint32 // Reduce*
	Dtype     uint32 // Dtype* of the input
	OutDtype  uint32
	Root      uint32
	NChannels uint32
	Channels  [64]CCUChannel
	UserPtr   uint32 // bytes of the caller
	UserLen   uint32
	_         uint32
}

// Invocation: One launch of a recorded microprogram.
type Invocation struct {
	_            structs.HostLayout
	Size         uint32
	Rank         uint32
	World        uint32
	Root         uint32
	Operation    uint32
	Reduce       uint32
	Dtype        uint32
	OutDtype     uint32
	Count        uint64 // elements
	Input        uint64 // device address
	InputBytes   uint64
	Output       uint64
	OutputBytes  uint64
	Scratch      uint64
	ScratchBytes uint64
	InputToken   uint64
	OutputToken  uint64
	ScratchToken uint64
	UserPtr      uint32
	UserLen      uint32
}

// A record that does not lie as the interface says does not compile.
const (
	_ = -(uint(unsafe.Sizeof(CCUChannel{})) ^ 8)
	_ = -(uint(unsafe.Offsetof(CCUChannel{}.Die)) ^ 4)
	_ = -(uint(unsafe.Offsetof(CCUChannel{}.PeerDie)) ^ 5)
	_ = -(uint(unsafe.Offsetof(CCUChannel{}.Protocol)) ^ 6)
	_ = -(uint(unsafe.Sizeof(Register{})) ^ 568)
	_ = -(uint(unsafe.Offsetof(Register{}.Rank)) ^ 4)
	_ = -(uint(unsafe.Offsetof(Register{}.World)) ^ 8)
	_ = -(uint(unsafe.Offsetof(Register{}.Die)) ^ 12)
	_ = -(uint(unsafe.Offsetof(Register{}.Version)) ^ 16)
	_ = -(uint(unsafe.Offsetof(Register{}.Operation)) ^ 20)
	_ = -(uint(unsafe.Offsetof(Register{}.Reduce)) ^ 24)
	_ = -(uint(unsafe.Offsetof(Register{}.Dtype)) ^ 28)
	_ = -(uint(unsafe.Offsetof(Register{}.OutDtype)) ^ 32)
	_ = -(uint(unsafe.Offsetof(Register{}.Root)) ^ 36)
	_ = -(uint(unsafe.Offsetof(Register{}.NChannels)) ^ 40)
	_ = -(uint(unsafe.Offsetof(Register{}.Channels)) ^ 44)
	_ = -(uint(unsafe.Offsetof(Register{}.UserPtr)) ^ 556)
	_ = -(uint(unsafe.Offsetof(Register{}.UserLen)) ^ 560)
	_ = -(uint(unsafe.Sizeof(Invocation{})) ^ 120)
	_ = -(uint(unsafe.Offsetof(Invocation{}.Rank)) ^ 4)
	_ = -(uint(unsafe.Offsetof(Invocation{}.World)) ^ 8)
	_ = -(uint(unsafe.Offsetof(Invocation{}.Root)) ^ 12)
	_ = -(uint(unsafe.Offsetof(Invocation{}.Operation)) ^ 16)
	_ = -(uint(unsafe.Offsetof(Invocation{}.Reduce)) ^ 20)
	_ = -(uint(unsafe.Offsetof(Invocation{}.Dtype)) ^ 24)
	_ = -(uint(unsafe.Offsetof(Invocation{}.OutDtype)) ^ 28)
	_ = -(uint(unsafe.Offsetof(Invocation{}.Count)) ^ 32)
	_ = -(uint(unsafe.Offsetof(Invocation{}.Input)) ^ 40)
	_ = -(uint(unsafe.Offsetof(Invocation{}.InputBytes)) ^ 48)
	_ = -(uint(unsafe.Offsetof(Invocation{}.Output)) ^ 56)
	_ = -(uint(unsafe.Offsetof(Invocation{}.OutputBytes)) ^ 64)
	_ = -(uint(unsafe.Offsetof(Invocation{}.Scratch)) ^ 72)
	_ = -(uint(unsafe.Offsetof(Invocation{}.ScratchBytes)) ^ 80)
	_ = -(uint(unsafe.Offsetof(Invocation{}.InputToken)) ^ 88)
	_ = -(uint(unsafe.Offsetof(Invocation{}.OutputToken)) ^ 96)
	_ = -(uint(unsafe.Offsetof(Invocation{}.ScratchToken)) ^ 104)
	_ = -(uint(unsafe.Offsetof(Invocation{}.UserPtr)) ^ 112)
	_ = -(uint(unsafe.Offsetof(Invocation{}.UserLen)) ^ 116)
)
