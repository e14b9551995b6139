package hccl

import "fmt"

// OpKind is a collective operation.
type OpKind uint8

// The collective operations.
const (
	AllReduce OpKind = iota
	AllGather
	ReduceScatter
	Broadcast
	AllToAll
	numOps
)

var opNames = [numOps]string{"all_reduce", "all_gather", "reduce_scatter", "broadcast", "all_to_all"}
var opCalls = [numOps]string{"HcclAllReduce", "HcclAllGather", "HcclReduceScatter", "HcclBroadcast", "HcclAlltoAll"}

// String is the operation's name in sim.toml.
func (o OpKind) String() string {
	if o < numOps {
		return opNames[o]
	}
	return fmt.Sprintf("op %d", uint8(o))
}

// Call is the name of the operation's public function.
func (o OpKind) Call() string {
	if o < numOps {
		return opCalls[o]
	}
	return o.String()
}

// Code is the operation's number in the plugin interface.
func (o OpKind) Code() uint32 {
	if o < numOps {
		return operationCodes[o]
	}
	return ^uint32(0)
}

// Reduces reports whether the operation combines elements.
func (o OpKind) Reduces() bool { return o == AllReduce || o == ReduceScatter }

// OpNames lists the operations in the order of the constants.
func OpNames() []string { return opNames[:] }

// ParseOp finds an operation by its sim.toml name; "alltoall", "allreduce" and
// the like without underscores are accepted as hccl_test's binaries spell them.
func ParseOp(name string) (OpKind, error) {
	for o, n := range opNames {
		if n == name {
			return OpKind(o), nil
		}
	}
	switch name {
	case "allreduce":
		return AllReduce, nil
	case "allgather":
		return AllGather, nil
	case "reducescatter":
		return ReduceScatter, nil
	case "bcast", "brocast":
		return Broadcast, nil
	case "alltoall":
		return AllToAll, nil
	}
	return 0, fmt.Errorf("hccl: parse operation: got %q, want %s", name, join(opNames[:]))
}

// Algorithm is a way to carry out a collective.
type Algorithm uint8

// The algorithms. Auto is the chip's documented choice, Best the one with the
// shortest predicted time; Mesh is the two-shot form of all_reduce.
const (
	Auto Algorithm = iota
	Best
	Ring
	Mesh
	MeshOneShot
	NHR
	Pairwise
	RHD
	// The two-level ones: inside a server, between servers.
	MeshNHR
	MeshRing
	RingNHR
	RingRing
	RingRHD
	MeshPairwise
	MeshNHRParallel
	numAlgs
)

var algNames = [numAlgs]string{"auto", "best", "ring", "mesh", "mesh-oneshot", "nhr", "pairwise", "rhd", "mesh-nhr", "mesh-ring", "ring-nhr", "ring-ring",
	"ring-rhd", "mesh-pairwise", "mesh+nhr"}

// String is the algorithm's name in sim.toml.
func (a Algorithm) String() string {
	if a < numAlgs {
		return algNames[a]
	}
	return fmt.Sprintf("algorithm %d", uint8(a))
}

// AlgorithmNames lists the algorithms, "auto" and "best" first.
func AlgorithmNames() []string { return algNames[:] }

// ParseAlgorithm finds an algorithm by name. "mesh-twoshot" is the full name of
// "mesh".
func ParseAlgorithm(name string) (Algorithm, error) {
	for a, n := range algNames {
		if n == name {
			return Algorithm(a), nil
		}
	}
	switch name {
	case "mesh-twoshot":
		return Mesh, nil
	case "":
		return Auto, nil
	case "H-D_R":
		return RHD, nil
	case "nb", "ahc", "pipeline":
		return 0, fmt.Errorf("hccl: parse algorithm: %q is not supported yet (try %s)", name, join(algNames[:]))
	}
	return 0, fmt.Errorf("hccl: parse algorithm: got %q, want %s", name, join(algNames[:]))
}

