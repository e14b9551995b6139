// Code generated from the tables of package abi by go generate; DO NOT EDIT.

package transport

// Status codes of imports and exports; positive values are the plugin's own.
const (
	StatusOK          int32 = 0   // done
	StatusInvalid     int32 = -1  // an argument is outside its range
	StatusAddress     int32 = -2  // a device address is not mapped, or the range leaves its buffer
	StatusLocal       int32 = -3  // a range is outside the module's own memory, or misaligned
	StatusAccess      int32 = -4  // the range may not be read or written by this device
	StatusUnsupported int32 = -5  // this chip, data type or mode does not offer the operation
	StatusLimit       int32 = -6  // the hardware has no more of the resource
	StatusNotFound    int32 = -7  // no such identifier
	StatusState       int32 = -8  // not allowed in the present state
	StatusFault       int32 = -9  // the peer or the link failed
	StatusTimeout     int32 = -10 // waited too long
	StatusAborted     int32 = -11 // the task or the run is being stopped
	StatusShort       int32 = -12 // a record is shorter than this version needs
	StatusNoMemory    int32 = -13 // the host grants no more memory
)

// Data types, numbered as HcclDataType.
const (
	DtypeInt8    uint32 = 0
	DtypeInt16   uint32 = 1
	DtypeInt32   uint32 = 2
	DtypeFp16    uint32 = 3
	DtypeFp32    uint32 = 4
	DtypeInt64   uint32 = 5
	DtypeUint64  uint32 = 6
	DtypeUint8   uint32 = 7
	DtypeUint16  uint32 = 8
	DtypeUint32  uint32 = 9
	DtypeFp64    uint32 = 10
	DtypeBf16    uint32 = 11
	DtypeInt128  uint32 = 12
	DtypeHif8    uint32 = 14
	DtypeFp8e4m3 uint32 = 15
	DtypeFp8e5m2 uint32 = 16
	DtypeFp8e8m0 uint32 = 17
)

// Reduce operations, numbered as HcclReduceOp.
const (
	ReduceSum  uint32 = 0
	ReduceProd uint32 = 1
	ReduceMax  uint32 = 2
	ReduceMin  uint32 = 3
)

// Kinds of packets.
const (
	PacketData        uint8 = 0
	PacketAck         uint8 = 1
	PacketNak         uint8 = 2
	PacketSack        uint8 = 3
	PacketCNP         uint8 = 4 // congestion notification
	PacketReadRequest uint8 = 5
	PacketProbe       uint8 = 6
)

// Bits of packet.flags.
const (
	FlagFirst          uint16 = 1 // first packet of a message
	FlagLast           uint16 = 2 // last packet of a message
	FlagAckRequest     uint16 = 4
	FlagSpray          uint16 = 8  // switches may pick a path per packet
	FlagCorrupt        uint16 = 16 // arrived with a bad checksum
	FlagRetransmission uint16 = 32
	FlagNotify         uint16 = 64  // the message carries a notify
	FlagNoReceive      uint16 = 128 // receive: a send without a posted receive; answer not-ready, do not deliver
)

// Values of verdict.deliver.
const (
	DeliverNone       uint8 = 0 // nothing for the host
	DeliverInOrder    uint8 = 1
	DeliverOutOfOrder uint8 = 2
	DeliverDrop       uint8 = 3
)

// Services of a connection.
const (
	ServiceReliable   uint8 = 0
	ServiceUnreliable uint8 = 1
	ServiceDatagram   uint8 = 2
	ServiceMemory     uint8 = 3
)

// Bits of conn.flags in a modify.
const (
	ConnPause uint32 = 1 // send nothing until a modify without this bit
	ConnDrain uint32 = 2 // finish what is in flight, start nothing new
	ConnError uint32 = 4 // the host has failed the connection
	ConnReset uint32 = 8 // back to the state after open
)

// Bits returned by hsim_abi_transport_v1.
const (
	FeatureReliable        uint32 = 1
	FeatureUnreliable      uint32 = 2
	FeatureDatagram        uint32 = 4
	FeatureMemory          uint32 = 8
	FeatureNotifyWithWrite uint32 = 16
	FeatureReduce          uint32 = 32 // write with reduce
	FeatureRemoteRegisters uint32 = 64
	FeatureRead            uint32 = 128
	FeatureSend            uint32 = 256
	FeatureAtomic          uint32 = 512
	FeatureOrdered         uint32 = 1024 // messages land in posting order
	FeatureMultipath       uint32 = 2048 // a connection may use several ports; without it the host gives it one path
	FeatureShared          uint32 = 4096 // nothing is kept but the state of connections, so that an instance may serve several devices
)

// Limits.
const (
	MaxPaths = 16
	MaxExt   = 256 // bytes
)
