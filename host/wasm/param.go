package wasm

import (
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"sort"
	"strconv"
	"strings"
	"unicode"

	"hsim/abi"
	"hsim/host/units"
)

// Description is what a plugin says about itself through hsim_describe.
type Description struct {
	Name    string  `json:"name"`
	Version string  `json:"version"`
	About   string  `json:"about"`
	Params  []Param `json:"params"`
}

// Param is one parameter of a plugin.
type Param struct {
	Name    string   `json:"name"`
	Type    string   `json:"type"` // int, bool, bytes, rate, time, enum
	Default any      `json:"default"`
	About   string   `json:"about"`
	Values  []string `json:"values,omitempty"` // of an enum
}

// Setting is a parameter's value in base units, ready for hsim_set_param.
type Setting struct {
	Name  string // for errors
	Index uint32
	Value int64
}

// Describe asks the module about itself, on an instance made for the purpose. A module without hsim_describe has an empty
// description. A description that is not well formed is an error.
func (m *Module) Describe() (*Description, error) {
	if m.kind == abi.Program || !m.Has("hsim_describe") {
		return &Description{}, nil
	}
	in, err := m.Instantiate(InstanceConfig{LimitPages: max(m.minPages, DefaultPages)})
	if err != nil {
		return nil, err
	}
	defer func() { _ = in.Close() }()
	f, err := in.Func("hsim_describe")
	if err != nil {
		return nil, err
	}
	r, err := f.Call()
	if err != nil {
		return nil, err
	}
	text, err := in.Bytes(uint32(r>>32), uint32(r))
	if err != nil {
		return nil, err
	}
	d := &Description{}
	if err := json.Unmarshal(text, d); err != nil {
		return nil, fmt.Errorf("wasm: plugin %s: hsim_describe: got text that is not JSON: %w", m.name, err)
	}
	if len(d.Params) > 0 && !m.Has("hsim_set_param") {
		return nil, fmt.Errorf("wasm: plugin %s: hsim_describe: got %d parameters but no export hsim_set_param", m.name, len(d.Params))
	}
	if err := d.plain(); err != nil {
		return nil, fmt.Errorf("wasm: plugin %s: hsim_describe: %w", m.name, err)
	}
	for i := range d.Params {
		p := &d.Params[i]
		if p.Default == nil {
			return nil, fmt.Errorf("wasm: plugin %s: hsim_describe: parameter %s has no default", m.name, p.Name)
		}
		if _, err := p.Parse(p.Default); err != nil {
			return nil, fmt.Errorf("wasm: plugin %s: hsim_describe: default of %w", m.name, err)
		}
	}
	return d, nil
}

// Bounds of what a plugin says about itself: it is printed beside results.
const (
	maxWord   = 64
	maxAbout  = 1024
	maxParams = 256
)

// plain refuses texts that would break the lines they are printed in.
func (d *Description) plain() error {
	if len(d.Params) > maxParams {
		return fmt.Errorf("got %d parameters, want at most %d", len(d.Params), maxParams)
	}
	var first error
	check := func(what, text string, most int) {
		switch {
		case first != nil:
		case len(text) > most:
			first = fmt.Errorf("got %d bytes of %s, want at most %d", len(text), what, most)
		case strings.ContainsFunc(text, func(r rune) bool { return !unicode.IsPrint(r) }):
			first = fmt.Errorf("got %s %q, want characters that can be printed", what, text)
		}
	}
	check("name", d.Name, maxWord)
	check("version", d.Version, maxWord)
	check("about", d.About, maxAbout)
	for i := range d.Params {
		p := &d.Params[i]
		check("the name of a parameter", p.Name, maxWord)
		check("about of parameter "+p.Name, p.About, maxAbout)
		for _, v := range p.Values {
			check("a value of parameter "+p.Name, v, maxWord)
		}
	}
	return first
}

// Resolve turns parameters as a user wrote them into settings, in order of index. Parameters that are not given keep the
// plugin's own default. Everything unknown or ill-typed is said in one error,
// with the names of all there are where one is like none of them.
func (d *Description) Resolve(plugin string, values map[string]any) ([]Setting, error) {
	var faults []string
	var out []Setting
	lost := false // an unknown name that is like none of those there are
	for _, name := range keys(values) {
		i := d.index(name)
		if i < 0 {
			like := nearest(name, d.names())
			lost = lost || like == ""
			faults = append(faults, fmt.Sprintf("unknown parameter %s%s", name, like))
			continue
		}
		v, err := d.Params[i].Parse(values[name])
		if err != nil {
			faults = append(faults, "parameter "+err.Error())
			continue
		}
		out = append(out, Setting{Name: name, Index: uint32(i), Value: v})
	}
	if len(faults) > 0 {
		want := ""
		if lost {
			want = "; want " + d.valid()
		}
		return nil, fmt.Errorf("wasm: plugin %s: %s%s", plugin, strings.Join(faults, "; "), want)
	}
	sort.Slice(out, func(i, j int) bool { return out[i].Index < out[j].Index })
	return out, nil
}

