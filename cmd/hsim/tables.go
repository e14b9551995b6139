package main

import (
	"encoding/csv"
	"encoding/json"
	"fmt"
	"io"
	"reflect"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"hsim/host/acl"
	"hsim/host/scenario"
	"hsim/host/soc"
)

func newTablesCommand() *cobra.Command {
	var f topoFlags
	var names []string
	var asJSON, asCSV, list bool
	c := &cobra.Command{
		Use:   "tables [FILE]",
		Short: "Print the tables of the data model: servers, hosts, devices with their parts, ports, endpoints, links",
		Long: `Print the rows that a cluster has in the tables of the data model before anything runs: that of FILE (sim.toml when
none is given), or that of a user's own files as hsim topo takes them. A chip fills device, device_status,
task_scheduler_device with scalar_scheduler, cpu_scheduler and ccu_scheduler, compute_die with cube, vector and
hybrid_compute_die, ccu and port; a topology server, host, endpoint, endpoint_port_mapping, link and
link_protocol_mapping. What a program makes (runners, contexts, streams, ...) has no rows yet.

Without --table the first rows of every table are shown; with it, and as JSON or CSV, all of them.`,
		Example: `  hsim tables sim.toml --variant "a3 ub" --list
  hsim tables sim.toml --variant "a3 ub" --table device --table ccu
  hsim tables --topo topo.json --profile 950dt --table link --csv`,
		RunE: func(c *cobra.Command, args []string) error {
			if asCSV && len(names) != 1 {
				return fmt.Errorf("%s: --csv: got %d tables, want one (try --table device)", c.CommandPath(), len(names))
			}
			cl, err := f.one(c, args)
			if err != nil {
				return err
			}
			all, err := scenario.Tables(cl)
			if err != nil {
				return err
			}
			chosen, err := chooseTables(all, names)
			if err != nil {
				return err
			}
			w := c.OutOrStdout()
			switch {
			case list:
				return listTables(w, chosen)
			case asJSON:
				return tablesJSON(w, chosen)
			case asCSV:
				return tableCSV(w, chosen[0])
			}
			return tablesText(w, chosen, len(names) > 0)
		},
	}
	f.add(c)
	c.Flags().StringArrayVar(&names, "table", nil, "only the table of this `NAME`; several times for several")
	c.Flags().BoolVar(&list, "list", false, "print the names of the tables with their columns and how many rows they have")
	c.Flags().BoolVar(&asJSON, "json", false, "print JSON: an object of tables, each a list of rows")
	c.Flags().BoolVar(&asCSV, "csv", false, "print one table as CSV with a line of columns first")
	c.MarkFlagsMutuallyExclusive("list", "json", "csv")
	return c
}

// chooseTables keeps the named tables in the order of the names; no name keeps all.
func chooseTables(all []acl.Table, names []string) ([]acl.Table, error) {
	if len(names) == 0 {
		return all, nil
	}
	var known []string
	for _, t := range all {
		known = append(known, t.Name)
	}
	var out []acl.Table
	for _, name := range names {
		i := slices.Index(known, name)
		if i < 0 {
			try := ""
			if n := soc.Nearest(name, known); n != "" {
				try = fmt.Sprintf(" (try %s)", n)
			}
			return nil, fmt.Errorf("hsim tables: --table %s: got no such table, want one of %s%s", name, strings.Join(known, ", "), try)
		}
		out = append(out, all[i])
	}
	return out, nil
}

// tableColumn is a column of a row type: its name, its key ("pk" or the column that it refers to), the value that refers
// to nothing, and the field.
type tableColumn struct {
	name, key, null string
	index           []int
}

func columnsOf(t acl.Table) []tableColumn {
	var out []tableColumn
	for _, f := range reflect.VisibleFields(t.Row) {
		if name := f.Tag.Get("col"); name != "" {
			c := tableColumn{name: name, key: f.Tag.Get("key"), null: f.Tag.Get("null"), index: f.Index}
			if c.null == "" {
				c.null = "0"
			}
			out = append(out, c)
		}
	}
	return out
}

