package scenario

import (
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"hsim/host/hccl"
	"hsim/host/mem"
	"hsim/host/sim"
	"hsim/host/soc"
	"hsim/host/topo"
	"hsim/host/topo/form"
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
	Cluster     *topo.Cluster // read from files; nil = made from Topology
	Notes       []form.Note   // of files that were accepted
	Routes      *topo.Routes  // that came with them; nil = shortest paths

	Transport  [soc.NumProtocols]Carrier
	Kernels    []string // "builtin" or absolute paths of modules, the later wins
	Programs   []string // of CCU microprograms, likewise
	Algorithms []string // paths of modules of collective algorithms, likewise
	Train      Train
	Network    Network

	BuffSize    int64    // bytes of each of a communicator's buffers
	ExecTimeout sim.Time // 0 = for ever
	RDMATimeout uint32   // exponent of a connection's retransmission time-out, 0 = never
	RDMARetries uint32

	ConnectTimeout sim.Time
	Visible        []int // physical ids that programs see of their server; nil = all
	StrictEvents   bool  // of programs

	Faults  []FaultSpec
	Devices []DeviceSpec

	Runs []RunSpec

	values *values
}

// Ranks is the number of devices, each of which is one rank.
func (c *Config) Ranks() int {
	if c.Cluster != nil {
		return len(c.Cluster.Ranks)
	}
	return c.Topology.Servers * c.Topology.Devices
}

// Graph builds the graph of the configuration, or takes that of its files. The error is topo's.
func (c *Config) Graph() (*topo.Graph, error) {
	g := (*topo.Graph)(nil)
	if c.Cluster != nil {
		g = c.Cluster.Graph
	} else {
		var err error
		if g, err = topo.Build(c.Topology, c.Profile.Chip()); err != nil {
			return nil, err
		}
	}
	c.Network.forward(g)
	return g, nil
}

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
	Whole     bool // sizes are of all ranks' parts together, as -b of hccl_test
	Op        hccl.OpKind
	Root      int
	InPlace   bool
	Algorithm hccl.Algorithm
	Schedule  string // name of an algorithm of plugins.algorithms; "" = Algorithm
	Expansion hccl.Expansion

	Kernel string
	Blocks int      // 0 = the chip's cores
	Shape  [3]int64 // m, n, k of matmul; zero otherwise
	Args   []string // fields of the argument struct; empty = those of the kernel's name; of a program its arguments
	Expect string   // what an output element must be; "" = as the kernel's name says

	Program   string // path of a host program; "" for ops and kernels
	Processes int
	Env       []string // beside that of the file
	Steps     uint64
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

	part bool // some of the configurations that the file has were left out
}

// name is the file as a report shows it: its base name, the same on every machine.
func (s *Scenario) name() string { return filepath.Base(s.File) }

// Options change what Load reads.
type Options struct {
	Sets    []string // --set a.b=c; the last one of a key wins
	Flags   []RunKey // keys of the file that flags of their own set; they win over Sets
	Variant string   // run only the variant of this name, or the base
	Look    bool     // the clusters alone are wanted: without any run too, and with runs that need more memory than there is
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

// RunKey is one key, of a run or of the file, that comes from a command line.
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
		d.part = len(d.variants) > 0
		if o.Variant == "" {
			d.variants = nil
		}
		d.base = slices.DeleteFunc(d.base, func(s setting) bool { return runIndex(s.path) >= 0 || s.path == "sim.base" && o.Variant == "" })
	}
	d.runs = 1
	probe := &values{set: map[string]setting{}, replaced: map[string]int{}}
	for _, k := range keys {
		k.Flag = command + " " + k.Flag
		set := readKey(newSchema(Keys()), k, "run[0]."+k.Key, &probs)
		probe.apply(set, 1, 0)
		if probe.applies(0, k.Key) {
			d.base = append(d.base, set...)
		}
	}
	sc, err := finish(d, o, probs)
	var in *InputError
	if errors.As(err, &in) {
		for i := range in.Problems {
			if p := &in.Problems[i]; strings.HasPrefix(p.File, command) {
				p.Key = strings.TrimPrefix(p.Key, "run[0].") // the flag is where it is
			}
		}
	}
	return sc, err
}

