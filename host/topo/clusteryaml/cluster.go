package clusteryaml

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"hsim/host/topo/form"
)

// Description is a cluster as the files describe it.
type Description struct {
	Name  string
	Racks []Rack
	Notes []form.Note

	file string
}

// Rack is one server of a cluster. Ranks are the local ids of the devices that
// take part; nil = all.
type Rack struct {
	Pod, ID int
	Kind    *Server
	Ranks   []int
}

// Load reads a cluster file with the server files it names, a server file as a
// cluster of one, or a topo_meta file, whose servers are wired as the chip's are.
// The error is *form.Faults.
func Load(name string) (*Description, error) {
	data, err := form.ReadFile(name)
	if err != nil {
		return nil, err
	}
	return parse(name, data, func(server string) ([]byte, string, error) {
		if !filepath.IsAbs(server) {
			server = filepath.Join(filepath.Dir(name), server)
		}
		if other := renamed(server); other != "" {
			server = other
		}
		data, err := form.ReadFile(server)
		return data, server, err
	})
}

// renamed finds a server file that was copied beside the cluster file under a
// name with something in front: "" unless the file itself is missing and exactly
// one other ends in its name.
func renamed(file string) string {
	if _, err := os.Stat(file); err == nil {
		return ""
	}
	entries, err := os.ReadDir(filepath.Dir(file))
	if err != nil {
		return ""
	}
	found := ""
	for _, e := range entries {
		if e.Type().IsRegular() && strings.HasSuffix(e.Name(), "_"+filepath.Base(file)) {
			if found != "" {
				return ""
			}
			found = filepath.Join(filepath.Dir(file), e.Name())
		}
	}
	return found
}

// parse reads the text of a file; open finds the server files.
func parse(name string, data []byte, open func(server string) ([]byte, string, error)) (*Description, error) {
	v, err := form.ParseYAML(name, data)
	if err != nil {
		return nil, err
	}
	r := form.NewReader(name)
	d := &Description{file: name}
	top := r.Root(v)
	meta, server, cluster := top.Has("meta"), top.Has("device_num"), top.Has("server_list")
	r.Forget()
	switch {
	case meta:
		d.Racks = parseMeta(r, v)
	case server:
		s := parseServer(r, v)
		d.Name, d.Racks = s.Name, []Rack{{Kind: s}}
	case cluster:
		d.cluster(r, v, open)
	default:
		r.Fault(form.Fault{Code: form.Missing, Key: "server_list", Value: "no such key", Want: "a cluster (server_list), a server (device_num) or a topo_meta file (meta)"})
	}
	if err := r.Err(); err != nil {
		return nil, err
	}
	d.Notes = append(d.Notes, r.Notes()...)
	return d, nil
}

// cluster reads a cluster file.
func (d *Description) cluster(r *form.Reader, v *form.Value, open func(string) ([]byte, string, error)) {
	o := r.Root(v, "name", "description", "super_node_num", "server_num", "server_list")
	if o.Has("name") {
		d.Name, _ = o.Text("name", 0, 256, "a name")
	}
	pods, havePods := o.Int("super_node_num", 1, maxRacks)
	servers, haveServers := o.Int("server_num", 1, maxRacks)
	list, ok := o.Objects("server_list", 1, maxRacks, "super_pod_id", "id_range", "soc_version", "server_topo")
	kinds := map[string]*Server{}
	seen := map[[2]int]bool{}
	podSeen := map[int]bool{}
	for _, e := range list {
		pod, ok1 := e.Int("super_pod_id", 0, maxRacks)
		ids, ok2 := e.Ints("id_range", 2, 0, maxRacks)
		if ok2 && (len(ids) != 2 || ids[0] > ids[1]) {
			e.Bad("id_range", "[first, last]", "")
			ok2 = false
		}
		soc := ""
		if e.Has("soc_version") {
			soc, _ = e.Text("soc_version", 1, 64, "the name of a chip")
		}
		kind := d.kind(r, e, kinds, open)
		if !ok1 || !ok2 || kind == nil {
			ok = false
			continue
		}
		if soc != "" && kind.SoC != "" && soc != kind.SoC {
			e.Bad("soc_version", fmt.Sprintf("%q, as %s has", kind.SoC, kind.file), "")
		}
		podSeen[pod] = true
		for id := ids[0]; id <= ids[1] && len(d.Racks) <= maxRacks; id++ {
			if seen[[2]int{pod, id}] {
				e.Bad("id_range", fmt.Sprintf("every server of superpod %d once: %d comes twice", pod, id), "")
				break
			}
			seen[[2]int{pod, id}] = true
			d.Racks = append(d.Racks, Rack{Pod: pod, ID: id, Kind: kind})
		}
	}
	if ok && havePods && pods != len(podSeen) {
		o.Bad("super_node_num", fmt.Sprintf("%d, the superpods of server_list", len(podSeen)), "")
	}
	if ok && haveServers && servers != len(d.Racks) {
		o.Bad("server_num", fmt.Sprintf("%d, the servers of server_list", len(d.Racks)), "")
	}
}

// kind reads the server file of an entry, once for all entries.
func (d *Description) kind(r *form.Reader, e *form.Object, kinds map[string]*Server, open func(string) ([]byte, string, error)) *Server {
	name, ok := e.Text("server_topo", 1, 4096, "the path of a server file")
	if !ok {
		return nil
	}
	if s, ok := kinds[name]; ok {
		return s
	}
	if len(kinds) > 0 {
		e.Bad("server_topo", "the same file for every server: hsim wires one kind of server", "")
		return nil
	}
	data, path, err := open(name)
	if err == nil {
		if filepath.Base(path) != filepath.Base(name) {
			r.Note(e.Line("server_topo"), "%s is not there; %s is read in its place", name, filepath.Base(path))
		}
		var v *form.Value
		if v, err = form.ParseYAML(path, data); err == nil {
			in := form.NewReader(path)
			s := parseServer(in, v)
			if err = in.Err(); err == nil {
				d.Notes = append(d.Notes, in.Notes()...)
				kinds[name] = s
				return s
			}
		}
	}
	r.Take(err)
	kinds[name] = nil
	return nil
}

// Select keeps the servers and ranks that a topo_meta file names.
func (d *Description) Select(meta *Description) error {
	r := form.NewReader(meta.file)
	var out []Rack
	for _, m := range meta.Racks {
		i := slices.IndexFunc(d.Racks, func(k Rack) bool { return k.Pod == m.Pod && k.ID == m.ID })
		if i < 0 {
			r.Fault(form.Fault{Code: form.Invalid, Key: "topology", Value: fmt.Sprintf("server %d of pod %d", m.ID, m.Pod), Want: "a server of " + d.file})
			continue
		}
		rack := d.Racks[i]
		for _, local := range m.Ranks {
			if local >= rack.Kind.Devices {
				r.Fault(form.Fault{Code: form.Invalid, Key: "topology", Value: fmt.Sprintf("rank %d of server %d", local, m.ID), Want: fmt.Sprintf("one of the %d devices of %s", rack.Kind.Devices, rack.Kind.file)})
			}
		}
		rack.Ranks = m.Ranks
		out = append(out, rack)
	}
	if err := r.Err(); err != nil {
		return err
	}
	d.Racks = out
	d.Notes = append(d.Notes, meta.Notes...)
	return nil
}

// IsMeta reports whether a description is of ranks only.
func (d *Description) IsMeta() bool { return len(d.Racks) > 0 && d.Racks[0].Kind == nil }

// maxRacks is the most servers that a description may have.
const maxRacks = 1 << 16
