package fabric

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"hsim/host/sim"
	"hsim/host/topo"
	"hsim/host/units"
)

const (
	mtu  = 4000 // bytes of a packet of the tests, 80 ns at the rate of most links
	gbps = units.Gbps
)

// flow is a stream of packets from one device to another.
type flow struct {
	from, to topo.NodeID
	bytes    int64
	lane     uint8
	size     int64 // of a packet, 0 = mtu
	train    int64 // packets that travel together, 0 = 1
	window   int64 // packets without an acknowledgement, 0 = no acknowledgements
	ack      int64 // bytes of one
	at       sim.Time
	flags    uint16
	hint     uint8
	silent   bool // keeps no order

	id       int
	left     int64
	psn      uint32
	open     int64 // packets not acknowledged
	queued   bool
	got      int64
	packets  int64
	marked   int64
	corrupt  int64
	first    sim.Time
	last     sim.Time // arrival of the last packet so far
	finished sim.Time // last acknowledgement
	order    []uint32
}

// rig is a fabric with a sender and a receiver in every device.
type rig struct {
	t     testing.TB
	e     *sim.Engine
	g     *topo.Graph
	f     *Fabric
	id    sim.ID
	nodes []*device
	flows []*flow
	acks  int64  // bytes
	out   Packet // being sent
}

type device struct {
	r     *rig
	node  topo.NodeID
	rings map[topo.PortID]*[MaxLanes][]*flow
	timed map[topo.PortID]bool
}

// wires lists links as "a-b" with a rate and a latency each.
type wire struct {
	a, b    int
	rate    units.Rate
	latency sim.Time
}

// plan is a cluster: devices first, then switches.
type plan struct {
	devices, switches int
	wires             []wire
	delay             sim.Time
	store             bool
	routes            func(g *topo.Graph) *topo.Routes
	forwards          bool // devices pass traffic on
}

func newRig(t testing.TB, p plan, c Config) *rig {
	in := topo.Given{Kind: "test"}
	for i := range p.devices + p.switches {
		n := topo.Node{Kind: topo.Device, Name: fmt.Sprintf("d%d", i), Server: -1, Index: -1, Super: -1, Forwards: p.forwards}
		if i >= p.devices {
			n.Kind, n.Name, n.Forwards, n.Store, n.Delay = topo.Switch, fmt.Sprintf("s%d", i-p.devices), true, p.store, p.delay
		}
		in.Nodes = append(in.Nodes, n)
	}
	next := make([]int16, len(in.Nodes))
	for _, w := range p.wires {
		l := topo.GivenLink{A: topo.NodeID(w.a), B: topo.NodeID(w.b), PortA: next[w.a], PortB: next[w.b]}
		l.Rate, l.Latency, l.Protocols = w.rate, w.latency, 1
		next[w.a]++
		next[w.b]++
		in.Links = append(in.Links, l)
	}
	g, err := topo.FromGiven(in)
	require.NoError(t, err)
	require.NoError(t, c.Check())
	require.NoError(t, CheckFaults(c.Faults, g))
	r := &rig{t: t, e: sim.New(1), g: g}
	c.Engine, c.Graph = r.e, g
	r.f = New(c)
	var routes *topo.Routes
	if p.routes != nil {
		routes = p.routes(g)
	} else {
		routes, err = g.Routes(0)
		require.NoError(t, err)
	}
	r.f.AddRoutes(routes)
	r.id = r.e.Register(r)
	for i := range p.devices {
		d := &device{r: r, node: topo.NodeID(i), rings: map[topo.PortID]*[MaxLanes][]*flow{}, timed: map[topo.PortID]bool{}}
		r.nodes = append(r.nodes, d)
		r.f.SetReceiver(d.node, d)
		if r.f.Lanes() > 0 {
			r.f.SetFeeder(d.node, d)
		}
	}
	return r
}

// add has a flow start.
func (r *rig) add(f flow) *flow {
	f.id, f.left = len(r.flows), f.bytes
	if f.size == 0 {
		f.size = mtu
	}
	f.train = max(f.train, 1)
	r.flows = append(r.flows, &f)
	r.e.At(f.at, r.id, uint64(f.id))
	return &f
}

// Handle starts a flow, or pulls again for a port of the fast path.
func (r *rig) Handle(_ sim.Time, arg uint64) {
	if arg>>32 != 0 {
		id := topo.PortID(uint32(arg))
		d := r.nodes[r.g.Ports[id].Node]
		d.timed[id] = false
		d.Feed(id)
		return
	}
	r.ready(r.flows[arg])
}

// port is the local port of a flow.
func (f *flow) port(r *rig) topo.PortID {
	out := r.f.routes[0].Ports(f.from, f.to)
	return out[f.id%len(out)]
}

func (r *rig) ready(f *flow) {
	if f.queued || f.left == 0 || f.window > 0 && f.open >= f.window {
		return
	}
	d, id := r.nodes[f.from], f.port(r)
	if d.rings[id] == nil {
		d.rings[id] = &[MaxLanes][]*flow{}
	}
	f.queued = true
	d.rings[id][f.lane] = append(d.rings[id][f.lane], f)
	d.Feed(id)
}

