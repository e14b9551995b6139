package clusteryaml

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"hsim/host/soc"
	"hsim/host/topo"
	"hsim/host/topo/form"
	"hsim/host/topo/topofile"
)

// Cluster makes the cluster of a description: one rank per device that takes
// part, superpod by superpod, server by server. A topo_meta file alone is wired
// as the chip's servers are.
func (d *Description) Cluster(chip *soc.Chip, hosts int) (*topo.Cluster, []form.Note, error) {
	if hosts > 0 && chip.Group(soc.HostPort) == nil {
		hosts = 0
	}
	racks := slices.Clone(d.Racks)
	slices.SortStableFunc(racks, func(a, b Rack) int { return cmp.Or(cmp.Compare(a.Pod, b.Pod), cmp.Compare(a.ID, b.ID)) })
	var servers []topo.ServerSpec
	var names []topo.ServerName
	var members []topofile.Member
	super := -1
	for i, k := range racks {
		if i == 0 || k.Pod != racks[i-1].Pod {
			super++
		}
		pod := fmt.Sprintf("superPod%d", k.Pod)
		name := fmt.Sprintf("%s_rack%d", pod, k.ID)
		s := topo.ServerSpec{Super: super, Devices: k.ranks()}
		for _, local := range s.Devices {
			m := topofile.Member{Local: local}
			m.Instance[0], m.Instance[1] = name, pod
			members = append(members, m)
		}
		servers = append(servers, s)
		names = append(names, topo.ServerName{ID: name, Pod: pod})
	}
	var g *topo.Graph
	var notes []form.Note
	var err error
	if d.IsMeta() {
		g, err = topo.BuildServers(servers, hosts, chip)
	} else {
		var f *topofile.File
		if f, err = racks[0].Kind.wires(chip); err == nil {
			g, notes, err = f.Wire(members, servers, hosts, chip)
		}
	}
	if err != nil {
		return nil, nil, err
	}
	c := topo.NewCluster(g, chip)
	c.Servers, c.Version = names, ""
	return c, notes, nil
}

// ranks are the local ids that take part.
func (k *Rack) ranks() []int {
	if k.Ranks != nil {
		return k.Ranks
	}
	out := make([]int, k.Kind.Devices)
	for i := range out {
		out[i] = i
	}
	return out
}

// wires is the server as a topology file: a plane of its own for each port to a
// switch, and one for each higher layer that the port serves.
func (s *Server) wires(chip *soc.Chip) (*topofile.File, error) {
	if s.SoC != "" && chip.Generation != "ideal" && !strings.HasPrefix(chip.SocName, s.SoC) && !strings.HasPrefix(s.SoC, chip.SocName) {
		return nil, &form.Faults{List: []*form.Fault{{Code: form.Invalid, File: s.file, Key: "soc_version", Value: fmt.Sprintf("%q", s.SoC),
			Want: fmt.Sprintf("the chip of profile %q: %s", chip.Name, chip.SocName), Try: "the profile of that chip"}}}
	}
	up, out := chip.Group(soc.Direct), chip.Group(soc.NIC)
	if up == nil {
		up = &chip.Ports[0]
	}
	if out == nil {
		out = up
	}
	f := &topofile.File{Name: s.file}
	for i := range s.Devices {
		f.Peers = append(f.Peers, i)
	}
	for _, c := range s.cables {
		f.Edges = append(f.Edges, topofile.Edge{TopoType: "1DMESH", A: c.a, B: c.b, APorts: []topofile.Port{c.portA}, BPorts: []topofile.Port{c.portB}, Protocols: up.Protocols})
	}
	planes := map[int]int{}
	for _, port := range s.order {
		for _, layer := range append([]int{1}, s.layers[port]...) {
			protocols := up.Protocols
			if layer > 1 {
				protocols = out.Protocols
			}
			for _, device := range s.onNet[port] {
				f.Edges = append(f.Edges, topofile.Edge{Layer: layer, Net: true, TopoType: "CLOS", Instance: planes[layer], A: device, B: -1, APorts: []topofile.Port{port}, Protocols: protocols})
			}
			planes[layer]++
		}
	}
	return f, nil
}
