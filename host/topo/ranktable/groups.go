package ranktable

import (
	"fmt"
	"strconv"

	"hsim/host/topo/form"
)

// groups reads the template with group_list, which has no version and no rank
// ids: ranks count in the order of the devices. Several groups are merged into
// the world group; a device of two groups is one rank.
func (p *parser) groups(o *form.Object) {
	if gen := p.o.generation(); gen != "" && gen != "910" && gen != "A2" {
		p.fault(o, "group_list", form.Invalid, "the template with group_list", fmt.Sprintf("server_list or rank_list: profile %q is generation %s", p.o.Chip.Name, gen), "profile 910 or a2", 0)
	}
	p.status(o)
	groups, ok := o.Objects("group_list", 1, maxRanks, "group_name", "instance_count", "device_count", "instance_list")
	p.counted(o, "group_count", "group_list", len(groups), ok)
	servers := map[string]bool{}
	for _, g := range groups {
		for _, id := range g.Peers("instance_list", "server_id") {
			servers[id] = true
		}
	}
	for _, g := range groups {
		g.Text("group_name", 1, 128, "a name of 1 to 128 characters")
		list, ok := g.Objects("instance_list", 1, maxRanks, "pod_name", "server_id", "devices")
		p.counted(g, "instance_count", "instance_list", len(list), ok)
		devices := 0
		for _, in := range list {
			n := p.instance(in, len(servers))
			if ok = ok && n > 0; ok {
				devices += n
			}
		}
		if ok {
			p.counted(g, "device_count", "instance_list", devices, true)
		}
	}
	p.limit(o, "group_list", len(p.t.Ranks))
	if len(groups) > 1 {
		p.r.Note(o.Line("group_list"), "%d groups are merged into hccl_world_group", len(groups))
	}
}

// counted holds a count of the template against what it counts.
func (p *parser) counted(o *form.Object, key, list string, n int, ok bool) {
	if got, good := o.Digits(key, 1, maxRanks); good && ok && got != n {
		o.Bad(key, strconv.Itoa(n)+", what "+list+" has", "")
	}
}

// instance reads one instance and returns its number of devices.
func (p *parser) instance(in *form.Object, servers int) int {
	id, ok := in.Text("server_id", 1, 64, "a name of 1 to 64 characters")
	devices, good := in.Objects("devices", 1, 1024, "device_id", "device_ip")
	if !good {
		return 0
	}
	server, known := p.byID[id]
	if !known || !ok {
		server = len(p.t.Servers)
		p.byID[id] = server
		p.t.Servers = append(p.t.Servers, Server{ID: id, Pod: -1})
	}
	p.deviceSet(in, "devices", devices)
	for _, d := range devices {
		r := Rank{ID: len(p.t.Ranks), Server: server, Local: -1, Replaced: -1, Super: -1, line: d.Line(""), path: d.Path("")}
		r.Device, _ = d.Digits("device_id", 0, p.maxDevice())
		r.IPs = p.deviceIPs(d, servers)
		if at := [2]int{server, r.Device}; !p.listed[at] {
			p.listed[at] = true
			p.t.Ranks = append(p.t.Ranks, r)
		}
	}
	return len(devices)
}
