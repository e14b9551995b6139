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
	Group      int  // ranks of each server, which are neighbours in rank order; 0 = they are not, or uneven
	Inside     bool // every pair of ranks of one server has a link of its own
	Default    Expansion
	Offered    []Expansion
	Programs   []string // microprograms that are loaded
}

// maxMeshProbe bounds the pairs looked at; a larger communicator is no mesh.
const maxMeshProbe = 64

// ShapeOf says how ranks on these nodes of a cluster of one chip lie.
func ShapeOf(g *topo.Graph, chip *soc.Chip, nodes []topo.NodeID) Shape {
	s := Shape{Generation: chip.Generation, Ranks: len(nodes), Mesh: len(nodes) <= maxMeshProbe}
	var first []int // rank by server, in the order of their appearance
	var servers []int32
	s.Group = len(nodes)
	for r, n := range nodes {
		v := g.Nodes[n].Server
		if !has(servers, v) {
			servers, first = append(servers, v), append(first, r)
		} else if v != servers[len(servers)-1] {
			s.Group = 0 // comes back to a server
		}
	}
	s.Servers = len(servers)
	if s.Group > 0 && s.Servers > 0 {
		s.Group = len(nodes) / s.Servers
		for i, r := range first {
			if r != i*s.Group {
				s.Group = 0
				break
			}
		}
	}
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
	s.Inside = s.Group <= maxMeshProbe
	for i := 0; s.Inside && i < len(nodes); i++ {
		for j := i + 1; s.Inside && j < len(nodes) && g.Nodes[nodes[j]].Server == g.Nodes[nodes[i]].Server; j++ {
			s.Inside = linked(g, nodes[i], nodes[j])
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
	Buffer    int64     // HCCL_BUFFSIZE in bytes; 0 the default
	Schedule  *Schedule // of a user, instead of an algorithm
	InPlace   bool      // told to a schedule
}

// bytes is HCCL's dataSize: elements of one call times their size.
func (q *Request) bytes() int64 { return q.Count * q.Dtype.Size() }

// Choice is what runs, and why.
type Choice struct {
	Algorithm Algorithm
	Schedule  *Schedule // runs instead of Algorithm
	Expansion Expansion
	Why       string // of the algorithm
	WhyExpand string
	// Override says that the hardware would not select this itself, Instead
	// what it would run (an algorithm that hsim has no form of yet).
	Override bool
	Instead  string
}

// Name is the algorithm or schedule, as a run calls it.
func (c Choice) Name() string { return algorithmName(c.Algorithm, c.Schedule) }

// String is the line of `hsim explain`.
func (c Choice) String() string {
	s := fmt.Sprintf("%s by %v: %s; %s", c.Name(), c.Expansion, c.Why, c.WhyExpand)
	if c.Override {
		s += " [override: the hardware would not select this]"
	}
	if c.Instead != "" {
		s += " [stands in for " + c.Instead + "]"
	}
	return s
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
	case q.Schedule != nil:
		c.Algorithm, c.Schedule, c.Why = q.Algorithm, q.Schedule, "asked for, of module "+q.Schedule.Module
		c.Override = typesOf(s.Generation) != nil
	case q.Algorithm == Best:
		return bad(ErrInternal, "algorithm best needs a model (Model.Choose)")
	case q.Algorithm == Auto && q.Expansion == ExpandCCUSched:
		c.Algorithm, c.Why = Mesh, "950 CCU_SCHED, one mesh level: mesh"
	case q.Algorithm == Auto:
		c.Algorithm, c.Why, c.Instead = auto.alg, auto.why, auto.instead
	case !Supports(q.Op, q.Algorithm):
		return bad(ErrPara, "algorithm %v does not exist for %v (try %s)", q.Algorithm, q.Op, names(fitting(q.Op, s.Ranks, s.Group)))
	case !q.Algorithm.Fits(s.Ranks, s.Group):
		return bad(ErrPara, "algorithm %v: got %d ranks on %d servers, want %s (try %s)", q.Algorithm, s.Ranks, s.Servers, q.Algorithm.wants(),
			names(fitting(q.Op, s.Ranks, s.Group)))
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
		if c.Schedule != nil {
			return bad(ErrNotSupport, "expansion ccu_sched runs microprograms, not the %v (try host or aicpu)", c.Schedule)
		}
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
	alg := q.Algorithm
	if h := &hierarchies[alg]; alg.TwoLevel() {
		inside := Mesh
		if s.Generation == "A3" || s.Generation == "910" {
			inside = Ring
		}
		if h.intra != inside || h.parallel != (alg == MeshNHRParallel && has(gen950, s.Generation)) {
			return false
		}
		alg = h.inter
	}
	switch s.Generation {
	case "950", "960":
		return alg == NHR
	case "910":
		return alg == Ring || alg == RHD || alg == Pairwise
	}
	return alg == Ring || alg == RHD || alg == NHR || alg == Pairwise
}

func expansionList(list []Expansion) string {
	s := make([]string, len(list))
	for i, e := range list {
		s[i] = e.String()
	}
	return join(s)
}
