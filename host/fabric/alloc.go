package fabric

import (
	"hsim/host/sim"
	"hsim/host/topo"
)

// alloc is the state of a port that takes time to choose. A round takes one packet
// out of the lanes and stages it; a round is asked for by every packet that starts,
// by the end of a transmission and by an arrival, if these find nothing staged:
// also by one that comes while the wire is taken, so that its choice overlaps.
// Asking during a round makes one more of it, so that packets may be staged ahead.
// The end of rounds that find nothing is worked out when the next packet comes.
type alloc struct {
	staged ring[uint32]
	ends   sim.Time // of the round under way, 0 without one
	again  bool
	sends  bool // a packet is on the wire, its end not yet seen
}

// request queues a packet that has come and asks for a round where that is due.
func (q *queued) request(id topo.PortID, w *qport, it *item, now sim.Time) {
	if w.feeding {
		q.join(id, w, it)
		return
	}
	q.settle(id, w, now)
	q.join(id, w, it)
	if w.alloc.staged.n == 0 {
		q.round(w, now)
	}
	q.plan(id, w, now)
}

// round starts a round, or one more after that under way.
func (q *queued) round(w *qport, now sim.Time) {
	if w.alloc.ends != 0 {
		w.alloc.again = true
		return
	}
	w.alloc.ends = now + q.c.Allocation
}

// allocate runs what is due at a port. A signal that comes to a stopped port asks
// for a round.
func (q *queued) allocate(id topo.PortID, w *qport, now sim.Time) {
	q.settle(id, w, now)
	if w.stopped && w.nextSignal(now) <= now && w.busy <= now && w.alloc.staged.n == 0 {
		w.stat.Blocked += now - w.since
		w.stopped = false
		q.round(w, now)
	}
}

// settle runs the ends of transmissions and rounds up to now in order.
func (q *queued) settle(id topo.PortID, w *qport, now sim.Time) {
	a := &w.alloc
	for {
		switch {
		case a.sends && w.busy <= now && (a.ends == 0 || w.busy <= a.ends):
			a.sends = false
			if a.staged.n == 0 {
				q.round(w, w.busy)
			} else {
				q.unstage(id, w, w.busy)
			}
		case a.ends != 0 && a.ends <= now:
			at := a.ends
			a.ends = 0
			if n := q.choose(id, w, at); n >= 0 {
				a.staged.put(q.take(id, w, n).self)
				q.feed(id, w)
			} else if w.waiting != 0 {
				q.hear(id, w, at)
				q.stop(w, at)
			}
			if a.again {
				a.again = false
				q.round(w, at)
			}
			if !a.sends && a.staged.n > 0 {
				q.unstage(id, w, at)
			}
		default:
			return
		}
	}
}

// unstage starts the packet that was staged first.
func (q *queued) unstage(id topo.PortID, w *qport, at sim.Time) {
	a := &w.alloc
	it := q.at(*a.staged.first())
	a.staged.drop()
	a.sends = true
	q.start(id, w, it, at)
	if a.staged.n == 0 {
		q.round(w, at)
	}
}

// due is when the port has to look again while it has something to send.
func (w *qport) due(now sim.Time) sim.Time {
	a := &w.alloc
	at := sim.Forever
	if w.waiting == 0 && a.staged.n == 0 {
		return at
	}
	if a.ends != 0 {
		at = a.ends
	}
	if a.sends {
		at = min(at, w.busy)
	}
	if w.stopped {
		at = min(at, max(w.nextSignal(now), w.busy))
	}
	return at
}
