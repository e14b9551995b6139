package fabric

import (
	"hsim/host/sim"
	"hsim/host/topo"
)

// start puts packet i, which has left its lane, on the wire of port id.
func (q *queued) start(id topo.PortID, w *qport, i uint32, it *item, now sim.Time) {
	ser := w.serial(it.Wire)
	one := ser
	if it.NPkts > 1 {
		one = ser / sim.Time(it.NPkts)
	}
	end := max(now+ser, it.lag)
	w.busy, w.one, w.serves = end, one, it.Lane
	if w.stopped {
		w.stat.Blocked += now - w.since
		w.stopped = false
	}
	q.launch(id, w, i, it, now, end, one, false)
}

// launch sends packet i over the link of port id from start to end, and lets go
// of what it held at this node. A packet that slips does not queue on the link.
func (q *queued) launch(id topo.PortID, w *qport, i uint32, it *item, start, end, one sim.Time, slips bool) {
	f := q.f
	s := &w.stat
	s.Bytes += int64(it.Wire)
	s.Packets += int64(it.NPkts)
	s.Busy += w.serial(it.Wire)
	s.Queue = max(s.Queue, start-it.at)
	f.hops += uint64(it.NPkts)
	if f.rec != nil && it.Kind == 0 {
		f.rec.Span(f.tracks[id], "data", start, start+w.serial(it.Wire))
	}
	if q.c.Mark.Kmax > 0 && q.f.g.Nodes[f.g.Ports[id].Node].Forwards {
		q.mark(id, it, s)
	}
	if it.in >= 0 {
		q.release(it, start, end, one)
	}
	if q.c.Credits.DataGrain > 0 {
		q.carry(id, start)
	}
	if f.faulty {
		if p := &f.ports[id]; p.down || p.lossPPM > 0 || p.corruptPPM > 0 {
			q.damage(id, w, i, it, start, end, one, slips)
			return
		}
	}
	q.fly(id, w, i, it, start, end, one, slips)
}

// release frees the buffer and returns the credit that a packet held at the node
// it leaves. The buffer is free when its transmission starts, as a switch counts;
// the cells are free when its last bit has left.
func (q *queued) release(it *item, start, end, one sim.Time) {
	if q.bounded {
		q.free(it, start)
	}
	if q.cell > 0 {
		at := start + one
		if it.NPkts == 1 {
			at = end
		}
		q.giveBack(it.in, it.Lane, it.cells, it.NPkts, at, one)
	}
}

// fly puts a packet on the link of port id.
func (q *queued) fly(id topo.PortID, w *qport, i uint32, it *item, start, end, one sim.Time, slips bool) {
	it.at = start + w.latency
	switch {
	case w.peer == it.Dst:
		it.at = end + w.latency
		q.taken(id, w, it, start, end, one)
	case w.store:
		it.at += one
		it.lag = end - start - one
	default:
		it.lag = end - start
	}
	if slips {
		it.next = uint32(id)
		q.e.At(it.at, q.id, evSlip|uint64(i))
		return
	}
	if q.f.faulty && w.flight.n > 0 { // the latency may have been cut
		it.at = max(it.at, w.flight.last().at)
	}
	w.flight.put(arrival{it.at, i})
}

// slips says whether a packet may pass between two packets of the train in
// service instead of waiting for its end.
func (q *queued) slips(w *qport, it *item) bool {
	return it.NPkts == 1 && (it.small() || q.strict>>it.Lane&1 != 0 && it.Lane < w.serves)
}

// slip sends a packet after the packet of the train that is on the wire. The
// rest of the train takes as much longer.
func (q *queued) slip(id topo.PortID, w *qport, i uint32, it *item, now sim.Time) {
	start := now
	if w.one > 0 {
		start = max(now+(w.busy-now)%w.one, w.slipped)
	}
	ser := w.serial(it.Wire)
	w.slipped = start + ser
	q.launch(id, w, i, it, start, max(start+ser, it.lag), ser, true)
	w.busy += ser
}

// taken returns the credit of a packet that ends with the link of port id: a
// device takes every packet off the link at once, and one that is lost holds no
// buffer.
func (q *queued) taken(id topo.PortID, w *qport, it *item, start, end, one sim.Time) {
	if q.cell == 0 {
		return
	}
	at := start + one
	if it.NPkts == 1 {
		at = end
	}
	q.giveBack(id, it.Lane, it.cells, it.NPkts, at+w.wire, one)
}

// cut makes an item of the first n packets of a train and leaves the rest in it.
func (q *queued) cut(it *item, n uint32) (uint32, *item) {
	i, front := q.get()
	q.f.flying++
	*front = *it
	all := it.NPkts
	front.Packet, it.Packet = it.split(n)
	front.cells = it.cells / int32(all) * int32(n)
	it.cells -= front.cells
	front.held = int32(int64(it.held) * int64(n) / int64(all))
	it.held -= front.held
	return i, front
}
