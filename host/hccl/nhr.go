package hccl

// NHR, the non-uniform hierarchical ring: ceil(log2 p) steps with distances that
// double or halve, for any p. In a step of distance d a rank exchanges
// (p-1+d) div 2d chunks with one peer, every 2d-th one.

// pieces is the number of chunks exchanged at distance 1<<level.
func (f *frame) pieces(level int32) int32 { return (f.p - 1 + 1<<level) >> (level + 1) }

// nhrRS: distance 1, 2, 4 ...; sends to r-d the chunks r-d, r-3d, r-5d ... and
// gets from r+d the chunks r, r-2d, r-4d ...
//
// Chunks that arrive in the first step land in scratch slots 0, 1, 2 ... (chunk
// r-2i in slot i), are combined with the own input and are accumulators from
// then on. Later arrivals land behind them and are combined into the
// accumulator. A chunk that never arrived is sent from the input.
type nhrRS struct{ *frame }

func (a *nhrRS) steps() int32 { return a.levels }

func (a *nhrRS) shape(s int32) (int32, int32) {
	c := a.pieces(s)
	return c, c
}

func (a *nhrRS) slots() int32 {
	n := a.pieces(0)
	if a.levels > 1 {
		n += a.pieces(1)
	}
	return n
}

func (a *nhrRS) slotOf(s, i int32) Loc {
	if s == 0 {
		return a.scratch(i)
	}
	return a.scratch(a.pieces(0) + i)
}

func (a *nhrRS) out(s, i int32, st *Step) {
	d := int32(1) << s
	c := a.left(d + i<<(s+1))
	st.Peer, st.Len, st.Dst = a.left(d), a.input.len(c), a.slotOf(s, i)
	st.Src = a.source(c)
	if s > 0 {
		if acc := d>>1 + i<<s; acc < a.pieces(0) {
			st.Src = a.scratch(acc)
		}
	}
}

func (a *nhrRS) in(s, i int32, st *Step) {
	st.Peer, st.Len, st.Dst = a.right(1<<s), a.input.len(a.left(i<<(s+1))), a.slotOf(s, i)
}

func (a *nhrRS) local(s, i, j int32, st *Step) bool {
	if i < 0 {
		return false
	}
	c := a.left(i << (s + 1))
	n := a.input.len(c)
	switch {
	case j == 0 && s == 0:
		local(st, Reduce, a.source(c), a.scratch(i), n)
	case j == 0:
		local(st, Reduce, a.slotOf(s, i), a.scratch(i<<s), n)
	case j == 1 && s == a.levels-1 && i == 0:
		local(st, Copy, a.scratch(0), a.result, n)
	default:
		return false
	}
	return true
}

func (a *nhrRS) lasts() (int32, bool) { return a.levels, false }

func (a *nhrRS) last(s int32) (rec, wait int32) {
	ins, outs := false, false
	for i := range a.pieces(s) {
		ins = ins || a.input.len(a.left(i<<(s+1))) > 0
		outs = outs || a.input.len(a.left(1<<s+i<<(s+1))) > 0
	}
	return pick(a.right(1<<s), ins), pick(a.left(1<<s), outs)
}

// nhrAG is the same backwards: distance ..., 4, 2, 1; sends to r+d the chunks
// r, r-2d ... and gets from r-d the chunks r-d, r-3d ..., all in Output.
type nhrAG struct{ *frame }

func (a *nhrAG) steps() int32 { return a.levels }
func (a *nhrAG) slots() int32 { return 0 }

func (a *nhrAG) shape(s int32) (int32, int32) {
	c := a.pieces(a.levels - 1 - s)
	return c, c
}

func (a *nhrAG) out(s, i int32, st *Step) {
	l := a.levels - 1 - s
	c := a.left(i << (l + 1))
	st.Peer, st.Len = a.right(1<<l), a.output.len(c)
	st.Src = Loc{Buf: Output, Off: a.output.at(c)}
	st.Dst = st.Src
}

func (a *nhrAG) in(s, i int32, st *Step) {
	l := a.levels - 1 - s
	c := a.left(1<<l + i<<(l+1))
	st.Peer, st.Len, st.Dst = a.left(1<<l), a.output.len(c), Loc{Buf: Output, Off: a.output.at(c)}
}

func (a *nhrAG) local(s, i, j int32, st *Step) bool { return s == 0 && i < 0 && a.copyOwn(j, st) }
func (a *nhrAG) lasts() (int32, bool)               { return a.levels, false }

func (a *nhrAG) last(s int32) (rec, wait int32) {
	l := a.levels - 1 - s
	ins, outs := false, false
	for i := range a.pieces(l) {
		outs = outs || a.output.len(a.left(i<<(l+1))) > 0
		ins = ins || a.output.len(a.left(1<<l+i<<(l+1))) > 0
	}
	return pick(a.left(1<<l), ins), pick(a.right(1<<l), outs)
}

// nhrScatter spreads the root's chunks downwards: at distance d = 1, 2, 4 ...
// the ranks root-k, k < d, that hold data send to root-k-d its chunk and every
// 2d-th one below, as far as they do not reach the root again. The steps are
// synced: nothing comes to the root that could hold back its next step, and
// steps that share its port would delay the first, on which all others wait.
type nhrScatter struct{ *frame }

func (a *nhrScatter) synced() bool { return true }

func (a *nhrScatter) steps() int32 { return a.levels }
func (a *nhrScatter) slots() int32 { return 0 }

// depth is how far below the root the rank is.
func (a *nhrScatter) depth() int32 {
	if k := a.root - a.r; k >= 0 {
		return k
	} else {
		return k + a.p
	}
}

func (a *nhrScatter) shape(s int32) (ins, outs int32) {
	d, k := int32(1)<<s, a.depth()
	switch {
	case k < d && k+d < a.p:
		return 0, (a.p-1-k-d)>>(s+1) + 1
	case k >= d && k < 2*d:
		return (a.p-1-k)>>(s+1) + 1, 0
	}
	return 0, 0
}

func (a *nhrScatter) out(s, i int32, st *Step) {
	c := a.left(1<<s + i<<(s+1))
	st.Peer, st.Len = a.left(1<<s), a.output.len(c)
	st.Src = Loc{Buf: Output, Off: a.output.at(c)}
	st.Dst = st.Src
}

func (a *nhrScatter) in(s, i int32, st *Step) {
	c := a.left(i << (s + 1))
	st.Peer, st.Len, st.Dst = a.right(1<<s), a.output.len(c), Loc{Buf: Output, Off: a.output.at(c)}
}

func (a *nhrScatter) local(_, _, _ int32, _ *Step) bool { return false }
func (a *nhrScatter) lasts() (int32, bool)              { return 0, false }
func (a *nhrScatter) last(int32) (int32, int32)         { return -1, -1 }
