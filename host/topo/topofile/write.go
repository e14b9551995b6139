package topofile

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"

	"hsim/host/topo"
)

// Export makes the file that wires a cluster and the members that go with it,
// and makes sure that they wire the same graph. Where the format cannot say what
// the graph is (switches inside a network, rates of its own), the file carries
// what the generator was asked for under the key "hsim". The error says what no
// file can hold.
func Export(c *topo.Cluster) (*Plan, error) {
	plan, err := PlanOf(c)
	if err != nil {
		return nil, err
	}
	hosts := 0
	if c.Graph.Servers > 0 {
		hosts = len(c.HostIPs) / c.Graph.Servers
	}
	servers := ServersOf(c.Graph)
	differ := plan.check(c, servers, hosts)
	if differ == "" {
		return plan, nil
	}
	if c.Graph.Spec.Kind == "" {
		return nil, fmt.Errorf("topofile: write: got a graph that the format cannot say: %s", differ)
	}
	spec := c.Graph.Spec
	plan.File.Spec = &spec
	if differ = plan.check(c, servers, hosts); differ != "" {
		return nil, fmt.Errorf("topofile: write: got a graph that its generator does not make again: %s", differ)
	}
	return plan, nil
}

// check wires the file as written and says how the graph differs.
func (p *Plan) check(c *topo.Cluster, servers []topo.ServerSpec, hosts int) string {
	text, err := p.File.Text()
	if err != nil {
		return err.Error()
	}
	f, err := Parse("topo.json", text)
	if err != nil {
		return err.Error()
	}
	g, _, err := f.Wire(p.Members, servers, hosts, c.Chip)
	if err != nil {
		return err.Error()
	}
	return topo.Differ(c.Graph, g)
}

// ServersOf lists the servers of a graph as BuildServers and Wire take them.
func ServersOf(g *topo.Graph) []topo.ServerSpec {
	out := make([]topo.ServerSpec, g.Servers)
	for d := range g.Devices {
		n := &g.Nodes[d]
		s := &out[n.Server]
		s.Super = int(max(n.Super, 0))
		s.Devices = append(s.Devices, int(n.Index))
	}
	return out
}

// edgeText is an edge in the order of keys that files have.
type edgeText struct {
	Layer     int      `json:"net_layer"`
	LinkType  string   `json:"link_type"`
	TopoType  string   `json:"topo_type"`
	Instance  int      `json:"topo_instance_id"`
	A         int      `json:"local_a"`
	APorts    []string `json:"local_a_ports"`
	B         *int     `json:"local_b,omitempty"`
	BPorts    []string `json:"local_b_ports,omitempty"`
	Protocols []string `json:"protocols"`
	Position  string   `json:"position"`
}

// Text is the file as JSON, one peer list and one edge a line.
func (f *File) Text() ([]byte, error) {
	var b bytes.Buffer
	b.WriteString("{\n  \"version\": \"" + Version + "\",\n")
	if f.Hardware != "" {
		name, err := json.Marshal(f.Hardware)
		if err != nil {
			return nil, err
		}
		fmt.Fprintf(&b, "  \"hardware_type\": %s,\n", name)
	}
	fmt.Fprintf(&b, "  \"peer_count\": %d,\n  \"peer_list\": [", len(f.Peers))
	for i, p := range f.Peers {
		if i > 0 {
			b.WriteString(", ")
		}
		fmt.Fprintf(&b, "{\"local_id\": %d}", p)
	}
	fmt.Fprintf(&b, "],\n  \"edge_count\": %d,\n  \"edge_list\": [", len(f.Edges))
	for i := range f.Edges {
		line, err := f.Edges[i].text()
		if err != nil {
			return nil, err
		}
		if i > 0 {
			b.WriteByte(',')
		}
		b.WriteString("\n    ")
		b.Write(line)
	}
	b.WriteString("\n  ]")
	if f.Spec != nil {
		spec, err := specText(f.Spec)
		if err != nil {
			return nil, err
		}
		fmt.Fprintf(&b, ",\n  \"hsim\": %s", spec)
	}
	b.WriteString("\n}\n")
	return b.Bytes(), nil
}

func (e *Edge) text() ([]byte, error) {
	t := edgeText{Layer: e.Layer, LinkType: "PEER2PEER", TopoType: e.TopoType, Instance: e.Instance, A: e.A, APorts: names(e.APorts), Position: "DEVICE"}
	if e.Net {
		t.LinkType = "PEER2NET"
	} else {
		t.B, t.BPorts = &e.B, names(e.BPorts)
	}
	if e.Host {
		t.Position = "HOST"
	}
	for _, p := range e.Protocols.List() {
		if !slices.Contains(protocolNames(), p.String()) {
			return nil, fmt.Errorf("topofile: write: %s: got protocol %s, want one of %v", e, p, protocolNames())
		}
		t.Protocols = append(t.Protocols, p.String())
	}
	return json.Marshal(t)
}

func names(ports []Port) []string {
	out := make([]string, len(ports))
	for i, p := range ports {
		out[i] = p.String()
	}
	return out
}
