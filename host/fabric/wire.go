package fabric

import (
	"hsim/host/sim"
	"hsim/host/topo"
)

// start puts a packet that has left its lane on the wire of port id.
func (q *queued) start(id topo.PortID, w *qport, x *ticket, now sim.Time) {
	ser := w.serial(x.wire)
	one := ser
	if x.npkts > 1 {
		one = ser / sim.Time(x.npkts)
	}
	end := max(now+ser, x.tail)
	w.busy, w.one, w.serves = end, one, x.lane
	if w.stopped {
		w.stat.Blocked += now - w.since
		w.stopped = false
	}
	q.launch(id, w, x, span{now, end, one, ser}, false)
}

// span is the transmission of a packet or train.
type span struct {
	start, end sim.Time
	one        sim.Time // of one packet
	ser        sim.Time // all of it, if its bytes are there in time
}

// launch sends a packet over the link of port id, and lets go of what it held at
// this node. A packet that slips does not queue on the link.
func (q *queued) launch(id topo.PortID, w *qport, x *ticket, t span, slips bool) {
	s := &w.stat
	s.Bytes += int64(x.wire)
	s.Packets += int64(x.npkts)
	s.Busy += t.ser
	s.Queue = max(s.Queue, t.start-x.came)
	q.f.hops += uint64(x.npkts)
	if x.in >= 0 {
		q.release(x, t)
	}
	if q.special || q.f.faulty {
		if q.launchSpecial(id, w, x, t, slips) {
			return
		}
	}
	q.fly(id, w, x, t, slips)
}

// launchSpecial is what launch does for features that are seldom on. It says
// whether the packet has met its fate.
func (q *queued) launchSpecial(id topo.PortID, w *qport, x *ticket, t span, slips bool) bool {
	f := q.f
	if f.rec != nil && q.at(x.item).Kind == kindData {
		f.rec.Span(f.tracks[id], "data", t.start, t.start+t.ser)
	}
	if q.c.Mark.Kmax > 0 && f.g.Nodes[f.g.Ports[id].Node].Forwards {
		q.mark(id, q.at(x.item), &w.stat)
	}
	if q.c.Credits.DataGrain > 0 && x.cells > 0 {
		q.carry(id, t.start)
	}
	if p := &f.ports[id]; p.down || p.lossPPM > 0 || p.corruptPPM > 0 {
		q.damage(id, w, x, t, slips)
		return true
	}
	return false
}

// release frees the buffer and returns the credit that a packet held at the node
// it leaves. The buffer is free when its transmission starts, as a switch counts;
// the cells are free when its last bit has left.
func (q *queued) release(x *ticket, t span) {
	if q.bounded {
		q.free(x.in, x.lane, q.at(x.item), t.start)
	}
	if q.cell > 0 {
		q.giveBack(x.in, x.lane, x.cells, x.npkts, t.freed(x), t.one)
	}
}

// freed is when the room of the first packet of a train is free.
func (t *span) freed(x *ticket) sim.Time {
	if x.npkts == 1 {
		return t.end
	}
	return t.start + t.one
}

// taken returns the credit of a packet that ends with the link of port id: a
// device takes every packet off the link at once, and one that is lost holds no
// buffer.
func (q *queued) taken(id topo.PortID, w *qport, x *ticket, t span) {
	if q.cell > 0 && x.cells > 0 {
		q.giveBack(id, x.lane, x.cells, x.npkts, t.freed(x)+w.wire, t.one)
	}
}

// fly puts a packet on the link of port id.
func (q *queued) fly(id topo.PortID, w *qport, x *ticket, t span, slips bool) {
	a := arrival{at: t.start + w.latency, lag: t.end - t.start, item: x.item}
	switch {
	case w.ends == endAll || w.ends == endSome && q.at(x.item).Dst == w.peer:
		a.at, a.lag = t.end+w.latency, 0
		q.taken(id, w, x, t)
	case w.store:
		a.at += t.one
		a.lag -= t.one
	}
	if slips {
		it := q.at(x.item)
		it.next, it.lag = uint32(id), a.lag
		q.e.At(a.at, q.id, evSlip|uint64(x.item))
		return
	}
	if q.f.faulty && w.flight.n > 0 { // the latency may have been cut
		a.at = max(a.at, w.flight.last().at)
	}
	w.flight.put(a)
}

// slips says whether a packet may pass between two packets of the train in
// service instead of waiting for its end.
func (q *queued) slips(w *qport, x *ticket) bool {
	return x.npkts == 1 && (q.at(x.item).small() || q.strict>>x.lane&1 != 0 && x.lane < w.serves)
}

// slip sends a packet after the packet of the train that is on the wire. The
// rest of the train takes as much longer.
func (q *queued) slip(id topo.PortID, w *qport, x *ticket, now sim.Time) {
	start := now
	if w.one > 0 {
		start = max(now+(w.busy-now)%w.one, w.slipped)
	}
	ser := w.serial(x.wire)
	w.slipped = start + ser
	q.launch(id, w, x, span{start, max(start+ser, x.tail), ser, ser}, true)
	w.busy += ser
}

// cut makes a packet of its own of the first n packets of train x and leaves the
// rest in x.
func (q *queued) cut(x *ticket, n uint32) ticket {
	i, it := q.get()
	rest := q.at(x.item)
	q.f.flying++
	*it = *rest
	it.Packet, rest.Packet = rest.split(n)
	it.held = int32(int64(rest.held) * int64(n) / int64(x.npkts))
	rest.held -= it.held
	it.cells = x.cells / int32(x.npkts) * int32(n)
	rest.cells = x.cells - it.cells
	front := *x
	front.item, front.wire, front.npkts, front.cells = i, it.Wire, n, it.cells
	x.wire, x.npkts, x.cells = rest.Wire, rest.NPkts, rest.cells
	return front
}
