package topofile

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"

	"hsim/host/topo"
)

// Plan is a cluster as a topology file and its members see it: what the file
// says, and for each device its local id and the names of its networks.
type Plan struct {
	File    *File
	Members []Member
}

// PlanOf finds the file that wires a cluster. Devices that cables or a server
// join are one copy of the peers. It refuses copies of more than 64 devices and
// copies that are wired differently: one file cannot say those.
func PlanOf(c *topo.Cluster) (*Plan, error) {
	p := &planner{c: c, g: c.Graph}
	p.out.File = &File{}
	p.out.Members = make([]Member, p.g.Devices)
	if err := p.locals(); err != nil {
		return nil, err
	}
	p.direct()
	p.networks()
	if err := p.collect(); err != nil {
		return nil, err
	}
	return &p.out, nil
}

type planner struct {
	c     *topo.Cluster
	g     *topo.Graph
	out   Plan
	copy  []int   // per device: its copy of the peers
	local []int   // per device
	sizes []int   // per copy
	pairs []found // what every copy has
}

// found is one edge of one copy.
type found struct {
	copy int
	edge Edge
}

// sets is a union of devices.
type sets []int

func (s sets) find(i int) int {
	for s[i] != i {
		s[i] = s[s[i]]
		i = s[i]
	}
	return i
}

func (s sets) join(a, b int) {
	x, y := s.find(a), s.find(b)
	s[max(x, y)] = min(x, y)
}

func newSets(n int) sets {
	s := make(sets, n)
	for i := range s {
		s[i] = i
	}
	return s
}

// locals groups the devices and numbers them: by the ranks' own local ids where
// those are unique in every group, else in order.
func (p *planner) locals() error {
	s := newSets(p.g.Devices)
	first := map[int32]int{}
	for d := range p.g.Devices {
		if f, ok := first[p.g.Nodes[d].Server]; ok {
			s.join(f, d)
		} else {
			first[p.g.Nodes[d].Server] = d
		}
	}
	for i := range p.g.Links {
		if a, b := p.ends(i); p.isDevice(a) && p.isDevice(b) {
			s.join(int(a), int(b))
		}
	}
	number := map[int]int{}
	p.copy, p.local = make([]int, p.g.Devices), make([]int, p.g.Devices)
	for d := range p.g.Devices {
		root := s.find(d)
		if _, ok := number[root]; !ok {
			number[root] = len(number)
			p.sizes = append(p.sizes, 0)
		}
		p.copy[d] = number[root]
		p.local[d] = p.sizes[p.copy[d]]
		p.sizes[p.copy[d]]++
	}
	for _, n := range p.sizes {
		if n > maxPeers-1 {
			return fmt.Errorf("topofile: write: got %d devices that cables or a server join, want at most 64 (the format has no more local ids)", n)
		}
	}
	if own := p.ownLocals(); own != nil {
		p.local = own
	}
	for d := range p.g.Devices {
		p.out.Members[d].Local = p.local[d]
		p.out.Members[d].Instance[0] = "pod" + strconv.Itoa(p.copy[d])
	}
	return nil
}

// ownLocals are the local ids of the ranks, nil where they do not tell devices
// apart.
func (p *planner) ownLocals() []int {
	out := make([]int, p.g.Devices)
	for i := range out {
		out[i] = -1
	}
	for _, r := range p.c.Ranks {
		if p.isDevice(r.Node) {
			out[r.Node] = r.Local
		}
	}
	seen := map[[2]int]bool{}
	for d, l := range out {
		key := [2]int{p.copy[d], l}
		if l < 0 || l > maxLocal || seen[key] {
			return nil
		}
		seen[key] = true
	}
	return out
}

func (p *planner) isDevice(n topo.NodeID) bool { return int(n) < p.g.Devices }

// ends are the nodes of a link.
func (p *planner) ends(link int) (a, b topo.NodeID) {
	l := &p.g.Links[link]
	return p.g.Ports[l.A].Node, p.g.Ports[l.B].Node
}

func portOf(g *topo.Graph, id topo.PortID) Port {
	return Port{int(g.Ports[id].Die), int(g.Ports[id].Index)}
}

// direct adds the cables between devices: one edge for each pair and kind.
func (p *planner) direct() {
	for i := range p.g.Links {
		a, b := p.ends(i)
		if !p.isDevice(a) || !p.isDevice(b) {
			continue
		}
		l := &p.g.Links[i]
		e := Edge{Layer: int(l.Layer), TopoType: "1DMESH", A: p.local[a], B: p.local[b], APorts: []Port{portOf(p.g, l.A)}, BPorts: []Port{portOf(p.g, l.B)}, Protocols: l.Protocols}
		if e.A > e.B {
			e.A, e.B, e.APorts, e.BPorts = e.B, e.A, e.BPorts, e.APorts
		}
		p.pairs = append(p.pairs, found{p.copy[a], e})
	}
}

