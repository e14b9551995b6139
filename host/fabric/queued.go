package fabric

import (
	"hsim/host/sim"
	"hsim/host/topo"
)

// queued is the discipline of ports that queue and choose. Where no switch works
// ahead of it, see node, a port has one event:
// when the first packet on its link arrives at the other end, or when a choice has
// to be made before that. A choice depends on nothing but the state of the port at
// the time at which the wire is free, so it is made when that state is about to
// change, or when somebody has to know, and need not have an event of its own.
type queued struct {
	pool
	f        *Fabric
	e        *sim.Engine
	id       sim.ID
	c        *Features
	n        int // lanes of a port
	ports    []qport
	lanes    []lane // see lane
	feeders  []Feeder
	slots    []uint16 // per port: the queue, of a lane by turns, of what comes in over it
	turns    []turns
	accounts []account // as lanes, where buffers are accounted for
	pools    []int64   // per node: bytes of the shared buffer taken
	quantum  [MaxLanes]int64
	strict   uint16 // lanes
	byTurns  bool
	bounded  bool   // buffers are accounted for
	special  bool   // a start has more to do than most
	most     uint32 // bytes of a train that leaves its sender, 0 = any
	cell     uint32 // bytes of a credit cell, 0 = no credits
	grain    int32
	grains   bool // cells are not returned one by one
	turn     turn
	lazy     uint32 // returns that may lie unheard
}

// Feeder is a sender with a backlog of its own, of which it puts a packet of every
// lane into a port when the port can take it.
type Feeder interface {
	// Feed is asked once for every Ask: the wire of local port id is free, or about
	// to be; see Fabric.Room.
	Feed(id topo.PortID)
}

// evSlip in the argument of an event says that it names an item that slipped past
// the queue of its link, not a port.
const evSlip = uint64(1) << 32

// evLand says that it names a port whose packets arrive by events of their own.
const evLand = uint64(4) << 32

// evFrame says that it names a frame that is sent now.
const evFrame = uint64(2) << 32

func newQueued(f *Fabric, c *Features) *queued {
	q := &queued{f: f, e: f.e, c: c, turn: turn{node: topo.None}, n: max(1, c.Lanes), ports: make([]qport, len(f.ports)),
		feeders: make([]Feeder, len(f.g.Nodes)), byTurns: c.Turns, bounded: c.Buffer.on() || c.Pause.Lanes != 0}
	q.id = f.e.Register(q)
	q.lanes = make([]lane, len(f.ports)*q.n)
	if c.Credits.Cells > 0 {
		q.cell = uint32(orElse(c.Credits.Flit, 20) * orElse(c.Credits.Flits, 8))
		q.grain = orElse(c.Credits.Grain, 1)
		q.grains = q.grain > 1
		if c.Credits.Shared == 0 {
			q.lazy = lazy
		}
	}
	for i := range q.lanes {
		q.lanes[i].credits = c.Credits.Cells
	}
	for i := range q.n {
		if q.quantum[i] = int64(c.Quantum[i]); q.quantum[i] == 0 {
			q.strict |= 1 << i
		}
	}
	if c.Turns {
		q.slots = make([]uint16, len(f.ports))
	}
	if q.bounded {
		q.pools = make([]int64, len(f.g.Nodes))
		q.accounts = make([]account, len(q.lanes))
	}
	q.most = c.trainLimit()
	q.special = f.rec != nil || c.Mark.Kmax > 0 || c.Credits.DataGrain > 0
	for i := range q.ports {
		id := topo.PortID(i)
		p, w := &f.ports[i], &q.ports[i]
		w.armed, w.owner = sim.Forever, f.g.Ports[i].Node
		w.flight.buf, w.signals.buf = w.flightMem[:], w.signalMem[:]
		w.latency, w.wire, w.peer, w.store, w.shared = p.latency, f.g.LinkOf(id).Latency, p.peer, p.store, c.Credits.Shared
		w.ends = endsAt(&f.g.Nodes[p.peer])
		w.setRate(p.rate, p.perByte)
		if c.Turns {
			for k, in := range f.g.NodePorts(p.peer) {
				if in == f.g.Peer(id) {
					q.slots[i] = uint16(k + 1)
				}
			}
		}
	}
	f.e.AddReporter(q.report)
	return q
}

// setSlack says how much later than it happens a start may be worked out. The
// packet must not have arrived by then, nor the credit that it returns to the
// sender before; where the order of what leaves a switch counts, as it does for its
// buffer and for cells that are returned in grains, every start counts at once.
func (q *queued) setSlack() {
	for i := range q.ports {
		w, node := &q.ports[i], q.f.g.Ports[i].Node
		w.slack = w.latency
		if q.f.g.Nodes[node].Forwards {
			for _, p := range q.f.g.NodePorts(node) {
				w.slack = min(w.slack, q.ports[q.f.g.Peer(p)].wire)
			}
		}
		if q.bounded || q.grains || q.c.Allocation > 0 || q.beside(node) {
			w.slack = 0
		}
		w.ahead, w.calls = q.f.nodes[node].span > 0, q.f.nodes[w.peer].span > 0
	}
}

// beside says whether a node or a neighbour of it works ahead.
func (q *queued) beside(n topo.NodeID) bool {
	for _, p := range q.f.g.NodePorts(n) {
		if q.f.nodes[q.ports[p].peer].span > 0 {
			return true
		}
	}
	return q.f.nodes[n].span > 0
}

func orElse(v, other int32) int32 {
	if v > 0 {
		return v
	}
	return other
}
