package scenario

import (
	"fmt"
	"slices"
	"strings"

	"hsim/host/fabric"
	"hsim/host/sim"
	"hsim/host/soc"
	"hsim/host/topo"
	"hsim/host/units"
	"hsim/host/wasm"
)

// The kinds of flow control, of schedules and of the choice among equal ways.
var (
	flowControls = []string{"none", "credits", "pfc_fixed", "pfc_dynamic"}
	schedules    = []string{"sp", "dwrr"}
	routings     = []string{"hash", "spray", "adaptive"}
	pathSets     = []string{"shortest", "all"}
	forwardings  = []string{"cut-through", "store-and-forward"}
)

// quantum is what a lane of weight 1 sends in a turn: about one full packet.
const quantum = 4096

// fabricKeys are the keys of [fabric] and of its tables. The defaults of credits and pauses are those of the UB
// specification and of ns-3-UB.
func fabricKeys() []Key {
	return []Key{
		{Path: "fabric.train", Kind: KindTrain, Default: `"auto"`, Min: 1, Max: 1 << 20, Doc: "Packets that one event may move: 1 = packet level, \"auto\" = packet level up to 131072 packets a repetition, and trains beyond, which trade detail for speed."},
		{Path: "fabric.lanes", Kind: KindInt, Default: "1", Min: 1, Max: fabric.MaxLanes, Doc: "Virtual lanes of every port."},
		{Path: "fabric.schedule", Kind: KindEnum, Default: `"sp"`, Values: schedules, Doc: "How lanes share a port: sp is strict priority, the lowest number first; dwrr takes turns by fabric.weights."},
		{Path: "fabric.weights", Kind: KindInts, Default: "[]", Min: 0, Max: 1024, Doc: "dwrr: one number for every lane, which sends 4 KiB times as much in a turn; 0 = before all that have one. Empty = 1 each."},
		{Path: "fabric.levels", Kind: KindInts, Default: "[]", Min: 0, Max: fabric.MaxLanes - 1, Doc: "Lane of service level 0, 1, ... (transport.NAME.level); empty = the lane of the same number, modulo fabric.lanes."},
		{Path: "fabric.flow_control", Kind: KindEnum, Default: `"none"`, Values: flowControls, Doc: "What keeps a sender from overrunning the other end of its link: credits for each lane, or pauses at fixed thresholds or at a share of the free buffer."},
		{Path: "fabric.allocation", Kind: KindTime, Default: `"0"`, Doc: "Time that a port takes to choose its next packet; it overlaps with the packet on the wire."},
		{Path: "fabric.forwarding", Kind: KindEnum, Values: forwardings, Doc: "How all switches forward; not set = as the topology has it."},
		{Path: "fabric.routing", Kind: KindEnum, Default: `"hash"`, Values: routings, Doc: "Choice among ways of the same length: hash keeps a flow on one way; spray gives its packets all ways in turn, adaptive each the shortest queue. The last two are for plugins with a parameter spray, which they switch on."},
		{Path: "fabric.hash_seed", Kind: KindInt, Min: 1, Max: 1<<63 - 1, Doc: "Seed of the switches' hashes; not set = sim.seed."},
		{Path: "fabric.paths", Kind: KindEnum, Default: `"shortest"`, Values: pathSets, Doc: "all: the first switch may also take ways that are longer by one link."},
		{Path: "fabric.sample", Kind: KindTime, Default: `"0"`, Doc: "Period in which utilisation, queue and drops of every port go to the trace and to the JSON report; \"0\" = not."},

		{Path: "fabric.credits.cells", Kind: KindInt, Default: "6553", Min: 1, Max: 1 << 30, Doc: "credits: cells of a lane."},
		{Path: "fabric.credits.shared", Kind: KindInt, Default: "0", Min: 0, Max: 1 << 30, Doc: "credits: cells that the lanes of a port share, spent before their own."},
		{Path: "fabric.credits.flit", Kind: KindSize, Default: "20", Min: 1, Max: 1 << 16, Doc: "credits: a flit."},
		{Path: "fabric.credits.flits", Kind: KindInt, Default: "8", Min: 1, Max: 128, Doc: "credits: flits of a cell."},
		{Path: "fabric.credits.grain", Kind: KindInt, Default: "32", Min: 1, Max: 1 << 20, Doc: "credits: cells that are returned together in a packet of their own."},
		{Path: "fabric.credits.data_grain", Kind: KindInt, Default: "4", Min: 0, Max: 1 << 20, Doc: "credits: cells that every packet in the other direction brings back, if so many are owed; 0 = none."},
		{Path: "fabric.credits.frame", Kind: KindSize, Default: "40", Min: 0, Max: 1 << 16, Doc: "credits: bytes on the wire of a packet that returns cells."},

		{Path: "fabric.pfc.lanes", Kind: KindInts, Default: "[]", Min: 0, Max: fabric.MaxLanes - 1, Doc: "pfc_*: lanes that are paused, and so lose nothing; empty = all."},
		{Path: "fabric.pfc.off", Kind: KindSize, Default: `"800KiB"`, Doc: "pfc_fixed: bytes of a port and lane in a switch at which the sender is stopped."},
		{Path: "fabric.pfc.on", Kind: KindSize, Default: `"640KiB"`, Doc: "pfc_fixed: bytes at which it may go on."},
		{Path: "fabric.pfc.below", Kind: KindSize, Default: `"4KiB"`, Doc: "pfc_dynamic: bytes below the threshold at which it may go on."},

		{Path: "fabric.buffer.reserve", Kind: KindSize, Default: `"0"`, Doc: "Bytes of a switch that every port and lane has to itself. With neither reserve nor shared a buffer has no end."},
		{Path: "fabric.buffer.shared", Kind: KindSize, Default: `"0"`, Doc: "Bytes of a switch that its ports and lanes share; what does not fit is dropped."},
		{Path: "fabric.buffer.headroom", Kind: KindSize, Default: `"0"`, Doc: "pfc_*: bytes of a port and lane for what comes after a pause."},
		{Path: "fabric.buffer.alpha", Kind: KindInt, Default: "1", Min: 0, Max: 32, Doc: "One port and lane may take the free shared bytes, shifted right by this."},

		{Path: "fabric.ecn.kmin", Kind: KindSize, Default: `"0"`, Doc: "Queue from which packets that leave a switch are marked."},
		{Path: "fabric.ecn.kmax", Kind: KindSize, Default: `"0"`, Doc: "Queue from which all of them are; 0 = none ever."},
		{Path: "fabric.ecn.pmax", Kind: KindShare, Default: "0.2", Doc: "Probability of a mark just below kmax; it grows to that from kmin on."},
	}
}

