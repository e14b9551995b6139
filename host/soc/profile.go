package soc

import "slices"

// Class is how well a constant is known.
type Class string

// The evidence classes, best first.
const (
	Measured Class = "measured" // fitted to a published measurement
	Vendor   Class = "vendor"   // published by the vendor, or in its code or headers
	Derived  Class = "derived"  // computed from vendor or measured figures
	Assumed  Class = "assumed"  // an estimate
)

// Constant is one line of a profile: a key with its value as written, its unit,
// where the value comes from and how well it is known.
type Constant struct {
	Key    string // dotted: sdma.copy_rate
	Value  string
	Unit   string // time, rate, size, count, permille, flag, name, names, flops, frequency
	Source string
	Class  Class
	Doc    string // what the key means
}

// Profile is a chip together with the record of where its constants come from.
type Profile struct {
	name  string
	title string
	file  string
	chip  Chip
	list  []Constant
}

// Name is the profile's name.
func (p *Profile) Name() string { return p.name }

// Title is the one-line description of the profile.
func (p *Profile) Title() string { return p.title }

// File is the file the profile was read from; "" for an embedded one.
func (p *Profile) File() string { return p.file }

// Chip is the resolved chip. Callers must not change it.
func (p *Profile) Chip() *Chip { return &p.chip }

// Constants returns every constant in the order of the profile's file, those
// of its base first.
func (p *Profile) Constants() []Constant { return p.list }

// Speaking is the profile of the same chip whose devices speak up inside a
// scale-up domain and out between domains; from says who wants it so. That its
// ports carry them is the caller's to see to.
func (p *Profile) Speaking(up, out Protocol, from string) *Profile {
	q := *p
	q.chip.ScaleUp, q.chip.ScaleOut = up, out
	q.list = slices.Clone(p.list)
	for i := range q.list {
		c := &q.list[i]
		want := c.Value
		switch c.Key {
		case "network.scale_up":
			want = up.String()
		case "network.scale_out":
			want = out.String()
		}
		if want != c.Value {
			c.Value, c.Source, c.Class = want, from, Assumed
		}
	}
	return &q
}
