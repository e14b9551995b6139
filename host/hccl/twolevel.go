package hccl

// hierarchy is how a two-level algorithm is put together: the algorithm inside a
// server and the one between the ranks with the same place in theirs. A parallel
// one cuts the operation in two halves that take the levels in opposite order on
// two streams, so that both kinds of links are busy at once.
type hierarchy struct {
	intra, inter Algorithm
	parallel     bool
}

var hierarchies = [numAlgs]hierarchy{
	MeshNHR:         {intra: Mesh, inter: NHR},
	MeshRing:        {intra: Mesh, inter: Ring},
	RingNHR:         {intra: Ring, inter: NHR},
	RingRing:        {intra: Ring, inter: Ring},
	RingRHD:         {intra: Ring, inter: RHD},
	MeshPairwise:    {intra: Mesh, inter: Pairwise},
	MeshNHRParallel: {intra: Mesh, inter: NHR, parallel: true},
}

// TwoLevel reports whether the algorithm works inside servers and between them.
func (a Algorithm) TwoLevel() bool { return a < numAlgs && hierarchies[a].intra != Auto }

// twoLevel is one stream's part of a two-level algorithm. Rank (x, y), x its place
// at the outer level and y at the inner one, is x*outer.step + y*inner.step. The
// order of the levels is HCCL's: all_reduce and broadcast enter and leave inside
// the server, all_gather and all_to_all begin there, reduce_scatter ends there.
type twoLevel struct {
	prm          *Params
	outer, inner frame // places of all_reduce, broadcast and all_to_all; patterns of the sets of the others
	oAlg, iAlg   Algorithm
	sets         []frame // reduce_scatter: of the outer level; all_gather: of the inner one
	scheme
}

func newTwoLevel(p *Params, stream int32) *scheme {
	h := &hierarchies[p.Alg]
	l, g := int32(p.Group), int32(p.Ranks/p.Group)
	r, root := int32(p.Rank), int32(p.Root)
	intra := frame{p: l, r: r % l, root: root % l, base: r / l * l, step: 1, levels: logCeil(l)}
	inter := frame{p: g, r: r / l, root: root / l, base: r % l, step: l, levels: logCeil(g)}
	t := &twoLevel{prm: p, outer: intra, inner: inter, oAlg: h.intra, iAlg: h.inter}
	if (p.Op == ReduceScatter) != (stream == 1) {
		t.outer, t.inner, t.oAlg, t.iAlg = inter, intra, h.inter, h.intra
	}
	t.scheme.count, t.scheme.chunks = p.Count, t.chunks
	if h.parallel {
		half := (p.Count + 1) / 2
		t.count = half
		if stream == 1 {
			t.first, t.count = half, p.Count-half
		}
	}
	switch p.Op {
	case AllReduce:
		t.allReduce()
	case ReduceScatter:
		t.reduceScatter()
	case AllGather:
		t.allGather()
	case Broadcast:
		t.broadcast()
	default:
		t.allToAll()
	}
	if stream == 1 {
		t.base = p.Scratch / 2 / p.Elem * p.Elem
		if p.Scratch == 0 {
			t.base = newTwoLevel(p, 0).need((p.Count + 1) / 2)
		}
	}
	return &t.scheme
}

// vector lays out the chunks of a vector: outer chunks, and the own one of them
// in inner chunks.
func (t *twoLevel) vector(e, n int64) {
	o, i, elem := &t.outer, &t.inner, t.prm.Elem
	whole := split(e*elem, n, elem, o.p)
	part := split(whole.at(o.r), whole.len(o.r)/elem, elem, i.p)
	o.input, o.output = whole, whole
	i.input, i.output = part, part
}

// allReduce reduces outside, then inside, and gathers the other way round.
func (t *twoLevel) allReduce() {
	o, i := &t.outer, &t.inner
	i.from = Output
	first, second := reducing(t.oAlg, o), reducing(t.iAlg, i)
	back, out := gathering(t.iAlg, i, -1), gathering(t.oAlg, o, -1)
	t.phases, t.closers = []phase{first, second, back, out}, []phase{back, out}
	slots, slots2 := int64(first.slots()), int64(second.slots())
	t.place = func(e, n int64) {
		t.vector(e, n)
		o.result = Loc{Buf: Output, Off: o.input.at(o.r)}
		i.result = Loc{Buf: Output, Off: i.input.at(i.r)}
		o.at, o.slot = t.base, o.input.widest()
		i.at, i.slot = o.at+slots*o.slot, i.input.widest()
	}
	t.need = func(n int64) int64 {
		elem := t.prm.Elem
		whole := split(0, n, elem, o.p)
		part := split(0, whole.widest()/elem, elem, i.p)
		return slots*whole.widest() + slots2*part.widest()
	}
}

