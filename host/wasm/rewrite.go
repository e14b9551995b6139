package wasm

import (
	"fmt"
)

// The rewriter makes guests countable. It appends a type, functions, two mutable globals and some exports, so that nothing
// is renumbered, and puts a count-down at every function entry and loop head. Every exported function gets a gate, an
// appended function exported in its place: it fills the counter from the budget, which costs less than doing it from
// outside.
//
// The counter holds slices << 32 + steps. A step subtracts one; when the lower half turns negative, the appended function
// takes the next slice, or traps when none is left, and visits the host by a memory.grow of 0: in that visit the Go
// runtime can stop the world and deliver signals, which compiled guest code alone would never let happen.
const (
	sliceBits = 20
	slice     = 1 << sliceBits

	hidden       = "hsim:"           // prefix of the exports below; a guest's own names may not start so
	fuelExport   = hidden + "fuel"   // the counter
	budgetExport = hidden + "budget" // what a gate fills it with
	hiddenVar    = hidden + "global" // hsim:global3 is mutable global 3
	startExport  = hidden + "start"  // the start function, which the host calls once it can count

	maxHiddenVars = 64
	maxTable      = 1 << 20 // entries; more would be memory of the host that no limit covers
	maxLocals     = 50000
)

// fuelValue encodes a number of steps for the counter.
func fuelValue(steps uint64) uint64 {
	const most = (1<<31 - 1) << sliceBits
	steps = min(steps, most)
	return steps>>sliceBits<<32 | steps&(slice-1)
}

// fuelLeft is the inverse of fuelValue for a counter that has not run out.
func fuelLeft(v uint64) uint64 { return v>>32<<sliceBits + v&0xffff_ffff }

// rewritten is what rewrite learned about a module.
type rewritten struct {
	refill       uint32   // index of the first appended function, which takes slices; gates follow
	globals      []string // hidden exports of the guest's mutable globals
	whole        bool     // globals has all of them
	stackPointer string   // hidden export of __stack_pointer, empty: none
	wasi         bool     // it imports WASI
	foreign      []string // imports that are not functions
	exports      []string // names of exported functions
	features     *uint32  // what the version export returns, when that is a constant
	sticky       bool     // it changes tables or drops segments at run time, which a reset cannot undo
}

// Sections in the order the specification demands; ids are not ordered.
const (
	secCustom    = 0
	secType      = 1
	secImport    = 2
	secFunction  = 3
	secTable     = 4
	secMemory    = 5
	secGlobal    = 6
	secExport    = 7
	secStart     = 8
	secElement   = 9
	secCode      = 10
	secData      = 11
	secDataCount = 12
)

func sectionOrder() []byte {
	return []byte{secType, secImport, secFunction, secTable, secMemory, secGlobal, secExport, secStart, secElement, secDataCount, secCode, secData}
}

type rewriter struct {
	reader
	out    []byte
	module []byte // the whole input
	sec    []byte // contents of the section being written
	body   []byte // contents of the function being written

	next      int   // place in sectionOrder of the next section to come
	types     []int // parameters of each type
	funcTypes []uint32
	imported  uint32 // functions
	importedG uint32 // globals
	globals   uint32
	variables []uint32 // mutable globals
	gates     []uint32 // functions behind the gates
	start     uint32   // the start function
	starts    bool     // there is one
	memory    bool
	mark      uint32 // function behind the version export
	marked    bool
	named     bool   // a name section has been seen
	charge    []byte // code of one step
	check     []byte // code that takes a new slice when the present one is used up
	info      rewritten
}

// rewrite returns bin with counting added. The result validates if bin does.
func rewrite(bin []byte) ([]byte, rewritten, error) {
	const magic = "\x00asm\x01\x00\x00\x00"
	if len(bin) < len(magic) || string(bin[:len(magic)]) != magic {
		return nil, rewritten{}, fmt.Errorf("got a file that is not a WebAssembly module of version 1, want one that starts with 00 61 73 6d 01 00 00 00")
	}
	w := &rewriter{reader: reader{b: bin, pos: len(magic)}, module: bin, out: make([]byte, 0, len(bin)+len(bin)/4)}
	w.out = append(w.out, magic...)
	w.info.whole = true
	for w.pos < len(w.b) && w.err == nil {
		w.section()
	}
	w.missing(len(sectionOrder()))
	return w.out, w.info, w.err
}

