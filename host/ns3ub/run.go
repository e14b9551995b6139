package ns3ub

import (
	"context"
	"fmt"
	"strings"

	"hsim/abi"
	"hsim/host/fabric"
	"hsim/host/mem"
	"hsim/host/sim"
	"hsim/host/topo"
	"hsim/host/transport"
	"hsim/host/wasm"
	"hsim/plugins"
)

// Options of a run.
type Options struct {
	// Train is the largest number of packets that travel as one: 1 is packet
	// level, 0 is packet level for a case of up to PacketLevel packets (0 = a
	// million), and for any in which the choice of a packet takes longer than the
	// smallest one, and a length by the size of the tasks beyond.
	Train       int
	PacketLevel int64
	Seed        uint64
	// Progress, where not nil, is called when a task is complete.
	Progress func(done, tasks int, now sim.Time)
}

// packetLevel is the size of a case, in packets, up to which trains are not
// worth their error.
const packetLevel = 1_000_000

// longest is the length of trains in packets: a slice.
const longest = slice / mtu

// rounds is how many times the trains of a task that is sprayed go round all ways
// of a switch, so that their sums on each differ little.
const rounds = 32

// mtu is the payload of a full packet, slice that of a full slice.
const (
	mtu   = 4096
	slice = 64 << 10
)

// run is one simulation of a case.
type run struct {
	c     *Case
	opts  Options
	eng   *sim.Engine
	id    sim.ID
	fab   *fabric.Fabric
	mem   *mem.Space
	net   *transport.Net
	proto topo.Protocol

	tasks   []taskState
	phases  map[int64]*phaseState
	done    int
	ends    map[int32][2]transport.ConnID  // channel -> its ends at node A and node B
	entity  map[entityKey]transport.ConnID // jetties that tasks share
	idle    map[int32][]transport.ConnID   // group -> jetties without a task
	buffers []mem.Addr                     // per node of the graph
	nets    map[int64]uint8                // destination port -> set of routes
	threads map[threadKey]*thread
	memory  map[memoryKey]transport.ConnID
	failed  error
}

// taskState is how far a task is.
type taskState struct {
	waits   int // phases to be complete before it starts
	left    int64
	started bool
	src     mem.Addr
	dst     mem.Addr
	start   sim.Time
	first   sim.Time // its first packet left
	end     sim.Time
}

// phaseState counts what is left of a phase and who waits for it.
type phaseState struct {
	left    int
	waiters []int
}

// Run simulates the case. An error is a fault of the program or an end of ctx; a
// case that comes to no end is a Result with a stall.
func (c *Case) Run(ctx context.Context, o Options) (*Result, error) {
	rt, err := wasm.NewRuntime(wasm.Options{})
	if err != nil {
		return nil, err
	}
	defer func() { _ = rt.Close() }()
	r := &run{c: c, opts: o, eng: sim.New(o.Seed), mem: mem.NewSpace(mem.Phantom), proto: topo.UB_TP,
		tasks: make([]taskState, len(c.Tasks)), phases: map[int64]*phaseState{}, ends: map[int32][2]transport.ConnID{},
		entity: map[entityKey]transport.ConnID{}, idle: map[int32][]transport.ConnID{}, threads: map[threadKey]*thread{}, memory: map[memoryKey]transport.ConnID{}}
	if c.Attr.CTP {
		r.proto = topo.UB_CTP
	}
	r.id = r.eng.Register(r)
	if err := r.build(rt); err != nil {
		return nil, err
	}
	r.enter()
	defer r.eng.InterruptWith(ctx)()
	res := r.eng.Run(0)
	if r.failed == nil {
		r.failed = r.net.Fault()
	}
	if r.failed != nil {
		if res.Stall = r.stopped(); res.Stall == nil {
			return nil, r.failed
		}
		res.Reason = sim.Stalled
	}
	return r.result(&res), nil
}

// stopped is the stall of ports that no time-out would have helped, where the
// plugin's own time-out for transactions, which a case has none of, came first;
// nil without any.
func (r *run) stopped() *sim.Stall {
	s := &sim.Stall{At: r.eng.Now()}
	port := false
	for _, w := range r.eng.Waiting() {
		port = port || strings.HasPrefix(w.Who, "port ")
		s.Waiting = append(s.Waiting, w)
	}
	if !port {
		return nil
	}
	return s
}

