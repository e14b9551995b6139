package ranktable

import (
	"bytes"
	"fmt"

	"hsim/host/topo/form"
)

// LoadRootInfo reads a root info file: the devices of one server in the form of
// 2.0 with the path of its topology file. Rank ids may be left out.
func LoadRootInfo(name string, o Options) (*Table, error) {
	data, err := form.ReadFile(name)
	if err != nil {
		return nil, err
	}
	return ParseRootInfo(name, data, o)
}

// ParseRootInfo checks the text of a root info file.
func ParseRootInfo(name string, data []byte, o Options) (*Table, error) {
	v, err := form.ParseJSON(name, data)
	if err != nil {
		return nil, err
	}
	p := newParser(name, o)
	top := p.r.Root(v, "version", "status", "detour", "topo_file_path", "rank_count", "rank_list", "hsim")
	if version, ok := top.OneOf("version", "2.0"); ok {
		p.generation(top, version)
	}
	p.t.Version = "2.0"
	p.t.TopoPath, _ = top.Text("topo_file_path", 1, 4096, "the path of a topology file")
	p.ranks(top, true)
	return p.finish()
}

// IsRootInfo reports whether JSON text names a topology file as a root info file
// does. Text that is not JSON is none.
func IsRootInfo(data []byte) bool {
	if !bytes.Contains(data, []byte(`"topo_file_path"`)) {
		return false
	}
	v, err := form.ParseJSON("", data)
	return err == nil && form.NewReader("").Root(v).Has("topo_file_path")
}

// Join makes one table of root info files, one per server: ranks count on from
// file to file.
func Join(servers []*Table) (*Table, error) {
	if len(servers) == 0 {
		return nil, fmt.Errorf("ranktable: join: got no root info file, want one per server")
	}
	out := &Table{Name: servers[0].Name, Version: "2.0", TopoPath: servers[0].TopoPath, Hosts: servers[0].Hosts}
	for i, t := range servers {
		at := len(out.Servers)
		named := len(t.Servers) > 0
		if named {
			out.Servers = append(out.Servers, t.Servers...)
		} else {
			out.Servers = append(out.Servers, Server{ID: fmt.Sprintf("node_%d", i), Pod: -1})
		}
		for _, r := range t.Ranks {
			r.ID = len(out.Ranks)
			if r.Server += at; !named {
				r.Server = at
			}
			out.Ranks = append(out.Ranks, r)
		}
		out.Notes = append(out.Notes, t.Notes...)
	}
	return out, nil
}

// Whitelist are the addresses that may join a communicator made from root info.
type Whitelist struct{ HostIPs, DeviceIPs []string }

// ParseWhitelist reads a white list.
func ParseWhitelist(name string, data []byte) (*Whitelist, error) {
	v, err := form.ParseJSON(name, data)
	if err != nil {
		return nil, err
	}
	r := form.NewReader(name)
	o := r.Root(v, "host_ip", "device_ip")
	w := &Whitelist{}
	for _, one := range []struct {
		key string
		to  *[]string
	}{{"host_ip", &w.HostIPs}, {"device_ip", &w.DeviceIPs}} {
		*one.to, _ = o.Texts(one.key, 0, maxRanks, "addresses")
		for i, ip := range *one.to {
			if !validIP(ip) {
				o.Item(one.key, i, wantIP, maskedHint(ip))
			}
		}
	}
	if err := r.Err(); err != nil {
		return nil, err
	}
	return w, nil
}
