package transport

import (
	"fmt"

	"hsim/abi"
	"hsim/host/fabric"
	"hsim/host/sim"
	"hsim/host/topo"
)

// nic is the network side of a device: its ports, each with the ring of
// connections that have something to send, and one protocol engine a plugin that
// keeps state of devices.
type nic struct {
	n       *Net
	node    topo.NodeID
	ports   []*nicPort
	engines []*engine
	sets    []uint32 // recent sets of paths: first entry in Net.paths
}

type engine struct {
	index uint32      // in Net.engines
	node  topo.NodeID // the device it was made for
	proto Protocol
	car   *carrierState
	conns []ConnID // by local id
	out   Outbox
	ext   uint32 // where the module sees what travels beside a packet
}

// nicPort arbitrates round robin among connections; at most one packet or train
// is on its wire, the next is pulled when the wire is free.
type nicPort struct {
	id    topo.PortID
	pull  uint64 // argument of its pull event
	ring  ring
	turn  int64  // packets of a train where several connections wait, 0 = not known
	timed bool   // a pull event is queued
	lanes []ring // in place of ring where the fabric has lanes
	some  uint16 // lanes whose ring is not empty
}

type entry struct {
	conn ConnID
	path uint8
	lane uint8
}

// Events of a Net: the kind is in the top byte of the argument.
const (
	evPull  = iota << 56
	evTimer = iota << 56
	evWake  = iota << 56
	evFail  = iota << 56
	evLeft  = iota << 56
	evSent  = iota << 56
	evMask  = 0xff << 56
)

func (n *Net) nic(d topo.NodeID) *nic {
	if n.nics[d] == nil {
		n.nics[d] = &nic{n: n, node: d}
		n.Fabric.SetReceiver(d, n.nics[d])
		if n.Fabric.Lanes() > 0 {
			n.Fabric.SetFeeder(d, n.nics[d])
		}
	}
	return n.nics[d]
}

// maxShared is how many connection ends an instance serves that serves several
// devices. Few instances have their code and records in the cache.
const maxShared = 1 << 14

// engine is the engine of the next connection of a carrier.
func (x *nic) engine(car *carrierState) (*engine, error) {
	if car.Plugin.Features()&abi.FeatureShared != 0 {
		if car.shared != nil && len(car.shared.conns) < maxShared {
			return car.shared, nil
		}
		e, err := x.newEngine(car)
		car.shared = e
		return e, err
	}
	for len(x.engines) <= int(car.index) {
		x.engines = append(x.engines, nil)
	}
	if x.engines[car.index] == nil {
		e, err := x.newEngine(car)
		if err != nil {
			return nil, err
		}
		x.engines[car.index] = e
	}
	return x.engines[car.index], nil
}

func (x *nic) newEngine(car *carrierState) (*engine, error) {
	n := x.n
	p, err := car.Plugin.New(x.node)
	if err != nil {
		return nil, fmt.Errorf("transport: plugin %s on %s: %w", car.Plugin.Name(), n.Graph.Nodes[x.node].Name, err)
	}
	e := &engine{index: uint32(len(n.engines)), node: x.node, proto: p, car: car}
	n.engines = append(n.engines, e)
	e.out.depth = 1
	e.ext = p.Attach(&e.out)
	at := evSent | uint64(e.index)
	e.out.ring = func() { n.Engine.At(n.Engine.Now(), n.id, at) }
	return e, nil
}

// pathSet is the place in Net.paths of the ports out. Connections that leave by
// the same ports share it.
func (x *nic) pathSet(out []topo.PortID, w way) uint32 {
	n := x.n
	for i := len(x.sets) - 1; i >= 0 && i >= len(x.sets)-8; i-- {
		at := x.sets[i]
		same := int(at)+len(out) <= len(n.paths)
		for k := 0; same && k < len(out); k++ {
			p := &n.paths[int(at)+k]
			same = p.trunk == out[k] && p.net == w.net && p.lane == w.lane && p.hint == w.hint && p.flags == w.flags
		}
		if same {
			return at
		}
	}
	at := uint32(len(n.paths))
	x.sets = append(x.sets, at)
	for _, p := range out {
		n.paths = append(n.paths, path{port: x.port(p), net: w.net, lane: w.lane, trunk: p, hint: w.hint, flags: w.flags})
	}
	return at
}

func (n *Net) engineOf(c *conn) *engine { return n.engines[c.engine] }

func (x *nic) port(id topo.PortID) uint16 {
	for i := range x.ports {
		if x.ports[i].id == id {
			return uint16(i)
		}
	}
	x.ports = append(x.ports, &nicPort{id: id, pull: evPull | uint64(x.node)<<16 | uint64(len(x.ports)), lanes: make([]ring, x.n.Fabric.Lanes())})
	return uint16(len(x.ports) - 1)
}

