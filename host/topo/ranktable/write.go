package ranktable

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"

	"hsim/host/topo"
	"hsim/host/topo/topofile"
)

// Files are a cluster as files. Topo is nil where the rank table alone says all;
// RootInfo, one per server, is there for 2.0 only.
type Files struct {
	RankTable []byte
	Topo      []byte
	RootInfo  [][]byte
}

// TopoName is the name under which root info files expect the topology file.
const TopoName = "topo.json"

// Export writes a cluster as the rank table of its chip's generation and, where
// that does not say how the devices are wired, a topology file, and makes sure
// that they load back to the same graph. The error says what the formats cannot
// hold.
func Export(c *topo.Cluster) (*Files, error) {
	for i := range c.Graph.Nodes {
		if n := &c.Graph.Nodes[i]; n.Replaced {
			return nil, fmt.Errorf("ranktable: write: got a backup device in the place of %s, want devices of their own wiring (try it without replaced)", n.Name)
		}
	}
	version := c.Chip.RankTable
	if version == "" {
		version = "2.0"
	}
	if c.Version == "1.0" || c.Version == "1.2" && version != "2.0" {
		version = c.Version
	}
	if version != "2.0" {
		return exportServers(c, version)
	}
	plan, err := topofile.Export(c)
	if err != nil {
		return nil, err
	}
	f := &Files{}
	if f.Topo, err = plan.File.Text(); err != nil {
		return nil, err
	}
	w := &writer{c: c, version: version, plan: plan}
	if f.RankTable, err = w.ranks(-1); err != nil {
		return nil, err
	}
	for s := range c.Graph.Servers {
		info, err := w.ranks(s)
		if err != nil {
			return nil, err
		}
		f.RootInfo = append(f.RootInfo, info)
	}
	if differ := f.check(c); differ != "" {
		return nil, fmt.Errorf("ranktable: write: got a cluster that does not load back: %s", differ)
	}
	return f, nil
}

// exportServers writes 1.0 or 1.2, alone where the chip's own wiring is the
// graph, else with a topology file.
func exportServers(c *topo.Cluster, version string) (*Files, error) {
	w := &writer{c: c, version: version}
	text, err := w.servers()
	if err != nil {
		return nil, err
	}
	f := &Files{RankTable: text}
	if f.check(c) == "" {
		return f, nil
	}
	plan, err := topofile.Export(c)
	if err != nil {
		return nil, err
	}
	if f.Topo, err = plan.File.Text(); err != nil {
		return nil, err
	}
	differ := f.check(c)
	if differ != "" && plan.File.Spec == nil && c.Graph.Spec.Kind != "" {
		spec := c.Graph.Spec
		plan.File.Spec = &spec
		if f.Topo, err = plan.File.Text(); err != nil {
			return nil, err
		}
		differ = f.check(c)
	}
	if differ != "" {
		return nil, fmt.Errorf("ranktable: write: got a cluster that does not load back: %s", differ)
	}
	return f, nil
}

// check loads the files and says how the graph differs.
func (f *Files) check(c *topo.Cluster) string {
	t, err := Parse("ranktable.json", f.RankTable, Options{Chip: c.Chip})
	if err != nil {
		return err.Error()
	}
	var wires *topofile.File
	if f.Topo != nil {
		if wires, err = topofile.Parse(TopoName, f.Topo); err != nil {
			return err.Error()
		}
	}
	hosts := 0
	if len(c.HostIPs) == 0 {
		hosts = NoHosts
	}
	back, _, err := t.Cluster(wires, c.Chip, hosts)
	if err != nil {
		return err.Error()
	}
	return topo.Differ(c.Graph, back.Graph)
}

// writer writes one cluster.
type writer struct {
	c       *topo.Cluster
	version string
	plan    *topofile.Plan
}

// own is the key "hsim": how many hosts a server has, when it is not one.
type own struct {
	Hosts int `json:"hosts"`
}

func (w *writer) own() *own {
	if n := w.c.Graph.Servers; n > 0 && len(w.c.HostIPs) > n {
		return &own{len(w.c.HostIPs) / n}
	}
	return nil
}

