package fabric

import (
	"math/bits"

	"hsim/host/sim"
	"hsim/host/topo"
	"hsim/host/units"
)

// port is the egress side of a port: when its wire is free, and what lies at
// the other end of the link. What every packet needs lies in two cache lines.
type port struct {
	busy       sim.Time // the wire is taken until here
	start      sim.Time // when the train in service, or next to be served, started
	one        sim.Time // serialisation of one packet of that train
	perByte    int64    // ps a byte where that is whole, else 0
	latency    sim.Time // of the link, plus processing in the switch at its end
	peer       topo.NodeID
	lossPPM    int32 // lost packets in a million
	corruptPPM int32 // corrupted packets in a million
	store      bool  // the switch at the end stores and forwards
	down       bool
	group      uint8 // that packets may ask for, 0 = none
	queue      queue
	stat       Stat
	rate       units.Rate
	slipped    sim.Time // end of the last packet that slipped into the train in service
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
	Queue   sim.Time // longest time a packet waited for the wire
	Depth   int64    // most bytes that waited; only ports that queue count it
	Drops   int64    // packets lost for whatever reason
	Full    int64    // those of them that found no room at the other end
	Corrupt int64    // packets damaged on the link
	Marked  int64    // packets that got a congestion mark
	Pauses  int64    // times that the other end stopped a lane
	Blocked sim.Time // time that packets waited and none was allowed to start
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
	p := port{peer: g.PeerNode(id), store: g.Nodes[g.PeerNode(id)].Store}
	p.setRate(l.Rate)
	p.setLatency(g, l.Latency)
	return p
}

// setLatency sets the latency of the link.
func (p *port) setLatency(g *topo.Graph, d sim.Time) {
	p.latency = d
	if n := &g.Nodes[p.peer]; n.Kind == topo.Switch || n.Forwards {
		p.latency += n.Delay
	}
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