func (d *Description) index(name string) int {
	for i := range d.Params {
		if d.Params[i].Name == name {
			return i
		}
	}
	return -1
}

func (d *Description) names() []string {
	out := make([]string, len(d.Params))
	for i := range d.Params {
		out[i] = d.Params[i].Name
	}
	return out
}

func (d *Description) valid() string {
	if len(d.Params) == 0 {
		return "no parameters at all"
	}
	return "one of " + strings.Join(d.names(), ", ")
}

// Parse converts a value as TOML or JSON delivers it to base units: int and bool as themselves, bytes in bytes, rate in
// bit/s, time in ps, an enum as the index of its word. Quantities are texts with a unit, such as "4KiB"; a bare number
// is taken in base units.
func (p *Param) Parse(value any) (int64, error) {
	switch v := value.(type) {
	case bool:
		if p.Type == "bool" {
			if v {
				return 1, nil
			}
			return 0, nil
		}
	case int:
		return p.number(int64(v))
	case int64:
		return p.number(v)
	case float64:
		if v == math.Trunc(v) && math.Abs(v) < 1<<53 {
			return p.number(int64(v))
		}
	case string:
		return p.text(v)
	}
	return 0, fmt.Errorf("%s: got %v, want %s", p.Name, value, p.want())
}

func (p *Param) number(v int64) (int64, error) {
	if p.Type == "enum" { // a word that is a number may be written as one
		if i := slices.Index(p.Values, strconv.FormatInt(v, 10)); i >= 0 {
			return int64(i), nil
		}
	}
	if p.Type == "bool" || p.Type == "enum" {
		return 0, fmt.Errorf("%s: got %d, want %s", p.Name, v, p.want())
	}
	if v < 0 && p.Type != "int" {
		return 0, fmt.Errorf("%s: got %d, want %s of at least 0", p.Name, v, p.want())
	}
	return v, nil
}

func (p *Param) text(s string) (int64, error) {
	var v int64
	var err error
	switch p.Type {
	case "int":
		v, err = strconv.ParseInt(s, 0, 64)
	case "bool":
		var b bool
		if b, err = strconv.ParseBool(s); b {
			v = 1
		}
	case "bytes":
		v, err = units.ParseSize(s)
	case "rate":
		r, e := units.ParseRate(s)
		v, err = int64(r), e
	case "time":
		t, e := units.ParseTime(s)
		v, err = int64(t), e
	case "enum":
		for i, w := range p.Values {
			if w == s {
				return int64(i), nil
			}
		}
		return 0, fmt.Errorf("%s: got %q, want %s%s", p.Name, s, p.want(), nearest(s, p.Values))
	default:
		return 0, fmt.Errorf("%s: got type %q, want int, bool, bytes, rate, time or enum", p.Name, p.Type)
	}
	if err != nil {
		return 0, fmt.Errorf("%s: got %q, want %s", p.Name, s, p.want())
	}
	return v, nil
}

func (p *Param) want() string {
	switch p.Type {
	case "bytes":
		return `a size such as "4KiB"`
	case "rate":
		return `a rate such as "400Gbps"`
	case "time":
		return `a time such as "1.5us"`
	case "enum":
		return "one of " + strings.Join(p.Values, ", ")
	case "bool":
		return "true or false"
	}
	return "an integer"
}

// set hands parameters to the guest.
func (in *Instance) set(settings []Setting) error {
	if len(settings) == 0 {
		return nil
	}
	f, err := in.Func("hsim_set_param")
	if err != nil {
		return err
	}
	for _, s := range settings {
		r, err := f.Call(uint64(s.Index), uint64(s.Value))
		if err != nil {
			return err
		}
		if st := abi.Status(int32(r)); st != abi.OK {
			about := ""
			if d, err := in.mod.Describe(); err == nil && int(s.Index) < len(d.Params) && d.Params[s.Index].About != "" {
				about = ", " + s.Name + " is: " + d.Params[s.Index].About
			}
			return fmt.Errorf("wasm: plugin %s: parameter %s: the plugin refuses the value %d (status %d, %s)%s", in.mod.name, s.Name, s.Value, int32(st), st, about)
		}
	}
	return nil
}
