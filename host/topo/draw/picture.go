package draw

import (
	"cmp"
	"fmt"
	"slices"

	"hsim/host/topo"
	"hsim/host/units"
)

// Bounds of the levels of detail.
const (
	fewNodes   = 100 // up to this many nodes each is drawn
	fewServers = 24  // up to this many servers each is a box
)

// box is one thing that is drawn: a node, or several of a kind.
type box struct {
	name  string
	note  []string // what a box of several stands for, and its links inside
	kind  topo.Kind
	rack  int // server of a device or host that is drawn alone; -1 = none
	level int // 0 = devices and hosts, above them the switches; -1 = the scale-out network, drawn below
}

// line joins two boxes; it stands for count links of one rate.
type line struct {
	a, b      int
	layer     uint8
	rate      units.Rate
	protocols topo.ProtocolSet
	count     int
	load      *carried // nil without a Load
}

// picture is a graph reduced to what fits on a page.
type picture struct {
	boxes []box
	lines []line
	racks []string // names of the servers whose devices are drawn alone
	sum   topo.Summary
}

// pictureOf reduces a graph, with what it carried where load is not nil.
func pictureOf(g *topo.Graph, load *Load) *picture {
	p := &picture{sum: g.Summary()}
	level := levels(g)
	alone := len(g.Nodes) <= fewNodes
	index := map[string]int{}
	of := make([]int, len(g.Nodes))
	size := make([]census, len(g.Nodes))
	for n := range g.Nodes {
		node := &g.Nodes[n]
		b := box{name: node.Name, kind: node.Kind, rack: -1, level: level[n]}
		switch {
		case alone:
			if node.Kind != topo.Switch {
				b.rack = int(node.Server)
			}
		case node.Kind == topo.Switch:
			b.name = node.Tier()
			if node.Super >= 0 && g.Supers > 1 {
				b.name = fmt.Sprintf("pod%d %s", node.Super, b.name)
			}
		case g.Servers <= fewServers:
			b.name, b.kind = fmt.Sprintf("server%d", node.Server), topo.Device
		default:
			b.name, b.kind = fmt.Sprintf("superpod%d", max(node.Super, 0)), topo.Device
		}
		at, ok := index[b.name]
		if !ok {
			at = len(p.boxes)
			index[b.name] = at
			p.boxes = append(p.boxes, b)
		}
		of[n] = at
		if !alone {
			size[at].count(node)
		}
	}
	for i := range p.boxes {
		if !alone {
			p.boxes[i].note = size[i].words()
		}
	}
	if alone {
		for s := range g.Servers {
			p.racks = append(p.racks, fmt.Sprintf("server %d", s))
		}
	}
	p.join(g, of, load)
	return p
}

// census counts what a box stands for.
type census struct {
	devices, backups, hosts, switches, servers int
	last                                       int32 // server
}

func (c *census) count(n *topo.Node) {
	switch {
	case n.Kind == topo.Switch:
		c.switches++
	case n.Kind == topo.Host:
		c.hosts++
	case n.Spare:
		c.backups++
	default:
		if c.devices++; c.servers == 0 || n.Server != c.last {
			c.servers++
			c.last = n.Server
		}
	}
}

func (c *census) words() []string {
	if c.switches > 0 {
		return []string{plural(c.switches, "switch", "switches")}
	}
	out := []string{plural(c.devices, "device", "devices")}
	if c.servers > 1 {
		out[0] = plural(c.servers, "server", "servers") + ", " + out[0]
	}
	if c.backups > 0 {
		out = append(out, plural(c.backups, "backup device", "backup devices"))
	}
	if c.hosts > 0 {
		out = append(out, plural(c.hosts, "host", "hosts"))
	}
	return out
}

func plural(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %s", n, many)
}

// join merges the links between two boxes; those inside a box become notes.
func (p *picture) join(g *topo.Graph, of []int, load *Load) {
	type key struct {
		a, b  int
		layer uint8
		rate  units.Rate
	}
	at := map[key]int{}
	for i := range g.Links {
		l := &g.Links[i]
		a, b := of[g.Ports[l.A].Node], of[g.Ports[l.B].Node]
		k := key{min(a, b), max(a, b), l.Layer, l.Rate}
		j, ok := at[k]
		if !ok {
			j = len(p.lines)
			at[k] = j
			p.lines = append(p.lines, line{a: k.a, b: k.b, layer: l.Layer, rate: l.Rate})
		}
		p.lines[j].count++
		p.lines[j].protocols |= l.Protocols
		if load != nil {
			p.lines[j].load = p.lines[j].load.add(g, load, l)
		}
	}
	slices.SortStableFunc(p.lines, func(x, y line) int {
		return cmp.Or(cmp.Compare(x.layer, y.layer), cmp.Compare(x.a, y.a), cmp.Compare(x.b, y.b))
	})
	for _, l := range p.lines {
		if l.a != l.b {
			continue
		}
		what := "cables"
		if l.layer == 3 {
			what = "to hosts"
		}
		p.boxes[l.a].note = append(p.boxes[l.a].note, what+" "+l.label())
	}
}

// levels is how far every node is from the devices: 0 for devices and hosts, 1
// for the switches they hang on, and so on; -1 for the switches of the scale-out
// network where there is another.
func levels(g *topo.Graph) []int {
	out := make([]int, len(g.Nodes))
	var queue []topo.NodeID
	scaleUp := false
	for n := range g.Nodes {
		out[n] = 1 << 20
		if g.Nodes[n].Kind != topo.Switch {
			out[n] = 0
			queue = append(queue, topo.NodeID(n))
		}
	}
	for at := 0; at < len(queue); at++ {
		n := queue[at]
		for _, q := range g.NodePorts(n) {
			if m := g.PeerNode(q); out[m] > out[n]+1 {
				out[m] = out[n] + 1
				queue = append(queue, m)
			}
		}
	}
	out2 := make([]bool, len(g.Nodes))
	for n := range g.Nodes {
		if g.Nodes[n].Kind != topo.Switch {
			continue
		}
		out2[n] = true
		for _, q := range g.NodePorts(topo.NodeID(n)) {
			if g.LinkOf(q).Layer < 2 {
				out2[n] = false
			}
		}
		scaleUp = scaleUp || !out2[n]
	}
	direct := false
	for i := range g.Links {
		direct = direct || g.Links[i].Layer == 0
	}
	for n := range out {
		if out2[n] && (scaleUp || direct) && out[n] == 1 {
			out[n] = -1
		}
	}
	return out
}

// rate prints a rate; 0 is infinitely fast.
func rate(r units.Rate) string {
	if r == 0 {
		return "no limit"
	}
	return units.FormatRate(r)
}

// label is what a line stands for.
func (l *line) label() string {
	if l.count == 1 {
		return rate(l.rate)
	}
	return fmt.Sprintf("%d x %s", l.count, rate(l.rate))
}
