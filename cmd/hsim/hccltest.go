package main

import (
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"hsim/host/hccl"
	"hsim/host/scenario"
	"hsim/host/units"
)

// hcclTest holds the options of the real tool under their letters.
type hcclTest struct {
	in                 inputFlags
	minBytes, maxBytes string
	step               string
	factor             int64
	iters, warmup      int64
	dtype, reduce      string
	root, check, npus  int64
	config             string
	asJSON             bool
	last               int64 // maxbytes of the first line
}

func newHcclTestCommand() *cobra.Command {
	var t hcclTest
	c := &cobra.Command{
		Use:   "hccl-test OP",
		Short: "Measure one collective as hccl_test does: its options, its table",
		Long: `Measure one collective over all ranks of a cluster, with the option letters and the table of hccl_test. Sizes are
those of the whole operation, as there: of all_gather, reduce_scatter and all_to_all every rank has its share.

OP is all_reduce, all_gather, reduce_scatter, broadcast or all_to_all. Every rank's input is 2, as in the real
tool. Without --config the cluster is one server of the default chip with -p devices.`,
		Example: "  hsim hccl-test all_reduce -b 8K -e 64M -f 2 -d fp32 -o sum -p 8\n" +
			"  hsim hccl-test all_gather -b 1M -e 1M -n 5 -p 4 --set cluster.profile=a3",
		RunE: func(c *cobra.Command, args []string) error {
			if len(args) != 1 {
				return fmt.Errorf("hsim hccl-test: got %d operations, want one (try `hsim hccl-test all_reduce`)", len(args))
			}
			return t.run(c, args[0])
		},
	}
	f := c.Flags()
	f.StringVarP(&t.minBytes, "minbytes", "b", "64M", "smallest data size")
	f.StringVarP(&t.maxBytes, "maxbytes", "e", "64M", "largest data size")
	f.StringVarP(&t.step, "stepbytes", "i", "", "bytes from one size to the next (default: a tenth of the way)")
	f.Int64VarP(&t.factor, "stepfactor", "f", 0, "factor from one size to the next, instead of -i")
	f.Int64VarP(&t.iters, "iters", "n", 20, "measured repetitions")
	f.Int64VarP(&t.warmup, "warmup_iters", "w", 10, "repetitions before the measurement")
	f.StringVarP(&t.dtype, "datatype", "d", "fp32", "data type")
	f.StringVarP(&t.reduce, "op", "o", "sum", "sum, prod, max or min")
	f.Int64VarP(&t.root, "root", "r", 0, "root rank")
	f.Int64VarP(&t.check, "check", "c", 1, "0 no check, 1 check the result, 2 check it after every repetition")
	f.Int64VarP(&t.npus, "npus", "p", 0, "devices of each server (default: the cluster's)")
	f.StringVar(&t.config, "config", "", "sim.toml whose cluster, transports and plugins are used; its runs are not")
	f.BoolVar(&t.asJSON, "json", false, "print the report as JSON instead of the table")
	t.in.addTrace(c)
	for _, letter := range []string{"z", "s", "a", "t"} {
		name := "unsupported-" + letter
		f.StringP(name, letter, "", "of the real tool; not supported yet")
		_ = f.MarkHidden(name)
	}
	t.in.add(c)
	return c
}

func (t *hcclTest) run(c *cobra.Command, op string) error {
	for _, letter := range []string{"z", "s", "a", "t"} {
		if c.Flags().Changed("unsupported-" + letter) {
			return fmt.Errorf("hsim hccl-test: option -%s of the real tool is not supported yet (try without it)", letter)
		}
	}
	sizes, err := t.sizes(1)
	if err != nil {
		return err
	}
	if t.check < 0 || t.check > 2 {
		return fmt.Errorf("hsim hccl-test: -c %d: want 0, 1 or 2", t.check)
	}
	o, err := t.in.options(c)
	if err != nil {
		return err
	}
	if c.Flags().Changed("npus") {
		o.Flags = append(o.Flags, scenario.RunKey{Flag: "hsim hccl-test -p", Key: "cluster.devices", Value: t.npus})
	}
	sc, err := t.load(op, sizes, o)
	if err != nil {
		return err
	}
	if run := &sc.Variants[0].Runs[0]; run.Op != hccl.AllReduce && run.Op != hccl.Broadcast {
		// Every rank has a share of the data: the tool's sizes are multiples of the ranks.
		if sizes, err = t.sizes(int64(sc.Variants[0].Ranks())); err != nil {
			return err
		}
		if sc, err = t.load(op, sizes, o); err != nil {
			return err
		}
	}
	for _, v := range sc.Variants {
		v.Runs[0].Whole = true
	}
	return execute(c, sc, c.ErrOrStderr(), func(w io.Writer, r *scenario.Report) error {
		if t.asJSON {
			return r.WriteJSON(w)
		}
		return printHcclTest(w, r, sizes[0].(int64), t.last)
	})
}

