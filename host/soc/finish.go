package soc

import (
	"fmt"
	"slices"
	"strings"
)

// expansionNames are the ways a collective becomes work for the hardware.
func expansionNames() []string { return []string{"host", "aicpu", "aiv", "ccu_ms", "ccu_sched"} }

// finish fills what may be left out and refuses a chip that cannot be.
func finish(p *Profile) error {
	have := map[string]bool{}
	for _, c := range p.list {
		have[c.Key] = true
	}
	var missing []string
	for _, f := range fields() {
		if !f.optional && !have[f.key] {
			missing = append(missing, f.key)
		}
	}
	if len(missing) > 0 {
		return fmt.Errorf("got no %s, want every constant (try base = \"950dt\" as the first line and only the keys that differ)",
			shorten(missing, 3))
	}
	c := &p.chip
	if c.CCU.Version > 0 && len(c.CCU.Versions) == 0 {
		c.CCU.Versions = []int{c.CCU.Version}
	}
	if c.CCU.Version > 0 && c.CCU.Dies == 0 {
		c.CCU.Dies = c.Dies
	}
	for _, check := range []func(*Chip, map[string]bool) error{checkCCU, checkExpansions, checkPorts} {
		if err := check(c, have); err != nil {
			return err
		}
	}
	return nil
}

func checkCCU(c *Chip, have map[string]bool) error {
	if c.CCU.Version == 0 {
		if len(c.CCU.Versions) > 0 {
			return at("ccu.versions", "got %v beside ccu.version 0, want none (try ccu.version = %d)", c.CCU.Versions, c.CCU.Versions[0])
		}
		return nil
	}
	if !slices.Contains(c.CCU.Versions, c.CCU.Version) {
		return at("ccu.versions", "got %v, want a list with ccu.version %d", c.CCU.Versions, c.CCU.Version)
	}
	if c.CCU.Dies > c.Dies {
		return at("ccu.dies", "got %d, want at most chip.dies %d", c.CCU.Dies, c.Dies)
	}
	for _, n := range []struct {
		key string
		n   int
	}{{"instructions", c.CCU.Instructions}, {"missions", c.CCU.Missions}, {"loops", c.CCU.Loops}, {"xn", c.CCU.Xn},
		{"cke", c.CCU.CKE}, {"ms", c.CCU.MS}, {"channels", c.CCU.Channels}} {
		if n.n == 0 {
			return at("ccu."+n.key, "got 0, want at least 1 on a chip with ccu.version %d", c.CCU.Version)
		}
	}
	return nil
}

func checkExpansions(c *Chip, _ map[string]bool) error {
	for _, e := range c.Expansions {
		if !slices.Contains(expansionNames(), e) {
			return at("expansion.all", "%w", wrongName(e, e, expansionNames()))
		}
		if strings.HasPrefix(e, "ccu") && c.CCU.Version == 0 {
			return at("expansion.all", "got %q on a chip with ccu.version 0, want no CCU expansion", e)
		}
	}
	if !slices.Contains(c.Expansions, c.DefaultExpansion) {
		return at("expansion.default", "%w", wrongName(c.DefaultExpansion, c.DefaultExpansion, c.Expansions))
	}
	return nil
}

func checkPorts(c *Chip, have map[string]bool) error {
	var all ProtocolSet
	type place struct{ die, port int }
	owner := map[place]string{}
	for i := range c.Ports {
		g := &c.Ports[i]
		for _, f := range portFields() {
			if key := "ports." + g.Name + "." + f.key; !f.optional && !have[key] {
				return at(key, "got none, want it in [ports.%s]", g.Name)
			}
		}
		if !have["ports."+g.Name+".uplink"] {
			g.Uplink = g.Latency
		}
		if !have["ports."+g.Name+".hop"] {
			g.Hop = c.HopLatency
		}
		if g.Die >= c.Dies {
			return at("ports."+g.Name+".die", "got %d, want below chip.dies %d", g.Die, c.Dies)
		}
		for n := g.First; n < g.First+g.Count; n++ {
			if o := owner[place{g.Die, n}]; o != "" {
				err := at("ports."+g.Name, "got port %d/%d, which ports.%s has already, want ports of its own (try another first)", g.Die, n, o)
				err.also = "ports." + o
				return err
			}
			owner[place{g.Die, n}] = g.Name
		}
		all |= g.Protocols
	}
	if !all.Has(c.ScaleUp) {
		return at("network.scale_up", "got %q, want a protocol that some ports speak: %s", c.ScaleUp, all)
	}
	return nil
}

// keyError is a fault of the value of a key, found when all values are known.
type keyError struct {
	key  string
	also string // another key that may be the one at fault, or ""
	err  error
}

func (e *keyError) Error() string { return e.key + ": " + e.err.Error() }
func (e *keyError) Unwrap() error { return e.err }

func at(key, format string, args ...any) *keyError {
	return &keyError{key: key, err: fmt.Errorf(format, args...)}
}

// shorten joins the first n names and says how many there are more.
func shorten(names []string, n int) string {
	if len(names) <= n {
		return strings.Join(names, ", ")
	}
	return fmt.Sprintf("%s and %d more", strings.Join(names[:n], ", "), len(names)-n)
}
