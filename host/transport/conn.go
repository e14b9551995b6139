package transport

import (
	"hsim/host/sim"
	"hsim/host/topo"
)

// ConnID names one end of a connection; 0 is none.
type ConnID int32

type state uint8

const (
	ready state = iota
	failed
	closed
)

// conn is one end of a connection. It is kept small, two cache lines: an
// all-to-all among a thousand devices holds a million of them.
type conn struct {
	peer    ConnID
	local   int32 // id within the plugin instance
	node    topo.NodeID
	far     topo.NodeID // the peer's
	head    uint32      // oldest request that is not complete
	tail    uint32
	cur     uint32 // request being sent, 0 when all were
	entropy uint32 // what its packets are hashed by
	off     int64  // bytes of cur already sent
	psn     uint32 // of the next packet, as the cursor has it
	high    uint32 // after the highest packet ever sent
	acked   uint32 // every packet before it was acknowledged
	msn     uint32 // of the next request posted
	rx      uint32 // message that lands next, as the receiver
	sends   uint32 // posted so far
	proto   uint8
	state   state
	paths   uint8
	held    bool
	deaf    bool   // refused a message: takes no more of them
	again   bool   // has packets to send again
	inRing  uint16 // per path
	ports   uint32 // first entry in Net.paths
	more    uint32 // index in Net.more, 0 without
	timer   sim.Time
	timerEv sim.Time // when an event for the timer is queued, 0 without one
	wakeEv  sim.Time // when a wake-up is queued
	sink    Sink
	status  Status
	service uint8
	order   Order
	role    uint8  // rolePlain ..
	engine  uint32 // index in Net.engines
	mtu     uint32
}

// idle says that there is nothing to send.
func (c *conn) idle() bool { return c.cur == 0 && !c.again }

// more is what few connections have.
type more struct {
	recv  recvQueue
	again []span // packets to send again, in order, none in two of them
	vain  uint32 // see Net.vain
	full  uint32 // see Net.fills
	// bundle is set where the connection end is one.
	bundle *bundle
}

func (n *Net) moreOf(c *conn) *more {
	if c.more == 0 {
		if len(n.more) == 0 {
			n.more = append(n.more, nil)
		}
		c.more = uint32(len(n.more))
		n.more = append(n.more, new(more))
	}
	return n.more[c.more]
}

const (
	connBits = 12
	connPage = 1 << connBits
)

type conns struct {
	pages []*[connPage]conn
	n     int32
}

func (s *conns) at(id ConnID) *conn { return &s.pages[id>>connBits][id&(connPage-1)] }

func (s *conns) get() (ConnID, *conn) {
	s.n++
	if int(s.n>>connBits) == len(s.pages) {
		s.pages = append(s.pages, new([connPage]conn))
	}
	return ConnID(s.n), s.at(ConnID(s.n))
}

// recvQueue holds the receives posted on one connection.
type recvQueue struct {
	q    []Recv
	head int
	done uint32 // sends finished; the n-th send takes the n-th receive
}

func (r *recvQueue) len() int { return len(r.q) - r.head }

// of is the receive that send number seq takes, nil before it is posted.
func (r *recvQueue) of(seq uint32) *Recv {
	if i := int(seq - r.done); i < r.len() {
		return &r.q[r.head+i]
	}
	return nil
}

func (r *recvQueue) pop() Recv {
	x := r.q[r.head]
	r.head++
	if r.head == len(r.q) {
		r.q, r.head = r.q[:0], 0
	}
	return x
}
