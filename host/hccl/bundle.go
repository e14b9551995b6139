package hccl

// bundle runs one phase on several sets of chunks at once: in every step a rank
// sends piece i of each set to the same peer. Members of a hierarchy exchange the
// blocks of a whole server that way where these do not lie together.
type bundle struct {
	*frame         // of the first set
	sets   []phase // alike but for their layouts
}

// bundled is the phase itself where there is one set.
func bundled(sets []phase) phase {
	if len(sets) == 1 {
		return sets[0]
	}
	return &bundle{sets[0].group(), sets}
}

func (b *bundle) steps() int32 { return b.sets[0].steps() }
func (b *bundle) synced() bool { return b.sets[0].synced() }
func (b *bundle) slots() int32 { return b.sets[0].slots() * int32(len(b.sets)) }

func (b *bundle) shape(s int32) (ins, outs int32) {
	k := int32(len(b.sets))
	ins, outs = b.sets[0].shape(s)
	return ins * k, outs * k
}

// Pieces of one number stand together, and so do those of one peer.
func (b *bundle) in(s, i int32, st *Step) {
	k := int32(len(b.sets))
	b.sets[i%k].in(s, i/k, st)
}

func (b *bundle) out(s, i int32, st *Step) {
	k := int32(len(b.sets))
	b.sets[i%k].out(s, i/k, st)
}

func (b *bundle) local(s, i, j int32, st *Step) bool {
	if i < 0 {
		return b.each(j, func(a phase, j int32) bool { return a.local(s, -1, j, st) })
	}
	k := int32(len(b.sets))
	return b.sets[i%k].local(s, i/k, j, st)
}

func (b *bundle) closing(j int32, st *Step) bool {
	return b.each(j, func(a phase, j int32) bool { return a.closing(j, st) })
}

// each is action j of the sets' actions one set after the other.
func (b *bundle) each(j int32, action func(a phase, j int32) bool) bool {
	for _, a := range b.sets {
		n := int32(0)
		for ; action(a, n); n++ {
			if n == j {
				return true
			}
		}
		j -= n
	}
	return false
}

func (b *bundle) lasts() (int32, bool)        { return b.sets[0].lasts() }
func (b *bundle) last(i int32) (int32, int32) { return b.sets[0].last(i) }
