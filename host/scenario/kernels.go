package scenario

import (
	"fmt"
	"sort"
	"strings"

	"hsim/abi"
	"hsim/host/kernel"
	"hsim/host/mem"
	"hsim/host/soc"
)

// kernelUse is the kernel of one run: the function, its arguments, and what it must compute.
type kernelUse struct {
	fn     *kernel.Function
	unit   kernel.Unit
	blocks int
	args   []kernelArg
	want   expression // nil: not known
	inputs func(k int, i int64) int64
	sample int64 // 0, or check only every so many-th row of matmul
}

// dtypeName is a data type as hsim writes it, also as the suffix of kernel names.
func dtypeName(dt mem.Dtype) string {
	if dt == mem.BF16 {
		return "bf16"
	}
	return dt.String()
}

// kernels finds the function of every kernel run; the modules are loaded only when a run needs one, but those that the
// file names are always checked.
func (v *values) kernels(l *library, c *Config) map[int]*kernelUse {
	const path = "plugins.kernels"
	_, named := v.has(path)
	wanted := false
	for i := range c.Runs {
		wanted = wanted || c.Runs[i].IsKernel()
	}
	if !named && !wanted {
		return nil
	}
	if wanted && len(c.Kernels) == 0 {
		v.problem(path, "is empty, and a run wants a kernel", `["builtin"]`)
		return nil
	}
	var bins []*kernel.Binary
	for _, file := range c.Kernels {
		m := l.kernelModule(file)
		if m.err != nil {
			v.problem(path, trimLoad(m.err), "`hsim plugin inspect "+m.name+"`")
			continue
		}
		bins = append(bins, m.kernels)
	}
	out := map[int]*kernelUse{}
	for i := range c.Runs {
		if r := &c.Runs[i]; r.IsKernel() && len(bins) > 0 {
			out[i] = v.kernelOf(bins, c.Profile.Chip(), r)
		}
	}
	return out
}

// kernelModule loads a module of kernels, "builtin" for those that come with hsim.
func (l *library) kernelModule(file string) *module {
	name, path := file, file
	if file == "builtin" {
		name, path = "kernels", ""
	}
	m := l.get(name, path, abi.Kernel)
	if m.err == nil && m.kernels == nil {
		m.kernels, m.err = kernel.NewBinary(m.mod, m.size)
	}
	return m
}

func (v *values) kernelOf(bins []*kernel.Binary, chip *soc.Chip, r *RunSpec) *kernelUse {
	pre := element("run", r.Index) + "."
	fn := findKernel(bins, r)
	if fn == nil {
		names := kernelNames(bins)
		v.problem(pre+"kernel", fmt.Sprintf("no module of plugins.kernels has a kernel %s or %s_%s", r.Kernel, r.Kernel, dtypeName(r.Dtype)),
			list(near(r.Kernel, names)))
		return nil
	}
	u := &kernelUse{fn: fn, blocks: r.Blocks}
	cores := map[kernel.Unit]int{kernel.VectorCore: chip.VectorCores, kernel.CubeCore: chip.CubeCores, kernel.AICPU: chip.AICPUs}
	for _, unit := range []kernel.Unit{kernel.VectorCore, kernel.CubeCore, kernel.AICPU} {
		if u.unit == kernel.AnyUnit && fn.Runs(unit) && cores[unit] > 0 {
			u.unit = unit
		}
	}
	if u.unit == kernel.AnyUnit {
		v.problem(pre+"kernel", fmt.Sprintf("the chip %s has no core that kernel %s has code for", chip.Name, fn.Name), "")
		return nil
	}
	if u.unit == kernel.AICPU {
		if u.blocks > 1 {
			v.problem(pre+"blocks", "a kernel of the AI CPU has one block", "blocks = 1")
		}
		u.blocks = 1
	}
	if u.blocks == 0 {
		u.blocks = cores[u.unit]
	}
	v.describeKernel(u, r, pre)
	return u
}

// findKernel looks for name_dtype and then for name, in the last module first.
func findKernel(bins []*kernel.Binary, r *RunSpec) *kernel.Function {
	for _, name := range []string{r.Kernel + "_" + dtypeName(r.Dtype), r.Kernel} {
		for i := len(bins) - 1; i >= 0; i-- {
			for _, f := range bins[i].Functions() {
				if f.Name == name {
					return f
				}
			}
		}
	}
	return nil
}

func kernelNames(bins []*kernel.Binary) []string {
	var out []string
	for _, b := range bins {
		for _, f := range b.Functions() {
			if !contains(out, f.Name) {
				out = append(out, f.Name)
			}
		}
	}
	sort.Strings(out)
	return out
}

// near returns the names that share their beginning with got, else the nearest, else all.
func near(got string, names []string) []string {
	var out []string
	for _, n := range names {
		if strings.HasPrefix(n, got) {
			out = append(out, n)
		}
	}
	if len(out) > 0 {
		return out
	}
	if n := nearest(got, names); n != "" {
		return []string{n}
	}
	return names
}

// describeKernel fills arguments and expectation: of the kernels hsim knows, or as args and expect say.
func (v *values) describeKernel(u *kernelUse, r *RunSpec, pre string) {
	texts := r.Args
	expect := r.Expect
	u.inputs = plainInput(r.Dtype)
	if len(texts) == 0 {
		if u.known(r) {
			texts = nil
		} else {
			texts = defaultArgs
		}
	}
	outputs, inputs := 0, 0
	for i, t := range texts {
		a, err := parseArg(t, r)
		if err != nil {
			v.problem(pre+"args", fmt.Sprintf("element %d: %v", i, err), "")
			return
		}
		u.args = append(u.args, a)
	}
	for i := range u.args {
		if u.args[i].reads() {
			inputs++
		}
		if u.args[i].writes() {
			outputs++
		}
	}
	if expect == "" {
		return
	}
	var err error
	if u.want, err = parseExpect(expect, inputs); err != nil {
		v.problem(pre+"expect", err.Error(), "")
	} else if outputs == 0 {
		v.problem(pre+"expect", "the kernel has no output to compare", `args = ["in", "in", "out", "n"]`)
	}
}
