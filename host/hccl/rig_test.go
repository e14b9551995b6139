package hccl

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"hsim/abi"
	"hsim/host/device"
	"hsim/host/fabric"
	"hsim/host/mem"
	"hsim/host/sim"
	"hsim/host/soc"
	"hsim/host/topo"
	"hsim/host/transport"
	"hsim/host/wasm"
)

// cluster is devices on a network, without a runtime.
type cluster struct {
	t    testing.TB
	eng  *sim.Engine
	mem  *mem.Space
	g    *topo.Graph
	fab  *fabric.Fabric
	net  *transport.Net
	sys  *device.System
	host *Host
	dev  []*device.Device
	str  []*device.Stream
}

type setup struct {
	chip    string
	kind    string
	servers int
	devices int
	params  topo.Params
	data    mem.Data
	train   int
	change  func(*soc.Chip)
	plugin  string
	roce    string // plugin of ROCE; "" the same
}

func loadPlugin(t testing.TB, name string, eng *sim.Engine) transport.Plugin {
	bin, err := os.ReadFile(filepath.Join("..", "..", "plugins", name, name+".wasm"))
	require.NoError(t, err)
	rt, err := wasm.NewRuntime(wasm.Options{})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, rt.Close()) })
	m, err := rt.Load(name, bin, abi.Transport)
	require.NoError(t, err)
	d, err := m.Describe()
	require.NoError(t, err)
	s, err := d.Resolve(name, nil)
	require.NoError(t, err)
	p, err := transport.NewModule(m, transport.ModuleConfig{Engine: eng, Settings: s})
	require.NoError(t, err)
	return p
}

func newCluster(t testing.TB, s setup) *cluster {
	if s.servers == 0 {
		s.servers = 1
	}
	if s.plugin == "" {
		s.plugin = "ub"
	}
	p, err := soc.Load(s.chip)
	require.NoError(t, err)
	chip := *p.Chip()
	if s.change != nil {
		s.change(&chip)
	}
	c := &cluster{t: t, eng: sim.New(1), mem: mem.NewSpace(s.data)}
	c.g, err = topo.Build(topo.Spec{Kind: s.kind, Servers: s.servers, Devices: s.devices, Params: s.params}, &chip)
	require.NoError(t, err)
	c.fab = fabric.New(fabric.Config{Engine: c.eng, Graph: c.g})
	plugin := loadPlugin(t, s.plugin, c.eng)
	cars := map[topo.Protocol]transport.Carrier{}
	for _, proto := range c.g.Carried().List() {
		if proto == topo.PCIE {
			continue
		}
		car := transport.Carrier{Plugin: plugin}
		if proto == topo.ROCE && s.roce != "" {
			car.Plugin = loadPlugin(t, s.roce, c.eng)
			car.AckTimeout, car.RetryCount = 17, 7
		}
		if proto == topo.HCCS || proto == topo.UB_MEM {
			car.Service, car.ReadEff, car.WriteEff = abi.ServiceMemory, chip.RemoteReadEff, chip.RemoteWriteEff
		}
		cars[proto] = car
	}
	c.net, err = transport.New(transport.Config{Engine: c.eng, Graph: c.g, Fabric: c.fab, Mem: c.mem, Carriers: cars,
		Headers: chip.Headers, Train: s.train})
	require.NoError(t, err)
	c.sys = device.NewSystem(device.SystemConfig{Engine: c.eng, Mem: c.mem, Net: c.net, Graph: c.g})
	c.host = NewHost(c.sys, c.net, c.g)
	for i := range c.g.Devices {
		d, err := device.New(c.sys, device.Config{Chip: &chip, Node: topo.NodeID(i)})
		require.NoError(t, err)
		c.dev = append(c.dev, d)
		st, err := d.NewStream(device.StreamOptions{})
		require.NoError(t, err)
		c.str = append(c.str, st)
	}
	return c
}

