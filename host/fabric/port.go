package fabric

import (
	"math/bits"

	"hsim/host/sim"
	"hsim/host/topo"
	"hsim/host/units"
)

// port is the egress side of a port: when its wire is free, and what lies at
// the other end of the link.
type port struct {
	busy    sim.Time // the wire is taken until here
	start   sim.Time // when the train in service, or next to be served, started
	one     sim.Time // serialisation of one packet of that train
	perByte int64    // ps a byte where that is whole, else 0
	rate    units.Rate
	latency sim.Time // of the link, plus processing in the switch at its end
	peer    topo.NodeID
	store   bool // the switch at the end stores and forwards
	down    bool
	lossPPM int32 // lost packets in a million
	stat    Stat
	queue   []flight // sent or waiting to be, in order of arrival at the other end
	head    int
}

// flight is a packet on its way over a link with what a hop reads of it, so
// that switches need not touch the packet itself, and when it arrives: its head
// at a switch that cuts through, else its tail.
type flight struct {
	at      sim.Time
	lag     sim.Time // from the arrival of its head to that of its tail
	ref     Ref
	dst     topo.NodeID
	wire    uint32
	npkts   uint32
	entropy uint32
	flags   uint16
	kind    uint8
	net     uint8
}

// slipped is a flight that overtook its port's queue.
type slipped struct {
	flight
	port topo.PortID
}

// push appends to the queue and says whether it was empty.
func (p *port) push(f flight) bool {
	p.queue = append(p.queue, f)
	return len(p.queue)-p.head == 1
}

// pop takes the first packet and returns when the next arrives, 0 without one.
func (p *port) pop() (flight, sim.Time) {
	f := p.queue[p.head]
	p.head++
	if p.head == len(p.queue) {
		p.queue, p.head = p.queue[:0], 0
		return f, 0
	}
	if p.head >= 32 && p.head*2 >= len(p.queue) {
		n := copy(p.queue, p.queue[p.head:])
		p.queue, p.head = p.queue[:n], 0
	}
	return f, p.queue[p.head].at
}

// Stat counts what a port sent.
type Stat struct {
	Bytes   int64 // on the wire, headers included
	Packets int64
	Busy    sim.Time // time the wire was taken
	Drops   int64
	Queue   sim.Time // longest time a packet waited for the wire
}

// serial is how long n bytes take on the wire.
func (p *port) serial(n uint32) sim.Time {
	if p.perByte > 0 {
		return sim.Time(int64(n) * p.perByte)
	}
	return p.rate.Time(int64(n))
}

func newPort(g *topo.Graph, id topo.PortID) port {
	l := g.LinkOf(id)
	peer := g.PeerNode(id)
	n := &g.Nodes[peer]
	p := port{rate: l.Rate, latency: l.Latency, peer: peer, store: n.Store}
	if n.Kind == topo.Switch || n.Forwards {
		p.latency += n.Delay
	}
	p.setRate(l.Rate)
	return p
}

func (p *port) setRate(r units.Rate) {
	p.rate, p.perByte = r, 0
	if picos := int64(8 * sim.Second); r > 0 && picos%int64(r) == 0 {
		p.perByte = picos / int64(r)
	}
}

// mix is a 32-bit hash of a flow's entropy and a switch's seed.
func mix(x, seed uint32) uint32 {
	hi, lo := bits.Mul64(uint64(x)^0x9e3779b97f4a7c15, uint64(seed)|0xd1342543de82ef95)
	h := uint32(hi) ^ uint32(lo) ^ uint32(lo>>32)
	h ^= h >> 15
	h *= 0x2c1b3c6d
	return h ^ h>>12
}
