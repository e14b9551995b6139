package scenario

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// values is every key that was given a value for one variant; the rest have their defaults.
type values struct {
	schema  *schema
	set     map[string]setting
	file    string
	pos     positions
	probs   *problems
	variant bool            // of a [[variant]], not the file as it stands
	used    map[string]bool // generic paths that were asked for; a test holds that every key is

	replaced map[string]int // the layer that a list of tables is from
	look     bool           // Options.Look
}

// resolve lays the document's layers over each other: file, variant, --set. The later one wins.
func (d *document) resolve(s *schema, v *variantLayer, probs *problems) *values {
	out := &values{schema: s, set: map[string]setting{}, file: d.file, pos: d.pos, probs: probs, used: map[string]bool{}, replaced: map[string]int{}, variant: v != nil}
	out.apply(d.base, d.runs, 0)
	if v != nil {
		for _, s := range v.layer {
			if strings.HasPrefix(s.path, "output.") || s.path == "sim.name" || s.path == "sim.base" {
				probs.add(Problem{File: s.file, Line: s.line, Key: s.path, Value: written(s.raw), Want: "is the same for all variants, want it outside of [[variant]]"})
			}
		}
		out.apply(v.layer, d.runs, 1)
	}
	out.apply(d.sets, d.runs, 2)
	return out
}

func (v *values) apply(l layer, runs, rank int) {
	// Which keys a run takes depends on others of it, which come first whatever the order they are given in.
	l = slices.Clone(l)
	slices.SortStableFunc(l, func(a, b setting) int { return decides(a.path) - decides(b.path) })
	for _, s := range l {
		s.rank = rank
		if whole(s.path) {
			v.replaced[s.path] = rank
			for p := range v.set {
				if strings.HasPrefix(p, s.path+"[") {
					delete(v.set, p)
				}
			}
			continue
		}
		after, every := strings.CutPrefix(s.path, "run[*].")
		if !every {
			if i := runIndex(s.path); i >= runs {
				v.probs.add(Problem{File: s.file, Line: s.line, Key: s.path, Value: written(s.raw), Want: "there is no such run; the file has " + strconv.Itoa(runs)})
				continue
			}
			v.set[s.path] = s
			continue
		}
		applied := false
		for i := range runs {
			if v.applies(i, after) {
				one := s
				one.path = join(element("run", i), after)
				v.set[one.path] = one
				applied = true
			}
		}
		if !applied && runs > 0 {
			v.probs.add(Problem{File: s.file, Line: s.line, Key: "run." + after, Value: written(s.raw), Want: "no run of the file takes this key"})
		}
	}
}

// decides is how early a key is applied: what a run is, then what of its shape other keys depend on, then the rest.
func decides(path string) int {
	if _, key, ok := strings.Cut(path, "]."); ok && strings.HasPrefix(path, "run[") {
		switch key {
		case "op", "kernel", "program":
			return 0
		case "args", "shape":
			return 1
		}
	}
	return 2
}

// runIndex returns the i of "run[i].key", -1 for other paths.
func runIndex(path string) int {
	after, ok := strings.CutPrefix(path, "run[")
	if !ok {
		return -1
	}
	digits, _, _ := strings.Cut(after, "]")
	n, err := strconv.Atoi(digits)
	if err != nil {
		return -1
	}
	return n
}

// has reports whether a key was given a value, and where.
func (v *values) has(path string) (setting, bool) {
	v.used[generic(path)] = true
	s, ok := v.set[path]
	return s, ok
}

// get returns the value of a key: as given, else its default, else the zero value of T.
func get[T any](v *values, path string) T {
	v.used[generic(path)] = true
	var zero T
	if s, ok := v.set[path]; ok {
		if t, ok := s.value.(T); ok {
			return t
		}
		return zero
	}
	k, ok := v.schema.key(path)
	if !ok {
		return zero
	}
	if t, ok := k.defaultValue().(T); ok {
		return t
	}
	return zero
}

// elements is how many tables a list has.
func (v *values) elements(list string) int {
	n := 0
	for p := range v.set {
		if after, ok := strings.CutPrefix(p, list+"["); ok {
			digits, _, _ := strings.Cut(after, "]")
			if i, err := strconv.Atoi(digits); err == nil {
				n = max(n, i+1)
			}
		}
	}
	return n
}

// orphan refuses a table of a list that only single keys of the command line speak of.
func (v *values) orphan(list string, i int) bool {
	pre := element(list, i) + "."
	var first *setting
	for p, s := range v.set {
		if !strings.HasPrefix(p, pre) {
			continue
		}
		if s.rank < 2 || v.replaced[list] == 2 {
			return false
		}
		if first == nil || s.path < first.path {
			first = &s
		}
	}
	if first != nil {
		v.probs.add(Problem{File: first.file, Key: first.path, Value: written(first.raw), Want: fmt.Sprintf("there is no %s, the list ends before it", element(list, i)),
			Try: "--set '" + list + "=[{...}]' for a new list"})
	}
	return true
}

// problemIn blames a table for what none of its keys is to blame for; it is placed at the first of them.
func (v *values) problemIn(table, want, try string) {
	first := setting{file: v.file, line: v.pos.line(table)}
	found := false
	for p, s := range v.set {
		if strings.HasPrefix(p, table+".") && (!found || s.line < first.line || s.line == first.line && s.path < first.path) {
			first, found = s, true
		}
	}
	v.probs.add(Problem{File: first.file, Line: first.line, Key: table, Want: want, Try: try})
}

// problem blames a key that was read: it is placed where the key was given, or where it could have been.
func (v *values) problem(path, want, try string) {
	if s, ok := v.set[path]; ok {
		v.probs.add(Problem{File: s.file, Line: s.line, Key: s.path, Value: written(s.raw), Want: want, Try: try})
		return
	}
	v.probs.add(Problem{File: v.file, Line: v.pos.line(path), Key: path, Want: want, Try: try})
}
