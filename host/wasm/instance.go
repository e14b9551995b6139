package wasm

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strings"

	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/api"
	"github.com/tetratelabs/wazero/experimental"

	"hsim/abi"
	"hsim/host/sim"
)

// Defaults of InstanceConfig.
const (
	DefaultPages = 1024          // 64 MiB
	DefaultFuel  = 1_000_000_000 // about two seconds of host time
)

// InstanceConfig says what an instance may use and what its imports do. The zero value gives defaults everywhere.
type InstanceConfig struct {
	Imports    map[string]Import // by name in the kind's import module; what is missing here fails when called
	Bound      *Bound            // instead of Imports: bound once, for many instances
	LimitPages uint32            // most pages of memory, 0 = DefaultPages
	Fuel       uint64            // steps a call may take, 0 = DefaultFuel
	Seed       uint64            // of the random numbers
	Now        func() sim.Time   // virtual time, nil = always 0
	Sleep      func(d sim.Time)  // nil = sleeping takes no time
	Yield      func()            // of a program's sched_yield; nil = nothing
	Log        func(line string) // lines of log, stdout and stderr, without line end; nil = dropped
	Stdout     func(line string) // lines of stdout, instead of Log
	Stderr     func(line string) // lines of stderr, instead of Log
	Data       any               // CallCtx.Data
	Settings   []Setting         // parameters, from Description.Resolve
	Args       []string          // of a program, without its name
	Env        []string          // of a program, KEY=value in order
}

// Instance is one running copy of a module with its own memory. It belongs to one simulation: calls do not overlap,
// except calls through different Funcs that block inside an Import, one at a time.
type Instance struct {
	mod     *Module
	wz      api.Module
	mem     *memory
	imports []Import
	cfg     InstanceConfig
	random  *rand.Rand
	out     *lines            // stdout
	err     *lines            // stderr
	fuel    api.MutableGlobal // steps left of the call under way
	full    uint64            // its value at the start of a call
	stack   api.MutableGlobal // __stack_pointer, nil when there is none
	rest    uint64            // its value while nothing runs
	globals []api.MutableGlobal
	entries map[string]*Func
}

// Instantiate makes an instance: constructors have run and parameters are set when it returns.
func (m *Module) Instantiate(cfg InstanceConfig) (*Instance, error) {
	if cfg.LimitPages == 0 {
		cfg.LimitPages = DefaultPages
	}
	if cfg.Fuel == 0 {
		cfg.Fuel = DefaultFuel
	}
	if m.minPages > cfg.LimitPages {
		return nil, fmt.Errorf("wasm: instantiate plugin %s: got a module of %d pages of 64 KiB, want at most %d (link it with a smaller memory)",
			m.name, m.minPages, cfg.LimitPages)
	}
	in := &Instance{
		mod:    m,
		cfg:    cfg,
		mem:    &memory{limit: uint64(min(cfg.LimitPages, MaxPages)) * PageSize},
		random: rand.New(rand.NewPCG(cfg.Seed, 0x6873696d)),
		full:   fuelValue(cfg.Fuel),
	}
	in.bind()
	start := &CallCtx{In: in, Data: cfg.Data, values: experimental.WithMemoryAllocator(context.Background(), in.mem)}
	wz, err := m.rt.rt.InstantiateModule(start, m.compiled, in.moduleConfig())
	if err != nil {
		return nil, in.trap("(start)", err)
	}
	in.wz = wz
	in.fuel, _ = wz.ExportedGlobal(fuelExport).(api.MutableGlobal)
	if budget, ok := wz.ExportedGlobal(budgetExport).(api.MutableGlobal); ok {
		budget.Set(in.full)
	}
	if sp := m.info.stackPointer; sp != "" {
		if g, ok := wz.ExportedGlobal(sp).(api.MutableGlobal); ok {
			in.stack, in.rest = g, g.Get()
		}
	}
	if err := in.begin(); err != nil {
		_ = in.Close()
		return nil, err
	}
	return in, nil
}

// begin runs the start function and constructors and sets parameters.
func (in *Instance) begin() error {
	for _, name := range []string{startExport, "_initialize"} {
		if !in.mod.Has(name) || name == "_initialize" && in.mod.kind == abi.Program {
			continue
		}
		f, err := in.Func(name)
		if err != nil {
			return err
		}
		if _, err := f.Call(); err != nil {
			return err
		}
		if in.stack != nil {
			in.rest = in.stack.Get()
		}
	}
	return in.set(in.cfg.Settings)
}

// bind fills the table of imports by slot.
func (in *Instance) bind() {
	switch h := in.mod.host; {
	case h == nil:
	case in.cfg.Bound != nil:
		in.imports = in.cfg.Bound.slots
	default:
		in.imports = bind(h.names, in.cfg.Imports)
	}
}

// Bound is the host's side of the imports of a kind, ready for any number of instances.
type Bound struct{ slots []Import }

