package wasm

// Instructions that the rewriter writes or looks for.
const (
	opUnreachable = 0x00
	opBlock       = 0x02
	opLoop        = 0x03
	opIf          = 0x04
	opEnd         = 0x0b
	opBrIf        = 0x0d
	opCall        = 0x10
	opDrop        = 0x1a
	opLocalGet    = 0x20
	opLocalTee    = 0x22
	opGlobalGet   = 0x23
	opGlobalSet   = 0x24
	opMemoryGrow  = 0x40
	opI32Const    = 0x41
	opI64Const    = 0x42
	opI32LtS      = 0x48
	opI64LtS      = 0x53
	opI64Add      = 0x7c
	opI64Sub      = 0x7d
	opI64And      = 0x83
	opI64Shl      = 0x86
	opI64ShrU     = 0x88
	opI32Wrap     = 0xa7
	opI64ExtendU  = 0xad
	opBulk        = 0xfc
	opVector      = 0xfd

	void = 0x40 // block type without parameters and results
)

// codeSection rewrites every function and appends the one that takes slices.
func (w *rewriter) codeSection(n int) {
	if n != len(w.funcTypes) {
		w.fail("got %d function bodies, want %d", n, len(w.funcTypes))
		return
	}
	w.snippets()
	w.sec = appendU32(w.sec, uint32(n+1+len(w.gates)))
	whole := w.b
	for i := range n {
		size := int(w.u32())
		if w.err != nil || size > len(w.b)-w.pos {
			w.fail("a function is longer than its section")
			break
		}
		w.b = whole[:w.pos+size]
		if w.marked && w.mark == w.imported+uint32(i) {
			w.constantBody()
		}
		w.functionBody(w.types[w.funcTypes[i]])
		if w.err == nil && w.pos != len(w.b) {
			w.fail("function %d has bytes left over", i)
		}
		w.b = whole
	}
	if w.err != nil {
		w.pos = len(whole)
		return
	}
	refill := w.refillBody()
	w.sec = append(appendU32(w.sec, uint32(len(refill))), refill...)
	for _, f := range w.gates {
		w.gate(f)
	}
}

// gate writes the function that stands for an exported one.
func (w *rewriter) gate(f uint32) {
	b := append(w.body[:0], 0, opGlobalGet)
	b = appendU32(b, w.globals+1)
	b = append(b, opGlobalSet)
	b = appendU32(b, w.globals)
	for i := range w.types[w.funcTypes[f-w.imported]] {
		b = append(b, opLocalGet)
		b = appendU32(b, uint32(i))
	}
	b = append(b, opCall)
	b = appendU32(b, f)
	w.body = append(b, opEnd)
	w.sec = append(appendU32(w.sec, uint32(len(w.body))), w.body...)
}

// snippets prepares the code that is put in many places.
func (w *rewriter) snippets() {
	fuel := appendU32(nil, w.globals)
	get := append([]byte{opGlobalGet}, fuel...)
	set := append([]byte{opGlobalSet}, fuel...)

	w.check = append(w.check, get...)
	w.check = append(w.check, opI32Wrap, opI32Const, 0, opI32LtS, opIf, void, opCall)
	w.check = appendU32(w.check, w.info.refill)
	w.check = append(w.check, opEnd)

	w.charge = append(w.charge, get...)
	w.charge = append(w.charge, opI64Const, 1, opI64Sub)
	w.charge = append(w.charge, set...)
	w.charge = append(w.charge, w.check...)
}

// refillBody is the appended function: take slices until the lower half of the counter is positive again, or trap.
func (w *rewriter) refillBody() []byte {
	fuel := appendU32(nil, w.globals)
	b := []byte{0, opLoop, void, opGlobalGet}
	b = append(b, fuel...)
	b = append(b, opI64Const, 0, opI64LtS, opIf, void, opUnreachable, opEnd, opGlobalGet)
	b = append(b, fuel...)
	b = append(b, opI64Const)
	b = appendS64(b, slice-1<<32)
	b = append(b, opI64Add, opGlobalSet)
	b = append(b, fuel...)
	b = append(b, opI32Const, 0, opMemoryGrow, 0, opDrop, opGlobalGet)
	b = append(b, fuel...)
	return append(b, opI32Wrap, opI32Const, 0, opI32LtS, opBrIf, 0, opEnd, opEnd)
}