// build makes fabric and transport with the ports, routes and limits of the case.
func (r *run) build(rt *wasm.Runtime) error {
	c, g := r.c, r.c.layout.graph
	features, err := c.features(r.train() != 1)
	if err != nil {
		return err
	}
	r.fab = fabric.New(fabric.Config{Engine: r.eng, Graph: g, Seed: r.opts.Seed, Features: features})
	bin, err := plugins.Module("ub")
	if err != nil {
		return err
	}
	mod, err := rt.Load("ub", bin, abi.Transport)
	if err != nil {
		return err
	}
	whole := c.shortest
	if c.routes != nil {
		whole = c.table(noPort)
	}
	cars := map[topo.Protocol]transport.Carrier{}
	for _, p := range []topo.Protocol{r.proto, topo.UB_MEM} {
		car, err := r.carrier(mod, p)
		if err != nil {
			return err
		}
		car.Routes = whole
		cars[p] = car
	}
	r.net, err = transport.New(transport.Config{Engine: r.eng, Graph: g, Fabric: r.fab, Mem: r.mem, Carriers: cars, Headers: true, Train: r.train()})
	if err != nil {
		return err
	}
	r.nets = map[int64]uint8{noPort: r.net.AddRoutes(whole)}
	return r.allocate()
}

// carrier is the ub plugin with the limits of the case.
func (r *run) carrier(mod *wasm.Module, p topo.Protocol) (transport.Carrier, error) {
	a := &r.c.Attr
	sprayed := a.spray() && r.c.ways() > 1 // where switches have no choice nothing overtakes
	car := transport.Carrier{MTU: mtu, Window: uint32(min(a.Window, 1<<22))}
	if sprayed {
		car.Window = uint32(min(a.Window, a.Early))
	}
	params := map[string]any{"spray": sprayed, "ack_early": false, "retransmit": a.Retransmit,
		"rto": "dynamic", "rto_base": int64(a.RTO), "rto_exponent": a.Exponent, "retries": a.Retries,
		"ta_timeout": "0"} // a case has no time-out for transactions
	if p == topo.UB_MEM {
		params["load_request"] = fmt.Sprint(a.LoadRequestBytes)
		car.MTU, car.Service, car.Window = uint32(max(a.StoreBytes, a.LoadBytes)), abi.ServiceMemory, 0
	}
	desc, err := mod.Describe()
	if err != nil {
		return car, err
	}
	set, err := desc.Resolve("ub", params)
	if err != nil {
		return car, err
	}
	car.Plugin, err = transport.NewModule(mod, transport.ModuleConfig{Engine: r.eng, Settings: set, Seed: r.opts.Seed})
	return car, err
}

// train is the length of trains, in packets.
func (r *run) train() int {
	level := r.opts.PacketLevel
	if level == 0 {
		level = packetLevel
	}
	switch packets := r.c.Packets(); {
	case r.opts.Train > 0:
		return r.opts.Train
	case packets <= level || r.c.counts():
		return 1
	case r.c.Attr.spray():
		each := packets / int64(len(r.c.Tasks))
		return int(max(1, min(longest, each/(rounds*r.c.ways()))))
	}
	return longest
}

// ways is the largest number of ports that a switch chooses among.
func (c *Case) ways() int64 {
	most := 1
	if c.routes == nil {
		for i := range c.layout.graph.Nodes {
			if n := topo.NodeID(i); c.layout.graph.Nodes[n].Kind == topo.Switch {
				for d := range topo.NodeID(c.layout.graph.Devices) {
					most = max(most, len(c.shortest.Ports(n, d)))
				}
			}
		}
	} else {
		for k, e := range c.routes.entries {
			if k.port != noPort && c.node(k.node).Switch {
				most = max(most, len(e.ports))
			}
		}
	}
	return int64(most)
}

// Packets is the number of data packets of all tasks.
func (c *Case) Packets() int64 {
	n := int64(0)
	for i := range c.Tasks {
		t := &c.Tasks[i]
		size := int64(mtu)
		switch t.Op {
		case OpStore:
			size = c.Attr.StoreBytes
		case OpLoad:
			size = c.Attr.LoadBytes
		}
		n += (t.Size + size - 1) / size
	}
	return n
}

// allocate gives every device memory for its largest task.
func (r *run) allocate() error {
	largest := make([]int64, r.c.layout.graph.Devices)
	for i := range r.c.Tasks {
		t := &r.c.Tasks[i]
		for _, id := range []int64{t.Src, t.Dst} {
			n := r.c.nodeID(id)
			largest[n] = max(largest[n], t.Size)
		}
	}
	r.buffers = make([]mem.Addr, len(largest))
	for n, size := range largest {
		if size == 0 {
			continue
		}
		a, err := r.mem.Alloc(mem.AllocSpec{Device: n, Size: size, Name: r.c.layout.graph.Nodes[n].Name})
		if err != nil {
			return fmt.Errorf("ns3ub: memory of %s: %w", r.c.layout.graph.Nodes[n].Name, err)
		}
		r.buffers[n] = a
	}
	return nil
}
