package ns3ub

import (
	"io/fs"

	"hsim/host/topo"
)

// Cluster is the network of a case without its tasks: nodes, links and routes, for
// somebody else's traffic. The devices are one server's, in the order of their ids.
type Cluster struct {
	Graph  *topo.Graph
	Routes *topo.Routes // of the case; nil without a routing table: shortest paths
	Notes  []string     // as in Case
}

// maxDevices bounds a Cluster: the ways of all pairs are walked.
const maxDevices = 4096

// LoadCluster reads and checks the node, link and routing files of a case. Every
// device must reach every other one by all rows of the routing table. An error is an
// *InputError.
func LoadCluster(fsys fs.FS, dir string) (*Cluster, error) {
	c := &Case{Dir: dir, byID: map[int64]int{}, phases: map[int64]*phase{}, Attr: defaults()}
	// A switch takes its forward delay and a device nothing: what is beyond that is in
	// the attributes of the case, not in its network.
	c.Attr.CTP, c.Attr.Allocation = true, 0
	probs := &problems{}
	for _, read := range []func(fs.FS, *problems){c.readNodes, c.readLinks, c.readRoutes} {
		if read(fsys, probs); probs.any() {
			return nil, probs.err()
		}
	}
	if c.lay(probs); probs.any() {
		return nil, probs.err()
	}
	g := c.layout.graph
	switch {
	case g.Devices < 2:
		probs.add(c.path("node.csv"), 0, "got %d devices, want at least two", g.Devices)
	case g.Devices > maxDevices:
		probs.add(c.path("node.csv"), 0, "got %d devices, want at most %d", g.Devices, maxDevices)
	}
	if probs.any() {
		return nil, probs.err()
	}
	if c.routes == nil {
		var err error
		if c.shortest, err = g.Routes(); err != nil {
			probs.add(c.path("topology.csv"), 0, "%v", err)
			return nil, probs.err()
		}
	}
	if c.checkPairs(probs); probs.any() {
		return nil, probs.err()
	}
	out := &Cluster{Graph: g, Notes: c.Notes}
	if c.routes != nil {
		out.Routes = c.table(noPort)
	}
	for i := range g.Nodes {
		if n := &g.Nodes[i]; n.Kind == topo.Device {
			n.Server, n.Super, n.Index = 0, 0, int32(i)
		}
	}
	g.PerServer, g.Supers = g.Devices, 1
	return out, nil
}

// checkPairs refuses devices that do not reach each other, and routes in a circle.
func (c *Case) checkPairs(probs *problems) {
	k := &checker{c: c, known: map[target]*walked{}}
	if c.routes != nil && k.circles(probs) {
		return
	}
	for j := range c.Nodes {
		to := &c.Nodes[j]
		goal := target{to.ID, noPort}
		for i := range c.Nodes {
			from := &c.Nodes[i]
			if from.Switch || to.Switch || i == j {
				continue
			}
			f := k.walk(from.ID, goal)
			switch {
			case f == nil:
				continue
			case f.ring != nil:
				probs.add(c.routes.file, f.line, "packets from node %d to node %d go in a circle: %s", from.ID, to.ID, circle(f.ring))
			case c.routes != nil:
				probs.add(c.routes.file, 0, "node %d cannot reach node %d: there is no row for it at node %d", from.ID, to.ID, f.node)
			default:
				probs.add(c.path("topology.csv"), 0, "node %d cannot reach node %d: no links join them", from.ID, to.ID)
			}
			return // one of a table with a hole is enough
		}
		delete(k.known, goal) // ways share no more than their target
	}
}
