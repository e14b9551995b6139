package topofile

import (
	"cmp"
	"fmt"
	"slices"

	"hsim/host/topo"
)

// attachment is a port of a device, or of its host, on a network.
type attachment struct {
	device    int
	port      Port
	host      bool
	protocols topo.ProtocolSet
	net       int // number of the network, see networks
	layer     int
}

// networks adds the edges to networks. A network is the switches of a layer that
// links of the layer join; the devices that share networks of a layer are one
// instance of it.
func (p *planner) networks() {
	s := newSets(len(p.g.Nodes))
	layerOf := make([]int, len(p.g.Nodes)) // of a switch: that of its links to devices and hosts
	for i := range layerOf {
		layerOf[i] = -1
	}
	isSwitch := func(n topo.NodeID) bool { return p.g.Nodes[n].Kind == topo.Switch }
	for i := range p.g.Links {
		a, b := p.ends(i)
		if isSwitch(b) && !isSwitch(a) {
			layerOf[b] = int(p.g.Links[i].Layer)
		}
	}
	for i := range p.g.Links {
		a, b := p.ends(i)
		if l := int(p.g.Links[i].Layer); isSwitch(a) && isSwitch(b) && (layerOf[a] < 0 || layerOf[a] == l) && (layerOf[b] < 0 || layerOf[b] == l) {
			s.join(int(a), int(b))
		}
	}
	var all []attachment
	upper := map[topo.NodeID][]int{} // links of a switch to a network of a higher layer
	hostPorts := map[topo.NodeID][]int{}
	for i := range p.g.Links {
		a, b := p.ends(i)
		l := &p.g.Links[i]
		switch {
		case isSwitch(b) && p.device(a) >= 0:
			all = append(all, attachment{p.device(a), portOf(p.g, l.A), false, l.Protocols, s.find(int(b)), int(l.Layer)})
		case isSwitch(b) && p.g.Nodes[a].Kind == topo.Host:
			hostPorts[a] = append(hostPorts[a], i)
		case isSwitch(a) && isSwitch(b) && s.find(int(a)) != s.find(int(b)):
			upper[a] = append(upper[a], i)
		}
	}
	all = p.throughHosts(all, hostPorts, s)
	all = p.throughSwitches(all, upper, s)
	p.number(all)
}

// throughHosts gives the network ports of hosts to their devices in equal blocks.
func (p *planner) throughHosts(all []attachment, ports map[topo.NodeID][]int, s sets) []attachment {
	for n := range topo.NodeID(len(p.g.Nodes)) {
		links := ports[n]
		if len(links) == 0 {
			continue
		}
		var devices []int
		for d := range p.g.Devices {
			if p.g.HostOf(topo.NodeID(d)) == n {
				devices = append(devices, d)
			}
		}
		for k, i := range links {
			if len(devices) == 0 {
				break
			}
			l := &p.g.Links[i]
			_, sw := p.ends(i)
			all = append(all, attachment{devices[k*len(devices)/len(links)], portOf(p.g, l.A), true, l.Protocols, s.find(int(sw)), int(l.Layer)})
		}
	}
	return all
}

// throughSwitches gives the links of a switch to a higher network to the device
// ports on the switch whose cables carry their protocols, one each.
func (p *planner) throughSwitches(all []attachment, upper map[topo.NodeID][]int, s sets) []attachment {
	for n := range topo.NodeID(len(p.g.Nodes)) {
		links := upper[n]
		if len(links) == 0 {
			continue
		}
		k := 0
		for _, id := range p.g.NodePorts(n) {
			peer := p.g.Peer(id)
			if d := p.device(p.g.Ports[peer].Node); d >= 0 && k < len(links) {
				l := &p.g.Links[links[k]]
				if l.Protocols&^p.g.LinkOf(id).Protocols != 0 {
					continue // the way up goes through another cable
				}
				_, top := p.ends(links[k])
				all = append(all, attachment{d, portOf(p.g, peer), false, l.Protocols, s.find(int(top)), int(l.Layer)})
				k++
			}
		}
	}
	return all
}

// number finds the instances of every layer, numbers the networks of each and
// adds the edges.
func (p *planner) number(all []attachment) {
	for layer := range maxLayer + 1 {
		s := newSets(len(p.copy))
		firstOf := map[int]int{} // network -> a device
		type order struct {
			device int
			port   Port
		}
		rank := map[int]order{} // network -> its first port of its first device
		var nets []int
		for _, a := range all {
			if a.layer != layer {
				continue
			}
			if f, ok := firstOf[a.net]; ok {
				s.join(f, a.device)
			} else {
				firstOf[a.net] = a.device
				nets = append(nets, a.net)
			}
			o, ok := rank[a.net]
			if !ok || a.device < o.device || a.device == o.device && less(a.port, o.port) {
				rank[a.net] = order{a.device, a.port}
			}
		}
		slices.SortFunc(nets, func(x, y int) int {
			a, b := rank[x], rank[y]
			return cmp.Or(cmp.Compare(a.device, b.device), cmp.Compare(a.port.Die, b.port.Die), cmp.Compare(a.port.Index, b.port.Index))
		})
		numbers, perInstance := map[int]int{}, map[int]int{}
		for _, n := range nets {
			root := s.find(firstOf[n])
			numbers[n] = perInstance[root]
			perInstance[root]++
		}
		for _, a := range all {
			if a.layer != layer {
				continue
			}
			if layer > 0 && a.device < p.g.Devices {
				p.out.Members[a.device].Instance[layer] = fmt.Sprintf("net%d-%d", layer, s.find(a.device))
			}
			p.pairs = append(p.pairs, found{p.copy[a.device], Edge{Layer: layer, Net: true, Host: a.host, TopoType: "CLOS", Instance: numbers[a.net],
				A: p.local[a.device], B: -1, APorts: []Port{a.port}, Protocols: a.protocols}})
		}
	}
}
