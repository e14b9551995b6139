package fabric

import (
	"fmt"

	"hsim/host/record"
	"hsim/host/sim"
	"hsim/host/topo"
	"hsim/host/units"
)

// Receiver is the network side of a node: the fabric hands it every packet
// addressed to the node when its last bit has arrived.
type Receiver interface {
	// Receive takes packet p, which arrived over local port in. The packet is
	// freed when Receive returns.
	Receive(p *Packet, in topo.PortID)
}

// Config is what a fabric is made of. Record may be nil.
type Config struct {
	Engine *sim.Engine
	Graph  *topo.Graph
	Seed   uint64
	Record *record.Recorder
}

// Fabric is the network of one simulation.
type Fabric struct {
	e      *sim.Engine
	id     sim.ID
	g      *topo.Graph
	routes []*topo.Routes
	ports  []port
	slab   slab
	recv   []Receiver
	seeds  []uint32 // per node
	spray  []uint32 // per node: next port of a sprayed packet
	rand   *sim.Rand
	faulty bool
	hops   uint64
	rec    *record.Recorder
	tracks []record.TrackID
}

// New builds the fabric of a graph.
func New(c Config) *Fabric {
	f := &Fabric{e: c.Engine, g: c.Graph, rec: c.Record,
		ports: make([]port, len(c.Graph.Ports)), recv: make([]Receiver, len(c.Graph.Nodes)),
		seeds: make([]uint32, len(c.Graph.Nodes)), spray: make([]uint32, len(c.Graph.Nodes)),
		rand: c.Engine.Rand("fabric")}
	f.id = c.Engine.Register(f)
	for i := range f.ports {
		f.ports[i] = newPort(c.Graph, topo.PortID(i))
	}
	r := c.Engine.Rand("ecmp")
	for i := range f.seeds {
		f.seeds[i] = uint32(r.Uint64())
	}
	if c.Record != nil {
		f.tracks = make([]record.TrackID, len(f.ports))
		for i := range f.tracks {
			n := &c.Graph.Nodes[c.Graph.Ports[i].Node]
			f.tracks[i] = c.Record.Track(n.Name, "port "+c.Graph.Ports[i].Name())
		}
	}
	return f
}

// AddRoutes adds a set of routes, such as those over the links of one protocol,
// and returns the number packets name it by.
func (f *Fabric) AddRoutes(r *topo.Routes) uint8 {
	f.routes = append(f.routes, r)
	return uint8(len(f.routes) - 1)
}

// SetReceiver says who takes the packets of node n.
func (f *Fabric) SetReceiver(n topo.NodeID, r Receiver) { f.recv[n] = r }

// New returns a packet to be filled and sent.
func (f *Fabric) New() (Ref, *Packet) { return f.slab.get() }

// Free gives back a packet that will not be sent.
func (f *Fabric) Free(r Ref) { f.slab.put(r) }

// InFlight is the number of packets and trains under way.
func (f *Fabric) InFlight() int { return f.slab.used }

// Hops is the number of link crossings of packets so far; a train counts each
// of its packets.
func (f *Fabric) Hops() uint64 { return f.hops }

// FreeAt is when the wire of port id is free.
func (f *Fabric) FreeAt(id topo.PortID) sim.Time { return f.ports[id].busy }

// Rate is the rate of port id.
func (f *Fabric) Rate(id topo.PortID) units.Rate { return f.ports[id].rate }

// Stat is what port id sent so far.
func (f *Fabric) Stat(id topo.PortID) Stat { return f.ports[id].stat }

// SetLoss makes the link of port id lose ppm packets in a million in the
// direction away from it.
func (f *Fabric) SetLoss(id topo.PortID, ppm int32) {
	f.ports[id].lossPPM = ppm
	f.faulty = true
}

// SetDown takes the direction away from port id down or up: what is sent on a
// port that is down is lost.
func (f *Fabric) SetDown(id topo.PortID, down bool) {
	f.ports[id].down = down
	f.faulty = true
}

// Send puts packet r on the wire of local port id at the current time, behind
// what is queued there.
func (f *Fabric) Send(r Ref, id topo.PortID) { f.transmit(r, f.slab.at(r), id, 0, f.e.Now()) }

