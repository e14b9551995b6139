package transport

import (
	"errors"
	"fmt"

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
	again    uint64 // packets sent again
	failed   error  // first fault of a plugin
	failedAt sim.Time
	modes    Reductions    // nil: Overflow everywhere
	out      fabric.Packet // being sent
	flown    sim.Time      // how long the packet that has just come was under way

	undelivered Undelivered
}

type carrierState struct {
	Carrier
	proto     topo.Protocol
	net       uint8
	routes    *topo.Routes
	index     uint8
	multipath bool
	began     bool    // a packet was sent
	sprays    bool    // one was sprayed
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
