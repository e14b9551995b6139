package fabric

import (
	"hsim/host/sim"
	"hsim/host/topo"
)

// node is a switch that works ahead. What reaches it within a window, which is as
// long as the shortest latency of its links, packets as well as credits and pauses,
// is on its way when the window begins. So one event handles all of the window in
// order of time: the memory of a switch is fetched once a window, and a hop is no
// event. At equal times what arrives goes before what leaves, by number of port.
// Devices are not ahead: what they do with a packet is not the fabric's.
type node struct {
	span    sim.Time      // of a window; 0: every port has events of its own
	armed   sim.Time      // when the node's event is due, Forever without one
	active  []topo.PortID // ports at the other ends of links with packets on them
	waiting []topo.PortID // own ports that have something to send
	frames  []sendable    // to be sent
}

// maxSpan keeps times within a window short enough for a moment.
const maxSpan = sim.Time(1) << 36

// setSpan works out the window of node n.
func (f *Fabric) setSpan(n topo.NodeID) {
	w := &f.nodes[n]
	if f.g.Nodes[n].Kind != topo.Switch {
		return
	}
	w.span = maxSpan
	for _, out := range f.g.NodePorts(n) {
		w.span = min(w.span, f.ports[f.g.Peer(out)].latency)
		if f.q != nil {
			w.span = min(w.span, f.q.ports[out].wire)
		}
	}
}

// comes notes that a packet for node n is on the link of port id, which had none.
func (f *Fabric) comes(id topo.PortID, n topo.NodeID, at sim.Time) {
	w := &f.nodes[n]
	w.active = append(w.active, id)
	f.await(n, w, at)
}

// await has node n look at time at.
func (f *Fabric) await(n topo.NodeID, w *node, at sim.Time) {
	if at < w.armed {
		w.armed = max(at, f.e.Now())
		f.e.At(w.armed, f.id, oneNode+uint64(n))
	}
}

// horizon is the end of the window that begins now: not past a change of the links
// nor a look at them.
func (f *Fabric) horizon(now, span sim.Time) sim.Time {
	for len(f.changes) > 0 && f.changes[0] <= now {
		f.changes = f.changes[1:]
	}
	end := now.Add(span)
	if len(f.changes) > 0 {
		end = min(end, f.changes[0])
	}
	if s := f.sampler; s != nil && s.next > now {
		end = min(end, s.next)
	}
	return end
}

// ahead handles what reaches node n in the window that begins now.
func (f *Fabric) ahead(n topo.NodeID, now sim.Time) {
	w := &f.nodes[n]
	if w.armed != now {
		return
	}
	w.armed = sim.Forever
	if f.q != nil {
		f.q.ahead(n, w, now)
		return
	}
	end, next := f.horizon(now, w.span), sim.Forever
	h := f.moments[:0]
	for _, id := range w.active {
		if at := f.ports[id].queue.first(); at < end {
			h = append(h, momentOf(at-now, arrival, uint32(id)))
		} else {
			next = min(next, at)
		}
	}
	h.build()
	for len(h) > 0 {
		m := h[0]
		id, at := topo.PortID(m.which()), now+m.after()
		p, then := f.ports[id].queue.pop()
		f.transmit(p, f.pick(p, n, at), at)
		if then > 0 && then < end {
			h.renew(momentOf(max(then, at)-now, arrival, uint32(id)))
			continue
		}
		if then > 0 {
			next = min(next, then)
		}
		h.drop()
	}
	f.moments = h
	some := w.active[:0]
	for _, id := range w.active {
		if f.ports[id].queue.n > 0 {
			some = append(some, id)
		}
	}
	w.active = some
	if next < sim.Forever {
		f.await(n, w, next)
	}
}
