package transport

import (
	"cmp"
	"fmt"

	"hsim/abi"
	"hsim/host/fabric"
	"hsim/host/topo"
)

// Service is what a connection promises; the zero value is what the carrier says.
type Service uint8

// The services, by the numbers of the ABI plus one.
const (
	CarrierService Service = iota
	Reliable
	Unreliable
	Datagram
	Memory
)

func (s Service) String() string {
	return [...]string{"carrier's", "reliable", "unreliable", "datagram", "memory"}[s]
}

// Spec says what to connect. Index tells several connections of one pair apart:
// each has a UDP source port of its own, by which switches hash.
type Spec struct {
	A, B         topo.NodeID
	Protocol     topo.Protocol
	Index        int
	Service      Service
	ServiceLevel uint8
	// MTUA and MTUB are the payload of a full packet from either end, 0 = the
	// carrier's. Both ends use the smaller, unless Force is set: then each keeps its
	// own, and refuses what is larger.
	MTUA, MTUB uint32
	Force      bool
	// Detours lets the first switch take ways that are longer by a link.
	Detours bool
	// Order and Trans are held to the rules of URMA.
	Order Order
	Trans Trans
	// Channels, where more than 1, makes a bundle of as many connections, each with
	// a source port of its own and, where the plugin uses several, a port of the
	// device of its own; 0 = the carrier's.
	Channels int
	channel  int // number within a bundle, from 1
	Via      *Via
}

// Via fixes the way of a connection: one port at either end, the set of routes
// of each direction (a number of AddRoutes) and the lane of its packets.
type Via struct {
	PortA, PortB topo.PortID
	ToA, ToB     uint8
	Lane         uint8 // in place of that of the service level
	// Group, where not 0, are the ports that switches prefer, see
	// fabric.SetGroup: a plane, or ports that act as one.
	Group uint8
}

// Connect makes a connection and returns its two ends.
func (n *Net) Connect(s Spec) (a, b ConnID, err error) {
	car := n.nets[s.Protocol]
	if car == nil {
		return 0, 0, fmt.Errorf("transport: connect %s to %s: no plugin carries %v (name one under [transport])",
			n.Graph.Nodes[s.A].Name, n.Graph.Nodes[s.B].Name, s.Protocol)
	}
	if s.A == s.B {
		return 0, 0, fmt.Errorf("transport: connect %s: got the same device at both ends, want two", n.Graph.Nodes[s.A].Name)
	}
	service, mtuA, mtuB, err := n.agree(car, &s)
	if err != nil {
		return 0, 0, err
	}
	if s.channel == 0 {
		reliable := service == abi.ServiceReliable || service == abi.ServiceMemory
		if reliable {
			s.Order = cmp.Or(s.Order, car.Order)
		}
		if err := urma(s.Protocol, s.Trans, s.Order, reliable); err != nil {
			return 0, 0, fmt.Errorf("transport: connect %s to %s: %w", n.Graph.Nodes[s.A].Name, n.Graph.Nodes[s.B].Name, err)
		}
		if !reliable && s.Order == OrderDefault && s.Protocol <= topo.UBOE {
			s.Order = OrderNone // UNO: of UB's unreliable transport
		}
		if s.Channels = cmp.Or(s.Channels, car.Channels); reliable && (s.Channels > 1 || car.Bundle != (BundleSpec{})) {
			return n.group(car, s)
		}
		s.Channels = 0
	}
	a, ca := n.conns.get()
	b, cb := n.conns.get()
	ca.service, cb.service, ca.mtu, cb.mtu = service, service, mtuA, mtuB
	ca.peer, cb.peer = b, a
	var there, back *way
	if v := s.Via; v != nil {
		there, back = &way{port: v.PortA, net: v.ToB, lane: v.Lane, hint: v.Group}, &way{port: v.PortB, net: v.ToA, lane: v.Lane, hint: v.Group}
	}
	if err := n.open(a, ca, s.A, s.B, car, &s, there); err != nil {
		return 0, 0, err
	}
	if err := n.open(b, cb, s.B, s.A, car, &s, back); err != nil {
		return 0, 0, err
	}
	return a, b, nil
}

// way is one direction of a Via.
type way struct {
	port  topo.PortID
	net   uint8
	lane  uint8
	hint  uint8
	flags uint16
}

