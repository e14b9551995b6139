package fabric

import (
	"fmt"
	"slices"

	"hsim/host/sim"
	"hsim/host/topo"
	"hsim/host/units"
)

// FaultKind is what is wrong with a link.
type FaultKind uint8

// The kinds of fault.
const (
	FaultDown    FaultKind = iota // everything sent is lost
	FaultRate                     // runs at Fault.Rate
	FaultLatency                  // takes Fault.Latency longer
	FaultLoss                     // loses Fault.PPM packets in a million
	FaultCorrupt                  // damages Fault.PPM packets in a million
)

var faultNames = [...]string{"down", "rate", "latency", "loss", "corrupt"}

// String is the kind's name in sim.toml.
func (k FaultKind) String() string { return faultNames[min(int(k), len(faultNames)-1)] }

// Fault is something wrong with the link of a port, in the direction away from
// it, from a time on.
type Fault struct {
	At, For sim.Time // For 0 = for good
	Port    topo.PortID
	Both    bool // also in the other direction
	Kind    FaultKind
	Rate    units.Rate
	Latency sim.Time
	PPM     int32
}

// CheckFaults refuses faults that cannot be, named by their place in the list.
func CheckFaults(fs []Fault, g *topo.Graph) error {
	for i, x := range fs {
		bad := func(what string, got any, want string) error {
			return fmt.Errorf("fabric: fault %d: %s: got %v, want %s", i, what, got, want)
		}
		switch {
		case x.Port < 0 || int(x.Port) >= len(g.Ports):
			return bad("port", x.Port, fmt.Sprintf("one of %d", len(g.Ports)))
		case x.At < 0 || x.For < 0:
			return bad("time", min(x.At, x.For), "0 or later")
		case x.Kind == FaultRate && (x.Rate <= 0 || x.Rate > units.MaxRate):
			return bad("rate", x.Rate, "more than 0 (try down)")
		case x.Kind == FaultLatency && x.Latency < 0:
			return bad("latency", x.Latency, "0 or more")
		case (x.Kind == FaultLoss || x.Kind == FaultCorrupt) && (x.PPM < 0 || x.PPM > 1_000_000):
			return bad("rate per million", x.PPM, "0 to 1000000")
		case int(x.Kind) >= len(faultNames):
			return bad("kind", x.Kind, "down, rate, latency, loss or corrupt")
		}
	}
	return nil
}

// faults runs the schedule of a fabric's faults. Its events are weak: a fault to
// come does not keep a run going.
type faults struct {
	f    *Fabric
	list []Fault
	on   []bool
}

func (f *Fabric) schedule(list []Fault) {
	if len(list) == 0 {
		return
	}
	f.faults = &faults{f: f, list: list, on: make([]bool, len(list))}
	id := f.e.Register(f.faults)
	for _, x := range list {
		f.changes = append(f.changes, x.At, x.At.Add(x.For))
	}
	slices.Sort(f.changes)
	for i, x := range list {
		f.e.Weak(x.At, id, uint64(i)<<1|1)
		if x.For > 0 {
			f.e.Weak(x.At.Add(x.For), id, uint64(i)<<1)
		}
	}
}

// Handle begins or ends a fault.
func (s *faults) Handle(_ sim.Time, arg uint64) {
	i := arg >> 1
	s.on[i] = arg&1 != 0
	s.apply(s.list[i].Port)
	if s.list[i].Both {
		s.apply(s.f.g.Peer(s.list[i].Port))
	}
}

// apply sets the link of a port to what the faults that are on make of it.
func (s *faults) apply(id topo.PortID) {
	l := s.f.g.LinkOf(id)
	rate, extra, loss, corrupt, down := l.Rate, sim.Time(0), int32(0), int32(0), false
	for i, x := range s.list {
		if !s.on[i] || x.Port != id && !(x.Both && s.f.g.Peer(x.Port) == id) {
			continue
		}
		switch x.Kind {
		case FaultDown:
			down = true
		case FaultRate:
			if rate == 0 || x.Rate < rate {
				rate = x.Rate
			}
		case FaultLatency:
			extra += x.Latency
		case FaultLoss:
			loss = max(loss, x.PPM)
		case FaultCorrupt:
			corrupt = max(corrupt, x.PPM)
		}
	}
	s.f.SetDown(id, down)
	s.f.SetRate(id, rate)
	s.f.SetLatency(id, l.Latency+extra)
	s.f.SetLoss(id, loss)
	s.f.SetCorrupt(id, corrupt)
}

// SetLoss makes the link of port id lose ppm packets in a million in the
// direction away from it.
func (f *Fabric) SetLoss(id topo.PortID, ppm int32) {
	f.update(id)
	f.ports[id].lossPPM = ppm
	f.faulty = true
}

// SetCorrupt makes the link of port id damage ppm packets in a million in the
// direction away from it; they arrive with FlagCorrupt.
func (f *Fabric) SetCorrupt(id topo.PortID, ppm int32) {
	f.update(id)
	f.ports[id].corruptPPM = ppm
	f.faulty = true
}

// SetDown takes the direction away from port id down or up: what is sent on a
// port that is down is lost.
func (f *Fabric) SetDown(id topo.PortID, down bool) {
	f.update(id)
	f.ports[id].down = down
	f.faulty = true
}

// SetRate sets the rate of port id for the packets that start from now on.
func (f *Fabric) SetRate(id topo.PortID, r units.Rate) {
	f.update(id)
	p := &f.ports[id]
	f.rated = f.rated || r != p.rate
	p.setRate(r)
	if f.q != nil {
		f.q.ports[id].setRate(p.rate, p.perByte)
	}
}

// SetLatency sets the latency of the link of port id for the packets that start
// from now on; they do not overtake those under way.
func (f *Fabric) SetLatency(id topo.PortID, d sim.Time) {
	f.update(id)
	p := &f.ports[id]
	f.faulty = true
	p.setLatency(f.g, d)
	if f.q != nil {
		f.q.ports[id].latency, f.q.ports[id].wire = p.latency, d
	}
	f.setSpan(p.peer)
	f.setSpan(f.g.Ports[id].Node)
	if f.q != nil {
		f.q.setSlack()
	}
}

// update makes the choices of port id that were due before now, which what is
// about to change must not touch.
func (f *Fabric) update(id topo.PortID) {
	if f.q != nil && f.q.c.Allocation == 0 && f.q.ports[id].waiting != 0 {
		f.q.catch(id, &f.q.ports[id], f.e.Now()-1)
	}
}