// value is the field of a row as JSON has it: a reference to nothing is nil, an enumeration its name.
func (c *tableColumn) value(row any) any {
	v := reflect.ValueOf(row).FieldByIndex(c.index).Interface()
	if strings.Contains(c.key, ".") && fmt.Sprint(v) == c.null {
		return nil
	}
	if s, ok := v.(fmt.Stringer); ok {
		return s.String()
	}
	return v
}

// cell is the same for people and CSV.
func (c *tableColumn) cell(row any, null string) string {
	v := c.value(row)
	if v == nil {
		return null
	}
	return fmt.Sprint(v)
}

func listTables(w io.Writer, all []acl.Table) error {
	rows := [][]string{{"TABLE", "ROWS", "COLUMNS"}}
	for _, t := range all {
		n := 0
		for range t.Rows {
			n++
		}
		var names []string
		for _, c := range columnsOf(t) {
			switch {
			case c.key == "pk":
				c.name += " (key)"
			case c.key != "":
				c.name += " -> " + c.key
			}
			names = append(names, c.name)
		}
		rows = append(rows, []string{t.Name, fmt.Sprint(n), strings.Join(names, ", ")})
	}
	return columns(w, rows)
}

// fewRows is how many rows of each table are shown where none was asked for.
const fewRows = 6

// tablesText prints tables below each other. Where none was asked for, long ones are cut and those without rows named at
// the end.
func tablesText(w io.Writer, all []acl.Table, asked bool) error {
	var empty []string
	first := true
	for _, t := range all {
		cols := columnsOf(t)
		head := make([]string, len(cols))
		for i, c := range cols {
			head[i] = c.name
		}
		rows := [][]string{head}
		n := 0
		for r := range t.Rows {
			if n++; n > fewRows && !asked {
				continue
			}
			line := make([]string, len(cols))
			for i := range cols {
				line[i] = scenario.Printable(dash(cols[i].cell(r, "")))
			}
			rows = append(rows, line)
		}
		if n == 0 && !asked {
			empty = append(empty, t.Name)
			continue
		}
		if !first {
			fmt.Fprintln(w)
		}
		first = false
		fmt.Fprintf(w, "%s: %s\n", t.Name, plural(n, "row", "rows"))
		if err := columns(w, rows); err != nil {
			return err
		}
		if more := n - (len(rows) - 1); more > 0 {
			fmt.Fprintf(w, "... and %s (--table %s)\n", plural(more, "more row", "more rows"), t.Name)
		}
	}
	if len(empty) > 0 {
		_, err := fmt.Fprintf(w, "\nwithout rows before a program runs: %s\n", strings.Join(empty, ", "))
		return err
	}
	return nil
}

func tableCSV(w io.Writer, t acl.Table) error {
	out := csv.NewWriter(w)
	cols := columnsOf(t)
	line := make([]string, len(cols))
	for i, c := range cols {
		line[i] = c.name
	}
	if err := out.Write(line); err != nil {
		return err
	}
	for r := range t.Rows {
		for i := range cols {
			line[i] = cols[i].cell(r, "")
		}
		if err := out.Write(line); err != nil {
			return err
		}
	}
	out.Flush()
	return out.Error()
}

// tablesJSON keeps the order of tables and columns, which a map would lose.
func tablesJSON(w io.Writer, all []acl.Table) error {
	var b strings.Builder
	put := func(v any) error {
		text, err := json.Marshal(v)
		b.Write(text)
		return err
	}
	b.WriteString("{")
	for i, t := range all {
		if i > 0 {
			b.WriteString(",")
		}
		fmt.Fprintf(&b, "\n  %q: [", t.Name)
		cols := columnsOf(t)
		n := 0
		for r := range t.Rows {
			if n++; n > 1 {
				b.WriteString(",")
			}
			b.WriteString("\n    {")
			for k := range cols {
				if k > 0 {
					b.WriteString(", ")
				}
				fmt.Fprintf(&b, "%q: ", cols[k].name)
				if err := put(cols[k].value(r)); err != nil {
					return fmt.Errorf("hsim tables: %s.%s: %w", t.Name, cols[k].name, err)
				}
			}
			b.WriteString("}")
		}
		if n > 0 {
			b.WriteString("\n  ")
		}
		b.WriteString("]")
		if _, err := io.WriteString(w, b.String()); err != nil {
			return err
		}
		b.Reset()
	}
	_, err := io.WriteString(w, "\n}\n")
	return err
}