// attachment is a port of a device, or of its host, on a network.
type attachment struct {
	device    int
	port      Port
	host      bool
	protocols topo.ProtocolSet
	net       int // number of the network, see networks
	layer     int
}

// networks adds the edges to networks. A network is the switches of a layer that
// links of the layer join; the devices that share networks of a layer are one
// instance of it.
func (p *planner) networks() {
	s := newSets(len(p.g.Nodes))
	layerOf := make([]int, len(p.g.Nodes)) // of a switch: that of its links to devices and hosts
	for i := range layerOf {
		layerOf[i] = -1
	}
	isSwitch := func(n topo.NodeID) bool { return p.g.Nodes[n].Kind == topo.Switch }
	for i := range p.g.Links {
		a, b := p.ends(i)
		if isSwitch(b) && !isSwitch(a) {
			layerOf[b] = int(p.g.Links[i].Layer)
		}
	}
	for i := range p.g.Links {
		a, b := p.ends(i)
		if l := int(p.g.Links[i].Layer); isSwitch(a) && isSwitch(b) && (layerOf[a] < 0 || layerOf[a] == l) && (layerOf[b] < 0 || layerOf[b] == l) {
			s.join(int(a), int(b))
		}
	}
	var all []attachment
	upper := map[topo.NodeID][]int{} // links of a switch to a network of a higher layer
	hostPorts := map[topo.NodeID][]int{}
	for i := range p.g.Links {
		a, b := p.ends(i)
		l := &p.g.Links[i]
		switch {
		case isSwitch(b) && p.isDevice(a):
			all = append(all, attachment{int(a), portOf(p.g, l.A), false, l.Protocols, s.find(int(b)), int(l.Layer)})
		case isSwitch(b) && p.g.Nodes[a].Kind == topo.Host:
			hostPorts[a] = append(hostPorts[a], i)
		case isSwitch(a) && isSwitch(b) && s.find(int(a)) != s.find(int(b)):
			upper[a] = append(upper[a], i)
		}
	}
	all = p.throughHosts(all, hostPorts, s)
	all = p.throughSwitches(all, upper, s)
	p.number(all)
}

// throughHosts gives the network ports of hosts to their devices in equal blocks.
func (p *planner) throughHosts(all []attachment, ports map[topo.NodeID][]int, s sets) []attachment {
	for n := range topo.NodeID(len(p.g.Nodes)) {
		links := ports[n]
		if len(links) == 0 {
			continue
		}
		var devices []int
		for d := range p.g.Devices {
			if p.g.HostOf(topo.NodeID(d)) == n {
				devices = append(devices, d)
			}
		}
		for k, i := range links {
			if len(devices) == 0 {
				break
			}
			l := &p.g.Links[i]
			_, sw := p.ends(i)
			all = append(all, attachment{devices[k*len(devices)/len(links)], portOf(p.g, l.A), true, l.Protocols, s.find(int(sw)), int(l.Layer)})
		}
	}
	return all
}

// throughSwitches gives the links of a switch to a higher network to the device
// ports on the switch whose cables carry their protocols, one each.
func (p *planner) throughSwitches(all []attachment, upper map[topo.NodeID][]int, s sets) []attachment {
	for n := range topo.NodeID(len(p.g.Nodes)) {
		links := upper[n]
		if len(links) == 0 {
			continue
		}
		k := 0
		for _, id := range p.g.NodePorts(n) {
			peer := p.g.Peer(id)
			if d := p.g.Ports[peer].Node; p.isDevice(d) && k < len(links) {
				l := &p.g.Links[links[k]]
				if l.Protocols&^p.g.LinkOf(id).Protocols != 0 {
					continue // the way up goes through another cable
				}
				_, top := p.ends(links[k])
				all = append(all, attachment{int(d), portOf(p.g, peer), false, l.Protocols, s.find(int(top)), int(l.Layer)})
				k++
			}
		}
	}
	return all
}

