package wasm

import (
	"fmt"
	"strings"

	"hsim/abi"
)

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