// Bind binds the imports of a kind by name; what is missing fails when called.
func Bind(kind abi.Kind, imports map[string]Import) *Bound {
	var names []string
	for _, f := range abi.Lookup(kind).Imports {
		names = append(names, f.Name)
	}
	return &Bound{bind(names, imports)}
}

// bind gives every import the caller's function, then one that every kind has, then a refusal.
func bind(names []string, given map[string]Import) []Import {
	out := make([]Import, len(names))
	for i, name := range names {
		switch f := given[name]; {
		case f != nil:
			out[i] = f
		case name == "log":
			out[i] = importLog
		case name == "fail":
			out[i] = importFail
		case name == "random":
			out[i] = importRandom
		default:
			out[i] = func(c *CallCtx, _ []uint64) {
				c.Abort(fmt.Errorf("import %s is not available here", name))
			}
		}
	}
	return out
}

func importLog(c *CallCtx, stack []uint64) { c.In.log(c.Text(stack[0], stack[1])) }

func importFail(c *CallCtx, stack []uint64) {
	c.Abort(fmt.Errorf("the plugin says: %s", c.Text(stack[0], stack[1])))
}

func importRandom(c *CallCtx, stack []uint64) { stack[0] = c.In.random.Uint64() }

func (in *Instance) log(line string) {
	if in.cfg.Log != nil {
		in.cfg.Log(in.mod.name + ": " + line)
	}
}

const (
	// epoch is what a guest's calendar shows at virtual time 0: 2026-01-01 00:00 UTC.
	epoch = 1767225600
	// uptime is what its monotonic clock shows then, in ns: the Go runtime refuses a clock that reads zero.
	uptime = 1
)

func (in *Instance) now() sim.Time {
	if in.cfg.Now == nil {
		return 0
	}
	return in.cfg.Now()
}

func (in *Instance) moduleConfig() wazero.ModuleConfig {
	cfg := wazero.NewModuleConfig().WithName("").WithStartFunctions()
	if !in.mod.info.wasi {
		return cfg
	}
	in.out = &lines{to: in.log}
	in.err = in.out
	if in.cfg.Stdout != nil {
		in.out = &lines{to: in.cfg.Stdout}
		in.err = in.out
	}
	if in.cfg.Stderr != nil {
		in.err = &lines{to: in.cfg.Stderr}
	}
	cfg = cfg.WithStdout(in.out).WithStderr(in.err).
		WithRandSource(newRandomReader(in.cfg.Seed)).
		WithNanotime(func() int64 { return int64(in.now()/sim.Nanosecond) + uptime }, 1).
		WithWalltime(func() (int64, int32) {
			t := in.now()
			return epoch + int64(t/sim.Second), int32(t % sim.Second / sim.Nanosecond)
		}, 1).
		WithNanosleep(func(ns int64) {
			if in.cfg.Sleep != nil && ns > 0 {
				in.cfg.Sleep(sim.Time(ns) * sim.Nanosecond)
			}
		}).
		WithOsyield(func() {
			if in.cfg.Yield != nil {
				in.cfg.Yield()
			}
		}).
		WithArgs(append([]string{in.mod.name}, in.cfg.Args...)...)
	for _, kv := range in.cfg.Env {
		k, v, _ := strings.Cut(kv, "=")
		cfg = cfg.WithEnv(k, v)
	}
	return cfg
}

// Entry returns the Func of an export that the instance keeps: the same one each time, for callers that make one call at
// a time.
func (in *Instance) Entry(name string) (*Func, error) {
	if f := in.entries[name]; f != nil {
		return f, nil
	}
	f, err := in.Func(name)
	if err != nil {
		return nil, err
	}
	if in.entries == nil {
		in.entries = map[string]*Func{}
	}
	in.entries[name] = f
	return f, nil
}

// Steps returns how many steps the last call took: the same number on every machine.
func (in *Instance) Steps() uint64 {
	left := in.fuel.Get()
	if int64(left) < 0 {
		return in.cfg.Fuel
	}
	return in.cfg.Fuel - fuelLeft(left)
}

// lookUpGlobals finds the guest's mutable globals, for save and restore.
func (in *Instance) lookUpGlobals() {
	for _, name := range in.mod.info.globals {
		if g, ok := in.wz.ExportedGlobal(name).(api.MutableGlobal); ok {
			in.globals = append(in.globals, g)
		}
	}
}

// Module returns what the instance was made from.
func (in *Instance) Module() *Module { return in.mod }

// Refill gives the calls under way the full number of steps again; for callers whose guests run on while virtual time
// advances.
func (in *Instance) Refill() {
	in.fuel.Set(in.full)
}

// Close ends the instance. Pointers into its memory stay valid Go memory, but mean nothing.
func (in *Instance) Close() error {
	if in.out != nil {
		in.out.flush()
		in.err.flush()
	}
	if err := in.wz.Close(context.Background()); err != nil {
		return fmt.Errorf("wasm: close instance of %s: %w", in.mod.name, err)
	}
	return nil
}
