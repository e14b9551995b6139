package soc

import (
	"fmt"
	"slices"
	"strings"
)

// set puts one constant into the chip and into the list, in place of the one it
// overrides.
func (r *reader) set(p *Profile, e entry) error {
	var ptr any
	c := Constant{Key: e.key, Source: e.source, Class: e.class}
	lo, hi := int64(0), int64(0)
	if e.path[0] == "ports" {
		if len(e.path) != 3 || e.path[1] == "" {
			return r.fail(e, "%w", wrong(e.value, "a table [ports.NAME] with role, die, first, count, rate, latency and protocols"))
		}
		f, ok := r.pf[e.path[2]]
		if !ok {
			return r.unknown(e)
		}
		ptr, c.Doc, lo, hi = f.at(group(&p.chip, e.path[1])), f.doc, f.min, f.max
	} else {
		f, ok := r.fields[e.key]
		if !ok {
			return r.unknown(e)
		}
		ptr, c.Doc, lo, hi = f.at(&p.chip), f.doc, f.min, f.max
	}
	text, err := assign(ptr, e.value, lo, hi)
	if err != nil {
		return r.fail(e, "%w", err)
	}
	c.Value, c.Unit = text, unitOf(ptr)
	if c.Class == "" {
		c.Class = Assumed
	}
	if c.Source == "" {
		c.Source = fmt.Sprintf("%s:%d", r.file, e.line)
	}
	if i := slices.IndexFunc(p.list, func(o Constant) bool { return o.Key == c.Key }); i >= 0 {
		p.list[i] = c
	} else {
		p.list = append(p.list, c)
	}
	return nil
}

// unknown is the error of a key that no profile has.
func (r *reader) unknown(e entry) error {
	known := r.known
	if e.path[0] == "ports" {
		known = nil
		for _, f := range portFields() {
			known = append(known, strings.Join(e.path[:min(2, len(e.path))], ".")+"."+f.key)
		}
	}
	if len(e.path) == 1 {
		known = append(slices.Clone(known), "title", "base", "inherited")
	}
	n := Nearest(e.key, known)
	if n == "" {
		return r.fail(e, "got an unknown key, want a key that `hsim profiles 950dt` lists")
	}
	return r.fail(e, "got an unknown key, want a key that `hsim profiles 950dt` lists (try %q)", n)
}

// group returns the port group with the name, a new one when there is none.
func group(c *Chip, name string) *PortGroup {
	for i := range c.Ports {
		if c.Ports[i].Name == name {
			return &c.Ports[i]
		}
	}
	c.Ports = append(c.Ports, PortGroup{Name: name, Role: numRoles})
	return &c.Ports[len(c.Ports)-1]
}
