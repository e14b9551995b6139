package topo

import (
	"math"

	"hsim/host/units"
)

// OversubRow compares what the switches of a tier have towards the devices with
// what they have upwards.
type OversubRow struct {
	Tier     string
	Switches int
	Down, Up units.Rate // of the worst switch
	Percent  int64      // Down over Up in percent: 100 = non-blocking; 0 = nothing above
}

// Oversubscription lists the tiers of switches, the lowest first.
func (g *Graph) Oversubscription() []OversubRow {
	level := make([]int, len(g.Nodes))
	var queue []NodeID
	for n := range level {
		if level[n] = math.MaxInt; g.Nodes[n].Kind != Switch {
			level[n] = 0
			queue = append(queue, NodeID(n))
		}
	}
	for at := 0; at < len(queue); at++ {
		n := queue[at]
		for _, p := range g.NodePorts(n) {
			if m := g.PeerNode(p); level[m] == math.MaxInt {
				level[m] = level[n] + 1
				queue = append(queue, m)
			}
		}
	}
	var out []OversubRow
	for n := range g.Nodes {
		node := &g.Nodes[n]
		if node.Kind != Switch {
			continue
		}
		var down, up units.Rate
		for _, p := range g.NodePorts(NodeID(n)) {
			if m := g.PeerNode(p); level[m] > level[n] {
				up += g.LinkOf(p).Rate
			} else if level[m] < level[n] {
				down += g.LinkOf(p).Rate
			}
		}
		row := OversubRow{Tier: node.Tier(), Switches: 1, Down: down, Up: up}
		if up > 0 {
			row.Percent = int64(down) * 100 / int64(up)
		}
		at := -1
		for i := range out {
			if out[i].Tier == row.Tier && out[i].Up > 0 == (up > 0) {
				at = i
			}
		}
		if at < 0 {
			out = append(out, row)
			continue
		}
		if out[at].Switches++; row.Percent > out[at].Percent {
			out[at].Down, out[at].Up, out[at].Percent = down, up, row.Percent
		}
	}
	return out
}