func (c *cluster) comm(cfg CommConfig) *Comm {
	if cfg.Devices == nil {
		cfg.Devices = c.dev
	}
	m, err := c.host.NewComm(cfg)
	require.NoError(c.t, err)
	return m
}

func (c *cluster) buffer(dev int, n int64) mem.Addr {
	a, err := c.mem.Alloc(mem.AllocSpec{Device: dev, Size: n})
	require.NoError(c.t, err)
	return a
}

func (c *cluster) write(a mem.Addr, b []byte) { require.NoError(c.t, c.mem.Write(a, b)) }

func (c *cluster) read(a mem.Addr, n int64) []byte {
	b := make([]byte, n)
	require.NoError(c.t, c.mem.Read(a, b))
	return b
}

// run lets the simulation end and returns its time; every stream must be clean.
func (c *cluster) run() sim.Time {
	c.t.Helper()
	r := c.eng.Run(0)
	if r.Stall != nil {
		c.t.Fatalf("stalled: %v", r.Stall)
	}
	require.Equal(c.t, sim.Done, r.Reason)
	for _, s := range c.str {
		if f := s.Err(); f != nil {
			c.t.Fatal(f)
		}
		require.False(c.t, s.Busy())
	}
	require.NoError(c.t, c.net.Fault())
	return r.End
}

// job is one collective on all ranks, with its buffers.
type job struct {
	c          *cluster
	m          *Comm
	p          Params
	dt         mem.Dtype
	red        mem.Op
	send, recv []mem.Addr
	inputs     [][]byte
	sched      *Schedule
}

func (c *cluster) job(m *Comm, op OpKind, count int64, dt mem.Dtype, red mem.Op, inPlace bool) *job {
	j := &job{c: c, m: m, dt: dt, red: red, p: Params{Op: op, Ranks: m.Size(), Count: count, Elem: dt.Size(), InPlace: inPlace}}
	in, out := j.p.InBytes(), j.p.OutBytes()
	for r := range m.Size() {
		d := m.Rank(r).Device().Index()
		own := int64(r) * count * dt.Size()
		var a, b mem.Addr
		switch {
		case op == Broadcast:
			a = c.buffer(d, in)
			b = a
		case !inPlace:
			a, b = c.buffer(d, in), c.buffer(d, out)
		case op == AllReduce:
			a = c.buffer(d, in)
			b = a
		case op == AllGather:
			b = c.buffer(d, out)
			a = b.Add(own)
		case op == ReduceScatter:
			a = c.buffer(d, in)
			b = a.Add(own)
		}
		j.send, j.recv = append(j.send, a), append(j.recv, b)
		j.inputs = append(j.inputs, nil)
	}
	return j
}

func (j *job) fill(r int, b []byte) {
	j.inputs[r] = b
	j.c.write(j.send[r], b)
}

func (j *job) args(r int) Args {
	return Args{Op: j.p.Op, Send: j.send[r], Recv: j.recv[r], Count: j.p.Count, Dtype: j.dt, Red: j.red, Root: j.p.Root, Algorithm: j.p.Alg, Schedule: j.sched,
		Stream: j.c.str[j.m.Rank(r).Device().Index()]}
}

// startLate starts the job with ranks that are late by up to 3 ms, in an order of
// their own.
func (j *job) startLate() {
	for r := range j.m.Size() {
		j.c.eng.Go(fmt.Sprint("rank ", r), func(p *sim.Proc) {
			p.Sleep(sim.Time(r*r%5) * 700 * sim.Microsecond)
			l, err := j.m.Rank(r).Start(j.args(r))
			require.NoError(j.c.t, err)
			if j.sched != nil {
				require.Equal(j.c.t, j.sched.Name, l.Choice.Name())
			}
		})
	}
}

func (j *job) start() {
	for r := range j.m.Size() {
		_, err := j.m.Rank(r).Start(j.args(r))
		require.NoError(j.c.t, err)
	}
}
