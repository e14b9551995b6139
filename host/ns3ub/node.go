package ns3ub

import (
	"io/fs"
	"sort"
	"strings"

	"hsim/host/soc"
)

const (
	nodeID = iota
	nodeType
	nodePorts
	nodeDelay
)

var nodeColumns = []column{
	{[]string{"nodeId"}, true},
	{[]string{"nodeType"}, true},
	{[]string{"portNum"}, true},
	{[]string{"forwardDelay"}, false},
}

// readNodes reads node.csv; a row may stand for a range of nodes.
func (c *Case) readNodes(fsys fs.FS, probs *problems) {
	t := readTable(fsys, c.Dir, "node.csv", nodeColumns, false, probs)
	if t == nil {
		return
	}
	c.noteColumns(t)
	ports := int64(0)
	for i := range t.rows {
		r := reader{t: t, row: &t.rows[i], probs: probs}
		from, to := r.span(nodeID, maxID)
		n := Node{Switch: r.kind() == "SWITCH", Ports: int(r.int(nodePorts, 0, maxPorts)), line: r.row.line}
		if r.text(nodeDelay) != "" {
			n.Forward, n.Given = r.time(nodeDelay), true
		}
		if r.bad {
			continue
		}
		if to-from >= maxNodes || len(c.Nodes)+int(to-from) >= maxNodes {
			r.fail(nodeID, "got more than %d nodes, want fewer", maxNodes)
			return
		}
		if ports += int64(n.Ports) * (to - from + 1); ports > allPorts {
			r.fail(nodePorts, "got more than %d ports on all nodes, want fewer", allPorts)
			return
		}
		for id := from; id <= to; id++ {
			if old := c.node(id); old != nil {
				r.fail(nodeID, "node %d is in line %d already, want every node once", id, old.line)
				break
			}
			n.ID = id
			n.linked = make([]bool, n.Ports)
			c.byID[id] = len(c.Nodes)
			c.Nodes = append(c.Nodes, n)
		}
	}
	sort.Slice(c.Nodes, func(i, k int) bool { return c.Nodes[i].ID < c.Nodes[k].ID })
	for i := range c.Nodes {
		c.byID[c.Nodes[i].ID] = i
	}
	if len(c.Nodes) == 0 && !probs.any() {
		probs.add(t.path, 0, "got no node, want at least one")
	}
}

// kind reads the type of a node.
func (r *reader) kind() string {
	kinds := []string{"DEVICE", "SWITCH"}
	s := strings.ToUpper(r.text(nodeType))
	for _, k := range kinds {
		if s == k {
			return s
		}
	}
	r.fail(nodeType, "got %q, want DEVICE or SWITCH%s", r.text(nodeType), tryName(s, kinds))
	return s
}

// tryName suggests the nearest of the names.
func tryName(got string, names []string) string {
	if n := soc.Nearest(got, names); n != "" {
		return " (try " + n + ")"
	}
	return ""
}

// listed joins names for a note.
func listed(names []string) string { return strings.Join(names, ", ") }

// device reads a cell that names a device.
func (r *reader) device(c *Case, col int) int64 {
	id := r.int(col, 0, maxID)
	n := c.node(id)
	switch {
	case r.bad:
	case n == nil:
		r.fail(col, "got node %d, want one of node.csv", id)
	case n.Switch:
		r.fail(col, "got node %d, which is a switch, want a device", id)
	}
	return id
}

// port reads a cell that names a linked port of the node.
func (r *reader) port(c *Case, col int, node int64) int64 {
	p := r.int(col, 0, maxPorts)
	n := c.node(node)
	switch {
	case r.bad || n == nil:
	case p >= int64(n.Ports):
		r.fail(col, "got port %d of node %d, which has %d ports (node.csv:%d)", p, node, n.Ports, n.line)
	case !n.linked[p]:
		r.fail(col, "got port %d of node %d, which has no link in topology.csv", p, node)
	}
	return p
}
