package ranktable

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"

	"hsim/host/soc"
	"hsim/host/topo"
	"hsim/host/topo/form"
	"hsim/host/topo/topofile"
)

// NoHosts asks Cluster for servers without hosts.
const NoHosts = -1

// Cluster makes the cluster of a table. wires is its topology file: 2.0 needs one
// where a level says so; without one a 1.x table is wired as the chip's servers
// are. hosts is how many a server has, 0 for the table's own number or one,
// NoHosts for none.
//
// Devices are those of the table: superpod by superpod, server by server, by
// physical id. Rank r runs on Ranks[r].Node.
func (t *Table) Cluster(wires *topofile.File, chip *soc.Chip, hosts int) (*topo.Cluster, []form.Note, error) {
	if hosts == 0 {
		hosts = max(t.Hosts, 1)
	}
	if hosts == NoHosts || chip.Group(soc.HostPort) == nil {
		hosts = 0
	}
	if t.onHosts() {
		hosts = max(hosts, 1)
	}
	b := &assembly{t: t, chip: chip, node: make([]topo.NodeID, len(t.Ranks))}
	b.order()
	var notes []form.Note
	var err error
	switch {
	case wires != nil:
		b.g, notes, err = wires.Wire(b.members(), b.servers, hosts, chip)
	case t.Version == "2.0":
		var f *topofile.File
		if f, err = t.networksOnly(chip); err == nil {
			members := b.members()
			for r, n := range b.node {
				members[n].Local = r
			}
			b.g, notes, err = f.Wire(members, b.servers, hosts, chip)
		}
	default:
		b.g, err = topo.BuildServers(b.servers, hosts, chip)
	}
	if err != nil {
		return nil, nil, err
	}
	return b.cluster(), notes, nil
}

// onHosts reports whether a rank runs on a host's CPU.
func (t *Table) onHosts() bool {
	return slices.ContainsFunc(t.Ranks, func(r Rank) bool { return r.Device < 0 })
}

// assembly puts a table's devices in the order of a graph.
type assembly struct {
	t       *Table
	chip    *soc.Chip
	g       *topo.Graph
	servers []topo.ServerSpec
	names   []topo.ServerName
	hostIPs []string      // by server, "" = not given
	node    []topo.NodeID // by rank; None = on the host
	home    []int         // by rank: its server in the new order
}

// order groups the ranks by superpod, server and device.
func (b *assembly) order() {
	groups, homes := b.t.groups(b.chip)
	pods := map[int]int{} // superpods in the order of their first server
	for _, g := range groups {
		if _, ok := pods[g.pod]; !ok {
			pods[g.pod] = len(pods)
		}
	}
	at := make([]int, len(groups))
	for i := range at {
		at[i] = i
	}
	slices.SortStableFunc(at, func(x, y int) int { return cmp.Compare(pods[groups[x].pod], pods[groups[y].pod]) })
	place := make([]int, len(groups))
	for i, g := range at {
		place[g] = i
		b.names = append(b.names, topo.ServerName{ID: groups[g].id, Pod: groups[g].podID})
		b.hostIPs = append(b.hostIPs, groups[g].hostIP)
		b.servers = append(b.servers, topo.ServerSpec{Super: pods[groups[g].pod]})
	}
	b.home = make([]int, len(b.t.Ranks))
	byServer := make([][]int, len(groups))
	for r := range b.t.Ranks {
		b.home[r] = place[homes[r]]
		byServer[b.home[r]] = append(byServer[b.home[r]], r)
	}
	next := topo.NodeID(0)
	for s, ranks := range byServer {
		slices.SortFunc(ranks, func(x, y int) int { return b.t.Ranks[x].Device - b.t.Ranks[y].Device })
		for _, r := range ranks {
			if b.t.Ranks[r].Device < 0 {
				b.node[r] = topo.None
				continue
			}
			b.servers[s].Devices = append(b.servers[s].Devices, b.t.Ranks[r].Device)
			b.node[r] = next
			next++
		}
	}
}