// load reads the cluster and makes the run.
func (t *hcclTest) load(op string, sizes []any, o scenario.Options) (*scenario.Scenario, error) {
	keys := []scenario.RunKey{
		{Flag: "OP", Key: "op", Value: strings.TrimSuffix(op, "_test")},
		{Flag: "-b -e -i -f", Key: "sizes", Value: sizes},
		{Flag: "-d", Key: "dtype", Value: t.dtype},
		{Flag: "-o", Key: "reduce", Value: t.reduce},
		{Flag: "-r", Key: "root", Value: t.root},
		{Flag: "-n", Key: "iterations", Value: t.iters},
		{Flag: "-w", Key: "warmup", Value: t.warmup},
		{Flag: "-c", Key: "check", Value: []string{"none", "result", "all"}[t.check]},
		{Flag: "input", Key: "input", Value: "two"},
	}
	return scenario.LoadRun(t.config, "hsim hccl-test", keys, o)
}

// What the real tool aligns sizes to, in bytes: above alignLine a rank's share is a multiple of alignShare.
const (
	alignLine  = 16 << 20
	alignShare = 512
)

// sizes lists the data sizes that the options ask for, as multiples of the ranks where their shares are.
func (t *hcclTest) sizes(ranks int64) ([]any, error) {
	lo, err := units.ParseSize(t.minBytes)
	if err != nil {
		return nil, fmt.Errorf("hsim hccl-test: -b: %w", err)
	}
	hi, err := units.ParseSize(t.maxBytes)
	if err != nil {
		return nil, fmt.Errorf("hsim hccl-test: -e: %w", err)
	}
	if lo <= 0 {
		return nil, fmt.Errorf("hsim hccl-test: -b %s: want more than 0", t.minBytes)
	}
	if hi < lo {
		return nil, fmt.Errorf("hsim hccl-test: -e %s is below -b %s", t.maxBytes, t.minBytes)
	}
	by, err := t.stepOf(lo, hi)
	if err != nil {
		return nil, err
	}
	if lo = max(lo, ranks); lo > alignLine && ranks > 1 {
		lo = lo / (ranks * alignShare) * ranks * alignShare
	}
	lo, hi, by = lo/ranks*ranks, max(hi, ranks)/ranks*ranks, (by+ranks-1)/ranks*ranks
	list, err := hccl.Sizes(lo, max(lo, hi), by, t.factor)
	if err != nil {
		return nil, fmt.Errorf("hsim hccl-test: -i -f: %w", err)
	}
	t.last = hi
	out := make([]any, len(list))
	for i, n := range list {
		out[i] = n
	}
	return out, nil
}

// stepOf is the step between sizes: as asked for, else a tenth of the way; of no meaning with a factor.
func (t *hcclTest) stepOf(lo, hi int64) (int64, error) {
	switch {
	case t.factor != 0 && t.step != "":
		return 0, fmt.Errorf("hsim hccl-test: got -f and -i, want one of them")
	case t.factor == 1 || t.factor < 0:
		return 0, fmt.Errorf("hsim hccl-test: -f %d: want a factor of at least 2", t.factor)
	case t.step == "":
		return max((hi-lo)/10, 1), nil
	}
	by, err := units.ParseSize(t.step)
	if err != nil || by <= 0 {
		return 0, fmt.Errorf("hsim hccl-test: -i %s: want a size above 0", t.step)
	}
	return by, nil
}

// absolute makes a path of the command line one that does not depend on where the sim.toml is.
func absolute(path string) string {
	abs, err := filepath.Abs(path)
	if err != nil {
		return path
	}
	if strings.HasSuffix(path, string(filepath.Separator)) {
		abs += string(filepath.Separator) // a directory, which is refused where it is used
	}
	return abs
}
