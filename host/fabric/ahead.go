package fabric

import (
	"unsafe"

	"hsim/host/sim"
	"hsim/host/topo"
)

// turn is the window of a node that is being handled.
type turn struct {
	node topo.NodeID // None outside of windows
	from sim.Time
	now  sim.Time
	end  sim.Time
	next sim.Time // the first thing to do after it
}

// sendable is a frame that a node will send.
type sendable struct {
	at   sim.Time
	item uint32 // 0: it has been
}

// ahead is Fabric.ahead for ports that queue: it makes the choices of the node's
// ports as well.
func (q *queued) ahead(n topo.NodeID, node *node, now sim.Time) {
	q.turn = turn{node: n, from: now, now: now, end: q.f.horizon(now, node.span), next: sim.Forever}
	q.gather(node, now)
	for h := &q.f.moments; len(*h) > 0; {
		m := (*h)[0]
		at, id := now+m.after(), topo.PortID(m.which())
		q.turn.now = at
		switch m.kind() {
		case arrival:
			w := &q.ports[id]
			it := q.at(uint32(*w.flight.first() & maxWord))
			w.flight.drop()
			if w.flight.n == 0 {
				h.drop()
			} else if then := w.arrives(at); then < q.turn.end {
				q.soon(*w.flight.first())
				h.renew(momentOf(then-now, arrival, uint32(id)))
			} else {
				q.turn.next = min(q.turn.next, then)
				h.drop()
			}
			q.forward(id, it, it.Dst, at)
		case sending:
			h.drop()
			s := &node.frames[m.which()]
			it := s.item
			s.item = 0
			q.sendFrame(it, at)
		case choice:
			h.drop()
			w := &q.ports[id]
			if w.armed != at {
				continue // an earlier one has done it
			}
			w.armed = sim.Forever
			if q.c.Allocation > 0 {
				q.allocate(id, w, at)
			} else {
				q.catch(id, w, at)
			}
			q.plan(id, w, at)
		}
	}
	q.turn.node = topo.None
	q.rest(node)
	if q.turn.next == sim.Forever && q.turn.now > now {
		q.turn.next = q.turn.now // what came last may have been dropped or stopped: the run lasts until then
	}
	if q.turn.next < sim.Forever {
		q.f.await(n, node, q.turn.next)
	}
}

// gather collects what is known to happen at a node in its window.
func (q *queued) gather(node *node, now sim.Time) {
	h := q.f.moments[:0]
	add := func(at sim.Time, kind uint8, which uint32) {
		if at < q.turn.end {
			h = append(h, momentOf(at-now, kind, which))
		} else {
			q.turn.next = min(q.turn.next, at)
		}
	}
	for _, id := range node.active {
		fetch(unsafe.Pointer(&q.ports[id].flight))
	}
	for _, id := range node.active {
		w := &q.ports[id]
		q.soon(*w.flight.first())
		add(w.arrives(now), arrival, uint32(id))
	}
	frames := node.frames[:0]
	for _, s := range node.frames {
		if s.item != 0 {
			add(s.at, sending, uint32(len(frames)))
			frames = append(frames, s)
		}
	}
	node.frames = frames
	for _, id := range node.waiting {
		w := &q.ports[id]
		if w.armed = q.looks(w, now); w.armed < sim.Forever {
			w.armed = max(w.armed, now)
			add(w.armed, choice, uint32(id))
		}
	}
	h.build()
	q.f.moments = h
}

// looks is when a port of a node that works ahead has to choose.
func (q *queued) looks(w *qport, now sim.Time) sim.Time {
	switch {
	case q.c.Allocation > 0:
		return w.due(now)
	case w.waiting == 0:
		return sim.Forever
	case w.stopped:
		return w.wakes(now)
	}
	return w.busy
}

// soon fetches the packet of a word that comes next.
func (q *queued) soon(word uint64) { fetch(unsafe.Pointer(q.at(uint32(word & maxWord)))) }

// rest forgets the links and ports of a node that have nothing left.
func (q *queued) rest(node *node) {
	some := node.active[:0]
	for _, id := range node.active {
		if q.ports[id].flight.n > 0 {
			some = append(some, id)
		}
	}
	node.active = some
	some = node.waiting[:0]
	for _, id := range node.waiting {
		if w := &q.ports[id]; w.waiting != 0 || w.alloc.staged.n > 0 {
			some = append(some, id)
		} else {
			w.listed, w.armed = false, sim.Forever
		}
	}
	node.waiting = some
}

// arm has port id looked at at time at, or earlier if it will be anyway.
func (q *queued) arm(id topo.PortID, w *qport, at sim.Time) {
	switch {
	case at >= w.armed && (!w.ahead || w.owner == q.turn.node):
	case !w.ahead:
		w.armed = max(at, q.e.Now())
		q.e.At(w.armed, q.id, uint64(id))
	case w.owner != q.turn.node: // it finds out when its window comes
		q.f.await(w.owner, &q.f.nodes[w.owner], at)
	default:
		w.armed = max(at, q.turn.now)
		if w.armed < q.turn.end {
			q.f.moments.add(momentOf(w.armed-q.turn.from, choice, uint32(id)))
		} else {
			q.turn.next = min(q.turn.next, w.armed)
		}
	}
}

// lands tells who handles arrivals from the link of port id of one that comes at
// time at: the node at its end, or an event.
func (q *queued) lands(id topo.PortID, w *qport, at sim.Time, slips bool) {
	switch {
	case !w.calls && !w.ahead: // the port's event
	case w.flight.n == 1 && w.calls:
		q.f.comes(id, w.peer, at)
	case w.flight.n == 1:
		q.e.At(at, q.id, evLand|uint64(id))
	case slips && w.calls:
		q.f.await(w.peer, &q.f.nodes[w.peer], at)
	}
}

// land delivers the first packet on the link of a port that a node which works
// ahead sends by.
func (q *queued) land(id topo.PortID, now sim.Time) {
	w := &q.ports[id]
	it := q.at(uint32(*w.flight.first() & maxWord))
	w.flight.drop()
	if w.flight.n > 0 {
		q.soon(*w.flight.first())
		q.e.At(w.arrives(now), q.id, evLand|uint64(id))
	}
	q.forward(id, it, it.Dst, now)
}
