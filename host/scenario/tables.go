package scenario

import (
	"iter"
	"reflect"

	"hsim/host/acl"
	"hsim/host/device"
	"hsim/host/mem"
	"hsim/host/sim"
	"hsim/host/topo"
	"hsim/host/topo/entity"
)

// Tables lists the tables of the data model for a cluster at rest: chips and
// topology have their rows, what a program makes has none. Rows are made when they
// are asked for.
func Tables(c *topo.Cluster) ([]acl.Table, error) {
	eng := sim.New(0)
	sys := device.NewSystem(device.SystemConfig{Engine: eng, Mem: mem.NewSpace(mem.Phantom), Graph: c.Graph})
	for i := range c.Graph.Devices {
		if _, err := device.New(sys, device.Config{Chip: c.Chip, Node: topo.NodeID(i)}); err != nil {
			return nil, err
		}
	}
	rt := acl.New(acl.Config{System: sys, Graph: c.Graph, Visible: c.Visible})
	rows := entity.Of(c)
	all := []acl.Table{tableOf("server", rows.Servers), tableOf("host", rows.Hosts)}
	for _, t := range rt.Tables() {
		all = append(all, t)
		if t.Name == "device" {
			all = append(all, tableOf("port", rows.Ports), tableOf("endpoint", rows.EndPoints), tableOf("endpoint_port_mapping", rows.EndPointPorts),
				tableOf("link", rows.Links), tableOf("link_protocol_mapping", rows.LinkProtocols))
		}
	}
	return all, nil
}

// tableOf is the table of rows that are there.
func tableOf[T any](name string, rows []T) acl.Table {
	return acl.Table{Name: name, Row: reflect.TypeFor[T](), Rows: iter.Seq[any](func(yield func(any) bool) {
		for _, r := range rows {
			if !yield(r) {
				return
			}
		}
	})}
}
