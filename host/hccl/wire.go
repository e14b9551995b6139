package hccl

import (
	"hsim/host/sim"
	"hsim/host/soc"
	"hsim/host/topo"
	"hsim/host/units"
)

// Wire is how many bytes a protocol puts on the wire for a message; it decides
// only predictions, never a run.
type Wire struct {
	MTU     int64 // payload of a full packet
	Header  int64 // bytes of each packet beside its payload
	First   int64 // more on the first packet of a message
	Notify  int64 // more on the last packet of a message with notify
	Store   int64 // memory service: payload of one store, each with Header; 0 = packets
	EffPerm int64 // permille of the wire that the payload gets, instead of headers; 0 = use them
	OnePath bool  // a connection keeps to one of several equal ports
}

// DefaultWire is the wire of the transport that hsim carries the protocol with
// by default: the header sizes of UB (CTP, RTP, memory access) and RoCE v2.
// Chips without headers have none.
func DefaultWire(p topo.Protocol, chip *soc.Chip) Wire {
	w := Wire{MTU: 4096}
	if !chip.Headers {
		w.OnePath = p == topo.ROCE || p == topo.TCP
		return w
	}
	switch p {
	case topo.UB_CTP:
		w.Header, w.Notify = 36, 8
	case topo.UB_TP, topo.UBOE:
		w.Header, w.Notify = 78, 8
	case topo.ROCE, topo.TCP:
		w.Header, w.First, w.Notify, w.OnePath = 82, 16, 4, true
	default:
		w.Header, w.Notify, w.Store, w.EffPerm = 28, 8, 512, int64(chip.RemoteWriteEff)
	}
	return w
}

// bytes is what n payload bytes take in one train, first and last saying where
// in the message it lies.
func (w *Wire) bytes(n int64, first, last, notify bool) int64 {
	if w.Header == 0 {
		return n
	}
	if w.EffPerm > 0 && n > 0 {
		return (n*1000 + w.EffPerm - 1) / w.EffPerm
	}
	unit := w.MTU
	if w.Store > 0 {
		unit = w.Store
	}
	total := n + max(1, (n+unit-1)/unit)*w.Header
	if first {
		total += w.First
	}
	if last && notify {
		total += w.Notify
	}
	return total
}

// train is the largest train for what is left of a message of n bytes over so
// many paths, as transports choose it when nothing is set.
func (w *Wire) train(n, left int64, paths int) int64 {
	t := min(max(n/w.MTU/16, 16), 128)
	if paths > 1 {
		t = min(t, max(min(left/w.MTU/4, 256)/int64(paths), 1))
	}
	return t * w.MTU
}

// Part is one named constant that a run's time is made of.
type Part uint8

// The parts. PartPayload and PartHeader are beta, PartReduce gamma, PartCopy is
// what local copies add; the others form alpha.
const (
	PartHostCall Part = iota
	PartHostLaunch
	PartAICPULaunch
	PartAICPUTask
	PartDispatch
	PartSync
	PartLatency
	PartHeader
	PartSDMA
	PartIssue
	PartCopy
	PartReduce
	PartPayload
	numParts
)

var partNames = [numParts]string{"host.call", "host.launch", "aicpu.launch", "aicpu.per_task", "ts.dispatch", "sync", "path latency",
	"headers and notifies", "sdma.alpha", "ccu.issue", "sdma.copy_rate", "sdma.reduce_rate", "payload"}

var partDocs = [numParts]string{"the runtime call on the host", "enqueueing one task from the host", "start of the expansion kernel",
	"expansion of one task on an AI CPU", "task scheduler, per task", "one synchronising task", "links and switches, without bytes",
	"wire time of headers, ready, data and last notifies", "start of an SDMA copy or reduce", "one instruction of a mission", "local copies, by bytes",
	"local reductions, by bytes (gamma)", "wire time of the payload (beta)"}

// String is the part's name; those with a dot are keys of a profile.
func (p Part) String() string { return partNames[p] }

// Doc says what the part is.
func (p Part) Doc() string { return partDocs[p] }

// stamp is a moment together with what the way to it was made of.
type stamp struct {
	t sim.Time
	p [numParts]sim.Time
}

func (s *stamp) add(p Part, d sim.Time) {
	s.t += d
	s.p[p] += d
}

// later sets s to o where o is later.
func (s *stamp) later(o *stamp) {
	if o.t > s.t {
		*s = *o
	}
}

// Model predicts times: it plays the tasks of all ranks against the constants
// of the chip and the path between each pair, without a network or memory. It
// leaves out what contends in switches and what acknowledgements take.
type Model struct {
	graph *topo.Graph
	chip  *soc.Chip
	nodes []topo.NodeID // by rank
	wires map[topo.Protocol]Wire
	nets  map[topo.Protocol]*topo.Routes
	paths map[[2]topo.NodeID]path
	shape Shape
}

type path struct {
	ports   []topo.PortID
	rate    units.Rate // of one port
	latency sim.Time
	wire    Wire
	err     error
}

// NewModel returns a model of a communicator over the nodes. wires overrides
// DefaultWire for some protocols; nil for none.
func NewModel(g *topo.Graph, chip *soc.Chip, nodes []topo.NodeID, wires map[topo.Protocol]Wire) *Model {
	return &Model{graph: g, chip: chip, nodes: nodes, wires: wires, nets: map[topo.Protocol]*topo.Routes{},
		paths: map[[2]topo.NodeID]path{}, shape: ShapeOf(g, chip, nodes)}
}

// Shape is how the model's ranks lie.
func (m *Model) Shape() Shape { return m.shape }

func (m *Model) path(r, q int32) path {
	a, b := m.nodes[r], m.nodes[q]
	k := [2]topo.NodeID{a, b}
	if p, ok := m.paths[k]; ok {
		return p
	}
	proto := m.graph.Protocol(a, b)
	routes := m.nets[proto]
	var p path
	if routes == nil {
		if routes, p.err = m.graph.Routes(proto); p.err == nil {
			m.nets[proto] = routes
		}
	}
	if routes != nil {
		info, ok := routes.Info(a, b)
		if !ok {
			p.err = &Error{Code: ErrNetwork, Call: "explain", Rank: int(r), Text: "no path between two ranks over " + proto.String()}
		}
		p.ports, p.rate, p.latency = routes.Ports(a, b), info.MinRate, info.Latency
	}
	if w, ok := m.wires[proto]; ok {
		p.wire = w
	} else {
		p.wire = DefaultWire(proto, m.chip)
	}
	if p.wire.OnePath && len(p.ports) > 1 {
		p.ports = p.ports[:1]
	}
	m.paths[k] = p
	return p
}
