package hccl

import (
	"fmt"

	"hsim/host/ccu"
	"hsim/host/device"
	"hsim/host/mem"
	"hsim/host/sim"
	"hsim/host/topo"
	"hsim/host/transport"
)

// The defaults of HCCL_BUFFSIZE and HCCL_EXEC_TIMEOUT.
const (
	DefaultBufferBytes = 200 << 20
	DefaultExecTimeout = 1836 * sim.Second
)

// WorldName is the name of a communicator that was given none.
const WorldName = "hccl_world_group"

// Host is the collective software of one simulation: all communicators, over
// devices that share one clock, memory and network.
type Host struct {
	sys   *device.System
	net   device.Network
	graph *topo.Graph
	comms []*Comm
	wires map[topo.Protocol]Wire

	programs []*ccu.Binary
}

// SetWires tells predictions what transports put on the wire where it is not
// DefaultWire; algorithm "best" depends on it.
func (h *Host) SetWires(w map[topo.Protocol]Wire) { h.wires = w }

// NewHost returns a Host without communicators and makes it explain notify
// registers in stall reports.
func NewHost(sys *device.System, net device.Network, graph *topo.Graph) *Host {
	h := &Host{sys: sys, net: net, graph: graph}
	sys.SetDescriber(h)
	return h
}

// CommConfig describes a communicator. Zero values mean HCCL's defaults.
type CommConfig struct {
	Name        string
	Devices     []*device.Device // by rank; all different
	BufferBytes int64            // HCCL_BUFFSIZE in bytes; twice that is taken at every rank
	ExecTimeout sim.Time         // of a notify wait; 0 the default, below 0 never (HCCL_EXEC_TIMEOUT = 0)
	Algorithm   Algorithm        // used by calls that say Auto
	Expansion   Expansion
	Ctx, Pid    []int // per rank, for the tables; nil for none
}

// Comm is a communicator. Operations on it have one order, the same on every
// rank; on one rank they run one after the other, whatever streams they are on.
type Comm struct {
	host    *Host
	cfg     CommConfig
	index   int
	ranks   []Rank
	mem     *mem.Space
	model   *Model
	dies    dies
	base    uint32 // sequence number of ops[0]
	ops     []*record
	pool    []*record
	timeout sim.Time
	free    bool // handshakes cost nothing
	broken  error
	closed  bool
}

// Rank is one rank's handle of a communicator.
type Rank struct {
	comm    *Comm
	rank    int32
	dev     *device.Device
	scratch mem.Addr
	links   []*[linkPage]link // by channel and peer
	streams []*device.Stream  // for algorithms of several streams
	signals []int32           // notifies between them
	launch  uint32            // sequence number of the next operation
	done    uint32            // operations that have ended
	gate    []*feeder
}

// link is what a rank keeps about another one. Everything that a step needs is
// here, also the peer's registers, so that a rank walks through its own table.
// The registers of a channel are ready and, after it, data; numbers are plus 1,
// 0 = not made yet.
type link struct {
	theirs    mem.Addr // the peer's ready register for this rank
	conn      transport.ConnID
	mine      int32 // the own ready register for the peer
	mineLast  int32
	theirLast int32
}

const (
	linkBits = 5
	linkPage = 1 << linkBits
)

