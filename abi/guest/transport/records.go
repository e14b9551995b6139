// Code generated from the tables of package abi by go generate; DO NOT EDIT.

package transport

import (
	"structs"
	"unsafe"
)

// Path: One way of a connection through the network.
type Path struct {
	_         structs.HostLayout
	LocalPort uint16
	PeerPort  uint16
	TPN       uint32 // number of the transport channel
}

// Conn: A connection, for open and modify.
type Conn struct {
	_            structs.HostLayout
	Size         uint32
	ID           int32
	PeerDevice   int32
	Service      uint8 // Service*
	Protocol     uint8 // information only
	Order        uint8 // 0 default, 1 by target, 2 by initiator, 3 by lower layer, 4 none
	Lane         uint8
	ServiceLevel uint8
	_            uint8
	NPaths       uint16
	Paths        [16]Path
	MTU          uint32 // payload bytes of a full packet
	InitialPSN   uint32
	Window       uint32 // packets in flight, 0: the plugin's own
	AckTimeout   uint32 // 4.096 us * 2^n, 0: never
	RetryCount   uint32
	RnrCount     uint32
	RnrTimer     uint32 // verbs code
	UDPPort      uint32 // source port
	Entropy      uint32 // packet.entropy as the host fills it: a function of both devices and udp_port
	Rate         int64  // bit/s
	BaseRTT      int64  // ps
	Hops         uint32
	Flags        uint32 // Conn*
}

// Packet: One packet or a train of npkts packets with consecutive numbers.
type Packet struct {
	_         structs.HostLayout
	Size      uint32
	Kind      uint8 // Packet*
	Lane      uint8
	Flags     uint16 // Flag*
	Path      uint16 // index in conn.paths
	Port      uint16
	Entropy   uint32 // what switches hash
	NPkts     uint32 // packets in the train, at least 1
	Marked    uint32 // how many carry a congestion mark
	PSN       uint32 // of the first packet
	Payload   uint32 // bytes of the train
	Wire      uint32 // bytes of the train with all headers
	MSN       uint32
	Conn      int32 // receive: the receiver's id of the connection
	_         uint32
	Offset    uint64    // first byte of the packet, counted from the start of its message
	CC        [4]uint32 // for congestion control; switches may rewrite it
	SentAt    int64     // ps
	Now       int64     // ps
	NotBefore int64     // next returned 0: when to ask again, 0: after a verdict with wake
	Timer     int64     // next: when to call the timer, 0: leave, -1: cancel
	ExtPtr    uint32    // receive and send: bytes beside a packet that is not data
	ExtLen    uint32    // at most 256
}

// Verdict: What the plugin decided; the host clears it before the call, except size, now and what only counts beside a flag.
type Verdict struct {
	_           structs.HostLayout
	Size        uint32
	Deliver     uint8 // Deliver*
	Wake        uint8 // 1: ask the connection for packets again
	Flags       uint16
	Status      int32 // not 0: fail the connection with this completion status
	AckedValid  uint8
	GoBackValid uint8
	ResendValid uint8
	Reply       uint8  // 1: send the reply packet
	Acked       uint32 // all packets before this one are acknowledged
	GoBack      uint32 // resume sending from this packet
	Resend      uint32 // send packets again, from this one on
	ReplyKind   uint8
	_           uint8
	ReplyFlags  uint16
	ReplyPSN    uint32
	ReplyWire   uint32
	ReplyMSN    uint32
	ReplyCC     [4]uint32
	ReplyExtPtr uint32
	ReplyExtLen uint32
	_           uint32
	Timer       int64  // as packet.timer
	Now         int64  // ps
	ResendCount uint32 // packets from resend on, 0: one
	ResendMap   uint32 // not 0: address of resend_count bits (at most 2048), lowest first: which of them
}

