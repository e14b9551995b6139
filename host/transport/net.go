package transport

import (
	"cmp"
	"errors"
	"fmt"
	"slices"

	"hsim/abi"
	"hsim/host/fabric"
	"hsim/host/mem"
	"hsim/host/sim"
	"hsim/host/soc"
	"hsim/host/topo"
)

// Carrier says which plugin carries a protocol and how.
type Carrier struct {
	Plugin  Plugin
	MTU     uint32 // payload of a full packet, 0 = 4096
	Service uint8  // abi.Service...
	// ReadEff and WriteEff, where not 0, are the permille of the link rate
	// that the payload of a transfer gets, headers included.
	ReadEff, WriteEff int
	AckTimeout        uint32 // exponent of verbs, 4.096 us * 2^n, 0 = never
	RetryCount        uint32
	RnrCount          uint32
	RnrTimer          uint32
	Window            uint32 // packets, 0 = the plugin's own
	// Channels is the number of connections that make one, see Spec.Channels; Bundle
	// says how they share its requests. Both are for reliable and memory services.
	Channels int
	Bundle   BundleSpec
	// Order is that of connections to which Spec gives none.
	Order Order
	// Routes, where not nil, are given and not computed.
	Routes *topo.Routes
}

// Config is what the transport of a simulation is made of.
type Config struct {
	Engine   *sim.Engine
	Graph    *topo.Graph
	Fabric   *fabric.Fabric
	Mem      *mem.Space
	Carriers map[topo.Protocol]Carrier
	// Headers false: headers and acknowledgements take no bytes.
	Headers bool
	// Train is the largest number of packets that travel as one, 1 = packet
	// level, 0 = chosen by message length.
	Train    int
	Overflow mem.Overflow // of reducing writes
	// Lanes is the lane of every service level; nil: of the same number, modulo the
	// lanes that ports have.
	Lanes []uint8
}

// Net is the transport of one simulation: the NIC of every device and all
// connections.
type Net struct {
	Config
	id       sim.ID
	conns    conns
	wrs      requests
	more     []*more // see conn.more
	exts     exts
	paths    []path
	nics     []*nic
	engines  []*engine
	nets     [soc.NumProtocols]*carrierState
	failed   error // first fault of a plugin
	failedAt sim.Time
	modes    Reductions    // nil: Overflow everywhere
	out      fabric.Packet // being sent

	undelivered Undelivered
}

type carrierState struct {
	Carrier
	proto     topo.Protocol
	net       uint8
	routes    *topo.Routes
	index     uint8
	multipath bool
	shared    *engine // of a plugin that keeps no state of devices: the one that new connections get
}

// path is one way out of a device: its NIC port, by index in the NIC, and what
// its packets carry.
type path struct {
	port  uint16
	net   uint8 // set of routes
	lane  uint8
	trunk topo.PortID
	flags uint16
	hint  uint8
}

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
	Lane         uint8
	// Group, where not 0, are the ports that switches prefer, see
	// fabric.SetGroup: a plane, or ports that act as one.
	Group uint8
	// Detours lets the first switch take ways that are longer by a link.
	Detours bool
}

// ErrState is wrapped by the errors of a post on a connection that failed or
// was closed.
var ErrState = errors.New("connection is not ready")

// New makes the transport. It builds the routes of every carried protocol.
func New(c Config) (*Net, error) {
	carried := uint8(0)
	n := &Net{Config: c, nics: make([]*nic, len(c.Graph.Nodes))}
	n.id = c.Engine.Register(n)
	for p := topo.Protocol(0); p < soc.NumProtocols; p++ {
		car, ok := c.Carriers[p]
		if !ok {
			continue
		}
		routes := car.Routes
		if routes == nil {
			var err error
			if routes, err = c.Graph.Routes(p); err != nil {
				return nil, fmt.Errorf("transport: routes of %v: %w", p, err)
			}
		}
		if car.MTU == 0 {
			car.MTU = 4096
		}
		n.nets[p] = &carrierState{Carrier: car, proto: p, routes: routes, net: c.Fabric.AddRoutes(routes), index: carried,
			multipath: car.Plugin.Features()&abi.FeatureMultipath != 0}
		carried++
	}
	c.Fabric.SetLost(n.spent)
	c.Engine.AddReporter(n.report)
	return n, nil
}

// Fault is the first fault of a plugin (a trap, or a claim that cannot be), nil
// without one.
func (n *Net) Fault() error { return n.failed }

// FaultAt is when that was.
func (n *Net) FaultAt() sim.Time { return n.failedAt }

// Features are the abi.Feature bits of the plugin that carries p; 0 when none
// does.
func (n *Net) Features(p topo.Protocol) uint32 {
	if c := n.nets[p]; c != nil {
		return c.Plugin.Features()
	}
	return 0
}

// PluginName names the plugin that carries a protocol, "" for none.
func (n *Net) PluginName(p topo.Protocol) string {
	if c := n.nets[p]; c != nil {
		return c.Plugin.Name()
	}
	return ""
}

// AddRoutes adds a set of routes for connections with a Via.
func (n *Net) AddRoutes(r *topo.Routes) uint8 { return n.Fabric.AddRoutes(r) }

// Routes are the routes that protocol p takes, nil when nothing carries it.
func (n *Net) Routes(p topo.Protocol) *topo.Routes {
	if c := n.nets[p]; c != nil {
		return c.routes
	}
	return nil
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
		flags := uint16(0)
		if v.Detours {
			flags = fabric.FlagDetour
			n.Fabric.AllowDetours()
		}
		there, back = &way{v.PortA, v.ToB, v.Lane, v.Group, flags}, &way{v.PortB, v.ToA, v.Lane, v.Group, flags}
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
	if s.Detours {
		w.flags = fabric.FlagDetour
		n.Fabric.AllowDetours()
	}
	out := car.routes.Ports(from, to)
	if via != nil {
		w, out = *via, []topo.PortID{via.port}
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
		return fmt.Errorf("transport: plugin %s: open: %w", car.Plugin.Name(), err)
	}
	return nil
}

