package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"hsim/host/record"
	"hsim/host/soc"
	"hsim/host/topo"
	"hsim/host/topo/draw"
	"hsim/host/topo/load"
	"hsim/host/topo/ranktable"
)

// topoFlags say where a topology comes from: a sim.toml, or files with a chip.
type topoFlags struct {
	in      inputFlags
	files   load.Sources
	profile string
	hosts   int
	visible string
}

func (f *topoFlags) add(c *cobra.Command) {
	f.in.add(c)
	c.Flags().StringVar(&f.files.RankTable, "rank-table", "", "a rank table (1.0, 1.1, 1.2, 2.0) or a root info file")
	c.Flags().StringArrayVar(&f.files.RootInfo, "root-info", nil, "a root info file; once per server")
	c.Flags().StringVar(&f.files.Topo, "topo", "", "a topology file (topo.json), for the rank table or alone")
	c.Flags().StringVar(&f.files.Cluster, "cluster", "", "a cluster, server or topo_meta file of the vendor's virtual machine")
	c.Flags().StringVar(&f.files.Meta, "meta", "", "a topo_meta file that chooses among the servers of --cluster")
	c.Flags().StringVar(&f.profile, "profile", "", "the chip that the files are for: a name that `hsim profiles` lists, or a profile file")
	c.Flags().IntVar(&f.hosts, "hosts", 0, "hosts of each server; 0 = what the files say, else one")
	c.Flags().StringVar(&f.visible, "visible", "", "physical ids of the devices that programs see, as in ASCEND_RT_VISIBLE_DEVICES: 4,7")
}

// named is a cluster and the variant that it belongs to.
type named struct {
	name    string
	cluster *topo.Cluster
}

// clusters reads what the flags name; notes go to stderr.
func (f *topoFlags) clusters(c *cobra.Command, args []string) ([]named, error) {
	s := &f.files
	if s.RankTable == "" && s.Topo == "" && s.Cluster == "" && s.Meta == "" && len(s.RootInfo) == 0 {
		return f.scenario(c, args)
	}
	if len(args) > 0 {
		return nil, fmt.Errorf("%s: got %q beside flags that name a cluster's files, want one of them", c.CommandPath(), args[0])
	}
	if f.profile == "" {
		return nil, fmt.Errorf("%s: got files without --profile, want the chip they are for (try --profile a3, or one of %s)", c.CommandPath(), strings.Join(soc.Names(), ", "))
	}
	p, err := soc.Load(f.profile)
	if err != nil {
		return nil, err
	}
	visible, err := f.ids()
	if err != nil {
		return nil, fmt.Errorf("%s: --visible: %w", c.CommandPath(), err)
	}
	cl, notes, err := load.Cluster(*s, p.Chip(), load.Options{Hosts: f.hosts, Visible: visible})
	for _, n := range notes {
		fmt.Fprintf(c.ErrOrStderr(), "note: %s\n", n)
	}
	if err != nil {
		return nil, err
	}
	return []named{{"", cl}}, nil
}

// ids reads the list of visible devices.
func (f *topoFlags) ids() ([]int, error) {
	if f.visible == "" {
		return nil, nil
	}
	var out []int
	for _, s := range strings.Split(f.visible, ",") {
		n, err := strconv.Atoi(strings.TrimSpace(s))
		if err != nil || n < 0 {
			return nil, fmt.Errorf("got %q, want device ids such as 4,7", s)
		}
		out = append(out, n)
	}
	return out, nil
}

// scenario makes the clusters of a sim.toml, one per variant.
func (f *topoFlags) scenario(c *cobra.Command, args []string) ([]named, error) {
	if f.profile != "" {
		f.in.sets = append(f.in.sets, "cluster.profile="+f.profile)
	}
	f.in.look = true
	sc, err := f.in.load(c, args)
	if err != nil {
		return nil, err
	}
	printNotes(c.ErrOrStderr(), sc)
	var out []named
	for _, v := range sc.Variants {
		cl, err := v.Named()
		if err != nil {
			return nil, err
		}
		if cl.Visible == nil {
			cl.Visible = v.Visible
		}
		out = append(out, named{v.Name, cl})
	}
	return out, nil
}

// one is the only cluster of the flags.
func (f *topoFlags) one(c *cobra.Command, args []string) (*topo.Cluster, error) {
	n, err := f.oneNamed(c, args)
	if err != nil {
		return nil, err
	}
	return n.cluster, nil
}

// oneNamed is the only cluster of the flags with the variant that it belongs to.
func (f *topoFlags) oneNamed(c *cobra.Command, args []string) (*named, error) {
	all, err := f.clusters(c, args)
	if err != nil {
		return nil, err
	}
	if len(all) > 1 {
		var names []string
		for _, n := range all {
			names = append(names, strconv.Quote(n.name))
		}
		return nil, fmt.Errorf("%s: got %d variants, want one (try --variant %s)", c.CommandPath(), len(all), strings.Join(names, " or --variant "))
	}
	return &all[0], nil
}

