package main

import (
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"hsim/host/scenario"
)

func newPlanCommand() *cobra.Command {
	var p scenario.PlanRequest
	c := &cobra.Command{
		Use:   "plan OP",
		Short: "Print the steps of a collective for each rank, and prove that they give the right result",
		Long: `Print what each rank does, step by step, without simulating it, and prove the plan: every element gets every
rank's contribution once, every send has its receive, and nothing is overwritten that is still needed.`,
		Example: "  hsim plan all_reduce --algorithm ring -p 4 --size 64KiB\n" +
			"  hsim plan all_gather --algorithm mesh-nhr -p 8 --group 4\n" +
			"  hsim plan all_reduce --plugin mine.wasm --algorithm mine -p 4",
		RunE: func(c *cobra.Command, args []string) error {
			if len(args) != 1 {
				return fmt.Errorf("hsim plan: got %d operations, want one (try `hsim plan all_reduce`)", len(args))
			}
			p.Op = args[0]
			text, err := scenario.Plan(p)
			if err != nil {
				return err
			}
			_, err = io.WriteString(c.OutOrStdout(), text)
			return err
		},
	}
	f := c.Flags()
	f.IntVarP(&p.Ranks, "ranks", "p", 4, "number of ranks")
	f.StringVar(&p.Algorithm, "algorithm", "ring", "algorithm")
	f.StringVar(&p.Size, "size", "64KiB", "bytes, as [[run]] sizes")
	f.StringVarP(&p.Dtype, "datatype", "d", "fp32", "data type")
	f.IntVarP(&p.Root, "root", "r", 0, "root of broadcast")
	f.IntVar(&p.Rank, "rank", -1, "only this rank")
	f.IntVar(&p.Group, "group", 0, "ranks of each server, for the two-level algorithms (default: all)")
	f.StringArrayVar(&p.Plugins, "plugin", nil, "module of algorithms; may be repeated")
	return c
}
