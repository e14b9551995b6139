package topo

import (
	"fmt"
	"strings"

	"hsim/host/soc"
)

// Spec is what a user asks for: a kind of topology, servers with devices and
// hosts, and the kind's parameters.
type Spec struct {
	Kind    string // one of Kinds
	Servers int
	Devices int // per server
	Hosts   int // per server; 0 = none (the device's own CPU)
	Params  Params
}

// Kinds lists the topologies that Build makes.
func Kinds() []string {
	return []string{"star", "mesh", "clos", "mesh-clos", "fattree", "superpod", "link"}
}

// Build makes the graph of a spec with the ports, rates and latencies of the
// chip. It refuses counts out of range, a chip without the ports the topology
// needs, and a graph with devices that cannot reach each other.
func Build(spec Spec, chip *soc.Chip) (*Graph, error) {
	generate, err := generator(spec.Kind)
	if err != nil {
		return nil, err
	}
	if err := spec.Params.check(spec.Kind); err != nil {
		return nil, err
	}
	b := newBuilder(spec, chip)
	if b.err != nil {
		return nil, b.err
	}
	generate(b)
	b.packages()
	b.scaleOut()
	b.hosts()
	b.addBackups()
	return b.finish()
}

func generator(kind string) (func(*builder), error) {
	switch kind {
	case "star":
		return star, nil
	case "mesh":
		return mesh, nil
	case "clos":
		return clos, nil
	case "mesh-clos":
		return meshClos, nil
	case "fattree":
		return fatTree, nil
	case "link":
		return pair, nil
	case "superpod":
		return superpod, nil
	}
	err := fmt.Errorf("topo: topology %q: got no such kind, want one of %s", kind, strings.Join(Kinds(), ", "))
	if n := soc.Nearest(kind, Kinds()); n != "" {
		err = fmt.Errorf("%w (try %q)", err, n)
	}
	return nil, err
}

// packages joins neighbouring devices of a server over their package ports.
func (b *builder) packages() {
	p := b.spec.Params.Package
	if p == nil && b.spec.Kind != "clos" && b.spec.Kind != "superpod" || p != nil && !*p {
		return
	}
	pool := b.pool(soc.Package)
	if len(pool) == 0 {
		if p != nil {
			b.fail("package: needs package ports, profile %q has none (try package = false)", b.chip.Name)
		}
		return
	}
	for i := range b.racks {
		devices := b.racks[i].devices
		for k := 0; k+1 < len(devices); k++ {
			even := b.g.Nodes[devices[k]].Index
			if even%2 != 0 || b.g.Nodes[devices[k+1]].Index != even+1 {
				continue
			}
			for _, s := range pool {
				b.device(devices[k], s, None, devices[k+1], s, 0)
			}
		}
	}
}

// scaleOut joins the NIC ports that the main topology left free to one switch
// per port.
func (b *builder) scaleOut() {
	p := &b.spec.Params
	pool := b.pool(soc.NIC)
	if p.NIC == "none" || len(pool) == 0 || b.g.Devices < 2 || b.spec.Kind == "link" {
		return
	}
	saved := *p
	p.Rate, p.Latency, p.Hop = 0, nil, nil // those parameters speak of the main network
	for i, s := range pool {
		sw := b.switchNode(fmt.Sprintf("nic%d", i), i, -1, b.slots[s].group)
		for d := range b.g.Devices {
			b.device(NodeID(d), s, sw, None, 0, 2)
		}
	}
	*p = saved
}

// hosts joins the devices of a server to its hosts, in equal blocks.
func (b *builder) hosts() {
	pool := b.pool(soc.HostPort)
	if b.spec.Hosts == 0 {
		return
	}
	if len(pool) == 0 {
		b.fail("hosts: needs a host port, profile %q has none (try hosts = \"device\")", b.chip.Name)
		return
	}
	for i := range b.racks {
		r := &b.racks[i]
		for k, d := range r.devices {
			b.device(d, pool[0], r.hosts[k*len(r.hosts)/len(r.devices)], None, 0, 3)
		}
	}
}
