package ranktable

import (
	"fmt"
	"slices"
	"strconv"

	"hsim/host/topo/form"
)

// servers reads 1.0 and 1.2: server_list with devices, and for 1.2 the superpods.
func (p *parser) servers(o *form.Object) {
	p.status(o)
	p.own(o)
	if !o.Has("server_list") {
		try := ""
		if o.Has("prefill_device_list") || o.Has("decode_device_list") {
			try = "the rank table of one instance: lists of prefill and decode devices are a serving framework's"
		}
		o.Missing("server_list", "the list of servers with their devices", try)
		return
	}
	list, ok := o.Objects("server_list", 1, maxRanks, "server_id", "device", "host_ip")
	switch {
	case !o.Has("server_count"):
		if ok {
			p.r.Note(0, "server_count is missing; the %s of server_list count", count(len(list), "server"))
		}
	default:
		if n, good := o.Digits("server_count", 1, maxRanks); good && ok && n != len(list) {
			o.Bad("server_count", fmt.Sprintf("%d, the length of server_list", len(list)), "")
		}
	}
	var ids []int
	var objects []*form.Object
	var super []*form.Object
	for i, s := range list {
		p.server(s)
		devices, ok := s.Objects("device", 1, 1024, "device_id", "device_ip", "device_port", "rank_id", "host_port",
			"super_device_id", "backup_device_ip", "backup_device_port")
		if !ok {
			continue
		}
		p.deviceSet(s, "device", devices)
		for _, d := range devices {
			r := p.device(d, i, len(list))
			ids = append(ids, r.ID)
			objects = append(objects, d)
			if d.Has("super_device_id") {
				super = append(super, d)
			}
			p.t.Ranks = append(p.t.Ranks, r)
		}
	}
	p.limit(o, "server_list", len(ids))
	p.places(ids, objects)
	if p.t.Version == "1.2" {
		p.superpods(o, objects, len(super))
		p.backups(objects)
	}
}

// server reads what a server has beside its devices.
func (p *parser) server(s *form.Object) {
	out := Server{Pod: -1}
	if id, ok := s.Text("server_id", 1, 64, "a name of 1 to 64 characters"); ok {
		out.ID = id
		if _, double := p.byID[id]; double {
			s.Bad("server_id", "every server once", "the devices of both entries in one")
		}
		p.byID[id] = len(p.t.Servers)
	}
	if s.Has("host_ip") {
		out.HostIP = p.ip(s, "host_ip")
	}
	p.t.Servers = append(p.t.Servers, out)
}

// device reads one device of a 1.x table.
func (p *parser) device(d *form.Object, server, servers int) Rank {
	r := Rank{ID: -1, Server: server, Local: -1, Replaced: -1, Super: -1, line: d.Line(""), path: d.Path("")}
	if id, ok := d.Digits("rank_id", 0, maxRanks-1); ok {
		r.ID = id
	}
	r.Device, _ = d.Digits("device_id", 0, p.maxDevice())
	r.IPs = p.deviceIPs(d, servers)
	r.DevicePort = p.port(d, "device_port")
	r.HostPort = p.port(d, "host_port")
	r.BackupPort = p.port(d, "backup_device_port")
	if d.Has("backup_device_ip") {
		r.BackupIP = p.ip(d, "backup_device_ip")
	}
	if d.Has("super_device_id") {
		if id, ok := d.Digits("super_device_id", 0, 1<<31-1); ok {
			r.Super = id
		}
	}
	return r
}

// deviceSet checks the devices of one server together: no id twice, and on the
// first generation 1, 2, 4 or 8 of them on one plane, as many as every server
// has.
func (p *parser) deviceSet(s *form.Object, key string, devices []*form.Object) {
	seen := map[int]bool{}
	var ids []int
	for _, d := range devices {
		if d.Kind("device_id") != form.Text {
			continue // reported by who reads the device
		}
		id, ok := d.Peek("device_id")
		if !ok {
			continue
		}
		if seen[id] && id >= 0 {
			d.Bad("device_id", "every device of a server once", "")
		}
		seen[id] = true
		if id >= 0 {
			ids = append(ids, id)
		}
	}
	if p.o.generation() != "910" || len(ids) == 0 {
		return
	}
	if n := len(ids); !slices.Contains([]int{1, 2, 4, 8}, n) {
		p.fault(s, key, form.Invalid, count(n, "device"), "1, 2, 4 or 8 devices of a server: the first generation has no other groups", "profile a2, which takes any number", form.Para)
		return
	}
	if len(ids) <= 4 {
		for _, id := range ids {
			if id/4 != ids[0]/4 {
				p.fault(s, key, form.Planes, fmt.Sprintf("the devices %d and %d", ids[0], id), "devices of one plane: 0 to 3 or 4 to 7", "", form.Para)
				break
			}
		}
	}
	if first := p.firstCount(len(ids)); first != len(ids) {
		p.fault(s, key, form.Invalid, count(len(ids), "device"), fmt.Sprintf("%d, as many as the first server has", first), "", form.Para)
	}
}

// firstCount is how many devices the first server had.
func (p *parser) firstCount(n int) int {
	if p.perServer == 0 {
		p.perServer = n
	}
	return p.perServer
}

// fault reports a value in words of its own.
func (p *parser) fault(o *form.Object, key string, code form.Code, value, want, try string, result int) {
	p.r.Fault(form.Fault{Code: code, Line: o.Line(key), Key: o.Path(key), Value: value, Want: want, Try: try, Result: result})
}

// limit refuses more ranks than a simulation holds.
func (p *parser) limit(o *form.Object, key string, n int) {
	if n > maxRanks {
		p.fault(o, key, form.Invalid, strconv.Itoa(n)+" devices", fmt.Sprintf("at most %d", maxRanks), "", 0)
	}
}
