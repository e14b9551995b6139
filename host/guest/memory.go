package guest

import (
	"sort"

	"hsim/host/mem"
	"hsim/host/wasm"
)

// hostMemory makes the program's memory reachable for copies: one range over all of it, and another one over the longer
// memory once it has moved. All of them are kept at the present place, for tasks that are still queued.
type hostMemory struct {
	p      *Process
	ranges []mem.Addr
	size   uint32 // of the last range
	epoch  uint32
	pinned []pinned // by at
}

// pinned is page-locked memory: a range of its own, so that the runtime knows it as such.
type pinned struct {
	at, size uint32
	addr     mem.Addr
}

func (h *hostMemory) space() *mem.Space { return h.p.acl.Runtime().Mem() }

// settle follows the memory when it has moved. It must be called before anybody else looks at the ranges: whenever the
// program has run and is about to wait.
func (h *hostMemory) settle() {
	if h.ranges != nil && h.epoch != h.p.in.Epoch() {
		h.rebase()
	}
}

func (h *hostMemory) rebase() {
	buf := h.p.in.Memory()
	buf = buf[:cap(buf)]
	h.epoch = h.p.in.Epoch()
	s := h.space()
	for _, a := range h.ranges {
		_ = s.Rebase(a, buf) // it has only grown
	}
	if n := uint32(len(buf)); n > h.size {
		a, err := s.Wrap(mem.AllocSpec{Device: mem.Host, Pid: h.p.acl.Pid(), Name: "memory of " + h.p.acl.Name()}, buf)
		if err == nil {
			h.ranges, h.size = append(h.ranges, a), n
		}
	}
}

// addr is the address of n bytes of the program's memory; what lies outside becomes an address that the simulation does
// not have.
func (h *hostMemory) addr(ptr uint32, n int64) mem.Addr {
	if uint64(ptr)+uint64(max(n, 1)) > uint64(len(h.p.in.Memory())) {
		return mem.Addr(ptr)
	}
	if h.ranges == nil || h.epoch != h.p.in.Epoch() {
		h.rebase()
	}
	if x := h.pin(ptr); x != nil {
		return x.addr.Add(int64(ptr - x.at))
	}
	return h.ranges[len(h.ranges)-1].Add(int64(ptr))
}

// pin finds the page-locked memory that holds ptr.
func (h *hostMemory) pin(ptr uint32) *pinned {
	i := sort.Search(len(h.pinned), func(i int) bool { return h.pinned[i].at > ptr }) - 1
	if i >= 0 && ptr-h.pinned[i].at < h.pinned[i].size {
		return &h.pinned[i]
	}
	return nil
}

func (h *hostMemory) addPin(x pinned) {
	i := sort.Search(len(h.pinned), func(i int) bool { return h.pinned[i].at > x.at })
	h.pinned = append(h.pinned, pinned{})
	copy(h.pinned[i+1:], h.pinned[i:])
	h.pinned[i] = x
}

func (h *hostMemory) removePin(at uint32) {
	for i := range h.pinned {
		if h.pinned[i].at == at {
			h.pinned = append(h.pinned[:i], h.pinned[i+1:]...)
			return
		}
	}
}

// close unmaps the memory; tasks of the process are gone by then.
func (h *hostMemory) close() {
	for _, a := range h.ranges {
		_ = h.space().Free(a) // each was made here, and is freed once
	}
	h.ranges, h.pinned = nil, nil
}

// heap hands out pieces of the program's memory that the host asked for: stacks of threads, page-locked memory, texts.
type heap struct {
	p      *Process
	pieces extents
	used   map[uint32]uint32 // sizes by start
}

const heapAlign = 64

// alloc returns n bytes that the program does not know of.
func (h *heap) alloc(n uint32) (uint32, bool) { return h.allocAligned(n, heapAlign) }

func (h *heap) allocAligned(n, align uint32) (uint32, bool) {
	if n == 0 || n > windowBase-wasm.PageSize {
		return 0, false
	}
	n = (n + heapAlign - 1) &^ (heapAlign - 1)
	at, ok := h.pieces.take(n, align)
	if !ok {
		size := (n + wasm.PageSize - 1) &^ (wasm.PageSize - 1) // pages are aligned for every use
		begin, grown := h.p.in.Grow(size)
		if !grown {
			return 0, false
		}
		h.pieces.give(begin, size)
		if at, ok = h.pieces.take(n, align); !ok {
			return 0, false
		}
	}
	if h.used == nil {
		h.used = map[uint32]uint32{}
	}
	h.used[at] = n
	return at, true
}

// free takes back what alloc returned.
func (h *heap) free(at uint32) {
	if n := h.used[at]; n > 0 {
		delete(h.used, at)
		h.pieces.give(at, n)
	}
}
