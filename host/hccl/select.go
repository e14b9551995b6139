package hccl

import (
	"fmt"

	"hsim/host/mem"
	"hsim/host/soc"
	"hsim/host/topo"
)

// Shape is what selection looks at besides the operation: how the ranks lie.
type Shape struct {
	Generation string
	Ranks      int
	Servers    int  // servers with a rank
	Mesh       bool // every pair of ranks has a link of its own
	Default    Expansion
	Offered    []Expansion
	Programs   []string // microprograms that are loaded
}

// maxMeshProbe bounds the pairs looked at; a larger communicator is no mesh.
const maxMeshProbe = 64

// ShapeOf says how ranks on these nodes of a cluster of one chip lie.
func ShapeOf(g *topo.Graph, chip *soc.Chip, nodes []topo.NodeID) Shape {
	s := Shape{Generation: chip.Generation, Ranks: len(nodes), Mesh: len(nodes) <= maxMeshProbe}
	var servers []int32
	for _, n := range nodes {
		if v := g.Nodes[n].Server; !has(servers, v) {
			servers = append(servers, v)
		}
	}
	s.Servers = len(servers)
	s.Default, _ = ParseExpansion(chip.DefaultExpansion)
	for _, name := range chip.Expansions {
		if e, err := ParseExpansion(name); err == nil {
			s.Offered = append(s.Offered, e)
		}
	}
	for i := 0; s.Mesh && i < len(nodes); i++ {
		for j := i + 1; s.Mesh && j < len(nodes); j++ {
			s.Mesh = linked(g, nodes[i], nodes[j])
		}
	}
	return s
}

func linked(g *topo.Graph, a, b topo.NodeID) bool {
	for _, p := range g.NodePorts(a) {
		if g.PeerNode(p) == b {
			return true
		}
	}
	return false
}

// Request is an operation whose algorithm and expansion are to be chosen.
type Request struct {
	Op        OpKind
	Count     int64
	Dtype     mem.Dtype
	Red       mem.Op
	Algorithm Algorithm // Auto, Best or an override
	Expansion Expansion // ExpandAuto or an override
	Root      int
	Buffer    int64 // HCCL_BUFFSIZE in bytes; 0 the default
}

// bytes is HCCL's dataSize: elements of one call times their size.
func (q *Request) bytes() int64 { return q.Count * q.Dtype.Size() }

// Choice is what runs, and why.
type Choice struct {
	Algorithm Algorithm
	Expansion Expansion
	Why       string // of the algorithm
	WhyExpand string
	// Override says that the hardware would not select this itself, Instead
	// what it would run (a hierarchical algorithm that hsim has no form of yet).
	Override bool
	Instead  string
}

// String is the line of `hsim explain`.
func (c Choice) String() string {
	s := fmt.Sprintf("%v by %v: %s; %s", c.Algorithm, c.Expansion, c.Why, c.WhyExpand)
	if c.Override {
		s += " [override: the hardware would not select this]"
	}
	if c.Instead != "" {
		s += " [stands in for " + c.Instead + "]"
	}
	return s
}

// kinds of placement in a rule.
type placement uint8

const (
	anywhere placement = iota
	oneMesh            // all ranks directly linked
	oneClos            // one server, through switches
	manyServers
)

// rule is one line of the selection table; the first that fits decides. Upper
// bounds are inclusive, 0 = none.
type rule struct {
	generations []string // nil: any
	ops         []OpKind // nil: any
	place       placement
	ranks       int   // exactly; 0 = any
	maxBytes    int64 // count * element size
	maxScaled   int64 // bytes * 8 / ranks^2
	alg         Algorithm
	why         string
	instead     string
}

const mib = 1 << 20

