package hccl

// meshRS sends piece c of the input to rank c, from everybody at once, into one
// scratch slot per sender, and combines in ascending rank order (own input at
// its place): ((x[0] + x[1]) + x[2]) + ... With a layout whose every chunk is
// the whole vector it is the one-shot all_reduce; then the sum leaves scratch
// only after the last handshake, because in place it overwrites what a slow
// transfer may still be sending.
type meshRS struct {
	*frame
	oneShot bool
}

func (a *meshRS) steps() int32               { return 1 }
func (a *meshRS) shape(int32) (int32, int32) { return a.p - 1, a.p - 1 }
func (a *meshRS) slots() int32               { return a.p - 1 }

// Senders start with their right neighbour, so that no rank is everybody's first.
func (a *meshRS) out(_, i int32, st *Step) {
	q := a.right(1 + i)
	st.Peer, st.Len = q, a.input.len(q)
	st.Src = a.source(q)
	if a.r < q {
		st.Dst = a.scratch(a.r)
	} else {
		st.Dst = a.scratch(a.r - 1)
	}
}

func (a *meshRS) in(_, i int32, st *Step) {
	st.Peer, st.Len, st.Dst = i, a.input.len(a.r), a.scratch(i)
	if i >= a.r {
		st.Peer++
	}
}

// Local actions after piece i: combine it, then the own input where its turn
// is, then (after the last piece) copy the sum out of slot 0.
func (a *meshRS) local(_, i, j int32, st *Step) bool {
	if i < 0 {
		return false
	}
	n := a.input.len(a.r)
	if i > 0 {
		if j == 0 {
			local(st, Reduce, a.scratch(i), a.scratch(0), n)
			return true
		}
		j--
	}
	if i == a.r-1 || (a.r == 0 && i == 0) {
		if j == 0 {
			local(st, Reduce, a.source(a.r), a.scratch(0), n)
			return true
		}
		j--
	}
	if i == a.p-2 && j == 0 && !a.oneShot {
		local(st, Copy, a.scratch(0), a.result, n)
		return true
	}
	return false
}

func (a *meshRS) closing(j int32, st *Step) bool {
	if j > 0 || !a.oneShot {
		return false
	}
	local(st, Copy, a.scratch(0), a.result, a.input.len(a.r))
	return true
}

func (a *meshRS) lasts() (int32, bool) { return a.p - 1, false }

func (a *meshRS) last(i int32) (rec, wait int32) {
	q := a.right(1 + i)
	return pick(q, a.input.len(a.r) > 0), pick(q, a.input.len(q) > 0)
}

func pick(peer int32, moved bool) int32 {
	if moved {
		return peer
	}
	return -1
}

// meshAG writes the own chunk into every peer's Output at once. Rank skip (the
// root of a broadcast, which has everything) is left out.
type meshAG struct {
	*frame
	skip int32
}

func (a *meshAG) steps() int32               { return 1 }
func (a *meshAG) shape(int32) (int32, int32) { return a.p - 1, a.p - 1 }
func (a *meshAG) slots() int32               { return 0 }

func (a *meshAG) out(_, i int32, st *Step) {
	st.Peer = a.right(1 + i)
	st.Src = Loc{Buf: Output, Off: a.output.at(a.r)}
	st.Dst = st.Src
	st.Len = a.moved(a.r, st.Peer)
}

func (a *meshAG) in(_, i int32, st *Step) {
	st.Peer = a.left(1 + i)
	st.Dst = Loc{Buf: Output, Off: a.output.at(st.Peer)}
	st.Len = a.moved(st.Peer, a.r)
}

func (a *meshAG) moved(from, to int32) int64 {
	if to == a.skip {
		return 0
	}
	return a.output.len(from)
}

func (a *meshAG) local(_, i, j int32, st *Step) bool { return i < 0 && a.copyOwn(j, st) }
func (a *meshAG) lasts() (int32, bool)               { return a.p - 1, false }