// shortestSample keeps a period of samples from being all that a run does.
const shortestSample = 100 * sim.Nanosecond

// Network is what [fabric] says beside the size of trains.
type Network struct {
	fabric.Features
	Spray    bool // per packet, by turns or by the shortest queue
	Detours  bool
	HashSeed uint64
	Forward  string // of all switches; "" = as the topology has it
	Sample   sim.Time
	Lanes    []uint8 // of each service level, nil = by number
	Levels   [soc.NumProtocols]uint8
}

// network reads [fabric].
func (v *values) network(c *Config) {
	n := &c.Network
	n.Features.Lanes = int(get[int64](v, "fabric.lanes"))
	n.Allocation = get[sim.Time](v, "fabric.allocation")
	n.Forward = get[string](v, "fabric.forwarding")
	if _, given := v.has("cluster.topology.store_and_forward"); given && n.Forward != "" {
		v.problem("fabric.forwarding", "cluster.topology.store_and_forward says it already", "one of the two")
	}
	routing := get[string](v, "fabric.routing")
	n.Spray, n.Adaptive = routing != "hash", routing == "adaptive"
	n.HashSeed = c.Seed
	if s := get[int64](v, "fabric.hash_seed"); s > 0 {
		n.HashSeed = uint64(s)
	}
	n.Detours = get[string](v, "fabric.paths") == "all"
	if n.Sample = get[sim.Time](v, "fabric.sample"); n.Sample > 0 && n.Sample < shortestSample {
		v.problem("fabric.sample", fmt.Sprintf("want \"0\" or at least %v: every port is looked at each time", shortestSample), `"10us"`)
	}
	v.schedule(n)
	v.levels(n)
	v.flowControl(n)
	n.Mark = fabric.Mark{Kmin: get[int64](v, "fabric.ecn.kmin"), Kmax: get[int64](v, "fabric.ecn.kmax"), PmaxPPM: get[int64](v, "fabric.ecn.pmax")}
	for _, k := range []string{"kmin", "pmax"} {
		if _, given := v.has("fabric.ecn." + k); given && n.Mark.Kmax == 0 {
			v.problem("fabric.ecn."+k, "has no meaning without fabric.ecn.kmax, where all packets are marked", "")
		}
	}
	if n.Mark.Kmax > 0 && n.Mark.Kmin > n.Mark.Kmax {
		v.problem("fabric.ecn.kmin", fmt.Sprintf("want at most fabric.ecn.kmax, %s", units.FormatSize(n.Mark.Kmax)), "")
		return
	}
	if !v.featuresFit(n) {
		return
	}
	if err := n.Check(); err != nil {
		v.problem(featureKey(err), strings.TrimPrefix(err.Error(), "fabric: "), "")
	}
}

