package fabric

import (
	"hsim/host/sim"
	"hsim/host/topo"
)

// Packet is a packet or a train of NPkts packets that travel together. The
// fields up to Hint are read by the fabric; the others belong to the transport
// and pass through unread. Packets lie by value in the queues of the ports, so
// that a hop reads and writes memory in order and nothing is allocated.
type Packet struct {
	at      sim.Time // arrival at the other end of the link: of its head at a switch that cuts through, else of its tail
	lag     sim.Time // from the arrival of its head to that of its tail
	Dst     topo.NodeID
	Wire    uint32 // bytes of the whole train with headers
	NPkts   uint32
	Entropy uint32 // what switches hash to pick among equal-cost ports
	PSN     uint32 // of its first packet
	Marked  uint32 // packets of it with a congestion mark
	Flags   uint16
	Kind    uint8
	Net     uint8 // set of routes
	Lane    uint8
	Hint    uint8  // group of ports to prefer, 0 = none
	ways    uint16 // sprayed: product of the numbers of ways it has had so far, 0 = 1

	SrcConn int32
	DstConn int32
	WR      uint32
	MSN     uint32
	Payload uint32
	SentAt  sim.Time
	CC      [4]uint32
}

// Flags read by the fabric; the numbers are those of the transport ABI, except
// FlagDetour, which no plugin sees.
const (
	FlagFirst   = 1   // first packet of a message
	FlagLast    = 2   // last packet of a message
	FlagSpray   = 8   // switches may pick a path per packet
	FlagCorrupt = 16  // set by a corrupting link
	FlagDetour  = 256 // the next switch may take a way that is longer by one link; cleared by it
)

// Kinds read by the fabric, as in the transport ABI.
const (
	kindData = 0
	kindRead = 5

	kindFrame = 255 // of the fabric's own: it returns credit
)

// small says that p is a control packet which need not stay behind data. A read
// request takes part in the order of the data.
func (p *Packet) small() bool { return p.Kind != kindData && p.Kind != kindRead }

// split parts a train after its first n packets. Every packet but the last of a
// train is full.
func (p *Packet) split(n uint32) (front, rest Packet) {
	front, rest = *p, *p
	unit := (p.Payload + p.NPkts - 1) / p.NPkts
	front.NPkts, front.Payload, front.Wire = n, min(p.Payload, unit*n), p.Wire/p.NPkts*n
	front.Marked = uint32(uint64(p.Marked) * uint64(n) / uint64(p.NPkts))
	front.Flags &^= FlagLast
	rest.NPkts, rest.Payload, rest.Wire = p.NPkts-n, p.Payload-front.Payload, p.Wire-front.Wire
	rest.Marked -= front.Marked
	rest.PSN += n
	rest.Flags &^= FlagFirst
	return front, rest
}

// queue is a ring of packets in order of arrival at the other end.
type queue struct {
	buf  []Packet // its length is a power of two
	head uint32
	n    uint32
}

// push appends and says whether the queue was empty.
func (q *queue) push(p *Packet) bool {
	if int(q.n) == len(q.buf) {
		q.grow()
	}
	q.buf[(q.head+q.n)&uint32(len(q.buf)-1)] = *p
	q.n++
	return q.n == 1
}

func (q *queue) grow() {
	next := make([]Packet, max(2*len(q.buf), 4))
	m := copy(next, q.buf[q.head:])
	copy(next[m:], q.buf[:q.head])
	q.buf, q.head = next, 0
}

// pop removes the first packet and returns it where it lies, which stays as it is
// until the next push, and when the packet after it arrives, 0 without one.
func (q *queue) pop() (*Packet, sim.Time) {
	p := &q.buf[q.head]
	q.head = (q.head + 1) & uint32(len(q.buf)-1)
	q.n--
	if q.n == 0 {
		q.head = 0 // start over in memory that is still in the cache
		return p, 0
	}
	return p, q.buf[q.head].at
}

// sort moves the last packet before all that arrive later; true when it is the
// first now.
func (q *queue) sort() bool {
	m := uint32(len(q.buf) - 1)
	k := q.head + q.n - 1
	for ; k != q.head && q.buf[(k-1)&m].at > q.buf[k&m].at; k-- {
		q.buf[k&m], q.buf[(k-1)&m] = q.buf[(k-1)&m], q.buf[k&m]
	}
	return k == q.head
}

// first is when the first packet arrives; the queue must not be empty.
func (q *queue) first() sim.Time { return q.buf[q.head].at }
