package fabric

import (
	"hsim/host/sim"
	"hsim/host/topo"
)

// fate of a packet on a faulty link.
type fate uint8

const (
	whole fate = iota
	lost
	corrupted
)

// fate draws what becomes of one packet on port p.
func (f *Fabric) fate(p *port) fate {
	switch {
	case p.lossPPM > 0 && f.rand.Chance(int64(p.lossPPM)):
		return lost
	case p.corruptPPM > 0 && f.rand.Chance(int64(p.corruptPPM)):
		return corrupted
	}
	return whole
}

// survive applies a faulty link: a train is split where packets of it are lost or
// damaged, so that the receiver sees the true gaps. It says whether p, or what is
// left of it, goes on as it is.
func (f *Fabric) survive(p *Packet, id topo.PortID, now sim.Time) bool {
	q := &f.ports[id]
	if q.down {
		q.waste(p, now)
		f.lost(p)
		f.flying--
		return false
	}
	loss, corrupt := q.lossPPM, q.corruptPPM
	send := func(piece Packet) {
		q.lossPPM, q.corruptPPM = 0, 0 // its fate is known
		f.flying++
		f.transmit(&piece, id, now)
		q.lossPPM, q.corruptPPM = loss, corrupt
	}
	rest, good := *p, uint32(0)
	for good < rest.NPkts {
		what := f.fate(q)
		if what == whole {
			good++
			continue
		}
		if good > 0 {
			var front Packet
			front, rest = rest.split(good)
			send(front)
			good = 0
		}
		one := rest
		if rest.NPkts > 1 {
			one, rest = rest.split(1)
		} else {
			rest.NPkts = 0
		}
		if what == corrupted {
			one.Flags |= FlagCorrupt
			q.stat.Corrupt++
			send(one)
		} else {
			q.waste(&one, now)
			f.lost(&one)
		}
	}
	if rest.NPkts == p.NPkts {
		return true
	}
	if rest.NPkts > 0 {
		send(rest)
	}
	f.flying--
	return false
}

// waste spends the time on the wire of a packet that is lost.
func (q *port) waste(p *Packet, now sim.Time) {
	ser := q.serial(p.Wire)
	q.busy = max(q.busy, now) + ser
	q.start, q.one = q.busy-ser, ser
	q.stat.Busy += ser
	q.stat.Bytes += int64(p.Wire)
	q.stat.Packets += int64(p.NPkts)
	q.stat.Drops += int64(p.NPkts)
}

// damage is survive for ports that queue.
func (q *queued) damage(id topo.PortID, w *qport, it *item, t span, slips bool) {
	p := &q.f.ports[id]
	if it.Kind == kindFrame { // links repair what returns credit by themselves
		q.fly(id, w, it, t, slips)
		return
	}
	if p.down {
		q.lose(id, w, it, t)
		return
	}
	good := uint32(0)
	part := func(n uint32, what fate) {
		piece, s := it, t
		if n < it.NPkts {
			piece = q.cut(it, n)
			s.end = t.start + t.one*sim.Time(n)
		}
		switch what {
		case lost:
			q.lose(id, w, piece, s)
		case corrupted:
			piece.Flags |= FlagCorrupt
			w.stat.Corrupt++
			fallthrough
		default:
			q.fly(id, w, piece, s, slips)
		}
		t.start = s.end
	}
	for left := it.NPkts; left > 0; left-- {
		what := q.f.fate(p)
		if what == whole {
			good++
			continue
		}
		if good > 0 {
			part(good, whole)
			good = 0
		}
		part(1, what)
	}
	if good > 0 {
		part(good, whole)
	}
}

// lose ends a packet on the link of port id. Its credit comes back as if it had
// been taken at the other end.
func (q *queued) lose(id topo.PortID, w *qport, it *item, t span) {
	w.stat.Drops += int64(it.NPkts)
	q.f.lost(&it.Packet)
	q.f.flying--
	q.taken(id, w, it, t)
	q.put(it)
}
