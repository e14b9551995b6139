package guest

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"hsim/abi"
	"hsim/host/acl"
	"hsim/host/device"
	"hsim/host/fabric"
	"hsim/host/hccl"
	"hsim/host/mem"
	"hsim/host/sim"
	"hsim/host/soc"
	"hsim/host/topo"
	"hsim/host/transport"
	"hsim/host/wasm"
)

// rig is a cluster on which programs run.
type rig struct {
	t    testing.TB
	wasm *wasm.Runtime
	eng  *sim.Engine
	mem  *mem.Space
	sys  *device.System
	acl  *acl.Runtime
	prog *System
	out  []string // what programs printed, with the rank in front
}

type rigConfig struct {
	chip    string
	change  func(c *soc.Chip)
	kind    string // of topology, "" = clos
	servers int
	devices int
	rows    bool // keep the task table
	guest   func(c *Config)
}

// newRig makes a cluster with the embedded ub plugin on every link.
func newRig(t testing.TB, c rigConfig) *rig {
	r := &rig{t: t, eng: sim.New(1), mem: mem.NewSpace(mem.Real)}
	p, err := soc.Load(c.chip)
	require.NoError(t, err)
	chip := *p.Chip()
	if c.change != nil {
		c.change(&chip)
	}
	if c.kind == "" {
		c.kind = "clos"
	}
	g, err := topo.Build(topo.Spec{Kind: c.kind, Servers: max(c.servers, 1), Devices: max(c.devices, 1), Hosts: 1}, &chip)
	require.NoError(t, err)
	r.wasm, err = wasm.NewRuntime(wasm.Options{})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, r.wasm.Close()) })
	ub := r.load("../../plugins/ub/ub.wasm", abi.Transport)
	d, err := ub.Describe()
	require.NoError(t, err)
	settings, err := d.Resolve("ub", nil)
	require.NoError(t, err)
	plugin, err := transport.NewModule(ub, transport.ModuleConfig{Engine: r.eng, Settings: settings})
	require.NoError(t, err)
	cars := map[topo.Protocol]transport.Carrier{}
	for _, proto := range g.Carried().List() {
		if proto == topo.PCIE {
			continue
		}
		car := transport.Carrier{Plugin: plugin}
		if proto == topo.HCCS || proto == topo.UB_MEM {
			car.Service, car.ReadEff, car.WriteEff = abi.ServiceMemory, chip.RemoteReadEff, chip.RemoteWriteEff
		}
		cars[proto] = car
	}
	net, err := transport.New(transport.Config{Engine: r.eng, Graph: g, Fabric: fabric.New(fabric.Config{Engine: r.eng, Graph: g}), Mem: r.mem,
		Carriers: cars, Headers: chip.Headers})
	require.NoError(t, err)
	r.sys = device.NewSystem(device.SystemConfig{Engine: r.eng, Mem: r.mem, Net: net, Graph: g})
	for i := range g.Devices {
		_, err := device.New(r.sys, device.Config{Chip: &chip, Node: topo.NodeID(i)})
		require.NoError(t, err)
	}
	r.acl = acl.New(acl.Config{System: r.sys, Graph: g, Wasm: r.wasm, Rows: c.rows})
	cfg := Config{ACL: r.acl, HCCL: hccl.NewHost(r.sys, net, g), Comm: hccl.CommConfig{BufferBytes: 1 << 20}}
	if c.guest != nil {
		c.guest(&cfg)
	}
	r.prog = New(cfg)
	return r
}

func (r *rig) load(file string, kind abi.Kind) *wasm.Module {
	bin, err := os.ReadFile(file)
	require.NoError(r.t, err)
	m, err := r.wasm.Load(strings.TrimSuffix(filepath.Base(file), ".wasm"), bin, kind)
	require.NoError(r.t, err)
	return m
}

// program loads a test program.
func (r *rig) program(name string) *wasm.Module {
	return r.load("testdata/programs/"+name+".wasm", abi.Program)
}

// job fills in what most tests want: processes that see all devices of server 0, and output that is kept.
func (r *rig) job(m *wasm.Module, processes int, args ...string) JobSpec {
	return JobSpec{Module: m, Args: args, Places: make([]Place, processes), Dir: ".",
		Output: func(rank int, to Stream, line string) {
			name := ""
			if to == Stderr {
				name = "!"
			}
			r.out = append(r.out, fmt.Sprintf("%d%s %s", rank, name, line))
		}}
}

// run runs a job to the end of the simulation.
func (r *rig) run(spec JobSpec) (*Job, sim.Result) {
	j, err := r.prog.Start(spec)
	require.NoError(r.t, err)
	res := r.eng.Run(0)
	return j, res
}

// ran runs a job whose processes all end well, and returns what they printed.
func (r *rig) ran(spec JobSpec) []string {
	r.t.Helper()
	j, res := r.run(spec)
	require.Nil(r.t, res.Stall, "%v", res.Stall)
	for _, p := range j.Processes() {
		require.NoError(r.t, p.Err())
		code, ok := p.Exit()
		require.True(r.t, ok, "rank %d has not ended", p.Rank())
		require.Zero(r.t, code, "rank %d: %v", p.Rank(), r.out)
	}
	return r.out
}