// A record that does not lie as the interface says does not compile.
const (
	_ = -(uint(unsafe.Sizeof(Path{})) ^ 8)
	_ = -(uint(unsafe.Offsetof(Path{}.PeerPort)) ^ 2)
	_ = -(uint(unsafe.Offsetof(Path{}.TPN)) ^ 4)
	_ = -(uint(unsafe.Sizeof(Conn{})) ^ 208)
	_ = -(uint(unsafe.Offsetof(Conn{}.ID)) ^ 4)
	_ = -(uint(unsafe.Offsetof(Conn{}.PeerDevice)) ^ 8)
	_ = -(uint(unsafe.Offsetof(Conn{}.Service)) ^ 12)
	_ = -(uint(unsafe.Offsetof(Conn{}.Protocol)) ^ 13)
	_ = -(uint(unsafe.Offsetof(Conn{}.Order)) ^ 14)
	_ = -(uint(unsafe.Offsetof(Conn{}.Lane)) ^ 15)
	_ = -(uint(unsafe.Offsetof(Conn{}.ServiceLevel)) ^ 16)
	_ = -(uint(unsafe.Offsetof(Conn{}.NPaths)) ^ 18)
	_ = -(uint(unsafe.Offsetof(Conn{}.Paths)) ^ 20)
	_ = -(uint(unsafe.Offsetof(Conn{}.MTU)) ^ 148)
	_ = -(uint(unsafe.Offsetof(Conn{}.InitialPSN)) ^ 152)
	_ = -(uint(unsafe.Offsetof(Conn{}.Window)) ^ 156)
	_ = -(uint(unsafe.Offsetof(Conn{}.AckTimeout)) ^ 160)
	_ = -(uint(unsafe.Offsetof(Conn{}.RetryCount)) ^ 164)
	_ = -(uint(unsafe.Offsetof(Conn{}.RnrCount)) ^ 168)
	_ = -(uint(unsafe.Offsetof(Conn{}.RnrTimer)) ^ 172)
	_ = -(uint(unsafe.Offsetof(Conn{}.UDPPort)) ^ 176)
	_ = -(uint(unsafe.Offsetof(Conn{}.Entropy)) ^ 180)
	_ = -(uint(unsafe.Offsetof(Conn{}.Rate)) ^ 184)
	_ = -(uint(unsafe.Offsetof(Conn{}.BaseRTT)) ^ 192)
	_ = -(uint(unsafe.Offsetof(Conn{}.Hops)) ^ 200)
	_ = -(uint(unsafe.Offsetof(Conn{}.Flags)) ^ 204)
	_ = -(uint(unsafe.Sizeof(Packet{})) ^ 112)
	_ = -(uint(unsafe.Offsetof(Packet{}.Kind)) ^ 4)
	_ = -(uint(unsafe.Offsetof(Packet{}.Lane)) ^ 5)
	_ = -(uint(unsafe.Offsetof(Packet{}.Flags)) ^ 6)
	_ = -(uint(unsafe.Offsetof(Packet{}.Path)) ^ 8)
	_ = -(uint(unsafe.Offsetof(Packet{}.Port)) ^ 10)
	_ = -(uint(unsafe.Offsetof(Packet{}.Entropy)) ^ 12)
	_ = -(uint(unsafe.Offsetof(Packet{}.NPkts)) ^ 16)
	_ = -(uint(unsafe.Offsetof(Packet{}.Marked)) ^ 20)
	_ = -(uint(unsafe.Offsetof(Packet{}.PSN)) ^ 24)
	_ = -(uint(unsafe.Offsetof(Packet{}.Payload)) ^ 28)
	_ = -(uint(unsafe.Offsetof(Packet{}.Wire)) ^ 32)
	_ = -(uint(unsafe.Offsetof(Packet{}.MSN)) ^ 36)
	_ = -(uint(unsafe.Offsetof(Packet{}.Conn)) ^ 40)
	_ = -(uint(unsafe.Offsetof(Packet{}.Offset)) ^ 48)
	_ = -(uint(unsafe.Offsetof(Packet{}.CC)) ^ 56)
	_ = -(uint(unsafe.Offsetof(Packet{}.SentAt)) ^ 72)
	_ = -(uint(unsafe.Offsetof(Packet{}.Now)) ^ 80)
	_ = -(uint(unsafe.Offsetof(Packet{}.NotBefore)) ^ 88)
	_ = -(uint(unsafe.Offsetof(Packet{}.Timer)) ^ 96)
	_ = -(uint(unsafe.Offsetof(Packet{}.ExtPtr)) ^ 104)
	_ = -(uint(unsafe.Offsetof(Packet{}.ExtLen)) ^ 108)
	_ = -(uint(unsafe.Sizeof(Verdict{})) ^ 96)
	_ = -(uint(unsafe.Offsetof(Verdict{}.Deliver)) ^ 4)
	_ = -(uint(unsafe.Offsetof(Verdict{}.Wake)) ^ 5)
	_ = -(uint(unsafe.Offsetof(Verdict{}.Flags)) ^ 6)
	_ = -(uint(unsafe.Offsetof(Verdict{}.Status)) ^ 8)
	_ = -(uint(unsafe.Offsetof(Verdict{}.AckedValid)) ^ 12)
	_ = -(uint(unsafe.Offsetof(Verdict{}.GoBackValid)) ^ 13)
	_ = -(uint(unsafe.Offsetof(Verdict{}.ResendValid)) ^ 14)
	_ = -(uint(unsafe.Offsetof(Verdict{}.Reply)) ^ 15)
	_ = -(uint(unsafe.Offsetof(Verdict{}.Acked)) ^ 16)
	_ = -(uint(unsafe.Offsetof(Verdict{}.GoBack)) ^ 20)
	_ = -(uint(unsafe.Offsetof(Verdict{}.Resend)) ^ 24)
	_ = -(uint(unsafe.Offsetof(Verdict{}.ReplyKind)) ^ 28)
	_ = -(uint(unsafe.Offsetof(Verdict{}.ReplyFlags)) ^ 30)
	_ = -(uint(unsafe.Offsetof(Verdict{}.ReplyPSN)) ^ 32)
	_ = -(uint(unsafe.Offsetof(Verdict{}.ReplyWire)) ^ 36)
	_ = -(uint(unsafe.Offsetof(Verdict{}.ReplyMSN)) ^ 40)
	_ = -(uint(unsafe.Offsetof(Verdict{}.ReplyCC)) ^ 44)
	_ = -(uint(unsafe.Offsetof(Verdict{}.ReplyExtPtr)) ^ 60)
	_ = -(uint(unsafe.Offsetof(Verdict{}.ReplyExtLen)) ^ 64)
	_ = -(uint(unsafe.Offsetof(Verdict{}.Timer)) ^ 72)
	_ = -(uint(unsafe.Offsetof(Verdict{}.Now)) ^ 80)
	_ = -(uint(unsafe.Offsetof(Verdict{}.ResendCount)) ^ 88)
	_ = -(uint(unsafe.Offsetof(Verdict{}.ResendMap)) ^ 92)
)
