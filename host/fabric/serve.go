package fabric

import (
	"hsim/host/sim"
	"hsim/host/topo"
)

// Handle moves the packets of a port on.
func (q *queued) Handle(now sim.Time, arg uint64) {
	if arg&evLand != 0 {
		q.land(topo.PortID(uint32(arg)), now)
		return
	}
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
	arrives := !w.calls && w.flight.n > 0 && w.arrives(now) <= now
	if arrives { // fetched before it is needed
		it = q.at(uint32(*w.flight.first() & maxWord))
		dst = it.Dst
	}
	switch {
	case q.c.Allocation > 0:
		q.allocate(id, w, now)
	case w.hungry && w.busy <= now:
		q.catch(id, w, now-1)
		for before := int64(-1); w.hungry && w.busy <= now && w.sent.packets != before; {
			// Again where all that went took no time and made room.
			before = w.sent.packets
			q.feed(id, w)
			q.serve(id, w, now)
		}
	case w.waiting != 0:
		q.catch(id, w, now)
	}
	if !arrives {
		if w.calls || w.flight.n == 0 || w.arrives(now) > now {
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

// plan arms the next event of port id. A start that makes the sender put in more
// has to be seen at once.
func (q *queued) plan(id topo.PortID, w *qport, now sim.Time) {
	at := sim.Forever
	if w.flight.n > 0 && !w.calls && !w.ahead {
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
	if w.homeIs == 0 {
		w.makeHome(it.Lane, q.c.Credits.Cells)
	}
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
			l := q.lane(id, int(it.Lane))
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
	l := q.lane(id, n)
	it := q.first(l)
	if some := q.some(w, l, it); some < it.NPkts {
		front := q.cut(it, some)
		l.bytes -= int64(front.Wire)
		w.depth -= int64(front.Wire)
		w.spend(l, front.cells)
		return front
	}
	w.spend(l, it.cells)
	q.leave(w, l, it)
	return it
}

// some is how many packets of the first train of a lane go at once.
func (q *queued) some(w *qport, l *lane, it *item) uint32 {
	if it.NPkts == 1 {
		return 1
	}
	n := q.part(it)
	if q.cell > 0 {
		n = min(n, uint32((l.credits+w.shared)/max(it.cells/int32(it.NPkts), 1)))
	}
	return n
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