// featuresFit holds keys against each other, in the words of the file.
func (v *values) featuresFit(n *Network) bool {
	fit := true
	problem := func(path, text, try string) {
		v.problem(path, text, try)
		fit = false
	}
	if n.Allocation > sim.Second {
		problem("fabric.allocation", fmt.Sprintf("want at most %v", sim.Second), "")
	}
	if n.Credits.Grain > n.Credits.Cells {
		problem("fabric.credits.grain", fmt.Sprintf("want at most fabric.credits.cells, %d", n.Credits.Cells), "")
	}
	if n.Credits.DataGrain > n.Credits.Cells {
		problem("fabric.credits.data_grain", fmt.Sprintf("want at most fabric.credits.cells, %d", n.Credits.Cells), "")
	}
	if p := &n.Pause; p.Lanes != 0 && !p.Dynamic && p.On > p.Off {
		if _, given := v.has("fabric.pfc.on"); given {
			problem("fabric.pfc.on", fmt.Sprintf("want at most fabric.pfc.off, %s", units.FormatSize(p.Off)), "")
		} else {
			problem("fabric.pfc.off", fmt.Sprintf("want at least fabric.pfc.on, which is %s", units.FormatSize(p.On)), "a smaller fabric.pfc.on beside it")
		}
	}
	if n.Pause.Lanes != 0 {
		for _, lane := range get[[]int64](v, "fabric.pfc.lanes") {
			if lane >= int64(n.Features.Lanes) {
				problem("fabric.pfc.lanes", fmt.Sprintf("got lane %d, want one of 0 to %d", lane, n.Features.Lanes-1), fmt.Sprintf("fabric.lanes = %d", lane+1))
				break
			}
		}
	}
	return fit
}

// schedule reads how lanes share a port.
func (v *values) schedule(n *Network) {
	weights := get[[]int64](v, "fabric.weights")
	if get[string](v, "fabric.schedule") == "sp" {
		if s, given := v.has("fabric.weights"); given && s.rank >= v.set["fabric.schedule"].rank {
			v.problem("fabric.weights", "has no meaning with strict priority", `fabric.schedule = "dwrr"`)
		}
		return
	}
	if len(weights) > 0 && len(weights) != n.Features.Lanes {
		v.problem("fabric.weights", fmt.Sprintf("got %d numbers for %d lanes, want one each", len(weights), n.Features.Lanes), "")
		return
	}
	for i := range n.Features.Lanes {
		w := int64(1)
		if len(weights) > 0 {
			w = weights[i]
		}
		n.Quantum[i] = int32(w * quantum)
	}
}

// levels reads the service levels of the protocols, and the lanes of those.
func (v *values) levels(n *Network) {
	for _, lane := range get[[]int64](v, "fabric.levels") {
		if lane >= int64(n.Features.Lanes) {
			v.problem("fabric.levels", fmt.Sprintf("got lane %d, want one of 0 to %d", lane, n.Features.Lanes-1), fmt.Sprintf("fabric.lanes = %d", lane+1))
			return
		}
		n.Lanes = append(n.Lanes, uint8(lane))
	}
	for p, name := range soc.ProtocolNames() {
		key := "transport." + name + ".level"
		n.Levels[p] = uint8(get[int64](v, key))
		if _, given := v.has(key); !given && topo.Protocol(p) == topo.ROCE {
			n.Levels[p], key = uint8(get[int64](v, "env.HCCL_RDMA_SL")), "env.HCCL_RDMA_SL"
		}
		if _, given := v.has(key); given && len(n.Lanes) > 0 && int(n.Levels[p]) >= len(n.Lanes) {
			v.problem(key, fmt.Sprintf("fabric.levels gives lanes to levels 0 to %d", len(n.Lanes)-1), "")
		}
	}
}

