package scenario

import (
	"fmt"
	"reflect"
	"sort"
	"strings"

	"hsim/host/units"
)

// KeyValue is one line of `hsim config`.
type KeyValue struct {
	Key     string `json:"key"`
	Value   string `json:"value"`   // as TOML; "" = not set
	Default string `json:"default"` // as TOML; "" = none
	Origin  string `json:"origin"`  // default, file:line, a variant, or --set
	Changed bool   `json:"changed"` // the value is not the default, however it is written
}

// Keys lists every key of the schema with the value it has in this variant, in the order of the reference page; the keys
// of a run appear once per run.
func (c *Config) Keys() []KeyValue {
	var out []KeyValue
	seen := map[string]bool{}
	for _, k := range Keys() {
		table, _, isArray := strings.Cut(k.Path, "[].")
		switch {
		case !isArray && strings.HasSuffix(k.Path, ".*"):
			for _, p := range c.values.under(strings.TrimSuffix(k.Path, "*")) {
				out = append(out, c.values.line(p, k))
			}
		case !isArray:
			out = append(out, c.values.line(k.Path, k))
		case whole(table) && !seen[table]:
			seen[table] = true
			for i := range c.values.elements(table) {
				for _, p := range c.values.under(element(table, i) + ".") {
					k, _ := c.values.schema.key(p)
					out = append(out, c.values.line(p, k))
				}
			}
		case table == "run" && !seen[table]:
			seen[table] = true
			for i := range c.Runs {
				for _, rk := range runKeys() {
					out = append(out, c.values.line(strings.Replace(rk.Path, "[]", fmt.Sprintf("[%d]", i), 1), rk))
				}
			}
		}
	}
	return out
}

func (v *values) line(path string, k Key) KeyValue {
	kv := KeyValue{Key: path, Value: k.Default, Default: k.Default, Origin: "default"}
	if s, ok := v.set[path]; ok {
		kv.Value, kv.Origin = written(s.raw), s.origin
		kv.Changed = k.Default == "" || !reflect.DeepEqual(s.value, k.defaultValue())
	}
	return kv
}

// under lists the set paths with a prefix, in order.
func (v *values) under(prefix string) []string {
	var out []string
	for p := range v.set {
		if strings.HasPrefix(p, prefix) {
			out = append(out, p)
		}
	}
	sort.Strings(out)
	return out
}

// Reference is the reference page of sim.toml in Markdown, made from the schema.
func Reference() string {
	var b strings.Builder
	b.WriteString("# sim.toml: every key\n\n" +
		"Made from the program's own table by `hsim config --reference`; do not edit it.\n\n" +
		"Sizes are written `64MiB`, `8KiB`, `1.5GB` or as a number of bytes; rates `400Gbps` or `56GB/s`; times `1.5us`, `30s`,\n" +
		"`2h` or `\"0\"`. Paths are relative to the file. An unknown key, a value of the wrong kind and a combination that cannot\n" +
		"work are errors that name the file, the line, the key, the value and the remedy. `--set KEY=VALUE` replaces a key on the\n" +
		"command line, `run.KEY` in all runs that take it and `run[0].KEY` in the first, with paths from where you are; `hsim\n" +
		"config` shows what every key is and where it was set. TOML takes a key once: the short form `topology = \"mesh\"` of a table\n" +
		"stands instead of `[cluster.topology]`, and `topology = { kind = \"mesh\", dims = [4, 2] }` is both on one line.\n\n" +
		"Keys marked *later* are known and refused when they are set to anything but their default.\n")
	last := ""
	for _, k := range Keys() {
		table, name := splitKey(k.Path)
		if table != last {
			fmt.Fprintf(&b, "\n## %s\n\n| key | value | default | meaning |\n|---|---|---|---|\n", table)
			last = table
		}
		fmt.Fprintf(&b, "| `%s` | %s | %s | %s |\n", name, k.valueText(), codeOrDash(k.Default), k.docText())
	}
	b.WriteString("\n" + afterword)
	return b.String()
}

const afterword = `## How a file is read

The runs are executed in order: first as the file stands, under the name ` + "`sim.name`" + `, then once more for each ` + "`[[variant]]`" + `, with
its keys replaced. Each of these is a simulation of its own: it starts at virtual time zero with the seed of ` + "`sim.seed`" + `, and its
results stand in its own group of columns. ` + "`sim.base = false`" + ` leaves out the first.

The time of a row is the virtual time from the first rank's entry to the last rank's end, over the measured iterations,
divided by their number. ` + "`alg_bandwidth`" + ` is the bytes over that time (all_gather and reduce_scatter: times the number of ranks, as
hccl_test has it); ` + "`bus_bandwidth`" + ` is that times 2(p-1)/p for all_reduce, (p-1)/p for all_gather, reduce_scatter and
all_to_all, and 1 for broadcast, so that it can be compared with the rate of the links.
`

func splitKey(path string) (table, name string) {
	if strings.HasPrefix(path, "transport.") {
		parts := strings.SplitN(path, ".", 2)
		return "[transport]", parts[1]
	}
	cut := strings.LastIndexByte(path, '.')
	table, name = path[:cut], path[cut+1:]
	if t, ok := strings.CutSuffix(table, "[]"); ok {
		return "[[" + t + "]]", name
	}
	return "[" + table + "]", name
}

func (k Key) valueText() string {
	if k.Kind == KindAny && k.Later != "" {
		return "-"
	}
	switch k.Kind {
	case KindEnum:
		return strings.Join(k.Values, ", ")
	case KindInt, KindInts, KindTrain, KindEnv, KindHosts, KindProcesses:
		return fmt.Sprintf("%v, %s..%s", k.Kind, short(k.Min), short(k.Max))
	}
	return k.Kind.String()
}

// short writes a bound the way people read it.
func short(n int64) string {
	switch {
	case n == 1<<63-1:
		return "2^63-1"
	case n == 1<<31-1:
		return "2^31-1"
	case n >= 1<<20 && n%(1<<20) == 0:
		return strings.TrimSuffix(units.FormatSize(n), "iB")
	}
	return fmt.Sprint(n)
}

func (k Key) docText() string {
	doc := strings.ReplaceAll(k.Doc, "|", "\\|")
	if k.Later != "" {
		return "*later*: " + doc
	}
	return doc
}

func codeOrDash(s string) string {
	if s == "" {
		return "-"
	}
	return "`" + s + "`"
}
