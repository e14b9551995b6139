package ccu

import (
	"fmt"

	"hsim/host/mem"
)

// class is a kind of identifier; it stands in the upper half of the identifiers
// that a program gets, so that one of the wrong kind is found.
type class uint8

const (
	classXn class = iota
	classGSA
	classCKE
	classMS
	numClasses // of registers; the others are only numbers
	classLoop
	classFunction
)

const classShift = 16

var classNames = [...]string{"a variable", "an address", "an event", "a buffer", "", "a loop", "a function"}

var classResource = [numClasses]Resource{Variables, Addresses, Events, Buffers}

// symbol is a register of a program before it has a number: an offset in the
// program's block of its kind, or the number itself.
type symbol struct {
	fixed bool
	n     int
	last  int // index of the last symbol of its array
}

// nodeKind is one recorded operation.
type nodeKind uint8

const (
	nLoadArg nodeKind = iota
	nSet
	nMove
	nAdd
	nAddrSet
	nAddrMove
	nAddrFrom
	nAddrAdd
	nAddrAddAddr
	nTransfer
	nFold
	nLoad
	nStore
	nSetEvent
	nWaitEvent
	nNotify
	nWriteVar
	nIf
	nElse
	nEndIf
	nWhile
	nEndWhile
	nDo
	nEndDo
	nFunction
	nEndFunction
	nCall
	nLoop
	nEndLoop
	nGroup
)

// node is one recorded operation with its operands; which fields count follows
// from the kind. x are symbol indices in the order of the import's arguments.
type node struct {
	kind  nodeKind
	op    Op // of a transfer or reduction
	cmp   uint32
	x     [5]int
	event int
	mask  uint16
	ch    *Channel
	value uint64
	n     uint32
	dt    uint64 // hardware's number of the data type
	red   uint64
	on    bool // a transfer reduces
}

// loop is a recorded loop.
type loop struct {
	iterations, step int // symbols
	grouped          bool
	label            int // of its body; translation fills it
	end              int
}

// Recorder collects the operations of one microprogram, and refuses what the die
// cannot do. The first refusal stays; what comes after it changes nothing. The
// methods are the imports of the ccu interface in package abi.
type Recorder struct {
	unit  *Unit
	chans []*Channel
	err   error
	op    string // being recorded

	syms  [numClasses][]symbol
	need  [numClasses]int
	nodes []node
	open  []nodeKind // blocks that are not ended
	loops []loop
	funcs int
	begun bool        // something else than load_arg came
	args  map[int]int // argument -> node that loads it
	vars  map[[2]int]int
}

func newRecorder(u *Unit, chans []*Channel) *Recorder {
	r := &Recorder{unit: u, chans: chans, args: map[int]int{}, vars: map[[2]int]int{}}
	for c := range r.syms {
		r.syms[c] = []symbol{{fixed: true}} // 0: the register that holds zero; of events all ones
	}
	r.loops = make([]loop, 1)
	return r
}

// Err is the first refusal, nil without one.
func (r *Recorder) Err() error { return r.err }

func (r *Recorder) fail(format string, args ...any) {
	if r.err == nil {
		r.err = fmt.Errorf("%s: %w", r.op, fmt.Errorf(format, args...))
	}
}

// where an operation may stand.
type place uint8

const (
	anywhere place = iota
	outside        // not in the body of a loop
)

// enter begins to record an operation; false when nothing must be recorded.
func (r *Recorder) enter(op string, p place) bool {
	if r.err != nil {
		return false
	}
	r.op = op
	if p == outside && r.within(nLoop) {
		r.fail("got it in the body of a loop, want only moves, reductions and waits there")
		return false
	}
	if op != "load_arg" {
		r.begun = true
	}
	return true
}

// within says whether a block of the kind is open.
func (r *Recorder) within(k nodeKind) bool {
	for _, o := range r.open {
		if o == k {
			return true
		}
	}
	return false
}

// add records a node unless one of its operands was refused.
func (r *Recorder) add(n node) {
	if r.err == nil {
		r.nodes = append(r.nodes, n)
	}
}

// take makes n symbols in a row.
func (r *Recorder) take(op string, c class, n uint32) int32 {
	if r.err != nil {
		return 0
	}
	r.op = op
	res := classResource[c]
	if n == 0 {
		r.fail("got 0, want at least 1")
		return 0
	}
	if usable := r.unit.pools[res].usable(); uint64(n)+uint64(r.need[c]) > uint64(usable) {
		r.fail("got a need of %d %v, want at most %d: a die has no more", uint64(n)+uint64(r.need[c]), res, usable)
		return 0
	}
	first := len(r.syms[c])
	for range n {
		r.syms[c] = append(r.syms[c], symbol{n: r.need[c], last: first + int(n) - 1})
		r.need[c]++
	}
	return int32(c)<<classShift | int32(first)
}

