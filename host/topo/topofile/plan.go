package topofile

import (
	"cmp"
	"fmt"
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
	copy  []int   // per device, backups behind the others: its copy of the peers
	local []int   // likewise
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
	p.copy, p.local = make([]int, p.g.Devices, p.g.Devices+p.g.Spares), make([]int, p.g.Devices, p.g.Devices+p.g.Spares)
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
	for n := len(p.g.Nodes) - p.g.Spares; n < len(p.g.Nodes); n++ {
		p.copy = append(p.copy, p.copy[first[p.g.Nodes[n].Server]])
		p.local = append(p.local, BackupID)
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

// device is the place of a device or backup device in copy and local, -1 for
// other nodes.
func (p *planner) device(n topo.NodeID) int {
	if p.isDevice(n) {
		return int(n)
	}
	if p.g.Nodes[n].Spare {
		return p.g.Devices + int(n) - (len(p.g.Nodes) - p.g.Spares)
	}
	return -1
}

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

func less(a, b Port) bool {
	return cmp.Or(cmp.Compare(a.Die, b.Die), cmp.Compare(a.Index, b.Index)) < 0
}

// String names an edge in errors.
func (e *Edge) String() string {
	if e.Net {
		return fmt.Sprintf("the edge of local id %d to network %d of layer %d", e.A, e.Instance, e.Layer)
	}
	return fmt.Sprintf("the edge from local id %d to %d", e.A, e.B)
}
