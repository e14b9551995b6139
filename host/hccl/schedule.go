package hccl

import (
	"fmt"
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

// frame is what the phases of an operation share in one round.
type frame struct {
	p, r, root int32
	levels     int32  // ceil(log2 p)
	input      layout // chunks in Input
	output     layout // chunks in Output
	slot       int64  // bytes of one scratch slot
	result     int64  // where in Output the reduced own chunk goes
	own        bool   // the own chunk is copied from Input to Output first
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

// scratch is the place of a slot.
func (f *frame) scratch(slot int32) Loc { return Loc{Buf: Scratch, Off: int64(slot) * f.slot} }

// copyOwn is the local copy that opens a phase which works in Output.
func (f *frame) copyOwn(j int32, st *Step) bool {
	if j > 0 || !f.own {
		return false
	}
	local(st, Copy, Loc{Buf: Input, Off: f.input.at(f.r)}, Loc{Buf: Output, Off: f.output.at(f.r)}, f.output.len(f.r))
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

// Params fixes one operation for one rank.
type Params struct {
	Op      OpKind
	Alg     Algorithm // not Auto
	Ranks   int
	Rank    int
	Root    int
	Count   int64 // elements: of the whole vector (all_reduce, broadcast), of one rank's part otherwise
	Elem    int64 // bytes of an element
	InPlace bool  // this rank's Output is where its Input is
	Scratch int64 // bytes of scratch memory at every rank; 0 = enough for one round
}

// InBytes and OutBytes are the sizes of the user's buffers.
func (p *Params) InBytes() int64 {
	if p.Op == ReduceScatter || p.Op == AllToAll {
		return p.Count * p.Elem * int64(p.Ranks)
	}
	return p.Count * p.Elem
}

// OutBytes is the size of the receive buffer.
func (p *Params) OutBytes() int64 {
	if p.Op == AllGather || p.Op == AllToAll {
		return p.Count * p.Elem * int64(p.Ranks)
	}
	return p.Count * p.Elem
}

func (p *Params) check() error {
	switch {
	case p.Ranks < 1:
		return fmt.Errorf("hccl: plan %v: got %d ranks, want at least 1", p.Op, p.Ranks)
	case p.Rank < 0 || p.Rank >= p.Ranks:
		return fmt.Errorf("hccl: plan %v: got rank %d, want 0 to %d", p.Op, p.Rank, p.Ranks-1)
	case p.Op == Broadcast && (p.Root < 0 || p.Root >= p.Ranks):
		return fmt.Errorf("hccl: plan %v: got root %d, want 0 to %d", p.Op, p.Root, p.Ranks-1)
	case p.Count < 0 || p.Elem < 1:
		return fmt.Errorf("hccl: plan %v: got %d elements of %d bytes", p.Op, p.Count, p.Elem)
	case !Supports(p.Op, p.Alg):
		return fmt.Errorf("hccl: plan %v: algorithm %v does not exist for it (try %s)", p.Op, p.Alg, names(Algorithms(p.Op)))
	}
	return nil
}

func names(list []Algorithm) string {
	s := make([]string, len(list))
	for i, a := range list {
		s[i] = a.String()
	}
	return join(s)
}

// logCeil is ceil(log2 p), 0 for p = 1.
func logCeil(p int32) int32 { return int32(bits.Len32(uint32(p - 1))) }

// build returns the phases of the operation; the last handshake belongs to the
// last one (what the ones before it sent is proven delivered by then).
func build(p *Params, f *frame) []phase {
	if p.Ranks == 1 {
		return []phase{&alone{f}}
	}
	switch p.Op {
	case AllReduce:
		switch p.Alg {
		case Ring:
			return []phase{&ringRS{f}, &ringAG{f}}
		case Mesh:
			return []phase{&meshRS{frame: f}, &meshAG{frame: f, skip: -1}}
		case MeshOneShot:
			return []phase{&meshRS{frame: f, oneShot: true}}
		case NHR:
			return []phase{&nhrRS{f}, &nhrAG{f}}
		}
	case AllGather:
		switch p.Alg {
		case Ring:
			return []phase{&ringAG{f}}
		case Mesh:
			return []phase{&meshAG{frame: f, skip: -1}}
		case NHR:
			return []phase{&nhrAG{f}}
		}
	case ReduceScatter:
		switch p.Alg {
		case Ring:
			return []phase{&ringRS{f}}
		case Mesh:
			return []phase{&meshRS{frame: f}}
		case NHR:
			return []phase{&nhrRS{f}}
		}
	case Broadcast:
		switch p.Alg {
		case Ring:
			return []phase{&chain{f}}
		case Mesh:
			return []phase{&meshScatter{f}, &meshAG{frame: f, skip: f.root}}
		case NHR:
			return []phase{&nhrScatter{f}, &nhrAG{f}}
		}
	case AllToAll:
		switch p.Alg {
		case Pairwise:
			return []phase{&pairwise{f}}
		case Mesh:
			return []phase{&meshA2A{f}}
		}
	}
	return nil
}

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
