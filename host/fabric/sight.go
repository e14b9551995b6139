package fabric

import (
	"cmp"
	"slices"

	"hsim/host/sim"
	"hsim/host/topo"
)

// Load is what one port carried, in a table of all ports.
type Load struct {
	Port, Peer   string
	ID           topo.PortID
	Rate         int64 // bits/s
	Stat         Stat
	Utilised     int64 // parts in a million of the time until now that the wire was taken
	FromDevice   bool
	ToDevice     bool
	WaitingBytes int64 // now
}

// Loads lists the ports that sent anything, the most utilised first, of those the
// busiest, counting what is decided to follow, and then the one with the longer
// queue. The first is the bottleneck.
func (f *Fabric) Loads() []Load {
	var all []Load
	now := f.e.Now()
	for i := range f.ports {
		id := topo.PortID(i)
		s := f.Stat(id)
		if s.Packets == 0 && s.Drops == 0 {
			continue
		}
		l := Load{Port: f.g.PortName(id), Peer: f.g.PortName(f.g.Peer(id)), ID: id, Rate: int64(f.ports[id].rate), Stat: s,
			FromDevice: f.g.Nodes[f.g.Ports[id].Node].Kind == topo.Device, ToDevice: f.g.Nodes[f.ports[id].peer].Kind == topo.Device,
			WaitingBytes: f.Depth(id)}
		if now > 0 {
			l.Utilised = permillion(f.taken(id, now), now)
		}
		all = append(all, l)
	}
	slices.SortStableFunc(all, func(a, b Load) int {
		return cmp.Or(cmp.Compare(b.Utilised, a.Utilised), cmp.Compare(b.Stat.Busy, a.Stat.Busy), cmp.Compare(b.Stat.Queue, a.Stat.Queue))
	})
	return all
}

// Busy is how long the wire of port id was taken until now.
func (f *Fabric) Busy(id topo.PortID) sim.Time { return f.taken(id, f.e.Now()) }

// taken is how long the wire of port id was taken until now; the time of what is
// on it, or decided to follow, was counted ahead.
func (f *Fabric) taken(id topo.PortID, now sim.Time) sim.Time {
	return max(f.Stat(id).Busy-max(f.FreeAt(id)-now, 0), 0)
}

// permillion is a/b in parts in a million, for 0 <= a and 0 < b.
func permillion(a, b sim.Time) int64 {
	for b > 1<<40 { // keeps the product in 63 bits
		a, b = a>>1, b>>1
	}
	return int64(a) * 1_000_000 / int64(b)
}

// Sample is what one port did in one period.
type Sample struct {
	Port     topo.PortID
	From, At sim.Time // the period
	Utilised int64    // parts in a million of the period that the wire was taken
	Depth    int64    // bytes that wait at its end
	Drops    int64    // since the beginning
}

// sampler records the ports that carry something at regular times. It rests while
// the fabric does, so that it neither keeps a run going nor hides that nothing
// moves any more.
type sampler struct {
	f      *Fabric
	id     sim.ID
	period sim.Time
	at     sim.Time // of the last sample
	last   []sample
	next   sim.Time // when the next sample is taken
	rests  bool
	idle   int // samples without a change
	tell   func(Sample)
}

type sample struct {
	busy  sim.Time
	depth int64
	used  int64 // as last recorded
	drops int64
}

func newSampler(f *Fabric, period sim.Time, tell func(Sample)) *sampler {
	s := &sampler{f: f, period: period, tell: tell, last: make([]sample, len(f.ports)), rests: true}
	s.id = f.e.Register(s)
	return s
}

// wake has the sampler look again; called when a packet is sent.
func (s *sampler) wake(now sim.Time) {
	s.rests = false
	s.at = max(s.at, now-now%s.period)
	s.next = s.at + s.period
	s.f.e.Weak(s.next, s.id, 0)
}

// Handle takes one sample.
func (s *sampler) Handle(now sim.Time, _ uint64) {
	f, moved := s.f, false
	for i := range f.ports {
		id, p := topo.PortID(i), &s.last[i]
		st := f.Stat(id)
		busy, depth := f.taken(id, now), f.Depth(id)
		used := permillion(busy-p.busy, now-s.at)
		moved = moved || used != 0 || depth != p.depth || st.Drops != p.drops
		if used == p.used && depth == p.depth && st.Drops == p.drops {
			p.busy = busy
			continue
		}
		if f.rec.On() {
			s.count(id, p, now, used, depth, st.Drops)
		}
		if s.tell != nil {
			s.tell(Sample{id, s.at, now, used, depth, st.Drops})
		}
		*p = sample{busy: busy, depth: depth, used: used, drops: st.Drops}
	}
	s.at = now
	// Packets on long links come back to life, those that are stuck do not: look
	// less and less often, and then no more.
	if s.idle++; moved {
		s.idle = 0
	}
	if s.rests = s.idle > 0 && f.flying == 0 || s.idle > 20; s.rests {
		s.idle = 0
		return
	}
	s.next = now.Add(s.period << s.idle)
	f.e.Weak(s.next, s.id, 0)
}

// count records what has changed.
func (s *sampler) count(id topo.PortID, p *sample, now sim.Time, used, depth, drops int64) {
	rec, track := s.f.rec, s.f.tracks[id]
	if used != p.used {
		rec.Count(track, "utilisation", s.at, used)
	}
	if depth != p.depth {
		rec.Count(track, "queue", now, depth)
	}
	if drops != p.drops {
		rec.Count(track, "drops", now, drops)
	}
}