// NewComm makes a communicator over c.Devices. Errors are *Error: a device set
// the chip does not allow, scratch memory that does not fit.
func (h *Host) NewComm(c CommConfig) (*Comm, error) {
	bad := func(code Result, rank int, err error, format string, args ...any) error {
		return &Error{Code: code, Call: "HcclCommInit", Rank: rank, Text: fmt.Sprintf(format, args...), Err: err}
	}
	n := len(c.Devices)
	if n == 0 {
		return nil, bad(ErrPara, -1, nil, "got no devices, want at least one")
	}
	if c.Name == "" {
		c.Name = WorldName
	}
	if len(c.Name) > 127 {
		return nil, bad(ErrPara, -1, nil, "got a name of %d characters, want at most 127", len(c.Name))
	}
	if c.BufferBytes == 0 {
		c.BufferBytes = DefaultBufferBytes
	}
	if c.BufferBytes < 1<<20 {
		return nil, bad(ErrPara, -1, nil, "got a buffer of %d bytes, want at least 1 MiB (HCCL_BUFFSIZE)", c.BufferBytes)
	}
	m := &Comm{host: h, cfg: c, index: len(h.comms), mem: h.sys.Mem(), timeout: c.ExecTimeout, base: 0}
	switch {
	case m.timeout == 0:
		m.timeout = DefaultExecTimeout
	case m.timeout < 0:
		m.timeout = 0
	}
	seen := map[topo.NodeID]int{}
	locals := map[int][]int{}
	var servers []int
	for r, d := range c.Devices {
		if d == nil {
			return nil, bad(ErrPara, r, nil, "got no device")
		}
		if q, ok := seen[d.Node()]; ok {
			return nil, bad(ErrPara, r, nil, "device %d is rank %d already", d.Index(), q)
		}
		seen[d.Node()] = r
		s := h.serverOf(d)
		if locals[s] == nil {
			servers = append(servers, s)
		}
		locals[s] = append(locals[s], h.localOf(d))
	}
	chip := c.Devices[0].Chip()
	for _, s := range servers {
		if err := CheckDevices(chip.Generation, locals[s]); err != nil {
			return nil, err
		}
	}
	m.free = chip.FreeSync
	nodes := make([]topo.NodeID, n)
	for r, d := range c.Devices {
		nodes[r] = d.Node()
	}
	if err := h.carries(nodes); err != nil {
		return nil, err
	}
	m.model = NewModel(h.graph, chip, nodes, h.wires)
	m.model.SetPrograms(h.programs)
	m.ranks = make([]Rank, n)
	for r := range m.ranks {
		k := &m.ranks[r]
		k.comm, k.rank, k.dev = m, int32(r), c.Devices[r]
		spec := mem.AllocSpec{Device: k.dev.Index(), Size: 2 * c.BufferBytes, Pid: at(c.Pid, r), Ctx: at(c.Ctx, r),
			Name: fmt.Sprintf("buffers of %s rank %d", c.Name, r)}
		var err error
		if k.scratch, err = m.mem.Alloc(spec); err != nil {
			for q := range r {
				_ = m.mem.Free(m.ranks[q].scratch)
			}
			return nil, bad(ErrOutOfMemory, r, err, "the communicator's two buffers do not fit (lower HCCL_BUFFSIZE)")
		}
		k.links = make([]*[linkPage]link, (n+linkPage-1)>>linkBits)
		if k.dev.Chip() != chip {
			m.free = m.free && k.dev.Chip().FreeSync
		}
	}
	h.comms = append(h.comms, m)
	return m, nil
}

func at(list []int, i int) int {
	if i < len(list) {
		return list[i]
	}
	return 0
}

// Size is the number of ranks, Name the communicator's name.
func (m *Comm) Size() int { return len(m.ranks) }

// Name is the communicator's name.
func (m *Comm) Name() string { return m.cfg.Name }

// Rank is the handle of rank r.
func (m *Comm) Rank(r int) *Rank { return &m.ranks[r] }

// Shape is how the communicator's devices lie in the cluster.
func (m *Comm) Shape() Shape { return m.model.shape }

// Model predicts the communicator's times.
func (m *Comm) Model() *Model { return m.model }

// Err is what broke the communicator, nil while it works.
func (m *Comm) Err() error { return m.broken }

// ID is the rank's number in the communicator.
func (r *Rank) ID() int { return int(r.rank) }

// Comm is the rank's communicator.
func (r *Rank) Comm() *Comm { return r.comm }

// Device is the device the rank runs on.
func (r *Rank) Device() *device.Device { return r.dev }

// Busy reports whether an operation of the communicator has not ended on every
// rank that started it.
func (m *Comm) Busy() bool {
	for i := range m.ranks {
		if m.ranks[i].launch != m.ranks[i].done {
			return true
		}
	}
	return false
}

// Close frees the communicator's buffers and notifies (HcclCommDestroy).
// Errors: an operation is in flight, a second call.
func (m *Comm) Close() error {
	switch {
	case m.closed:
		return &Error{Code: ErrPara, Call: "HcclCommDestroy", Rank: -1, Text: "the communicator is destroyed already"}
	case m.Busy():
		return &Error{Code: ErrInternal, Call: "HcclCommDestroy", Rank: -1, Text: "operations are in flight (synchronize the streams first)"}
	}
	m.closed = true
	if err := m.leave(); err != nil {
		return err
	}
	for i := range m.ranks {
		m.ranks[i].silence()
	}
	for i := range m.ranks {
		k := &m.ranks[i]
		if err := m.mem.Free(k.scratch); err != nil {
			return err
		}
		if err := k.unlink(); err != nil {
			return err
		}
		if err := k.release(); err != nil {
			return err
		}
	}
	return nil
}
