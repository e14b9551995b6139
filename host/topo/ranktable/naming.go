package ranktable

import (
	"fmt"

	"hsim/host/soc"
	"hsim/host/topo"
	"hsim/host/topo/topofile"
)

// cluster names the graph's nodes and gives them the table's addresses.
func (b *assembly) cluster() *topo.Cluster {
	c := &topo.Cluster{Graph: b.g, Chip: b.chip, Version: b.t.Version, Servers: b.names}
	firstHost := make([]topo.NodeID, len(b.servers))
	for i := range firstHost {
		firstHost[i] = topo.None
	}
	for n := range b.g.Nodes {
		node := &b.g.Nodes[n]
		if node.Kind != topo.Host {
			continue
		}
		ip := topo.HostIP(len(c.HostIPs))
		if firstHost[node.Server] == topo.None {
			firstHost[node.Server] = topo.NodeID(n)
			if given := b.hostIPs[node.Server]; given != "" {
				ip = given
			}
		}
		c.HostIPs = append(c.HostIPs, ip)
	}
	nics := nicPorts(b.chip)
	for r := range b.t.Ranks {
		rank := &b.t.Ranks[r]
		node := b.node[r]
		if node == topo.None {
			node = firstHost[b.home[r]]
		}
		local := rank.Local
		if local < 0 {
			local = max(rank.Device, 0)
		}
		c.Ranks = append(c.Ranks, topo.Rank{Node: node, Local: local, DevicePort: rank.DevicePort, HostPort: rank.HostPort, SuperID: rank.Super})
		if b.node[r] != topo.None {
			c.EndPoints = append(c.EndPoints, rank.endpoints(node, nics)...)
		}
	}
	c.Complete()
	return c
}

// nicPorts are the names of a chip's ports to the scale-out network.
func nicPorts(chip *soc.Chip) []string {
	g := chip.Group(soc.NIC)
	if g == nil {
		return nil
	}
	var out []string
	for n := range g.Count {
		out = append(out, fmt.Sprintf("%d/%d", g.Die, g.First+n))
	}
	return out
}

// endpoints are the table's addresses of a rank on a device. The addresses of a
// 1.x table are those of the NIC, one for each port as far as they go.
func (r *Rank) endpoints(node topo.NodeID, nics []string) []topo.EndPoint {
	var out []topo.EndPoint
	for i, ip := range r.IPs {
		e := topo.EndPoint{Node: node, Addr: ip, Type: topo.TypeOf(ip), Layer: 2}
		for k, port := range nics {
			if min(k, len(r.IPs)-1) == i {
				e.Ports = append(e.Ports, port)
			}
		}
		out = append(out, e)
	}
	for _, l := range r.Levels {
		for _, a := range l.Addrs {
			e := topo.EndPoint{Node: node, Addr: a.Addr, Type: topo.TypeOf(a.Addr), Layer: uint8(l.Layer), Plane: a.Plane, Ports: a.Ports}
			for _, name := range a.Ports {
				if p, ok := topofile.ParsePort(name); ok {
					e.FuncID = p.Die
					break
				}
			}
			out = append(out, e)
		}
	}
	return out
}
