package main

import (
	"encoding/json"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"hsim/host/scenario"
	"hsim/host/soc"
)

func newProfilesCommand() *cobra.Command {
	var asJSON bool
	c := &cobra.Command{
		Use:   "profiles [NAME]",
		Short: "List the chips, or every constant of one with its source and how well it is known",
		Long: `List the embedded chip profiles, or print one: NAME is a listed name or the path of a profile file.

Every constant has an evidence class: measured, vendor, derived or assumed.`,
		Example: "  hsim profiles\n  hsim profiles a3",
		RunE: func(c *cobra.Command, args []string) error {
			switch len(args) {
			case 0:
				return profileList(c.OutOrStdout())
			case 1:
				p, err := soc.Load(args[0])
				if err != nil {
					return err
				}
				return profileTable(c.OutOrStdout(), p, asJSON)
			}
			return fmt.Errorf("hsim profiles: got %d names, want one", len(args))
		},
		ValidArgsFunction: cobra.FixedCompletions(soc.Names(), cobra.ShellCompDirectiveDefault),
	}
	c.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	return c
}

func profileList(w io.Writer) error {
	rows := [][]string{{"NAME", "SOC", "GENERATION", "CCU", "SCALE-UP", "SCALE-OUT", "ABOUT"}}
	for _, name := range soc.Names() {
		p, err := soc.Load(name)
		if err != nil {
			return err
		}
		chip := p.Chip()
		ccu := "-"
		if chip.CCU.Version > 0 {
			ccu = fmt.Sprintf("V%d", chip.CCU.Version)
		}
		rows = append(rows, []string{name, chip.SocName, chip.Generation, ccu, chip.ScaleUp.String(), chip.ScaleOut.String(), p.Title()})
	}
	return columns(w, rows)
}

func profileTable(w io.Writer, p *soc.Profile, asJSON bool) error {
	if asJSON {
		e := json.NewEncoder(w)
		e.SetEscapeHTML(false)
		e.SetIndent("", "  ")
		return e.Encode(p.Constants())
	}
	fmt.Fprintf(w, "%s: %s\n", p.Name(), p.Title())
	rows := [][]string{{"KEY", "VALUE", "EVIDENCE", "SOURCE"}}
	for _, k := range p.Constants() {
		rows = append(rows, []string{k.Key, k.Value, string(k.Class), k.Source})
	}
	return columns(w, rows)
}

func newExplainCommand() *cobra.Command {
	var in inputFlags
	c := &cobra.Command{
		Use:   "explain [FILE]",
		Short: "Say what a run is made of: algorithm and expansion with the reason, alpha and beta",
		Long: `For each run of FILE (sim.toml when none is given) and each variant: the algorithm and the expansion that are
chosen at each size and why, and the parts of the time: alpha, what one step costs before its first byte, and beta,
what a byte costs, each with where it comes from. Nothing is simulated.`,
		Example: "  hsim explain sim.toml --set run.algorithm=ring",
		RunE: func(c *cobra.Command, args []string) error {
			sc, err := in.load(c, args)
			if err != nil {
				return err
			}
			text, err := scenario.Explain(sc)
			if err != nil {
				return inputOrFailure(err)
			}
			_, err = io.WriteString(c.OutOrStdout(), text)
			return err
		},
	}
	in.add(c)
	return c
}
