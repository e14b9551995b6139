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
	// Receive takes packet p, which arrived over local port in; p is valid until
	// it returns.
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
	e         *sim.Engine
	id        sim.ID
	g         *topo.Graph
	routes    []*topo.Routes
	ports     []port
	flying    int
	cur       Packet // being moved on
	recv      []Receiver
	seeds     []uint32 // per node
	rand      *sim.Rand
	faulty    bool
	slips     []slipped
	freeSlips []uint32
	hops      uint64
	rec       *record.Recorder
	tracks    []record.TrackID
}

// New builds the fabric of a graph.
func New(c Config) *Fabric {
	f := &Fabric{e: c.Engine, g: c.Graph, rec: c.Record,
		ports: make([]port, len(c.Graph.Ports)), recv: make([]Receiver, len(c.Graph.Nodes)),
		seeds: make([]uint32, len(c.Graph.Nodes)),
		rand:  c.Engine.Rand("fabric")}
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

// InFlight is the number of packets and trains under way.
func (f *Fabric) InFlight() int { return f.flying }

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

// Send puts a copy of p on the wire of local port id at the current time, behind
// what is queued there.
func (f *Fabric) Send(p *Packet, id topo.PortID) {
	p.lag = 0
	f.flying++
	f.transmit(p, id, f.e.Now())
}

// onePort added to a port's id is the argument of the event that moves the head
// of that port's queue on; there is one such event a port, so that the event
// queue stays small under congestion. Smaller arguments name a packet that
// slipped past its queue.
const onePort = 1 << 32

// Handle moves a packet on: its head has reached a switch, or its tail its
// destination.
func (f *Fabric) Handle(now sim.Time, arg uint64) {
	p := &f.cur
	var id topo.PortID
	if arg >= onePort {
		id = topo.PortID(arg - onePort)
		if next := f.ports[id].queue.pop(p); next > 0 {
			f.e.At(next, f.id, arg)
		}
	} else {
		s := &f.slips[arg]
		*p, id = s.Packet, s.port
		f.freeSlips = append(f.freeSlips, uint32(arg))
	}
	node := f.ports[id].peer
	if node == p.Dst {
		f.flying--
		f.recv[node].Receive(p, f.g.Peer(id))
		return
	}
	out := f.routes[p.Net].Ports(node, p.Dst)
	switch len(out) {
	case 0:
		panic(fmt.Sprintf("fabric: no route from %s to %s", f.g.Nodes[node].Name, f.g.Nodes[p.Dst].Name))
	case 1:
		f.transmit(p, out[0], now)
	default:
		var pick uint32
		if p.Flags&FlagSpray != 0 {
			// A turn counter would keep step with the flows through the switch
			// and send each of them one way for good.
			pick = mix(p.Entropy+p.PSN*0x9e3779b1, f.seeds[node]) % uint32(len(out))
		} else {
			pick = mix(p.Entropy, f.seeds[node]) % uint32(len(out))
		}
		f.transmit(p, out[pick], now)
	}
}

// transmit queues a packet on port id. Its head is here now, its tail a lag
// later; with cut-through the head leaves as soon as the wire is free.
func (f *Fabric) transmit(p *Packet, id topo.PortID, now sim.Time) {
	q := &f.ports[id]
	if f.faulty && (q.down || q.lossPPM > 0) && !f.survive(p, id, now) {
		return
	}
	ser := q.serial(p.Wire)
	one := ser
	if p.NPkts > 1 {
		one = ser / sim.Time(p.NPkts)
	}
	start, end, slips := now, sim.Time(0), false
	if q.busy > now {
		if p.Kind != 0 && q.start <= now && q.one > 0 {
			// A small packet slips in between two packets of the train in
			// service instead of behind all of it.
			start = min(now+(q.busy-now)%q.one, q.busy)
			end = max(start+ser, now+p.lag)
			q.busy += ser
			slips = true
		} else {
			start = q.busy
			end = max(start+ser, now+p.lag)
			q.busy, q.start, q.one = end, start, one
		}
		q.stat.Queue = max(q.stat.Queue, start-now)
	} else {
		end = max(start+ser, now+p.lag)
		q.busy, q.start, q.one = end, start, one
	}
	q.stat.Bytes += int64(p.Wire)
	q.stat.Packets += int64(p.NPkts)
	q.stat.Busy += ser
	f.hops += uint64(p.NPkts)
	if f.rec != nil && p.Kind == 0 {
		f.rec.Span(f.tracks[id], "data", start, start+ser)
	}
	p.at = start + q.latency
	switch {
	case q.peer == p.Dst:
		p.at = end + q.latency
	case q.store:
		p.at += one
		p.lag = end - start - one
	default:
		p.lag = end - start
	}
	if slips {
		f.slip(p, id)
	} else if q.queue.push(p) {
		f.e.At(p.at, f.id, onePort+uint64(id))
	}
}

// slip gives a packet that overtakes its port's queue an event of its own.
func (f *Fabric) slip(p *Packet, id topo.PortID) {
	if len(f.freeSlips) == 0 {
		f.slips = append(f.slips, slipped{})
		f.freeSlips = append(f.freeSlips, uint32(len(f.slips)-1))
	}
	i := f.freeSlips[len(f.freeSlips)-1]
	f.freeSlips = f.freeSlips[:len(f.freeSlips)-1]
	f.slips[i] = slipped{*p, id}
	f.e.At(p.at, f.id, uint64(i))
}

// survive applies a faulty link: a train is split where packets of it are lost,
// so that the receiver sees the true gaps. It says whether p itself goes on.
func (f *Fabric) survive(p *Packet, id topo.PortID, now sim.Time) bool {
	q := &f.ports[id]
	if q.down {
		q.stat.Drops += int64(p.NPkts)
		f.flying--
		return false
	}
	lost := uint32(0)
	for lost < p.NPkts && !f.rand.Chance(int64(q.lossPPM)) {
		lost++
	}
	if lost == p.NPkts {
		return true
	}
	q.stat.Drops++
	f.flying--
	unit, wire := (p.Payload+p.NPkts-1)/p.NPkts, p.Wire/p.NPkts
	part := func(first, n, payload, bytes uint32) {
		if n == 0 {
			return
		}
		piece := *p
		piece.NPkts, piece.Payload, piece.Wire, piece.PSN = n, payload, bytes, p.PSN+first
		f.flying++
		f.transmit(&piece, id, now)
	}
	loss := q.lossPPM
	q.lossPPM = 0 // the packets before the lost one have survived already
	part(0, lost, unit*lost, wire*lost)
	q.lossPPM = loss
	part(lost+1, p.NPkts-lost-1, p.Payload-min(p.Payload, unit*(lost+1)), p.Wire-wire*(lost+1))
	return false
}
