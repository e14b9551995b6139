package topofile

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"hsim/host/soc"
	"hsim/host/topo"
	"hsim/host/topo/form"
)

// protocolNames are the protocols an edge may name.
func protocolNames() []string {
	return []string{"UB_CTP", "UB_TP", "ROCE", "HCCS", "TCP", "UB_MEM", "UBOE"}
}

// Load reads a topology file. The error is *form.Faults: EI0004 for what is not
// JSON, EI0017 for missing keys, EI0014 for values.
func Load(name string) (*File, error) {
	data, err := form.ReadFile(name)
	if err != nil {
		return nil, err
	}
	return Parse(name, data)
}

// Parse reads the text of a topology file; name stands for it in faults.
func Parse(name string, data []byte) (*File, error) {
	v, err := form.ParseJSON(name, data)
	if err != nil {
		return nil, err
	}
	r := form.NewReader(name)
	o := r.Root(v, "version", "hardware_type", "peer_count", "peer_list", "edge_count", "edge_list", "hsim")
	p := &reader{r: r, f: &File{Name: name}, peer: map[int]bool{}}
	p.file(o)
	if err := r.Err(); err != nil {
		return nil, err
	}
	p.f.Notes = r.Notes()
	return p.f, nil
}

type reader struct {
	r    *form.Reader
	f    *File
	peer map[int]bool
	seen map[string]bool

	doublePorts, doubleProtocols counter
}

// counter counts what is noted once.
type counter struct{ n, line int }

func (c *counter) add(line int) {
	if c.n == 0 {
		c.line = line
	}
	c.n++
}

func (p *reader) file(o *form.Object) {
	o.OneOf("version", Version)
	if o.Has("hardware_type") {
		p.f.Hardware, _ = o.Text("hardware_type", 0, 256, "text")
	}
	peers, havePeers := o.Int("peer_count", 1, maxPeers)
	edges, haveEdges := o.Int("edge_count", 0, maxEdges)
	known := []string{"local_id"}
	list, ok := o.Objects("peer_list", 1, 1<<20, known...)
	if ok && havePeers && peers != len(list) {
		o.Bad("peer_count", fmt.Sprintf("%d, the length of peer_list", len(list)), "")
	}
	for _, one := range list {
		if id, ok := one.Int("local_id", 0, maxLocal); ok {
			if p.peer[id] {
				one.Bad("local_id", "every id once", "")
			}
			p.peer[id] = true
			p.f.Peers = append(p.f.Peers, id)
		}
	}
	all, ok := o.Objects("edge_list", 0, maxEdges, "net_layer", "link_type", "topo_type", "topo_instance_id", "topo_attr",
		"local_a", "local_a_ports", "local_b", "local_b_ports", "protocols", "position")
	if ok && haveEdges && edges != len(all) {
		o.Bad("edge_count", fmt.Sprintf("%d, the length of edge_list", len(all)), "")
	}
	p.seen = make(map[string]bool, len(all))
	p.f.Edges = make([]Edge, 0, len(all))
	for _, one := range all {
		p.edge(one)
	}
	if p.doublePorts.n > 0 {
		p.r.Note(p.doublePorts.line, "ports that an edge names twice count once (%d of them)", p.doublePorts.n)
	}
	if p.doubleProtocols.n > 0 {
		p.r.Note(p.doubleProtocols.line, "protocols that an edge names twice count once (%d of them)", p.doubleProtocols.n)
	}
	if o.Has("hsim") {
		p.spec(o)
	}
}

