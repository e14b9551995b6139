package fabric

import (
	"hsim/host/sim"
	"hsim/host/topo"
)

// ways is what makes the choice of a port more than a hash among shortest ways.
type ways struct {
	adaptive bool
	groups   bool
	dist     map[distKey][]uint8
	out      []topo.PortID // scratch
}

type distKey struct {
	net uint8
	dst topo.NodeID
}

func (f *Fabric) waysOf() *ways {
	if f.ways == nil {
		f.ways = &ways{dist: map[distKey][]uint8{}}
	}
	return f.ways
}

// SetGroup puts port id into a group, such as a plane or the ports between two
// switches that act as one. Packets whose Hint is a group take its ports where a
// node has any of them on its ways to the destination.
func (f *Fabric) SetGroup(id topo.PortID, group uint8) {
	f.waysOf().groups = true
	f.ports[id].group = group
}

// AllowDetours makes nodes look at FlagDetour.
func (f *Fabric) AllowDetours() { f.waysOf() }

// choose is pick with hints, detours and adaptive choice.
func (f *Fabric) choose(p *Packet, node topo.NodeID, out []topo.PortID, now sim.Time) topo.PortID {
	s := f.ways
	if p.Flags&FlagDetour != 0 {
		p.Flags &^= FlagDetour
		out = f.detours(p, node, out)
	}
	if s.groups && p.Hint != 0 {
		out = f.grouped(p.Hint, out)
	}
	if len(out) == 1 {
		return out[0]
	}
	h := f.hash(p, node, len(out))
	if !s.adaptive || p.Flags&FlagSpray == 0 {
		return out[h%uint32(len(out))]
	}
	// Start anywhere, so that ties are spread.
	first := int(h % uint32(len(out)))
	best, least := out[first], sim.Forever
	for k := range out {
		id := out[(first+k)%len(out)]
		if d := f.backlog(id, now); d < least {
			best, least = id, d
		}
	}
	return best
}

// backlog is how long port id takes for what it has to send.
func (f *Fabric) backlog(id topo.PortID, now sim.Time) sim.Time {
	if f.q == nil {
		return max(f.ports[id].busy-now, 0)
	}
	f.update(id)
	w := &f.q.ports[id]
	return max(w.busy-now, 0) + w.rate.Time(w.depth)
}

// Depth is the number of bytes that wait at port id now.
func (f *Fabric) Depth(id topo.PortID) int64 {
	if f.q != nil {
		f.update(id)
		return f.q.ports[id].depth
	}
	p := &f.ports[id]
	return p.rate.Bytes(p.busy - f.e.Now())
}

func (f *Fabric) grouped(hint uint8, out []topo.PortID) []topo.PortID {
	s := f.ways
	n := 0
	for _, id := range out {
		if f.ports[id].group == hint {
			n++
		}
	}
	if n == 0 || n == len(out) {
		return out
	}
	var few []topo.PortID
	if cap(s.out) >= n {
		few = s.out[:0]
	}
	for _, id := range out {
		if f.ports[id].group == hint {
			few = append(few, id)
		}
	}
	s.out = few
	return few
}

// detours adds to the shortest ways those by a neighbour that is as near to the
// destination as the node is: its own ways cannot lead back. The node that takes a
// detour lets the others take the shortest ways, so that no loop comes up.
func (f *Fabric) detours(p *Packet, node topo.NodeID, out []topo.PortID) []topo.PortID {
	d := f.distances(p.Net, p.Dst)
	s := f.ways
	all := append(s.out[:0], out...)
	protos := f.routes[p.Net].Protocols()
	for _, id := range f.g.NodePorts(node) {
		peer := f.g.PeerNode(id)
		if f.g.Nodes[peer].Forwards && d[peer] == d[node] && (protos == 0 || f.g.LinkOf(id).Protocols&protos != 0) {
			all = append(all, id)
		}
	}
	s.out = all
	return all
}

// distances are the links from every node to dst, worked out when first asked
// for; 255 is no way.
func (f *Fabric) distances(net uint8, dst topo.NodeID) []uint8 {
	key := distKey{net, dst}
	if d := f.ways.dist[key]; d != nil {
		return d
	}
	r := f.routes[net]
	d := make([]uint8, len(f.g.Nodes))
	for n := range d {
		d[n] = 255
		if path := r.Path(topo.NodeID(n), dst); path != nil || topo.NodeID(n) == dst {
			d[n] = uint8(min(len(path), 254))
		}
	}
	f.ways.dist[key] = d
	return d
}
