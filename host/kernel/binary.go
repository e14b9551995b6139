package kernel

import (
	"fmt"
	"slices"
	"strings"

	"hsim/abi"
	"hsim/host/wasm"
)

// Unit is the kind of processor that a launch takes.
type Unit uint8

// The units.
const (
	AnyUnit    Unit = iota // what the function is made for
	VectorCore             // AIV
	CubeCore               // AIC
	AICPU
)

var unitNames = [...]string{"any unit", "vector core", "cube core", "AI CPU"}

// String names the unit.
func (u Unit) String() string { return unitNames[u&3] }

// Binary is a loaded kernel module; it serves any number of devices of one
// runtime.
type Binary struct {
	mod       *wasm.Module
	size      int
	functions []*Function
}

// Function is one kernel by name. An export hsim_kernel_<name> runs on any core
// (vector cores unless a launch says otherwise), hsim_kernel_<name>_aiv and
// hsim_kernel_<name>_aic on vector and cube cores, hsim_cpu_<name> on AI CPUs.
type Function struct {
	Name   string
	bin    *Binary
	export [4]string // by unit, "" where it does not run
}

const (
	corePattern = "hsim_kernel_<name>"
	cpuPattern  = "hsim_cpu_<name>"
)

// NewBinary lists the functions of a module of kind abi.Kernel; size is the
// image's size in bytes, what loading it takes of device memory.
func NewBinary(mod *wasm.Module, size int) (*Binary, error) {
	if mod.Kind() != abi.Kernel {
		return nil, fmt.Errorf("kernel: load module %s: got a module of kind %v, want %v", mod.Name(), mod.Kind(), abi.Kernel)
	}
	b := &Binary{mod: mod, size: size}
	add := func(name string, u Unit, export string) {
		i := slices.IndexFunc(b.functions, func(f *Function) bool { return f.Name == name })
		if i < 0 {
			i = len(b.functions)
			b.functions = append(b.functions, &Function{Name: name, bin: b})
		}
		b.functions[i].export[u] = export
	}
	for _, name := range mod.Entries(corePattern) {
		export := strings.Replace(corePattern, "<name>", name, 1)
		if base, ok := strings.CutSuffix(name, "_aiv"); ok && base != "" {
			add(base, VectorCore, export)
		} else if base, ok := strings.CutSuffix(name, "_aic"); ok && base != "" {
			add(base, CubeCore, export)
		} else {
			add(name, AnyUnit, export)
		}
	}
	for _, name := range mod.Entries(cpuPattern) {
		add(name, AICPU, strings.Replace(cpuPattern, "<name>", name, 1))
	}
	if len(b.functions) == 0 {
		return nil, fmt.Errorf("kernel: load module %s: got no function, want an export %s or %s", mod.Name(), corePattern, cpuPattern)
	}
	slices.SortFunc(b.functions, func(x, y *Function) int { return strings.Compare(x.Name, y.Name) })
	return b, nil
}

// Name is the module's name.
func (b *Binary) Name() string { return b.mod.Name() }

// Size is the image's size in bytes.
func (b *Binary) Size() int { return b.size }

// Functions lists the functions by name.
func (b *Binary) Functions() []*Function { return b.functions }

// Function finds a function by name; the error lists those there are.
func (b *Binary) Function(name string) (*Function, error) {
	names := make([]string, 0, len(b.functions))
	for _, f := range b.functions {
		if f.Name == name {
			return f, nil
		}
		names = append(names, f.Name)
	}
	return nil, fmt.Errorf("kernel: module %s: got function %q, want one of %s", b.Name(), name, strings.Join(names, ", "))
}

// Binary is the module the function is of.
func (f *Function) Binary() *Binary { return f.bin }

// onto is the unit that takes code for u: code for any core goes to vector cores.
func onto(u Unit) Unit {
	if u == AnyUnit {
		return VectorCore
	}
	return u
}

// Runs tells whether the function has code for the unit.
func (f *Function) Runs(u Unit) bool {
	_, _, err := f.resolve(u)
	return err == nil
}

// Unit is the unit that a launch on u takes; the error says that the function has
// no code for it.
func (f *Function) Unit(u Unit) (Unit, error) {
	unit, _, err := f.resolve(u)
	return unit, err
}

// resolve picks unit and export of a launch.
func (f *Function) resolve(u Unit) (Unit, string, error) {
	switch u {
	case AnyUnit:
		for _, try := range []Unit{VectorCore, AnyUnit, CubeCore, AICPU} {
			if f.export[try] != "" {
				return onto(try), f.export[try], nil
			}
		}
	case VectorCore, CubeCore:
		if f.export[u] != "" {
			return u, f.export[u], nil
		}
		if f.export[AnyUnit] != "" {
			return u, f.export[AnyUnit], nil
		}
	case AICPU:
		if f.export[u] != "" {
			return u, f.export[u], nil
		}
	}
	return u, "", fmt.Errorf("kernel: module %s, function %s: got a launch on %v, want a unit it has code for", f.bin.Name(), f.Name, u)
}
