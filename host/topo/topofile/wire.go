package topofile

import (
	"fmt"
	"slices"
	"strconv"

	"hsim/host/soc"
	"hsim/host/topo"
	"hsim/host/topo/form"
)

// nicProtocols are those of the scale-out network.
const nicProtocols = topo.ProtocolSet(1<<topo.ROCE | 1<<topo.UBOE | 1<<topo.TCP)

// Wire makes the graph of a cluster: the file's cables once for every group of
// members with the same name of layer 0. Networks are one switch each, named by
// layer, instance and topo_instance_id. Member i is device i; servers say which
// devices a server has, hosts how many hosts.
//
// A port that two networks use has one cable, to the network of the lower layer,
// whose switch gets an uplink to the other one. The error is *form.Faults about
// the file.
func (f *File) Wire(members []Member, servers []topo.ServerSpec, hosts int, chip *soc.Chip) (*topo.Graph, []form.Note, error) {
	if f.Spec != nil {
		g, err := f.rebuild(members, servers, chip)
		return g, nil, err
	}
	r := form.NewReader(f.Name)
	for i := range f.Edges {
		hosts = max(hosts, b2i(f.Edges[i].Host))
	}
	d, err := topo.NewDraft("topo.json", servers, hosts, chip)
	if err != nil {
		return nil, nil, err
	}
	w := &wiring{f: f, r: r, d: d, chip: chip, members: members, extra: map[topo.NodeID]topo.ProtocolSet{}}
	w.check()
	if err := r.Err(); err != nil {
		return nil, nil, err
	}
	w.networks()
	w.cables()
	d.Hosts(func(h topo.NodeID) topo.ProtocolSet { return w.extra[h] })
	w.backups()
	if w.shadowed > 0 {
		r.Note(w.shadowLine, "cables between devices on ports that go to a network, which serve both: %d", w.shadowed)
	}
	g, err := d.Graph()
	return g, r.Notes(), err
}

func b2i(b bool) int {
	if b {
		return 1
	}
	return 0
}

type wiring struct {
	f       *File
	r       *form.Reader
	d       *topo.Draft
	chip    *soc.Chip
	members []Member
	nets    []network
	extra   map[topo.NodeID]topo.ProtocolSet // protocols that a host forwards

	shadowed, shadowLine int
}

// network is one CLOS network of a layer.
type network struct {
	layer, instance, number int
	sw                      topo.NodeID
}

// check refuses members that are no peers, and dies and protocols that the chip
// has not.
func (w *wiring) check() {
	for _, m := range w.members {
		if !slices.Contains(w.f.Peers, m.Local) {
			w.r.Fault(form.Fault{Code: form.Invalid, Key: "peer_list", Value: fmt.Sprintf("no local_id %d", m.Local), Want: "every local_id of the rank table"})
		}
	}
	if w.chip.Generation == "ideal" {
		return
	}
	var speaks topo.ProtocolSet
	for i := range w.chip.Ports {
		speaks |= w.chip.Ports[i].Protocols
	}
	for i := range w.f.Edges {
		e := &w.f.Edges[i]
		if e.Host {
			continue
		}
		if none := e.Protocols &^ speaks; none != 0 {
			w.r.Fault(form.Fault{Code: form.Invalid, Line: e.Line, Key: fmt.Sprintf("edge_list[%d].protocols", i), Value: none.String(),
				Want: fmt.Sprintf("protocols that profile %q speaks: %s", w.chip.Name, speaks&soc.NetProtocols), Try: "the profile of the chip that the file was written for"})
		}
		for _, side := range []struct {
			key   string
			ports []Port
		}{{"local_a_ports", e.APorts}, {"local_b_ports", e.BPorts}} {
			for _, p := range side.ports {
				if p.Die >= w.chip.Dies {
					w.r.Fault(form.Fault{Code: form.Invalid, Line: e.Line, Key: fmt.Sprintf("edge_list[%d].%s", i, side.key), Value: strconv.Quote(p.String()),
						Want: fmt.Sprintf("a die below %d, the dies of profile %q", w.chip.Dies, w.chip.Name)})
				}
			}
		}
	}
}

// role is whose rates and latencies an edge to a network has.
func (e *Edge) role() soc.Role {
	if e.Host || e.Layer >= 2 || e.Protocols&^nicProtocols == 0 {
		return soc.NIC
	}
	return soc.Switch
}

// instances numbers the names of a layer in the order of the members, and lists
// the members of each.
func (w *wiring) instances(layer int) (of []int, members [][]int) {
	seen := map[string]int{}
	for m := range w.members {
		name := w.members[m].Instance[layer]
		at, ok := seen[name]
		if !ok {
			at = len(members)
			seen[name] = at
			members = append(members, nil)
		}
		of = append(of, at)
		members[at] = append(members[at], m)
	}
	return of, members
}

// networks makes the switches and their cables, layer by layer, instance by
// instance, network by network, device by device.
func (w *wiring) networks() {
	for layer := range maxLayer + 1 {
		edges := map[[2]int][]*Edge{} // number, local id
		var numbers []int
		for i := range w.f.Edges {
			e := &w.f.Edges[i]
			if !e.Net || e.Layer != layer {
				continue
			}
			if !slices.Contains(numbers, e.Instance) {
				numbers = append(numbers, e.Instance)
			}
			key := [2]int{e.Instance, e.A}
			edges[key] = append(edges[key], e)
		}
		if len(numbers) == 0 {
			continue
		}
		slices.Sort(numbers)
		_, instances := w.instances(layer)
		for instance, members := range instances {
			for i, number := range numbers {
				net := network{layer: layer, instance: instance, number: number, sw: topo.None}
				for _, m := range members {
					for _, e := range edges[[2]int{number, w.members[m].Local}] {
						if net.sw == topo.None {
							net.sw = w.switchOf(e, m, switchName(layer, instance, len(instances), i, len(numbers)), switchIndex(layer, i))
							w.nets = append(w.nets, net)
						}
						for _, p := range e.APorts {
							w.attach(topo.NodeID(m), p, net.sw, e)
						}
					}
				}
			}
		}
	}
}

// switchOf makes the switch of a network whose first member is m.
func (w *wiring) switchOf(e *Edge, m int, name string, index int) topo.NodeID {
	super := topo.None
	if e.Layer < 2 {
		super = int(w.d.Nodes()[m].Super)
	}
	return w.d.Switch(name, index, super, w.d.Group(e.role(), e.APorts[0].Die, e.APorts[0].Index))
}

// switchName names networks as the generators name theirs.
func switchName(layer, instance, instances, i, numbers int) string {
	tier := [...]string{"in", "sw", "nic"}[min(layer, 2)]
	if layer > 2 {
		tier = "layer" + strconv.Itoa(layer) + "net"
	}
	prefix := ""
	if instances > 1 {
		prefix = [...]string{"rack", "pod"}[min(layer, 1)] + strconv.Itoa(instance) + "-"
	}
	if layer >= 2 {
		return prefix + tier + strconv.Itoa(i)
	}
	if numbers > 1 {
		return prefix + tier + "0." + strconv.Itoa(i)
	}
	return prefix + tier + "0"
}

func switchIndex(layer, i int) int {
	if layer >= 2 {
		return i
	}
	return 0
}
