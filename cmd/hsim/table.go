package main

import (
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"

	"golang.org/x/term"

	"hsim/host/scenario"
	"hsim/host/units"
)

// defaultWidth is the width of a table that goes to a file or a pipe: two variants side by side.
const defaultWidth = 180

// widthOf is the width of the terminal behind w, defaultWidth when there is none: piped output is always the same.
func widthOf(w io.Writer) int {
	if f, ok := w.(*os.File); ok && term.IsTerminal(int(f.Fd())) {
		if n, _, err := term.GetSize(int(f.Fd())); err == nil && n > 0 {
			return n
		}
	}
	return defaultWidth
}

// The columns, as hccl_test prints them; bus bandwidth is ours.
const (
	sizeHead  = "data_size(Bytes):"
	groupHead = "aveg_time(us): | alg_bandwidth(GB/s): | bus_bandwidth(GB/s): | check_result:"
	groupRow  = "%-14.2f | %-20.5f | %-20.5f | %-13s"
)

// printTables writes one table per run, with a group of columns for each variant; groups that do not fit side by side
// follow below.
func printTables(w io.Writer, r *scenario.Report, width int) error {
	var b strings.Builder
	for i, v := range r.Variants {
		if i == 0 || v.Name != "" {
			b.WriteString(variantLine(v))
		}
	}
	per := max((width-len(sizeHead))/(len(groupHead)+3), 1)
	for _, run := range r.RunIndexes() {
		shown := withRows(r.Variants, run)
		for from := 0; from < len(shown); from += per {
			group := shown[from:min(from+per, len(shown))]
			b.WriteByte('\n')
			printGroup(&b, group, run)
		}
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// withRows leaves out the variants that never got to a run.
func withRows(all []*scenario.VariantReport, run int) []*scenario.VariantReport {
	var out []*scenario.VariantReport
	for _, v := range all {
		for _, size := range v.Sizes(run) {
			if v.Row(run, size) != nil {
				out = append(out, v)
				break
			}
		}
	}
	return out
}

func variantLine(v *scenario.VariantReport) string {
	var carried []string
	for _, t := range v.Transports {
		name := t.Plugin
		if t.Version != "" {
			name += " " + t.Version
		}
		carried = append(carried, t.Protocol+" over "+name)
	}
	label := ""
	if v.Name != "" {
		label = v.Name + ": "
	}
	return fmt.Sprintf("%schip %s (%s), %d x %d devices, %s; %s\n", label, v.Chip, v.SocName, v.Servers, v.Devices, v.Topology, strings.Join(carried, ", "))
}

// printProgram writes a line for every variant: how long the program ran, and how its processes ended.
func printProgram(b *strings.Builder, group []*scenario.VariantReport, run int) {
	for _, v := range group {
		row := v.Row(run, 0)
		if row == nil {
			continue
		}
		label := ""
		if v.Name != "" {
			label = v.Name + ": "
		}
		fmt.Fprintf(b, "%sprogram %s, %s: %.2f us, %s\n", label, row.Op, plural(len(row.Processes), "process", "processes"), row.TimeUS.Float(), row.Check)
	}
}

func plural(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %s", n, many)
}

func printGroup(b *strings.Builder, group []*scenario.VariantReport, run int) {
	if group[0].Run(run).Program != "" {
		printProgram(b, group, run)
		return
	}
	b.WriteString(runTitle(group, run) + "\n")
	named := false
	for _, v := range group {
		named = named || v.Name != ""
	}
	if named {
		line := fmt.Sprintf("%-*s", len(sizeHead), "")
		for _, v := range group {
			line += fmt.Sprintf(" | %-*s", len(groupHead), v.Name+": "+v.How(run))
		}
		b.WriteString(strings.TrimRight(line, " ") + "\n")
	}
	b.WriteString(sizeHead + strings.Repeat(" | "+groupHead, len(group)) + "\n")
	sizes := group[0].Sizes(run)
	for _, size := range sizes {
		line := fmt.Sprintf("%-17d", size)
		for _, v := range group {
			cell := strings.Repeat(" ", len(groupHead))
			if row := v.Row(run, size); row != nil {
				cell = fmt.Sprintf(groupRow, row.TimeUS.Float(), float64(row.AlgGBps), float64(row.BusGBps), row.Check)
			}
			line += " | " + cell
		}
		b.WriteString(strings.TrimRight(line, " ") + "\n")
	}
}

// runTitle says what a run did; where the variants differ in it, the group's head does.
func runTitle(group []*scenario.VariantReport, run int) string {
	rn := group[0].Run(run)
	parts := []string{rn.Name(), rn.DtypeName()}
	if rn.IsOp && rn.Op.Reduces() || rn.Kernel == "reduce" {
		parts = append(parts, rn.Reduce.String())
	}
	if rn.Shape[0] > 0 {
		parts = append(parts, fmt.Sprintf("%dx%dx%d", rn.Shape[0], rn.Shape[1], rn.Shape[2]))
	}
	if rn.InPlace {
		parts = append(parts, "in place")
	}
	title := strings.Join(parts, " ")
	if rn.IsOp {
		title += fmt.Sprintf(", %s ranks", ranksOf(group))
	} else {
		title += fmt.Sprintf(", on each of %s devices", ranksOf(group))
	}
	if rn.Iterations > 1 {
		title += fmt.Sprintf(", average of %d iterations", rn.Iterations)
	}
	if how := group[0].How(run); len(group) == 1 && group[0].Name == "" && how != "" {
		title += ", " + how
	}
	return title
}

func ranksOf(group []*scenario.VariantReport) string {
	var out []string
	for _, v := range group {
		n := strconv.Itoa(v.Ranks)
		if len(out) == 0 || out[len(out)-1] != n {
			out = append(out, n)
		}
	}
	return strings.Join(out, "/")
}

// printHcclTest writes the report as the real tool does, width for width.
func printHcclTest(w io.Writer, r *scenario.Report, minBytes, maxBytes int64) error {
	v := r.Variants[0]
	rn := v.Run(0)
	var b strings.Builder
	fmt.Fprintf(&b, "the minbytes is %d, maxbytes is %d, iters is %d, warmup_iters is %d\n", minBytes, maxBytes, rn.Iterations, rn.Warmup)
	b.WriteString("data_size(Bytes): | aveg_time(us): | alg_bandwidth(GB/s): | check_result:\n")
	for _, row := range v.Rows {
		if !row.Partial {
			fmt.Fprintf(&b, "%-17d | %-14.2f | %-20.5f | %s\n", row.Bytes, row.TimeUS.Float(), float64(row.AlgGBps), row.Check)
		}
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// size writes a byte count for people.
func size(n int64) string { return units.FormatSize(n) }