func (p *reader) edge(o *form.Object) {
	e := Edge{B: -1, TopoType: "CLOS", Line: o.Line("")}
	var ok [5]bool
	e.Layer, ok[0] = o.Int("net_layer", 0, maxLayer)
	kind, known := o.OneOf("link_type", "PEER2PEER", "PEER2NET")
	e.Net, ok[1] = kind == "PEER2NET", known
	e.Protocols, ok[2] = p.protocols(o)
	e.A, ok[3] = p.local(o, "local_a")
	e.APorts, ok[4] = p.ports(o, "local_a_ports")
	good := !slices.Contains(ok[:], false)
	switch {
	case !known:
	case !e.Net:
		var b bool
		if e.B, b = p.local(o, "local_b"); b && e.B == e.A && ok[3] {
			o.Bad("local_b", "another peer than local_a", "")
			b = false
		}
		ports, haveB := p.ports(o, "local_b_ports")
		if e.BPorts = ports; haveB && ok[4] && len(ports) != len(e.APorts) {
			o.Bad("local_b_ports", fmt.Sprintf("%d ports, as many as local_a_ports", len(e.APorts)), "")
		}
		good = good && b && haveB
	case o.Has("local_b"):
		o.Bad("local_b", "no local_b in an edge to a network", `link_type "PEER2PEER"`)
	}
	if o.Has("topo_type") {
		e.TopoType, _ = o.OneOf("topo_type", "1DMESH", "CLOS")
	}
	if o.Has("topo_instance_id") {
		e.Instance, _ = o.Int("topo_instance_id", 0, maxInstance)
	}
	if o.Has("position") {
		where, _ := o.OneOf("position", "DEVICE", "HOST")
		e.Host = where == "HOST"
	}
	if !good {
		return
	}
	line := e.Line
	e.Line = 0
	key := fmt.Sprint(e)
	e.Line = line
	if !p.seen[key] {
		p.seen[key] = true
		p.f.Edges = append(p.f.Edges, e)
	}
}

// local is the id of a peer.
func (p *reader) local(o *form.Object, key string) (int, bool) {
	id, ok := o.Int(key, 0, maxLocal)
	if ok && !p.peer[id] {
		o.Bad(key, "a local_id of peer_list", "")
		return 0, false
	}
	return id, ok
}

func (p *reader) protocols(o *form.Object) (topo.ProtocolSet, bool) {
	names, ok := o.Texts("protocols", 1, 64, "protocols")
	var set topo.ProtocolSet
	for i, n := range names {
		if !slices.Contains(protocolNames(), n) {
			try := ""
			if near := soc.Nearest(n, protocolNames()); near != "" {
				try = strconv.Quote(near)
			}
			o.Item("protocols", i, "one of "+strings.Join(protocolNames(), ", "), try)
			return 0, false
		}
		proto, _ := soc.ParseProtocol(n)
		if set.Has(proto) {
			p.doubleProtocols.add(o.Line("protocols"))
		}
		set |= soc.Protocols(proto)
	}
	return set, ok
}

func (p *reader) ports(o *form.Object, key string) ([]Port, bool) {
	names, ok := o.Texts(key, 1, maxEdgePort, "ports")
	out := make([]Port, 0, len(names))
	for i, n := range names {
		port, good := ParsePort(n)
		if !good {
			o.Item(key, i, `a port "die/port" such as "0/3"`, "")
			return nil, false
		}
		if slices.Contains(out, port) {
			p.doublePorts.add(o.Line(key))
			continue
		}
		out = append(out, port)
	}
	return out, ok
}

// maxPort bounds the numbers of dies and ports.
const maxPort = 1<<15 - 1

// ParsePort reads "die/port".
func ParsePort(s string) (Port, bool) {
	die, index, ok := strings.Cut(s, "/")
	if !ok || len(s) > 12 {
		return Port{}, false
	}
	d, ok1 := digits(die)
	i, ok2 := digits(index)
	return Port{d, i}, ok1 && ok2
}

func digits(s string) (int, bool) {
	if s == "" || strings.Trim(s, "0123456789") != "" {
		return 0, false
	}
	n, err := strconv.Atoi(s)
	return n, err == nil && n <= maxPort
}

// String is "die/port".
func (p Port) String() string { return strconv.Itoa(p.Die) + "/" + strconv.Itoa(p.Index) }