// Handle moves a packet on: its head has reached a switch, or its tail its
// destination.
func (f *Fabric) Handle(now sim.Time, arg uint64) {
	r := Ref(arg)
	p := f.slab.at(r)
	in := f.g.Peer(p.port)
	node := f.ports[p.port].peer
	if node == p.Dst {
		f.recv[node].Receive(p, in)
		f.slab.put(r)
		return
	}
	out := f.routes[p.Net].Ports(node, p.Dst)
	switch len(out) {
	case 0:
		panic(fmt.Sprintf("fabric: no route from %s to %s", f.g.Nodes[node].Name, f.g.Nodes[p.Dst].Name))
	case 1:
		f.transmit(r, p, out[0], p.lag, now)
	default:
		var pick uint32
		if p.Flags&FlagSpray != 0 {
			pick = f.spray[node] % uint32(len(out))
			f.spray[node]++
		} else {
			pick = mix(p.Entropy, f.seeds[node]) % uint32(len(out))
		}
		f.transmit(r, p, out[pick], p.lag, now)
	}
}

// transmit queues p on port id. Its head is here now, its tail lag later; with
// cut-through the head leaves as soon as the wire is free.
func (f *Fabric) transmit(r Ref, p *Packet, id topo.PortID, lag, now sim.Time) {
	q := &f.ports[id]
	if f.faulty && (q.down || q.lossPPM > 0) && !f.survive(r, p, id, lag, now) {
		return
	}
	p.port = id
	ser := q.serial(p.Wire)
	one := ser
	if p.NPkts > 1 {
		one = ser / sim.Time(p.NPkts)
	}
	start, end := now, sim.Time(0)
	if q.busy > now {
		if p.Kind != 0 && q.start <= now && q.one > 0 {
			// A small packet slips in between two packets of the train in
			// service instead of behind all of it.
			if start = now + (q.busy-now)%q.one; start > q.busy {
				start = q.busy
			}
			end = max(start+ser, now+lag)
			q.busy += ser
		} else {
			start = q.busy
			end = max(start+ser, now+lag)
			q.busy, q.start, q.one = end, start, one
		}
		q.stat.Queue = max(q.stat.Queue, start-now)
	} else {
		end = max(start+ser, now+lag)
		q.busy, q.start, q.one = end, start, one
	}
	q.stat.Bytes += int64(p.Wire)
	q.stat.Packets += int64(p.NPkts)
	q.stat.Busy += ser
	f.hops += uint64(p.NPkts)
	if f.rec != nil && p.Payload > 0 {
		f.rec.Span(f.tracks[id], "data", start, start+ser)
	}
	switch {
	case q.peer == p.Dst:
		f.e.At(end+q.latency, f.id, uint64(r))
	case q.store:
		p.lag = end - start - one
		f.e.At(start+one+q.latency, f.id, uint64(r))
	default:
		p.lag = end - start
		f.e.At(start+q.latency, f.id, uint64(r))
	}
}

// survive applies a faulty link: a train is split where packets of it are lost,
// so that the receiver sees the true gaps. It says whether r itself goes on.
func (f *Fabric) survive(r Ref, p *Packet, id topo.PortID, lag, now sim.Time) bool {
	q := &f.ports[id]
	lost := uint32(0)
	if !q.down {
		for lost < p.NPkts && !f.rand.Chance(int64(q.lossPPM)) {
			lost++
		}
		if lost == p.NPkts {
			return true
		}
	}
	if q.down {
		q.stat.Drops += int64(p.NPkts)
		f.slab.put(r)
		return false
	}
	q.stat.Drops++
	head, tail := *p, *p
	unit, wire := (p.Payload+p.NPkts-1)/p.NPkts, p.Wire/p.NPkts
	head.NPkts, head.Payload, head.Wire = lost, unit*lost, wire*lost
	tail.NPkts, tail.Payload, tail.Wire = p.NPkts-lost-1, p.Payload-min(p.Payload, unit*(lost+1)), p.Wire-wire*(lost+1)
	tail.PSN, tail.Offset = p.PSN+lost+1, p.Offset+int64(unit*(lost+1))
	f.slab.put(r)
	if head.NPkts > 0 {
		hr, h := f.slab.get()
		*h = head
		loss := q.lossPPM
		q.lossPPM = 0 // its packets have survived already
		f.transmit(hr, h, id, lag, now)
		q.lossPPM = loss
	}
	if tail.NPkts > 0 {
		tr, t := f.slab.get()
		*t = tail
		f.transmit(tr, t, id, lag, now)
	}
	return false
}
