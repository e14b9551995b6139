package scenario

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"hsim/host/ccu"
	"hsim/host/device"
	"hsim/host/fabric"
	"hsim/host/guest"
	"hsim/host/hccl"
	"hsim/host/kernel"
	"hsim/host/mem"
	"hsim/host/record"
	"hsim/host/sim"
	"hsim/host/topo"
	"hsim/host/transport"
)

// plan is what one variant needs before it can be simulated: everything that can be refused has been.
type plan struct {
	cfg   *Config
	lib   *library
	graph *topo.Graph
	used  []topo.Protocol
	mods  map[topo.Protocol]*module
	kerns map[int]*kernelUse
	guest map[int]*module // host programs by run
	progs []*ccu.Binary
	sched map[int]*hccl.Schedule // of users, by run

	faults  []placedFault
	notes   []string
	sampled func(fabric.Sample) // who gets samples, nil = only the trace
}

// prepare builds the graph and loads the plugins of a variant; what is wrong goes into probs.
func prepare(c *Config, l *library, probs *problems) *plan {
	own := *c // what a plan adds is its own
	c = &own
	v := c.values
	v.probs = probs
	g, err := c.Graph()
	if err != nil {
		v.problem(blamed(err), trimPrefixes(err), "")
		return nil
	}
	v.ranksOf(c, g)
	p := &plan{cfg: c, lib: l, graph: g, used: carried(g)}
	p.placeFaults()
	p.placeDevices()
	p.mods = v.transports(l, c, p.used)
	p.sprayed()
	p.deviceMTUs()
	p.onePath()
	p.fullPackets(p.wires())
	p.overridden()
	p.kerns = v.kernels(l, c)
	p.guest = v.hostPrograms(l, c)
	p.progs = v.programs(l, c)
	p.choices()
	p.algorithms(l)
	return p
}

// ranksOf refuses devices over which the chip has no communicator, where a run needs one.
func (v *values) ranksOf(c *Config, g *topo.Graph) {
	need := false
	for i := range c.Runs {
		need = need || c.Runs[i].IsOp
	}
	local := map[int][]int{}
	for i := range g.Devices {
		n := &g.Nodes[i]
		local[int(n.Server)] = append(local[int(n.Server)], int(n.Index))
	}
	for _, s := range slices.Sorted(maps.Keys(local)) {
		if err := hccl.CheckDevices(c.Profile.Chip().Generation, local[s]); need && err != nil {
			v.problem("cluster.devices", trimPrefixes(err), "")
			return
		}
	}
}

// blamed is the key that an error of the topology speaks of: "topo: build star: devices: got ...".
func blamed(err error) string {
	parts := strings.SplitN(strings.TrimPrefix(err.Error(), "topo: "), ": ", 3)
	if len(parts) < 3 {
		return "cluster.topology.kind"
	}
	switch parts[1] {
	case "servers", "devices", "hosts":
		return "cluster." + parts[1]
	case "servers times devices":
		return "cluster.devices"
	}
	for _, k := range topo.ParamKeys() {
		if k.Name == parts[1] {
			return "cluster.topology." + k.Name
		}
	}
	return "cluster.topology.kind"
}

// world is one simulation: the hardware and software of a variant.
type world struct {
	*plan
	rec  *record.Recorder
	eng  *sim.Engine
	mem  *mem.Space
	fab  *fabric.Fabric
	net  *connector
	sys  *device.System
	host *hccl.Host
	devs []*device.Device
	comm *hccl.Comm    // over all devices, made when first needed
	prog *guest.System // made when the first program runs
}

