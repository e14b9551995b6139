package guest

import (
	"sort"

	"hsim/host/mem"
)

// windowBase is where device addresses begin in a program: its own memory lies below, so the upper half of the 32-bit
// addresses is a window through which it sees device memory. The last piece stays empty, so that an address just past the
// end of memory is no other one's start.
const (
	windowBase  = 1 << 31
	windowSize  = 1<<31 - windowAlign
	windowAlign = 512
)

// mapping is a piece of the window that stands for memory of the simulation.
type mapping struct {
	at   uint32
	room uint32 // bytes of the window
	size int64  // bytes behind it
	addr mem.Addr
}

// window is a process's table of device addresses.
type window struct {
	free extents
	maps []mapping // by at
}

func (w *window) init() { w.free = extents{{windowBase, windowSize}} }

// add makes n bytes at addr visible; ok is false when the window has no piece of that size left. A gap follows, so that a
// pointer just past the end is nobody else's.
func (w *window) add(addr mem.Addr, n int64) (at uint32, ok bool) {
	room := (n+windowAlign-1)&^(windowAlign-1) + windowAlign
	if n <= 0 || room > windowSize {
		return 0, false
	}
	at, ok = w.free.take(uint32(room), windowAlign)
	if !ok {
		return 0, false
	}
	i := w.place(at)
	w.maps = append(w.maps, mapping{})
	copy(w.maps[i+1:], w.maps[i:])
	w.maps[i] = mapping{at, uint32(room), n, addr}
	return at, true
}

// place is the index of the first mapping above at.
func (w *window) place(at uint32) int {
	return sort.Search(len(w.maps), func(i int) bool { return w.maps[i].at > at })
}

// find returns the mapping that holds at, nil without one.
func (w *window) find(at uint32) *mapping {
	if i := w.place(at) - 1; i >= 0 && at-w.maps[i].at < w.maps[i].room {
		return &w.maps[i]
	}
	return nil
}

// of returns where an address of the simulation is visible.
func (w *window) of(a mem.Addr) (uint32, bool) {
	for i := range w.maps {
		if m := &w.maps[i]; a >= m.addr && a < m.addr.Add(m.size) {
			return m.at + uint32(a-m.addr), true
		}
	}
	return 0, false
}

// remove takes away the mapping that begins at at.
func (w *window) remove(at uint32) {
	if i := w.place(at) - 1; i >= 0 && w.maps[i].at == at {
		w.free.give(at, w.maps[i].room)
		w.maps = append(w.maps[:i], w.maps[i+1:]...)
	}
}

// addr translates a device pointer of the program. What is not mapped becomes an address that the simulation does not have,
// so that the call says so.
func (w *window) addr(ptr uint32) mem.Addr {
	if m := w.find(ptr); m != nil {
		return m.addr.Add(int64(ptr - m.at))
	}
	return mem.Addr(ptr)
}
