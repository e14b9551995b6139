package acl

import (
	"fmt"

	"hsim/host/device"
	"hsim/host/kernel"
	"hsim/host/mem"
	"hsim/host/sim"
	"hsim/host/topo"
	"hsim/host/wasm"
)

// Config is what the runtimes of one simulation share.
type Config struct {
	System *device.System
	Graph  *topo.Graph // nil: every device is on server 0, and none can reach another
	// Visible are the physical ids of the devices that programs see of every server,
	// in the order of their logic ids; nil: all. A process may have a list of its own.
	Visible []int
	// StrictEvents: events belong to their context, and a wait for an event that
	// was never recorded blocks until it is.
	StrictEvents bool
	// Wasm loads kernel images; nil: kernels cannot be loaded.
	Wasm *wasm.Runtime
	// Rows keeps a row for everything that ever was, tasks included; without it
	// the tables show what lives. It makes the runtime the Observer of the system
	// and of the memory.
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

	procs   []*Process
	nextPid int
	state   []deviceState // by device
	books
	compiled map[[32]byte]*kernel.Binary
	rows     *taskRows
	memory   memoryRows
	ops      map[*device.Stream]*Stream // streams by queue
	lanes    map[*device.Stream]*lane   // of models, by queue

	arrivals arrivals
	ways     ways

	notifyKeys   map[string]*ipcNotify
	leftNotifies []*notifyRegister // without handles, named by tasks that are left
	memoryKeys   map[string]*ipcMemory
	fds          map[uint64]*shareable
	fabric       map[FabricHandle]*shareable
	nextFd       uint64
}

// books are the objects of the simulation by kind.
type books struct {
	runners   ledger[Thread, *Thread]
	contexts  ledger[Context, *Context]
	streams   ledger[Stream, *Stream]
	events    ledger[Event, *Event]
	notifies  ledger[Notify, *Notify]
	ipcNotify ledger[ipcNotify, *ipcNotify]
	links     ledger[peerLink, *peerLink]
	channels  ledger[channel, *channel]
	physical  ledger[PhysHandle, *PhysHandle]
	shares    ledger[shareable, *shareable]
	ipcMemory ledger[ipcMemory, *ipcMemory]
	maps      ledger[memoryMap, *memoryMap]
	images    ledger[BinaryImage, *BinaryImage]
	binaries  ledger[Binary, *Binary]
	functions ledger[Function, *Function]
	args      ledger[KernelArgs, *KernelArgs]
	configs   ledger[launchConfig, *launchConfig]
	models    ledger[Model, *Model]
	groups    ledger[TaskGroup, *TaskGroup]
	ccuBufs   ledger[CcuBuf, *CcuBuf]
	variables ledger[Variable, *Variable]
	ccuAddrs  ledger[ccuAddr, *ccuAddr]
}

func (b *books) keep() {
	for _, k := range []*bool{&b.runners.keep, &b.contexts.keep, &b.streams.keep, &b.events.keep, &b.notifies.keep, &b.ipcNotify.keep,
		&b.links.keep, &b.channels.keep, &b.physical.keep, &b.shares.keep, &b.ipcMemory.keep, &b.maps.keep, &b.images.keep, &b.binaries.keep,
		&b.functions.keep, &b.args.keep, &b.configs.keep, &b.models.keep, &b.groups.keep, &b.ccuBufs.keep, &b.variables.keep, &b.ccuAddrs.keep} {
		*k = true
	}
}

// firstPid is the pid of the first process; the rest count up.
const firstPid = 1000

// New makes the runtime of a simulation.
func New(c Config) *Runtime {
	r := &Runtime{sys: c.System, eng: c.System.Engine(), mem: c.System.Mem(), graph: c.Graph, conf: c, nextPid: firstPid,
		compiled: map[[32]byte]*kernel.Binary{}, ways: ways{}, arrivals: arrivals{eng: c.System.Engine()}, ops: map[*device.Stream]*Stream{}, lanes: map[*device.Stream]*lane{},
		notifyKeys: map[string]*ipcNotify{}, memoryKeys: map[string]*ipcMemory{}, fds: map[uint64]*shareable{}, fabric: map[FabricHandle]*shareable{}}
	r.runners.keep = true // contexts refer to who made them
	c.System.OnFault(r.faulted)
	c.System.OnOverflow(r.overflowed)
	if c.Rows {
		r.keep()
		r.rows = newTaskRows()
		r.memory.open(r)
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

// now is the present time.
func (r *Runtime) now() sim.Time { return r.eng.Now() }

// placeOf is the server of a device and its number there.
func (r *Runtime) placeOf(d *device.Device) (server, index int) {
	if r.graph == nil {
		return 0, d.Index()
	}
	n := &r.graph.Nodes[d.Node()]
	return int(n.Server), int(n.Index)
}

// faulted tells the process's exception hook of a failed task.
func (r *Runtime) faulted(q *device.Stream, f *device.Fault) {
	s := r.ops[q]
	if s == nil || s.ctx.p.exception == nil {
		return
	}
	p := s.ctx.p
	info := ExceptionInfo{Task: f.Task, Stream: s.ID(), Thread: s.ctx.maker.number, Device: s.ctx.use.logic, Code: FaultCode(f, q.Device())}
	hook := p.exception
	r.eng.Go(fmt.Sprintf("%s / exception callback", p.name), func(c *sim.Proc) {
		t := p.Adopt(c)
		hook(t, info)
		r.runners.end(t, r.now())
	})
}