// rules is HCCL's documented selection, as far as flat algorithms go. Sources:
// HCCL's selectors for 950 (AICPU rows), its HCCL_ALGO page for the rest.
var rules = [...]rule{
	// 950: AICPU, one level.
	{[]string{"950", "960"}, []OpKind{AllReduce}, oneMesh, 0, 8 * mib, 0, MeshOneShot, "950 AICPU, one mesh level, at most 8 MiB: one-shot", ""},
	{[]string{"950", "960"}, []OpKind{AllReduce}, oneMesh, 0, 0, 32 * mib, Mesh, "950 AICPU, one mesh level, above 8 MiB: two-shot", ""},
	{[]string{"950", "960"}, []OpKind{AllReduce}, oneMesh, 0, 0, 0, Mesh, "950 AICPU, one mesh level, bytes*8/P^2 above 32 MiB: two-shot", "the chunked two-shot mesh"},
	{[]string{"950", "960"}, []OpKind{AllToAll}, anywhere, 0, 0, 0, Mesh, "950 AICPU: mesh for every all_to_all", ""},
	{[]string{"950", "960"}, nil, oneMesh, 0, 0, 0, Mesh, "950 AICPU, one mesh level: mesh", ""},
	{[]string{"950", "960"}, nil, oneClos, 0, 0, 0, NHR, "950 AICPU, one switched level: NHR", ""},
	{[]string{"950", "960"}, []OpKind{AllReduce}, manyServers, 0, 32 * mib, 0, NHR, "950 AICPU, two levels, at most 32 MiB: NHR", ""},
	{[]string{"950", "960"}, []OpKind{AllGather}, manyServers, 0, 1 * mib, 0, NHR, "950 AICPU, two levels, at most 1 MiB: NHR", ""},
	{[]string{"950", "960"}, nil, manyServers, 0, 0, 0, NHR, "950 level 1 is NHR", "mesh inside and NHR between servers in parallel"},
	// A3: rings inside a server, by superpod counts above.
	{[]string{"A3"}, []OpKind{AllToAll}, anywhere, 0, 0, 0, Pairwise, "A3: pairwise all_to_all", ""},
	{[]string{"A3"}, nil, oneClos, 0, 0, 0, Ring, "A3, one server: ring", "the double ring over both dies"},
	{[]string{"A3"}, nil, oneMesh, 0, 0, 0, Ring, "A3, one server: ring", "the double ring over both dies"},
	{[]string{"A3"}, nil, manyServers, 0, 0, 0, NHR, "A3 chooses by form, nodes and bytes: NHR here", "ring inside a server and NHR between servers"},
	// A2: the full mesh of a server.
	{[]string{"A2"}, []OpKind{AllToAll}, oneMesh, 0, 0, 0, Mesh, "A2, one server: direct writes", ""},
	{[]string{"A2"}, []OpKind{AllToAll}, anywhere, 0, 0, 0, Pairwise, "A2, several servers: pairwise", ""},
	{[]string{"A2"}, []OpKind{AllReduce}, oneMesh, 0, 512 << 10, 0, MeshOneShot, "A2, one server, at most 512 KiB: one-shot mesh", ""},
	{[]string{"A2"}, nil, oneMesh, 0, 0, 0, Mesh, "A2, one server: mesh", ""},
	{[]string{"A2"}, nil, anywhere, 0, 0, 0, NHR, "A2 chooses by form, nodes and bytes: NHR here", "mesh inside a server and NHR between servers"},
	// 910: four devices mesh, eight form a ring.
	{[]string{"910"}, []OpKind{AllToAll}, anywhere, 0, 0, 0, Pairwise, "910: pairwise all_to_all", ""},
	{[]string{"910"}, nil, oneMesh, 4, 0, 0, Mesh, "910, four devices of one plane: mesh", ""},
	{[]string{"910"}, nil, oneMesh, 2, 0, 0, Mesh, "910, two devices: mesh", ""},
	{[]string{"910"}, nil, manyServers, 0, 0, 0, Ring, "910, several servers: ring", "ring inside and ring or H-D_R between servers"},
	{[]string{"910"}, nil, anywhere, 0, 0, 0, Ring, "910: ring", ""},
	// No hardware behind it ("ideal"): what the wiring suggests.
	{nil, []OpKind{AllToAll}, oneMesh, 0, 0, 0, Mesh, "every pair has a link: direct writes", ""},
	{nil, []OpKind{AllToAll}, anywhere, 0, 0, 0, Pairwise, "shared ports: pairwise", ""},
	{nil, nil, oneMesh, 0, 0, 0, Mesh, "every pair has a link: mesh", ""},
	{nil, nil, anywhere, 0, 0, 0, NHR, "shared ports: NHR, log2 p steps and no more bytes than a ring", ""},
}