// chargeBulk writes code that charges for an instruction whose length is on top of the stack, and leaves it there: one
// step for 16 bytes or elements, 4096 for a page of memory.
func (w *rewriter) chargeBulk(local uint32, pages bool) {
	b := append(w.body, opLocalTee)
	b = appendU32(b, local)
	b = append(b, opGlobalGet)
	b = appendU32(b, w.globals)
	b = append(b, opLocalGet)
	b = appendU32(b, local)
	b = append(b, opI64ExtendU)
	if pages {
		b = append(b, opI64Const)
		b = appendS64(b, 0xffff) // more pages than that are refused anyway, and the product must stay below 2^31
		b = append(b, opI64And, opI64Const, 12, opI64Shl)
	} else {
		b = append(b, opI64Const, 4, opI64ShrU)
	}
	b = append(b, opI64Sub, opGlobalSet)
	b = appendU32(b, w.globals)
	w.body = append(b, w.check...)
}

// constantBody notes the feature bits when the function is nothing but a constant.
func (w *rewriter) constantBody() {
	r := reader{b: w.b, pos: w.pos}
	if r.byte() != 0 || r.byte() != opI32Const {
		return
	}
	v := uint32(r.s32())
	op := r.byte()
	if op == 0x0f {
		op = r.byte()
	}
	if op == opEnd && r.err == nil {
		w.info.features = &v
	}
}

// functionBody rewrites one function: locals, a step at the entry, then the instructions with a step at each loop head.
func (w *rewriter) functionBody(params int) {
	groups, start := w.u32(), w.pos
	locals := uint64(params)
	for i := uint32(0); i < groups && w.err == nil; i++ {
		locals += uint64(w.u32())
		w.byte()
	}
	if locals > maxLocals {
		w.fail("a function has %d locals, want at most %d", locals, maxLocals)
	}
	if w.err != nil {
		return
	}
	end := w.pos
	w.body = append(w.body[:0], w.charge...)
	bulk := w.instructions(uint32(locals))
	if w.err != nil {
		return
	}
	var head [10]byte
	h := head[:0]
	var extra []byte
	if bulk {
		groups++
		extra = []byte{1, 0x7f}
	}
	h = appendU32(h, groups)
	w.sec = appendU32(w.sec, uint32(len(h)+end-start+len(extra)+len(w.body)))
	w.sec = append(w.sec, h...)
	w.sec = append(w.sec, w.b[start:end]...)
	w.sec = append(w.sec, extra...)
	w.sec = append(w.sec, w.body...)
}

// instructions copies the code of a function to body. It tells whether the code uses an extra local, which has the number
// locals.
func (w *rewriter) instructions(locals uint32) (bulk bool) {
	from := w.pos
	depth := 0
	for w.err == nil {
		at := w.pos
		op := w.byte()
		switch {
		case op >= 0x45 && op <= 0xc4: // arithmetic, the bulk of all code
		case op >= 0x28 && op <= 0x3e:
			w.memarg()
		case op >= opLocalGet && op <= opLocalTee:
			if i := w.u32(); i >= locals {
				w.fail("local %d does not exist", i)
			}
		case op == opGlobalGet || op == opGlobalSet:
			w.global(w.u32())
		case op == opI32Const:
			w.leb(5)
		case op == opI64Const:
			w.leb(10)
		case op >= opBlock && op <= opIf:
			w.blockType()
			depth++
			if op == opLoop {
				w.body = append(w.body, w.b[from:w.pos]...)
				w.body = append(w.body, w.charge...)
				from = w.pos
			}
		case op == opEnd:
			if depth--; depth < 0 {
				if w.err == nil {
					w.body = append(w.body, w.b[from:w.pos]...)
				}
				return bulk
			}
		case op == opMemoryGrow:
			w.body = append(w.body, w.b[from:at]...)
			w.chargeBulk(locals, true)
			from, bulk = at, true
			w.byte()
		case op == opBulk:
			if w.bulk() {
				w.body = append(w.body, w.b[from:at]...)
				w.chargeBulk(locals, false)
				from, bulk = at, true
			}
		case op == opVector:
			w.vector()
		default:
			w.other(op)
		}
	}
	return bulk
}

