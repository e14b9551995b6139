package transport

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"hsim/abi"
	"hsim/host/fabric"
	"hsim/host/mem"
	"hsim/host/sim"
	"hsim/host/soc"
	"hsim/host/topo"
	"hsim/host/units"
	"hsim/host/wasm"
)

// rig is a cluster with nothing but memory, fabric and transport.
type rig struct {
	t     testing.TB
	e     *sim.Engine
	g     *topo.Graph
	f     *fabric.Fabric
	m     *mem.Space
	n     *Net
	proto topo.Protocol
	done  []Completion
	// counts is what the plugin counted.
	counts map[string]int64

	writes int // posted by write
	posted int64
}

type option func(*rigConfig)

type rigConfig struct {
	graph   *topo.Graph // in place of spec
	spec    topo.Spec
	plugin  string
	proto   topo.Protocol
	headers bool
	train   int
	data    mem.Data
	car     Carrier
	params  map[string]any
	now     Plugin
	wrap    func(Plugin) Plugin
	ports   fabric.Features
	faults  []fabric.Fault
	lanes   []uint8
	seed    uint64
}

func loadModule(t testing.TB, name string) *wasm.Module {
	bin, err := os.ReadFile(filepath.Join("..", "..", "plugins", name, name+".wasm"))
	require.NoError(t, err)
	rt, err := wasm.NewRuntime(wasm.Options{})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, rt.Close()) })
	m, err := rt.Load(name, bin, abi.Transport)
	require.NoError(t, err)
	return m
}

func newRig(t testing.TB, opts ...option) *rig {
	c := rigConfig{spec: topo.Spec{Kind: "link", Servers: 1, Devices: 2, Params: topo.Params{Planes: 1}}, plugin: "ub", proto: topo.UB_CTP, headers: true, train: 1}
	for _, o := range opts {
		o(&c)
	}
	p, err := soc.Load("ideal")
	require.NoError(t, err)
	g := c.graph
	if g == nil {
		g, err = topo.Build(c.spec, p.Chip())
		require.NoError(t, err)
	}
	r := &rig{t: t, e: sim.New(1 + c.seed), g: g, m: mem.NewSpace(c.data), proto: c.proto, counts: map[string]int64{}}
	r.f = fabric.New(fabric.Config{Engine: r.e, Graph: g, Features: c.ports, Faults: c.faults})
	car := c.car
	car.Plugin = c.now
	if car.Plugin == nil {
		m := loadModule(t, c.plugin)
		d, err := m.Describe()
		require.NoError(t, err)
		s, err := d.Resolve(c.plugin, c.params)
		require.NoError(t, err)
		car.Plugin, err = NewModule(m, ModuleConfig{Engine: r.e, Settings: s, Count: func(_, name string, by int64) { r.counts[name] += by }})
		require.NoError(t, err)
	}
	if c.wrap != nil {
		car.Plugin = c.wrap(car.Plugin)
	}
	r.n, err = New(Config{Engine: r.e, Graph: g, Fabric: r.f, Mem: r.m, Headers: c.headers, Train: c.train, Lanes: c.lanes,
		Carriers: map[topo.Protocol]Carrier{c.proto: car}})
	require.NoError(t, err)
	return r
}

func (r *rig) Complete(c *Completion) { r.done = append(r.done, *c) }

func (r *rig) connect(a, b topo.NodeID) (ConnID, ConnID) {
	x, y, err := r.n.Connect(Spec{A: a, B: b, Protocol: r.proto})
	require.NoError(r.t, err)
	r.n.SetSink(x, r)
	r.n.SetSink(y, r)
	return x, y
}

func (r *rig) buffer(dev int, n int64) mem.Addr {
	a, err := r.m.Alloc(mem.AllocSpec{Device: dev, Size: n})
	require.NoError(r.t, err)
	return a
}

func (r *rig) run() sim.Result {
	res := r.e.Run(0)
	require.NoError(r.t, r.f.Audit())
	return res
}

// flags is a bank of registers that remembers when each was written.
type flags struct {
	e  *sim.Engine
	at []sim.Time
	v  []uint64
	// then, where set, is called at the writing of a register.
	then map[int]func()
}

func newFlags(r *rig, dev, n int) (*flags, mem.Addr) {
	f := &flags{e: r.e, at: make([]sim.Time, n), v: make([]uint64, n)}
	return f, r.m.Registers(f, dev, n)
}

func (f *flags) WriteRegister(i int, v uint64) {
	f.at[i], f.v[i] = f.e.Now(), f.v[i]+v
	if g := f.then[i]; g != nil {
		g()
	}
}
func (f *flags) ReadRegister(i int) uint64 { return f.v[i] }
func micros(t sim.Time) float64            { return float64(t) / float64(sim.Microsecond) }

func ns(n int64) *sim.Time {
	t := sim.Time(n) * sim.Nanosecond
	return &t
}

// wire is a link of the given rate and latency between two devices.
func wire(rate units.Rate, latency *sim.Time) option {
	return func(c *rigConfig) {
		c.spec.Params.Rate, c.spec.Params.Latency = rate, latency
	}
}

func carrier(name string, p topo.Protocol) option {
	return func(c *rigConfig) { c.plugin, c.proto = name, p }
}

func attributes(f func(c *Carrier)) option { return func(c *rigConfig) { f(&c.car) } }
