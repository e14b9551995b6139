package scenario

import (
	"fmt"
	"slices"
	"strings"

	"hsim/host/hccl"
	"hsim/host/mem"
	"hsim/host/sim"
	"hsim/host/units"
)

// runKinds says which keys a run takes beside those that every run has.
var (
	opKeys     = []string{"root", "in_place", "algorithm", "expansion", "input"}
	kernelKeys = []string{"blocks", "shape", "args", "expect"}

	programKeys  = []string{"args", "processes", "env", "steps", "leaks"}
	measuredKeys = []string{"sizes", "dtype", "reduce", "iterations", "warmup", "check", "skew"} // of ops and kernels
)

// applies reports whether run i takes the key: variants and --set may give one key to all runs.
func (v *values) applies(i int, key string) bool {
	pre := element("run", i)
	_, isOp := v.set[pre+".op"]
	_, isKernel := v.set[pre+".kernel"]
	_, isProgram := v.set[pre+".program"]
	op, _ := v.set[pre+".op"].value.(string)
	switch {
	case key == "program":
		return isProgram
	case isProgram:
		return contains(programKeys, key)
	case contains(programKeys, key) && key != "args":
		return false
	case key == "op":
		return isOp
	case key == "kernel":
		return isKernel
	case key == "sizes":
		_, shaped := v.set[pre+".shape"]
		return !shaped
	case contains(opKeys, key) && !isOp, contains(kernelKeys, key) && !isKernel:
		return false
	case isKernel && key == "reduce":
		name, _ := v.set[pre+".kernel"].value.(string)
		_, args := v.set[pre+".args"]
		return name == "reduce" || args
	case isOp && key == "reduce":
		return op == "all_reduce" || op == "reduce_scatter"
	case isOp && key == "root":
		return op == "broadcast"
	case isOp && key == "in_place":
		return op != "broadcast" && op != "all_to_all"
	}
	return true
}

func parsed[T any](v T, _ error) T { return v }

func (v *values) run(c *Config, i int) RunSpec {
	pre := element("run", i) + "."
	r := RunSpec{
		Index:      i,
		Sizes:      get[[]int64](v, pre+"sizes"),
		Dtype:      parsed(mem.ParseDtype(get[string](v, pre+"dtype"))),
		Reduce:     parsed(mem.ParseOp(get[string](v, pre+"reduce"))),
		Iterations: int(get[int64](v, pre+"iterations")),
		Warmup:     int(get[int64](v, pre+"warmup")),
		Kernel:     get[string](v, pre+"kernel"),
		Root:       int(get[int64](v, pre+"root")),
		InPlace:    get[bool](v, pre+"in_place"),
		Blocks:     int(get[int64](v, pre+"blocks")),
		Args:       get[[]string](v, pre+"args"),
		Expect:     get[string](v, pre+"expect"),
	}
	for n, name := range checkNames {
		if get[string](v, pre+"check") == name {
			r.Check = Check(n)
		}
	}
	for n, name := range inputNames {
		if get[string](v, pre+"input") == name {
			r.Input = Input(n)
		}
	}
	op, hasOp := v.has(pre + "op")
	_, hasKernel := v.has(pre + "kernel")
	if _, ok := v.has(pre + "program"); ok {
		v.program(c, &r, pre, hasOp || hasKernel)
		return r
	}
	switch {
	case hasOp && hasKernel:
		v.problem(pre+"kernel", "a run has an op or a kernel, not both", "two [[run]] tables")
		return r
	case !hasOp && !hasKernel:
		v.problem(strings.TrimSuffix(pre, "."), "has neither op, kernel nor program", `op = "all_reduce"`)
		return r
	}
	r.IsOp = hasOp
	v.meaningless(i, []string{"reduce"}, opKeys, kernelKeys, programKeys)
	v.skew(c, &r, pre)
	if hasOp {
		r.Op = parsed(hccl.ParseOp(op.value.(string)))
		v.collective(c, &r, pre)
	} else {
		v.kernel(c, &r, pre)
	}
	return r
}

// meaningless blames keys that were given to a run that does not take them.
func (v *values) meaningless(i int, keys ...[]string) {
	pre := element("run", i) + "."
	for _, key := range slices.Compact(slices.Sorted(slices.Values(slices.Concat(keys...)))) {
		if _, given := v.has(pre + key); given && !v.applies(i, key) {
			v.problem(pre+key, "has no meaning for "+v.runName(i), "leaving it out")
		}
	}
}

func (v *values) runName(i int) string {
	pre := element("run", i)
	if s, ok := v.set[pre+".program"]; ok {
		return "the program " + fmt.Sprint(s.value)
	}
	if s, ok := v.set[pre+".op"]; ok {
		return "the op " + fmt.Sprint(s.value)
	}
	return "the kernel " + fmt.Sprint(v.set[pre+".kernel"].value)
}

