package main

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"hsim/host/scenario"
)

func newConfigCommand() *cobra.Command {
	var in inputFlags
	var asJSON, changed, reference bool
	c := &cobra.Command{
		Use:   "config [FILE]",
		Short: "Print every key of a sim.toml with its value, its default and where it was set",
		Long: `Print every key of FILE (sim.toml when none is given) with its value, its default and where it was set. Of the
variants only what differs from the first configuration is shown; --variant NAME shows all of one.`,
		Example: "  hsim config sim.toml --changed\n  hsim config --reference > docs/sim-toml.md",
		RunE: func(c *cobra.Command, args []string) error {
			if reference {
				_, err := io.WriteString(c.OutOrStdout(), scenario.Reference())
				return err
			}
			sc, err := in.load(c, args)
			if err != nil {
				return err
			}
			if asJSON {
				return configJSON(c.OutOrStdout(), sc)
			}
			return configTables(c.OutOrStdout(), sc, changed)
		},
	}
	in.add(c)
	c.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	c.Flags().BoolVar(&changed, "changed", false, "only the keys whose value is not the default")
	c.Flags().BoolVar(&reference, "reference", false, "print the reference page of all keys instead")
	return c
}

func configJSON(w io.Writer, sc *scenario.Scenario) error {
	type variant struct {
		Name string              `json:"name"`
		Keys []scenario.KeyValue `json:"keys"`
	}
	var out []variant
	for _, v := range sc.Variants {
		out = append(out, variant{v.Name, v.Keys()})
	}
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	return e.Encode(out)
}

// configTables prints the first configuration, and what the others have different.
func configTables(w io.Writer, sc *scenario.Scenario, changed bool) error {
	base := map[string]scenario.KeyValue{}
	for i, v := range sc.Variants {
		rows := [][]string{{"KEY", "VALUE", "DEFAULT", "ORIGIN"}}
		for _, k := range v.Keys() {
			was, known := base[k.Key]
			if i == 0 {
				base[k.Key] = k
			}
			if i > 0 && known && was.Value == k.Value || i == 0 && changed && !k.Changed {
				continue
			}
			rows = append(rows, []string{k.Key, dash(k.Value), dash(k.Default), k.Origin})
		}
		if i > 0 {
			fmt.Fprintf(w, "\n# %s: what differs from %s\n", v.Name, sc.Variants[0].Name)
		} else if v.Name != "" {
			fmt.Fprintf(w, "# %s\n", v.Name)
		}
		if err := columns(w, rows); err != nil {
			return err
		}
	}
	return nil
}

// columns prints rows in columns that are as wide as their widest cell; the last one is not padded.
func columns(w io.Writer, rows [][]string) error {
	var width []int
	for _, r := range rows {
		for i, cell := range r {
			if i == len(width) {
				width = append(width, 0)
			}
			width[i] = max(width[i], textWidth(cell))
		}
	}
	var b strings.Builder
	for _, r := range rows {
		line := ""
		for i, cell := range r {
			line += cell
			if i < len(r)-1 {
				line += strings.Repeat(" ", width[i]-textWidth(cell)+2)
			}
		}
		b.WriteString(strings.TrimRight(line, " ") + "\n")
	}
	_, err := io.WriteString(w, b.String())
	return err
}

func dash(s string) string {
	if s == "" {
		return "-"
	}
	return s
}
