package ccu

import "fmt"

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
