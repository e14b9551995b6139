package soc

import (
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/BurntSushi/toml"
)

// entry is one constant as written in a file.
type entry struct {
	key    string
	path   []string
	value  any
	source string
	class  Class
	line   int
}

// reader turns the text of one file into a profile.
type reader struct {
	name   string // of an embedded profile; "" for a user's file
	file   string // as printed in errors
	lines  lineIndex
	data   map[string]any
	fields map[string]field
	pf     map[string]portField
	known  []string // every key, for the nearest name
}

func parse(file, text string, depth int, embeddedName ...string) (*Profile, error) {
	if len(text) > MaxBytes {
		return nil, fmt.Errorf("profile %s: got more than %d MiB, want a profile", file, MaxBytes>>20)
	}
	if line, what := TooDeep(text, maxDepth); line > 0 {
		return nil, fmt.Errorf("profile %s:%d: %s, want a profile", file, line, what)
	}
	r := reader{file: file, lines: indexLines(text), fields: map[string]field{}, pf: map[string]portField{}}
	if len(embeddedName) > 0 {
		r.name, r.file = embeddedName[0], embeddedName[0]+".toml (embedded)"
	}
	for _, f := range fields() {
		r.fields[f.key] = f
		r.known = append(r.known, f.key)
	}
	for _, f := range portFields() {
		r.pf[f.key] = f
	}
	meta, err := toml.Decode(text, &r.data)
	if err != nil {
		return nil, r.syntax(err)
	}
	entries, err := r.entries(meta.Keys())
	if err != nil {
		return nil, err
	}
	p, rest, err := r.base(entries, depth)
	if err != nil {
		return nil, err
	}
	for _, e := range rest {
		if err := r.set(p, e); err != nil {
			return nil, err
		}
	}
	if err := finish(p); err != nil {
		var ke *keyError
		if errors.As(err, &ke) {
			return nil, fmt.Errorf("profile %s:%d: %w", r.file, max(r.lines.line(ke.key), r.lines.line(ke.also)), err)
		}
		return nil, fmt.Errorf("profile %s: %w", r.file, err)
	}
	return p, nil
}

func (r *reader) syntax(err error) error {
	var pe toml.ParseError
	if errors.As(err, &pe) {
		return fmt.Errorf("profile %s:%d: %s", r.file, pe.Position.Line, pe.Message)
	}
	return fmt.Errorf("profile %s: %w", r.file, err)
}

// fail is an error at a key's line.
func (r *reader) fail(e entry, format string, args ...any) error {
	return fmt.Errorf("profile %s:%d: %s: "+format, append([]any{r.file, e.line, e.key}, args...)...)
}

// entries lists the constants in file order. A constant is a plain value or a
// table with the keys value, source and class.
func (r *reader) entries(keys []toml.Key) ([]entry, error) {
	var out []entry
	inside := map[string]bool{} // constants written as tables: their keys are done
	for _, k := range keys {
		e := entry{key: strings.Join(k, "."), path: k}
		e.line = r.lines.line(e.key)
		if i := strings.LastIndexByte(e.key, '.'); i >= 0 && inside[e.key[:i]] {
			continue
		}
		v, ok := lookup(r.data, k)
		if !ok {
			return nil, r.fail(e, "got an array of tables, want tables with names, such as [ports.direct]")
		}
		table, isTable := v.(map[string]any)
		if !isTable {
			if _, list := v.([]map[string]any); list {
				return nil, r.fail(e, "got an array of tables, want tables with names, such as [ports.direct]")
			}
			e.value = v
			out = append(out, e)
			continue
		}
		if _, has := table["value"]; !has && !r.isKey(k) {
			continue // a section: its keys follow, and unknown ones are found there
		}
		if err := r.constant(&e, table); err != nil {
			return nil, err
		}
		inside[e.key] = true
		out = append(out, e)
	}
	return out, nil
}

// constant reads {value, source, class}.
func (r *reader) constant(e *entry, table map[string]any) error {
	names := make([]string, 0, len(table))
	for n := range table {
		names = append(names, n)
	}
	slices.Sort(names)
	for _, n := range names {
		if n != "value" && n != "source" && n != "class" {
			return r.fail(*e, "got key %q, want value, source and class", n)
		}
	}
	v, has := table["value"]
	if !has {
		return r.fail(*e, "got no value, want { value = ..., source = \"...\", class = \"assumed\" }")
	}
	e.value = v
	if s, has := table["source"]; has {
		text, ok := s.(string)
		if !ok || text == "" {
			return r.fail(*e, "source: got %s, want a text that says where the value comes from", show(s))
		}
		e.source = text
	}
	if c, has := table["class"]; has {
		text, _ := c.(string)
		e.class = Class(text)
		if !slices.Contains(classNames(), text) {
			return r.fail(*e, "class: %w", wrongName(c, text, classNames()))
		}
	}
	return nil
}

func classNames() []string {
	return []string{string(Measured), string(Vendor), string(Derived), string(Assumed)}
}

// isKey reports whether the path is that of a constant.
func (r *reader) isKey(k []string) bool {
	if len(k) == 3 && k[0] == "ports" {
		_, ok := r.pf[k[2]]
		return ok
	}
	_, ok := r.fields[strings.Join(k, ".")]
	return ok
}

// base loads the profile that the file overrides, or an empty one, and returns
// the entries that are constants.
func (r *reader) base(entries []entry, depth int) (*Profile, []entry, error) {
	p := &Profile{}
	title, inherited := "", Class("")
	rest := entries[:0]
	for _, e := range entries {
		if len(e.path) > 1 {
			rest = append(rest, e)
			continue
		}
		text, ok := e.value.(string)
		switch e.key {
		case "title", "base", "inherited":
			if !ok {
				return nil, nil, r.fail(e, "%w", wrong(e.value, "a string"))
			}
		default:
			return nil, nil, r.unknown(e)
		}
		switch e.key {
		case "title":
			title = text
		case "base":
			b, err := load(text, filepath.Dir(r.file), depth-1)
			if err != nil {
				return nil, nil, r.fail(e, "%w", err)
			}
			p = b
		case "inherited":
			if !slices.Contains(classNames(), text) {
				return nil, nil, r.fail(e, "%w", wrongName(text, text, classNames()))
			}
			inherited = Class(text)
		}
	}
	if inherited != "" {
		for i := range p.list {
			p.list[i].Class = inherited
			p.list[i].Source = "as " + p.name + ": " + p.list[i].Source
		}
	}
	if title == "" && p.name != "" {
		title = "based on " + p.name
	}
	p.name, p.file, p.title = r.name, "", title
	if r.name == "" {
		p.file = r.file
		p.name = strings.TrimSuffix(filepath.Base(r.file), ".toml")
	}
	p.chip.Name = p.name
	return p, rest, nil
}

func lookup(m map[string]any, k []string) (any, bool) {
	var v any = m
	for _, part := range k {
		t, ok := v.(map[string]any)
		if !ok {
			return nil, false
		}
		if v, ok = t[part]; !ok {
			return nil, false
		}
	}
	return v, true
}
