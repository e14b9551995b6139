package hccl

// kinds of placement in a rule.
type placement uint8

const (
	anywhere placement = iota
	oneMesh            // all ranks directly linked
	oneClos            // one server, through switches
	manyServers
	evenServers // several servers with equally many ranks, more than one
	evenMeshes  // and the ranks of each directly linked
)

// rule is one line of the selection table; the first that fits decides.
type rule struct {
	generations []string // nil: any
	ops         []OpKind // nil: any
	place       placement
	alg         Algorithm
	why         string
	instead     string
	bounds
}

// bounds limit a rule; upper bounds are inclusive, 0 = none.
type bounds struct {
	ranks      int   // exactly
	maxRanks   int   //
	maxBytes   int64 // count * element size
	maxTotal   int64 // bytes * ranks
	maxPerRank int64 // bytes / ranks
	maxScaled  int64 // bytes * 8 / ranks^2
	powerOf2   bool  // servers
}

const (
	kib = 1 << 10
	mib = 1 << 20
	gib = 1 << 30
)

var (
	gen950, genA3, genA2, gen910      = []string{"950", "960"}, []string{"A3"}, []string{"A2"}, []string{"910"}
	reduces, gathers, spreads, trades = []OpKind{AllReduce}, []OpKind{AllGather, ReduceScatter}, []OpKind{Broadcast}, []OpKind{AllToAll}
)

