package soc

import "fmt"

// Summary is one row of the list of profiles.
type Summary struct {
	Name, Title, SocName, Generation, RankTable string
	Alias                                       string // another name, or ""
	CCU                                         string // none, V1, V2, V1+V2
	ScaleUp, ScaleOut                           string
	Classes                                     [4]int // constants that are measured, vendor, derived, assumed
}

// Summaries lists the embedded profiles in the order of Names.
func Summaries() ([]Summary, error) {
	var out []Summary
	for _, n := range Names() {
		p, err := Load(n)
		if err != nil {
			return nil, err
		}
		out = append(out, p.Summary())
	}
	return out, nil
}

// Summary is the row of this profile in a list.
func (p *Profile) Summary() Summary {
	c := &p.chip
	s := Summary{Name: p.name, Title: p.title, SocName: c.SocName, Generation: c.Generation, RankTable: c.RankTable,
		CCU: "none", ScaleUp: c.ScaleUp.String(), ScaleOut: c.ScaleOut.String()}
	for _, a := range Aliases() {
		if a[1] == p.name {
			s.Alias = a[0]
		}
	}
	for i, v := range c.CCU.Versions {
		if i == 0 {
			s.CCU = ""
		} else {
			s.CCU += "+"
		}
		s.CCU += fmt.Sprintf("V%d", v)
	}
	for _, k := range p.list {
		for i, n := range classNames() {
			if string(k.Class) == n {
				s.Classes[i]++
			}
		}
	}
	return s
}

// Changed lists the constants of p whose value differs from that of the same
// key in other, or that other lacks, in p's order.
func (p *Profile) Changed(other *Profile) []Constant {
	values := map[string]string{}
	for _, c := range other.list {
		values[c.Key] = c.Value
	}
	var out []Constant
	for _, c := range p.list {
		if v, ok := values[c.Key]; !ok || v != c.Value {
			out = append(out, c)
		}
	}
	return out
}
