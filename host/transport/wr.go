package transport

import (
	"fmt"

	"hsim/host/mem"
	"hsim/host/sim"
)

// Op is what a work request asks for.
type Op uint8

// The operations. The notify of a message is written after all its bytes and
// all earlier bytes of the connection have landed.
const (
	OpWrite Op = iota
	OpWriteNotify
	OpWriteReduce       // remote = remote op local
	OpWriteReduceNotify //
	OpRead              // local = remote
	OpSend              // into the receive the peer posted
	OpNotify            // no bytes, only the notify
	OpAtomic            // old value to local, see Atomic
	opReadResponse      // the peer's answer to OpRead
)

var opNames = [...]string{"write", "write with notify", "write with reduce", "write with reduce and notify", "read", "send", "notify", "atomic", "read response"}

func (o Op) String() string { return opNames[o] }

func (o Op) notifies() bool {
	return o == OpWriteNotify || o == OpWriteReduceNotify || o == OpNotify
}

func (o Op) reduces() bool { return o == OpWriteReduce || o == OpWriteReduceNotify }

// Flags of a work request.
type Flags uint8

// The flags.
const (
	Signaled  Flags = 1 << iota // report the completion also when it succeeds
	Inline                      // the source is read when posted
	flagSlice                   // of a request of a bundle, its origin
	flagHalf                    // a write whose notify is the next request
	flagRest                    // that notify
)

// WR is a work request. Addresses are those of host/mem; RKey, where not 0, is
// checked at the peer against the registered region.
type WR struct {
	ID          uint64 // returned in the completion
	Op          Op
	Flags       Flags
	Mark        Mark
	whole       Op        // of a half: what was posted
	Dtype       mem.Dtype // of a reduce
	Red         mem.Op
	RKey        uint32
	Local       mem.Addr
	Remote      mem.Addr
	Len         int64
	NotifyAddr  mem.Addr // a register at the peer
	NotifyValue uint64
	Atomic      *Atomic // of OpAtomic
	value       int64   // atomic: bytes of the value, where Len is what the packet carries; flagRest: bytes of the write
	at          int64   // slice: its place in the request
}

// Recv is a posted receive: where the next send of the peer lands.
type Recv struct {
	ID   uint64
	Addr mem.Addr
	Len  int64
}

// Status of a completion: the numbers of ibv_wc_status.
type Status uint8

// The statuses that are reported.
const (
	StatusOK           Status = 0
	StatusLocalLength  Status = 1
	StatusLocalOp      Status = 2
	StatusLocalProt    Status = 4
	StatusFlush        Status = 5
	StatusRemoteInv    Status = 9
	StatusRemoteAccess Status = 10
	StatusRemoteOp     Status = 11
	StatusRetry        Status = 12
	StatusRNR          Status = 13
)

var statusNames = map[Status]string{0: "success", 1: "local length error", 2: "local QP operation error", 4: "local protection error",
	5: "flushed", 9: "remote invalid request", 10: "remote access error", 11: "remote operation error", 12: "retry exceeded", 13: "RNR retry exceeded"}

// known says that a status is one that a failed request may have.
func known(s int32) bool {
	return s > 0 && s <= 255 && statusNames[Status(s)] != ""
}

func (s Status) String() string {
	if n, ok := statusNames[s]; ok {
		return n
	}
	return fmt.Sprintf("status %d", uint8(s))
}

// Completion reports a work request or a receive that ended. Err says more
// about a failure than its status, nil otherwise.
type Completion struct {
	Conn   ConnID
	ID     uint64
	Op     Op
	Recv   bool
	Status Status
	Bytes  int64
	First  sim.Time // when its first packet left, of a request that did
	At     sim.Time
	Err    error
}

// Sink takes completions. It may post again.
type Sink interface{ Complete(c *Completion) }

// Departures is a Sink that is also told when the last packet of a request has
// left for the first time, so that it can decide late what follows. It may post
// again.
type Departures interface{ Departed(c ConnID, id uint64) }

// request is a work request in the queue of a connection.
type request struct {
	WR
	delivered int64    // bytes landed
	first     sim.Time // when its first packet left
	began     sim.Time // flagRest: when the write's first packet left
	inline    []byte
	err       error
	psn       uint32 // of its first packet
	end       uint32 // after its last packet, once all were sent
	msn       uint32
	next      uint32 // in the queue
	origin    uint32 // read response: the request it answers; slice: the one it is of
	conn      ConnID
	seq       uint32 // number of a send among the sends of its connection
	flight    uint32 // not reliable: packets under way, and the event of its leaving; of a bundle: slices
	unsent    uint32 // of a bundle: slices posted of which packets are left to send
	status    Status
	started   bool // psn is set
	sent      bool // all packets were sent at least once
	landed    bool
	waits     bool // for an answer that is not here
	alone     bool // not sent before everything earlier is answered
	held      bool // came before its turn: its bytes land when that has come
	left      bool // not reliable: its last packet has left
	timed     bool // of a bundle: first is set
	gone      bool // completed, and kept for what is under way
}

const (
	pageBits = 8
	pageSize = 1 << pageBits
)

// requests is a paged slab: entries keep their place, index 0 is none.
type requests struct {
	pages []*[pageSize]request
	free  []uint32
}

func (s *requests) at(i uint32) *request { return &s.pages[i>>pageBits][i&(pageSize-1)] }

func (s *requests) get() (uint32, *request) {
	if len(s.free) == 0 {
		base := uint32(len(s.pages) << pageBits)
		s.pages = append(s.pages, new([pageSize]request))
		for i := uint32(pageSize); i > 0; i-- {
			if base+i-1 > 0 {
				s.free = append(s.free, base+i-1)
			}
		}
	}
	i := s.free[len(s.free)-1]
	s.free = s.free[:len(s.free)-1]
	return i, s.at(i)
}

func (s *requests) put(i uint32) {
	*s.at(i) = request{}
	s.free = append(s.free, i)
}
