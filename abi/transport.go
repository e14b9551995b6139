package abi

// Kinds of packets (Packet.Kind, Verdict.ReplyKind).
const (
	PacketData        = 0
	PacketAck         = 1
	PacketNak         = 2
	PacketSack        = 3
	PacketCNP         = 4 // congestion notification
	PacketReadRequest = 5
	PacketProbe       = 6
)

// Bits of Packet.Flags and Verdict.ReplyFlags.
const (
	PacketFirst          = 1   // first packet of a message
	PacketLast           = 2   // last packet of a message
	PacketAckRequest     = 4   // the receiver is asked to acknowledge now
	PacketSpray          = 8   // switches may pick a path per packet
	PacketCorrupt        = 16  // arrived with a bad checksum
	PacketRetransmission = 32  // sent before
	PacketNotify         = 64  // the message carries a notify
	PacketNoReceive      = 128 // on receive: a send that finds no posted receive; answer not-ready, do not deliver
)

// Values of Verdict.Deliver.
const (
	DeliverNone       = 0 // nothing for the host (an acknowledgement, a probe)
	DeliverInOrder    = 1
	DeliverOutOfOrder = 2
	DeliverDrop       = 3
)

// Services of a connection (Conn.Service).
const (
	ServiceReliable   = 0
	ServiceUnreliable = 1
	ServiceDatagram   = 2
	ServiceMemory     = 3
)

// Bits of Conn.Flags: what hsim_transport_modify asks for besides changed attributes.
const (
	ConnPause = 1 // send nothing until a modify without this bit
	ConnDrain = 2 // finish what is in flight, start nothing new
	ConnError = 4 // the host has failed the connection; forget timers
	ConnReset = 8 // back to the state after open
)

// Feature bits returned by hsim_abi_transport_v1: services and operations that the plugin carries.
const (
	FeatureReliable        = 1 << ServiceReliable
	FeatureUnreliable      = 1 << ServiceUnreliable
	FeatureDatagram        = 1 << ServiceDatagram
	FeatureMemory          = 1 << ServiceMemory
	FeatureNotifyWithWrite = 1 << 4
	FeatureReduce          = 1 << 5 // write with reduce
	FeatureRemoteRegisters = 1 << 6 // reads and writes of remote hardware registers
	FeatureRead            = 1 << 7
	FeatureSend            = 1 << 8
	FeatureAtomic          = 1 << 9
	FeatureOrdered         = 1 << 10 // messages of one connection land in posting order
	FeatureMultipath       = 1 << 11 // a connection may use several ports; without it the host gives it one path
	FeatureShared          = 1 << 12 // nothing is kept but the state of connections, so that an instance may serve several devices
)

// MaxPaths is the number of entries in Conn.Paths.
const MaxPaths = 16

// MaxExt is the largest Packet.ExtLen and Verdict.ReplyExtLen in bytes.
const MaxExt = 256

// Path is one way of a connection through the network: a port at either end and the number of its transport channel.
type Path struct {
	LocalPort uint16
	PeerPort  uint16
	TPN       uint32
}

// Conn describes a connection to hsim_transport_open and hsim_transport_modify.
//
// Rates are bits per second, times picoseconds, except AckTimeout and RnrTimer, which are the exponents and codes of
// the verbs interface (4.096 us * 2^AckTimeout, 0 = never).
type Conn struct {
	Size         uint32
	ID           int32
	PeerDevice   int32
	Service      uint8 // ServiceReliable ..
	Protocol     uint8 // information only: the topology's protocol number
	Order        uint8 // 0 default, 1 by target, 2 by initiator, 3 by lower layer, 4 none
	Lane         uint8
	ServiceLevel uint8
	_            uint8
	NPaths       uint16
	Paths        [MaxPaths]Path
	MTU          uint32 // payload bytes of a full packet
	InitialPSN   uint32
	Window       uint32 // packets in flight, 0 = the plugin's own
	AckTimeout   uint32
	RetryCount   uint32
	RnrCount     uint32
	RnrTimer     uint32
	UDPPort      uint32 // source port
	Entropy      uint32 // Packet.Entropy of its packets as the host fills it: a function of both devices and UDPPort
	Rate         int64
	BaseRTT      int64
	Hops         uint32
	Flags        uint32 // ConnPause ..
}

// Packet is one packet, or a train of NPkts equal packets with consecutive sequence numbers, on its way out
// (hsim_transport_next fills it) or in (hsim_transport_receive reads it).
type Packet struct {
	Size      uint32
	Kind      uint8 // PacketData ..
	Lane      uint8
	Flags     uint16 // PacketFirst ..
	Path      uint16 // index in Conn.Paths
	Port      uint16
	Entropy   uint32 // what switches hash; same value, same path
	NPkts     uint32 // packets in this train, at least 1
	Marked    uint32 // how many of them carry a congestion mark
	PSN       uint32 // of the first packet
	Payload   uint32 // bytes of the whole train
	Wire      uint32 // bytes of the whole train with all headers
	MSN       uint32
	Conn      int32 // on receive: the receiver's id of the connection
	_         uint32
	Offset    uint64 // on next: first byte of the packet, counted from the start of its message
	CC        [4]uint32
	SentAt    int64  // ps
	Now       int64  // ps
	NotBefore int64  // next returned 0: when to ask again, 0 = not before a verdict with Wake
	Timer     int64  // next: when to call hsim_transport_timer, 0 = leave as it is, -1 = cancel
	ExtPtr    uint32 // on receive and in send: bytes that travel with a packet of another kind than data
	ExtLen    uint32 // at most MaxExt
}

// Verdict is what a plugin decided about a received packet (hsim_transport_receive) or an expired timer
// (hsim_transport_timer). The host clears it before the call, except Size, Now and fields that only count beside a flag.
//
// Packets that ResendValid names are sent again before anything new: the host asks hsim_transport_next for each of them
// with its number in Packet.PSN, PacketRetransmission set and the bytes of that packet as left.
type Verdict struct {
	Size        uint32
	Deliver     uint8 // DeliverNone ..
	Wake        uint8 // ask the connection for packets again
	Flags       uint16
	Status      int32 // not 0: fail the connection with this completion status
	AckedValid  uint8
	GoBackValid uint8
	ResendValid uint8
	Reply       uint8  // 1: send the packet in the Reply fields, by the port that the packet came in, or the first path
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
	Timer       int64  // as Packet.Timer
	Now         int64  // ps
	ResendCount uint32 // packets from Resend on, 0 = one
	ResendMap   uint32 // not 0: address of ResendCount bits, lowest first, one for each of them that is to be sent; ResendCount at most 8 * MaxExt
}
