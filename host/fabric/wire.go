package fabric

import (
	"hsim/host/sim"
	"hsim/host/topo"
)

// start puts a packet that has left its lane on the wire of port id.
func (q *queued) start(id topo.PortID, w *qport, it *item, now sim.Time) {
	ser := w.serial(it.Wire)
	one := ser
	if it.NPkts > 1 {
		one = ser / sim.Time(it.NPkts)
	}
	end := max(now+ser, it.lag)
	w.busy, w.one, w.serves = now+ser, one, it.Lane // see Fabric.transmit
	if w.stopped {
		w.stat.Blocked += now - w.since
		w.stopped = false
	}
	q.launch(id, w, it, span{now, end, one, ser}, false)
}

// span is the transmission of a packet or train.
type span struct {
	start, end sim.Time
	one        sim.Time // of one packet
	ser        sim.Time // all of it, if its bytes are there in time
}

// launch sends a packet over the link of port id, and lets go of what it held at
// this node. A packet that slips does not queue on the link.
func (q *queued) launch(id topo.PortID, w *qport, it *item, t span, slips bool) {
	s := &w.sent
	s.bytes += int64(it.Wire)
	s.packets += int64(it.NPkts)
	s.busy += t.ser
	s.queue = max(s.queue, t.start-it.at)
	q.f.hops += uint64(it.NPkts)
	if it.in >= 0 {
		q.release(it, t)
	}
	if q.special || q.f.faulty {
		if q.launchSpecial(id, w, it, t, slips) {
			return
		}
	}
	q.fly(id, w, it, t, slips)
}

// launchSpecial is what launch does for features that are seldom on. It says
// whether the packet has met its fate.
func (q *queued) launchSpecial(id topo.PortID, w *qport, it *item, t span, slips bool) bool {
	f := q.f
	if f.rec != nil && it.Kind == kindData {
		f.draw(id, &it.Packet, t.start, t.start+t.ser)
	}
	if q.c.Mark.Kmax > 0 && f.g.Nodes[f.g.Ports[id].Node].Forwards {
		q.mark(id, it, &w.stat)
	}
	if q.c.Credits.DataGrain > 0 && it.cells > 0 {
		q.carry(id, t.start)
	}
	if p := &f.ports[id]; p.down || p.lossPPM > 0 || p.corruptPPM > 0 {
		q.damage(id, w, it, t, slips)
		return true
	}
	return false
}

// release frees the buffer and returns the credit that a packet held at the node
// it leaves. The buffer is free when its transmission starts, as a switch counts;
// the cells are free when its last bit has left.
func (q *queued) release(it *item, t span) {
	if q.bounded {
		q.vacate(it, t.start)
	}
	if q.cell > 0 {
		q.giveBack(it.in, it.Lane, it.cells, it.NPkts, t.freed(it), t.one)
	}
}

// freed is when the room of the first packet of a train is free.
func (t *span) freed(it *item) sim.Time {
	if it.NPkts == 1 {
		return t.end
	}
	return t.start + t.one
}

// taken returns the credit of a packet that ends with the link of port id: a
// device takes every packet off the link at once, and one that is lost holds no
// buffer.
func (q *queued) taken(id topo.PortID, w *qport, it *item, t span) {
	if q.cell > 0 && it.cells > 0 {
		q.giveBack(id, it.Lane, it.cells, it.NPkts, t.freed(it)+w.wire, t.one)
	}
}

// fly puts a packet on the link of port id.
func (q *queued) fly(id topo.PortID, w *qport, it *item, t span, slips bool) {
	at := t.start + w.latency
	it.lag = t.end - t.start
	switch {
	case w.ends == endAll || w.ends == endSome && it.Dst == w.peer:
		at, it.lag = t.end+w.latency, 0
		slips = slips || t.end > t.start+t.ser
		q.taken(id, w, it, t)
	case w.store:
		at += t.one
		it.lag -= t.one
	}
	if q.f.faulty && w.flight.n > 0 && !slips { // the latency may have been cut
		at = max(at, timeOf(*w.flight.last(), at))
	}
	if slips && !w.calls || at-q.e.Now() >= farAway || it.self > maxWord {
		it.in = id
		q.e.At(at, q.id, evSlip|uint64(it.self))
		return
	}
	if slips && w.calls {
		insert(&w.flight, pack(at, it.self))
	} else {
		w.flight.put(pack(at, it.self))
	}
	q.lands(id, w, at, slips)
}

// slips says whether a packet may pass between two packets of the train in
// service instead of waiting for its end.
func (q *queued) slips(w *qport, it *item) bool {
	return it.NPkts == 1 && (it.small() || q.strict>>it.Lane&1 != 0 && it.Lane < w.serves)
}

// slip sends a packet after the packet of the train that is on the wire. The
// rest of the train takes as much longer.
func (q *queued) slip(id topo.PortID, w *qport, it *item, now sim.Time) {
	start := now
	if w.one > 0 {
		start = max(now+(w.busy-now)%w.one, w.slipped)
	}
	ser := w.serial(it.Wire)
	w.slipped = start + ser
	q.launch(id, w, it, span{start, max(start+ser, it.lag), ser, ser}, true)
	w.busy += ser
}

// cut makes a packet of its own of the first n packets of a train and leaves the
// rest in it.
func (q *queued) cut(it *item, n uint32) *item {
	front := q.get()
	self, all := front.self, it.NPkts
	q.f.flying++
	*front = *it
	front.self = self
	front.Packet, it.Packet = it.split(n)
	front.cells = it.cells / int32(all) * int32(n)
	it.cells -= front.cells
	front.held = int32(int64(it.held) * int64(n) / int64(all))
	it.held -= front.held
	return front
}