// flowControl reads credits, pauses and buffers.
func (v *values) flowControl(n *Network) {
	kind := get[string](v, "fabric.flow_control")
	pfc := strings.HasPrefix(kind, "pfc_")
	for _, k := range fabricKeys() {
		table, name, inTable := strings.Cut(strings.TrimPrefix(k.Path, "fabric."), ".")
		fits := true
		switch {
		case !inTable:
			continue
		case table == "credits":
			fits = kind == "credits"
		case table == "pfc":
			fits = pfc && (name == "lanes" || (name == "below") == (kind == "pfc_dynamic"))
		case name == "headroom":
			fits = pfc
		}
		if s, given := v.has(k.Path); given && !fits && s.rank >= v.set["fabric.flow_control"].rank {
			v.problem(k.Path, "has no meaning with fabric.flow_control = "+written(kind), "")
		}
	}
	b := &n.Buffer
	b.Reserve, b.Shared = get[int64](v, "fabric.buffer.reserve"), get[int64](v, "fabric.buffer.shared")
	b.Headroom, b.Alpha = get[int64](v, "fabric.buffer.headroom"), uint(get[int64](v, "fabric.buffer.alpha"))
	switch {
	case kind == "credits":
		c := func(name string) int32 { return int32(get[int64](v, "fabric.credits."+name)) }
		n.Credits = fabric.Credits{Cells: c("cells"), Shared: c("shared"), Flit: c("flit"), Flits: c("flits"), Grain: c("grain"), DataGrain: c("data_grain"), Frame: c("frame")}
		for _, k := range []struct {
			name string
			got  *int32
		}{{"grain", &n.Credits.Grain}, {"data_grain", &n.Credits.DataGrain}} {
			if _, given := v.has("fabric.credits." + k.name); !given {
				*k.got = min(*k.got, n.Credits.Cells) // a default fits any number of cells
			}
		}
	case pfc:
		p := &n.Pause
		p.Dynamic = kind == "pfc_dynamic"
		p.Off, p.On, p.Below = get[int64](v, "fabric.pfc.off"), get[int64](v, "fabric.pfc.on"), get[int64](v, "fabric.pfc.below")
		lanes := get[[]int64](v, "fabric.pfc.lanes")
		for i := range n.Features.Lanes {
			if len(lanes) == 0 {
				p.Lanes |= 1 << i
			}
		}
		for _, l := range lanes {
			p.Lanes |= 1 << l
		}
		if p.Dynamic && b.Shared == 0 {
			v.problem("fabric.flow_control", "wants the bytes that a switch shares", `fabric.buffer.shared = "32MiB"`)
			p.Lanes = 0
		}
	}
}

// featureKey is the key that an error of the fabric speaks of: "fabric: Pause.On: got ...".
func featureKey(err error) string {
	field, _, _ := strings.Cut(strings.TrimPrefix(err.Error(), "fabric: "), ": ")
	table, name, ok := strings.Cut(field, ".")
	switch {
	case field == "Allocation":
		return "fabric.allocation"
	case !ok:
		return "fabric.lanes"
	case table == "Mark":
		table = "ecn"
	case table == "Pause":
		table = "pfc"
	}
	if name == "DataGrain" {
		name = "data_grain"
	}
	key := strings.ToLower("fabric." + table + "." + name)
	for _, k := range fabricKeys() {
		if k.Path == key {
			return key
		}
	}
	return "fabric.flow_control"
}

// sprayed switches spray on in the plugins that have it, and refuses a cluster whose plugins all want their packets in order.
func (p *plan) sprayed() {
	if !p.cfg.Network.Spray {
		return
	}
	var without []string
	for _, proto := range p.used {
		m := p.mods[proto]
		if m == nil {
			return // refused already
		}
		if !m.has("spray") {
			without = append(without, fmt.Sprintf("%v over %s has no parameter spray", proto, m.name))
			continue
		}
		params := &p.cfg.Transport[proto].Params
		if i := slices.IndexFunc(*params, func(x Param) bool { return x.Name == "spray" }); i >= 0 {
			if on, is := (*params)[i].Value.(bool); is && !on {
				without = append(without, fmt.Sprintf("%s is false", (*params)[i].path))
			}
		} else {
			*params = append(slices.Clip(*params), Param{Name: "spray", Value: true, path: "fabric.routing"})
		}
	}
	if len(without) == len(p.used) && len(without) > 0 {
		p.cfg.values.problem("fabric.routing", "no plugin in use lets switches choose a way for each packet: "+strings.Join(without, ", "), `"hash"`)
	}
}

// has says whether the module has a parameter.
func (m *module) has(param string) bool {
	return slices.ContainsFunc(m.desc.Params, func(d wasm.Param) bool { return d.Name == param })
}

// forward makes all switches of a graph forward as [fabric] says; the graph is this configuration's own.
func (n *Network) forward(g *topo.Graph) {
	if n.Forward == "" {
		return
	}
	for i := range g.Nodes {
		if node := &g.Nodes[i]; node.Kind == topo.Switch {
			node.Store = n.Forward == "store-and-forward"
		}
	}
}
