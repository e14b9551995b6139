package ranktable

import (
	"fmt"
	"slices"
	"strings"

	"hsim/host/topo/form"
	"hsim/host/topo/topofile"
)

// The ranges of 2.0.
const (
	maxLocal     = topofile.BackupID
	maxDevice20  = 64
	maxLevels    = 8
	maxLayer     = 7
	maxInstance  = 1024
	maxAddrs     = 24
	maxAddrPorts = 16
	maxAddr      = 256
)

// ranks reads 2.0. A root info file may leave the rank ids out: they count in
// the order of the list.
func (p *parser) ranks(o *form.Object, rootInfo bool) {
	p.status(o)
	p.own(o)
	switch {
	case !o.Has("detour"):
	case o.Kind("detour") == form.Bool:
	default:
		o.OneOf("detour", "true", "false")
	}
	n, haveCount := o.Int("rank_count", 1, maxRanks)
	list, ok := o.Objects("rank_list", 1, 1<<22, "rank_id", "device_id", "local_id", "replaced_local_id", "device_port", "host_port", "server_id", "level_list")
	if ok && haveCount && n != len(list) {
		o.Bad("rank_count", fmt.Sprintf("%d, the length of rank_list", len(list)), "")
	}
	if o.Has("replace_list") {
		p.r.Note(o.Line("replace_list"), "replace_list belongs to an older form of 2.0 and is not read: backups have replaced_local_id")
	}
	ids := make([]int, 0, len(list))
	names := map[string]int{}
	withServer := 0
	for i, one := range list {
		r := p.rank(one)
		if !one.Has("rank_id") && rootInfo {
			r.ID = i
		} else if id, ok := one.Int("rank_id", 0, maxRanks-1); ok {
			r.ID = id
		}
		if one.Has("server_id") {
			if id, ok := one.Text("server_id", 1, 64, "a name of 1 to 64 characters"); ok {
				if _, ok := names[id]; !ok {
					names[id] = len(p.t.Servers)
					p.t.Servers = append(p.t.Servers, Server{ID: id, Pod: -1})
				}
				r.Server = names[id]
				withServer++
			}
		}
		ids = append(ids, r.ID)
		p.t.Ranks = append(p.t.Ranks, r)
	}
	if !p.o.Delta {
		p.places(ids, list)
	}
	p.locals(list)
	if withServer < len(p.t.Ranks) {
		p.t.Servers = nil
	}
}

func (p *parser) rank(o *form.Object) Rank {
	r := Rank{ID: -1, Replaced: -1, Super: -1, line: o.Line(""), path: o.Path("")}
	r.Device, _ = o.Int("device_id", 0, maxDevice20)
	r.Local = -1
	if id, ok := o.Int("local_id", 0, maxLocal); ok {
		r.Local = id
	}
	if r.Local == topofile.BackupID && !o.Has("replaced_local_id") {
		o.Missing("replaced_local_id", "the local_id that the backup device stands in for", "")
	}
	if o.Has("replaced_local_id") {
		if id, ok := o.Int("replaced_local_id", 0, maxLocal-1); ok && r.Local == topofile.BackupID {
			r.Replaced = id
		}
	}
	for _, port := range []struct {
		key string
		to  *int
	}{{"device_port", &r.DevicePort}, {"host_port", &r.HostPort}} {
		if o.Has(port.key) {
			*port.to, _ = o.Int(port.key, 1, 65535)
		}
	}
	levels, _ := o.Objects("level_list", 1, maxLevels, "net_layer", "net_instance_id", "net_type", "net_attr", "net_addr", "rank_addr_list")
	for _, l := range levels {
		level := p.level(l)
		if level.Layer >= 0 && slices.ContainsFunc(r.Levels, func(o Level) bool { return o.Layer == level.Layer }) {
			l.Bad("net_layer", "every layer of a rank once", "")
		}
		r.Levels = append(r.Levels, level)
	}
	slices.SortStableFunc(r.Levels, func(a, b Level) int { return a.Layer - b.Layer })
	return r
}

func (p *parser) level(o *form.Object) Level {
	l := Level{Layer: -1}
	if !o.Has("net_layer") && o.Has("level") {
		o.Missing("net_layer", form.Range(0, maxLayer), `"net_layer" for "level": the file is of an older form of 2.0`)
	} else if n, ok := o.Int("net_layer", 0, maxLayer); ok {
		l.Layer = n
	}
	l.Instance, _ = o.Text("net_instance_id", 1, maxInstance, "a name of 1 to 1024 characters")
	kind, _ := o.OneOf("net_type", "TOPO_FILE_DESC", "CLOS")
	l.FromTopo = kind == "TOPO_FILE_DESC"
	addrs, _ := o.Objects("rank_addr_list", 0, maxAddrs, "addr_type", "addr", "ports", "plane_id")
	for _, a := range addrs {
		l.Addrs = append(l.Addrs, p.addr(a))
	}
	return l
}

func (p *parser) addr(o *form.Object) Addr {
	var a Addr
	a.Type, _ = o.OneOf("addr_type", "EID", "IPV4", "IPV6")
	addr, ok := o.Text("addr", 1, maxAddr, "an address of 1 to 256 characters")
	a.Addr = addr
	switch {
	case !ok || a.Type == "":
	case a.Type == "EID":
		if !isEID(addr) {
			o.Bad("addr", "32 hex digits, as addr_type EID says", "")
		}
	case !validIP(addr):
		o.Bad("addr", wantIP, maskedHint(addr))
	case familyOf(addr) == 2 != (a.Type == "IPV4"):
		o.Bad("addr", "an address of the family that addr_type says: "+a.Type, "")
	}
	ports, _ := o.Texts("ports", 1, maxAddrPorts, "ports")
	for i, s := range ports {
		if _, good := topofile.ParsePort(s); !good && s != "d2h" {
			o.Item("ports", i, `a port "die/port" such as "0/3", or "d2h"`, "")
			break
		}
		a.Ports = append(a.Ports, s)
	}
	if o.Has("plane_id") {
		a.Plane, _ = o.Text("plane_id", 0, maxInstance, "a name")
	}
	return a
}

// locals checks the local ids of every instance of layer 0: each once, at most
// one backup, and no device beside the backup that stands in for it.
func (p *parser) locals(objects []*form.Object) {
	type local struct {
		instance string
		id       int
	}
	seen := map[local]bool{}
	for i := range p.t.Ranks {
		r := &p.t.Ranks[i]
		if r.Local < 0 {
			continue
		}
		at := local{r.instance0(), r.Local}
		if seen[at] {
			want := fmt.Sprintf("every local_id of %q once", at.instance)
			if r.Local == topofile.BackupID {
				want = fmt.Sprintf("at most one backup device in %q", at.instance)
			}
			objects[i].Bad("local_id", want, "")
		}
		seen[at] = true
	}
	for i := range p.t.Ranks {
		if r := &p.t.Ranks[i]; r.Replaced >= 0 && seen[local{r.instance0(), r.Replaced}] {
			objects[i].Bad("replaced_local_id", "the local_id of a device that is not in the table", "")
		}
	}
}

// instance0 is the name of the rank's network of layer 0.
func (r *Rank) instance0() string {
	for _, l := range r.Levels {
		if l.Layer == 0 {
			return l.Instance
		}
	}
	return ""
}

// names joins numbers for a fault.
func names(ids []int) string {
	var out []string
	for _, id := range ids {
		out = append(out, fmt.Sprint(id))
	}
	return strings.Join(out, ", ")
}
