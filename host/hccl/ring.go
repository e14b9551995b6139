package hccl

// ringRS reduces chunk c around the ring from rank c+1 to rank c: in step s a
// rank sends chunk r-1-s to its right and gets r-2-s from its left into scratch
// slot s, where it combines it with its own input. The result of chunk r is
// copied to Output at the end. Order: ((x[c+1] + x[c+2]) + ...) + x[c].
type ringRS struct{ *frame }

func (a *ringRS) steps() int32               { return a.p - 1 }
func (a *ringRS) shape(int32) (int32, int32) { return 1, 1 }
func (a *ringRS) slots() int32               { return a.p - 1 }

func (a *ringRS) out(s, _ int32, st *Step) {
	c := a.left(1 + s)
	st.Peer, st.Len = a.right(1), a.input.len(c)
	if s == 0 {
		st.Src = a.source(c)
	} else {
		st.Src = a.scratch(s - 1)
	}
	st.Dst = a.scratch(s)
}

func (a *ringRS) chunk(s int32) int32 {
	if s == a.p-2 {
		return a.r
	}
	return a.left(2 + s)
}

func (a *ringRS) in(s, _ int32, st *Step) {
	st.Peer, st.Len = a.left(1), a.input.len(a.chunk(s))
	st.Dst = a.scratch(s)
}

func (a *ringRS) local(s, i, j int32, st *Step) bool {
	switch {
	case i < 0 || j > 1:
		return false
	case j == 0:
		c := a.chunk(s)
		local(st, Reduce, a.source(c), a.scratch(s), a.input.len(c))
		return true
	case s == a.p-2:
		local(st, Copy, a.scratch(s), a.result, a.input.len(a.r))
		return true
	}
	return false
}

func (a *ringRS) lasts() (int32, bool) { return 1, false }

// last covers everything between the two neighbours; all chunks but one pass.
func (a *ringRS) last(int32) (rec, wait int32) {
	return a.ringLast(&a.input, a.left(1), a.r)
}

// ringLast records to the left if anything came (all but chunk notIn) and waits
// for the right if anything went (all but chunk notOut).
func (f *frame) ringLast(l *layout, notIn, notOut int32) (rec, wait int32) {
	rec, wait = -1, -1
	if l.total(f.p) > l.len(notIn) {
		rec = f.left(1)
	}
	if l.total(f.p) > l.len(notOut) {
		wait = f.right(1)
	}
	return rec, wait
}

// ringAG passes finished chunks around: in step s a rank sends chunk r-s to its
// right, straight into the peer's Output, and gets r-1-s.
type ringAG struct{ *frame }

func (a *ringAG) steps() int32               { return a.p - 1 }
func (a *ringAG) shape(int32) (int32, int32) { return 1, 1 }
func (a *ringAG) slots() int32               { return 0 }

func (a *ringAG) out(s, _ int32, st *Step) {
	c := a.left(s)
	st.Peer, st.Len = a.right(1), a.output.len(c)
	st.Src = Loc{Buf: Output, Off: a.output.at(c)}
	st.Dst = st.Src
}

func (a *ringAG) in(s, _ int32, st *Step) {
	c := a.left(1 + s)
	st.Peer, st.Len = a.left(1), a.output.len(c)
	st.Dst = Loc{Buf: Output, Off: a.output.at(c)}
}

func (a *ringAG) local(s, i, j int32, st *Step) bool {
	return s == 0 && i < 0 && a.copyOwn(j, st)
}

func (a *ringAG) lasts() (int32, bool) { return 1, false }

func (a *ringAG) last(int32) (rec, wait int32) {
	return a.ringLast(&a.output, a.r, a.right(1))
}

// chain is the ring's broadcast: the whole vector from the root on, each rank
// forwarding what it has received.
type chain struct{ *frame }

func (a *chain) steps() int32 { return a.p - 1 }
func (a *chain) slots() int32 { return 0 }

// depth is how far the rank is from the root.
func (a *chain) depth() int32 {
	if d := a.r - a.root; d >= 0 {
		return d
	} else {
		return d + a.p
	}
}

func (a *chain) shape(s int32) (ins, outs int32) {
	switch d := a.depth(); s {
	case d - 1:
		return 1, 0
	case d:
		return 0, 1
	}
	return 0, 0
}

func (a *chain) in(_, _ int32, st *Step) {
	st.Peer, st.Len, st.Dst = a.left(1), a.output.total(a.p), Loc{Buf: Output, Off: a.output.off}
}

func (a *chain) out(_, _ int32, st *Step) {
	st.Peer, st.Len, st.Dst = a.right(1), a.output.total(a.p), Loc{Buf: Output, Off: a.output.off}
	st.Src = st.Dst
}

func (a *chain) local(_, _, _ int32, _ *Step) bool { return false }
func (a *chain) lasts() (int32, bool)              { return 1, false }

func (a *chain) last(int32) (rec, wait int32) {
	rec, wait = -1, -1
	d := a.depth()
	if d > 0 {
		rec = a.left(1)
	}
	if d < a.p-1 {
		wait = a.right(1)
	}
	return rec, wait
}