func finish(d *document, o Options, probs problems) (*Scenario, error) {
	if d == nil {
		return nil, probs.err()
	}
	s := newSchema(Keys())
	for _, set := range o.Sets {
		d.sets = append(d.sets, readSet(s, d.file, set, &probs)...)
	}
	for _, k := range o.Flags {
		d.sets = append(d.sets, readKey(s, k, k.Key, &probs)...)
	}
	if err := probs.err(); err != nil {
		return nil, err
	}
	chosen := d.choose(s, o.Variant, &probs)
	sc := &Scenario{File: d.file, part: d.part || o.Variant != "" && len(d.variants) > 0}
	rows := 0
	each := make([]problems, len(chosen))
	for i, v := range chosen {
		v.values.probs, v.values.look = &each[i], o.Look
		c := v.values.config(d.runs)
		c.Name = v.name
		for i := range c.Runs {
			rows += max(len(c.Runs[i].Sizes), 1)
		}
		if rows > maxRows {
			probs.add(Problem{File: d.file, Want: fmt.Sprintf("has more than %d rows: sizes of all runs and variants", maxRows), Try: "a larger step in run.sizes"})
			break
		}
		sc.Variants = append(sc.Variants, c)
	}
	probs = append(probs, together(each, len(chosen) > 1 && !chosen[0].values.variant)...)
	if err := probs.err(); err != nil {
		return nil, err
	}
	sc.Variants[0].values.probs = &probs
	sc.Output = sc.Variants[0].values.output()
	return sc, probs.err()
}

// configuration is one thing to run: the file as it stands, or a variant of it.
type configuration struct {
	name   string
	values *values
}

// together joins what is wrong with each configuration. What is wrong with the base, the file as it stands, and with no
// variant of it may be meant so: its remedy is then also not to run it.
func together(each []problems, base bool) problems {
	var out problems
	for n, list := range each {
		for _, p := range list {
			alone := base && n == 0
			for i := 1; i < len(each) && alone; i++ {
				alone = !slices.Contains(each[i], p)
			}
			if alone {
				p.Try = strings.TrimPrefix(p.Try+", or sim.base = false if only the variants are meant to run", ", or ")
			}
			out = append(out, p)
		}
	}
	return out
}

// baseName heads the columns of the file as it stands where [sim] gives it no name.
const baseName = "base"

// choose lists what to run: the file as it stands, then its variants, or the one that was asked for.
func (d *document) choose(s *schema, only string, probs *problems) []configuration {
	var asides problems // of the base: they count only if it runs
	base := d.resolve(s, nil, &asides)
	name := get[string](base, "sim.name")
	if w := badName(name); w != "" {
		base.problem("sim.name", w, "")
	}
	alone := len(d.variants) == 0
	if name == "" && !alone {
		name = baseName
	}
	var all []configuration
	if runs := get[bool](base, "sim.base"); runs || alone {
		base.probs = probs
		if !runs {
			base.problem("sim.base", "leaves nothing to run: the file has no [[variant]]", "")
		}
		*probs = append(*probs, asides...)
		all = append(all, configuration{name, base})
	}
	for i := range d.variants {
		v := &d.variants[i]
		if v.name == name && len(all) > 0 && i < len(d.variants) {
			probs.add(Problem{File: d.file, Line: v.line, Key: element("variant", i) + ".name", Value: written(name),
				Want: "is the name of the configuration that the variants are made from", Try: "another name here or in sim.name, or sim.base = false"})
		}
		all = append(all, configuration{v.name, d.resolve(s, v, probs)})
	}
	if only == "" {
		return all
	}
	names := make([]string, len(all))
	for i, c := range all {
		if names[i] = c.name; c.name == only {
			return all[i : i+1]
		}
	}
	p := Problem{File: d.file, Line: d.pos.line("variant"), Want: "there is no variant " + written(only) + ", want " + list(names), Try: nearest(only, names)}
	if alone {
		p.Want, p.Try = "there is no variant "+written(only)+": the file has no [[variant]]", ""
	}
	probs.add(p)
	return nil
}