// build makes the parts of a variant and ties them together.
func (p *plan) build(rec *record.Recorder, log func(string)) (*world, error) {
	c, chip := p.cfg, p.cfg.Profile.Chip()
	w := &world{plan: p, eng: sim.New(c.Seed), mem: mem.NewSpace(c.Data), rec: rec}
	w.groups()
	w.fab = fabric.New(fabric.Config{Engine: w.eng, Graph: p.graph, Seed: c.Network.HashSeed, Record: rec,
		Features: c.Network.Features, Faults: p.faultsOf(), Sample: c.Network.Sample, Sampled: p.sampled})
	cars := make(map[topo.Protocol]transport.Carrier, len(p.used))
	for _, proto := range p.used {
		car, err := p.mods[proto].carrier(proto, c, transport.ModuleConfig{Engine: w.eng, Seed: c.Seed, Log: log})
		if err != nil {
			return nil, err
		}
		cars[proto] = car
	}
	var overflow mem.Overflow
	if chip.Int8Saturate {
		overflow = mem.SaturateInt
	}
	net, err := transport.New(transport.Config{Engine: w.eng, Graph: p.graph, Fabric: w.fab, Mem: w.mem, Carriers: cars,
		Headers: chip.Headers, Train: int(c.Train.Packets), Overflow: overflow, Lanes: c.Network.Lanes})
	if err != nil {
		return nil, err
	}
	w.net = &connector{Net: net, net: &c.Network}
	w.net.mtu, w.net.forced = c.packets()
	w.sys = device.NewSystem(device.SystemConfig{Engine: w.eng, Mem: w.mem, Net: w.net, Graph: p.graph, Record: rec})
	kernels := device.KernelOptions{Seed: c.Seed}
	if log != nil {
		kernels.Log = func(_ *device.Device, line string) { log(line) }
	}
	if rec.On() {
		kernels.Observer = func(d *device.Device) kernel.Observer { return &coreTracks{rec: rec, device: d.Name()} }
	}
	w.sys.SetKernelOptions(kernels)
	w.host = hccl.NewHost(w.sys, w.net, p.graph)
	w.host.SetWires(p.wires())
	w.host.SetPrograms(p.progs)
	var all []*device.Device
	for i := range p.graph.Devices {
		d, err := device.New(w.sys, device.Config{Chip: chip, Node: topo.NodeID(i)})
		if err != nil {
			return nil, err
		}
		all = append(all, d)
	}
	for r, n := range p.nodes() {
		all[n].SetLabel(fmt.Sprintf("rank %d", r))
		w.devs = append(w.devs, all[n])
	}
	return w, nil
}

// communicator returns the communicator over all devices.
func (w *world) communicator() (*hccl.Comm, error) {
	if w.comm != nil {
		return w.comm, nil
	}
	timeout := w.cfg.ExecTimeout
	if timeout == 0 {
		timeout = -1 // never
	}
	var err error
	w.comm, err = w.host.NewComm(hccl.CommConfig{Devices: w.devs, BufferBytes: w.cfg.BuffSize, ExecTimeout: timeout})
	return w.comm, err
}

// groups puts what the devices, their ports and cores, and the runs on them record into one group for each device, in an
// order that reads from the program down to the wire.
func (w *world) groups() {
	if !w.rec.On() {
		return
	}
	w.rec.Order(callTrack, "stream", kernel.AICPU.String(), kernel.VectorCore.String(), kernel.CubeCore.String(), "die", "port")
	for r, n := range w.nodes() {
		w.rec.Group(fmt.Sprintf("rank %d / device %d", r, n), w.graph.Nodes[n].Name) // the first is what device.Device.Name says
	}
}

// callTrack is the track on which each rank shows what it was asked to do.
const callTrack = "calls"

// coreTracks draws the blocks of kernels, one track per core.
type coreTracks struct {
	rec    *record.Recorder
	device string
}

// BlockDone implements kernel.Observer.
func (c *coreTracks) BlockDone(f *kernel.Function, unit kernel.Unit, core, block int, start, end sim.Time) {
	if start == end {
		return // a block without work
	}
	c.rec.Span(c.rec.Track(c.device, fmt.Sprintf("%v %d", unit, core)), f.Name, start, end, record.Int("block", int64(block)))
}

// header fills the part of a variant's report that does not depend on its runs.
func (p *plan) header() *VariantReport {
	c, chip := p.cfg, p.cfg.Profile.Chip()
	r := &VariantReport{Name: c.Name, Outcome: OutcomeOK, Chip: chip.Name, SocName: chip.SocName, Topology: c.Topology.Kind,
		Servers: c.Topology.Servers, Devices: c.Topology.Devices, Ranks: c.Ranks(), Data: c.Data.String(), Seed: c.Seed,
		Rows: []Row{}, Notes: p.notes, runs: c.Runs, Transports: []TransportReport{}}
	for _, proto := range p.used {
		m := p.mods[proto]
		name := m.desc.Name
		if name == "" {
			name = m.name
		}
		r.Transports = append(r.Transports, TransportReport{Protocol: proto.String(), Plugin: c.values.asWritten(proto), Name: name, Version: m.desc.Version, SHA256: m.hash})
	}
	return r
}

// asWritten is a carrier's plugin as the file has it: a relative path reads better, and is the same on every machine.
func (v *values) asWritten(p topo.Protocol) string {
	return get[string](v, "transport."+p.String()+".plugin")
}
