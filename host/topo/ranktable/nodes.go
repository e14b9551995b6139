package ranktable

import "hsim/host/topo/form"

// nodes reads 1.1: nodes with ranks on devices and, with device_id -1, on the
// host's CPU.
func (p *parser) nodes(o *form.Object) {
	p.status(o)
	if o.Has("collective_id") {
		p.t.CollectiveID, _ = o.Text("collective_id", 0, 256, "text")
	}
	if o.Has("master_ip") {
		p.t.MasterIP = p.ip(o, "master_ip")
	}
	p.t.MasterPort = p.port(o, "master_port")
	list, _ := o.Objects("node_list", 1, maxRanks, "node_addr", "ranks")
	var ids []int
	var objects []*form.Object
	for i, n := range list {
		addr := p.ip(n, "node_addr")
		if _, double := p.byID[addr]; double && addr != "" {
			n.Bad("node_addr", "every node once", "")
		}
		p.byID[addr] = i
		p.t.Servers = append(p.t.Servers, Server{ID: addr, HostIP: addr, Pod: -1})
		ranks, ok := n.Objects("ranks", 1, maxRanks, "rank_id", "device_id", "rank_ip", "port")
		if !ok {
			continue
		}
		p.deviceSet(n, "ranks", ranks)
		for _, d := range ranks {
			r := Rank{ID: -1, Server: i, Local: -1, Replaced: -1, Super: -1, line: d.Line(""), path: d.Path("")}
			if id, ok := d.Digits("rank_id", 0, maxRanks-1); ok {
				r.ID = id
			}
			r.Device, _ = d.Digits("device_id", -1, p.maxDevice())
			if d.Has("rank_ip") {
				if ip := p.ip(d, "rank_ip"); ip != "" {
					r.IPs = []string{ip}
				}
			}
			r.DevicePort = p.port(d, "port")
			ids, objects = append(ids, r.ID), append(objects, d)
			p.t.Ranks = append(p.t.Ranks, r)
		}
	}
	p.limit(o, "node_list", len(ids))
	p.places(ids, objects)
}
