package fabric

import (
	"fmt"

	"hsim/host/sim"
	"hsim/host/topo"
)

// report tells, at a stall, which ports have packets that none of their lanes may
// send, and which port should act: the one behind the link that holds the room.
// Where ports wait for each other in a circle, each of them names the next, so that
// the report shows the circle.
func (q *queued) report(yield func(sim.Waiting)) {
	var stopped []topo.PortID
	for i := range q.ports {
		if w := &q.ports[i]; w.stopped {
			stopped = append(stopped, topo.PortID(i))
		}
	}
	if len(stopped) == 0 {
		return
	}
	next := q.circle(stopped)
	for _, id := range stopped {
		w := &q.ports[id]
		who := "port " + q.f.g.PortName(id)
		actor := q.f.g.Nodes[w.peer].Name
		if to, ok := next[id]; ok {
			actor = "port " + q.f.g.PortName(to)
		}
		yield(sim.Waiting{Who: who, What: q.reason(id, w), Since: w.since, Actor: actor})
	}
}

// reason says what the lanes of a stopped port lack.
func (q *queued) reason(id topo.PortID, w *qport) string {
	for n := range q.n {
		if w.waiting>>n&1 == 0 {
			continue
		}
		if w.paused>>n&1 != 0 {
			return fmt.Sprintf("the end of a pause of lane %d with %d bytes waiting", n, q.lane(id, n).bytes)
		}
		l := q.lane(id, n)
		return fmt.Sprintf("credit of lane %d: %d cells left of %d, the next packet takes %d", n, l.credits+w.shared,
			q.c.Credits.Cells+q.c.Credits.Shared, q.first(l).cells)
	}
	return "nothing"
}

// circle gives, for every stopped port, the stopped port at the node behind it
// that holds packets which came over it; on a circle of such ports it gives the
// next one of the circle.
func (q *queued) circle(stopped []topo.PortID) map[topo.PortID]topo.PortID {
	holds := map[topo.PortID][]topo.PortID{} // by upstream port
	for _, id := range stopped {
		seen := map[topo.PortID]bool{}
		q.eachWaiting(id, func(it *item) {
			if it.in >= 0 && !seen[it.in] {
				seen[it.in] = true
				holds[it.in] = append(holds[it.in], id)
			}
		})
	}
	next := map[topo.PortID]topo.PortID{}
	const open, done = 1, 2
	state := map[topo.PortID]int{}
	var walk func(id topo.PortID) bool
	walk = func(id topo.PortID) bool {
		state[id] = open
		for _, to := range holds[id] {
			if next[id] = to; state[to] == open || state[to] == 0 && walk(to) {
				return true
			}
		}
		state[id] = done
		return false
	}
	for _, id := range stopped {
		if state[id] == 0 && walk(id) {
			break
		}
	}
	for _, id := range stopped {
		if to := holds[id]; state[id] != open && len(to) > 0 {
			next[id] = to[0]
		}
	}
	return next
}

// eachWaiting calls f for every packet that waits at port id.
func (q *queued) eachWaiting(id topo.PortID, f func(it *item)) {
	each := func(r *ring[uint32]) {
		for k := range r.n {
			f(q.at(*r.nth(k)))
		}
	}
	for n := range q.n {
		l := q.lane(id, n)
		each(&l.ring)
		if l.turns != 0 {
			queues := q.turns[l.turns-1].queues
			for i := range queues {
				each(&queues[i])
			}
		}
		if l.primed != 0 {
			f(q.at(l.primed))
		}
	}
	each(&q.ports[id].alloc.staged)
}
