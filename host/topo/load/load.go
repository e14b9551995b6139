package load

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"hsim/host/soc"
	"hsim/host/topo"
	"hsim/host/topo/clusteryaml"
	"hsim/host/topo/form"
	"hsim/host/topo/ranktable"
	"hsim/host/topo/topofile"
)

// Sources are the paths of a cluster's files; "" = not given.
type Sources struct {
	RankTable string   // a rank table or a root info file
	RootInfo  []string // root info files, one per server
	Topo      string   // a topology file: for the ranks of RankTable or RootInfo, or alone
	Cluster   string   // a cluster, server or topo_meta file of the vendor's VM
	Meta      string   // a topo_meta file that chooses among Cluster's servers
}

// Options are what files do not say.
type Options struct {
	Hosts   int   // hosts of a server; 0 = what the files say, else 1; NoHosts = none
	Visible []int // physical ids of the devices that programs see on every server; nil = all
	// IPs are the addresses that devices' network adapters have, by the device's
	// number in the cluster. A rank table that gives another one is refused.
	IPs map[int]string
}

// NoHosts asks for servers without hosts.
const NoHosts = ranktable.NoHosts

// Cluster reads the files of s for a chip. Notes are what a user should know of
// files that are accepted. The error is *form.Faults where a file is at fault.
func Cluster(s Sources, chip *soc.Chip, o Options) (*topo.Cluster, []form.Note, error) {
	given := 0
	for _, on := range []bool{s.RankTable != "", len(s.RootInfo) > 0, s.Cluster != ""} {
		if on {
			given++
		}
	}
	switch {
	case given > 1:
		return nil, nil, fmt.Errorf("load: got more than one of a rank table, root info and a cluster description, want one")
	case s.Cluster != "" && s.Topo != "":
		return nil, nil, fmt.Errorf("load: got a topology file beside a cluster description, want one of them: the description has its own cables")
	case s.Meta != "" && s.Cluster == "":
		return nil, nil, fmt.Errorf("load: got topo_meta %s without a cluster description, want both (try it as the cluster: its servers are then wired as the chip's are)", s.Meta)
	case given == 0 && s.Topo == "":
		return nil, nil, fmt.Errorf("load: got no file, want a rank table, root info, a topology file or a cluster description")
	}
	l := &loader{s: s, chip: chip, o: o}
	c, err := l.cluster()
	if err != nil {
		return nil, nil, err
	}
	if c.Visible = o.Visible; o.Visible != nil {
		listed := s.RankTable != "" || len(s.RootInfo) > 0 // the table has been held against them
		if err := visibleDevices(c, !listed); err != nil {
			return nil, nil, err
		}
	}
	return c, l.notes, nil
}

type loader struct {
	s     Sources
	chip  *soc.Chip
	o     Options
	notes []form.Note
}

func (l *loader) cluster() (*topo.Cluster, error) {
	switch {
	case l.s.Cluster != "":
		return l.description()
	case l.s.RankTable == "" && len(l.s.RootInfo) == 0:
		return l.topoAlone()
	}
	table, err := l.table()
	if err != nil {
		return nil, err
	}
	l.notes = append(l.notes, table.Notes...)
	var wires *topofile.File
	if path := l.topoPath(table); path != "" {
		if wires, err = topofile.Load(path); err != nil {
			var faults *form.Faults
			if l.s.Topo == "" && errors.As(err, &faults) && len(faults.List) == 1 && faults.List[0].Code == form.Syntax && faults.List[0].Try == "" {
				faults.List[0].Try = "--topo FILE: topo_file_path of " + table.Name + " names this one"
			}
			return nil, err
		}
		l.notes = append(l.notes, wires.Notes...)
	}
	c, notes, err := table.Cluster(wires, l.chip, l.o.Hosts)
	l.notes = append(l.notes, notes...)
	if err != nil {
		return nil, err
	}
	for r, rank := range c.Ranks {
		if ip, ok := l.o.IPs[int(rank.Node)]; ok {
			if err := table.CheckIP(r, ip); err != nil {
				return nil, err
			}
		}
	}
	return c, nil
}

