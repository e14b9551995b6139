package hccl

// The two-level all_to_all. Inside the server every rank hands over, for each
// server, what goes to the neighbour's counterpart there; between servers each
// rank then passes on what its whole server has for its counterparts. Blocks for
// the own server go straight to their place.

func (t *twoLevel) allToAll() {
	o, i := &t.outer, &t.inner // inside the server, between servers
	near, far := &nearA2A{frame: o, t: t}, &farA2A{frame: i, t: t}
	t.phases = []phase{near, far}
	t.closers = t.phases
	t.place = func(e, n int64) {
		o.input = t.blocks(0, 0, 1, e, n)
		o.at, o.slot = t.base, n*t.prm.Elem
		far.together = n == t.prm.Count
	}
	t.need = func(n int64) int64 { return n * t.prm.Elem * int64(t.prm.Ranks) }
}

// staged is where the block from member of the own server for the own
// counterpart in a server waits.
func (t *twoLevel) staged(server, member int32) Loc {
	return t.outer.scratch(server*t.outer.p + member)
}

// block is where the block of a server's member is in Input or Output.
func (t *twoLevel) block(b Buf, server, member int32) Loc {
	return Loc{Buf: b, Off: t.outer.input.at(server*t.outer.p + member)}
}

// nearA2A is the part inside the server: all neighbours at once.
type nearA2A struct {
	*frame
	t *twoLevel
}

func (a *nearA2A) steps() int32 { return 1 }
func (a *nearA2A) slots() int32 { return 0 }

func (a *nearA2A) shape(int32) (int32, int32) {
	n := (a.p - 1) * a.t.inner.p
	return n, n
}

func (a *nearA2A) out(_, i int32, st *Step) {
	q, server := a.right(1+i/a.t.inner.p), i%a.t.inner.p
	st.Peer, st.Len, st.Src = q, a.slot, a.t.block(Input, server, q)
	st.Dst = a.target(server, a.r)
}

func (a *nearA2A) in(_, i int32, st *Step) {
	q, server := a.left(1+i/a.t.inner.p), i%a.t.inner.p
	st.Peer, st.Len, st.Dst = q, a.slot, a.target(server, q)
}

// target is where a block from a member for a server's counterpart goes.
func (a *nearA2A) target(server, member int32) Loc {
	if server == a.t.inner.r {
		return a.t.block(Output, server, member)
	}
	return a.t.staged(server, member)
}

func (a *nearA2A) local(_, i, j int32, st *Step) bool {
	if i >= 0 || j >= a.t.inner.p {
		return false
	}
	local(st, Copy, a.t.block(Input, j, a.r), a.target(j, a.r), a.slot)
	return true
}

func (a *nearA2A) lasts() (int32, bool) { return a.p - 1, false }

func (a *nearA2A) last(i int32) (rec, wait int32) {
	q := a.right(1 + i)
	return pick(q, a.slot > 0), pick(q, a.slot > 0)
}

// farA2A is the part between servers: pairwise, closed by a barrier.
type farA2A struct {
	*frame
	t        *twoLevel
	together bool // the blocks of a server are one run of bytes
}

func (a *farA2A) steps() int32 { return a.p - 1 }
func (a *farA2A) slots() int32 { return 0 }

func (a *farA2A) shape(int32) (int32, int32) {
	if a.together {
		return 1, 1
	}
	return a.t.outer.p, a.t.outer.p
}

func (a *farA2A) size() int64 {
	if a.together {
		return a.t.outer.slot * int64(a.t.outer.p)
	}
	return a.t.outer.slot
}

func (a *farA2A) out(s, i int32, st *Step) {
	st.Peer, st.Len = a.right(1+s), a.size()
	st.Src, st.Dst = a.t.staged(st.Peer, i), a.t.block(Output, a.r, i)
}

func (a *farA2A) in(s, i int32, st *Step) {
	st.Peer, st.Len = a.left(1+s), a.size()
	st.Dst = a.t.block(Output, st.Peer, i)
}

func (a *farA2A) local(_, _, _ int32, _ *Step) bool { return false }
func (a *farA2A) lasts() (int32, bool)              { return a.levels, true }

func (a *farA2A) last(i int32) (rec, wait int32) {
	return a.right(1 << i), a.left(1 << i)
}
