package ccu

import "hsim/abi"

// emitted is an instruction whose registers are symbols. Where label is not 0,
// the constant is the label's address.
type emitted struct {
	ins   Instruction
	label int
}

// section is code that stays together: the main program, or the body of a loop
// or function.
type section struct{ code []emitted }

// mark is where a label is: before an instruction of a section.
type mark struct {
	in *section
	at int
}

// Translation turns recorded operations into instructions of version 1. The
// arguments are loaded first; the bodies of loops and functions follow, jumped
// over; the main program is the end.
type translation struct {
	r      *Recorder
	main   *section
	bodies []*section
	stack  []*section // innermost last
	labels []mark     // by label; 0 is none
	flow   []flow
	calls  []function // by function
	facts  []fact     // by variable symbol
	target int        // variable for the address of a jump
	derive []Derived
	engine int // first loop engine of the program
	at     int // node being translated
}

// flow is an open if or loop of the main program.
type flow struct{ again, out int }

type function struct {
	label int
	back  int // variable with the address to return to
}

// Derived is an argument that the host computes from another one, because
// version 1 cannot shift: value << Shift + Add. Max bounds the value.
type Derived struct {
	Arg   int
	Shift uint
	Add   uint64
	Max   uint64
	What  string
}

// translate turns what was recorded into instructions; engines takes loop
// engines of the die.
func (r *Recorder) translate(engines func(n int) (first int, err error)) (*translation, error) {
	t := &translation{r: r, main: &section{}, labels: make([]mark, 1), calls: make([]function, r.funcs+1), facts: r.facts()}
	t.stack = []*section{t.main}
	if n := t.engines(); n > 0 {
		var err error
		if t.engine, err = engines(n); err != nil {
			return nil, err
		}
	}
	t.target = r.hidden(classXn)
	for i := range r.nodes {
		t.at = i
		t.node(&r.nodes[i])
	}
	return t, r.err
}

func (t *translation) here() *section { return t.stack[len(t.stack)-1] }

func (t *translation) emit(op Op, set func(v *[numSlots]uint64)) *emitted {
	s := t.here()
	s.code = append(s.code, emitted{ins: Instruction{Op: op}})
	e := &s.code[len(s.code)-1]
	set(&e.ins.V)
	return e
}

// three emits an instruction with operands in A, B and C.
func (t *translation) three(op Op, a, b, c int) {
	t.emit(op, func(v *[numSlots]uint64) { v[SlotA], v[SlotB], v[SlotC] = uint64(a), uint64(b), uint64(c) })
}

func (t *translation) constant(xn int, value uint64) {
	t.emit(OpLoadImmXn, func(v *[numSlots]uint64) { v[SlotA], v[SlotImm] = uint64(xn), value })
}

func (t *translation) address(xn, label int) {
	t.constant(xn, 0)
	s := t.here()
	s.code[len(s.code)-1].label = label
}

func (t *translation) label() int {
	t.labels = append(t.labels, mark{})
	return len(t.labels) - 1
}

func (t *translation) place(label int) { t.labels[label] = mark{t.here(), len(t.here().code)} }

// jump goes to a label in any case: the register with zero is not 1.
func (t *translation) jump(label int) {
	t.address(t.target, label)
	t.emit(OpJump, func(v *[numSlots]uint64) { v[SlotA], v[SlotImm] = uint64(t.target), 1 })
}

// unless goes to a label when the relation does not hold. The hardware jumps
// when a register differs from a constant.
func (t *translation) unless(v int, cmp uint32, value uint64, label int) {
	if cmp == abi.CompareEQ {
		t.address(t.target, label)
		t.emit(OpJump, func(s *[numSlots]uint64) { s[SlotA], s[SlotB], s[SlotImm] = uint64(t.target), uint64(v), value })
		return
	}
	next := t.label()
	t.unless(v, abi.CompareEQ, value, next)
	t.jump(label)
	t.place(next)
}

func opposite(cmp uint32) uint32 {
	if cmp == abi.CompareEQ {
		return abi.CompareNE
	}
	return abi.CompareEQ
}

func (t *translation) enter() {
	s := &section{}
	t.stack = append(t.stack, s)
}

func (t *translation) leave() {
	t.bodies = append(t.bodies, t.here())
	t.stack = t.stack[:len(t.stack)-1]
}