// table reads the rank table, or joins root info files.
func (l *loader) table() (*ranktable.Table, error) {
	options := ranktable.Options{Chip: l.chip, Visible: l.o.Visible}
	if l.s.RankTable != "" {
		data, err := form.ReadFile(l.s.RankTable)
		if err != nil {
			return nil, err
		}
		if ranktable.IsRootInfo(data) {
			return ranktable.ParseRootInfo(l.s.RankTable, data, options)
		}
		return ranktable.Parse(l.s.RankTable, data, options)
	}
	var all []*ranktable.Table
	for _, path := range l.s.RootInfo {
		t, err := ranktable.LoadRootInfo(path, options)
		if err != nil {
			return nil, err
		}
		all = append(all, t)
	}
	return ranktable.Join(all)
}

// topoPath is the topology file: the one given, else the one that the root info
// names, beside it.
func (l *loader) topoPath(t *ranktable.Table) string {
	if l.s.Topo != "" || t.TopoPath == "" {
		return l.s.Topo
	}
	if filepath.IsAbs(t.TopoPath) {
		if _, err := os.Stat(t.TopoPath); err != nil {
			// a path of the machine that wrote the file: try beside it
			if near := filepath.Join(filepath.Dir(t.Name), filepath.Base(t.TopoPath)); exists(near) {
				return near
			}
		}
		return t.TopoPath
	}
	return filepath.Join(filepath.Dir(t.Name), t.TopoPath)
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

// topoAlone makes one server of a topology file's peers, one rank each; the
// backup device stays idle.
func (l *loader) topoAlone() (*topo.Cluster, error) {
	f, err := topofile.Load(l.s.Topo)
	if err != nil {
		return nil, err
	}
	l.notes = append(l.notes, f.Notes...)
	peers := slices.DeleteFunc(slices.Clone(f.Peers), func(id int) bool { return id == topofile.BackupID })
	slices.Sort(peers)
	servers := []topo.ServerSpec{{Devices: peers}}
	if f.Spec != nil { // an exported cluster of many servers: its peers are those of each group
		return l.exported(f)
	}
	var members []topofile.Member
	for _, p := range peers {
		members = append(members, topofile.Member{Local: p})
	}
	hosts := l.o.Hosts
	if hosts == 0 && l.chip.Group(soc.HostPort) != nil {
		hosts = 1
	}
	g, notes, err := f.Wire(members, servers, max(hosts, 0), l.chip)
	if err != nil {
		return nil, err
	}
	l.notes = append(l.notes, notes...)
	return topo.NewCluster(g, l.chip), nil
}

// exported makes the cluster that the key "hsim" of a topology file describes.
func (l *loader) exported(f *topofile.File) (*topo.Cluster, error) {
	g, err := topo.Build(*f.Spec, l.chip)
	if err != nil {
		return nil, err
	}
	c := topo.NewCluster(g, l.chip)
	plan, err := topofile.PlanOf(c)
	if err != nil {
		return nil, err
	}
	if _, _, err := f.Wire(plan.Members, topofile.ServersOf(g), 0, l.chip); err != nil {
		return nil, err
	}
	return c, nil
}

func (l *loader) description() (*topo.Cluster, error) {
	d, err := clusteryaml.Load(l.s.Cluster)
	if err != nil {
		return nil, err
	}
	if l.s.Meta != "" {
		meta, err := clusteryaml.Load(l.s.Meta)
		if err != nil {
			return nil, err
		}
		if !meta.IsMeta() || d.IsMeta() {
			return nil, fmt.Errorf("load: got %s and %s, want a cluster description and a topo_meta file", l.s.Cluster, l.s.Meta)
		}
		if err := d.Select(meta); err != nil {
			return nil, err
		}
	}
	l.notes = append(l.notes, d.Notes...)
	hosts := l.o.Hosts
	if hosts == 0 {
		hosts = 1
	}
	c, notes, err := d.Cluster(l.chip, max(hosts, 0))
	l.notes = append(l.notes, notes...)
	return c, err
}

// visibleDevices refuses ids that come twice and, where the cluster has every
// device of its servers, those that no server has.
func visibleDevices(c *topo.Cluster, complete bool) error {
	have := map[int]bool{}
	var ids []int
	for d := range c.Graph.Devices {
		if id := int(c.Graph.Nodes[d].Index); !have[id] {
			have[id] = true
			ids = append(ids, id)
		}
	}
	slices.Sort(ids)
	seen := map[int]bool{}
	for _, id := range c.Visible {
		if seen[id] {
			return fmt.Errorf("load: visible devices: got %d twice, want every id once", id)
		}
		if seen[id] = true; complete && !have[id] {
			return fmt.Errorf("load: visible devices: got %d, want physical ids of the servers' devices: %v", id, ids)
		}
	}
	return nil
}