func (u *rule) fits(q *Request, s *Shape) bool {
	if u.generations != nil && !has(u.generations, s.Generation) || u.ops != nil && !has(u.ops, q.Op) || u.ranks != 0 && u.ranks != s.Ranks {
		return false
	}
	switch u.place {
	case oneMesh:
		if !s.Mesh || s.Servers > 1 {
			return false
		}
	case oneClos:
		if s.Mesh || s.Servers > 1 {
			return false
		}
	case manyServers:
		if s.Servers <= 1 {
			return false
		}
	}
	n := q.bytes()
	if u.maxBytes > 0 && n > u.maxBytes {
		return false
	}
	p := int64(s.Ranks)
	return u.maxScaled == 0 || n/(p*p)*8+n%(p*p)*8/(p*p) <= u.maxScaled
}

// Select chooses algorithm and expansion. Errors: an algorithm that the
// operation does not have (ErrPara), an expansion that the chip or hsim does not
// offer (ErrNotSupport).
func Select(q Request, s Shape) (Choice, error) {
	var c Choice
	bad := func(code Result, format string, args ...any) (Choice, error) {
		return c, &Error{Code: code, Call: q.Op.Call(), Rank: -1, Text: fmt.Sprintf(format, args...)}
	}
	var auto *rule
	for i := range rules {
		if rules[i].fits(&q, &s) {
			auto = &rules[i]
			break
		}
	}
	switch {
	case q.Algorithm == Best:
		return bad(ErrInternal, "algorithm best needs a model (Model.Choose)")
	case q.Algorithm == Auto && q.Expansion == ExpandCCUSched:
		c.Algorithm, c.Why = Mesh, "950 CCU_SCHED, one mesh level: mesh"
	case q.Algorithm == Auto:
		c.Algorithm, c.Why, c.Instead = auto.alg, auto.why, auto.instead
	case !Supports(q.Op, q.Algorithm):
		return bad(ErrPara, "algorithm %v does not exist for %v (try %s)", q.Algorithm, q.Op, names(Algorithms(q.Op)))
	default:
		c.Algorithm, c.Why = q.Algorithm, "asked for"
		c.Override = q.Algorithm != auto.alg && typesOf(s.Generation) != nil && !selectable(&q, &s)
	}
	c.Expansion, c.WhyExpand = q.Expansion, "asked for"
	if q.Expansion == ExpandAuto {
		c.Expansion, c.WhyExpand = s.Default, "the default of generation "+s.Generation
	}
	if s.Offered != nil && !has(s.Offered, c.Expansion) {
		return bad(ErrNotSupport, "expansion %v: generation %s offers %s", c.Expansion, s.Generation, expansionList(s.Offered))
	}
	switch c.Expansion {
	case ExpandHost, ExpandAICPU:
		return c, nil
	case ExpandCCUSched:
		return c, selectProgram(&q, &s, c.Algorithm)
	}
	return bad(ErrNotSupport, "expansion %v is not supported yet (try host, aicpu or ccu_sched)", c.Expansion)
}

// selectable says whether HCCL_ALGO could choose the algorithm at level 1, the
// one level that a user may set; level 0 is not selectable on any chip.
func selectable(q *Request, s *Shape) bool {
	if s.Servers <= 1 {
		return false
	}
	switch s.Generation {
	case "950", "960":
		return q.Algorithm == NHR
	case "910":
		return q.Algorithm == Ring || q.Algorithm == Pairwise
	}
	return q.Algorithm == Ring || q.Algorithm == NHR || q.Algorithm == Pairwise
}

func expansionList(list []Expansion) string {
	s := make([]string, len(list))
	for i, e := range list {
		s[i] = e.String()
	}
	return join(s)
}
