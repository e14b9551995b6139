package transport

import (
	"hsim/abi"
	"hsim/host/topo"
)

// Plugin makes the protocol engines of one transport module.
type Plugin interface {
	// Name is what errors call the plugin.
	Name() string
	// Features are the bits of abi.Feature... that the module declares.
	Features() uint32
	// New makes the engine of one device.
	New(device topo.NodeID) (Protocol, error)
}

// Outbox takes the packets that an engine sends by itself, beside those of next
// and the replies of verdicts, during the present call. The host sends them after
// it.
type Outbox struct {
	sent  []sent
	depth uint32 // see maxChain
	ring  func() // called when it is no longer empty
}

type sent struct {
	abi.Packet
	depth uint32
	ext   []byte
}

// maxSent is the number of packets that one device may send in calls at one
// instant before they leave.
const maxSent = 64

// Add takes a packet of another kind than data and what travels beside it, of which
// it keeps a copy. The answer is what the module gets.
func (o *Outbox) Add(p *abi.Packet, ext []byte) abi.Status {
	switch {
	case o.ring == nil:
		return abi.State
	case !control(p.Kind) || len(ext) > abi.MaxExt:
		return abi.Invalid
	case len(o.sent) >= maxSent:
		return abi.Limit
	}
	o.sent = append(o.sent, sent{*p, o.depth, append([]byte(nil), ext...)})
	if len(o.sent) == 1 {
		o.ring()
	}
	return abi.OK
}

// Protocol is the engine of one device. Packet, Verdict and Conn are the records
// that the calls read and write; their addresses may change with any call. An error is
// a trap of the module.
type Protocol interface {
	Packet() *abi.Packet
	Verdict() *abi.Verdict
	// Conn is the record that Open and Modify read.
	Conn() *abi.Conn
	// Attach says where packets go that the engine sends by itself. It returns the
	// address that the engine knows Ext by.
	Attach(o *Outbox) uint32
	// Ext is abi.MaxExt bytes in the memory of the engine, written before Receive.
	Ext() []byte
	// Bytes is a part of the memory of the engine. It is valid until the next call.
	Bytes(at, n uint32) ([]byte, error)
	Open() error
	Modify() error
	Close(id int32) error
	// Next fills Packet with the next packet of connection id, of a message
	// with left bytes to go, at most room bytes; Packet.NPkts 0 means not now.
	Next(id int32, left, room int64) (int64, error)
	Receive() error
	Timer(id int32) error
}
