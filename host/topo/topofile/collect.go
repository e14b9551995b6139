package topofile

import (
	"fmt"
	"slices"

	"hsim/host/topo"
)

// edgeKey is what edges that differ in ports only share; part counts edges that
// are full.
type edgeKey struct {
	net, host                    bool
	layer, instance, a, b, parts int
	protocols                    topo.ProtocolSet
}

// collect merges the edges of one copy that differ in ports only, and holds the
// copies against each other.
func (p *planner) collect() error {
	byCopy := make([]map[edgeKey]*Edge, len(p.sizes))
	for i := range byCopy {
		byCopy[i] = map[edgeKey]*Edge{}
	}
	var order []edgeKey
	listed := map[edgeKey]bool{}
	for _, f := range p.pairs {
		e := f.edge
		key := edgeKey{net: e.Net, host: e.Host, layer: e.Layer, instance: e.Instance, a: e.A, b: e.B, protocols: e.Protocols}
		have := byCopy[f.copy][key]
		for have != nil && len(have.APorts) == maxEdgePort {
			key.parts++
			have = byCopy[f.copy][key]
		}
		if have != nil {
			have.APorts = append(have.APorts, e.APorts...)
			have.BPorts = append(have.BPorts, e.BPorts...)
			continue
		}
		byCopy[f.copy][key] = &e
		if !listed[key] {
			listed[key] = true
			order = append(order, key)
		}
	}
	peers := make([]map[int]bool, len(p.sizes))
	all := map[int]bool{}
	for d, l := range p.local {
		if peers[p.copy[d]] == nil {
			peers[p.copy[d]] = map[int]bool{}
		}
		peers[p.copy[d]][l], all[l] = true, true
	}
	for _, key := range order {
		var first *Edge
		for _, edges := range byCopy {
			if e := edges[key]; first == nil {
				first = e
			} else if e != nil && !(slices.Equal(first.APorts, e.APorts) && slices.Equal(first.BPorts, e.BPorts)) {
				return fmt.Errorf("topofile: write: got ports %v and %v for %s in two groups of devices, want groups that are wired alike", first.APorts, e.APorts, first)
			}
		}
		for copy, edges := range byCopy {
			if edges[key] == nil && peers[copy][first.A] && (first.Net || peers[copy][first.B]) {
				return fmt.Errorf("topofile: write: got %s in one group of devices and not in another, want groups that are wired alike", first)
			}
		}
		p.out.File.Edges = append(p.out.File.Edges, *first)
	}
	for l := range maxLocal + 1 {
		if all[l] {
			p.out.File.Peers = append(p.out.File.Peers, l)
		}
	}
	return nil
}
