package main

import (
	"errors"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"hsim/host/record"
	"hsim/host/scenario"
)

func newRunCommand() *cobra.Command {
	var in inputFlags
	var asJSON bool
	var ns3 ns3ubFlags
	c := &cobra.Command{
		Use:   "run [FILE]",
		Short: "Run the scenarios of a sim.toml and print their results",
		Long: `Run every [[run]] of FILE (sim.toml when none is given), as it stands and once for each [[variant]], and print a table.

The files of [output] are written when the run has ended, whole or not at all.`,
		Example: "  hsim run sim.toml\n  hsim run sim.toml --set cluster.profile=a3 --json\n  hsim run --ns3ub case --out result",
		RunE: func(c *cobra.Command, args []string) error {
			if err := ns3.check(c, args); err != nil {
				return err
			}
			if ns3.dir != "" {
				finishAfterSignal(c)
				return ns3.run(c.Context(), c.OutOrStdout(), c.ErrOrStderr(), asJSON)
			}
			sc, err := in.load(c, args)
			if err != nil {
				return err
			}
			programs := c.OutOrStdout()
			if asJSON {
				programs = c.ErrOrStderr() // stdout is the report alone
			}
			return execute(c, sc, programs, func(w io.Writer, r *scenario.Report) error {
				switch {
				case asJSON:
					return r.WriteJSON(w)
				case sc.Output.Table:
					return errors.Join(printTables(w, r, widthOf(w)), printNetwork(w, r))
				}
				return nil
			})
		},
	}
	in.add(c)
	ns3.add(c)
	c.Flags().BoolVar(&asJSON, "json", false, "print the report as JSON instead of the table")
	in.addTrace(c)
	return c
}

// execute runs a scenario and prints its report; the error carries the exit code. Programs print to a writer of their own.
func execute(c *cobra.Command, sc *scenario.Scenario, programs io.Writer, show func(io.Writer, *scenario.Report) error) error {
	stdout, stderr := c.OutOrStdout(), c.ErrOrStderr()
	finishAfterSignal(c)
	printNotes(stderr, sc)
	p := startProgress(stderr)
	report, err := scenario.Run(c.Context(), sc, scenario.Hooks{Progress: p.update, Log: func(line string) { p.log(scenario.Printable(line)) }, Print: func(rank, processes int, toStderr bool, line string) {
		if processes > 1 {
			line = fmt.Sprintf("[%d] %s", rank, line)
		}
		if toStderr {
			p.log(line)
		} else {
			p.print(programs, line)
		}
	}})
	p.stop()
	if report == nil {
		return inputOrFailure(err)
	}
	failed := err // of the trace
	if err := show(stdout, report); err != nil {
		failed = fmt.Errorf("cannot print the result: %w", err)
	}
	if path := sc.Output.JSON; path != "" {
		if err := record.WriteFile(path, report.WriteJSON); err != nil {
			failed = err
		}
	}
	explainOutcome(stderr, report)
	if failed != nil {
		return &exitError{exitFailed, failed}
	}
	if code := exitCode(report); code != exitOK {
		return &exitError{code: code}
	}
	return nil
}

// printNotes says once what is to know of the files that clusters were read from.
func printNotes(w io.Writer, sc *scenario.Scenario) {
	said := map[string]bool{}
	for _, v := range sc.Variants {
		for _, n := range v.Notes {
			if text := n.String(); !said[text] {
				said[text] = true
				fmt.Fprintf(w, "hsim: note: %s\n", scenario.Printable(text))
			}
		}
	}
}

// inputOrFailure gives an error of the simulation its exit code: what the user wrote is 2, what went wrong is 1.
func inputOrFailure(err error) error {
	var in *scenario.InputError
	if errors.As(err, &in) {
		return err
	}
	return &exitError{exitFailed, err}
}

func exitCode(r *scenario.Report) int {
	switch {
	case r.Outcome == scenario.OutcomeInterrupted:
		return exitInterrupted
	case r.Stalled():
		return exitStalled
	case r.Outcome != scenario.OutcomeOK:
		return exitFailed
	}
	return exitOK
}

// explainOutcome says on stderr what a table cannot: warnings, failures, stalls, and that a report is partial.
func explainOutcome(w io.Writer, r *scenario.Report) {
	said := map[string]bool{}
	note := func(text string) {
		if !said[text] {
			said[text] = true
			fmt.Fprintf(w, "hsim: note: %s\n", scenario.Printable(text))
		}
	}
	for _, x := range r.Notes {
		note(x)
	}
	for _, v := range r.Variants {
		name := ""
		if v.Name != "" {
			name = v.Name + ": "
		}
		for _, x := range v.Notes {
			note(name + x)
		}
		for _, x := range v.Warnings {
			fmt.Fprintf(w, "hsim: %swarning: %s\n", name, scenario.Printable(x))
		}
		for _, x := range v.Errors {
			fmt.Fprintf(w, "hsim: %s%s\n", name, scenario.Printable(x))
		}
		if v.Stall != nil {
			after := ""
			if v.Stall.AfterFailure {
				after = "after that failure: "
			}
			fmt.Fprintf(w, "hsim: %s%s%s", name, after, v.Stall)
		}
		if v.Outcome == scenario.OutcomeInterrupted {
			fmt.Fprintf(w, "hsim: %sinterrupted; the report is partial: %s\n", name, complete(v))
		}
		if v.Outcome == scenario.OutcomeLimit {
			fmt.Fprintf(w, "hsim: %sthe run reached sim.limit; the report is partial: %s (try a larger sim.limit)\n", name, complete(v))
		}
	}
}

func complete(v *scenario.VariantReport) string {
	if n := v.Complete(); n != 1 {
		return fmt.Sprintf("%d rows are complete", n)
	}
	return "1 row is complete"
}
