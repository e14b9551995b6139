package hccl

import (
	"math/bits"
)

// layout places the chunks of a vector in a buffer: chunk c starts at off +
// c*stride plus one element for each of the first rem chunks before it, and has
// size bytes, one element more if it is one of the first rem.
type layout struct {
	off, stride, size, elem int64
	rem                     int32
}

// split divides n elements into p chunks as evenly as elements allow.
func split(off, n, elem int64, p int32) layout {
	q := n / int64(p)
	return layout{off: off, stride: q * elem, size: q * elem, elem: elem, rem: int32(n % int64(p))}
}

func (l *layout) at(c int32) int64 {
	return l.off + int64(c)*l.stride + int64(min(c, l.rem))*l.elem
}

func (l *layout) len(c int32) int64 {
	if c < l.rem {
		return l.size + l.elem
	}
	return l.size
}

// total is the number of bytes of all chunks together, widest the largest chunk.
func (l *layout) total(p int32) int64 { return l.size*int64(p) + int64(l.rem)*l.elem }

func (l *layout) widest() int64 { return l.len(0) }

// frame is what the phases of an operation share in one round: a group of ranks
// that exchange chunks among each other, all ranks or one level of a hierarchy.
// Phases count members 0 to p-1; member i is rank base + i*step.
type frame struct {
	p, r, root int32
	base, step int32
	levels     int32  // ceil(log2 p)
	from       Buf    // that the chunks of input are in
	input      layout // chunks to be sent or reduced
	output     layout // chunks in Output
	at         int64  // where the scratch slots begin
	slot       int64  // bytes of one scratch slot
	result     Loc    // where the reduced own chunk goes
	own        bool   // the own chunk is copied from Input to Output first
}

// group is the frame of a phase.
func (f *frame) group() *frame { return f }

// rank is the rank of a member, -1 for none.
func (f *frame) rank(member int32) int32 {
	if member < 0 {
		return member
	}
	return f.base + f.step*member
}

// synced is what most phases are not: the next step's arrivals hold them back.
func (f *frame) synced() bool { return false }

// closing is what most phases do after the last handshake: nothing.
func (f *frame) closing(int32, *Step) bool { return false }

func (f *frame) right(d int32) int32 {
	if x := f.r + d; x < f.p {
		return x
	} else {
		return x - f.p
	}
}

func (f *frame) left(d int32) int32 {
	if x := f.r - d; x >= 0 {
		return x
	} else {
		return x + f.p
	}
}

// scratch is the place of a slot, source that of a chunk of input.
func (f *frame) scratch(slot int32) Loc { return Loc{Buf: Scratch, Off: f.at + int64(slot)*f.slot} }

func (f *frame) source(c int32) Loc { return Loc{Buf: f.from, Off: f.input.at(c)} }

// copyOwn is the local copy that opens a phase which works in Output.
func (f *frame) copyOwn(j int32, st *Step) bool {
	if j > 0 || !f.own {
		return false
	}
	local(st, Copy, f.source(f.r), Loc{Buf: Output, Off: f.output.at(f.r)}, f.output.len(f.r))
	return true
}

func local(st *Step, k StepKind, src, dst Loc, n int64) {
	st.Kind, st.Peer, st.Src, st.Dst, st.Len = k, -1, src, dst, n
}

// phase is one part of an algorithm: steps in which a rank writes pieces to
// peers and gets pieces written, with local work after each arrival. Pieces of
// one peer in one step stand together. A piece of length zero does not move;
// both sides see that from the layout. All methods are pure.
type phase interface {
	group() *frame
	steps() int32
	// shape is the number of pieces that arrive and that leave in step s.
	shape(s int32) (ins, outs int32)
	// in fills Peer, Dst and Len of arriving piece i, out fills Src too.
	in(s, i int32, st *Step)
	out(s, i int32, st *Step)
	// local fills the j-th local action after piece i has arrived, or before the
	// step for i = -1; false when there is none.
	local(s, i, j int32, st *Step) bool
	// lasts is the number of pairs of the closing handshake; pair i records at
	// rank rec and waits for rank wait, -1 for none. A barrier does one pair after
	// the other, else all records come first.
	lasts() (n int32, barrier bool)
	last(i int32) (rec, wait int32)
	// closing is the j-th local action after the last handshake.
	closing(j int32, st *Step) bool
	// synced says that a sender waits at the end of a step until its data has
	// arrived, by a last handshake of the step.
	synced() bool
	// slots is the scratch slots the phase uses, each of one widest chunk.
	slots() int32
}

// logCeil is ceil(log2 p), 0 for p = 1.
func logCeil(p int32) int32 { return int32(bits.Len32(uint32(p - 1))) }

// alone is any operation of a single rank: a copy.
type alone struct{ *frame }

func (a *alone) steps() int32                       { return 1 }
func (a *alone) shape(int32) (int32, int32)         { return 0, 0 }
func (a *alone) in(_, _ int32, _ *Step)             {}
func (a *alone) out(_, _ int32, _ *Step)            {}
func (a *alone) local(_, i, j int32, st *Step) bool { return i < 0 && a.copyOwn(j, st) }
func (a *alone) lasts() (int32, bool)               { return 0, false }
func (a *alone) last(int32) (int32, int32)          { return -1, -1 }
func (a *alone) slots() int32                       { return 0 }
