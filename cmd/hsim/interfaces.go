package main

import (
	"encoding/json"
	"fmt"
	"io"
	"slices"

	"github.com/spf13/cobra"

	"hsim/abi"
	"hsim/host/guest"
)

// interfaceRow is one function that a program can import.
type interfaceRow struct {
	Name      string `json:"name"`
	Module    string `json:"module"`
	Group     string `json:"group"`
	Real      string `json:"real_name"`
	Signature string `json:"signature"`
	About     string `json:"about"`
	Missing   bool   `json:"missing,omitempty"` // declared, and refused when called
}

func newInterfacesCommand() *cobra.Command {
	var asJSON bool
	var groups []string
	c := &cobra.Command{
		Use:   "interfaces",
		Short: "List the functions that a program can import",
		Long: `List every function that a host program can import, with its import module, its group and the name that the real
system has for it (- where it has none).`,
		Example: "  hsim interfaces\n  hsim interfaces --group stream --json",
		Args:    noArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			rows, err := interfaceRows(groups)
			if err != nil {
				return err
			}
			return printInterfaces(c.OutOrStdout(), rows, asJSON)
		},
	}
	c.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	c.Flags().StringSliceVar(&groups, "group", nil, "only these groups")
	return c
}

func interfaceRows(groups []string) ([]interfaceRow, error) {
	missing := guest.Missing()
	var known []string
	var out []interfaceRow
	for _, f := range abi.Lookup(abi.Program).Imports {
		if !slices.Contains(known, f.Group) {
			known = append(known, f.Group)
		}
		if len(groups) > 0 && !slices.Contains(groups, f.Group) {
			continue
		}
		out = append(out, interfaceRow{f.Name, f.Module, f.Group, f.Real, f.Signature(), f.Doc, slices.Contains(missing, f.Name)})
	}
	for _, g := range groups {
		if !slices.Contains(known, g) {
			return nil, fmt.Errorf("hsim interfaces: --group %s: want one of %v", g, known)
		}
	}
	return out, nil
}

func printInterfaces(w io.Writer, rows []interfaceRow, asJSON bool) error {
	if asJSON {
		e := json.NewEncoder(w)
		e.SetIndent("", "  ")
		return e.Encode(rows)
	}
	table := [][]string{{"NAME", "GROUP", "REAL NAME", "MODULE", "ABOUT"}}
	for _, r := range rows {
		about := r.About
		if r.Missing {
			about = "(cannot be called yet) " + about
		}
		table = append(table, []string{r.Name, r.Group, dash(r.Real), r.Module, about})
	}
	return columns(w, table)
}
