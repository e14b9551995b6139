package fabric

import (
	"hsim/host/sim"
	"hsim/host/topo"
)

// queued is the discipline of ports that queue and choose. A port has one event:
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
	lanes    []lane // port*n + lane
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
	grains   bool   // cells are not returned one by one
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

// evFrame says that it names a frame that is sent now.
const evFrame = uint64(2) << 32

func newQueued(f *Fabric, c *Features) *queued {
	q := &queued{f: f, e: f.e, c: c, n: max(1, c.Lanes), ports: make([]qport, len(f.ports)),
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
		w.armed = sim.Forever
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
	q.setSlack()
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
		if q.bounded || q.grains || q.c.Allocation > 0 {
			w.slack = 0
		}
	}
}

func orElse(v, other int32) int32 {
	if v > 0 {
		return v
	}
	return other
}

// Handle moves the packets of a port on.
func (q *queued) Handle(now sim.Time, arg uint64) {
	if arg&evFrame != 0 {
		q.sendFrame(uint32(arg), now)
		return
	}
	if arg&evSlip != 0 {
		it := q.at(uint32(arg))
		q.forward(it.in, it, it.Dst, now)
		return
	}
	id := topo.PortID(arg)
	w := &q.ports[id]
	if w.armed != now {
		return // an earlier event has done it
	}
	w.armed = sim.Forever
	var it *item
	var dst topo.NodeID
	arrives := w.flight.n > 0 && w.arrives(now) <= now
	if arrives { // fetched before it is needed
		it = q.at(uint32(*w.flight.first() & maxWord))
		dst = it.Dst
	}
	switch {
	case q.c.Allocation > 0:
		q.allocate(id, w, now)
	case w.hungry && w.busy <= now:
		q.catch(id, w, now-1)
		q.feed(id, w)
		q.serve(id, w, now)
	case w.waiting != 0:
		q.catch(id, w, now)
	}
	if !arrives {
		if w.flight.n == 0 || w.arrives(now) > now {
			q.plan(id, w, now)
			return
		}
		it = q.at(uint32(*w.flight.first() & maxWord)) // started just now
		dst = it.Dst
	}
	w.flight.drop()
	q.plan(id, w, now)
	q.forward(id, it, dst, now)
}

// arm has the event of port id come at time at, or earlier if it will anyway.
func (q *queued) arm(id topo.PortID, w *qport, at sim.Time) {
	if at < w.armed {
		at = max(at, q.e.Now())
		w.armed = at
		q.e.At(at, q.id, uint64(id))
	}
}

// plan arms the next event of port id. A start that makes the sender put in more
// has to be seen at once.
func (q *queued) plan(id topo.PortID, w *qport, now sim.Time) {
	at := sim.Forever
	if w.flight.n > 0 {
		at = w.arrives(now)
	}
	switch {
	case q.c.Allocation > 0:
		at = min(at, w.due(now))
	case w.waiting == 0 && (!w.hungry || w.busy <= now):
	case w.stopped:
		at = min(at, w.wakes(now))
	case w.hungry:
		at = min(at, w.busy)
	default:
		at = min(at, w.busy+w.slack)
	}
	q.arm(id, w, at)
}

// wakes is when a port whose lanes are stopped has to look for a signal.
func (w *qport) wakes(now sim.Time) sim.Time {
	at := max(w.nextSignal(now), w.busy)
	if w.hungry {
		return at
	}
	return at.Add(w.slack)
}

// send takes a packet of the node that owns port id.
func (q *queued) send(p *Packet, id topo.PortID, now sim.Time) {
	it := q.get()
	it.Packet = *p
	it.in, it.held, it.cells = topo.None, 0, q.cellsOf(p)
	it.Lane = min(it.Lane, uint8(q.n-1))
	it.at, it.lag = now, now
	q.enqueue(id, it, now)
}