// algorithmsOf lists the algorithms that exist for each operation.
//
// broadcast: ring is store-and-forward around the ring, (p-1)(a+nb); mesh is a
// scatter followed by an all_gather of direct writes; nhr and rhd are the NHR
// scatter followed by their all_gather. rhd takes a power of two of ranks. all_to_all: mesh is one step of direct writes.
var algorithmsOf = [numOps][]Algorithm{
	AllReduce:     {Ring, Mesh, MeshOneShot, NHR, RHD},
	AllGather:     {Ring, Mesh, NHR, RHD},
	ReduceScatter: {Ring, Mesh, NHR, RHD},
	Broadcast:     {Ring, Mesh, NHR, RHD},
	AllToAll:      {Pairwise, Mesh},
}

// twoLevelOf lists those that exist where several servers have equally many
// ranks. "mesh+nhr" runs both levels of two halves at once.
var twoLevelOf = [numOps][]Algorithm{
	AllReduce:     {MeshNHR, MeshRing, RingNHR, RingRing, RingRHD, MeshNHRParallel},
	AllGather:     {MeshNHR, MeshRing, RingNHR, RingRing, RingRHD, MeshNHRParallel},
	ReduceScatter: {MeshNHR, MeshRing, RingNHR, RingRing, RingRHD, MeshNHRParallel},
	Broadcast:     {MeshNHR, MeshRing, RingNHR, RingRing, RingRHD, MeshNHRParallel},
	AllToAll:      {MeshPairwise},
}

// TwoLevel lists the two-level algorithms of an operation.
func TwoLevel(op OpKind) []Algorithm {
	if op < numOps {
		return twoLevelOf[op]
	}
	return nil
}

// Algorithms lists the algorithms of an operation over all ranks alike.
func Algorithms(op OpKind) []Algorithm {
	if op < numOps {
		return algorithmsOf[op]
	}
	return nil
}

// Fits reports whether the algorithm takes so many ranks, group of them on each
// server: two levels need several servers alike, rhd a power of two.
func (a Algorithm) Fits(ranks, group int) bool {
	if ranks == 1 {
		return true
	}
	if !a.TwoLevel() {
		return a != RHD || powerOf2(ranks)
	}
	return evenGroups(ranks, group) && (hierarchies[a].inter != RHD || powerOf2(ranks/group))
}

// Supports reports whether the algorithm exists for the operation.
func Supports(op OpKind, a Algorithm) bool {
	return has(Algorithms(op), a) || has(TwoLevel(op), a)
}

// Expansion is the engine that turns a collective's steps into device tasks.
type Expansion uint8

// The expansions. Those after AICPU are known by name and refused.
const (
	ExpandAuto Expansion = iota
	ExpandHost
	ExpandAICPU
	ExpandAIV
	ExpandCCUMS
	ExpandCCUSched
	numExpansions
)

var expansionNames = [numExpansions]string{"auto", "host", "aicpu", "aiv", "ccu_ms", "ccu_sched"}

// String is the expansion's name in sim.toml.
func (e Expansion) String() string {
	if e < numExpansions {
		return expansionNames[e]
	}
	return fmt.Sprintf("expansion %d", uint8(e))
}

// ExpansionNames lists the expansions, "auto" first.
func ExpansionNames() []string { return expansionNames[:] }

// ParseExpansion finds an expansion by its sim.toml name or its value of
// HCCL_OP_EXPANSION_MODE.
func ParseExpansion(name string) (Expansion, error) {
	for e, n := range expansionNames {
		if n == name {
			return Expansion(e), nil
		}
	}
	switch name {
	case "":
		return ExpandAuto, nil
	case "HOST", "HOST_TS":
		return ExpandHost, nil
	case "AI_CPU", "AICPU_TS":
		return ExpandAICPU, nil
	case "AIV":
		return ExpandAIV, nil
	case "CCU_MS":
		return ExpandCCUMS, nil
	case "CCU_SCHED":
		return ExpandCCUSched, nil
	}
	return 0, fmt.Errorf("hccl: parse expansion: got %q, want %s", name, join(expansionNames[:]))
}

func join(names []string) string {
	s := ""
	for i, n := range names {
		if i > 0 {
			s += ", "
		}
		s += n
	}
	return s
}
