package topo

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"

	"hsim/host/soc"
	"hsim/host/units"
)

// The ranges of a spec. They keep ids in 32 bits and port numbers in 16.
const (
	maxServers = 1 << 16
	maxPerSrv  = 1024
	maxDevices = 1 << 16
	maxHosts   = 16
	maxLinks   = 1 << 22
	maxPlanes  = 256
)

// slot is one port that every device of the chip has.
type slot struct {
	die, index int16
	group      *soc.PortGroup
}

// builder collects nodes and links. The generators use it; the first error
// stays.
type builder struct {
	g     *Graph
	chip  *soc.Chip
	spec  Spec
	slots []slot
	used  []bool  // device*len(slots)+slot
	next  []int32 // per switch or host: its next port number
	racks []rack  // the servers
	loose bool    // devices that no path joins are left to the check report
	err   error
}

// rack is one server: its devices and hosts are consecutive nodes.
type rack struct {
	super   int
	devices []NodeID
	hosts   []NodeID
}

// fail keeps the first error, about one key of the spec.
func (b *builder) fail(format string, args ...any) {
	if b.err == nil {
		b.err = fmt.Errorf("topo: build %s: "+format, append([]any{b.spec.Kind}, args...)...)
	}
}

// newBuilder checks the counts and makes the devices and hosts.
func newBuilder(spec Spec, chip *soc.Chip) *builder {
	b := &builder{chip: chip, spec: spec, g: &Graph{Kind: spec.Kind, scaleUp: chip.ScaleUp, scaleOut: chip.ScaleOut}}
	for _, c := range []struct {
		key       string
		n, lo, hi int
	}{{"servers", spec.Servers, 1, maxServers}, {"devices", spec.Devices, 1, maxPerSrv}, {"hosts", spec.Hosts, 0, maxHosts}} {
		if c.n < c.lo || c.n > c.hi {
			b.fail("%s: got %d, want %d to %d", c.key, c.n, c.lo, c.hi)
			return b
		}
	}
	if total := spec.Servers * spec.Devices; total > maxDevices {
		b.fail("servers times devices: got %d, want at most %d", total, maxDevices)
		return b
	}
	if spec.Hosts > spec.Devices {
		b.fail("hosts: got %d for %d devices of a server, want at most one each", spec.Hosts, spec.Devices)
		return b
	}
	p := &b.spec.Params
	if p.Superpods == 0 {
		p.Superpods = 1
	}
	if p.Superpods < 1 || spec.Servers%p.Superpods != 0 {
		b.fail("superpods: got %d, want a divisor of %d servers", p.Superpods, spec.Servers)
		return b
	}
	b.g.Spec = b.spec
	ids := make([]int, spec.Devices)
	for i := range ids {
		ids[i] = i
	}
	servers := make([]ServerSpec, spec.Servers)
	for i := range servers {
		servers[i] = ServerSpec{Super: i / (spec.Servers / p.Superpods), Devices: ids}
	}
	b.nodes(servers, spec.Hosts)
	return b
}

// nodes makes the slots, the devices and the hosts.
func (b *builder) nodes(servers []ServerSpec, hosts int) {
	for i := range b.chip.Ports {
		g := &b.chip.Ports[i]
		for n := range g.Count {
			b.slots = append(b.slots, slot{int16(g.Die), int16(g.First + n), g})
		}
	}
	g := b.g
	g.Servers, g.Supers, g.PerServer = len(servers), 1, len(servers[0].Devices)
	b.racks = make([]rack, len(servers))
	for s, v := range servers {
		b.racks[s].super = v.Super
		g.Supers = max(g.Supers, v.Super+1)
		if len(v.Devices) != g.PerServer {
			g.PerServer = 0
		}
		for _, index := range v.Devices {
			d := NodeID(len(g.Nodes))
			b.racks[s].devices = append(b.racks[s].devices, d)
			g.Nodes = append(g.Nodes, Node{Kind: Device, Name: "npu" + strconv.Itoa(int(d)), Server: int32(s), Index: int32(index), Super: int32(v.Super)})
		}
	}
	g.Devices = len(g.Nodes)
	b.used = make([]bool, g.Devices*len(b.slots))
	for h := range len(servers) * hosts {
		s := h / hosts
		b.racks[s].hosts = append(b.racks[s].hosts, NodeID(len(g.Nodes)))
		g.Nodes = append(g.Nodes, Node{Kind: Host, Name: "host" + strconv.Itoa(h), Server: int32(s), Index: int32(h % hosts), Super: int32(servers[s].Super)})
	}
	b.next = make([]int32, len(g.Nodes))
}

// pool lists the slots of the given roles that device 0 has free, role by role.
func (b *builder) pool(roles ...soc.Role) []int {
	var out []int
	for _, r := range roles {
		for i, s := range b.slots {
			if s.group.Role == r && !b.used[i] {
				out = append(out, i)
			}
		}
	}
	return out
}

// count is how many ports of a role the chip has.
func (b *builder) count(r soc.Role) int {
	n := 0
	for _, s := range b.slots {
		if s.group.Role == r {
			n++
		}
	}
	return n
}

// switchNode adds a switch of the network behind the port group.
func (b *builder) switchNode(name string, index, super int, g *soc.PortGroup) NodeID {
	p := &b.spec.Params
	n := Node{Kind: Switch, Name: name, Server: -1, Index: int32(index), Super: int32(super), Forwards: true,
		Store: !b.chip.CutThrough, Delay: g.Hop}
	if p.Store != nil {
		n.Store = *p.Store
	}
	if p.Hop != nil {
		n.Delay = *p.Hop
	}
	b.g.Nodes = append(b.g.Nodes, n)
	b.next = append(b.next, 0)
	return NodeID(len(b.g.Nodes) - 1)
}

