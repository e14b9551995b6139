package transport

import (
	"bytes"
	"fmt"
	"os"
	"testing"

	"github.com/stretchr/testify/require"

	"hsim/host/fabric"
	"hsim/host/mem"
	"hsim/host/sim"
	"hsim/host/topo"
	"hsim/host/units"
)

// shapes of small clusters: one link, parallel ones, planes, trees with several ways.
var shapes = []topo.Spec{
	{Kind: "star", Servers: 1, Devices: 4, Params: topo.Params{Planes: 1}},
	{Kind: "star", Servers: 1, Devices: 4, Params: topo.Params{Planes: 3}},
	{Kind: "link", Servers: 1, Devices: 2, Params: topo.Params{Planes: 4}},
	{Kind: "fattree", Servers: 4, Devices: 1, Params: topo.Params{K: 4, Tiers: 2, Planes: 1}},
	{Kind: "fattree", Servers: 4, Devices: 2, Params: topo.Params{K: 4, Tiers: 3, Planes: 1}},
	{Kind: "mesh", Servers: 1, Devices: 4, Params: topo.Params{Dims: []int{2, 2}}},
}

// setting is a plugin with parameters; some repair what is lost.
type setting struct {
	plugin string
	proto  topo.Protocol
	params map[string]any
	lossy  bool
}

var settings = []setting{
	{"rdma", topo.ROCE, nil, true},
	{"rdma", topo.ROCE, map[string]any{"retransmit": "selective"}, true},
	{"rdma", topo.ROCE, map[string]any{"retransmit": "selective", "window": 33, "ack_every": 8}, true},
	{"rdma", topo.ROCE, map[string]any{"ack_every": 64, "window": 200}, true},
	{"rdma", topo.ROCE, map[string]any{"qps": 4, "qp_share": "4KiB"}, true},
	{"rdma", topo.ROCE, map[string]any{"rate": "37Gbps"}, true},
	{"ub", topo.UB_TP, map[string]any{"rto": "dynamic"}, true},
	{"ub", topo.UB_TP, map[string]any{"rto": "dynamic", "spray": true}, true},
	{"ub", topo.UB_TP, map[string]any{"rto": "dynamic", "selective": true, "window": 100}, true},
	{"ub", topo.UB_TP, map[string]any{"rto": "dynamic", "selective": true, "spray": true}, true},
	{"ub", topo.UB_CTP, nil, false},
	{"ub", topo.UB_CTP, map[string]any{"spray": true, "window": 2048}, false},
	{"ub", topo.UB_MEM, nil, false},
	{"ub", topo.HCCS, nil, false},
}

// conditions of the ports, under all of which reliable links lose nothing.
var conditions = append([]fabric.Features{
	{}, {Lanes: 3, Quantum: [fabric.MaxLanes]int32{0, 1500, 9000}, Credits: fabric.Credits{Cells: 80}},
	{Lanes: 2, Adaptive: true, Credits: fabric.Credits{Cells: 500, Shared: 500}},
	{Lanes: 2, Mark: fabric.Mark{Kmin: 5000, Kmax: 50_000, PmaxPPM: 500_000}},
}, queues...)

// message is one that was posted and what is to come of it.
type message struct {
	to   mem.Addr
	want []byte
	reg  int // notify, -1 without
}

// work is random traffic on a random cluster.
type work struct {
	*rig
	all   []message
	regs  *flags
	sends int
	name  string
}