func (t *translation) node(n *node) {
	switch n.kind {
	case nLoadArg: // laid out first, in the order of the arguments
	case nSet:
		t.constant(n.x[0], n.value)
	case nMove:
		t.three(OpAddXn, n.x[0], n.x[1], 0)
	case nAdd:
		t.three(OpAddXn, n.x[0], n.x[1], n.x[2])
	case nAddrSet:
		t.emit(OpLoadImmGSA, func(v *[numSlots]uint64) { v[SlotA], v[SlotImm] = uint64(n.x[0]), n.value })
	case nAddrMove:
		t.three(OpAddGSA, n.x[0], n.x[1], 0)
	case nAddrFrom:
		t.three(OpAddGSAXn, n.x[0], 0, n.x[1])
	case nAddrAdd:
		t.three(OpAddGSAXn, n.x[0], n.x[1], n.x[2])
	case nAddrAddAddr:
		t.three(OpAddGSA, n.x[0], n.x[1], n.x[2])
	case nTransfer:
		t.transfer(n)
	case nFold:
		t.fold(n)
	case nLoad, nStore:
		t.spill(n)
	case nSetEvent:
		t.emit(OpSetCKE, func(v *[numSlots]uint64) { v[SlotSet], v[SlotSetMask] = uint64(n.event), uint64(n.mask) })
	case nWaitEvent:
		t.emit(OpClearCKE, func(v *[numSlots]uint64) {
			v[SlotWait], v[SlotWaitMask], v[SlotClear] = uint64(n.event), uint64(n.mask), 1
		})
	case nNotify:
		t.emit(OpSyncCKE, func(v *[numSlots]uint64) {
			v[SlotA], v[SlotC], v[SlotChannel] = uint64(n.ch.notify(int(n.n))), uint64(n.mask), uint64(n.ch.number)
		})
	case nWriteVar:
		t.emit(OpSyncXn, func(v *[numSlots]uint64) {
			v[SlotA], v[SlotB], v[SlotChannel] = uint64(n.ch.peer.vars+int(n.n)), uint64(n.x[0]), uint64(n.ch.number)
			v[SlotC], v[SlotD] = uint64(n.ch.notify(int(n.value))), uint64(n.mask)
		})
	default:
		t.control(n)
	}
}

func (t *translation) transfer(n *node) {
	t.emit(n.op, func(v *[numSlots]uint64) {
		for i := range n.x[:4] {
			v[SlotA+Slot(i)] = uint64(n.x[i])
		}
		v[SlotLen], v[SlotLenOn] = uint64(n.x[4]), 1
		if n.ch != nil {
			v[SlotChannel] = uint64(n.ch.number)
		}
		v[SlotSet], v[SlotSetMask] = uint64(n.event), uint64(n.mask)
		if n.on {
			v[SlotReduceOn], v[SlotDtype], v[SlotReduce] = 1, n.dt, n.red
		}
	})
}

func (t *translation) fold(n *node) {
	t.emit(n.op, func(v *[numSlots]uint64) {
		for i := range int(n.n) {
			v[SlotA+Slot(i)] = uint64(n.x[0] + i)
		}
		v[SlotLen], v[SlotCount], v[SlotDtype] = uint64(n.x[4]), uint64(n.n-2), n.dt
		v[SlotSet], v[SlotSetMask] = uint64(n.event), uint64(n.mask)
	})
}

// spill moves variables to or from memory: version 1 copies between memory and
// the addresses that its registers have.
func (t *translation) spill(n *node) {
	u := t.r.unit
	at, token, size := t.r.hidden(classGSA), t.r.hidden(classXn), t.r.hidden(classXn)
	t.emit(OpLoadImmGSA, func(v *[numSlots]uint64) { v[SlotA], v[SlotImm] = uint64(at), uint64(n.x[0]) }).label = registers
	t.constant(token, u.token)
	t.here().code[len(t.here().code)-1].ins.V[SlotSecret] = 1
	t.constant(size, uint64(n.n)*8)
	to, from := [2]int{at, token}, [2]int{n.x[1], n.x[2]}
	if n.kind == nStore {
		to, from = from, to
	}
	t.transfer(&node{op: OpMemToMem, x: [5]int{to[0], to[1], from[0], from[1], size}, event: n.event, mask: n.mask})
}

// registers stands for a label: the constant is a variable, and becomes the
// address of its register.
const registers = -1
