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

// Config is what a fabric is made of. Seed is that of the switches' hashes, 0 = the
// engine's. Record may be nil. Features and Faults are
// taken as Features.Check and CheckFaults leave them.
type Config struct {
	Engine *sim.Engine
	Graph  *topo.Graph
	Seed   uint64
	Record *record.Recorder
	Features
	Faults []Fault
	// Sample is the period in which utilisation, queue and drops of the ports go to
	// Record and, where one of them has changed, to Sampled; 0 = not. Either may be nil.
	Sample  sim.Time
	Sampled func(s Sample)
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
	rated     bool // a rate was changed under way
	slips     []slipped
	freeSlips []uint32
	hops      uint64
	nodes     []node
	moments   moments    // of the node that works ahead now
	changes   []sim.Time // of faults, to come
	rec       *record.Recorder
	tracks    []record.TrackID
	drawn     []drawn
	q         *queued // nil: ports send first in, first out
	ways      *ways   // nil: a hash decides among shortest ways
	faults    *faults
	sampler   *sampler
	told      func(p *Packet) // of losses
}

// New builds the fabric of a graph.
func New(c Config) *Fabric {
	f := &Fabric{e: c.Engine, g: c.Graph, rec: c.Record,
		ports: make([]port, len(c.Graph.Ports)), recv: make([]Receiver, len(c.Graph.Nodes)),
		seeds: make([]uint32, len(c.Graph.Nodes)), nodes: make([]node, len(c.Graph.Nodes)),
		rand: c.Engine.Rand("fabric")}
	f.id = c.Engine.Register(f)
	for i := range f.ports {
		f.ports[i] = newPort(c.Graph, topo.PortID(i))
	}
	r := c.Engine.Rand("ecmp")
	if c.Seed != 0 {
		r = sim.New(c.Seed).Rand("ecmp")
	}
	for i := range f.seeds {
		f.seeds[i] = uint32(r.Uint64())
	}
	if c.Record != nil {
		f.tracks = make([]record.TrackID, len(f.ports))
		f.drawn = make([]drawn, len(f.ports))
		for i := range f.tracks {
			n := &c.Graph.Nodes[c.Graph.Ports[i].Node]
			f.tracks[i] = c.Record.Track(n.Name, "port "+c.Graph.Ports[i].Name())
		}
	}
	// A fault speaks of what starts while it lasts, which only ports that queue tell.
	if c.Queued() || len(c.Faults) > 0 {
		f.q = newQueued(f, &c.Features)
	}
	for n := range f.nodes {
		f.nodes[n].armed = sim.Forever
		f.setSpan(topo.NodeID(n))
	}
	if f.q != nil {
		f.q.setSlack()
	}
	if c.Adaptive {
		f.waysOf().adaptive = true
	}
	f.schedule(c.Faults)
	if c.Sample > 0 && (c.Record.On() || c.Sampled != nil) {
		f.sampler = newSampler(f, c.Sample, c.Sampled)
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

// Lanes is the number of lanes of ports that queue and choose, 0 when they send
// first in, first out. A sender with a backlog is a Feeder and asks Room before it
// sends where there are lanes; else it asks FreeAt.
func (f *Fabric) Lanes() int {
	if f.q != nil {
		return f.q.n
	}
	return 0
}

// SetFeeder says who has a backlog for the ports of node n.
func (f *Fabric) SetFeeder(n topo.NodeID, r Feeder) {
	f.q.feeders[n] = r
	for _, p := range f.g.NodePorts(n) {
		f.q.ports[p].device = true
	}
}

// Room says whether local port id takes a packet of a lane now.
func (f *Fabric) Room(id topo.PortID, n uint8) bool {
	f.update(id)
	w := &f.q.ports[id]
	l := f.q.lane(id, min(int(n), f.q.n-1))
	if f.q.c.Allocation > 0 {
		return l.primed == 0
	}
	return w.busy <= f.e.Now() && w.waiting>>min(int(n), f.q.n-1)&1 == 0
}

// Ask has the feeder of local port id asked when the port can take more.
func (f *Fabric) Ask(id topo.PortID) {
	w := &f.q.ports[id]
	w.hungry = true
	if !w.feeding {
		f.q.plan(id, w, f.e.Now())
	}
}

// InFlight is the number of packets and trains under way.
func (f *Fabric) InFlight() int { return f.flying }

// Hops is the number of link crossings of packets so far; a train counts each
// of its packets.
func (f *Fabric) Hops() uint64 { return f.hops }

// FreeAt is when the wire of port id is free.
func (f *Fabric) FreeAt(id topo.PortID) sim.Time {
	if f.q != nil {
		f.update(id)
		return f.q.ports[id].busy
	}
	return f.ports[id].busy
}

// Rate is the rate of port id.
func (f *Fabric) Rate(id topo.PortID) units.Rate { return f.ports[id].rate }

// Stat is what port id sent so far.
func (f *Fabric) Stat(id topo.PortID) Stat {
	if f.q != nil {
		return f.q.ports[id].total()
	}
	return f.ports[id].stat
}

// Send puts a copy of p on the wire of local port id at the current time, behind
// what is queued there.
func (f *Fabric) Send(p *Packet, id topo.PortID) {
	f.flying++
	p.ways = 0
	if f.sampler != nil && f.sampler.rests {
		f.sampler.wake(f.e.Now())
	}
	if f.q != nil {
		f.q.send(p, id, f.e.Now())
		return
	}
	p.lag = 0
	f.transmit(p, id, f.e.Now())
}

// onePort added to a port's id is the argument of the event that moves the head
// of that port's queue on; there is one such event a port, so that the event
// queue stays small under congestion. Smaller arguments name a packet that
// slipped past its queue.
const onePort = 1 << 32

// oneNode added to a node's id is the argument of the event of a switch that works
// ahead.
const oneNode = 2 << 32

// Handle moves a packet on: its head has reached a switch, or its tail its
// destination.
func (f *Fabric) Handle(now sim.Time, arg uint64) {
	if arg >= oneNode {
		f.ahead(topo.NodeID(arg-oneNode), now)
		return
	}
	var p *Packet
	var id topo.PortID
	if arg >= onePort {
		id = topo.PortID(arg - onePort)
		var next sim.Time
		if p, next = f.ports[id].queue.pop(); next > 0 {
			f.e.At(next, f.id, arg)
		}
	} else {
		s := &f.slips[arg]
		f.cur, id = s.Packet, s.port
		p = &f.cur
		f.freeSlips = append(f.freeSlips, uint32(arg))
	}
	node := f.ports[id].peer
	if node == p.Dst {
		f.flying--
		f.cur = *p // whoever receives it may send, also over this very port's link
		f.recv[node].Receive(&f.cur, f.g.Peer(id))
		return
	}
	f.transmit(p, f.pick(p, node, now), now)
}

// pick is the port by which node sends p on.
func (f *Fabric) pick(p *Packet, node topo.NodeID, now sim.Time) topo.PortID {
	out := f.routes[p.Net].Ports(node, p.Dst)
	switch {
	case len(out) == 0:
		panic(fmt.Sprintf("fabric: no route from %s to %s", f.g.Nodes[node].Name, f.g.Nodes[p.Dst].Name))
	case f.ways != nil:
		return f.choose(p, node, out, now)
	case len(out) == 1:
		return out[0]
	}
	return out[f.hash(p, node, len(out))%uint32(len(out))]
}

// hash is what decides among n ways of the same length. The packets of a flow
// that is sprayed take turns. The first switch goes by their number; the next one
// counts rounds of the first, as it sees one packet of each, and those of one
// round that meet again part. So a flow takes all paths equally often. A turn of
// the switch would keep step with the
// flows and send each of them one way for good, and a draw per packet leaves
// queues that grow with the root of the time.
func (f *Fabric) hash(p *Packet, node topo.NodeID, n int) uint32 {
	h := mix(p.Entropy, f.seeds[node])
	if p.Flags&FlagSpray != 0 {
		turn := p.PSN
		if p.NPkts > 1 {
			turn /= p.NPkts
		}
		ways := uint32(n)
		if p.ways > 1 {
			turn = turn/uint32(p.ways) + turn%uint32(p.ways)
			ways *= uint32(p.ways)
		}
		p.ways = uint16(min(ways, 1<<16-1))
		h += turn
	}
	return h
}

// transmit queues a packet on port id. Its head is here now, its tail a lag
// later; with cut-through the head leaves as soon as the wire is free. What comes
// slower than it could leave takes its own time of the wire and no more: others
// fill the gaps between its bits, as if it had been held back until it had come.
func (f *Fabric) transmit(p *Packet, id topo.PortID, now sim.Time) {
	q := &f.ports[id]
	if f.faulty && (q.down || q.lossPPM > 0 || q.corruptPPM > 0) && !f.survive(p, id, now) {
		return
	}
	ser := q.serial(p.Wire)
	one := ser
	if p.NPkts > 1 {
		one = ser / sim.Time(p.NPkts)
	}
	start, end, slips := now, sim.Time(0), false
	if q.busy > now {
		if p.small() && q.start <= now && q.one > 0 && q.busy-now > q.one {
			// A small packet slips in between two packets of the train in
			// service instead of behind all of it, and behind those that have.
			start = max(now+(q.busy-now)%q.one, q.slipped)
			end = max(start+ser, now+p.lag)
			q.busy += ser
			q.slipped = start + ser
			slips = true
		} else {
			start = q.busy
			end = max(start+ser, now+p.lag)
			q.busy, q.start, q.one = start+ser, start, one
		}
		q.stat.Queue = max(q.stat.Queue, start-now)
	} else {
		end = max(start+ser, now+p.lag)
		q.busy, q.start, q.one = start+ser, start, one
	}
	q.stat.Bytes += int64(p.Wire)
	q.stat.Packets += int64(p.NPkts)
	q.stat.Busy += ser
	f.hops += uint64(p.NPkts)
	if f.rec != nil && p.Kind == 0 {
		f.draw(id, p, start, start+ser)
	}
	p.at = start + q.latency
	switch {
	case q.peer == p.Dst:
		p.at = end + q.latency
		slips = slips || end > start+ser
	case q.store:
		p.at += one
		p.lag = end - start - one
	default:
		p.lag = end - start
	}
	switch {
	case f.nodes[q.peer].span > 0:
		empty := q.queue.push(p)
		if slips && q.queue.sort() {
			f.await(q.peer, &f.nodes[q.peer], p.at)
		}
		if empty {
			f.comes(id, q.peer, p.at)
		}
	case slips:
		f.slip(p, id)
	case q.queue.push(p):
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
