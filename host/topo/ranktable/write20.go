package ranktable

import (
	"fmt"
	"slices"

	"hsim/host/topo"
)

type addrText struct {
	Type  string   `json:"addr_type"`
	Addr  string   `json:"addr"`
	Ports []string `json:"ports"`
	Plane string   `json:"plane_id,omitempty"`
}

type levelText struct {
	Layer    int        `json:"net_layer"`
	Instance string     `json:"net_instance_id"`
	Type     string     `json:"net_type"`
	Attr     string     `json:"net_attr"`
	Addrs    []addrText `json:"rank_addr_list"`
}

type rankText struct {
	RankID     int         `json:"rank_id"`
	DeviceID   int         `json:"device_id"`
	LocalID    int         `json:"local_id"`
	ServerID   string      `json:"server_id"`
	DevicePort int         `json:"device_port,omitempty"`
	HostPort   int         `json:"host_port,omitempty"`
	Levels     []levelText `json:"level_list"`
}

// ranks writes 2.0: all ranks, or the root info of one server.
func (w *writer) ranks(server int) ([]byte, error) {
	g := w.c.Graph
	out := struct {
		Status  string     `json:"status,omitempty"`
		Version string     `json:"version"`
		Topo    string     `json:"topo_file_path,omitempty"`
		Count   int        `json:"rank_count"`
		Ranks   []rankText `json:"rank_list"`
		Own     *own       `json:"hsim,omitempty"`
	}{Status: "completed", Version: "2.0", Own: w.own()}
	if server >= 0 {
		out.Status, out.Topo = "", TopoName
	}
	for r, rank := range w.c.Ranks {
		if int(rank.Node) >= g.Devices {
			return nil, fmt.Errorf("ranktable: write: rank %d: got a rank on a host, want devices only in 2.0", r)
		}
		node := &g.Nodes[rank.Node]
		if server >= 0 && int(node.Server) != server {
			continue
		}
		t := rankText{RankID: r, DeviceID: int(node.Index), LocalID: w.plan.Members[rank.Node].Local, ServerID: w.c.Servers[node.Server].ID,
			DevicePort: rank.DevicePort, HostPort: rank.HostPort, Levels: w.levels(rank.Node)}
		if server >= 0 {
			t.RankID = len(out.Ranks)
		}
		if t.DeviceID > maxDevice20 {
			return nil, fmt.Errorf("ranktable: write: rank %d: got device id %d, want at most %d in 2.0", r, t.DeviceID, maxDevice20)
		}
		out.Ranks = append(out.Ranks, t)
	}
	out.Count = len(out.Ranks)
	return indented(out)
}

// levels are the networks of a device with its addresses; the level of the host
// is called cluster, as all hosts reach each other.
func (w *writer) levels(n topo.NodeID) []levelText {
	member := &w.plan.Members[n]
	var out []levelText
	level := func(layer int) *levelText {
		for i := range out {
			if out[i].Layer == layer {
				return &out[i]
			}
		}
		l := levelText{Layer: layer, Instance: member.Instance[layer], Type: "CLOS", Addrs: []addrText{}}
		if layer == 0 {
			l.Type = "TOPO_FILE_DESC"
		}
		if l.Instance == "" {
			l.Instance = "cluster"
		}
		out = append(out, l)
		return &out[len(out)-1]
	}
	level(0)
	for layer := range member.Instance {
		if member.Instance[layer] != "" {
			level(layer)
		}
	}
	for _, e := range w.endpoints(n) {
		if len(e.Ports) == 0 || int(e.Layer) >= len(member.Instance) {
			continue
		}
		l := level(int(e.Layer))
		for from := 0; from < len(e.Ports); from += maxAddrPorts {
			l.Addrs = append(l.Addrs, addrText{e.Type.String(), e.Addr, e.Ports[from:min(from+maxAddrPorts, len(e.Ports))], e.Plane})
		}
	}
	slices.SortFunc(out, func(a, b levelText) int { return a.Layer - b.Layer })
	return out
}
