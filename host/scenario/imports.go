package scenario

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"hsim/host/ns3ub"
	"hsim/host/topo"
	"hsim/host/topo/form"
	files "hsim/host/topo/load"
)

// maxFaults bounds the faults of a file that are printed.
const maxFaults = 8

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
	dir := get[string](v, "cluster.ns3ub")
	switch {
	case dir != "" && first != "":
		v.problem("cluster.ns3ub", "stands beside "+first+", want one of them", "")
		return
	case dir != "":
		first = "cluster.ns3ub"
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
	if dir != "" {
		v.caseDirectory(c, v.resolvePath(dir))
		return
	}
	o := files.Options{Hosts: c.Topology.Hosts, IPs: c.addresses()}
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
		for _, f := range faults.List[:min(len(faults.List), maxFaults)] {
			v.problem(first, f.Error(), "")
		}
		if more := len(faults.List) + faults.More - maxFaults; more > 0 {
			v.problem(first, fmt.Sprintf("and %d more faults", more), "`hsim topo` with the same files")
		}
		return
	case err != nil:
		v.problem(first, trimPrefixes(err), "")
		return
	}
	if n := len(cluster.Ranks); n == 0 || n > maxRanks {
		v.problem(first, "names no ranks, or too many: want 1 to 65536", "")
		return
	}
	r, err := cluster.Graph.Inspect(c.Profile.Chip())
	switch {
	case err != nil, !r.OK() && cluster.Graph.Parts() > 1:
		v.problem(first, "has devices that cannot reach each other: `hsim topo check` lists the pairs", "")
		return
	case !r.OK(): // rails: what keeps to the pairs that have a way runs
		for _, f := range r.Findings {
			if f.Fault() {
				notes = append(notes, form.Note{File: get[string](v, first), Text: f.Text + ": a run that needs them fails (EI0009)"})
			}
		}
	}
	c.Cluster, c.Notes = cluster, notes
	c.Topology = topo.Spec{Kind: cluster.Graph.Kind, Servers: cluster.Graph.Servers, Devices: cluster.Graph.PerServer, Hosts: c.Topology.Hosts}
}

// caseDirectory takes the cluster of an ns-3-UB case: its nodes, links and routes.
func (v *values) caseDirectory(c *Config, dir string) {
	const key = "cluster.ns3ub"
	chip := c.Profile.Chip()
	if chip.ScaleUp != topo.UB_CTP {
		if _, given := v.has("cluster.scale_up"); given {
			v.problem("cluster.scale_up", "the links of a case speak UB_CTP", "leaving it out")
			return
		}
		v.problem(key, fmt.Sprintf("the links of a case speak UB, and devices of the chip %s speak %v to each other", chip.Name, chip.ScaleUp), `cluster.profile = "950dt"`)
		return
	}
	if info, err := os.Stat(dir); err != nil {
		v.problem(key, "there is no directory "+dir, "")
		return
	} else if !info.IsDir() {
		v.problem(key, "is a file, want the directory of a case", filepath.Dir(get[string](v, key)))
		return
	}
	cluster, err := ns3ub.LoadCluster(os.DirFS(dir), dir)
	var in *ns3ub.InputError
	if errors.As(err, &in) {
		for _, p := range in.Problems {
			v.probs.add(Problem{File: p.File, Line: p.Line, Want: p.Text})
		}
		return
	}
	if err != nil {
		v.problem(key, trimPrefixes(err), "")
		return
	}
	g := cluster.Graph
	c.Cluster, c.Routes = topo.NewCluster(g, chip), cluster.Routes
	for _, n := range cluster.Notes {
		c.Notes = append(c.Notes, form.Note{File: key, Text: n})
	}
	c.Topology = topo.Spec{Kind: g.Kind, Servers: 1, Devices: g.Devices, Hosts: 0}
}
