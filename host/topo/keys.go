package topo

import (
	"fmt"
	"slices"
	"strings"

	"hsim/host/sim"
	"hsim/host/soc"
	"hsim/host/units"
)

// ParamKey is one key of [cluster.topology].
type ParamKey struct {
	Name  string
	Kinds []string // topologies that take it; nil = all
	Doc   string

	at       func(*Params) any
	min, max int
}

// ParamKeys lists the keys of [cluster.topology] with what they mean.
func ParamKeys() []ParamKey { return paramKeys() }

func paramKeys() []ParamKey {
	return []ParamKey{
		{"dims", []string{"mesh"}, "devices along each dimension of the mesh", func(p *Params) any { return &p.Dims }, 1, maxDevices},
		{"planes", []string{"star", "clos", "mesh-clos", "fattree", "superpod", "link"}, "switch planes, or parallel links", func(p *Params) any { return &p.Planes }, 1, maxPlanes},
		{"group", []string{"mesh-clos"}, "devices in one full mesh", func(p *Params) any { return &p.Group }, 1, maxPerSrv},
		{"leaves", []string{"clos", "mesh-clos"}, "leaf switches of a plane", func(p *Params) any { return &p.Leaves }, 1, maxDevices},
		{"spines", []string{"clos", "mesh-clos", "superpod"}, "spine switches of a plane", func(p *Params) any { return &p.Spines }, 1, maxDevices},
		{"oversubscription", []string{"clos", "mesh-clos", "superpod"}, "device bandwidth of a leaf over its uplink bandwidth", func(p *Params) any { return &p.Oversub }, 1, 1024},
		{"k", []string{"fattree"}, "ports of a switch, even", func(p *Params) any { return &p.K }, 2, maxK},
		{"tiers", []string{"fattree"}, "tiers of switches, 2 or 3", func(p *Params) any { return &p.Tiers }, 2, 3},
		{"backup", []string{"superpod"}, "backup devices of every 64: 0 or 1", func(p *Params) any { return &p.Backup }, 0, 1},
		{"replaced", []string{"superpod"}, "devices out of service, whose place the backup device of their 64 takes", func(p *Params) any { return &p.Replaced }, 0, maxDevices - 1},
		{"superpods", []string{"star", "mesh", "clos", "mesh-clos", "fattree", "superpod"}, "scale-up domains the servers are split into", func(p *Params) any { return &p.Superpods }, 1, maxServers},
		{"rate", nil, "rate of the device links", func(p *Params) any { return &p.Rate }, 0, 0},
		{"uplink_rate", []string{"clos", "mesh-clos", "fattree", "superpod"}, "rate of the links between switches", func(p *Params) any { return &p.UplinkRate }, 0, 0},
		{"latency", nil, "latency of the device links", func(p *Params) any { return &p.Latency }, 0, 0},
		{"uplink_latency", []string{"clos", "mesh-clos", "fattree", "superpod"}, "latency of the links between switches", func(p *Params) any { return &p.Uplink }, 0, 0},
		{"hop_latency", nil, "processing in a switch", func(p *Params) any { return &p.Hop }, 0, 0},
		{"store_and_forward", nil, "switches forward whole packets", func(p *Params) any { return &p.Store }, 0, 0},
		{"package", nil, "link the two devices of a package", func(p *Params) any { return &p.Package }, 0, 0},
		{"nic", []string{"star", "mesh", "clos", "mesh-clos", "fattree", "superpod"}, "scale-out network: star or none", func(p *Params) any { return &p.NIC }, 0, 0},
	}
}

// Set puts the value of one key, as a TOML decoder gives it, into p for a
// topology of the given kind. The error names the key, the value, what was
// expected and the nearest key; the caller adds file and line.
func (p *Params) Set(kind, key string, v any) error {
	var names []string
	for _, k := range paramKeys() {
		if k.Kinds != nil && !slices.Contains(k.Kinds, kind) {
			if k.Name == key {
				return fmt.Errorf("topo: %s: got it for topology %q, want it only for %s", key, kind, strings.Join(k.Kinds, ", "))
			}
			continue
		}
		names = append(names, k.Name)
		if k.Name != key {
			continue
		}
		if err := setParam(k.at(p), v, k.min, k.max); err != nil {
			return fmt.Errorf("topo: %s: %w", key, err)
		}
		return nil
	}
	err := fmt.Errorf("topo: %s: got an unknown key, want one of %s", key, strings.Join(names, ", "))
	if n := soc.Nearest(key, names); n != "" {
		err = fmt.Errorf("%w (try %q)", err, n)
	}
	return err
}

func setParam(ptr, v any, lo, hi int) error {
	s, isText := v.(string)
	n, isInt := v.(int64)
	b, isBool := v.(bool)
	want := ""
	switch ptr := ptr.(type) {
	case *int:
		if want = fmt.Sprintf("a whole number from %d to %d", lo, hi); isInt && n >= int64(lo) && n <= int64(hi) {
			*ptr = int(n)
			return nil
		}
	case *[]int:
		want = fmt.Sprintf("a list of whole numbers from %d to %d", lo, hi)
		list, ok := v.([]any)
		var out []int
		for _, e := range list {
			n, isInt := e.(int64)
			ok = ok && isInt && n >= int64(lo) && n <= int64(hi)
			out = append(out, int(n))
		}
		if ok && (len(out) > 0 || lo == 0) {
			*ptr = out
			return nil
		}
	case *units.Rate:
		want = "a rate such as \"400Gbps\" or \"56GB/s\""
		if r, err := units.ParseRate(s); isText && err == nil && r > 0 {
			*ptr = r
			return nil
		}
	case **sim.Time:
		want = "a time up to 1s such as \"1.5us\""
		if t, err := units.ParseTime(s); isText && err == nil && t <= sim.Second {
			*ptr = &t
			return nil
		}
	case **bool:
		if want = "true or false"; isBool {
			*ptr = &b
			return nil
		}
	case *string:
		if want = "star or none"; isText && (s == "star" || s == "none") {
			*ptr = s
			return nil
		}
	}
	if isText {
		return fmt.Errorf("got %q, want %s", s, want)
	}
	return fmt.Errorf("got %v, want %s", v, want)
}