// other reads the operands of the rarer instructions.
func (w *rewriter) other(op byte) {
	switch op {
	case 0x00, 0x01, 0x05, 0x0f, 0x1a, 0x1b, 0xd1: // unreachable, nop, else, return, drop, select, ref.is_null
	case 0x0c, opBrIf:
		w.u32()
	case 0x25: // table.get
		w.u32()
	case 0x26: // table.set
		w.u32()
		w.info.sticky = true
	case 0x0e: // br_table
		for n := w.count(); n >= 0 && w.err == nil; n-- {
			w.u32()
		}
	case opCall, 0xd2:
		w.function(w.u32())
	case 0x11: // call_indirect
		w.typeIndex(w.u32())
		w.u32()
	case 0x1c: // select with types
		w.skip(w.count())
	case 0x3f, 0xd0: // memory.size, ref.null
		w.byte()
	case 0x43:
		w.skip(4)
	case 0x44:
		w.skip(8)
	default:
		w.pos--
		w.fail("instruction %#x is not supported (tail calls, exceptions and threads are not)", op)
	}
}

func (w *rewriter) memarg() {
	w.u32()
	w.u32()
}

// blockType reads void, a value type, or the index of a type.
func (w *rewriter) blockType() {
	at := w.pos
	if c := w.byte(); c >= 0x40 && c < 0x80 {
		return // a negative number of one byte
	}
	w.pos = at
	v := w.leb(5)
	if v >= uint64(len(w.types)) {
		w.fail("block type %d does not exist", v)
	}
}

// bulk reads an instruction of the 0xfc group; it tells whether the length of its work is on top of the stack.
func (w *rewriter) bulk() bool {
	switch op := w.u32(); op {
	case 0, 1, 2, 3, 4, 5, 6, 7: // saturating conversions
	case 8: // memory.init
		w.u32()
		w.byte()
		return true
	case 9, 13, 16: // data.drop, elem.drop, table.size
		w.u32()
		w.info.sticky = w.info.sticky || op != 16
	case 10: // memory.copy
		w.byte()
		w.byte()
		return true
	case 11: // memory.fill
		w.byte()
		return true
	case 12, 14: // table.init, table.copy
		w.u32()
		w.u32()
		w.info.sticky = true
		return true
	case 15, 17: // table.grow, table.fill
		w.u32()
		w.info.sticky = true
		return true
	default:
		w.fail("instruction 0xfc %d is not supported", op)
	}
	return false
}

// vector reads an instruction of the SIMD group. The engine looks at one byte of the number only, so that anything but the
// shortest form would mean different code to it and to us.
func (w *rewriter) vector() {
	op := w.byte()
	if op >= 0x80 && w.byte() != 1 {
		w.fail("instruction 0xfd %d is not supported (relaxed SIMD is not)", op)
		return
	}
	switch {
	case op <= 11, op == 92, op == 93: // loads and stores
		w.memarg()
	case op == 12, op == 13: // v128.const, i8x16.shuffle
		w.skip(16)
	case op >= 21 && op <= 34: // lanes
		w.byte()
	case op >= 84 && op <= 91: // loads and stores of a lane
		w.memarg()
		w.byte()
	}
}