// agree settles service and MTU of a connection.
func (n *Net) agree(car *carrierState, s *Spec) (service uint8, a, b uint32, err error) {
	service = car.Service
	if s.Service != CarrierService {
		service = uint8(s.Service - 1)
	}
	if car.Plugin.Features()>>service&1 == 0 {
		return 0, 0, 0, fmt.Errorf("transport: connect %s to %s: plugin %s offers no %v service",
			n.Graph.Nodes[s.A].Name, n.Graph.Nodes[s.B].Name, car.Plugin.Name(), Service(service+1))
	}
	a, b = cmp.Or(s.MTUA, car.MTU), cmp.Or(s.MTUB, car.MTU)
	if !s.Force {
		a = min(a, b)
		b = a
	}
	return service, a, b, nil
}

// lane is the lane of a service level.
func (n *Net) lane(level uint8) uint8 {
	if int(level) < len(n.Lanes) {
		return n.Lanes[level]
	}
	return level % uint8(max(n.Fabric.Lanes(), 1))
}

// hashed is what switches tell flows apart by: both addresses and the source port,
// the destination port being the same for all.
func hashed(from, to topo.NodeID, port uint32) uint32 {
	h := uint32(from)*0x9e3779b1 ^ uint32(to)*0x85ebca6b ^ port*0xc2b2ae35
	h = (h ^ h>>16) * 0x7feb352d
	return h ^ h>>15
}

func (n *Net) open(id ConnID, c *conn, from, to topo.NodeID, car *carrierState, s *Spec, via *way) error {
	index := s.Index*max(s.Channels, 1) + s.channel
	x := n.nic(from)
	e, err := x.engine(car)
	if err != nil {
		return err
	}
	w := way{net: car.net, lane: n.lane(s.ServiceLevel)}
	out := car.routes.Ports(from, to)
	if via != nil {
		w, out = *via, []topo.PortID{via.port}
	}
	if s.Detours {
		w.flags = fabric.FlagDetour
		n.Fabric.AllowDetours()
	}
	if len(out) == 0 {
		return fmt.Errorf("transport: connect %s to %s: no route over links that carry %v", n.Graph.Nodes[from].Name, n.Graph.Nodes[to].Name, car.proto)
	}
	if !car.multipath {
		k := (uint64(from)*0x9e3779b1 + uint64(to)*0x85ebca6b + uint64(s.Index)*0xc2b2ae35) >> 7
		k = (k + uint64(s.channel)) % uint64(len(out))
		out = out[k : k+1]
	} else if s.Channels > 1 {
		k := (s.channel - 1) % len(out)
		out = out[k : k+1]
	} else if len(out) > abi.MaxPaths {
		out = out[:abi.MaxPaths]
	}
	if s.Order == OrderLower && len(out) > 1 && car.Plugin.Features()&abi.FeatureOrdered == 0 {
		return fmt.Errorf("transport: connect %s to %s: got order %v over %d ports, between which packets overtake, want one (try order %v)",
			n.Graph.Nodes[from].Name, n.Graph.Nodes[to].Name, s.Order, len(out), OrderTarget)
	}
	c.node, c.far, c.proto, c.engine = from, to, car.index, e.index
	c.local = int32(len(e.conns))
	c.ports, c.paths = x.pathSet(out, w), uint8(len(out))
	rec := e.proto.Conn()
	rec.ID, rec.PeerDevice, rec.Service, rec.Protocol, rec.MTU = c.local, int32(to), c.service, uint8(car.proto), c.mtu
	rec.Window, rec.AckTimeout, rec.RetryCount, rec.RnrCount, rec.RnrTimer = car.Window, car.AckTimeout, car.RetryCount, car.RnrCount, car.RnrTimer
	c.order = s.Order
	rec.Order, rec.Lane, rec.ServiceLevel, rec.InitialPSN, rec.BaseRTT, rec.Hops, rec.Flags = uint8(s.Order), w.lane, s.ServiceLevel, 0, 0, 0, 0
	rec.UDPPort = 0xc000 | uint32(index^index>>14)&0x3fff
	c.entropy = hashed(from, to, rec.UDPPort)
	rec.Entropy, rec.NPaths, rec.Rate = c.entropy, uint16(len(out)), 0
	for i, p := range out {
		rec.Paths[i] = abi.Path{LocalPort: uint16(n.Graph.Ports[p].Index), TPN: uint32(id)<<4 | uint32(i)}
		rec.Rate += int64(n.Fabric.Rate(p))
	}
	e.conns = append(e.conns, id)
	if err := e.proto.Open(); err != nil {
		if e == car.shared && len(e.conns) > 1 {
			car.shared = nil // it may be full: once more with an instance of its own
			return n.open(id, c, from, to, car, s, via)
		}
		return fmt.Errorf("transport: plugin %s: open: %w", car.Plugin.Name(), err)
	}
	return nil
}
