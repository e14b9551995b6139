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
	slipped sim.Time // end of the last packet that slipped into it
	perByte int64    // ps a byte where that is whole, else 0
	rate    units.Rate
	latency sim.Time // of the link, plus processing in the switch at its end
	wire    sim.Time // latency of the link alone
	peer    topo.NodeID
	store   bool // the switch at the end stores and forwards
	down    bool
	lossPPM int32 // lost packets in a million
	stat    Stat
	queue   queue

	corruptPPM int32 // corrupted packets in a million
	group      uint8 // that packets may ask for, 0 = none
}

// slipped is a packet that overtook its port's queue.
type slipped struct {
	Packet
	port topo.PortID
}

// Stat counts what a port sent and what its link and the switch behind it did to
// it.
type Stat struct {
	Bytes   int64 // on the wire, headers included
	Packets int64
	Busy    sim.Time // time the wire was taken
	Drops   int64    // packets lost for whatever reason
	Full    int64    // those of them that found no room at the other end
	Corrupt int64    // packets damaged on the link
	Marked  int64    // packets that got a congestion mark
	Pauses  int64    // times that the other end stopped a lane
	Blocked sim.Time // time that packets waited and none was allowed to start
	Queue   sim.Time // longest time a packet waited for the wire
	Depth   int64    // most bytes that waited
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
	p := port{rate: l.Rate, latency: l.Latency, wire: l.Latency, peer: peer, store: n.Store}
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
