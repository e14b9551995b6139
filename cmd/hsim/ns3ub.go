package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"

	"github.com/spf13/cobra"

	"hsim/host/ns3ub"
	"hsim/host/record"
	"hsim/host/scenario"
	"hsim/host/sim"
	"hsim/host/units"
)

// ns3ubFlags are those of `hsim run --ns3ub`.
type ns3ubFlags struct {
	dir, out, train string
	seed            uint64
}

func (f *ns3ubFlags) add(c *cobra.Command) {
	c.Flags().StringVar(&f.dir, "ns3ub", "", "run a case directory of ns-3-UB as it is, instead of a sim.toml")
	c.Flags().StringVar(&f.out, "out", "", "with --ns3ub: write "+ns3ub.FileName+" into this directory (default: output in the case directory)")
	c.Flags().StringVar(&f.train, "train", "auto", "with --ns3ub: packets that travel as one; 1 is packet level, auto is that for cases of up to a million packets")
	c.Flags().Uint64Var(&f.seed, "seed", 1, "with --ns3ub: seed of the hashes that switches choose paths by")
}

// check refuses the flags that do not go together.
func (f *ns3ubFlags) check(c *cobra.Command, args []string) error {
	if f.dir == "" {
		for _, name := range []string{"out", "train", "seed"} {
			if c.Flags().Changed(name) {
				return fmt.Errorf("%s: --%s goes with --ns3ub, want both (try `%s --help`)", c.CommandPath(), name, c.CommandPath())
			}
		}
		return nil
	}
	if len(args) > 0 {
		return fmt.Errorf("%s: got file %s and --ns3ub, want one of them (try `%s --help`)", c.CommandPath(), args[0], c.CommandPath())
	}
	for _, name := range []string{"set", "variant", "trace"} {
		if c.Flags().Changed(name) {
			return fmt.Errorf("%s: --%s speaks of a sim.toml, want it without --ns3ub (try `%s --help`)", c.CommandPath(), name, c.CommandPath())
		}
	}
	return nil
}

// run runs the case and writes its result.
func (f *ns3ubFlags) run(ctx context.Context, stdout, stderr io.Writer, asJSON bool) error {
	train := 0
	if f.train != "auto" {
		n, err := strconv.Atoi(f.train)
		if err != nil || n < 1 || n > 1024 {
			return fmt.Errorf("--train: got %q, want auto or a number of packets from 1 to 1024", f.train)
		}
		train = n
	}
	if info, err := os.Stat(f.dir); errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("--ns3ub %s: there is no such directory", f.dir)
	} else if err != nil {
		return fmt.Errorf("--ns3ub %s: got no directory that can be read: %w", f.dir, errors.Unwrap(err))
	} else if !info.IsDir() {
		return fmt.Errorf("--ns3ub %s: got a file, want the directory of a case (try %s)", f.dir, filepath.Dir(f.dir))
	}
	out := f.out
	if out == "" {
		out = filepath.Join(f.dir, "output")
	}
	out = filepath.Join(out, ns3ub.FileName)
	if err := record.CheckPath(out); err != nil {
		return err
	}
	c, err := ns3ub.Load(os.DirFS(f.dir), f.dir)
	if err != nil {
		return err
	}
	for _, n := range c.Notes {
		fmt.Fprintln(stderr, "hsim: "+n)
	}
	p := startProgress(stderr)
	r, err := c.Run(ctx, ns3ub.Options{Train: train, Seed: f.seed, Progress: func(done, tasks int, now sim.Time) {
		p.update(scenario.Progress{Run: "tasks", Done: done, Total: tasks, Now: func() sim.Time { return now }})
	}})
	p.stop()
	if err != nil {
		return &exitError{exitFailed, err}
	}
	return finishNS3UB(r, out, stdout, stderr, asJSON)
}

// finishNS3UB writes the times of the tasks, prints the summary and gives the
// outcome its exit code.
func finishNS3UB(r *ns3ub.Result, out string, stdout, stderr io.Writer, asJSON bool) error {
	if err := r.WriteFile(out); err != nil {
		return &exitError{exitFailed, err}
	}
	s := summaryOf(r, out)
	if asJSON {
		e := json.NewEncoder(stdout)
		e.SetIndent("", "  ")
		if err := e.Encode(s); err != nil {
			return &exitError{exitFailed, err}
		}
	} else {
		s.print(stdout)
	}
	switch {
	case r.Reason == sim.Interrupted:
		fmt.Fprintf(stderr, "hsim: interrupted; %d of %d tasks are complete\n", r.Done, len(r.Tasks))
		return &exitError{code: exitInterrupted}
	case r.Stall != nil:
		fmt.Fprintf(stderr, "hsim: %s", r.Stall)
		return &exitError{code: exitStalled}
	case r.Done < len(r.Tasks):
		fmt.Fprintf(stderr, "hsim: %d of %d tasks are complete\n", r.Done, len(r.Tasks))
		return &exitError{code: exitFailed}
	}
	return nil
}

// ns3ubSummary is what is printed of a case. Times are in us.
type ns3ubSummary struct {
	Tasks       int     `json:"tasks"`
	Complete    int     `json:"complete"`
	Bytes       int64   `json:"bytes"`
	Packets     int64   `json:"packets"`
	Hops        uint64  `json:"packet_hops"`
	PacketLevel bool    `json:"packet_level"`
	Makespan    float64 `json:"makespan_us"`
	P50         float64 `json:"task_p50_us"`
	P99         float64 `json:"task_p99_us"`
	Max         float64 `json:"task_max_us"`
	File        string  `json:"file"`
}

func summaryOf(r *ns3ub.Result, out string) *ns3ubSummary {
	s := &ns3ubSummary{Tasks: len(r.Tasks), Complete: r.Done, Packets: r.Packets, Hops: r.Hops, PacketLevel: r.Train == 1, File: out,
		Makespan: float64(r.Makespan) / float64(sim.Microsecond)}
	var took []sim.Time
	for i := range r.Tasks {
		if t := &r.Tasks[i]; t.Done {
			took = append(took, t.End-t.Start)
			s.Bytes += t.Bytes
		}
	}
	if n := len(took); n > 0 {
		slices.Sort(took)
		at := func(permille int) float64 {
			return float64(took[min(n-1, n*permille/1000)]) / float64(sim.Microsecond)
		}
		s.P50, s.P99, s.Max = at(500), at(990), at(1000)
	}
	return s
}

func (s *ns3ubSummary) print(w io.Writer) {
	level := "in trains"
	if s.PacketLevel {
		level = "packet level"
	}
	fmt.Fprintf(w, "tasks      %d of %d, %s\n", s.Complete, s.Tasks, units.FormatSize(s.Bytes))
	fmt.Fprintf(w, "packets    %d, %d packet-hops, %s\n", s.Packets, s.Hops, level)
	fmt.Fprintf(w, "makespan   %.5f us\n", s.Makespan)
	fmt.Fprintf(w, "task time  p50 %.5f, p99 %.5f, max %.5f us\n", s.P50, s.P99, s.Max)
	fmt.Fprintf(w, "written    %s\n", s.File)
}
