package topo

import (
	"fmt"
	"strconv"
	"strings"

	"hsim/host/soc"
)

// FindNode returns the node with the name; the number of a device alone names
// it too. The error gives the nearest name.
func (g *Graph) FindNode(name string) (NodeID, error) {
	n, err := g.findNode(name)
	if err != nil {
		return None, fmt.Errorf("topo: %w", err)
	}
	return n, nil
}

func (g *Graph) findNode(name string) (NodeID, error) {
	if d, err := strconv.Atoi(name); err == nil {
		if d < 0 || d >= g.Devices {
			return None, fmt.Errorf("device %d: got no such device, want 0 to %d", d, g.Devices-1)
		}
		return NodeID(d), nil
	}
	for n := range g.Nodes {
		if g.Nodes[n].Name == name {
			return NodeID(n), nil
		}
	}
	err := fmt.Errorf("node %q: got no such name, want a device such as npu0 or a name that `hsim topo` prints", name)
	names := make([]string, 0, min(len(g.Nodes), 4096))
	for n := range cap(names) {
		names = append(names, g.Nodes[len(g.Nodes)-1-n].Name)
	}
	if n := soc.Nearest(name, names); n != "" {
		err = fmt.Errorf("%w (try %q)", err, n)
	}
	return None, err
}

// FindPort returns the port that a reference names: "npu0:1/3" or "leaf2:0/5"
// by node, die and port, "0/1/3" by device number, die and port, and "0/3" for
// port 3 of device 0 on the only die that has such a port.
func (g *Graph) FindPort(ref string) (PortID, error) {
	node, place, named := strings.Cut(ref, ":")
	if !named {
		node, place, _ = strings.Cut(ref, "/")
	}
	n, err := g.findNode(node)
	if err != nil {
		return None, fmt.Errorf("topo: port %q: %w", ref, err)
	}
	found := PortID(None)
	for _, p := range g.NodePorts(n) {
		port := &g.Ports[p]
		if port.Name() == place {
			return p, nil
		}
		if place == strconv.Itoa(int(port.Index)) {
			if found != None {
				return None, fmt.Errorf("topo: port %q: got a port that %s has on two dies, want device/die/port (try \"%s/%s\")", ref, g.Nodes[n].Name, node, port.Name())
			}
			found = p
		}
	}
	if found == None {
		return None, fmt.Errorf("topo: port %q: got no such linked port, want one of %s", ref, g.portList(n))
	}
	return found, nil
}

// portList names the linked ports of a node, at most eight.
func (g *Graph) portList(n NodeID) string {
	var names []string
	for i, p := range g.NodePorts(n) {
		if i == 8 {
			names = append(names, fmt.Sprintf("and %d more", len(g.NodePorts(n))-i))
			break
		}
		names = append(names, g.PortName(p))
	}
	if len(names) == 0 {
		return "none: the node has no links"
	}
	return strings.Join(names, ", ")
}