// Feed sends from the flows in turn.
func (d *device) Feed(id topo.PortID) {
	f, more := d.r.f, false
	if d.rings[id] == nil {
		return
	}
	for lane := range d.rings[id] {
		q := &d.rings[id][lane]
		for len(*q) > 0 && (f.Lanes() == 0 && f.FreeAt(id) <= d.r.e.Now() || f.Lanes() > 0 && f.Room(id, uint8(lane))) {
			x := (*q)[0]
			*q = (*q)[:copy(*q, (*q)[1:])]
			x.queued = false
			d.r.emit(x, id)
			if x.left > 0 && (x.window == 0 || x.open < x.window) {
				x.queued = true
				*q = append(*q, x)
			}
		}
		more = more || len(*q) > 0
	}
	switch {
	case !more:
	case f.Lanes() > 0:
		f.Ask(id)
	case !d.timed[id]:
		d.timed[id] = true
		d.r.e.At(f.FreeAt(id), d.r.id, 1<<32|uint64(id))
	}
}

func (r *rig) emit(x *flow, id topo.PortID) {
	n := min(x.train, (x.left+x.size-1)/x.size)
	if x.window > 0 {
		n = min(n, x.window-x.open)
	}
	bytes := min(x.left, n*x.size)
	x.left -= bytes
	x.open += n
	r.out = Packet{Dst: x.to, Wire: uint32(bytes), Payload: uint32(bytes), NPkts: uint32(n), Entropy: uint32(x.id) * 0x9e3779b1, PSN: x.psn, Lane: x.lane,
		SrcConn: int32(x.id), Flags: x.flags, Hint: x.hint}
	x.psn += uint32(n)
	r.f.Send(&r.out, id)
}

// Receive counts data and acknowledges it where the flow has a window.
func (d *device) Receive(p *Packet, in topo.PortID) {
	r, x := d.r, d.r.flows[p.SrcConn]
	now := r.e.Now()
	if p.small() {
		x.open -= int64(p.CC[0])
		if x.left == 0 && x.open == 0 {
			x.finished = now
		}
		r.ready(x)
		return
	}
	require.Equal(r.t, x.to, d.node)
	if x.packets == 0 {
		x.first = now
	}
	x.got += int64(p.Payload)
	x.packets += int64(p.NPkts)
	x.marked += int64(p.Marked)
	x.last = now
	if !x.silent {
		x.order = append(x.order, p.PSN)
	}
	if p.Flags&FlagCorrupt != 0 {
		x.corrupt += int64(p.NPkts)
	}
	if x.window > 0 {
		r.out = Packet{Dst: x.from, Wire: uint32(x.ack), NPkts: 1, Kind: 1, Lane: x.lane, SrcConn: p.SrcConn, Entropy: p.Entropy, CC: [4]uint32{p.NPkts}}
		r.acks += x.ack
		r.f.Send(&r.out, in)
	}
}

// run runs to the end and checks what holds of every run: bytes are conserved, no
// port is above its rate, and lanes that must not lose do not.
func (r *rig) run() sim.Result {
	r.t.Helper()
	res := r.e.Run(0)
	require.Equal(r.t, sim.Done, res.Reason, "%v", res.Stall)
	require.Zero(r.t, r.f.InFlight())
	r.invariants(res.End)
	return res
}

func (r *rig) invariants(end sim.Time) {
	r.t.Helper()
	require.NoError(r.t, r.f.Audit())
	var sent, got, drops int64
	for _, x := range r.flows {
		sent += (x.bytes + x.size - 1) / x.size
		got += x.packets
	}
	for i := range r.g.Ports {
		s := r.f.Stat(topo.PortID(i))
		require.LessOrEqual(r.t, s.Busy, end)
		drops += s.Drops
	}
	require.Equal(r.t, sent, got+drops, "every packet arrived or was counted as lost")
	if q := r.f.q; q != nil {
		q.settled(r.t)
	}
}

// settled checks that an idle fabric has all its room back.
func (q *queued) settled(t testing.TB) {
	t.Helper()
	for i := range q.ports {
		w := &q.ports[i]
		for w.signals.n+w.rare.n > 0 {
			q.hear(topo.PortID(i), w, w.nextSignal(q.e.Now()))
		}
		require.Zero(t, w.waiting)
		require.Zero(t, w.paused)
		require.Zero(t, w.depth)
		cells := w.shared
		for n := range q.n {
			l := q.lane(topo.PortID(i), n)
			require.Zero(t, l.bytes)
			require.Zero(t, l.primed)
			cells += l.credits + l.owed
		}
		require.Equal(t, q.c.Credits.Shared+int32(q.n)*q.c.Credits.Cells, cells, "cells of port %d", i)
	}
	for _, a := range q.accounts {
		require.Equal(t, account{}, a)
	}
	for _, used := range q.pools {
		require.Zero(t, used)
	}
}

// starOf is a switch with n devices on links of equal rate and latency.
func starOf(n int, rate units.Rate, latency sim.Time) plan {
	p := plan{devices: n, switches: 1}
	for i := range n {
		p.wires = append(p.wires, wire{i, n, rate, latency})
	}
	return p
}

func us(t sim.Time) float64 { return float64(t) / float64(sim.Microsecond) }