// hidden is a variable that the translation needs for itself.
func (r *Recorder) hidden(c class) int {
	id := r.take("translate", c, 1)
	return int(id & (1<<classShift - 1))
}

// get finds the symbol of an identifier.
func (r *Recorder) get(arg string, c class, id int32) int {
	i, kind := int(id&(1<<classShift-1)), class(uint32(id)>>classShift)
	if r.err == nil && (id <= 0 || kind != c || i == 0 || i >= r.count(c)) {
		got := fmt.Sprintf("%d", id)
		if id > 0 && kind != c && int(kind) < len(classNames) && classNames[kind] != "" {
			got = classNames[kind]
		}
		r.fail("%s: got %s, want %s that was taken before", arg, got, classNames[c])
	}
	if r.err != nil {
		return 0
	}
	return i
}

func (r *Recorder) count(c class) int {
	switch c {
	case classLoop:
		return len(r.loops)
	case classFunction:
		return r.funcs + 1
	}
	return len(r.syms[c])
}

// array is get for count symbols in a row.
func (r *Recorder) array(arg string, c class, id int32, count uint32) int {
	i := r.get(arg, c, id)
	if r.err == nil && uint64(i)+uint64(count) > uint64(r.syms[c][i].last)+1 {
		r.fail("%s: got %d from there on, want at most the %d that were taken together", arg, count, r.syms[c][i].last+1-i)
	}
	return i
}

// channel finds a channel that the program may use.
func (r *Recorder) channel(n uint32) *Channel {
	if r.err != nil {
		return nil
	}
	if uint64(n) >= uint64(len(r.chans)) {
		r.fail("channel: got %d, want less than the %d of the registration", n, len(r.chans))
		return nil
	}
	c := r.chans[n]
	if c.unit != r.unit {
		r.fail("channel: got channel %d of die %d in a program of die %d, want a channel of the program's own die", n, c.unit.die, r.unit.die)
		return nil
	}
	return c
}

func (r *Recorder) mask(m uint32) uint16 {
	if r.err == nil && (m == 0 || m > 0xffff) {
		r.fail("mask: got 0x%x, want 1 to 16 bits of 0xffff", m)
	}
	return uint16(m)
}

// second refuses what only version 2 has.
func (r *Recorder) second(op string) {
	if r.enter(op, anywhere) {
		r.fail("got an operation of version 2 on a die of version %d", r.unit.Version())
	}
}

// finish refuses what is not complete.
func (r *Recorder) finish() error {
	r.op = "end of the program"
	if n := len(r.open); n > 0 {
		r.fail("got no %s, want one for every %s", blockNames[r.open[n-1]][1], blockNames[r.open[n-1]][0])
	}
	if len(r.nodes) == 0 {
		r.fail("got no operation, want at least one")
	}
	for i := range r.loops[1:] {
		if !r.loops[i+1].grouped {
			r.fail("got loop %d in no loop_group, want each to run", i+1)
		}
	}
	for i := range len(r.args) {
		if _, ok := r.args[i]; !ok {
			r.fail("got %d arguments without number %d, want 0 to %d", len(r.args), i, len(r.args)-1)
		}
	}
	return r.err
}

var blockNames = map[nodeKind][2]string{nIf: {"if_begin", "if_end"}, nElse: {"if_begin", "if_end"}, nWhile: {"while_begin", "while_end"},
	nDo: {"do_begin", "do_end"}, nFunction: {"function_begin", "function_end"}, nLoop: {"loop_begin", "loop_end"}}

// remoteTypes are the hardware's numbers of data types in moves to and from
// peers, bufferTypes in reductions of buffers. Source: the public driver's tables.
var (
	remoteTypes = map[mem.Dtype]uint64{mem.Int8: 0, mem.Int16: 1, mem.Int32: 2, mem.Uint8: 3, mem.Uint16: 4, mem.Uint32: 5,
		mem.FP16: 6, mem.FP32: 7, mem.BF16: 8}
	bufferTypes = map[mem.Dtype]uint64{mem.FP32: 0, mem.FP16: 1, mem.BF16: 2, mem.E4M3: 4, mem.E5M2: 5, mem.Int8: 6, mem.Uint8: 7,
		mem.Int16: 8, mem.Int32: 9}
)

// remoteOps are the numbers of operators in moves.
var remoteOps = map[mem.Op]uint64{mem.Max: 8, mem.Min: 9, mem.Sum: 10}

func typeOf(table map[mem.Dtype]uint64, code uint64) (mem.Dtype, bool) {
	for dt := mem.Dtype(0); dt < 32; dt++ {
		if n, ok := table[dt]; ok && n == code {
			return dt, true
		}
	}
	return 0, false
}
