package fabric

import (
	"hsim/host/sim"
	"hsim/host/topo"
)

// frame makes the packet that returns cells of a lane to the sender of link id, to
// be sent in the other direction at time at.
func (q *queued) frame(id topo.PortID, n8 uint8, cells int32, at sim.Time) {
	it := q.get()
	it.in, it.held, it.cells = topo.None, 0, 0
	it.Packet = Packet{Dst: q.f.g.Ports[id].Node, Wire: uint32(q.c.Credits.Frame), NPkts: 1, Kind: kindFrame,
		WR: uint32(id), MSN: uint32(n8), Payload: uint32(cells)}
	n := q.ports[id].peer
	node := &q.f.nodes[n]
	if node.span == 0 {
		q.e.At(at, q.id, evFrame|uint64(it.self))
		return
	}
	node.frames = append(node.frames, sendable{at, it.self})
	switch {
	case n != q.turn.node:
		q.f.await(n, node, at)
	case at < q.turn.end:
		q.f.moments.add(momentOf(at-q.turn.from, sending, uint32(len(node.frames)-1)))
	default:
		q.turn.next = min(q.turn.next, at)
	}
}

// sendFrame puts a frame on the wire at the receiver's end of the link it speaks of,
// after the packet in service and before all that wait.
func (q *queued) sendFrame(i uint32, now sim.Time) {
	it := q.at(i)
	it.at, it.lag = now, now
	id := q.f.g.Peer(topo.PortID(it.WR))
	w := &q.ports[id]
	if q.c.Allocation > 0 {
		q.settle(id, w, now)
	} else if w.waiting != 0 {
		q.catch(id, w, now-1)
	}
	// It waits for no lane: the data before it may be what waits for a frame from the
	// other end, which waits behind data for this one.
	if w.busy > now {
		q.slip(id, w, it, now)
		return
	}
	q.start(id, w, it, now)
	w.alloc.sends = q.c.Allocation > 0
	q.plan(id, w, now)
}

// hearFrame books what a frame returns at the sender of the link.
func (q *queued) hearFrame(it *item, now sim.Time) {
	q.tell(topo.PortID(it.WR), signal{at: now, cells: int32(it.Payload), lane: uint8(it.MSN)})
	q.put(it)
}
