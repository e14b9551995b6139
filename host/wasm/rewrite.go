package wasm

import (
	"fmt"
	"strings"

	"hsim/abi"
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

func (w *rewriter) typeSection(n int) {
	w.sec = appendU32(w.sec, uint32(n)+1)
	start := w.pos
	for range n {
		if form := w.byte(); form != 0x60 {
			w.fail("type form %#x is not supported", form)
		}
		params := w.count()
		w.skip(params)
		w.skip(w.count())
		w.types = append(w.types, params)
		if w.err != nil {
			return
		}
	}
	w.sec = append(w.sec, w.b[start:w.pos]...)
	w.sec = append(w.sec, 0x60, 0, 0)
}

func (w *rewriter) importSection() {
	for n := w.count(); n > 0 && w.err == nil; n-- {
		module, name := w.name(), w.name()
		w.info.wasi = w.info.wasi || module == abi.WASIModule
		switch kind := w.byte(); kind {
		case 0:
			w.typeIndex(w.u32())
			w.imported++
			continue
		case 1:
			w.byte()
			w.limits()
			w.foreign("table", module, name)
		case 2:
			w.limits()
			w.memory = true
			w.foreign("memory", module, name)
		case 3:
			w.byte()
			if w.byte() == 1 {
				w.info.whole = false
			}
			w.importedG++
			w.foreign("global", module, name)
		default:
			w.fail("import of kind %d is not supported", kind)
		}
	}
	w.globals = w.importedG
}

func (w *rewriter) foreign(what, module, name string) {
	w.info.foreign = append(w.info.foreign, what+" "+module+"."+name)
}

// limits reads the size limits of a table or memory.
func (w *rewriter) limits() (least, most uint32, bounded bool) {
	flag := w.byte()
	if flag > 1 {
		w.fail("limits of form %#x are not supported (shared and 64-bit memories are not)", flag)
	}
	least = w.u32()
	if flag == 1 {
		most = w.u32()
	}
	return least, most, flag == 1
}

func (w *rewriter) functionSection(n int) {
	start := w.pos
	for range n {
		t := w.u32()
		w.typeIndex(t)
		if w.err != nil {
			return
		}
		w.funcTypes = append(w.funcTypes, t)
	}
	end := w.pos
	w.info.refill = w.imported + uint32(n)
	w.findGates()
	if w.err != nil {
		return
	}
	w.sec = appendU32(w.sec, uint32(n+1+len(w.gates)))
	w.sec = append(w.sec, w.b[start:end]...)
	w.sec = appendU32(w.sec, uint32(len(w.types)))
	for _, f := range w.gates {
		w.sec = appendU32(w.sec, w.funcTypes[f-w.imported])
	}
}

// findGates looks ahead into the export and start sections for functions that need a gate; imported ones do not.
func (w *rewriter) findGates() {
	r := reader{b: w.module, pos: 8}
	for r.pos < len(r.b) {
		id, size := r.byte(), int(r.u32())
		if r.err == nil && size > len(r.b)-r.pos {
			r.fail("section %d is longer than the module", id)
		}
		end := r.pos + size
		if id == secExport {
			for n := r.count(); n > 0 && r.err == nil; n-- {
				r.name()
				if kind, index := r.byte(), r.u32(); kind == 0 && r.err == nil {
					if w.function(index); w.err == nil && index >= w.imported {
						w.gates = append(w.gates, index)
					}
				}
			}
		}
		if id == secStart && r.err == nil {
			w.start, w.starts = r.u32(), true
			w.function(w.start)
		}
		if r.err != nil {
			w.err = r.err
			return
		}
		r.pos = end
	}
	if w.starts && w.err == nil && w.start >= w.imported {
		w.gates = append(w.gates, w.start)
	}
}

// tableSection bounds every table, because a table's entries are memory of the host.
func (w *rewriter) tableSection() {
	n := w.count()
	w.sec = appendU32(w.sec, uint32(n))
	for ; n > 0 && w.err == nil; n-- {
		w.sec = append(w.sec, w.byte(), 1)
		least, most, bounded := w.limits()
		if least > maxTable {
			w.fail("a table has %d entries, want at most %d", least, maxTable)
		}
		if !bounded || most > maxTable {
			most = maxTable
		}
		w.sec = appendU32(appendU32(w.sec, least), most)
	}
}

func (w *rewriter) memorySection(n int) {
	if n > 0 {
		w.memory = true
		for ; n > 0 && w.err == nil; n-- {
			w.limits()
		}
		return
	}
	w.memory = true
	w.sec = append(w.sec, 1, 1, 0, 0) // one memory that never has a page, for the visit
}

func (w *rewriter) globalSection(n int) {
	w.sec = appendU32(w.sec, uint32(n)+2)
	start := w.pos
	for range n {
		typ, mutable := w.byte(), w.byte()
		w.constant()
		if w.err != nil {
			return
		}
		if mutable == 1 {
			if typ == byte(abi.I32) || typ == byte(abi.I64) || typ == byte(abi.F32) || typ == byte(abi.F64) {
				w.variables = append(w.variables, w.globals)
			} else {
				w.info.whole = false
			}
		}
		w.globals++
	}
	w.sec = append(w.sec, w.b[start:w.pos]...)
	for range 2 { // counter and budget
		w.sec = append(w.sec, byte(abi.I64), 1, opI64Const)
		w.sec = appendS64(w.sec, int64(fuelValue(DefaultFuel)))
		w.sec = append(w.sec, opEnd)
	}
}

func (w *rewriter) exportSection(n int) {
	if len(w.variables) > maxHiddenVars {
		w.info.whole = false
		w.variables = w.variables[:maxHiddenVars]
	}
	more := 2 + len(w.variables)
	if w.starts {
		more++
	}
	w.sec = appendU32(w.sec, uint32(n+more))
	sp, haveSP := uint32(0), false
	gate := w.info.refill
	for range n {
		start := w.pos
		name, kind := w.name(), w.byte()
		end := w.pos
		index := w.u32()
		if w.err != nil {
			return
		}
		if kind == 0 {
			w.info.exports = append(w.info.exports, name)
		}
		switch {
		case strings.HasPrefix(name, hidden):
			w.fail("export %s: names that start with %s are the host's", name, hidden)
			return
		case kind == 0 && index >= w.imported:
			if _, _, ok := abi.ParseVersionExport(name); ok {
				w.mark, w.marked = index, true
			}
			gate++
			index = gate
		case kind == 3:
			w.global(index)
			if name == "__stack_pointer" {
				sp, haveSP = index, true
			}
		}
		w.sec = appendU32(append(w.sec, w.b[start:end]...), index)
	}
	if w.starts {
		if w.start >= w.imported {
			w.start = gate + 1
		}
		w.export(startExport, 0, w.start)
		w.info.exports = append(w.info.exports, startExport)
	}
	w.export(fuelExport, 3, w.globals)
	w.export(budgetExport, 3, w.globals+1)
	for _, g := range w.variables {
		name := fmt.Sprintf("%s%d", hiddenVar, g)
		w.export(name, 3, g)
		w.info.globals = append(w.info.globals, name)
	}
	if haveSP {
		w.foundStackPointer(sp)
	}
}

func (w *rewriter) export(name string, kind byte, index uint32) {
	w.sec = append(appendName(w.sec, name), kind)
	w.sec = appendU32(w.sec, index)
}

func (w *rewriter) elementSection() {
	for n := w.count(); n > 0 && w.err == nil; n-- {
		flags := w.u32()
		if flags > 7 {
			w.fail("element segment of form %d", flags)
			return
		}
		if flags&1 == 0 { // active
			if flags&2 != 0 {
				w.u32()
			}
			w.constant()
		}
		if flags&3 != 0 {
			w.byte() // kind or type of the elements
		}
		for m := w.count(); m > 0 && w.err == nil; m-- {
			if flags&4 != 0 {
				w.constant()
			} else {
				w.function(w.u32())
			}
		}
	}
}

func (w *rewriter) dataSection() {
	for n := w.count(); n > 0 && w.err == nil; n-- {
		flags := w.u32()
		if flags > 2 {
			w.fail("data segment of form %d", flags)
			return
		}
		if flags == 2 {
			w.u32()
		}
		if flags != 1 {
			w.constant()
		}
		w.skip(w.count())
	}
}

// constant reads an initialiser.
func (w *rewriter) constant() {
	for w.err == nil {
		switch op := w.byte(); op {
		case 0x0b:
			return
		case 0x23:
			w.global(w.u32())
		case 0x41:
			w.leb(5)
		case 0x42:
			w.leb(10)
		case 0x43:
			w.skip(4)
		case 0x44:
			w.skip(8)
		case 0xd0:
			w.byte()
		case 0xd2:
			w.function(w.u32())
		case 0xfd:
			if w.u32() != 12 {
				w.fail("vector instruction in an initialiser")
			}
			w.skip(16)
		default:
			w.fail("instruction %#x in an initialiser", op)
		}
	}
}

// function, global and typeIndex refuse what would name an addition of the rewriter.
func (w *rewriter) function(index uint32) {
	if index >= w.imported+uint32(len(w.funcTypes)) {
		w.fail("function %d does not exist", index)
	}
}

func (w *rewriter) global(index uint32) {
	if index >= w.globals {
		w.fail("global %d does not exist", index)
	}
}

func (w *rewriter) typeIndex(index uint32) {
	if index >= uint32(len(w.types)) {
		w.fail("type %d does not exist", index)
	}
}
