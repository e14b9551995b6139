package main

import (
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

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
}

func newHcclTestCommand() *cobra.Command {
	var t hcclTest
	c := &cobra.Command{
		Use:   "hccl-test OP",
		Short: "Measure one collective as hccl_test does: its options, its table",
		Long: `Measure one collective over all ranks of a cluster, with the option letters and the table of hccl_test.

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
	sizes, err := t.sizes()
	if err != nil {
		return err
	}
	if t.check < 0 || t.check > 2 {
		return fmt.Errorf("hsim hccl-test: -c %d: want 0, 1 or 2", t.check)
	}
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
	if c.Flags().Changed("npus") {
		t.in.sets = append([]string{fmt.Sprintf("cluster.devices=%d", t.npus)}, t.in.sets...)
	}
	o, err := t.in.options(c)
	if err != nil {
		return err
	}
	sc, err := scenario.LoadRun(t.config, "hsim hccl-test", keys, o)
	if err != nil {
		return err
	}
	return execute(c.Context(), sc, c.OutOrStdout(), c.ErrOrStderr(), c.ErrOrStderr(), func(w io.Writer, r *scenario.Report) error {
		if t.asJSON {
			return r.WriteJSON(w)
		}
		return printHcclTest(w, r, sizes[0].(int64), t.last(sizes))
	})
}

// last is the maxbytes of the first line: as asked for, not the last size that a step met.
func (t *hcclTest) last(sizes []any) int64 {
	if n, err := units.ParseSize(t.maxBytes); err == nil {
		return n
	}
	return sizes[len(sizes)-1].(int64)
}

// sizes lists the data sizes that the options ask for.
func (t *hcclTest) sizes() ([]any, error) {
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
	step := ""
	switch {
	case t.factor != 0 && t.step != "":
		return nil, fmt.Errorf("hsim hccl-test: got -f and -i, want one of them")
	case t.factor != 0:
		step = fmt.Sprintf("x%d", t.factor)
	case t.step != "":
		step = "+" + t.step
	default:
		step = fmt.Sprintf("+%d", max((hi-lo)/10, 1))
	}
	list, err := scenario.ParseSweep(fmt.Sprintf("%d..%d %s", lo, hi, step))
	if err != nil {
		return nil, fmt.Errorf("hsim hccl-test: -i -f: %w", err)
	}
	out := make([]any, len(list))
	for i, n := range list {
		out[i] = n
	}
	return out, nil
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
