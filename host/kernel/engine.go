package kernel

import (
	"fmt"

	"hsim/host/mem"
	"hsim/host/sim"
	"hsim/host/soc"
	"hsim/host/wasm"
)

// DMA reaches memory that is not the device's own: peers over the fabric, and
// hosts. The device implements it. Addresses of a core's local memory are
// addresses of the space while a transfer is under way.
type DMA interface {
	// Copy moves n bytes; dst or src is remote. done is called, in an event, when
	// the bytes have landed or the copy failed. It may be called before Copy returns.
	Copy(dst, src mem.Addr, n int64, done func(error))
	// Reduce is Copy that combines into the remote dst.
	Reduce(dst, src mem.Addr, n int64, dt mem.Dtype, op mem.Op, done func(error))
}

// Notifies are the notify registers of the device, which implements it.
type Notifies interface {
	// RecordNotify sets a notify.
	RecordNotify(id uint32) error
	// TakeNotify resets a notify that is set and returns true. If it is not set,
	// wake is called once when it is recorded for this waiter, which has then
	// taken it. cancel ends the wait.
	TakeNotify(id uint32, wake func()) (taken bool, cancel func(), err error)
}

// Observer sees blocks as they end; nil sees nothing.
type Observer interface {
	BlockDone(f *Function, unit Unit, core, block int, start, end sim.Time)
}

// Config is what an engine works with.
type Config struct {
	Sim        *sim.Engine
	Chip       *soc.Chip
	Mem        *mem.Space
	Device     int    // its number in the space
	Name       string // "device 3", for names and errors
	DMA        DMA    // nil: only the device's own memory is reached
	Notifies   Notifies
	Threads    Threads // nil: AI CPU functions cannot enqueue
	Observer   Observer
	Overflow   mem.Overflow // of reductions on the way out
	Fuel       uint64       // steps of one block, 0 = the wasm package's default
	Seed       uint64
	Log        func(line string) // lines the kernels log; nil = dropped
	Overflowed func()            // a reduction left its type's range; may be nil
}

// Engine is the cores of one device.
type Engine struct {
	cfg     Config
	id      sim.ID
	imports map[string]wasm.Import
	pools   [4]pool // by Unit; AnyUnit unused
	hbm     share
	tokens  []token // what an event's argument stands for
	unused  []int32
	spare   [][]byte // buffers of ended asynchronous transfers
	seats   map[*Binary]*seats
}

// pool is the cores of one unit and the launches that wait for them, in order.
type pool struct {
	unit  Unit
	cores int
	free  []int // numbers of the idle cores, kept so that the lowest is last
	queue []*Launch
}

// token is the meaning of one pending event.
type token struct {
	launch *Launch
	move   *transfer
}

const (
	evShare uint64 = iota // the HBM share: a transfer has ended
	evBegin               // launch: its start cost is over
	evEnd                 // launch: tell the caller
	evLimit               // launch: its time-out (weak)
	evMove                // transfer: its start cost is over
)

// New makes the engine of a device.
func New(cfg Config) *Engine {
	e := &Engine{cfg: cfg, seats: map[*Binary]*seats{}}
	e.id = cfg.Sim.Register(e)
	e.hbm = share{e: e, each: int64(cfg.Chip.Core.DMARate), total: int64(cfg.Chip.HBMRate)}
	e.imports = imports()
	for u, n := range [...]int{VectorCore: cfg.Chip.VectorCores, CubeCore: cfg.Chip.CubeCores, AICPU: cfg.Chip.AICPUs} {
		p := &e.pools[u]
		p.unit, p.cores = Unit(u), n
		for i := n - 1; i >= 0; i-- {
			p.free = append(p.free, i)
		}
	}
	return e
}

// Cores is how many processors of a unit the device has.
func (e *Engine) Cores(u Unit) int { return e.pools[u&3].cores }

// SetOverflow sets what later reductions do with results outside their type.
func (e *Engine) SetOverflow(o mem.Overflow) { e.cfg.Overflow = o }

// Handle implements sim.Handler.
func (e *Engine) Handle(now sim.Time, arg uint64) {
	kind, i := arg&7, arg>>3
	if kind == evShare {
		e.hbm.fire(now)
		return
	}
	t := e.tokens[i]
	e.tokens[i] = token{}
	e.unused = append(e.unused, int32(i))
	switch kind {
	case evBegin:
		e.pools[t.launch.unit].admit(e)
	case evEnd:
		t.launch.done(t.launch.failure())
	case evLimit:
		t.launch.expired()
	case evMove:
		t.move.flow()
	}
}

func (e *Engine) arg(kind uint64, t token) uint64 {
	if n := len(e.unused); n > 0 {
		i := e.unused[n-1]
		e.unused = e.unused[:n-1]
		e.tokens[i] = t
		return uint64(i)<<3 | kind
	}
	e.tokens = append(e.tokens, t)
	return uint64(len(e.tokens)-1)<<3 | kind
}

func (e *Engine) after(d sim.Time, kind uint64, t token) { e.cfg.Sim.After(d, e.id, e.arg(kind, t)) }

// admit gives idle cores to the blocks that wait, launch by launch.
func (p *pool) admit(e *Engine) {
	for len(p.queue) > 0 && len(p.free) > 0 {
		l := p.queue[0]
		if !l.ready && e.cfg.Sim.Now() >= l.begins {
			l.ready = true
		}
		if !l.ready {
			return
		}
		if l.next == l.blocks || l.fault != nil {
			p.queue = p.queue[1:]
			continue
		}
		core := p.free[len(p.free)-1]
		p.free = p.free[:len(p.free)-1]
		l.start(core)
	}
}

// release gives a core back, lowest number first to be taken.
func (p *pool) release(e *Engine, core int) {
	i := len(p.free)
	p.free = append(p.free, core)
	for i > 0 && p.free[i-1] < core {
		p.free[i] = p.free[i-1]
		i--
	}
	p.free[i] = core
	p.admit(e)
}

// localPages is a core's local memory as a limit of guest memory. The runtime of a
// language alone is larger than a core's memory: modules that bring one get the
// usual limit of guests instead (0).
func (e *Engine) localPages(m *wasm.Module) uint32 {
	if m.Hosted() {
		return 0
	}
	pages := (e.cfg.Chip.LocalMemBytes + wasm.PageSize - 1) / wasm.PageSize
	if pages <= 0 {
		return 0
	}
	return uint32(min(pages, wasm.MaxPages))
}

func (e *Engine) log(line string) {
	if e.cfg.Log != nil {
		e.cfg.Log(fmt.Sprintf("%s: %s", e.cfg.Name, line))
	}
}
