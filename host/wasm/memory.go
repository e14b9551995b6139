package wasm

import (
	"fmt"
	"unsafe"

	"github.com/tetratelabs/wazero/experimental"
)

// PageSize is the unit of guest memory in bytes.
const PageSize = 1 << 16

// MaxPages is the most that any module may have; one page less than 4 GiB, because a full 4 GiB does not fit a uint32.
const MaxPages = 65535

// memory is the linear memory of an instance. The host owns the bytes, so it knows without asking when they move.
type memory struct {
	buf   []byte
	limit uint64 // bytes
	epoch uint32 // counts moves
}

var _ experimental.LinearMemory = (*memory)(nil)

// Allocate implements experimental.MemoryAllocator for the one memory of a module.
func (m *memory) Allocate(capacity, _ uint64) experimental.LinearMemory {
	m.buf = make([]byte, 0, max(capacity, 1))
	return m
}

// Reallocate implements experimental.LinearMemory: nil when the limit is passed, which memory.grow reports as -1.
func (m *memory) Reallocate(size uint64) []byte {
	if size > m.limit {
		return nil
	}
	if size <= uint64(cap(m.buf)) {
		m.buf = m.buf[:size]
		return m.buf
	}
	// Grow by half at least, so that a guest growing page by page copies each byte a few times only.
	room := max(size, min(uint64(cap(m.buf))*3/2, m.limit))
	buf := make([]byte, size, room)
	copy(buf, m.buf)
	m.buf = buf
	m.epoch++
	return m.buf
}

// Free implements experimental.LinearMemory.
func (m *memory) Free() {}

// Bytes returns n bytes of guest memory at off, without a copy. The slice is stale once memory grows.
func (in *Instance) Bytes(off, n uint32) ([]byte, error) {
	buf := in.mem.buf
	if uint64(off)+uint64(n) > uint64(len(buf)) {
		return nil, in.outside(off, n)
	}
	return buf[off : uint64(off)+uint64(n) : uint64(off)+uint64(n)], nil
}

// Pointer returns the address of n bytes of guest memory at off, to overlay a record of package abi: off must be a
// multiple of 8. The pointer is stale when Epoch has changed.
func (in *Instance) Pointer(off, n uint32) (unsafe.Pointer, error) {
	buf := in.mem.buf
	if uint64(off)+uint64(n) > uint64(len(buf)) || n == 0 {
		return nil, in.outside(off, n)
	}
	p := unsafe.Pointer(&buf[off])
	if uintptr(p)%8 != 0 {
		return nil, fmt.Errorf("wasm: plugin %s: record at %#x: got an address that is not a multiple of 8, want natural alignment", in.mod.name, off)
	}
	return p, nil
}

// Base returns the first byte of guest memory and its present size.
func (in *Instance) Base() (unsafe.Pointer, uint32) {
	return unsafe.Pointer(unsafe.SliceData(in.mem.buf)), uint32(len(in.mem.buf))
}

// Epoch changes whenever guest memory has moved, so that pointers from Pointer and Bytes must be taken again. Reading it
// after a call costs nothing.
func (in *Instance) Epoch() uint32 { return in.mem.epoch }

// EpochAt is where Epoch is kept, for callers that look at it on every call.
func (in *Instance) EpochAt() *uint32 { return &in.mem.epoch }

func (in *Instance) outside(off, n uint32) error {
	return fmt.Errorf("wasm: plugin %s: guest memory at %#x: got %d bytes wanted, have %d in all", in.mod.name, off, n, len(in.mem.buf))
}
