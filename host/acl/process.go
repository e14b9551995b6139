package acl

import (
	"fmt"
	"slices"

	"hsim/host/device"
	"hsim/host/mem"
	"hsim/host/sim"
	"hsim/host/soc"
)

// ProcessConfig describes one process.
type ProcessConfig struct {
	Name   string // for reports; "" gives "process <pid>"
	Server int    // whose devices it sees
	// Visible are the physical ids of the server's devices in the order of the
	// logic ids that the process gets, as ASCEND_RT_VISIBLE_DEVICES has it; nil
	// for those of Config.Visible, empty for none.
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
	state   processState
	ended   bool
	handles handles
	grave   *Context // of destroyed objects behind handles

	opWait, opExecute sim.Time
	exception         func(*Thread, ExceptionInfo)
	reports           map[int]*report // by thread number
	captures          []*capture
	registered        map[mem.Addr]*memoryMap // host memory by start
	imports           map[string]*ipcMemory   // IPC memory by key
	reserved          map[mem.Addr]*reservation
	cpuHandles        []cpuHandle      // threads and channels of AI CPU functions
	registers         map[register]int // handles of notifies
	addresses         func(own uint32) (mem.Addr, bool)
}

// processState is where a process is between aclInit and aclFinalize.
type processState uint8

const (
	processNew processState = iota
	processReady
	processFinal
)

// deviceUse is one device as a process sees it.
type deviceUse struct {
	dev      *device.Device
	physical int
	logic    int
	refs     int // SetDevice without ResetDevice
	primary  *Context
	contexts []*Context
	queues   []*device.Stream  // of synchronous calls, one per thread
	peers    map[int]*peerLink // devices it may reach, by number in the cluster
}

// NewProcess makes a process that sees devices of one server. Errors: a server
// without devices, or a visible id that is not there or named twice.
func (r *Runtime) NewProcess(c ProcessConfig) (*Process, error) {
	byPhysical := map[int]*device.Device{}
	var order []int
	for _, d := range r.sys.Devices() {
		if server, index := r.placeOf(d); server == c.Server {
			byPhysical[index] = d
			order = append(order, index)
		}
	}
	if len(order) == 0 {
		return nil, fmt.Errorf("acl: new process: got server %d, want one with devices", c.Server)
	}
	if c.Visible == nil {
		c.Visible = r.conf.Visible
	}
	if c.Visible != nil {
		order = c.Visible
	}
	p := &Process{rt: r, pid: r.nextPid, name: c.Name, server: c.Server, reports: map[int]*report{},
		registered: map[mem.Addr]*memoryMap{}, imports: map[string]*ipcMemory{}, reserved: map[mem.Addr]*reservation{},
		registers: map[register]int{}}
	seen := map[int]bool{}
	for logic, phys := range order {
		d := byPhysical[phys]
		if d == nil || seen[phys] {
			return nil, fmt.Errorf("acl: new process: visible devices of server %d: got %d, want ids of its %d devices, each once", c.Server, phys, len(byPhysical))
		}
		seen[phys] = true
		p.uses = append(p.uses, &deviceUse{dev: d, physical: phys, logic: logic, peers: map[int]*peerLink{}})
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

// chip is what the process's host calls cost: that of its first device.
func (p *Process) chip() *soc.Chip {
	if len(p.uses) == 0 {
		return p.rt.sys.Devices()[0].Chip()
	}
	return p.uses[0].dev.Chip()
}

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
	for _, t := range p.threads {
		p.rt.runners.end(t, p.rt.now())
	}
	p.reclaim(nil)
}

// reclaim gives back what the process holds; with a thread the streams are
// drained by it first.
func (p *Process) reclaim(t *Thread) {
	for _, c := range slices.Clone(p.captures) {
		c.drop()
	}
	for _, u := range p.uses {
		for len(u.contexts) > 0 {
			c := u.contexts[len(u.contexts)-1]
			if t != nil {
				c.drain(t.proc)
			}
			c.release(t == nil, releasedByReset)
		}
		for _, q := range u.queues {
			q.Abort()
			_ = u.dev.Free(q) // aborted: idle
		}
		u.queues, u.refs, u.primary = nil, 0, nil
		u.disconnect()
	}
	for _, th := range p.threads {
		th.copies = nil
	}
	p.reclaimObjects()
	p.reclaimMemory()
}

// reclaimObjects gives back events, notifies, models and kernel images.
func (p *Process) reclaimObjects() {
	r := p.rt
	r.models.live(func(m *Model) {
		if m.ctx.p == p {
			m.destroy()
		}
	})
	r.events.live(func(e *Event) {
		if e.ctx.p == p {
			e.destroy()
		}
	})
	r.notifies.live(func(n *Notify) {
		if n.ctx.p == p {
			n.destroy()
		}
	})
	r.binaries.live(func(b *Binary) {
		if b.ctx.p == p {
			_ = b.unload() // its memory is the runtime's own
		}
	})
	r.images.live(func(b *BinaryImage) {
		if b.p == p {
			r.images.end(b, r.now())
		}
	})
	r.ccuBufs.live(func(b *CcuBuf) {
		if b.p == p {
			b.free()
		}
	})
	r.variables.live(func(v *Variable) {
		if v.p == p {
			v.free()
		}
	})
	for _, c := range p.cpuHandles {
		c.dev.Remove(c.handle)
	}
	p.cpuHandles = nil
	r.freeNotifies()
}
