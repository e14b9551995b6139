package device

import "hsim/host/transport"

// Network is the transport as a device uses it.
type Network interface {
	Post(c transport.ConnID, wr *transport.WR) error
	SetSink(c transport.ConnID, s transport.Sink)
}
