package ccu

import (
	"fmt"

	"hsim/host/mem"
	"hsim/host/record"
	"hsim/host/sim"
	"hsim/host/soc"
)

// Port reaches the peers of a device: the device implements it over its
// transport. Messages of one connection land in the order of their posts.
type Port interface {
	// Post starts a request. When it returns nil, Engine.Complete is called once
	// with the request's ID, after the bytes and the notify have landed or failed.
	Post(conn int32, r *Request) error
}

// RequestKind is what a Request asks for.
type RequestKind uint8

// The kinds of request.
const (
	Write       RequestKind = iota // remote = local
	Read                           // local = remote
	WriteReduce                    // remote = remote op local
	WriteNotify                    // Write, then Notify = Value
	Notify                         // no bytes, only the notify
)

// Request is a move to or from a peer, or a write to its registers.
type Request struct {
	ID     uint64
	Kind   RequestKind
	Inline bool // the source is read now
	Dtype  mem.Dtype
	Red    mem.Op
	RKey   uint32
	Local  mem.Addr
	Remote mem.Addr
	Len    int64
	Notify mem.Addr
	Value  uint64
}

// Config is what an engine works with.
type Config struct {
	Sim      *sim.Engine
	Chip     *soc.Chip
	Mem      *mem.Space
	Device   int           // its number in the space
	Name     func() string // "device 3", for names and errors
	Port     Port          // nil: no peers
	Record   *record.Recorder
	Overflow mem.Overflow // of reductions here
	Fuel     uint64       // steps of one recording or launch function, 0 = the wasm package's default
	Log      func(line string)
}

// Engine is the units of one device, one on each die that has one.
type Engine struct {
	cfg      Config
	id       sim.ID
	issue    sim.Time
	units    []*Unit
	missions *pool // one range of numbers for all dies
	keys     uint32
	moves    []transfer
	idle     []int32 // free entries of moves
	sets     []latch
	spare    []int32 // free entries of sets
	ready    []*thread
	draining bool
	programs []*Program
}

// ErrNone is wrapped by the error of New for a chip without such units.
var ErrNone = fmt.Errorf("the chip has no collective communication unit")

// New makes the units of a device; they are ready at once. Error: ErrNone.
func New(cfg Config) (*Engine, error) {
	c := &cfg.Chip.CCU
	if c.Version == 0 || c.Dies == 0 {
		return nil, fmt.Errorf("ccu: %s: %w: chip %s (try 950dt, 950pr or 960)", cfg.Name(), ErrNone, cfg.Chip.Name)
	}
	e := &Engine{cfg: cfg, issue: c.Issue, missions: newPool(Missions, c.Missions)}
	e.id = cfg.Sim.Register(e)
	for die := range c.Dies {
		u, err := newUnit(e, die)
		if err != nil {
			return nil, err
		}
		e.units = append(e.units, u)
	}
	cfg.Sim.AddReporter(e.report)
	return e, nil
}

// Units lists the units by die.
func (e *Engine) Units() []*Unit { return e.units }

// Unit is the unit of a die.
func (e *Engine) Unit(die int) (*Unit, error) {
	if die < 0 || die >= len(e.units) {
		return nil, fmt.Errorf("ccu: %s: got die %d, want 0 to %d", e.cfg.Name(), die, len(e.units)-1)
	}
	return e.units[die], nil
}

// Close frees the instances of all programs; the run is over by then.
func (e *Engine) Close() {
	for _, p := range e.programs {
		if p.in != nil {
			_ = p.in.Close() // an instance of a finished run
			p.in = nil
		}
	}
	e.programs = nil
}

// Events carry a kind in the low bits and an index.
const (
	evThread  uint64 = iota + 1 // a thread goes on: its number
	evMove                      // a local move is over
	evLatch                     // bits that a peer set are seen
	evKinds   = 4
	evKindBit = 2
)

// latch is bits on their way into a CKE.
type latch struct {
	unit *Unit
	cke  int32
	bits uint16
}

// Handle implements sim.Handler.
func (e *Engine) Handle(_ sim.Time, arg uint64) {
	i := int32(arg >> evKindBit)
	switch arg & (evKinds - 1) {
	case evMove:
		e.localDone(i)
	case evLatch:
		l := e.sets[i]
		e.sets[i] = latch{}
		e.spare = append(e.spare, i)
		l.unit.set(int(l.cke), l.bits)
	case evThread:
		u := e.units[i>>threadBits]
		u.timer(i & (1<<threadBits - 1))
	}
}

// arrive lets bits of a peer be seen after the cost of a synchronisation.
func (e *Engine) arrive(u *Unit, cke int, bits uint16) {
	d := e.cfg.Chip.SyncCCU
	if d == 0 {
		u.set(cke, bits)
		return
	}
	l := latch{u, int32(cke), bits}
	var i int32
	if n := len(e.spare); n > 0 {
		i = e.spare[n-1]
		e.spare = e.spare[:n-1]
		e.sets[i] = l
	} else {
		i = int32(len(e.sets))
		e.sets = append(e.sets, l)
	}
	e.cfg.Sim.After(d, e.id, uint64(i)<<evKindBit|evLatch)
}

// kick lets a thread run when those before it have, unless somebody up the stack
// drains the list already.
func (e *Engine) kick(t *thread) {
	e.ready = append(e.ready, t)
	if e.draining {
		return
	}
	e.draining = true
	for i := 0; i < len(e.ready); i++ {
		e.ready[i].run()
	}
	clear(e.ready)
	e.ready, e.draining = e.ready[:0], false
}

func (e *Engine) log(line string) {
	if e.cfg.Log != nil {
		e.cfg.Log(e.cfg.Name() + ": " + line)
	}
}

// SetOverflow sets what later reductions of the device do with results outside
// their type.
func (e *Engine) SetOverflow(o mem.Overflow) { e.cfg.Overflow = o }
