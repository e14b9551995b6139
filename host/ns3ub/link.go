package ns3ub

import "io/fs"

const (
	linkNodeA = iota
	linkPortA
	linkNodeB
	linkPortB
	linkRate
	linkDelay
)

var linkColumns = []column{
	{[]string{"nodeId1", "node1"}, true},
	{[]string{"portId1", "port1"}, true},
	{[]string{"nodeId2", "node2"}, true},
	{[]string{"portId2", "port2"}, true},
	{[]string{"bandwidth"}, true},
	{[]string{"delay"}, true},
}

// readLinks reads topology.csv.
func (c *Case) readLinks(fsys fs.FS, probs *problems) {
	t := readTable(fsys, c.Dir, "topology.csv", linkColumns, false, probs)
	if t == nil {
		return
	}
	c.noteColumns(t)
	type end struct{ node, port int64 }
	used := map[end]int{}
	for i := range t.rows {
		r := reader{t: t, row: &t.rows[i], probs: probs}
		l := Link{NodeA: r.known(c, linkNodeA), NodeB: r.known(c, linkNodeB), Rate: r.rate(linkRate), Delay: r.time(linkDelay), line: r.row.line}
		if r.bad {
			continue
		}
		if l.Rate == 0 {
			r.fail(linkRate, "got %q, want a rate above 0", r.text(linkRate))
		}
		if l.Delay == 0 {
			r.fail(linkDelay, "got %q, want a delay above 0", r.text(linkDelay))
		}
		if l.NodeA == l.NodeB {
			r.fail(linkNodeB, "got node %d at both ends, want two nodes", l.NodeB)
		}
		l.PortA, l.PortB = r.free(c, linkPortA, l.NodeA), r.free(c, linkPortB, l.NodeB)
		if r.bad {
			continue
		}
		for _, e := range []struct {
			end
			col int
		}{{end{l.NodeA, l.PortA}, linkPortA}, {end{l.NodeB, l.PortB}, linkPortB}} {
			if line, taken := used[e.end]; taken {
				r.fail(e.col, "port %d of node %d is used in line %d already, want one link a port", e.port, e.node, line)
			}
			used[e.end] = r.row.line
		}
		if r.bad {
			continue
		}
		c.node(l.NodeA).linked[l.PortA] = true
		c.node(l.NodeB).linked[l.PortB] = true
		c.Links = append(c.Links, l)
	}
	if len(c.Links) == 0 && !probs.any() {
		probs.add(t.path, 0, "got no link, want at least one")
	}
}

// known reads a cell that names a node.
func (r *reader) known(c *Case, col int) int64 {
	before := r.bad
	r.bad = false
	id := r.int(col, 0, maxID)
	if !r.bad && c.node(id) == nil {
		r.fail(col, "got node %d, want one of node.csv", id)
	}
	r.bad = r.bad || before
	return id
}

// free reads a cell that names a port of the node, linked or not.
func (r *reader) free(c *Case, col int, node int64) int64 {
	p := r.int(col, 0, maxPorts)
	if n := c.node(node); n != nil && p >= int64(n.Ports) {
		r.fail(col, "got port %d of node %d, which has %d ports (node.csv:%d)", p, node, n.Ports, n.line)
	}
	return p
}
