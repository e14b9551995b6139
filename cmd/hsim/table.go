package main

import (
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"hsim/host/scenario"
	"hsim/host/units"
)

// layout is the form of a table: the heads of hccl_test with bus bandwidth beside them, on one line where the columns fit
// and on two where there are few.
type layout struct {
	size  []string   // head of the first column, line by line
	group [][]string // heads of a variant's columns, line by line
	width []int      // of a variant's columns
	first int        // width of the first column
}

var (
	oneLine = layout{
		size:  []string{"data_size(Bytes):"},
		group: [][]string{{"aveg_time(us):", "alg_bandwidth(GB/s):", "bus_bandwidth(GB/s):", "check_result:"}},
		width: []int{14, 20, 20, 13},
		first: 17,
	}
	twoLines = layout{
		size:  []string{"data_size", "(Bytes):"},
		group: [][]string{{"aveg_time", "alg_bandwidth", "bus_bandwidth", "check_"}, {"(us):", "(GB/s):", "(GB/s):", "result:"}},
		width: []int{9, 13, 13, 7},
		first: 9,
	}
)

const between = " | "

// groupWidth is how many columns one variant takes.
func (l *layout) groupWidth() int {
	n := len(between) * (len(l.width) - 1)
	for _, w := range l.width {
		n += w
	}
	return n
}

// fit is how many variants stand side by side in a width, at least one.
func (l *layout) fit(width int) int {
	return max((width-l.first)/(l.groupWidth()+len(between)), 1)
}

// printTables writes one table per run, with a group of columns for each variant; groups that do not fit side by side
// follow below. The heads of hccl_test are broken into two lines where a narrow terminal shows more that way.
func printTables(w io.Writer, r *scenario.Report, width int) error {
	var b strings.Builder
	for i, v := range r.Variants {
		if i == 0 || v.Name != "" {
			b.WriteString(variantLine(v))
		}
	}
	l := oneLine
	if n := l.fit(width); n < min(len(r.Variants), 2) && n < twoLines.fit(width) || width < l.first+len(between)+l.groupWidth() {
		l = twoLines
	}
	per := l.fit(width)
	for _, run := range r.RunIndexes() {
		shown := withRows(r.Variants, run)
		for from := 0; from < len(shown); from += per {
			group := shown[from:min(from+per, len(shown))]
			b.WriteByte('\n')
			if group[0].Run(run).Program != "" {
				printProgram(&b, group, run)
			} else {
				l.print(&b, group, run)
			}
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
		name := strings.TrimSpace(t.Name + " " + t.Version)
		if t.Plugin != t.Name {
			name += " (" + t.Plugin + ")"
		}
		carried = append(carried, t.Protocol+" over "+name)
	}
	label := ""
	if v.Name != "" {
		label = v.Name + ": "
	}
	line := fmt.Sprintf("%schip %s (%s), %s, %s", label, v.Chip, v.SocName, scenario.Extent(v.Servers, v.Devices, v.Ranks), v.Topology)
	if len(carried) > 0 {
		line += "; " + strings.Join(carried, ", ")
	}
	if v.Data != "real" {
		line += "; " + v.Data + " data"
	}
	return scenario.Printable(line) + "\n"
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

// print writes the table of a run with a group of columns for each of some variants.
func (l *layout) print(b *strings.Builder, group []*scenario.VariantReport, run int) {
	title, labels := titles(group, run)
	b.WriteString(title + "\n")
	line := func(first string, cells []string) {
		text := pad(first, l.first)
		for _, c := range cells {
			text += between + c
		}
		b.WriteString(strings.TrimRight(text, " ") + "\n")
	}
	if labels != nil {
		for i := range labels {
			labels[i] = pad(labels[i], l.groupWidth())
		}
		line("", labels)
	}
	cells := make([]string, len(group))
	for n, heads := range l.group {
		for i := range cells {
			cells[i] = l.join(heads)
		}
		line(l.size[n], cells)
	}
	for _, size := range sizesOf(group, run) {
		bytes := int64(0) // as hccl_test: what was moved, in whole elements
		for i, v := range group {
			cells[i] = strings.Repeat(" ", l.groupWidth())
			if row := v.Row(run, size); row != nil {
				if bytes == 0 {
					bytes = row.Bytes
				} else if bytes != row.Bytes {
					bytes = size
				}
				cells[i] = l.join([]string{fmt.Sprintf("%.2f", row.TimeUS.Float()), fmt.Sprintf("%.5f", float64(row.AlgGBps)),
					fmt.Sprintf("%.5f", float64(row.BusGBps)), row.Check})
			}
		}
		if bytes > 0 { // else nobody came to it: a task had failed
			line(fmt.Sprint(bytes), cells)
		}
	}
}

func (l *layout) join(cells []string) string {
	padded := make([]string, len(cells))
	for i, c := range cells {
		if padded[i] = c; textWidth(c) < l.width[i] {
			padded[i] = pad(c, l.width[i])
		}
	}
	return strings.Join(padded, between)
}

// sizesOf lists the sizes of a run over the variants, which may have some of their own.
func sizesOf(group []*scenario.VariantReport, run int) []int64 {
	out := slices.Clone(group[0].Sizes(run))
	own := false
	for _, v := range group[1:] {
		for _, size := range v.Sizes(run) {
			if !slices.Contains(out, size) {
				out, own = append(out, size), true
			}
		}
	}
	if own {
		slices.Sort(out)
	}
	return out
}

// titles says what a run did, and for each variant, where there are some, its name and how it did it; what the variants
// do not have in common stands there too.
func titles(group []*scenario.VariantReport, run int) (string, []string) {
	title := runTitle(group[0], run)
	same, named := true, false
	for _, v := range group {
		same = same && runTitle(v, run) == title
		named = named || v.Name != ""
	}
	if !named {
		if how := group[0].How(run); how != "" {
			title += ", " + how
		}
		return title, nil
	}
	labels := make([]string, len(group))
	for i, v := range group {
		what := v.How(run)
		if !same {
			what = strings.TrimSuffix(runTitle(v, run)+", "+what, ", ")
		}
		labels[i] = strings.TrimSuffix(v.Name+": "+what, ": ")
	}
	if !same {
		title = "run " + strconv.Itoa(run)
	}
	return title, labels
}

// runTitle says what a variant did in a run.
func runTitle(v *scenario.VariantReport, run int) string {
	rn := v.Run(run)
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
		title += fmt.Sprintf(", %d ranks", v.Ranks)
	} else {
		title += fmt.Sprintf(", on each of %d devices", v.Ranks)
	}
	if rn.Iterations > 1 {
		title += fmt.Sprintf(", average of %d iterations", rn.Iterations)
	}
	return title
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
			fmt.Fprintf(&b, "%-17d | %-14.2f | %-20.5f | %s\n", row.Size, row.TimeUS.Float(), float64(row.AlgGBps), row.Check)
		}
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// size writes a byte count for people.
func size(n int64) string { return units.FormatSize(n) }
