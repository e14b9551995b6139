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

// Protocol is the engine of one device. Packet, Verdict and Conn are the records
// that the calls read and write; their addresses may change with any call. An error is
// a trap of the module.
type Protocol interface {
	Packet() *abi.Packet
	Verdict() *abi.Verdict
	// Conn is the record that Open and Modify read.
	Conn() *abi.Conn
	Open() error
	Modify() error
	Close(id int32) error
	// Next fills Packet with the next packet of connection id, of a message
	// with left bytes to go, at most room bytes; Packet.NPkts 0 means not now.
	Next(id int32, left, room int64) (int64, error)
	Receive() error
	Timer(id int32) error
}