// broadcast spreads the root's chunks outside, each of them to the whole inner
// level, and gathers outside.
func (t *twoLevel) broadcast() {
	o, i := &t.outer, &t.inner
	skip := int32(-1)
	if i.r == i.root {
		t.phases = append(t.phases, scattering(t.oAlg, o))
		skip = o.root
	}
	spread, gather := scattering(t.iAlg, i), gathering(t.iAlg, i, i.root)
	out := gathering(t.oAlg, o, skip)
	t.phases = append(t.phases, spread, gather, out)
	t.closers = []phase{gather, out}
	t.place = t.vector
	t.need = func(int64) int64 { return 0 }
}

// blocks is the set of one outer or inner place: the blocks of the ranks that
// share it, which are step ranks apart.
func (t *twoLevel) blocks(place, step, apart int32, e, n int64) layout {
	block := t.prm.Count * t.prm.Elem
	return layout{off: int64(place*step)*block + e*t.prm.Elem, stride: int64(apart) * block, size: n * t.prm.Elem, elem: t.prm.Elem}
}

// together says whether the blocks of a whole level are one run of bytes.
func (t *twoLevel) together(step int32, n int64) bool { return step == 1 && n == t.prm.Count }

// reduceScatter reduces outside all blocks of the own inner level, then inside.
func (t *twoLevel) reduceScatter() {
	o, i := &t.outer, &t.inner
	elem := t.prm.Elem
	k := i.p
	if t.together(i.step, t.count) && t.oneRound() {
		k = 1
	}
	t.sets = make([]frame, k)
	list := make([]phase, k)
	for s := range t.sets {
		t.sets[s] = *o
		list[s] = reducing(t.oAlg, &t.sets[s])
	}
	i.from = Scratch
	first, second := bundled(list), reducing(t.iAlg, i)
	t.phases = []phase{first, second}
	t.closers = t.phases
	slots, slots2 := int64(list[0].slots()), int64(second.slots())
	t.place = func(e, n int64) {
		size := n * elem
		each := size * int64(i.p) / int64(k) // of one chunk of a set
		kept := t.base + slots*size*int64(i.p)
		for s := range t.sets {
			f := &t.sets[s]
			f.input = t.blocks(int32(s), i.step, o.step, e, n)
			f.input.size = each
			f.at, f.slot = t.base+int64(s)*slots*each, each
			f.result = Loc{Buf: Scratch, Off: kept + int64(s)*each}
		}
		i.input = layout{off: kept, stride: size, size: size, elem: elem}
		i.at, i.slot = kept+size*int64(i.p), size
		i.result = Loc{Buf: Output, Off: e * elem}
	}
	t.need = func(n int64) int64 { return n * elem * ((slots+1)*int64(i.p) + slots2) }
}

// oneRound says whether the scratch memory holds all of a reduce_scatter.
func (t *twoLevel) oneRound() bool {
	if t.prm.Scratch == 0 {
		return true
	}
	slots, slots2 := reducing(t.oAlg, &t.outer).slots(), reducing(t.iAlg, &t.inner).slots()
	return t.count*t.prm.Elem*(int64(slots+1)*int64(t.inner.p)+int64(slots2)) <= t.prm.Scratch
}

// allGather gathers the own block outside, then all of those inside.
func (t *twoLevel) allGather() {
	o, i := &t.outer, &t.inner
	o.own = !t.prm.InPlace
	first := gathering(t.oAlg, o, -1)
	k := o.p
	if t.together(o.step, t.count) {
		k = 1
	}
	t.sets = make([]frame, k)
	list := make([]phase, k)
	for s := range t.sets {
		t.sets[s] = *i
		list[s] = gathering(t.iAlg, &t.sets[s], -1)
	}
	t.phases = []phase{first, bundled(list)}
	t.closers = t.phases
	t.place = func(e, n int64) {
		o.output = t.blocks(i.r, i.step, o.step, e, n)
		o.input = layout{off: e * t.prm.Elem, size: n * t.prm.Elem, elem: t.prm.Elem}
		for s := range t.sets {
			f := &t.sets[s]
			f.output = t.blocks(int32(s), o.step, i.step, e, n)
			f.output.size *= int64(o.p / k)
		}
	}
	t.need = func(int64) int64 { return 0 }
}