// group is one server of a table. Servers of the same pod are one superpod.
type group struct {
	id, hostIP, podID string
	pod               int
}

// groups lists the servers and the server of each rank. 2.0 has no servers unless
// hsim wrote it: the devices of one instance of layer 0 are on one server until a
// device id comes again.
func (t *Table) groups(chip *soc.Chip) ([]group, []int) {
	home := make([]int, len(t.Ranks))
	var out []group
	if t.Version != "2.0" {
		for i, s := range t.Servers {
			g := group{id: s.ID, hostIP: s.HostIP, pod: s.Pod}
			switch {
			case s.Pod >= 0:
				g.podID = t.Pods[s.Pod]
			case t.serverMode(chip):
				g.pod, g.podID = i, s.ID
			}
			out = append(out, g)
		}
		for r := range t.Ranks {
			home[r] = t.Ranks[r].Server
		}
		return out, home
	}
	pods := map[string]int{}
	podOf := func(r *Rank) (int, string) {
		name := r.instance(1)
		if _, ok := pods[name]; !ok {
			pods[name] = len(pods)
		}
		return pods[name], name
	}
	if len(t.Servers) > 0 {
		for _, s := range t.Servers {
			out = append(out, group{id: s.ID, hostIP: s.HostIP})
		}
		for r := range t.Ranks {
			home[r] = t.Ranks[r].Server
			out[home[r]].pod, out[home[r]].podID = podOf(&t.Ranks[r])
		}
		return out, home
	}
	var instances []string
	members := map[string][]int{}
	for r := range t.Ranks {
		name := t.Ranks[r].instance0()
		if members[name] == nil {
			instances = append(instances, name)
		}
		members[name] = append(members[name], r)
	}
	for _, name := range instances {
		list := members[name]
		slices.SortStableFunc(list, func(x, y int) int { return t.Ranks[x].Local - t.Ranks[y].Local })
		seen := map[int]bool{}
		for i, r := range list {
			if i == 0 || seen[t.Ranks[r].Device] {
				pod, id := podOf(&t.Ranks[r])
				out = append(out, group{id: name, pod: pod, podID: id})
				if i > 0 {
					out[len(out)-1].id = fmt.Sprintf("%s#%d", name, len(out)-1)
				}
				clear(seen)
			}
			seen[t.Ranks[r].Device] = true
			home[r] = len(out) - 1
		}
	}
	return out, home
}

// serverMode reports whether every server is a superpod of its own: a table
// without superpods for a chip that has them.
func (t *Table) serverMode(chip *soc.Chip) bool {
	return t.Version == "1.2" || t.Version == "1.0" && chip.Generation == "A3"
}

// instance is the name of the rank's network of a layer, "" without one.
func (r *Rank) instance(layer int) string {
	for _, l := range r.Levels {
		if l.Layer == layer {
			return l.Instance
		}
	}
	return ""
}

// members are the devices as a topology file knows them: 1.x by physical id and
// server.
func (b *assembly) members() []topofile.Member {
	n := 0
	for _, s := range b.servers {
		n += len(s.Devices)
	}
	out := make([]topofile.Member, n)
	for r, d := range b.node {
		if d == topo.None {
			continue
		}
		m := &out[d]
		if b.t.Version == "2.0" {
			m.Local = b.t.Ranks[r].Local
			for layer := range m.Instance {
				m.Instance[layer] = b.t.Ranks[r].instance(layer)
			}
			continue
		}
		m.Local = b.t.Ranks[r].Device
		m.Instance[0] = "server " + strconv.Itoa(b.home[r])
		m.Instance[1] = "superpod " + strconv.Itoa(b.servers[b.home[r]].Super)
	}
	return out
}

