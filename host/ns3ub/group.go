package ns3ub

import (
	"cmp"
	"slices"
)

// group is the channels that tasks of one kind share: the slices of a task go
// over all of them. Memory tasks have none, their packets follow the routes.
type group struct {
	src, dst int64
	channels []int32 // in Case.Channels
}

// groupKey is what tasks must agree in to share a group.
type groupKey struct {
	src, dst, priority int64
	srcPort, dstPort   int64 // hints, noPort without
}

// assign finds the channels of every task, and makes them where none fit.
func (c *Case) assign() {
	byPair := map[[2]int64][]int32{} // channels by nodes, as written
	for i := range c.Channels {
		ch := &c.Channels[i]
		byPair[[2]int64{ch.NodeA, ch.NodeB}] = append(byPair[[2]int64{ch.NodeA, ch.NodeB}], int32(i))
		byPair[[2]int64{ch.NodeB, ch.NodeA}] = append(byPair[[2]int64{ch.NodeB, ch.NodeA}], int32(i))
	}
	known := map[groupKey]int32{}
	for i := range c.Tasks {
		t := &c.Tasks[i]
		if t.Op == OpStore || t.Op == OpLoad {
			t.group = -1
			continue
		}
		k := groupKey{t.Src, t.Dst, t.Priority, t.SrcPortHint, t.DstPortHint}
		g, ok := known[k]
		if !ok {
			pair := [2]int64{t.Src, t.Dst}
			fit := c.fitting(byPair[pair], k)
			if len(fit) == 0 {
				fit = c.demand(k)
				byPair[pair] = append(byPair[pair], fit...)
				byPair[[2]int64{t.Dst, t.Src}] = append(byPair[[2]int64{t.Dst, t.Src}], fit...)
			}
			g = int32(len(c.groups))
			c.groups = append(c.groups, group{t.Src, t.Dst, c.choose(fit, k)})
			known[k] = g
		}
		t.group = g
	}
}

// fitting filters channels by priority and ports.
func (c *Case) fitting(all []int32, k groupKey) []int32 {
	var fit []int32
	best := int64(noMetric)
	for _, i := range all {
		ch := &c.Channels[i]
		src, dst := ch.PortA, ch.PortB
		if ch.NodeA != k.src {
			src, dst = dst, src
		}
		if ch.Priority == k.priority && (k.srcPort == noPort || k.srcPort == src) && (k.dstPort == noPort || k.dstPort == dst) {
			fit = append(fit, i)
			best = min(best, ch.Metric)
		}
	}
	if c.Attr.Shortest {
		fit = slices.DeleteFunc(fit, func(i int32) bool { return c.Channels[i].Metric > best })
	}
	return fit
}

// demand makes the channels of a pair of devices: one for every port that the
// source reaches the destination by and every port it arrives at.
func (c *Case) demand(k groupKey) []int32 {
	var made []int32
	add := func(src, dst, metric int64) {
		if k.srcPort != noPort && k.srcPort != src || k.dstPort != noPort && dst != noPort && k.dstPort != dst {
			return
		}
		made = append(made, int32(len(c.Channels)))
		c.Channels = append(c.Channels, Channel{NodeA: k.src, PortA: src, NodeB: k.dst, PortB: dst, Priority: k.priority, Metric: metric})
	}
	if c.routes == nil {
		for _, p := range c.shortest.Ports(c.nodeID(k.src), c.nodeID(k.dst)) {
			add(int64(c.layout.graph.Ports[p].Index), noPort, 0)
		}
	} else {
		for port := range int64(c.node(k.dst).Ports) {
			if e := c.routes.entries[routeKey{k.src, target{k.dst, port}}]; e != nil {
				for _, p := range e.ports {
					add(p, port, e.metric)
				}
			}
		}
	}
	if c.Attr.Shortest && len(made) > 0 {
		best := c.Channels[slices.MinFunc(made, func(a, b int32) int { return cmp.Compare(c.Channels[a].Metric, c.Channels[b].Metric) })].Metric
		made = slices.DeleteFunc(made, func(i int32) bool { return c.Channels[i].Metric > best })
	}
	if len(made) == 0 && k.srcPort != noPort && k.dstPort != noPort {
		add(k.srcPort, k.dstPort, 0) // a way that the hints alone know
	}
	return made
}

// choose takes all channels, or one where a task uses one path: which one is a
// hash of the pair, so that it depends on nothing else.
func (c *Case) choose(fit []int32, k groupKey) []int32 {
	all := c.Attr.MultiPath && (!c.Attr.CTP || c.Attr.SprayCTP)
	if all || len(fit) < 2 {
		return fit
	}
	h := uint64(k.src)*0x9e3779b97f4a7c15 ^ uint64(k.dst)*0xc2b2ae3d27d4eb4f ^ uint64(k.priority)
	h ^= h >> 29
	h *= 0xbf58476d1ce4e5b9
	h ^= h >> 32
	i := h % uint64(len(fit))
	return fit[i : i+1]
}