func newTopoCommand() *cobra.Command {
	var f topoFlags
	var dot, ranks bool
	var svg, load string
	c := &cobra.Command{
		Use:   "topo [FILE]",
		Short: "Print or draw a topology, check it, or write it as rank table and topology file",
		Long: `Print the switches, links, ports and ways of a cluster: that of FILE (sim.toml when none is given) for each
variant, or that of a user's own files: a rank table with or without a topology file, root info files, a topology
file alone, or the vendor VM's cluster description. Files are checked as the collective library checks them, against
the chip: EI0004 for what is not JSON, EI0014 for bad values, EI0017 for missing keys, each with file, line and key.`,
		Example: `  hsim topo sim.toml
  hsim topo --rank-table ranktable.json --topo topo.json --profile 950dt
  hsim topo --rank-table ranktable.json --profile a3 --svg cluster.svg
  hsim topo --dot | dot -Tpdf > cluster.pdf
  hsim run --json > run.json; hsim topo --load run.json --svg load.svg`,
		RunE: func(c *cobra.Command, args []string) error {
			if dot || svg != "" || load != "" {
				one, err := f.oneNamed(c, args)
				if err != nil {
					return err
				}
				return drawTo(c.OutOrStdout(), one, load, dot, svg)
			}
			all, err := f.clusters(c, args)
			if err != nil {
				return err
			}
			for i, n := range all {
				if n.name != "" {
					fmt.Fprintf(c.OutOrStdout(), "%s: ", n.name)
				}
				print := draw.Text
				if ranks {
					print = draw.Ranks
				}
				if err := print(c.OutOrStdout(), n.cluster); err != nil {
					return err
				}
				if i+1 < len(all) {
					fmt.Fprintln(c.OutOrStdout())
				}
			}
			return nil
		},
	}
	f.add(c)
	c.Flags().BoolVar(&dot, "dot", false, "write the graph as text for Graphviz")
	c.Flags().StringVar(&svg, "svg", "", "draw the graph into this file; - = stdout")
	c.Flags().StringVar(&load, "load", "", "a `REPORT` of hsim run --json: print the busiest ports, or draw the load with --dot or --svg")
	c.Flags().BoolVar(&ranks, "ranks", false, "print where every rank runs, with physical, logic and local ids and addresses")
	c.MarkFlagsMutuallyExclusive("dot", "svg", "ranks")
	c.MarkFlagsMutuallyExclusive("load", "ranks")
	c.AddCommand(newTopoCheckCommand(), newTopoExportCommand())
	return c
}

// drawTo draws a cluster, or what it carried in the run of a report.
func drawTo(w io.Writer, n *named, report string, dot bool, file string) error {
	g := n.cluster.Graph
	var l *draw.Load
	if report != "" {
		var err error
		if l, err = readLoad(report, n.name, g); err != nil {
			return err
		}
	}
	switch {
	case dot:
		return draw.DOTLoad(w, g, l)
	case file == "-":
		return draw.SVGLoad(w, g, l)
	case file == "":
		return draw.LoadTable(w, g, l)
	}
	return record.WriteFile(file, func(w io.Writer) error { return draw.SVGLoad(w, g, l) })
}

func newTopoCheckCommand() *cobra.Command {
	var f topoFlags
	c := &cobra.Command{
		Use:   "check [FILE]",
		Short: "Check a topology: reach, symmetry, ports without a link, hash polarisation",
		Long: `Check which devices reach each other over which protocol, links and paths that differ in their two directions,
ports without a link, and equal-cost ports that stay unused when all switches hash alike. Devices that cannot reach each
other are a fault: the exit code is 1.`,
		Example: "  hsim topo check --topo topo.json --profile 950dt",
		RunE: func(c *cobra.Command, args []string) error {
			all, err := f.clusters(c, args)
			if err != nil {
				return err
			}
			bad := false
			for _, n := range all {
				r, err := n.cluster.Graph.Inspect(n.cluster.Chip)
				if err != nil {
					return err
				}
				if n.name != "" {
					fmt.Fprintf(c.OutOrStdout(), "%s:\n", n.name)
				}
				if err := draw.Check(c.OutOrStdout(), n.cluster.Graph, r); err != nil {
					return err
				}
				bad = bad || !r.OK()
			}
			if bad {
				return &exitError{exitFailed, nil}
			}
			return nil
		},
	}
	f.add(c)
	return c
}

func newTopoExportCommand() *cobra.Command {
	var f topoFlags
	var dir string
	c := &cobra.Command{
		Use:   "export [FILE]",
		Short: "Write a cluster as rank table, topology file and root info files",
		Long: `Write the cluster as files of the real system: ranktable.json in the version of the chip's generation, topo.json
where the rank table does not say how the devices are wired, and for 2.0 one rootinfo file per server. They load back to
the same graph; what the formats cannot hold is refused.`,
		Example: "  hsim topo export sim.toml --set cluster.topology=mesh-clos --variant ub --dir out",
		RunE: func(c *cobra.Command, args []string) error {
			cl, err := f.one(c, args)
			if err != nil {
				return err
			}
			files, err := ranktable.Export(cl)
			if err != nil {
				return err
			}
			if err := os.MkdirAll(dir, 0o755); err != nil {
				return err
			}
			write := func(name string, data []byte) error {
				path := filepath.Join(dir, name)
				err := record.WriteFile(path, func(w io.Writer) error {
					_, err := w.Write(data)
					return err
				})
				if err != nil {
					return err
				}
				fmt.Fprintln(c.OutOrStdout(), path)
				return nil
			}
			err = write("ranktable.json", files.RankTable)
			if files.Topo != nil {
				err = errors.Join(err, write(ranktable.TopoName, files.Topo))
			}
			for i, info := range files.RootInfo {
				err = errors.Join(err, write(fmt.Sprintf("rootinfo_%d.json", i), info))
			}
			return err
		},
	}
	f.add(c)
	c.Flags().StringVar(&dir, "dir", ".", "directory for the files")
	return c
}