// devicePort takes a slot of a device.
func (b *builder) devicePort(d NodeID, s int) PortID {
	if i := int(d)*len(b.slots) + s; b.used[i] {
		b.fail("port %s:%d/%d: got two links on it, want one", b.g.Nodes[d].Name, b.slots[s].die, b.slots[s].index)
	} else {
		b.used[i] = true
	}
	return b.port(d, b.slots[s].die, b.slots[s].index)
}

// nextPort takes the next port of a switch or host.
func (b *builder) nextPort(n NodeID) PortID {
	i := b.next[n]
	b.next[n]++
	if i > 1<<15-1 {
		b.fail("%s: got more than %d ports on one switch, want fewer (try clos or fattree)", b.g.Nodes[n].Name, 1<<15)
		i = 0
	}
	return b.port(n, 0, int16(i))
}

func (b *builder) port(n NodeID, die, index int16) PortID {
	b.g.Ports = append(b.g.Ports, Port{Node: n, Link: None, Die: die, Index: index})
	return PortID(len(b.g.Ports) - 1)
}

// link joins two ports.
func (b *builder) link(a, z PortID, l Link) {
	if len(b.g.Links) >= maxLinks {
		b.fail("got more than %d links, want fewer (try fewer devices or planes)", maxLinks)
	}
	if b.err != nil {
		return
	}
	l.A, l.B = a, z
	id := LinkID(len(b.g.Links))
	b.g.Links = append(b.g.Links, l)
	b.g.Ports[a].Link, b.g.Ports[z].Link = id, id
}

// device joins a slot of a device to a switch, or to a slot of a peer when
// peer is not None.
func (b *builder) device(d NodeID, s int, sw, peer NodeID, peerSlot int, layer uint8) {
	if b.err != nil {
		return
	}
	g := b.slots[s].group
	l := Link{Rate: g.Rate, Latency: g.Latency, Layer: layer, Protocols: g.Protocols}
	z := PortID(None)
	a := b.devicePort(d, s)
	if peer != None {
		o := b.slots[peerSlot].group
		l.Rate, l.Latency, l.Protocols = slower(g.Rate, o.Rate), max(g.Latency, o.Latency), g.Protocols&o.Protocols
		z = b.devicePort(peer, peerSlot)
	} else {
		z = b.nextPort(sw)
	}
	p := &b.spec.Params
	if p.Rate > 0 && g.Role != soc.HostPort {
		l.Rate = p.Rate
	}
	if p.Latency != nil && g.Role != soc.HostPort {
		l.Latency = *p.Latency
	}
	b.link(a, z, l)
}

// uplink joins two switches of the network behind the port group.
func (b *builder) uplink(lo, hi NodeID, g *soc.PortGroup, layer uint8) {
	if b.err != nil {
		return
	}
	p := &b.spec.Params
	l := Link{Rate: g.Rate, Latency: g.Uplink, Layer: layer, Protocols: g.Protocols}
	if p.Rate > 0 {
		l.Rate = p.Rate
	}
	if p.UplinkRate > 0 {
		l.Rate = p.UplinkRate
	}
	if p.Uplink != nil {
		l.Latency = *p.Uplink
	}
	b.link(b.nextPort(lo), b.nextPort(hi), l)
}

// slower is the lower rate, where 0 is infinitely fast.
func slower(a, z units.Rate) units.Rate {
	if a == 0 || z > 0 && z < a {
		return z
	}
	return a
}

// finish ends the graph and refuses devices that cannot reach each other.
func (b *builder) finish() (*Graph, error) {
	if b.err != nil {
		return nil, b.err
	}
	g := b.g
	g.index()
	if b.loose {
		return g, nil
	}
	if a, z, bad := g.apart(); bad {
		return nil, fmt.Errorf("topo: build %s: got no path from %s to %s over %s or %s, want every pair of devices joined (try topology = %q, or a profile with NIC ports)",
			b.spec.Kind, g.Nodes[a].Name, g.Nodes[z].Name, g.scaleUp, g.scaleOut, "star")
	}
	return g, nil
}

// index orders the ports of each node and fills what look-ups need.
func (g *Graph) index() {
	g.peer = make([]PortID, len(g.Ports))
	for _, l := range g.Links {
		g.peer[l.A], g.peer[l.B] = l.B, l.A
	}
	g.order = make([]PortID, len(g.Ports))
	for i := range g.order {
		g.order[i] = PortID(i)
	}
	slices.SortFunc(g.order, func(x, y PortID) int {
		p, q := &g.Ports[x], &g.Ports[y]
		return cmp.Or(cmp.Compare(p.Node, q.Node), cmp.Compare(p.Die, q.Die), cmp.Compare(p.Index, q.Index))
	})
	g.first = make([]int32, len(g.Nodes)+1)
	for _, p := range g.Ports {
		g.first[p.Node+1]++
	}
	for n := range g.Nodes {
		g.first[n+1] += g.first[n]
	}
	g.numberHosts()
	g.findDomains()
}

// numberHosts counts the host nodes, then the servers that have none.
func (g *Graph) numberHosts() {
	g.hosts, g.own = map[NodeID]int{}, map[int32]int{}
	has := make([]bool, g.Servers)
	for n := range g.Nodes {
		if node := &g.Nodes[n]; node.Kind == Host {
			g.hosts[NodeID(n)] = len(g.hosts)
			if s := int(node.Server); s >= 0 && s < len(has) {
				has[s] = true
			}
		}
	}
	for s := range has {
		if !has[s] {
			g.own[int32(s)] = len(g.hosts) + len(g.own)
		}
	}
}