// SetSink says who takes the completions of connection end id.
func (n *Net) SetSink(id ConnID, s Sink) { n.conns.at(id).sink = s }

// Peer is the other end of a connection.
func (n *Net) Peer(id ConnID) ConnID { return n.conns.at(id).peer }

// Status is why a connection end failed, StatusOK while it works.
func (n *Net) Status(id ConnID) Status { return n.conns.at(id).status }

// Close ends both ends of a connection; what is queued is flushed.
func (n *Net) Close(id ConnID) error {
	for _, end := range []ConnID{id, n.conns.at(id).peer} {
		c := n.conns.at(end)
		if c.state == closed {
			continue
		}
		n.flush(end, c, StatusFlush, StatusFlush, nil)
		c.state = closed
		if c.role == roleBundle {
			if err := n.closeBundle(n.bundleAt(end)); err != nil {
				return err
			}
			continue
		}
		if err := n.engineOf(c).proto.Close(c.local); err != nil {
			return n.pluginFault(c, err)
		}
	}
	return nil
}

// Post queues a work request on connection end id and rings its doorbell. The
// request is copied. Errors: ErrState, and bounds of the local buffer.
func (n *Net) Post(id ConnID, wr *WR) error {
	c := n.conns.at(id)
	if c.state != ready {
		return fmt.Errorf("transport: post %v on connection %d of %s: %w (%v)", wr.Op, id, n.Graph.Nodes[c.node].Name, ErrState, c.status)
	}
	if c.loose() {
		if err := n.checkLoose(c, wr); err != nil {
			return err
		}
	}
	if wr.Op == OpAtomic {
		if err := n.checkAtomic(c, wr); err != nil {
			return err
		}
	} else if wr.Len > 0 {
		need := mem.Readable
		if wr.Op == OpRead {
			need = mem.Writable
		}
		if err := n.Mem.Check(wr.Local, wr.Len, need); err != nil {
			return fmt.Errorf("transport: post %v of %s: %w", wr.Op, n.Graph.Nodes[c.node].Name, err)
		}
	}
	if err := n.checkOrder(c, wr); err != nil {
		return err
	}
	if c.order == OrderInitiator && wr.Op.notifies() && wr.Len > 0 {
		return n.split(id, c, wr)
	}
	return n.push(id, c, wr, 0)
}

func (n *Net) push(id ConnID, c *conn, wr *WR, origin uint32) error {
	i, r := n.wrs.get()
	r.WR = *wr
	r.origin, r.conn = origin, id
	r.msn = c.msn
	c.msn++
	switch wr.Op {
	case OpSend:
		r.seq = c.sends
		c.sends++
	case OpRead:
		r.waits = c.role != roleBundle
	case OpAtomic:
		a := *wr.Atomic
		a.Operand, a.Compare = slices.Clone(a.Operand), slices.Clone(a.Compare)
		r.Atomic, r.waits = &a, c.role != roleBundle && a.returns(wr.Local)
		r.value, r.Len = wr.Len, int64(len(wr.Atomic.Operand)+len(wr.Atomic.Compare))
	case opReadResponse:
		if wr.Atomic != nil { // the old value
			r.inline = wr.Atomic.Operand
		}
	}
	switch {
	case wr.Flags&flagSlice != 0:
		if whole := n.wrs.at(origin).inline; whole != nil {
			r.inline = whole[wr.at : wr.at+wr.Len]
		}
	case c.order == OrderInitiator:
		r.alone = wr.Mark == MarkStrong || wr.Op == OpNotify
	}
	if wr.Flags&Inline != 0 && wr.Op != OpAtomic && wr.Len > 0 && (n.Mem.Data() == mem.Real || n.Mem.IsRegister(wr.Local)) {
		r.inline = make([]byte, wr.Len)
		if err := n.Mem.Read(wr.Local, r.inline); err != nil {
			n.wrs.put(i)
			return err
		}
	}
	if c.tail != 0 {
		n.wrs.at(c.tail).next = i
	} else {
		c.head = i
	}
	c.tail = i
	if c.cur == 0 {
		c.cur, c.off = i, 0
	}
	if !c.held {
		c.held = true
		n.Engine.Hold()
	}
	n.offer(id, c)
	return nil
}

// PostRecv posts a receive for the sends of the peer.
func (n *Net) PostRecv(id ConnID, r Recv) error {
	c := n.conns.at(id)
	if c.state != ready {
		return fmt.Errorf("transport: post receive on connection %d: %w", id, ErrState)
	}
	if r.Len > 0 {
		if err := n.Mem.Check(r.Addr, r.Len, mem.Writable); err != nil {
			return fmt.Errorf("transport: post receive: %w", err)
		}
	}
	q := n.receives(c)
	q.q = append(q.q, r)
	return nil
}

func (n *Net) receives(c *conn) *recvQueue {
	return &n.moreOf(c).recv
}

func (n *Net) report(yield func(sim.Waiting)) {
	for id := ConnID(1); int32(id) <= n.conns.n; id++ {
		c := n.conns.at(id)
		if c.held && c.role != roleChannel {
			r := n.wrs.at(c.head)
			yield(sim.Waiting{Who: fmt.Sprintf("connection %d of %s", id, n.Graph.Nodes[c.node].Name),
				What: fmt.Sprintf("the end of a %v of %d bytes", r.Op, r.Len), Actor: n.Graph.Nodes[n.conns.at(c.peer).node].Name})
		}
	}
}