// number finds the instances of every layer, numbers the networks of each and
// adds the edges.
func (p *planner) number(all []attachment) {
	for layer := range maxLayer + 1 {
		s := newSets(p.g.Devices)
		firstOf := map[int]int{} // network -> a device
		type order struct {
			device int
			port   Port
		}
		rank := map[int]order{} // network -> its first port of its first device
		var nets []int
		for _, a := range all {
			if a.layer != layer {
				continue
			}
			if f, ok := firstOf[a.net]; ok {
				s.join(f, a.device)
			} else {
				firstOf[a.net] = a.device
				nets = append(nets, a.net)
			}
			o, ok := rank[a.net]
			if !ok || a.device < o.device || a.device == o.device && less(a.port, o.port) {
				rank[a.net] = order{a.device, a.port}
			}
		}
		slices.SortFunc(nets, func(x, y int) int {
			a, b := rank[x], rank[y]
			return cmp.Or(cmp.Compare(a.device, b.device), cmp.Compare(a.port.Die, b.port.Die), cmp.Compare(a.port.Index, b.port.Index))
		})
		numbers, perInstance := map[int]int{}, map[int]int{}
		for _, n := range nets {
			root := s.find(firstOf[n])
			numbers[n] = perInstance[root]
			perInstance[root]++
		}
		for _, a := range all {
			if a.layer != layer {
				continue
			}
			m := &p.out.Members[a.device]
			if layer > 0 {
				m.Instance[layer] = fmt.Sprintf("net%d-%d", layer, s.find(a.device))
			}
			p.pairs = append(p.pairs, found{p.copy[a.device], Edge{Layer: layer, Net: true, Host: a.host, TopoType: "CLOS", Instance: numbers[a.net],
				A: p.local[a.device], B: -1, APorts: []Port{a.port}, Protocols: a.protocols}})
		}
	}
}

func less(a, b Port) bool {
	return cmp.Or(cmp.Compare(a.Die, b.Die), cmp.Compare(a.Index, b.Index)) < 0
}

// edgeKey is what edges that differ in ports only share; part counts edges that
// are full.
type edgeKey struct {
	net, host                    bool
	layer, instance, a, b, parts int
	protocols                    topo.ProtocolSet
}

// collect merges the edges of one copy that differ in ports only, and holds the
// copies against each other.
func (p *planner) collect() error {
	byCopy := make([]map[edgeKey]*Edge, len(p.sizes))
	for i := range byCopy {
		byCopy[i] = map[edgeKey]*Edge{}
	}
	var order []edgeKey
	listed := map[edgeKey]bool{}
	for _, f := range p.pairs {
		e := f.edge
		key := edgeKey{net: e.Net, host: e.Host, layer: e.Layer, instance: e.Instance, a: e.A, b: e.B, protocols: e.Protocols}
		have := byCopy[f.copy][key]
		for have != nil && len(have.APorts) == maxEdgePort {
			key.parts++
			have = byCopy[f.copy][key]
		}
		if have != nil {
			have.APorts = append(have.APorts, e.APorts...)
			have.BPorts = append(have.BPorts, e.BPorts...)
			continue
		}
		byCopy[f.copy][key] = &e
		if !listed[key] {
			listed[key] = true
			order = append(order, key)
		}
	}
	peers := make([]map[int]bool, len(p.sizes))
	all := map[int]bool{}
	for d, l := range p.local {
		if peers[p.copy[d]] == nil {
			peers[p.copy[d]] = map[int]bool{}
		}
		peers[p.copy[d]][l], all[l] = true, true
	}
	for _, key := range order {
		var first *Edge
		for _, edges := range byCopy {
			if e := edges[key]; first == nil {
				first = e
			} else if e != nil && !(slices.Equal(first.APorts, e.APorts) && slices.Equal(first.BPorts, e.BPorts)) {
				return fmt.Errorf("topofile: write: got ports %v and %v for %s in two groups of devices, want groups that are wired alike", first.APorts, e.APorts, first)
			}
		}
		for copy, edges := range byCopy {
			if edges[key] == nil && peers[copy][first.A] && (first.Net || peers[copy][first.B]) {
				return fmt.Errorf("topofile: write: got %s in one group of devices and not in another, want groups that are wired alike", first)
			}
		}
		p.out.File.Edges = append(p.out.File.Edges, *first)
	}
	for l := range maxLocal + 1 {
		if all[l] {
			p.out.File.Peers = append(p.out.File.Peers, l)
		}
	}
	return nil
}

// String names an edge in errors.
func (e *Edge) String() string {
	if e.Net {
		return fmt.Sprintf("the edge of local id %d to network %d of layer %d", e.A, e.Instance, e.Layer)
	}
	return fmt.Sprintf("the edge from local id %d to %d", e.A, e.B)
}