// section copies or rewrites the section at pos.
func (w *rewriter) section() {
	id := w.byte()
	size := int(w.u32())
	if w.err != nil || size > len(w.b)-w.pos {
		w.fail("section %d is longer than the module", id)
		return
	}
	whole := w.b
	start, end := w.pos, w.pos+size
	w.b = whole[:end]
	if id == secCustom {
		w.custom(end)
	} else {
		w.known(id, start)
	}
	if w.err == nil && w.pos != end {
		w.fail("section %d has bytes left over", id)
	}
	w.b = whole
	if w.err != nil {
		w.pos = len(whole)
	}
}

func (w *rewriter) known(id byte, start int) {
	place := -1
	for i, s := range sectionOrder() {
		if s == id {
			place = i
		}
	}
	if place < w.next {
		w.fail("section %d is unknown or out of order (threads, exceptions and several memories are not supported)", id)
		return
	}
	w.missing(place)
	w.next = place + 1
	w.sec = w.sec[:0]
	switch id {
	case secType:
		w.typeSection(w.count())
	case secImport:
		w.importSection()
	case secFunction:
		w.functionSection(w.count())
	case secTable:
		w.tableSection()
	case secMemory:
		w.memorySection(w.count())
	case secGlobal:
		w.globalSection(w.count())
	case secExport:
		w.exportSection(w.count())
	case secStart:
		w.u32() // found by findGates
		return  // and dropped: the host calls it by its export
	case secElement:
		w.elementSection()
	case secCode:
		w.codeSection(w.count())
	case secDataCount:
		w.u32()
	case secData:
		w.dataSection()
	}
	if len(w.sec) == 0 {
		w.sec = append(w.sec, w.b[start:w.pos]...)
	}
	w.emit(id)
}

// missing writes the sections before place that the module lacks but the additions need.
func (w *rewriter) missing(place int) {
	order := sectionOrder()
	for ; w.next < place && w.err == nil; w.next++ {
		w.sec = w.sec[:0]
		switch id := order[w.next]; id {
		case secType:
			w.typeSection(0)
		case secFunction:
			w.functionSection(0)
		case secMemory:
			if w.memory {
				continue
			}
			w.memorySection(0)
		case secGlobal:
			w.globalSection(0)
		case secExport:
			w.exportSection(0)
		case secCode:
			w.codeSection(0)
		default:
			continue
		}
		w.emit(order[w.next])
	}
}

func (w *rewriter) emit(id byte) {
	w.out = append(w.out, id)
	w.out = appendU32(w.out, uint32(len(w.sec)))
	w.out = append(w.out, w.sec...)
}

// custom keeps the names of functions only: offsets in debug information no longer hold, and the engine uses nothing else.
// Faults do not matter, names are decoration; but what the engine gets to see is well formed.
func (w *rewriter) custom(end int) {
	name := w.name()
	if w.err != nil || name != "name" || w.named {
		w.pos = max(w.pos, end)
		return
	}
	w.named = true
	w.sec = appendName(w.sec[:0], "name")
	r := reader{b: w.b, pos: w.pos}
	for r.pos < len(r.b) {
		start := r.pos
		id, size := r.byte(), int(r.u32())
		if r.err != nil || size > len(r.b)-r.pos {
			break
		}
		sub := reader{b: r.b[:r.pos+size], pos: r.pos}
		r.pos += size
		if id != 1 && id != 7 { // functions, globals
			continue
		}
		for n := sub.count(); n > 0 && sub.err == nil; n-- {
			if index, name := sub.u32(), sub.name(); id == 7 && name == "__stack_pointer" {
				w.foundStackPointer(index)
			}
		}
		if id == 1 && sub.err == nil && sub.pos == r.pos {
			w.sec = append(w.sec, r.b[start:r.pos]...)
		}
	}
	w.pos = end
	w.emit(secCustom)
}

func (w *rewriter) foundStackPointer(global uint32) {
	for i, g := range w.variables {
		if g == global && i < len(w.info.globals) {
			w.info.stackPointer = w.info.globals[i]
		}
	}
}
