package device

import (
	"fmt"

	"hsim/host/mem"
	"hsim/host/record"
	"hsim/host/sim"
	"hsim/host/soc"
	"hsim/host/topo"
	"hsim/host/transport"
)

// SystemConfig is what the devices of one simulation share.
type SystemConfig struct {
	Engine *sim.Engine
	Mem    *mem.Space
	Net    Network     // nil: no connections
	Graph  *topo.Graph // nil: no peer copies
	Record *record.Recorder
}

// System is the devices of one simulation and the list of streams that are
// ready to run. Streams run inline while their tasks cost nothing; a stream
// that another one wakes joins the list, which the outermost caller drains in
// the order of waking.
type System struct {
	eng  *sim.Engine
	mem  *mem.Space
	net  Network
	topo *topo.Graph
	rec  *record.Recorder
	id   sim.ID

	devices []*Device
	streams []*Stream // by slot
	unused  []int32   // slots of freed streams
	tasks   uint64    // ids given out
	births  uint32    // streams made

	first, last *Stream // ready list
	draining    bool
	recorder    *Stream // the stream whose record is being carried out

	observer  Observer
	describer NotifyDescriber
	onFault   []func(s *Stream, f *Fault)
	onOver    []func(s *Stream, e Engine)
	observing bool
	kernels   KernelOptions

	peers map[peerKey]peerConn
	wr    transport.WR
}

// Observer sees every finished task that is not FlagQuiet, with the time it
// left the queue and the time it ended. t and f are valid during the call only.
type Observer interface {
	TaskDone(s *Stream, t *Task, start, end sim.Time, f *Fault)
}

// NotifyDescriber says what a notify register is used for: what completes
// "waits for", actor is the name of the stream that should record it ("" where
// unknown). It is asked only when a stall is reported.
type NotifyDescriber interface {
	DescribeNotify(d *Device, id int) (what, actor string)
}

// NewSystem returns a System without devices.
func NewSystem(c SystemConfig) *System {
	y := &System{eng: c.Engine, mem: c.Mem, net: c.Net, topo: c.Graph, rec: c.Record, peers: map[peerKey]peerConn{}}
	y.observing = y.rec.On()
	y.reductions()
	y.id = y.eng.Register(y)
	y.eng.AddReporter(y.report)
	return y
}

// SetNet gives the system its transport, where that is made later.
func (y *System) SetNet(n Network) {
	y.net = n
	y.reductions()
}

// reductions lets the transport ask the devices about reducing writes.
func (y *System) reductions() {
	if n, ok := y.net.(interface{ SetReductions(transport.Reductions) }); ok {
		n.SetReductions(y)
	}
}

// OverflowOf implements transport.Reductions.
func (y *System) OverflowOf(device int) mem.Overflow {
	if device >= len(y.devices) {
		return 0
	}
	return y.devices[device].overflow
}

// Overflowed implements transport.Reductions: the status of the device that holds
// the result.
func (y *System) Overflowed(device int) {
	if device < len(y.devices) {
		y.devices[device].overflowed++
	}
}

// SetObserver sets who sees finished tasks; nil for nobody.
func (y *System) SetObserver(o Observer) {
	y.observer = o
	y.observing = o != nil || y.rec.On()
}

// SetDescriber sets who explains notifies in stall reports.
func (y *System) SetDescriber(d NotifyDescriber) { y.describer = d }

// OnFault adds a function that hears of every fault when a stream latches it.
func (y *System) OnFault(f func(s *Stream, f *Fault)) { y.onFault = append(y.onFault, f) }

// OnOverflow adds a function that hears of every task of a stream with a result
// outside its data type, and of the engine that computed it.
func (y *System) OnOverflow(f func(s *Stream, e Engine)) { y.onOver = append(y.onOver, f) }

// NextTask is the ID that the next pushed task gets.
func (y *System) NextTask() uint64 { return y.tasks + 1 }

// TakeTask gives out a task ID for something that no stream runs: a row of a
// sub-task, of a captured task, of a wait of the host.
func (y *System) TakeTask() uint64 {
	y.tasks++
	return y.tasks
}

// Engine is the simulation's clock.
func (y *System) Engine() *sim.Engine { return y.eng }

// Mem is the simulation's memory.
func (y *System) Mem() *mem.Space { return y.mem }

// Devices lists the devices by number.
func (y *System) Devices() []*Device { return y.devices }

// Config describes one chip.
type Config struct {
	Chip *soc.Chip
	Node topo.NodeID // its node in the graph, also its device number in host/mem
}

// New adds a device; its number is its node's, and devices are added in order
// from 0. The device's memory capacity is set in host/mem.
func New(y *System, c Config) (*Device, error) {
	if c.Chip == nil {
		return nil, fmt.Errorf("device: new device %d: got no chip", c.Node)
	}
	if int(c.Node) != len(y.devices) {
		return nil, fmt.Errorf("device: new device: got node %d, want %d (devices are added in node order)", c.Node, len(y.devices))
	}
	d := &Device{sys: y, index: int(c.Node), node: c.Node, chip: c.Chip, cost: costsOf(c.Chip)}
	d.notifies.init(c.Chip.MaxNotifies)
	d.sdma = channels{free: c.Chip.SDMA.Channels, limited: c.Chip.SDMA.Channels > 0}
	d.h2d = channels{free: 1, limited: true}
	d.d2h = channels{free: 1, limited: true}
	if c.Chip.Int8Saturate {
		d.overflow = mem.SaturateInt
	}
	if c.Chip.Generation == "910" { // has no other mode
		d.overflow |= mem.SaturateFloat
	}
	if c.Chip.MaxNotifies > 0 {
		d.notifyBase = y.mem.Registers(d, d.index, c.Chip.MaxNotifies)
	}
	y.mem.SetCapacity(d.index, c.Chip.HBMBytes)
	y.devices = append(y.devices, d)
	return d, nil
}

// kick puts a stream that can go on into the ready list, and drains the list
// unless somebody up the stack does already.
func (y *System) kick(s *Stream) {
	if s.queued {
		return
	}
	s.queued = true
	if y.last == nil {
		y.first = s
	} else {
		y.last.next = s
	}
	y.last = s
	if !y.draining {
		y.drain()
	}
}

func (y *System) drain() {
	y.draining = true
	for s := y.first; s != nil; s = y.first {
		y.first = s.next
		if y.first == nil {
			y.last = nil
		}
		s.next, s.queued = nil, false
		s.run()
	}
	y.draining = false
}

// Events carry slot, generation and one bit for time-outs.
func (s *Stream) word(timer uint64) uint64 {
	return uint64(s.slot)<<32 | uint64(s.gen&(1<<31-1))<<1 | timer
}

// Handle implements sim.Handler.
func (y *System) Handle(now sim.Time, arg uint64) {
	s := y.streams[arg>>32]
	if s == nil || s.word(arg&1) != arg {
		return
	}
	if arg&1 != 0 {
		s.timerFired(now)
		return
	}
	s.eventFired()
}
