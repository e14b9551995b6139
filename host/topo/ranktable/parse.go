package ranktable

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"hsim/host/topo/form"
)

// Parse checks the text of a rank table; name stands for it in faults. The error
// is *form.Faults with everything that is wrong.
func Parse(name string, data []byte, o Options) (*Table, error) {
	v, err := form.ParseJSON(name, data)
	if err != nil {
		return nil, err
	}
	p := newParser(name, o)
	top := p.r.Root(v)
	version := ""
	switch {
	case !top.Has("version") && top.Has("group_list"):
		p.r.Forget()
		p.groups(p.r.Root(v, "status", "group_count", "group_list"))
		return p.finish()
	case !top.Has("version"):
		top.Missing("version", "the version of the format: "+strings.Join(versions(o.generation()), " or "), "")
	default:
		if version, _ = top.OneOf("version", "1.0", "1.1", "1.2", "2.0"); version != "" {
			p.generation(top, version)
		}
	}
	p.r.Forget()
	p.t.Version = version
	switch version {
	case "1.0", "1.2":
		p.servers(p.r.Root(v, "status", "version", "server_count", "server_list", "super_pod_list", "hsim"))
	case "1.1":
		p.nodes(p.r.Root(v, "status", "version", "collective_id", "master_ip", "master_port", "node_list"))
	case "2.0":
		p.ranks(p.r.Root(v, "status", "version", "detour", "rank_count", "rank_list", "hsim"), false)
	}
	return p.finish()
}

func newParser(name string, o Options) *parser {
	return &parser{r: form.NewReader(name), o: o, t: &Table{Name: name}, byID: map[string]int{}, listed: map[[2]int]bool{}}
}

// finish ends a table: ranks by id, rules that need all of them.
func (p *parser) finish() (*Table, error) {
	p.families()
	if p.o.Visible != nil {
		p.visible()
	}
	if err := p.r.Err(); err != nil {
		return nil, err
	}
	slices.SortFunc(p.t.Ranks, func(a, b Rank) int { return a.ID - b.ID })
	p.t.Notes = p.r.Notes()
	return p.t, nil
}

// parser is the reading of one file.
type parser struct {
	r *form.Reader
	o Options
	t *Table

	perServer int             // devices of the first server
	byID      map[string]int  // servers
	listed    map[[2]int]bool // devices of groups by server and id
}

// versions lists the formats of a generation.
func versions(generation string) []string {
	switch generation {
	case "910", "A2":
		return []string{"1.0", "1.1"}
	case "A3":
		return []string{"1.2", "1.0"}
	case "950", "960":
		return []string{"2.0"}
	}
	return []string{"1.0", "1.1", "1.2", "2.0"}
}

// generation holds the version against the chip.
func (p *parser) generation(o *form.Object, version string) {
	ok := versions(p.o.generation())
	if slices.Contains(ok, version) {
		return
	}
	want := strconv.Quote(ok[0])
	switch ok[0] {
	case "1.2":
		want += `, or "1.0" for single servers`
	case "1.0":
		want += " (or \"1.1\")"
	}
	o.Bad("version", fmt.Sprintf("%s: profile %q is generation %s", want, p.o.Chip.Name, p.o.Chip.Generation),
		"a profile of the generation that the table was written for: "+owner(version))
}

// owner names the profiles that read a version.
func owner(version string) string {
	switch version {
	case "1.2":
		return "a3"
	case "2.0":
		return "950dt or 950pr"
	}
	return "910 or a2"
}

// status refuses a table that its writer has not finished.
func (p *parser) status(o *form.Object) {
	if o.Has("status") {
		o.OneOf("status", "completed")
	}
}

// own reads what hsim adds to a table it writes.
func (p *parser) own(o *form.Object) {
	if !o.Has("hsim") {
		return
	}
	if h, ok := o.Object("hsim", "hosts"); ok && h.Has("hosts") {
		p.t.Hosts, _ = h.Int("hosts", 1, 16)
	}
}

// maxDevice is the highest physical id of a device.
func (p *parser) maxDevice() int {
	switch p.o.generation() {
	case "910":
		return 7
	case "A2", "A3":
		return 15
	}
	return 1023
}

// port reads an optional port that 1.x writes as a string.
func (p *parser) port(o *form.Object, key string) int {
	if !o.Has(key) {
		return 0
	}
	n, _ := o.Digits(key, 1, 65535)
	return n
}

// places finds ranks that are missing, double or out of range. ids are the rank
// ids of the file in its order, objects where they stand.
func (p *parser) places(ids []int, objects []*form.Object) {
	n := len(ids)
	seen := make([]bool, n)
	for i, id := range ids {
		switch {
		case id < 0: // not a number: reported already
		case id >= n:
			objects[i].Bad("rank_id", fmt.Sprintf("the ids 0 to %d, each once: the table has %s", n-1, count(n, "rank")), "")
		case seen[id]:
			objects[i].Bad("rank_id", "every id once", "")
		default:
			seen[id] = true
		}
	}
}

func count(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}
