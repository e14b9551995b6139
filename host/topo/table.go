package topo

import "slices"

// RouteTable collects routes that are given, not computed: the egress ports of
// a node towards a device.
type RouteTable struct {
	r    *Routes
	sets map[string]int32
}

// NewRouteTable starts an empty table of a graph's routes.
func NewRouteTable(g *Graph) *RouteTable {
	per := (g.Devices + 1<<pageBits - 1) >> pageBits
	t := &RouteTable{r: &Routes{per: per, graph: g, pages: make([]int32, len(g.Nodes)*per)}, sets: map[string]int32{}}
	for i := range t.r.pages {
		t.r.pages[i] = ^0
	}
	t.set(nil)
	return t
}

// Set says that node reaches the device dst by any of the ports. The slice is
// copied and sorted; a later call for the same pair replaces an earlier one.
func (t *RouteTable) Set(node, dst NodeID, ports []PortID) {
	at := &t.r.pages[int(node)*t.r.per+int(dst)>>pageBits]
	if *at < 0 {
		uniform := ^*at
		*at = int32(len(t.r.sets) >> pageBits)
		for range 1 << pageBits {
			t.r.sets = append(t.r.sets, uniform)
		}
	}
	t.r.sets[int(*at)<<pageBits+int(dst)&(1<<pageBits-1)] = t.set(ports)
}

func (t *RouteTable) set(ports []PortID) int32 {
	sorted := slices.Clone(ports)
	slices.Sort(sorted)
	key := make([]byte, 0, 4*len(sorted))
	for _, p := range sorted {
		key = append(key, byte(p), byte(p>>8), byte(p>>16), byte(p>>24))
	}
	s, ok := t.sets[string(key)]
	if !ok {
		s = int32(len(t.r.first))
		t.r.first = append(t.r.first, int32(len(t.r.list)))
		t.r.list = append(t.r.list, sorted...)
		t.sets[string(key)] = s
	}
	return s
}

// Routes ends the table.
func (t *RouteTable) Routes() *Routes {
	t.r.first = append(t.r.first, int32(len(t.r.list)))
	t.sets = nil
	return t.r
}