func newWork(t *testing.T, seed uint64, train int) *work {
	d := sim.New(seed).Rand("work")
	s, shape, c := settings[d.Intn(len(settings))], shapes[d.Intn(len(shapes))], conditions[d.Intn(len(conditions))]
	shape.Params.Rate = []units.Rate{100, 400}[d.Intn(2)] * units.Gbps
	shape.Params.Latency = ns(int64(10 + d.Intn(2000)))
	loss, faults := int32(0), []fabric.Fault(nil)
	if s.lossy {
		loss = int32([]int{0, 1000, 20_000}[d.Intn(3)])
		if d.Intn(4) == 0 {
			c = fabric.Features{Lanes: 2, Buffer: fabric.Buffer{Reserve: 6000, Shared: 30_000}}
		}
		for range d.Intn(3) {
			faults = append(faults, fabric.Fault{At: sim.Time(d.Intn(60)) * sim.Microsecond, For: sim.Time(1+d.Intn(200)) * sim.Microsecond, Port: topo.PortID(d.Intn(4)),
				Both: d.Intn(2) == 0, Kind: fabric.FaultKind(d.Intn(5)), Rate: 5 * units.Gbps, Latency: 3 * sim.Microsecond, PPM: 200_000})
		}
	}
	w := &work{name: fmt.Sprintf("seed %d: %s %d, %v over %s %v, %+v, loss %d, %+v", seed, shape.Kind, shape.Params.Planes, s.proto, s.plugin, s.params, c, loss, faults)}
	w.rig = newRig(t, carrier(s.plugin, s.proto), ports(c), params(s.params), trains(train), func(c *rigConfig) { c.spec, c.faults = shape, faults },
		attributes(func(c *Carrier) { c.AckTimeout, c.RetryCount, c.RnrCount, c.RnrTimer = 8, 7, 7, 1 }))
	for p := range w.g.Ports {
		if loss > 0 {
			w.f.SetLoss(topo.PortID(p), loss)
		}
	}
	w.regs = &flags{e: w.e, at: make([]sim.Time, 200), v: make([]uint64, 200)}
	n := 0
	for range 1 + d.Intn(6) {
		from := topo.NodeID(d.Intn(w.g.Devices))
		to := topo.NodeID((int(from) + 1 + d.Intn(w.g.Devices-1)) % w.g.Devices)
		a, b := w.connect(from, to)
		reg := w.m.Registers(w.regs, int(to), 200)
		for range 1 + d.Intn(6) {
			size := int64(d.Intn(5000))
			if d.Intn(3) == 0 {
				size = int64(d.Intn(300_000))
			}
			data := pattern(size, seed<<20+uint64(n))
			m := message{want: data, reg: -1}
			wr := WR{Local: w.fill(int(from), data), Len: size}
			switch op := d.Intn(4); {
			case op == 0 || size == 0:
				m.to, m.reg = w.buffer(int(to), max(size, 1)), n
				wr.Op, wr.Remote, wr.NotifyAddr, wr.NotifyValue = OpWriteNotify, m.to, reg.Add(int64(n)*mem.RegisterSize), 1
				if size == 0 {
					wr.Op = OpNotify
				}
			case op == 1:
				m.to = w.buffer(int(to), size)
				wr.Op, wr.Remote = OpWrite, m.to
			case op == 2:
				m.to = w.buffer(int(from), size)
				wr.Op, wr.Local, wr.Remote = OpRead, m.to, w.fill(int(to), data)
			default:
				m.to = w.buffer(int(to), size)
				wr.Op = OpSend
				require.NoError(t, w.n.PostRecv(b, Recv{ID: uint64(n), Addr: m.to, Len: size}))
				w.sends++
			}
			at := sim.Time(d.Intn(50)) * sim.Microsecond * sim.Time(d.Intn(2))
			id := uint64(n)
			w.all = append(w.all, m)
			n++
			if at == 0 || wr.Op == OpSend { // receives are for sends in their order
				w.post(a, id, wr)
				continue
			}
			w.e.Go("sender", func(p *sim.Proc) { p.Sleep(at); w.post(a, id, wr) })
		}
	}
	return w
}

// check runs to the end: every message arrives once and whole, whatever is lost or
// overtakes, and the fabric stands its audit.
func (w *work) check(t *testing.T) {
	res := w.e.Run(0)
	require.Equal(t, sim.Done, res.Reason, "%s: %v", w.name, res.Stall)
	require.NoError(t, w.n.Fault(), w.name)
	require.NoError(t, w.f.Audit(), w.name)
	require.Len(t, w.done, len(w.all)+w.sends, w.name)
	for _, d := range w.done {
		require.Equal(t, StatusOK, d.Status, "%s: %v", w.name, d.Err)
	}
	for i, m := range w.all {
		require.True(t, bytes.Equal(m.want, w.bytes(m.to, int64(len(m.want)))), "%s: message %d", w.name, i)
		if m.reg >= 0 {
			require.EqualValues(t, 1, w.regs.v[m.reg], "%s: notify of message %d", w.name, i)
		}
	}
}

// Random work on random clusters under random conditions.
func TestRandomWork(t *testing.T) {
	seeds := uint64(32)
	if os.Getenv("HSIM_NIGHTLY") != "" {
		seeds = 1000
	}
	for seed := range seeds {
		for _, train := range []int{1, 0} {
			w := newWork(t, seed, train)
			w.check(t)
			if seed%8 == 0 {
				again := newWork(t, seed, train)
				again.check(t)
				require.Equal(t, w.done, again.done, "%s: the same again", w.name)
			}
		}
	}
}
