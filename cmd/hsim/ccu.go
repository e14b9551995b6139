package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"hsim/host/scenario"
)

func newCCUCommand() *cobra.Command {
	var q scenario.ProgramRequest
	c := &cobra.Command{
		Use:   "ccu FILE|builtin [PROGRAM]",
		Short: "Show what CCU microprograms take of a die, and their instructions",
		Long: `Register the microprograms of a module for one rank of a full mesh, as a run would, and print what each takes of
the die and its version 1 instructions. X, G, C and M are variables (Xn), addresses (GSA), events (CKE) and buffers (MS).`,
		Example: "  hsim ccu builtin all_gather_mesh --ranks 4",
		RunE: func(c *cobra.Command, args []string) error {
			if len(args) < 1 || len(args) > 2 {
				return fmt.Errorf("hsim ccu: got %d arguments, want a .wasm file or builtin, and perhaps a program", len(args))
			}
			q.Module = args[0]
			if len(args) == 2 {
				q.Program = args[1]
			}
			text, err := scenario.ListProgram(q)
			if err != nil {
				return err
			}
			fmt.Fprint(c.OutOrStdout(), text)
			return nil
		},
	}
	f := c.Flags()
	f.IntVarP(&q.Ranks, "ranks", "p", 8, "ranks of the mesh")
	f.IntVar(&q.Rank, "rank", 0, "rank to register for")
	f.StringVar(&q.Profile, "profile", "950dt", "chip")
	f.StringVarP(&q.Dtype, "dtype", "d", "fp32", "data type of the operation")
	f.StringVarP(&q.Reduce, "reduce", "o", "sum", "reduction of the operation")
	f.IntVarP(&q.Root, "root", "r", 0, "root of the operation")
	return c
}