func (v *values) skew(c *Config, r *RunSpec, pre string) {
	late := get[[]sim.Time](v, pre+"skew")
	ranks := c.Ranks()
	switch {
	case len(late) == 1 && late[0] == 0:
		return
	case len(late) == 1 && ranks > 0 && ranks <= maxRanks:
		r.Skew = make([]sim.Time, ranks)
		for i := range r.Skew {
			r.Skew[i] = late[0] / sim.Time(max(ranks-1, 1)) * sim.Time(i)
		}
	case len(late) != ranks:
		v.problem(pre+"skew", fmt.Sprintf("got %d times for %d ranks, want one time or one per rank", len(late), ranks), "")
	default:
		r.Skew = late
	}
}

func (v *values) collective(c *Config, r *RunSpec, pre string) {
	var err error
	name := get[string](v, pre+"algorithm")
	if r.Algorithm, err = hccl.ParseAlgorithm(name); err != nil && len(c.Algorithms) > 0 {
		r.Schedule = name
	} else if err != nil {
		v.problem(pre+"algorithm", trimPrefixes(err), quoteNonEmpty(nearest(name, hccl.AlgorithmNames())))
	} else if r.Algorithm != hccl.Auto && r.Algorithm != hccl.Best && !hccl.Supports(r.Op, r.Algorithm) {
		v.problem(pre+"algorithm", fmt.Sprintf("%v has no algorithm %v", r.Op, r.Algorithm), list(algorithmsOf(r.Op)))
	}
	r.Expansion = parsed(hccl.ParseExpansion(get[string](v, pre+"expansion")))
	v.expansion(c, r, pre)
	if c.Profile != nil {
		if err := hccl.CheckType(c.Profile.Chip().Generation, r.Op, r.Dtype, r.Reduce); err != nil {
			v.problem(pre+"dtype", trimPrefixes(err), "")
		}
	}
	if r.Op == hccl.Broadcast && r.Root >= c.Ranks() {
		v.problem(pre+"root", fmt.Sprintf("the cluster has ranks 0 to %d", c.Ranks()-1), "")
	}
	v.realMemory(c, r, pre)
}

// expansion refuses an engine that the chip does not have, and one that is not built yet.
func (v *values) expansion(c *Config, r *RunSpec, pre string) {
	if r.Expansion == hccl.ExpandAuto || c.Profile == nil {
		return
	}
	chip := c.Profile.Chip()
	name := r.Expansion.String()
	if !contains(chip.Expansions, name) {
		v.problem(pre+"expansion", fmt.Sprintf("the chip %s has no such engine, it has %s", chip.Name, list(chip.Expansions)), written(chip.DefaultExpansion))
		return
	}
	if r.Expansion == hccl.ExpandAIV || r.Expansion == hccl.ExpandCCUMS {
		v.problem(pre+"expansion", "not supported yet: collectives expand on the host, on the AI CPU or as microprograms", `"aicpu"`)
	}
	if r.Expansion == hccl.ExpandCCUSched && chip.CCU.Version > 1 {
		v.problem(pre+"expansion", fmt.Sprintf("not supported yet on the chip %s: its CCU is of version %d, and programs are translated to version 1", chip.Name, chip.CCU.Version), `"aicpu"`)
	}
}

// realMemory refuses real data beyond sim.memory: every rank has a send and a receive buffer of the larger side, and the
// communicator's own.
func (v *values) realMemory(c *Config, r *RunSpec, pre string) {
	if v.look || c.Data != mem.Real || len(r.Sizes) == 0 || c.Ranks() > maxRanks {
		return
	}
	largest := slices.Max(r.Sizes)
	perRank := largest * 3
	if r.IsOp && (r.Op == hccl.AllGather || r.Op == hccl.ReduceScatter) {
		perRank = largest * int64(c.Ranks()+1)
		if largest > 1<<40/int64(c.Ranks()+1) {
			perRank = 1 << 40
		}
	}
	if perRank > c.Memory/int64(max(c.Ranks(), 1)) {
		v.problem(pre+"sizes", fmt.Sprintf("the buffers of %d ranks at %s would need more real memory than sim.memory = %s allows",
			c.Ranks(), units.FormatSize(largest), units.FormatSize(c.Memory)), `sim.data = "phantom", which gives the same times without bytes, or a larger sim.memory`)
	}
}

func algorithmsOf(op hccl.OpKind) []string {
	var out []string
	for _, a := range append(append([]hccl.Algorithm{}, hccl.Algorithms(op)...), hccl.TwoLevel(op)...) {
		out = append(out, a.String())
	}
	return out
}

func (v *values) kernel(c *Config, r *RunSpec, pre string) {
	v.realMemory(c, r, pre)
	shape := get[[]int64](v, pre+"shape")
	_, sized := v.has(pre + "sizes")
	switch {
	case len(shape) == 0 && r.Kernel == "matmul":
		v.problem(pre+"shape", "is missing; matmul wants [m, n, k]", "shape = [256, 256, 256]")
	case len(shape) == 0:
	case len(shape) != 3:
		v.problem(pre+"shape", fmt.Sprintf("got %d numbers, want [m, n, k]", len(shape)), "")
	case sized:
		v.problem(pre+"sizes", "a run has sizes or a shape, not both", "")
	default:
		r.Shape = [3]int64(shape)
		r.Sizes = []int64{shape[0] * shape[2] * r.Dtype.Size()}
	}
}
