package soc

import (
	"hsim/host/sim"
	"hsim/host/units"
)

// Chip is a profile resolved to plain numbers. Times are picoseconds, rates
// bits per second per direction (0 = infinitely fast), sizes bytes. Nothing
// changes it after Load; all of its slices are shared.
type Chip struct {
	Name       string // profile name: a3, 950dt, ...
	SocName    string // what aclrtGetSocName returns
	Generation string // 910, A2, A3, 950, 960, ideal
	RankTable  string // rank table version the generation writes: 1.0, 1.2, 2.0 or "" (any)
	Dies       int    // IO dies; ports are named die/port

	MaxStreams  int // live streams of a device, default ones included
	MaxNotifies int
	MaxEvents   int
	StreamDepth int // tasks queued in one stream

	HBMBytes          int64
	L2                int64
	LocalMemBytes     int64 // on-core memory (UB) of one vector core, the limit of a kernel block
	HostRegisterAlign int64 // alignment aclrtHostRegister demands

	CubeCores   int
	VectorCores int
	AICPUs      int

	Headers      bool // packet headers and acks take bytes on the wire
	CutThrough   bool // switches forward at once; false = store and forward
	FreeSync     bool // ready and last handshakes of collectives cost nothing
	Int8Saturate bool // int8 sums saturate; false = wrap

	HostCall   sim.Time // a runtime call on the host
	HostLaunch sim.Time // enqueueing one task from the host, beside HostCall
	TSDispatch sim.Time // task scheduler, per task taken from a stream

	SyncHost  sim.Time // one synchronising task in a host-expanded operation
	SyncAICPU sim.Time // the same in an AICPU-expanded operation
	SyncAIV   sim.Time // the same in an AI vector kernel
	SyncCCU   sim.Time // the same in a CCU mission

	AICPULaunch  sim.Time // start of the expansion kernel of one operation
	AICPUPerTask sim.Time // expansion of one task, overlapping with execution
	KernelLaunch sim.Time // start of an AI core kernel after its dispatch

	SDMA SDMA
	Core Core
	CCU  CCU

	HBMRate units.Rate // shared by the active cores and engines of a device

	RemoteReadEff  int // permille of the link rates a remote memory read's payload gets, overhead included
	RemoteWriteEff int // the same for a remote memory write

	Ports      []PortGroup
	HopLatency sim.Time // processing in one switch of the scale-up network

	ScaleUp   Protocol // between devices of one scale-up domain
	ScaleOut  Protocol // between domains
	MeshGroup int      // devices in one board-level full mesh; 0 = not wired as a mesh
	Server    int      // devices in one server of this kind

	DefaultExpansion string   // collective expansion when the user says auto
	Expansions       []string // all that the hardware offers
}

// SDMA is the copy engine of a device: a task of n bytes takes Alpha plus n at
// the rate, on one of Channels channels.
type SDMA struct {
	Alpha      sim.Time
	CopyRate   units.Rate
	ReduceRate units.Rate // inline reduce, counted in source bytes
	Channels   int
}

// Core is one AI core: its DMA between global and local memory, its vector
// unit, its cube unit and its clock.
type Core struct {
	DMARate  units.Rate
	DMAAlpha sim.Time // start of one DMA move
	Vector   VectorRates
	Cube     CubeRates
	ClockHz  int64
}

// VectorRates is what one vector unit processes, in bits of one operand per
// second, by element width; 0 = infinitely fast.
type VectorRates struct{ B8, B16, B32, B64 units.Rate }

// For returns the rate for elements of size bytes.
func (v *VectorRates) For(size int) units.Rate {
	switch {
	case size <= 1:
		return v.B8
	case size == 2:
		return v.B16
	case size <= 4:
		return v.B32
	}
	return v.B64
}

// CubeRates is what one cube unit does, in floating-point operations per second
// (a multiply-add counts two), by operand width; 0 = infinitely fast.
type CubeRates struct{ B8, B16, B32 int64 }

// For returns the rate for operands of size bytes.
func (c *CubeRates) For(size int) int64 {
	switch {
	case size <= 1:
		return c.B8
	case size == 2:
		return c.B16
	}
	return c.B32
}

// CCU is the collective communication unit of one die. Version 0 means the chip
// has none; Versions lists every instruction set the chip can run.
type CCU struct {
	Version      int
	Versions     []int
	Dies         int // dies with a CCU
	Instructions int
	Missions     int
	Loops        int
	Xn           int
	GSA          int
	CKE          int
	MS           int // 4 KiB slices
	Channels     int

	Issue        sim.Time   // issue of one instruction
	MSCopyRate   units.Rate // local copy through memory slices
	MSReduceRate units.Rate // local reduce in memory slices
	LoopRate     units.Rate // memory-to-memory reduce in loop mode
}

// Role says what a port is wired for.
type Role uint8

// The roles: to a device of the same server, to a scale-up switch, to the host,
// to the scale-out network, to the other device of the same package.
const (
	Direct Role = iota
	Switch
	HostPort
	NIC
	Package
	numRoles
)

var roleNames = [numRoles]string{"direct", "switch", "host", "nic", "package"}

// String is the role's name in profiles.
func (r Role) String() string {
	if r < numRoles {
		return roleNames[r]
	}
	return "role?"
}

// PortGroup is Count equal ports of a device: die/First .. die/First+Count-1.
type PortGroup struct {
	Name      string
	Role      Role
	Die       int
	First     int
	Count     int
	Rate      units.Rate // per port and direction
	Latency   sim.Time   // of a link from such a port
	Uplink    sim.Time   // of a link between two switches of the network behind it
	Hop       sim.Time   // processing in a switch of that network
	Protocols ProtocolSet
}

// Group returns the first port group with the role, or nil.
func (c *Chip) Group(r Role) *PortGroup {
	for i := range c.Ports {
		if c.Ports[i].Role == r {
			return &c.Ports[i]
		}
	}
	return nil
}

// Sync returns the cost of one synchronising task in the expansion: host,
// aicpu, aiv, ccu_ms or ccu_sched.
func (c *Chip) Sync(expansion string) sim.Time {
	switch expansion {
	case "aicpu":
		return c.SyncAICPU
	case "aiv":
		return c.SyncAIV
	case "ccu_ms", "ccu_sched":
		return c.SyncCCU
	}
	return c.SyncHost
}
