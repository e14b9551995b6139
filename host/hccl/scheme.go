package hccl

// scheme is how an algorithm carries out one stream's part of an operation.
type scheme struct {
	phases []phase
	// closers are the phases whose last handshakes end a round, one after the
	// other; what other phases sent is proven delivered by then.
	closers []phase
	// first and count are the elements of the part: of the vector of all_reduce
	// and broadcast, of every rank's block otherwise.
	first, count int64
	// base is where the stream's scratch memory begins.
	base int64
	// place lays out the chunks of n elements from e on.
	place func(e, n int64)
	// chunks yields what is reduced in one tree each, of n elements from e on.
	chunks func(e, n int64, yield func(t *Tree, off, n int64) bool) bool
	// need is the scratch memory of a round of n elements, in bytes.
	need func(n int64) int64
}

// newScheme builds the schedule of one stream.
func newScheme(p *Params, stream int32) *scheme {
	switch {
	case p.Ranks > 1 && p.Alg.TwoLevel():
		return newTwoLevel(p, stream)
	default:
		return newFlat(p)
	}
}

// flat is an algorithm over all ranks.
type flat struct {
	frame
	prm *Params
}

func newFlat(p *Params) *scheme {
	f := &flat{prm: p}
	f.frame = frame{p: int32(p.Ranks), r: int32(p.Rank), root: int32(p.Root), step: 1, levels: logCeil(int32(p.Ranks))}
	f.own = !p.InPlace && p.Op != Broadcast && (p.Op == AllGather || p.Op == AllToAll || p.Ranks == 1)
	s := &scheme{phases: f.build(), count: p.Count, place: f.place, chunks: f.chunks}
	s.closers = s.phases[len(s.phases)-1:]
	slots := int64(0)
	for _, ph := range s.phases {
		slots = max(slots, int64(ph.slots()))
	}
	s.need = func(n int64) int64 {
		if slots == 0 {
			return 0
		}
		f.place(0, n)
		return slots * f.slot
	}
	return s
}

func (f *flat) place(e, n int64) {
	p := f.prm
	part := layout{off: e * p.Elem, stride: p.Count * p.Elem, size: n * p.Elem, elem: p.Elem}
	whole := split(e*p.Elem, n, p.Elem, f.p)
	f.result = Loc{Buf: Output}
	switch {
	case p.Op == AllReduce && p.Alg == MeshOneShot && f.p > 1:
		part.stride = 0
		f.input, f.output, f.result.Off = part, part, part.off
	case p.Op == AllReduce || p.Op == Broadcast:
		f.input, f.output = whole, whole
		f.result.Off = whole.at(f.r)
	case p.Op == ReduceScatter:
		f.input, f.output, f.result.Off = part, part, part.off
	default:
		f.input, f.output = part, part
		if p.Op == AllGather {
			f.input.stride = 0
		}
	}
	f.slot = f.input.widest()
}

// build returns the phases of the operation.
func (f *flat) build() []phase {
	g := &f.frame
	if f.p == 1 {
		return []phase{&alone{g}}
	}
	alg := f.prm.Alg
	switch f.prm.Op {
	case AllReduce:
		if alg == MeshOneShot {
			return []phase{&meshRS{frame: g, oneShot: true}}
		}
		return []phase{reducing(alg, g), gathering(alg, g, -1)}
	case AllGather:
		return []phase{gathering(alg, g, -1)}
	case ReduceScatter:
		return []phase{reducing(alg, g)}
	case Broadcast:
		if alg == Ring {
			return []phase{&chain{g}}
		}
		return []phase{scattering(alg, g), gathering(alg, g, g.root)}
	}
	if alg == Pairwise {
		return []phase{&pairwise{g}}
	}
	return []phase{&meshA2A{g}}
}

// reducing is the reduce-scatter of a group, gathering its all-gather and
// scattering the spreading of the root's chunks. skip is the member that has
// every chunk already, -1 for none.
func reducing(a Algorithm, f *frame) phase {
	switch a {
	case Ring:
		return &ringRS{f}
	case Mesh:
		return &meshRS{frame: f}
	case RHD:
		return &rhdRS{f}
	}
	return &nhrRS{f}
}

func gathering(a Algorithm, f *frame, skip int32) phase {
	switch a {
	case Ring:
		return &ringAG{f}
	case Mesh:
		return &meshAG{frame: f, skip: skip}
	case RHD:
		return &rhdAG{f}
	}
	return &nhrAG{f}
}

func scattering(a Algorithm, f *frame) phase {
	switch a {
	case Ring: // the gathering's last handshake is with neighbours only
		return &meshScatter{frame: f, acked: true}
	case Mesh:
		return &meshScatter{frame: f}
	}
	return &nhrScatter{f}
}