// networksOnly makes a topology file of a 2.0 table all of whose levels are
// networks: every rank is a peer of its own with the ports of its addresses.
func (t *Table) networksOnly(chip *soc.Chip) (*topofile.File, error) {
	f := &topofile.File{Name: t.Name}
	for r := range t.Ranks {
		rank := &t.Ranks[r]
		f.Peers = append(f.Peers, r)
		for _, l := range rank.Levels {
			if l.FromTopo {
				return nil, &form.Faults{List: []*form.Fault{{Code: form.Syntax, File: t.Name, Line: rank.line, Key: rank.path + ".level_list",
					Value: "net_type TOPO_FILE_DESC and no topology file", Want: "the topology file that says how the devices are wired", Try: "--topo FILE, or topo = \"FILE\" under [cluster]"}}}
			}
			for _, a := range l.Addrs {
				e := topofile.Edge{Layer: l.Layer, Net: true, TopoType: "CLOS", A: r, B: -1, Line: rank.line, Protocols: soc.Protocols(chip.ScaleUp)}
				if a.Type != "EID" && l.Layer >= 2 {
					e.Protocols = soc.Protocols(chip.ScaleOut)
				}
				for _, name := range a.Ports {
					p, ok := topofile.ParsePort(name)
					if !ok {
						e.Host, e.Protocols = true, soc.Protocols(topo.ROCE)
					}
					e.APorts = append(e.APorts, p)
				}
				f.Edges = append(f.Edges, e)
			}
		}
	}
	return f, nil
}

// cluster names the graph's nodes and gives them the table's addresses.
func (b *assembly) cluster() *topo.Cluster {
	c := &topo.Cluster{Graph: b.g, Chip: b.chip, Version: b.t.Version, Servers: b.names}
	firstHost := make([]topo.NodeID, len(b.servers))
	for i := range firstHost {
		firstHost[i] = topo.None
	}
	for n := range b.g.Nodes {
		node := &b.g.Nodes[n]
		if node.Kind != topo.Host {
			continue
		}
		ip := topo.HostIP(len(c.HostIPs))
		if firstHost[node.Server] == topo.None {
			firstHost[node.Server] = topo.NodeID(n)
			if given := b.hostIPs[node.Server]; given != "" {
				ip = given
			}
		}
		c.HostIPs = append(c.HostIPs, ip)
	}
	nics := nicPorts(b.chip)
	for r := range b.t.Ranks {
		rank := &b.t.Ranks[r]
		node := b.node[r]
		if node == topo.None {
			node = firstHost[b.home[r]]
		}
		local := rank.Local
		if local < 0 {
			local = max(rank.Device, 0)
		}
		c.Ranks = append(c.Ranks, topo.Rank{Node: node, Local: local, DevicePort: rank.DevicePort, HostPort: rank.HostPort, SuperID: rank.Super})
		if b.node[r] != topo.None {
			c.EndPoints = append(c.EndPoints, rank.endpoints(node, nics)...)
		}
	}
	c.Complete()
	return c
}

// nicPorts are the names of a chip's ports to the scale-out network.
func nicPorts(chip *soc.Chip) []string {
	g := chip.Group(soc.NIC)
	if g == nil {
		return nil
	}
	var out []string
	for n := range g.Count {
		out = append(out, fmt.Sprintf("%d/%d", g.Die, g.First+n))
	}
	return out
}

// endpoints are the table's addresses of a rank on a device. The addresses of a
// 1.x table are those of the NIC, one for each port as far as they go.
func (r *Rank) endpoints(node topo.NodeID, nics []string) []topo.EndPoint {
	var out []topo.EndPoint
	for i, ip := range r.IPs {
		e := topo.EndPoint{Node: node, Addr: ip, Type: topo.TypeOf(ip), Layer: 2}
		for k, port := range nics {
			if min(k, len(r.IPs)-1) == i {
				e.Ports = append(e.Ports, port)
			}
		}
		out = append(out, e)
	}
	for _, l := range r.Levels {
		for _, a := range l.Addrs {
			e := topo.EndPoint{Node: node, Addr: a.Addr, Type: topo.TypeOf(a.Addr), Layer: uint8(l.Layer), Plane: a.Plane, Ports: a.Ports}
			for _, name := range a.Ports {
				if p, ok := topofile.ParsePort(name); ok {
					e.FuncID = p.Die
					break
				}
			}
			out = append(out, e)
		}
	}
	return out
}
