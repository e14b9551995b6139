package scenario

import (
	"path/filepath"
	"slices"
	"strings"

	"hsim/host/hccl"
	"hsim/host/mem"
	"hsim/host/sim"
	"hsim/host/soc"
	"hsim/host/topo"
)

// Config is one variant of a scenario: checked, complete, and never changed once Load has returned it.
type Config struct {
	Name string // of the variant; "" when the file has none

	Seed   uint64
	Data   mem.Data
	Limit  sim.Time // 0 = none
	Memory int64    // most real bytes in buffers at once

	ProfileName string // as asked for
	Profile     *soc.Profile
	Topology    topo.Spec

	Transport [soc.NumProtocols]Carrier
	Kernels   []string // "builtin" or absolute paths of modules, the later wins
	Programs  []string // of CCU microprograms, likewise
	Train     Train

	BuffSize    int64    // bytes of each of a communicator's buffers
	ExecTimeout sim.Time // 0 = for ever
	RDMATimeout uint32   // exponent of a connection's retransmission time-out, 0 = never
	RDMARetries uint32

	ConnectTimeout sim.Time
	Visible        []int // physical ids that programs see of their server; nil = all
	StrictEvents   bool  // of programs

	Runs []RunSpec

	values *values
}

// Ranks is the number of devices, each of which is one rank.
func (c *Config) Ranks() int { return c.Topology.Servers * c.Topology.Devices }

// Carrier says which plugin carries a protocol.
type Carrier struct {
	Plugin string // rdma, ub, or the path of a module
	File   string // path of the module, "" for the embedded ones
	Params []Param
}

// Param is one parameter of a plugin as written, with the place to blame.
type Param struct {
	Name  string
	Value any // string, int64, float64 or bool
	path  string
}

// RunSpec is one [[run]]: a collective operation or a kernel, at every size.
type RunSpec struct {
	Index      int
	Sizes      []int64
	Dtype      mem.Dtype
	Reduce     mem.Op
	Iterations int
	Warmup     int
	Check      Check
	Skew       []sim.Time // per rank; nil = none
	Input      Input

	IsOp      bool
	Op        hccl.OpKind
	Root      int
	InPlace   bool
	Algorithm hccl.Algorithm
	Expansion hccl.Expansion

	Kernel string
	Blocks int      // 0 = the chip's cores
	Shape  [3]int64 // m, n, k of matmul; zero otherwise
	Args   []string // fields of the argument struct; empty = those of the kernel's name; of a program its arguments
	Expect string   // what an output element must be; "" = as the kernel's name says

	Program   string // path of a host program; "" for ops and kernels
	Processes int
	Env       []string // beside that of the file
	Leaks     bool
}

// Name is the operation's or the kernel's name.
func (r *RunSpec) Name() string {
	switch {
	case r.IsOp:
		return r.Op.String()
	case r.Program != "":
		return strings.TrimSuffix(filepath.Base(r.Program), ".wasm")
	}
	return r.Kernel
}

// IsKernel says that the run launches a kernel.
func (r *RunSpec) IsKernel() bool { return !r.IsOp && r.Program == "" }

// DtypeName is the data type as hsim writes it.
func (r *RunSpec) DtypeName() string { return dtypeName(r.Dtype) }

// Check says which results are compared with the expected ones.
type Check uint8

// The checks.
const (
	CheckNone Check = iota
	CheckResult
	CheckAll
)

// String is the check's name in sim.toml.
func (c Check) String() string { return checkNames[c] }

// Input says what values the ranks start from.
type Input uint8

// The inputs.
const (
	InputPattern Input = iota // differs by rank and element
	InputRank                 // rank + 1; reduce_scatter: 10 + the number of the piece
	InputTwo                  // 2, as hccl_test has it
)

// Output says where the results go.
type Output struct {
	Table bool
	JSON  string // path, "" = none
	Trace string
}

// Scenario is a checked sim.toml: its variants, at least one, and its output.
type Scenario struct {
	File     string
	Variants []*Config
	Output   Output
}

// name is the file as a report shows it: its base name, the same on every machine.
func (s *Scenario) name() string { return filepath.Base(s.File) }

// Options change what Load reads.
type Options struct {
	Sets    []string // --set a.b=c
	Variant string   // run only the variant of this name
}

// Load reads and checks a sim.toml. The error is an *InputError that holds everything wrong with it.
func Load(file string, o Options) (*Scenario, error) {
	var probs problems
	d := readFile(file, &probs)
	return finish(d, o, probs)
}

// LoadText is Load of a text: name stands for the file in messages, and dir is what paths are relative to.
func LoadText(name, dir, text string, o Options) (*Scenario, error) {
	var probs problems
	d := readText(filepath.Join(dir, name), text, &probs)
	return finish(d, o, probs)
}

// RunKey is one key of a run that comes from a command line.
type RunKey struct {
	Flag  string // for messages
	Key   string
	Value any // as TOML decodes it
}

// LoadRun is Load of a file without its runs and variants (all defaults when file is empty), with one run made of keys
// instead. Keys that have no meaning for the run's operation are left out; command names the source in messages.
func LoadRun(file, command string, keys []RunKey, o Options) (*Scenario, error) {
	var probs problems
	d := &document{file: command}
	if file != "" {
		if d = readFile(file, &probs); d == nil {
			return nil, probs.err()
		}
		if o.Variant == "" {
			d.variants = nil
		}
		d.base = slices.DeleteFunc(d.base, func(s setting) bool { return runIndex(s.path) >= 0 })
	}
	d.runs = 1
	probe := &values{set: map[string]setting{}}
	for _, k := range keys {
		label := command + " " + k.Flag
		rd := &reader{schema: newSchema(Keys()), file: label, pos: positions{}, probs: &probs, origin: func(int) string { return label }}
		rd.node("run[0]."+k.Key, k.Value)
		probe.apply(rd.out, 1, 0)
		if probe.applies(0, k.Key) {
			d.base = append(d.base, rd.out...)
		}
	}
	return finish(d, o, probs)
}

func finish(d *document, o Options, probs problems) (*Scenario, error) {
	if d == nil {
		return nil, probs.err()
	}
	s := newSchema(Keys())
	for _, set := range o.Sets {
		d.sets = append(d.sets, readSet(s, set, &probs)...)
	}
	chosen := chooseVariants(d, o.Variant, &probs)
	if err := probs.err(); err != nil {
		return nil, err
	}
	sc := &Scenario{File: d.file}
	for _, v := range chosen {
		vals := d.resolve(s, v, &probs)
		c := vals.config(d.runs)
		if v != nil {
			c.Name = v.name
		}
		sc.Variants = append(sc.Variants, c)
	}
	sc.Output = sc.Variants[0].values.output()
	return sc, probs.err()
}

// chooseVariants returns the variants to run; one nil stands for the file without variants.
func chooseVariants(d *document, name string, probs *problems) []*variantLayer {
	if len(d.variants) == 0 && name == "" {
		return []*variantLayer{nil}
	}
	var out []*variantLayer
	names := make([]string, len(d.variants))
	for i := range d.variants {
		names[i] = d.variants[i].name
		if name == "" || name == names[i] {
			out = append(out, &d.variants[i])
		}
	}
	if len(out) == 0 {
		probs.add(Problem{File: d.file, Line: d.pos.line("variant"), Key: "variant", Want: "there is no variant " + written(name) + ", want one of " + list(names), Try: nearest(name, names)})
	}
	return out
}