// forward delivers a packet that came over port id, or queues it for the next
// port.
func (q *queued) forward(id topo.PortID, it *item, dst topo.NodeID, now sim.Time) {
	f := q.f
	node := q.ports[id].peer
	if it.Kind == kindFrame {
		q.hearFrame(it, now)
		return
	}
	if node == dst {
		f.flying--
		f.recv[node].Receive(&it.Packet, f.g.Peer(id))
		q.put(it)
		return
	}
	out := f.pick(&it.Packet, node, now)
	it.in, it.at = id, now
	it.lag += now
	if q.bounded {
		if it = q.admit(node, out, it, now); it == nil {
			return
		}
	}
	q.enqueue(out, it, now)
}

// enqueue puts a packet at the end of its lane, or on the wire where that is free
// and nobody waits for it.
func (q *queued) enqueue(id topo.PortID, it *item, now sim.Time) {
	w := &q.ports[id]
	if q.c.Allocation > 0 {
		q.request(id, w, it, now)
		return
	}
	if w.waiting != 0 {
		q.catch(id, w, now-1)
	}
	if w.waiting == 0 && !w.feeding {
		if free := w.busy <= now; free && (it.NPkts == 1 || q.part(it) >= it.NPkts) || !free && w.busy-now > w.one && q.slips(w, it) {
			if w.rare.n > 0 {
				q.obey(id, w, now)
			}
			l := &q.lanes[int(id)*q.n+int(it.Lane)]
			if w.paused>>it.Lane&1 == 0 && (q.cell == 0 || q.covers(id, w, l, it.cells, now)) {
				w.spend(l, it.cells)
				if free {
					q.start(id, w, it, now)
					q.plan(id, w, now)
				} else {
					q.slip(id, w, it, now)
				}
				return
			}
		}
	}
	q.join(id, w, it)
	if w.feeding {
		return
	}
	if w.busy <= now {
		q.serve(id, w, now)
	}
	q.plan(id, w, now)
}

// catch makes the choices of port id that were due until now, each as of the time
// at which it was due.
func (q *queued) catch(id topo.PortID, w *qport, now sim.Time) {
	for w.waiting != 0 {
		at := w.busy
		if w.stopped {
			at = max(at, w.nextSignal(now))
		}
		if at > now {
			return
		}
		q.serve(id, w, at)
	}
}

// feed asks the sender for more where it has said that it has.
func (q *queued) feed(id topo.PortID, w *qport) {
	if w.hungry {
		w.hungry, w.feeding = false, true
		q.feeders[q.f.g.Ports[id].Node].Feed(id)
		w.feeding = false
	}
}

// serve starts what the wire of port id, free at time at, can take.
func (q *queued) serve(id topo.PortID, w *qport, at sim.Time) {
	for w.waiting != 0 && w.busy <= at {
		n := q.choose(id, w, at)
		if n < 0 {
			q.hear(id, w, at)
			q.stop(w, at)
			return
		}
		q.start(id, w, q.take(id, w, n), at)
	}
}

// take removes the first packet of lane n and spends its credit. Of a train it
// takes no more packets than there is credit for, and no more than the buffers of
// the fabric tell apart.
func (q *queued) take(id topo.PortID, w *qport, n int) *item {
	l := &q.lanes[int(id)*q.n+n]
	it := q.first(l)
	if it.NPkts > 1 {
		some := q.part(it)
		if q.cell > 0 {
			some = min(some, uint32((l.credits+w.shared)/max(it.cells/int32(it.NPkts), 1)))
		}
		if some < it.NPkts {
			front := q.cut(it, some)
			l.bytes -= int64(front.Wire)
			l.deficit += int64(it.Wire) // chosen for all of it
			w.depth -= int64(front.Wire)
			w.spend(l, front.cells)
			return front
		}
	}
	w.spend(l, it.cells)
	q.leave(w, l, it)
	return it
}

// part is how many packets of a train its sender puts on the wire at once.
func (q *queued) part(it *item) uint32 {
	if it.in >= 0 || q.most == 0 {
		return it.NPkts
	}
	return max(1, q.most/max(it.Wire/it.NPkts, 1))
}

// stop notes that every lane that has packets is stopped.
func (q *queued) stop(w *qport, at sim.Time) {
	if !w.stopped {
		w.stopped, w.since = true, at
	}
}
