//go:build wasip1

// Command transport-go is a transport plugin in Go: a reliable protocol with a fixed window, as transport-c is. Build it with
// `hsim plugin build examples/transport-go`, or copy this directory, change it, and build the copy; then say what it
// carries in sim.toml:
//
//	[transport]
//	HCCS = { plugin = "transport-go.wasm", params = { window = 16 } }
//
// A connection has at most `window` packets under way and sends on when the receiver has acknowledged some. What is not
// acknowledged in time is sent again from the oldest packet on.
package main

import (
	"hsim/abi/guest"
	"hsim/abi/guest/transport"
)

const (
	header      = 40 // bytes of every packet
	ack         = 40 // bytes of an acknowledgement
	statusRetry = 12 // completion status: retries used up
)

var window = uint32(16)

// line is one end of a connection: both directions of it.
type line struct {
	next, newest   uint32 // number of the next packet to send; after the last one ever sent
	oldest         uint32 // oldest that is not acknowledged
	expected       uint32 // from the peer
	mtu            uint32
	timeout        int64 // ps
	tries, retries uint32
	armed          bool // the timer is running
}

var lines = map[int32]*line{}

func main() {} // not called: the module's functions are

//go:wasmexport hsim_abi_transport_v1
func features() uint32 {
	return transport.FeatureReliable | transport.FeatureNotifyWithWrite | transport.FeatureOrdered
}

//go:wasmexport hsim_describe
func describe() uint64 {
	return guest.Text(`{"name":"window","version":"1.0","about":"a fixed window, acknowledged packet by packet","params":[
{"name":"mtu","type":"bytes","default":"4KiB","about":"payload of a full packet: 256, 512, 1024, 2048 or 4096"},
{"name":"window","type":"int","default":"16","about":"packets under way on one connection; 1 = stop-and-wait"}]}`)
}

//go:wasmexport hsim_set_param
func setParam(index uint32, value int64) int32 {
	switch {
	case index == 0 && value >= 256 && value <= 4096 && value&(value-1) == 0: // the host tells each connection
	case index == 1 && value >= 1 && value <= 1<<20:
		window = uint32(value)
	default:
		return transport.StatusInvalid
	}
	return transport.StatusOK
}

//go:wasmexport hsim_transport_start
func start() int32 { return transport.StatusOK }

//go:wasmexport hsim_transport_open
func open(conn *transport.Conn) int32 {
	first := conn.InitialPSN
	lines[conn.ID] = &line{next: first, newest: first, oldest: first, expected: first}
	return modify(conn)
}

//go:wasmexport hsim_transport_modify
func modify(conn *transport.Conn) int32 {
	l := lines[conn.ID]
	l.mtu, l.retries, l.timeout = conn.MTU, conn.RetryCount, 0
	if conn.AckTimeout > 0 {
		l.timeout = 4_096_000 << conn.AckTimeout // 4.096 us * 2^n in ps, as verbs have it
	}
	return transport.StatusOK
}

//go:wasmexport hsim_transport_close
func closeLine(id int32) { delete(lines, id) }

// next is called when the port could send. 0 = not now; the acknowledgement wakes us.
//
//go:wasmexport hsim_transport_next
func next(id int32, left, room int64, packet *transport.Packet) int64 {
	l := lines[id]
	free := window - min(window, l.next-l.oldest)
	if free == 0 {
		return 0
	}
	n := min(left, room, int64(free)*int64(l.mtu))
	packets := max(uint32((n+int64(l.mtu)-1)/int64(l.mtu)), 1)
	packet.PSN, packet.NPkts = l.next, packets
	packet.Payload, packet.Wire = uint32(n), uint32(n)+packets*header
	if l.next += packets; int32(l.next-l.newest) > 0 {
		l.newest = l.next
	} else {
		packet.Flags |= transport.FlagRetransmission
	}
	if l.timeout > 0 && !l.armed {
		l.armed = true
		packet.Timer = packet.Now + l.timeout
	}
	return n
}

//go:wasmexport hsim_transport_receive
func receive(packet *transport.Packet, verdict *transport.Verdict) {
	l := lines[packet.Conn]
	switch packet.Kind {
	case transport.PacketData: // take it if it is the expected one, and say in any case what has arrived
		verdict.Deliver = transport.DeliverDrop
		if packet.PSN == l.expected {
			verdict.Deliver = transport.DeliverInOrder
			l.expected += packet.NPkts
		}
		verdict.Reply, verdict.ReplyKind = 1, transport.PacketAck
		verdict.ReplyPSN, verdict.ReplyWire = l.expected, ack
	case transport.PacketAck:
		if int32(packet.PSN-l.oldest) <= 0 || int32(packet.PSN-l.newest) > 0 {
			return
		}
		l.oldest, l.tries = packet.PSN, 0
		if int32(l.oldest-l.next) > 0 {
			l.next = l.oldest
		}
		verdict.AckedValid, verdict.Acked, verdict.Wake = 1, packet.PSN, 1
		if l.armed = l.timeout > 0 && l.oldest != l.newest; l.armed {
			verdict.Timer = verdict.Now + l.timeout
		} else {
			verdict.Timer = -1
		}
	}
}

// timer is called when nothing was acknowledged for too long: go back to the oldest packet.
//
//go:wasmexport hsim_transport_timer
func timer(id int32, verdict *transport.Verdict) {
	l := lines[id]
	if l.armed = false; l.oldest == l.newest {
		return
	}
	if l.tries++; l.tries > l.retries {
		verdict.Status = statusRetry
		return
	}
	l.next = l.oldest
	verdict.GoBackValid, verdict.GoBack, verdict.Wake = 1, l.oldest, 1
}

//go:wasmexport hsim_transport_link
func link(port, up uint32, rate int64) {}
