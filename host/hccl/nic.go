package hccl

import (
	"slices"

	"hsim/host/topo"
)

// flight is a message that a rank has posted.
type flight struct {
	at      stamp
	to      int32
	raises  regKey // the notify
	size    int64
	left    int64
	started bool
	notify  bool
	arrived stamp
}

// nic is the sending side of one stream of a rank: messages of one peer follow one another,
// those of several peers take turns on the ports they share, one train each.
type nic struct {
	posted []flight // not yet sent
	ports  map[topo.PortID]*outlet
	order  []*outlet
	queues []sending
}

// outlet is a port and whose turn it is.
type outlet struct {
	free stamp
	ring []int // into nic.queues
}

// sending is what goes to one peer.
type sending struct {
	to    int32
	path  path
	queue []int // into nic.posted
	in    []*outlet
	ports []*outlet
}

func (y *player) send(t int32, f flight) { y.nics[t].posted = append(y.nics[t].posted, f) }

// flush carries the posted messages of a thread over its rank's ports and raises
// their notifies; it says whether there were any. It is called when the thread
// waits, so that all that was posted together shares the ports.
func (y *player) flush(t int32) bool {
	x := &y.nics[t]
	if len(x.posted) == 0 {
		return false
	}
	x.queues = x.queues[:0]
	next, now := 0, x.posted[0].at.t
	for {
		var o *outlet
		for _, p := range x.order {
			if len(p.ring) > 0 && (o == nil || max(p.free.t, now) < max(o.free.t, now)) {
				o = p
			}
		}
		switch {
		case next < len(x.posted) && (o == nil || x.posted[next].at.t <= max(o.free.t, now)):
			now = max(now, x.posted[next].at.t)
			if err := x.enqueue(y.m, t/y.streams, next); err != nil {
				y.err = err
				return false
			}
			next++
		case o != nil:
			now = max(now, o.free.t)
			x.turn(o)
		default:
			for i := range x.posted {
				if f := &x.posted[i]; f.notify {
					y.raise(f.raises, f.arrived)
				}
			}
			x.posted = x.posted[:0]
			return true
		}
	}
}

// enqueue puts a posted message behind those to the same peer.
func (x *nic) enqueue(m *Model, r int32, i int) error {
	f := &x.posted[i]
	k := slices.IndexFunc(x.queues, func(s sending) bool { return s.to == f.to })
	if k < 0 {
		p := m.path(r, f.to)
		if p.err != nil {
			return p.err
		}
		s := sending{to: f.to, path: p}
		for _, id := range p.ports {
			o := x.ports[id]
			if o == nil {
				o = &outlet{}
				x.ports[id] = o
			}
			if !has(x.order, o) {
				x.order = append(x.order, o)
			}
			s.ports = append(s.ports, o)
		}
		k = len(x.queues)
		x.queues = append(x.queues, s)
	}
	s := &x.queues[k]
	s.queue = append(s.queue, i)
	for _, o := range s.ports {
		if !has(s.in, o) {
			s.in = append(s.in, o)
			o.ring = append(o.ring, k)
		}
	}
	return nil
}

// turn lets the next peer of a free port send one train.
func (x *nic) turn(o *outlet) {
	k := o.ring[0]
	o.ring = o.ring[1:]
	s := &x.queues[k]
	s.in = slices.DeleteFunc(s.in, func(p *outlet) bool { return p == o })
	if len(s.queue) == 0 {
		return
	}
	f := &x.posted[s.queue[0]]
	w := &s.path.wire
	train := min(f.left, w.train(f.size, f.left, len(s.ports)))
	end := f.at
	end.later(&o.free)
	payload := rateTime(s.path.rate, train)
	end.add(PartPayload, payload)
	end.add(PartHeader, rateTime(s.path.rate, w.bytes(train, !f.started, train == f.left, f.notify))-payload)
	o.free = end
	end.add(PartLatency, s.path.latency)
	f.arrived.later(&end)
	f.started = true
	if f.left -= train; f.left == 0 {
		s.queue = s.queue[1:]
		if len(s.queue) > 0 { // a later notify comes after all earlier bytes
			x.posted[s.queue[0]].arrived.later(&f.arrived)
		}
	}
	if len(s.queue) > 0 {
		s.in = append(s.in, o)
		o.ring = append(o.ring, k)
	}
}
