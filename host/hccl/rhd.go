package hccl

import "math/bits"

// Recursive halving and doubling (HCCL's H-D_R) over a power of two of ranks: in a
// step of distance d a rank exchanges half of the chunks it still works on, d of
// them, with the one rank whose number differs in that bit.

// half is the first chunk of the run of d chunks that a rank keeps at distance d.
func half(r, d int32) int32 { return r &^ (d - 1) }

// rhdRS: distance p/2, ..., 2, 1; a rank sends the half that its partner keeps and
// gets the one it keeps itself. Chunks that arrive first land in scratch slots in
// order, are combined with the own input and are accumulators from then on; later
// arrivals land behind them.
type rhdRS struct{ *frame }

func (a *rhdRS) steps() int32 { return a.levels }

func (a *rhdRS) distance(s int32) int32 { return a.p >> (s + 1) }

func (a *rhdRS) shape(s int32) (int32, int32) {
	d := a.distance(s)
	return d, d
}

func (a *rhdRS) slots() int32 { return a.p/2 + a.p/4 }

// kept is the accumulator of a chunk.
func (a *rhdRS) kept(c int32) Loc { return a.scratch(c - half(a.r, a.p/2)) }

// landing is where piece i of step s goes, which is the same at both partners.
func (a *rhdRS) landing(s, i int32) Loc {
	if s == 0 {
		return a.scratch(i)
	}
	return a.scratch(a.p/2 + i)
}

func (a *rhdRS) out(s, i int32, st *Step) {
	d := a.distance(s)
	st.Peer = a.r ^ d
	c := half(st.Peer, d) + i
	st.Len, st.Dst, st.Src = a.input.len(c), a.landing(s, i), a.source(c)
	if s > 0 {
		st.Src = a.kept(c)
	}
}

func (a *rhdRS) in(s, i int32, st *Step) {
	d := a.distance(s)
	st.Peer, st.Len, st.Dst = a.r^d, a.input.len(half(a.r, d)+i), a.landing(s, i)
}

func (a *rhdRS) local(s, i, j int32, st *Step) bool {
	if i < 0 {
		return false
	}
	c := half(a.r, a.distance(s)) + i
	n := a.input.len(c)
	switch {
	case j == 0 && s == 0:
		local(st, Reduce, a.source(c), a.kept(c), n)
	case j == 0:
		local(st, Reduce, a.landing(s, i), a.kept(c), n)
	case j == 1 && s == a.levels-1:
		local(st, Copy, a.kept(c), a.result, n)
	default:
		return false
	}
	return true
}

func (a *rhdRS) lasts() (int32, bool) { return a.levels, false }

func (a *rhdRS) last(s int32) (rec, wait int32) {
	d := a.distance(s)
	return a.pair(d, some(&a.input, half(a.r, d), d), some(&a.input, half(a.r^d, d), d))
}

// pair is the last handshake with the partner at distance d.
func (f *frame) pair(d int32, came, went bool) (rec, wait int32) {
	return pick(f.r^d, came), pick(f.r^d, went)
}

// some says whether one of n chunks from c on is not empty; those behind the first
// are no larger.
func some(l *layout, c, n int32) bool { return n > 0 && l.len(c) > 0 }

// rhdAG is the same backwards: distance 1, 2, ..., p/2; a rank sends the d chunks
// it has and gets as many, all in Output.
type rhdAG struct{ *frame }

func (a *rhdAG) steps() int32 { return a.levels }
func (a *rhdAG) slots() int32 { return 0 }

func (a *rhdAG) shape(s int32) (int32, int32) { return 1 << s, 1 << s }

func (a *rhdAG) out(s, i int32, st *Step) {
	d := int32(1) << s
	c := half(a.r, d) + i
	st.Peer, st.Len = a.r^d, a.output.len(c)
	st.Src = Loc{Buf: Output, Off: a.output.at(c)}
	st.Dst = st.Src
}

func (a *rhdAG) in(s, i int32, st *Step) {
	d := int32(1) << s
	c := half(a.r^d, d) + i
	st.Peer, st.Len, st.Dst = a.r^d, a.output.len(c), Loc{Buf: Output, Off: a.output.at(c)}
}

func (a *rhdAG) local(s, i, j int32, st *Step) bool { return s == 0 && i < 0 && a.copyOwn(j, st) }
func (a *rhdAG) lasts() (int32, bool)               { return a.levels, false }

func (a *rhdAG) last(s int32) (rec, wait int32) {
	d := int32(1) << s
	return a.pair(d, some(&a.output, half(a.r^d, d), d), some(&a.output, half(a.r, d), d))
}

// powerOf2 says whether recursive halving and doubling takes so many ranks.
func powerOf2(n int) bool { return n > 0 && bits.OnesCount(uint(n)) == 1 }
