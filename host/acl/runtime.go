package acl

import (
	"fmt"

	"hsim/host/device"
	"hsim/host/kernel"
	"hsim/host/mem"
	"hsim/host/sim"
	"hsim/host/soc"
	"hsim/host/topo"
	"hsim/host/wasm"
)

// Config is what the runtimes of one simulation share.
type Config struct {
	System *device.System
	Graph  *topo.Graph // nil: every device is on server 0, and none can reach another
	// StrictEvents: events belong to their context, and a wait for an event that
	// was never recorded blocks until it is.
	StrictEvents bool
	// Wasm loads kernel images; nil: kernels cannot be loaded.
	Wasm *wasm.Runtime
	// Rows keeps a row per task (Runtime.Tasks); it makes the runtime the
	// system's Observer.
	Rows bool
}

// Runtime is the software side of all devices of one simulation: the driver
// and what its processes own.
type Runtime struct {
	sys   *device.System
	eng   *sim.Engine
	mem   *mem.Space
	graph *topo.Graph
	conf  Config

	procs    []*Process
	nextPid  int
	contexts int
	streams  int
	events   int
	notifies int
	binaries int
	images   map[[32]byte]*kernel.Binary
	ipc      map[string]*ipcNotify
	rows     *taskRows
	ops      map[*device.Stream]*Stream // streams by queue, for faults
}

// firstPid is the pid of the first process; the rest count up.
const firstPid = 1000

// New makes the runtime of a simulation.
func New(c Config) *Runtime {
	r := &Runtime{sys: c.System, eng: c.System.Engine(), mem: c.System.Mem(), graph: c.Graph, conf: c, nextPid: firstPid,
		images: map[[32]byte]*kernel.Binary{}, ipc: map[string]*ipcNotify{}, ops: map[*device.Stream]*Stream{}}
	c.System.OnFault(r.faulted)
	if c.Rows {
		r.rows = newTaskRows()
		c.System.SetObserver(r)
	}
	return r
}

// System is the simulation's devices.
func (r *Runtime) System() *device.System { return r.sys }

// Mem is the simulation's memory.
func (r *Runtime) Mem() *mem.Space { return r.mem }

// Graph is the simulation's topology, nil without one.
func (r *Runtime) Graph() *topo.Graph { return r.graph }

// Processes lists the processes in order of their start.
func (r *Runtime) Processes() []*Process { return r.procs }

// ProcessConfig describes one process.
type ProcessConfig struct {
	Name   string // for reports; "" gives "process <pid>"
	Server int    // whose devices it sees
	// Visible are the physical ids of the server's devices in the order of the
	// logic ids that the process gets, as ASCEND_RT_VISIBLE_DEVICES has it; nil
	// for all.
	Visible []int
}

// Process is one process: what its threads share.
type Process struct {
	rt      *Runtime
	pid     int
	name    string
	server  int
	uses    []*deviceUse // by logic id
	threads []*Thread
	inited  bool
	ended   bool

	opWait, opExecute sim.Time
	exception         func(ExceptionInfo)
	reports           map[int]*report // by thread id
}

// deviceUse is one device as a process sees it.
type deviceUse struct {
	dev      *device.Device
	physical int
	logic    int
	refs     int // SetDevice without ResetDevice
	primary  *Context
	contexts []*Context
	queues   []*device.Stream // of synchronous calls, one per thread
	peers    map[int]bool     // devices it may reach, by number in the cluster
}

// NewProcess makes a process that sees devices of one server. Errors: a server
// without devices, or a visible id that is not there or named twice.
func (r *Runtime) NewProcess(c ProcessConfig) (*Process, error) {
	byPhysical := map[int]*device.Device{}
	var order []int
	for _, d := range r.sys.Devices() {
		server, index := 0, d.Index()
		if r.graph != nil {
			n := &r.graph.Nodes[d.Node()]
			server, index = int(n.Server), int(n.Index)
		}
		if server == c.Server {
			byPhysical[index] = d
			order = append(order, index)
		}
	}
	if len(order) == 0 {
		return nil, fmt.Errorf("acl: new process: got server %d, want one with devices", c.Server)
	}
	if c.Visible != nil {
		order = c.Visible
	}
	p := &Process{rt: r, pid: r.nextPid, name: c.Name, server: c.Server, reports: map[int]*report{}}
	seen := map[int]bool{}
	for logic, phys := range order {
		d := byPhysical[phys]
		if d == nil || seen[phys] {
			return nil, fmt.Errorf("acl: new process: visible devices of server %d: got %d, want ids of its %d devices, each once", c.Server, phys, len(byPhysical))
		}
		seen[phys] = true
		p.uses = append(p.uses, &deviceUse{dev: d, physical: phys, logic: logic, peers: map[int]bool{}})
	}
	if p.name == "" {
		p.name = fmt.Sprintf("process %d", p.pid)
	}
	r.nextPid++
	r.procs = append(r.procs, p)
	return p, nil
}

// Runtime is the simulation's runtime.
func (p *Process) Runtime() *Runtime { return p.rt }

// Pid is what the process's DeviceGetBareTgid returns.
func (p *Process) Pid() int { return p.pid }

// Name is the process's name in reports.
func (p *Process) Name() string { return p.name }

// Server is whose devices the process sees.
func (p *Process) Server() int { return p.server }

// Devices lists the visible devices by logic id.
func (p *Process) Devices() []*device.Device {
	all := make([]*device.Device, len(p.uses))
	for i, u := range p.uses {
		all[i] = u.dev
	}
	return all
}

// Threads lists the process's threads in order of their start.
func (p *Process) Threads() []*Thread { return p.threads }

// Contexts lists the live contexts of the process, by device and age.
func (p *Process) Contexts() (all []*Context) {
	for _, u := range p.uses {
		all = append(all, u.contexts...)
	}
	return all
}

func (p *Process) chip() *soc.Chip { return p.uses[0].dev.Chip() }

// useOf finds the use of a device by its number in the cluster; nil when the
// process does not see it.
func (p *Process) useOf(index int) *deviceUse {
	for _, u := range p.uses {
		if u.dev.Index() == index {
			return u
		}
	}
	return nil
}

// End reclaims what the process still holds: the driver's work when a process
// exits. Its streams are dropped, not drained.
func (p *Process) End() {
	if p.ended {
		return
	}
	p.ended = true
	for _, u := range p.uses {
		for len(u.contexts) > 0 {
			u.contexts[len(u.contexts)-1].release(true)
		}
		for _, q := range u.queues {
			q.Abort()
			_ = u.dev.Free(q)
		}
		u.queues = nil
	}
}

// faulted tells the process's exception hook of a failed task.
func (r *Runtime) faulted(q *device.Stream, f *device.Fault) {
	s := r.ops[q]
	if s == nil || s.ctx.p.exception == nil {
		return
	}
	s.ctx.p.exception(ExceptionInfo{Task: f.Task, Stream: s.ID(), Thread: s.ctx.thread, Device: s.ctx.use.logic, Code: FaultCode(f, q.Device())})
}
