package fabric

import (
	"hsim/host/sim"
	"hsim/host/topo"
)

// queued is the discipline of ports that queue and choose. A port has at most two
// events: when the next packet on its link arrives at the other end, and when it
// is to choose the next packet (its turn), which is only needed while packets
// wait.
type queued struct {
	pool
	f       *Fabric
	e       *sim.Engine
	id      sim.ID
	c       *Features
	n       int // lanes of a port
	ports   []qport
	lanes   []lane // port*n + lane
	feeders []Feeder
	slots   []uint16 // per port: the queue, of a lane by turns, of what comes in over it
	turns   []turns
	pools   []int64 // per node: bytes of the shared buffer taken
	quantum [MaxLanes]int64
	strict  uint16 // lanes
	byTurns bool
	bounded bool   // buffers are accounted for
	cell    uint32 // bytes of a credit cell, 0 = no credits
	grain   int32
}

// Feeder is a sender with a backlog of its own, of which it puts a packet of every
// lane into a port when the port can take it.
type Feeder interface {
	// Feed is asked once for every Ask: the wire of local port id is free, or about
	// to be; see Fabric.Room.
	Feed(id topo.PortID)
}

// The events of a queued fabric: the kind is in the upper half of the argument,
// a port or an item in the lower.
const (
	evArrive = uint64(iota) << 32
	evTurn   = uint64(iota) << 32
	evSlip   = uint64(iota) << 32
	evKind   = uint64(3) << 32
)