type deviceText struct {
	DeviceID   string `json:"device_id"`
	SuperID    string `json:"super_device_id,omitempty"`
	DeviceIP   string `json:"device_ip,omitempty"`
	DevicePort string `json:"device_port,omitempty"`
	HostPort   string `json:"host_port,omitempty"`
	RankID     string `json:"rank_id"`
}

type serverText struct {
	ServerID string       `json:"server_id"`
	HostIP   string       `json:"host_ip,omitempty"`
	Device   []deviceText `json:"device"`
}

type podText struct {
	ID      string      `json:"super_pod_id"`
	Servers []serverRef `json:"server_list"`
}

type serverRef struct {
	ID string `json:"server_id"`
}

// servers writes 1.0 or 1.2.
func (w *writer) servers() ([]byte, error) {
	g := w.c.Graph
	servers := make([]serverText, g.Servers)
	pods := make([]podText, g.Supers)
	host := 0
	for n := range g.Nodes {
		node := &g.Nodes[n]
		if node.Kind == topo.Host {
			if s := &servers[node.Server]; s.HostIP == "" {
				s.HostIP = w.c.HostIPs[host]
			}
			host++
		}
	}
	inPod := make([]int, g.Supers)
	for r, rank := range w.c.Ranks {
		if int(rank.Node) >= g.Devices {
			return nil, fmt.Errorf("ranktable: write: rank %d: got a rank on a host, want devices only in %s", r, w.version)
		}
		node := &g.Nodes[rank.Node]
		d := deviceText{DeviceID: strconv.Itoa(int(node.Index)), RankID: strconv.Itoa(r), DeviceIP: w.deviceIP(rank.Node),
			DevicePort: optional(rank.DevicePort), HostPort: optional(rank.HostPort)}
		if w.version == "1.2" {
			id := rank.SuperID
			if id < 0 {
				id = inPod[node.Super]
			}
			inPod[node.Super]++
			d.SuperID = strconv.Itoa(id)
		}
		servers[node.Server].Device = append(servers[node.Server].Device, d)
	}
	for i := range servers {
		servers[i].ServerID = w.c.Servers[i].ID
		if len(servers[i].Device) == 0 {
			return nil, fmt.Errorf("ranktable: write: server %d: got no rank on it, want at least one", i)
		}
	}
	out := struct {
		Status  string       `json:"status"`
		Version string       `json:"version"`
		Count   string       `json:"server_count"`
		Servers []serverText `json:"server_list"`
		Pods    []podText    `json:"super_pod_list,omitempty"`
		Own     *own         `json:"hsim,omitempty"`
	}{Status: "completed", Version: w.version, Count: strconv.Itoa(len(servers)), Servers: servers, Own: w.own()}
	if w.version == "1.2" {
		for d := range g.Devices {
			node := &g.Nodes[d]
			pod := &pods[node.Super]
			ref := serverRef{w.c.Servers[node.Server].ID}
			pod.ID = w.c.Servers[node.Server].Pod
			if !slices.Contains(pod.Servers, ref) {
				pod.Servers = append(pod.Servers, ref)
			}
		}
		out.Pods = pods
	}
	return indented(out)
}

func optional(port int) string {
	if port == 0 {
		return ""
	}
	return strconv.Itoa(port)
}

// deviceIP is the address of a device's NIC, else of its way over the host.
func (w *writer) deviceIP(n topo.NodeID) string {
	best := ""
	for _, e := range w.endpoints(n) {
		if e.Type != topo.EID && (best == "" || e.Layer == 2) {
			if best = e.Addr; e.Layer == 2 {
				break
			}
		}
	}
	return best
}

// endpoints are the addresses of a node.
func (w *writer) endpoints(n topo.NodeID) []topo.EndPoint {
	all := w.c.EndPoints
	lo, _ := slices.BinarySearchFunc(all, n, func(e topo.EndPoint, n topo.NodeID) int { return int(e.Node) - int(n) })
	hi := lo
	for hi < len(all) && all[hi].Node == n {
		hi++
	}
	return all[lo:hi]
}

// indented is JSON as the files of the real system look.
func indented(v any) ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	if err := e.Encode(v); err != nil {
		return nil, fmt.Errorf("ranktable: write: %w", err)
	}
	return b.Bytes(), nil
}
