package topo

import (
	"errors"

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

// Build makes the graph of a spec with the ports, rates and latencies of the
// chip. It refuses counts out of range, a chip without the ports the topology
// needs, and a graph with devices that cannot reach each other.
func Build(spec Spec, chip *soc.Chip) (*Graph, error) {
	return nil, errors.New("topo: build: not built yet")
}
