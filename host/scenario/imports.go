package scenario

import (
	"errors"

	"hsim/host/topo"
	"hsim/host/topo/form"
	files "hsim/host/topo/load"
)

// imports reads the cluster from the files that the keys name, instead of building one.
func (v *values) imports(c *Config) {
	var from files.Sources
	first := ""
	for _, k := range []struct {
		key string
		to  *string
	}{{"cluster.rank_table", &from.RankTable}, {"cluster.topo", &from.Topo}, {"cluster.cluster", &from.Cluster}} {
		if name := get[string](v, k.key); name != "" {
			*k.to = v.resolvePath(name)
			if first == "" {
				first = k.key
			}
		}
	}
	if first == "" || c.Profile == nil {
		return
	}
	for _, key := range []string{"cluster.servers", "cluster.devices", "cluster.topology.kind"} {
		if s, given := v.has(key); given && s.rank >= v.set[first].rank {
			v.problem(key, "the cluster comes from "+first+": leave this key out", "")
			return
		}
	}
	o := files.Options{Hosts: c.Topology.Hosts}
	if c.Topology.Hosts == 0 {
		o.Hosts = files.NoHosts
	}
	for _, id := range get[[]int64](v, "cluster.visible") {
		o.Visible = append(o.Visible, int(id))
	}
	cluster, notes, err := files.Cluster(from, c.Profile.Chip(), o)
	var faults *form.Faults
	switch {
	case errors.As(err, &faults):
		v.problem(first, faults.Error(), "")
		return
	case err != nil:
		v.problem(first, trimPrefixes(err), "")
		return
	}
	if n := len(cluster.Ranks); n == 0 || n > maxRanks {
		v.problem(first, "names no ranks, or too many: want 1 to 65536", "")
		return
	}
	if r, err := cluster.Graph.Inspect(c.Profile.Chip()); err != nil || !r.OK() {
		v.problem(first, "has devices that cannot reach each other: `hsim topo check` lists the pairs", "")
		return
	}
	c.Cluster, c.Notes = cluster, notes
	c.Topology = topo.Spec{Kind: cluster.Graph.Kind, Servers: cluster.Graph.Servers, Devices: max(cluster.Graph.PerServer, 1), Hosts: c.Topology.Hosts}
}
