package ns3ub

import (
	"io/fs"
	"slices"
)

const (
	routeNode = iota
	routeDst
	routePort
	routeOut
	routeMetric
)

var routeColumns = []column{
	{[]string{"nodeId"}, true},
	{[]string{"dstNodeId"}, true},
	{[]string{"dstPortId"}, true},
	{[]string{"outPorts", "outPort"}, true},
	{[]string{"metrics", "metric"}, true},
}

// target is where a packet goes: a port of a device, or the device by any of its
// ports when port is noPort.
type target struct {
	dst  int64
	port int64
}

type routeKey struct {
	node int64
	target
}

// entry is the ports of the lowest metric that rows gave for one key.
type entry struct {
	ports  []int64
	metric int64
	line   int // of the first row with that metric
}

// routes is routing_table.csv: entries per destination port, and per destination
// all of them together, which a packet follows where its port has none.
type routes struct {
	file    string
	entries map[routeKey]*entry
}

// maxRows bounds what ranges may unfold to.
const maxRows = 1 << 23

// readRoutes reads routing_table.csv.
func (c *Case) readRoutes(fsys fs.FS, probs *problems) {
	t := readTable(fsys, c.Dir, "routing_table.csv", routeColumns, true, probs)
	if t == nil {
		if !probs.any() {
			c.note(c.path("routing_table.csv") + ": there is no such file: packets take shortest paths")
		}
		return
	}
	c.noteColumns(t)
	c.routes = &routes{file: t.path, entries: map[routeKey]*entry{}}
	for i := range t.rows {
		r := reader{t: t, row: &t.rows[i], probs: probs}
		c.readRoute(&r)
	}
	if len(t.rows) == 0 {
		probs.add(t.path, 0, "got no route, want at least one")
	}
}

func (c *Case) readRoute(r *reader) {
	node0, node1 := r.span(routeNode, maxID)
	dst0, dst1 := r.span(routeDst, maxID)
	port := r.int(routePort, 0, maxPorts)
	out, metrics := r.ints(routeOut, maxPorts), r.ints(routeMetric, noMetric)
	if r.bad {
		return
	}
	switch {
	case len(out) == 0:
		r.fail(routeOut, "got no port, want at least one")
	case len(out) != len(metrics):
		r.fail(routeMetric, "got %d metrics for %d ports, want one each", len(metrics), len(out))
	case (node1-node0+1)*(dst1-dst0+1) > maxRows || len(c.routes.entries) > maxRows:
		r.fail(routeNode, "got more than %d routes, want fewer", maxRows)
	}
	for node := node0; node <= node1 && !r.bad; node++ {
		n := c.node(node)
		if n == nil {
			r.fail(routeNode, "got node %d, want one of node.csv", node)
			return
		}
		for _, p := range out {
			if p >= int64(n.Ports) {
				r.fail(routeOut, "got port %d of node %d, which has %d ports (node.csv:%d)", p, node, n.Ports, n.line)
			} else if !n.linked[p] {
				r.fail(routeOut, "got port %d of node %d, which has no link in topology.csv", p, node)
			}
		}
		for dst := dst0; dst <= dst1 && !r.bad; dst++ {
			d := c.node(dst)
			switch {
			case d == nil:
				r.fail(routeDst, "got node %d, want one of node.csv", dst)
			case d.Switch || dst == node: // nobody sends there
			case port >= int64(d.Ports):
				r.fail(routePort, "got port %d of node %d, which has %d ports (node.csv:%d)", port, dst, d.Ports, d.line)
			default:
				c.routes.add(routeKey{node, target{dst, port}}, out, metrics, r.row.line)
				c.routes.add(routeKey{node, target{dst, noPort}}, out, metrics, r.row.line)
			}
		}
	}
}

// add merges the ports of a row: the lowest metric wins.
func (t *routes) add(k routeKey, out, metrics []int64, line int) {
	e := t.entries[k]
	if e == nil {
		e = &entry{metric: metrics[0], line: line}
		t.entries[k] = e
	}
	for i, p := range out {
		if metrics[i] < e.metric {
			e.metric, e.ports, e.line = metrics[i], nil, line
		}
		if metrics[i] == e.metric && !slices.Contains(e.ports, p) {
			e.ports = append(e.ports, p)
		}
	}
}

// from is the entry that a packet for to follows at node, nil without one.
func (t *routes) from(node int64, to target) *entry {
	if e := t.entries[routeKey{node, to}]; e != nil || to.port == noPort {
		return e
	}
	return t.entries[routeKey{node, target{to.dst, noPort}}]
}