// rules is HCCL's documented selection. Sources: HCCL's selectors for 950 (AICPU
// rows; reduce_scatter has none of its own and is taken like all_gather), its
// HCCL_ALGO page for the rest.
var rules = [...]rule{
	// 950: AICPU, one level.
	{gen950, reduces, oneMesh, MeshOneShot, "950 AICPU, one mesh level, at most 8 MiB: one-shot", "", bounds{maxBytes: 8 * mib}},
	{gen950, reduces, oneMesh, Mesh, "950 AICPU, one mesh level, above 8 MiB: two-shot", "", bounds{maxScaled: 32 * mib}},
	{gen950, reduces, oneMesh, Mesh, "950 AICPU, one mesh level, bytes*8/P^2 above 32 MiB: two-shot", "the chunked two-shot mesh", bounds{}},
	{gen950, trades, anywhere, Mesh, "950 AICPU: mesh for every all_to_all", "", bounds{}},
	{gen950, nil, oneMesh, Mesh, "950 AICPU, one mesh level: mesh", "", bounds{}},
	{gen950, nil, oneClos, NHR, "950 AICPU, one switched level: NHR", "", bounds{}},
	// 950: AICPU, two levels.
	{gen950, reduces, evenMeshes, NHR, "950 AICPU, two levels, at most 32 MiB: NHR", "", bounds{maxBytes: 32 * mib}},
	{gen950, reduces, evenMeshes, MeshNHRParallel, "950 AICPU, two levels, above 32 MiB: mesh and NHR in parallel", "", bounds{maxBytes: 4 * gib}},
	{gen950, reduces, evenMeshes, MeshNHR, "950 AICPU, two levels, above 4 GiB: mesh and NHR in sequence", "", bounds{}},
	{gen950, gathers, evenMeshes, NHR, "950 AICPU, two levels, at most 1 MiB: NHR", "", bounds{maxBytes: mib}},
	{gen950, gathers, evenMeshes, MeshNHRParallel, "950 AICPU, two levels, above 1 MiB: mesh and NHR in parallel", "", bounds{maxTotal: 4 * gib}},
	{gen950, gathers, evenMeshes, MeshNHR, "950 AICPU, two levels, above 4 GiB in total: mesh and NHR in sequence", "", bounds{}},
	{gen950, spreads, evenMeshes, Mesh, "950, two levels, at most 16 KiB per rank and 64 ranks: flat mesh", "", bounds{maxPerRank: 16 * kib, maxRanks: 64}},
	{gen950, spreads, evenMeshes, NHR, "950, two levels, at most 4 MiB per rank below 64 ranks: NHR", "", bounds{maxPerRank: 4 * mib, maxRanks: 63}},
	{gen950, spreads, evenMeshes, NHR, "950, two levels, at most 1 MiB per rank: NHR", "", bounds{maxPerRank: mib}},
	{gen950, spreads, evenMeshes, MeshNHRParallel, "950, two levels, large: mesh and NHR in parallel", "", bounds{}},
	{gen950, nil, manyServers, NHR, "950, servers with one rank, unequal ones or switched ones: NHR", "", bounds{}},
	// A3: rings inside a server, by superpod counts above.
	{genA3, trades, anywhere, Pairwise, "A3: pairwise all_to_all", "", bounds{}},
	{genA3, nil, oneClos, Ring, "A3, one server: ring", "the double ring over both dies", bounds{}},
	{genA3, nil, oneMesh, Ring, "A3, one server: ring", "the double ring over both dies", bounds{}},
	{genA3, nil, evenServers, RingNHR, "A3, several servers: ring inside; it chooses between servers by form, nodes and bytes: NHR here",
		"the double ring over both dies inside a server", bounds{}},
	{genA3, nil, manyServers, NHR, "A3, servers with one rank or unequal ones: NHR", "", bounds{}},
	// A2: the full mesh of a server.
	{genA2, trades, oneMesh, Mesh, "A2, one server: direct writes", "", bounds{}},
	{genA2, trades, evenMeshes, MeshPairwise, "A2, several servers: mesh inside, pairwise between", "", bounds{}},
	{genA2, trades, anywhere, Pairwise, "A2, several servers: pairwise", "", bounds{}},
	{genA2, reduces, oneMesh, MeshOneShot, "A2, one server, at most 512 KiB: one-shot mesh", "", bounds{maxBytes: 512 * kib}},
	{genA2, nil, oneMesh, Mesh, "A2, one server: mesh", "", bounds{}},
	{genA2, nil, evenMeshes, MeshNHR, "A2, several servers: mesh inside; it chooses between servers by form, nodes and bytes: NHR here", "", bounds{}},
	{genA2, nil, anywhere, NHR, "A2, servers with one rank or unequal ones: NHR", "", bounds{}},
	// 910: four devices mesh, eight form a ring.
	{gen910, trades, anywhere, Pairwise, "910: pairwise all_to_all", "", bounds{}},
	{gen910, nil, oneMesh, Mesh, "910, four devices of one plane: mesh", "", bounds{ranks: 4}},
	{gen910, nil, oneMesh, Mesh, "910, two devices: mesh", "", bounds{ranks: 2}},
	{gen910, nil, evenServers, RingRHD, "910, several servers, a power of two: ring inside, H-D_R between", "", bounds{powerOf2: true}},
	{gen910, nil, evenServers, RingRing, "910, several servers, no power of two: ring inside and between", "", bounds{}},
	{gen910, nil, manyServers, Ring, "910, servers with one rank or unequal ones: ring", "", bounds{}},
	{gen910, nil, anywhere, Ring, "910: ring", "", bounds{}},
	// No hardware behind it ("ideal"): what the wiring suggests.
	{nil, trades, oneMesh, Mesh, "every pair has a link: direct writes", "", bounds{}},
	{nil, trades, anywhere, Pairwise, "shared ports: pairwise", "", bounds{}},
	{nil, nil, oneMesh, Mesh, "every pair has a link: mesh", "", bounds{}},
	{nil, nil, anywhere, NHR, "shared ports: NHR, log2 p steps and no more bytes than a ring", "", bounds{}},
}

func (u *rule) fits(q *Request, s *Shape) bool {
	if u.generations != nil && !has(u.generations, s.Generation) || u.ops != nil && !has(u.ops, q.Op) {
		return false
	}
	ok := true
	switch u.place {
	case oneMesh:
		ok = s.Mesh && s.Servers == 1
	case oneClos:
		ok = !s.Mesh && s.Servers == 1
	case manyServers:
		ok = s.Servers > 1
	case evenServers:
		ok = evenGroups(s.Ranks, s.Group)
	case evenMeshes:
		ok = evenGroups(s.Ranks, s.Group) && s.Inside
	}
	return ok && u.within(q.bytes(), s)
}

// within says whether n bytes and the ranks keep to the bounds.
func (u *bounds) within(n int64, s *Shape) bool {
	p := int64(s.Ranks)
	switch {
	case u.ranks != 0 && u.ranks != s.Ranks, u.maxRanks > 0 && s.Ranks > u.maxRanks, u.powerOf2 && !powerOf2(s.Servers):
		return false
	case u.maxBytes > 0 && n > u.maxBytes, u.maxPerRank > 0 && n/p > u.maxPerRank, u.maxTotal > 0 && n > u.maxTotal/p:
		return false
	}
	return u.maxScaled == 0 || n/(p*p)*8+n%(p*p)*8/(p*p) <= u.maxScaled
}