// last also covers what the root of a broadcast scattered before: where its own
// chunk is empty nothing else tells it that the scattered one has arrived.
func (a *meshAG) last(i int32) (rec, wait int32) {
	q := a.right(1 + i)
	in := a.moved(q, a.r) > 0 || q == a.skip && a.output.len(a.r) > 0
	out := a.moved(a.r, q) > 0 || a.r == a.skip && a.output.len(q) > 0
	return pick(q, in), pick(q, out)
}

// meshScatter sends chunk c of the root's buffer to rank c. acked: the root waits
// until all have theirs.
type meshScatter struct {
	*frame
	acked bool
}

func (a *meshScatter) synced() bool { return a.acked }

func (a *meshScatter) steps() int32 { return 1 }
func (a *meshScatter) slots() int32 { return 0 }

func (a *meshScatter) shape(int32) (ins, outs int32) {
	if a.r == a.root {
		return 0, a.p - 1
	}
	return 1, 0
}

func (a *meshScatter) out(_, i int32, st *Step) {
	st.Peer = a.right(1 + i)
	st.Len = a.output.len(st.Peer)
	st.Src = Loc{Buf: Output, Off: a.output.at(st.Peer)}
	st.Dst = st.Src
}

func (a *meshScatter) in(_, _ int32, st *Step) {
	st.Peer, st.Len, st.Dst = a.root, a.output.len(a.r), Loc{Buf: Output, Off: a.output.at(a.r)}
}

func (a *meshScatter) local(_, _, _ int32, _ *Step) bool { return false }
func (a *meshScatter) lasts() (int32, bool)              { return 0, false }
func (a *meshScatter) last(int32) (int32, int32)         { return -1, -1 }

// meshA2A writes every peer's block at once.
type meshA2A struct{ *frame }

func (a *meshA2A) steps() int32               { return 1 }
func (a *meshA2A) shape(int32) (int32, int32) { return a.p - 1, a.p - 1 }
func (a *meshA2A) slots() int32               { return 0 }
func (a *meshA2A) out(_, i int32, st *Step)   { a.block(a.right(1+i), st) }
func (a *meshA2A) in(_, i int32, st *Step)    { a.landing(a.left(1+i), st) }

func (a *meshA2A) local(_, i, j int32, st *Step) bool { return i < 0 && a.copyOwn(j, st) }
func (a *meshA2A) lasts() (int32, bool)               { return a.p - 1, false }

func (a *meshA2A) last(i int32) (rec, wait int32) {
	q := a.right(1 + i)
	moved := a.input.size > 0
	return pick(q, moved), pick(q, moved)
}

// block is the all_to_all piece for rank q, landing the one from it.
func (f *frame) block(q int32, st *Step) {
	st.Peer, st.Len = q, f.input.len(q)
	st.Src = f.source(q)
	st.Dst = Loc{Buf: Output, Off: f.output.at(f.r)}
}

func (f *frame) landing(q int32, st *Step) {
	st.Peer, st.Len = q, f.output.len(q)
	st.Dst = Loc{Buf: Output, Off: f.output.at(q)}
}

// pairwise is the all_to_all of p-1 exchanges: in step s with r+1+s and r-1-s.
// It closes with a dissemination barrier, log2 p stages, instead of p-1 pairs.
type pairwise struct{ *frame }

func (a *pairwise) steps() int32               { return a.p - 1 }
func (a *pairwise) shape(int32) (int32, int32) { return 1, 1 }
func (a *pairwise) slots() int32               { return 0 }
func (a *pairwise) out(s, _ int32, st *Step)   { a.block(a.right(1+s), st) }
func (a *pairwise) in(s, _ int32, st *Step)    { a.landing(a.left(1+s), st) }

func (a *pairwise) local(s, i, j int32, st *Step) bool {
	return s == 0 && i < 0 && a.copyOwn(j, st)
}

func (a *pairwise) lasts() (int32, bool) { return a.levels, true }

func (a *pairwise) last(i int32) (rec, wait int32) {
	return a.right(1 << i), a.left(1 << i)
}