// Handle runs the NIC's own events.
func (n *Net) Handle(now sim.Time, arg uint64) {
	switch arg & evMask {
	case evPull:
		p := n.nics[int32(arg>>16)].ports[arg&0xffff]
		p.timed = false
		n.pull(p)
	case evTimer:
		n.timer(ConnID(arg&0xffffffff), now)
	case evWake:
		id := ConnID(arg & 0xffffffff)
		c := n.conns.at(id)
		if c.wakeEv == now {
			c.wakeEv = 0
			n.ready(id, c)
		}
	case evFail:
		n.remoteFault(uint32(arg))
	case evLeft:
		n.left(uint32(arg))
	case evSent:
		n.post(n.engines[uint32(arg)])
	}
}

// ready queues a connection that has something to send at the ports of all its
// paths and pulls where the wire is free.
func (n *Net) ready(id ConnID, c *conn) {
	if c.idle() || c.state != ready {
		return
	}
	x := n.nics[c.node]
	for k := uint8(0); k < c.paths; k++ {
		if c.inRing&(1<<k) != 0 {
			continue
		}
		c.inRing |= 1 << k
		pt := &n.paths[c.ports+uint32(k)]
		n.queue(x.ports[pt.port], c, entry{id, k, pt.lane})
	}
	for k := uint8(0); k < c.paths && !c.idle(); k++ {
		if p := x.ports[n.paths[c.ports+uint32(k)].port]; !p.timed {
			n.pull(p)
		}
	}
}

// pull fills the free wire of a port from the connections in its ring, and
// comes back when the wire is free again.
func (n *Net) pull(p *nicPort) {
	if len(p.lanes) > 0 {
		n.fill(p)
		return
	}
	for p.ring.len() > 0 {
		if free := n.Fabric.FreeAt(p.id); free > n.Engine.Now() {
			if !p.timed {
				p.timed = true
				n.Engine.At(free, n.id, p.pull)
			}
			return
		}
		en := p.ring.pop()
		c := n.conns.at(en.conn)
		c.inRing &^= 1 << en.path
		if c.idle() || c.state != ready {
			continue
		}
		if n.emit(en.conn, c, en.path) && !c.idle() && c.state == ready && c.inRing&(1<<en.path) == 0 {
			c.inRing |= 1 << en.path
			n.queue(p, c, en)
		}
	}
}

func (n *Net) setTimer(id ConnID, c *conn, at int64) {
	if at < 0 {
		c.timer = 0
		return
	}
	if sim.Time(at) <= n.Engine.Now() {
		n.fail(id, c, StatusLocalOp, n.pluginFault(c, fmt.Errorf("timer: got %d ps, want a time after now, which is %d ps", at, n.Engine.Now())))
		return
	}
	c.timer = sim.Time(at)
	if c.timerEv == 0 || c.timer < c.timerEv {
		c.timerEv = c.timer
		n.Engine.Weak(c.timer, n.id, evTimer|uint64(uint32(id)))
	}
}

// timer is called when a queued timer event comes up; the timer may have been
// moved or cancelled since.
func (n *Net) timer(id ConnID, now sim.Time) {
	c := n.conns.at(id)
	if c.timerEv != now {
		return
	}
	c.timerEv = 0
	if c.timer == 0 || c.state != ready {
		return
	}
	if c.timer > now {
		c.timerEv = c.timer
		n.Engine.Weak(c.timer, n.id, evTimer|uint64(uint32(id)))
		return
	}
	c.timer = 0
	e := n.engineOf(c)
	clearVerdict(e.proto.Verdict(), now)
	if err := e.proto.Timer(c.local); err != nil {
		n.fail(id, c, StatusLocalOp, n.pluginFault(c, err))
		return
	}
	v := e.proto.Verdict()
	if v.Reply != 0 {
		pt := &n.paths[c.ports]
		f := fabric.Packet{Entropy: c.entropy, Lane: pt.lane, Hint: pt.hint, SentAt: now}
		if !n.reply(id, c, e, v, &f, pt.trunk) {
			return
		}
	}
	if !n.vain(id, c, 1) || v.ResendValid != 0 && !n.resend(id, c, e, v) {
		return
	}
	n.apply(id, c, decide(v))
}

// pluginFault keeps and returns the first fault of a plugin, with its name.
func (n *Net) pluginFault(c *conn, err error) error { return n.engineFault(n.engineOf(c), c.node, err) }

func (n *Net) engineFault(e *engine, node topo.NodeID, err error) error {
	err = fmt.Errorf("transport: plugin %s on %s: %w", e.car.Plugin.Name(), n.Graph.Nodes[node].Name, err)
	if n.failed == nil {
		n.failed, n.failedAt = err, n.Engine.Now()
	}
	return err
}
