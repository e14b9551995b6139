package scenario

import (
	"fmt"
	"slices"

	"hsim/abi"
	"hsim/host/hccl"
	"hsim/host/topo"
	"hsim/host/transport"
	"hsim/host/units"
)

// onePath refuses an order that the layer below is to keep where devices have several ways to each other, between which
// packets overtake. Neighbours in the order of ranks show it: every algorithm connects them.
func (p *plan) onePath() {
	if !slices.ContainsFunc(p.cfg.Runs, func(r RunSpec) bool { return r.IsOp }) {
		return
	}
	for _, proto := range p.used {
		m, params := p.mods[proto], p.cfg.Transport[proto].Params
		i := slices.IndexFunc(params, func(x Param) bool { return x.Name == "order" })
		if m == nil || i < 0 || transport.Order(m.shared("order", params)) != transport.OrderLower || m.shared("channels", params) > 1 {
			continue
		}
		features, err := m.mod.Features()
		if err != nil || features&abi.FeatureOrdered != 0 || features&abi.FeatureMultipath == 0 {
			continue
		}
		routes := p.cfg.Routes
		if routes == nil {
			if routes, err = p.graph.Routes(proto); err != nil {
				continue
			}
		}
		nodes := p.nodes()
		for r := 1; r < len(nodes); r++ {
			a, b := nodes[r-1], nodes[r]
			if n := len(routes.Ports(a, b)); n > 1 && p.graph.Protocol(a, b) == proto {
				p.cfg.values.problem(params[i].path, fmt.Sprintf("%s and %s have %d ways to each other over %v, between which packets overtake, want one",
					p.graph.Nodes[a].Name, p.graph.Nodes[b].Name, n, proto), `"target"`)
				return
			}
		}
	}
}

// fullPackets refuses a switch whose buffer has no room for one full packet: it would drop them all.
func (p *plan) fullPackets(wires map[topo.Protocol]hccl.Wire) {
	b, v := &p.cfg.Network.Buffer, p.cfg.values
	if b.Reserve+b.Shared == 0 || !slices.ContainsFunc(p.graph.Nodes, func(n topo.Node) bool { return n.Kind == topo.Switch }) {
		return
	}
	most := b.Reserve + b.Shared>>b.Alpha
	if p.cfg.Network.Pause.Lanes != 0 {
		most += b.Headroom
	}
	for _, proto := range p.used {
		w, known := wires[proto]
		size := packetBytes(&w)
		if !known || size <= most || !p.switched(proto) {
			continue
		}
		key := "fabric.buffer.shared"
		if b.Shared == 0 {
			key = "fabric.buffer.reserve"
		}
		share := ""
		if b.Shared > 0 && b.Alpha > 0 {
			share = fmt.Sprintf(" (fabric.buffer.alpha = %d lets it take a share of what is free)", b.Alpha)
		}
		v.problem(key, fmt.Sprintf("a full packet of %v takes %s of a switch, and one port and lane may hold %s%s: all of them would be dropped",
			proto, units.FormatSize(size), units.FormatSize(most), share), `"1MiB"`)
		return
	}
}

// switched says whether links of a protocol end at a switch.
func (p *plan) switched(proto topo.Protocol) bool {
	for i := range p.graph.Nodes {
		if p.graph.Nodes[i].Kind != topo.Switch {
			continue
		}
		for _, id := range p.graph.NodePorts(topo.NodeID(i)) {
			if p.graph.LinkOf(id).Protocols.Has(proto) {
				return true
			}
		}
	}
	return false
}

// packetBytes is what a full packet takes on the wire, the first of a message or one with a notify.
func packetBytes(w *hccl.Wire) int64 {
	more := max(w.First, w.Notify)
	switch {
	case w.Header == 0:
		return w.MTU
	case w.EffPerm > 0:
		return (w.MTU*1000 + w.EffPerm - 1) / w.EffPerm
	case w.Store > 0:
		return w.MTU + (w.MTU+w.Store-1)/w.Store*w.Header + more
	}
	return w.MTU + w.Header + more
}
