package ranktable

import (
	"cmp"
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
	if !slices.ContainsFunc(t.Ranks, func(r Rank) bool { return r.Device >= 0 }) {
		r := &t.Ranks[0]
		return nil, nil, &form.Faults{List: []*form.Fault{{Code: form.Invalid, File: t.Name, Line: r.line, Key: r.path + ".device_id", Value: strconv.Itoa(r.Device),
			Want: "at least one rank on a device: a cluster of hosts alone has nothing to simulate"}}}
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