func newQueued(f *Fabric, c *Features) *queued {
	q := &queued{f: f, e: f.e, c: c, n: max(1, c.Lanes), ports: make([]qport, len(f.ports)),
		feeders: make([]Feeder, len(f.g.Nodes)), byTurns: c.Turns, bounded: c.Buffer.on() || c.Pause.Lanes != 0}
	q.id = f.e.Register(q)
	q.lanes = make([]lane, len(f.ports)*q.n)
	if c.Credits.Cells > 0 {
		q.cell = uint32(orElse(c.Credits.Flit, 20) * orElse(c.Credits.Flits, 8))
		q.grain = orElse(c.Credits.Grain, 1)
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
	}
	for i := range q.ports {
		id := topo.PortID(i)
		p, w := &f.ports[i], &q.ports[i]
		w.armed, w.since = sim.Forever, sim.Forever
		w.rate, w.perByte, w.latency, w.wire = p.rate, p.perByte, p.latency, f.g.LinkOf(id).Latency
		w.peer, w.store, w.shared = p.peer, p.store, c.Credits.Shared
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

func orElse(v, other int32) int32 {
	if v > 0 {
		return v
	}
	return other
}

// Handle moves the packets of a port on.
func (q *queued) Handle(now sim.Time, arg uint64) {
	id := topo.PortID(uint32(arg))
	switch arg & evKind {
	case evArrive:
		q.arrive(id, now)
	case evTurn:
		if w := &q.ports[id]; w.armed == now {
			w.armed = sim.Forever
			q.turn(id, w, now)
		}
	case evSlip:
		i := uint32(arg)
		it := q.at(i)
		q.forward(topo.PortID(it.next), i, it, now)
	}
}

// arm has port id choose at time at, or earlier if it will anyway.
func (q *queued) arm(id topo.PortID, w *qport, at sim.Time) {
	if at < w.armed {
		w.armed = at
		q.e.At(at, q.id, evTurn|uint64(id))
	}
}

// send takes a packet of the node that owns port id.
func (q *queued) send(p *Packet, id topo.PortID, now sim.Time) {
	i, it := q.get()
	it.Packet = *p
	it.in, it.held = topo.None, 0
	it.Lane = min(it.Lane, uint8(q.n-1))
	it.at, it.lag = now, now
	it.cells = q.cellsOf(p)
	q.enqueue(id, i, it, now)
}

// arrive takes the first packet off the link of port id.
func (q *queued) arrive(id topo.PortID, now sim.Time) {
	w := &q.ports[id]
	i := w.flight.head
	it := q.at(i)
	if w.flight.head = it.next; it.next != 0 {
		q.e.At(q.at(it.next).at, q.id, evArrive|uint64(id))
	}
	q.forward(id, i, it, now)
}

// forward delivers a packet that came over port id, or queues it for the next
// port.
func (q *queued) forward(id topo.PortID, i uint32, it *item, now sim.Time) {
	f := q.f
	node := q.ports[id].peer
	if node == it.Dst {
		f.flying--
		f.recv[node].Receive(&it.Packet, f.g.Peer(id))
		q.put(i, it)
		return
	}
	out := f.pick(&it.Packet, node, now)
	it.in, it.at = id, now
	it.lag += now // from here on the time at which its tail is here
	if q.bounded && !q.admit(id, node, out, i, it, now) {
		return
	}
	q.enqueue(out, i, it, now)
}

// enqueue puts a packet at the end of its lane, or on the wire where that is free
// and nobody waits for it.
func (q *queued) enqueue(id topo.PortID, i uint32, it *item, now sim.Time) {
	w := &q.ports[id]
	if q.c.Allocation > 0 {
		q.request(id, w, i, it, now)
		return
	}
	if w.waiting == 0 && !w.feeding {
		if w.busy <= now {
			q.hear(id, w, now)
			l := &q.lanes[int(id)*q.n+int(it.Lane)]
			if w.paused>>it.Lane&1 == 0 && (q.cell == 0 || l.credits+w.shared >= it.cells) {
				w.spend(l, it.cells)
				q.start(id, w, i, it, now)
				if w.hungry {
					q.arm(id, w, w.busy)
				}
				return
			}
		} else if q.slips(id, w, it, now) {
			q.slip(id, w, i, it, now)
			return
		}
	}
	q.join(id, w, i, it)
	switch {
	case w.busy > now:
		q.arm(id, w, w.busy)
	case !w.feeding && w.armed != now:
		q.serve(id, w, now)
	}
}

// turn comes up when a wire is free and packets wait or the sender has more, and
// when a stopped lane may go on.
func (q *queued) turn(id topo.PortID, w *qport, now sim.Time) {
	if q.c.Allocation > 0 {
		q.allocate(id, w, now)
		return
	}
	if w.busy > now { // taken since
		if w.waiting != 0 || w.hungry {
			q.arm(id, w, w.busy)
		}
		return
	}
	q.feed(id, w)
	q.serve(id, w, now)
}

// feed asks the sender for more where it has said that it has.
func (q *queued) feed(id topo.PortID, w *qport) {
	if w.hungry {
		w.hungry, w.feeding = false, true
		q.feeders[q.f.g.Ports[id].Node].Feed(id)
		w.feeding = false
	}
}

// serve starts what the free wire of port id can take, and comes back when there
// is a reason to.
func (q *queued) serve(id topo.PortID, w *qport, now sim.Time) {
	q.hear(id, w, now)
	for w.waiting != 0 && w.busy <= now {
		n := q.choose(id, w)
		if n < 0 {
			q.stop(id, w, now)
			return
		}
		i, it := q.take(id, w, n)
		q.start(id, w, i, it, now)
	}
	if w.waiting != 0 || w.hungry {
		q.arm(id, w, w.busy)
	}
}

// take removes the first packet of lane n and spends its credit. Of a train for
// which there is not enough it takes as many packets as there is credit for.
func (q *queued) take(id topo.PortID, w *qport, n int) (uint32, *item) {
	l := &q.lanes[int(id)*q.n+n]
	i := q.first(l)
	it := q.at(i)
	if q.cell > 0 {
		if have := l.credits + w.shared; have < it.cells {
			part, front := q.cut(it, uint32(have/(it.cells/int32(it.NPkts))))
			l.bytes -= int64(front.Wire)
			l.deficit += int64(it.Wire) // chosen for all of it
			w.depth -= int64(front.Wire)
			w.spend(l, front.cells)
			return part, front
		}
		w.spend(l, it.cells)
	}
	q.leave(w, l, i, it)
	return i, it
}

// stop notes that every lane of port id that has packets is stopped, and has it
// look again when the next signal arrives.
func (q *queued) stop(id topo.PortID, w *qport, now sim.Time) {
	if w.since == sim.Forever {
		w.since = now
	}
	if w.signals.n > 0 {
		q.arm(id, w, w.signals.buf[w.signals.head].at)
	}
}
