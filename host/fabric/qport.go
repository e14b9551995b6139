package fabric

import (
	"hsim/host/sim"
	"hsim/host/topo"
	"hsim/host/units"
)

// qport is the egress side of a port that queues, and the link behind it. The
// fields of a cache line are used together.
type qport struct {
	busy    sim.Time     // the wire is taken until here
	armed   sim.Time     // when the port's event is due, Forever without one
	wire    sim.Time     // latency of the link alone
	waiting uint16       // lanes that have packets
	paused  uint16       // lanes that the receiver has stopped
	hungry  bool         // the sender has more and wants to be asked
	feeding bool         // the sender is being asked
	stopped bool         // no lane that has packets may send
	serves  uint8        // lane of the packet in service
	signals ring[uint64] // credits under way to here, see signal.pack

	flight  ring[uint64] // packets on the link in order of arrival, see pack
	latency sim.Time     // of the link, plus processing in the switch at its end
	peer    topo.NodeID
	perByte int32    // ps a byte where that is whole and small, else 0
	depth   int64    // bytes that wait
	one     sim.Time // serialisation of one packet of the train in service

	sent   sent
	slack  sim.Time // how much later than it happens a start may be worked out
	shared int32    // cells of the port's pool
	ends   ends
	store  bool   // the switch at the end stores and forwards
	device bool   // the node has a Feeder
	ahead  bool   // the node works ahead
	calls  bool   // the node at the end of the link does, and looks for arrivals itself
	listed bool   // in the list of its node
	next   uint8  // lane whose turn it is
	homeIs uint8  // 1 + the number of the lane home
	rich   uint16 // lanes that may have a deficit counter
	owing  uint16 // lanes whose receiver owes enough cells to send back with data

	stat    Stat // what is not in sent
	rate    units.Rate
	since   sim.Time // stopped since then
	slipped sim.Time // end of the last packet that slipped into the train in service
	owner   topo.NodeID
	rare    signals // pauses, their ends and what does not fit into signals, under way to here
	alloc   alloc

	// The first memory of the rings, and the lane that was used first: on one page
	// with the port.
	home      lane
	laneMem   [16]uint32
	flightMem [32]uint64
	signalMem [32]uint64
}

// sent is the part of a port's Stat that every packet changes.
type sent struct {
	bytes   int64
	packets int64
	busy    sim.Time
	queue   sim.Time
	depth   int64
}

// total is what the port did so far.
func (w *qport) total() Stat {
	s := w.stat
	s.Bytes, s.Packets, s.Busy, s.Queue, s.Depth = w.sent.bytes, w.sent.packets, w.sent.busy, w.sent.queue, w.sent.depth
	return s
}

// ends says which packets end with a link.
type ends uint8

const (
	endNone ends = iota // it leads to a switch
	endSome             // to a device that forwards
	endAll              // to a device that does not
)

func endsAt(n *topo.Node) ends {
	switch {
	case n.Kind == topo.Switch:
		return endNone
	case n.Forwards:
		return endSome
	}
	return endAll
}

func (p *qport) serial(n uint32) sim.Time {
	if p.perByte > 0 {
		return sim.Time(int64(n) * int64(p.perByte))
	}
	return p.rate.Time(int64(n))
}

func (p *qport) setRate(r units.Rate, perByte int64) {
	p.rate, p.perByte = r, 0
	if perByte <= 1<<20 {
		p.perByte = int32(perByte)
	}
}

// The packets on a link and the credits under way are words, so that many lie in a
// cache line: a time, of which the lower 40 bits do for what is at most half a
// second off, and 24 bits of something else.
const (
	wordBits = 24
	farAway  = sim.Time(1) << 38
	maxWord  = 1<<wordBits - 1
)

func pack(at sim.Time, x uint32) uint64 { return uint64(at)<<wordBits | uint64(x) }

// timeOf is the time in a word, near to now.
func timeOf(word uint64, now sim.Time) sim.Time {
	return now + sim.Time(int64(word&^maxWord-uint64(now)<<wordBits))>>wordBits
}

// arrives is when the first packet on the link arrives.
func (w *qport) arrives(now sim.Time) sim.Time { return timeOf(*w.flight.first(), now) }
