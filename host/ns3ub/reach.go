package ns3ub

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// fault is why a packet does not arrive.
type fault struct {
	node int64 // where it ends
	ring []int64
	line int // of the routing table, 0 without
}

// checker walks the routes; what it knows of a node and target it knows once.
type checker struct {
	c     *Case
	known map[target]*walked
}

type walked struct {
	state map[int64]uint8
	fault map[int64]*fault
}

const (
	walking = 1 + iota
	arrives
	lost
)

// checkRoutes refuses tasks whose packets or acknowledgements do not arrive, and
// routes that lead in a circle, used or not.
func (c *Case) checkRoutes(probs *problems) {
	k := &checker{c: c, known: map[target]*walked{}}
	if c.routes != nil && k.circles(probs) {
		return
	}
	done := map[int32]bool{}
	pairs := map[[2]int64]bool{}
	for i := range c.Tasks {
		t := &c.Tasks[i]
		if t.group < 0 {
			if pair := [2]int64{t.Src, t.Dst}; !pairs[pair] {
				pairs[pair] = true
				k.way(t, t.Src, noPort, target{t.Dst, noPort}, probs)
				k.way(t, t.Dst, noPort, target{t.Src, noPort}, probs)
			}
			continue
		}
		if done[t.group] {
			continue
		}
		done[t.group] = true
		g := &c.groups[t.group]
		if len(g.channels) == 0 {
			probs.add(c.path("traffic.csv"), t.line, "task %d: node %d cannot reach node %d: %s", t.ID, t.Src, t.Dst, c.noWay(t.Src))
		}
		for _, i := range g.channels {
			ch := &c.Channels[i]
			k.way(t, ch.NodeA, ch.PortA, target{ch.NodeB, ch.PortB}, probs)
			k.way(t, ch.NodeB, ch.PortB, target{ch.NodeA, ch.PortA}, probs)
		}
	}
}

// noWay says what is missing where node has nothing to send by.
func (c *Case) noWay(node int64) string {
	if c.routes == nil {
		return "no links join them"
	}
	return fmt.Sprintf("%s has no row for it at node %d", c.routes.file, node)
}

// way checks that what leaves from by port arrives at to.
func (k *checker) way(t *Task, from, port int64, to target, probs *problems) {
	at := from
	if port != noPort {
		if at = k.c.neighbour(from, port); at == to.dst {
			return
		}
	}
	f := k.walk(at, to)
	if f == nil {
		return
	}
	file := k.c.path("traffic.csv")
	if f.ring != nil {
		probs.add(k.c.routes.file, f.line, "task %d: packets from node %d to node %d go in a circle: %s", t.ID, from, to.dst, circle(f.ring))
		return
	}
	probs.add(file, t.line, "task %d: node %d cannot reach node %d: %s", t.ID, from, to.dst, k.c.noWay(f.node))
}

func circle(ring []int64) string {
	names := make([]string, len(ring))
	for i, n := range ring {
		names[i] = strconv.FormatInt(n, 10)
	}
	return strings.Join(names, " to ")
}

// next is where packets for to go from node: the row's ports, or those of
// shortest paths.
func (k *checker) next(node int64, to target) (ports []int64, line int) {
	if k.c.routes == nil {
		for _, p := range k.c.shortest.Ports(k.c.nodeID(node), k.c.nodeID(to.dst)) {
			ports = append(ports, int64(k.c.layout.graph.Ports[p].Index))
		}
		return ports, 0
	}
	if e := k.c.routes.from(node, to); e != nil {
		return e.ports, e.line
	}
	return nil, 0
}

// walk follows every path from node to a target and returns what is wrong with
// one of them. It keeps its own stack: paths may be long.
func (k *checker) walk(node int64, to target) *fault {
	w := k.known[to]
	if w == nil {
		w = &walked{state: map[int64]uint8{}, fault: map[int64]*fault{}}
		k.known[to] = w
	}
	if w.state[node] != 0 {
		return w.fault[node]
	}
	type frame struct {
		node int64
		next []int64
		line int
	}
	enter := func(n int64) frame {
		w.state[n] = walking
		ports, line := k.next(n, to)
		if len(ports) == 0 {
			w.fault[n] = &fault{node: n}
		}
		return frame{n, ports, line}
	}
	stack := []frame{enter(node)}
	for len(stack) > 0 {
		f := &stack[len(stack)-1]
		if len(f.next) == 0 || w.fault[f.node] != nil {
			w.state[f.node] = arrives
			if why := w.fault[f.node]; why != nil {
				w.state[f.node] = lost
				if n := len(stack) - 2; n >= 0 && w.fault[stack[n].node] == nil {
					w.fault[stack[n].node] = why
				}
			}
			stack = stack[:len(stack)-1]
			continue
		}
		n := k.c.neighbour(f.node, f.next[0])
		f.next = f.next[1:]
		switch {
		case n == to.dst || w.state[n] == arrives:
		case w.state[n] == lost:
			w.fault[f.node] = w.fault[n]
		case w.state[n] == walking:
			ring := []int64{n}
			for i := len(stack) - 1; stack[i].node != n; i-- {
				ring = append(ring, stack[i].node)
			}
			ring = append(ring, n)
			slices.Reverse(ring)
			w.fault[f.node] = &fault{node: n, ring: ring, line: f.line}
		default:
			stack = append(stack, enter(n))
		}
	}
	return w.fault[node]
}

// circles refuses rows that lead in a circle to a destination port, whether or
// not a task goes there.
func (k *checker) circles(probs *problems) bool {
	r := k.c.routes
	keys := make([]routeKey, 0, len(r.entries))
	for key := range r.entries {
		if key.port != noPort {
			keys = append(keys, key)
		}
	}
	slices.SortFunc(keys, func(a, b routeKey) int {
		return slices.Compare([]int64{a.dst, a.port, a.node}, []int64{b.dst, b.port, b.node})
	})
	for _, key := range keys {
		if f := k.walk(key.node, key.target); f != nil && f.ring != nil {
			probs.add(r.file, f.line, "routes to port %d of node %d go in a circle: %s", key.port, key.dst, circle(f.ring))
			return true
		}
	}
	return false
}
