package scenario

import (
	"fmt"
	"strings"

	"hsim/abi"
	"hsim/host/ccu"
	"hsim/host/hccl"
)

// programs loads the modules of microprograms: those that the file names are always checked, those that come with hsim
// only when a run wants one.
func (v *values) programs(l *library, c *Config) []*ccu.Binary {
	const path = "plugins.ccu"
	_, named := v.has(path)
	wanted := false
	for i := range c.Runs {
		wanted = wanted || c.Runs[i].IsOp && c.Runs[i].Expansion == hccl.ExpandCCUSched
	}
	if !named && !wanted {
		return nil
	}
	var out []*ccu.Binary
	for _, file := range c.Programs {
		m := l.programModule(file)
		if m.err != nil {
			v.problem(path, trimLoad(m.err), "`hsim plugin inspect "+m.name+"`")
			continue
		}
		out = append(out, m.programs)
	}
	return out
}

// programModule loads a module of microprograms, "builtin" for those that come with hsim.
func (l *library) programModule(file string) *module {
	name, path := file, file
	if file == "builtin" {
		name, path = "ccu", ""
	}
	m := l.get(name, path, abi.CCU)
	if m.err == nil && m.programs == nil {
		m.programs, m.err = ccu.NewBinary(m.mod)
	}
	return m
}

// choices refuses runs whose algorithm does not fit the cluster, and those that cannot be microprograms: where the ranks lie
// wrong, or there is no program.
func (p *plan) choices() {
	v := p.cfg.values
	for i := range p.cfg.Runs {
		r := &p.cfg.Runs[i]
		forced := r.Algorithm != hccl.Auto && r.Algorithm != hccl.Best && r.Schedule == ""
		mission := r.Expansion == hccl.ExpandCCUSched
		if !r.IsOp || !forced && !mission {
			continue
		}
		key := ".algorithm"
		q := hccl.Request{Op: r.Op, Count: 1, Dtype: r.Dtype, Red: r.Reduce, Algorithm: r.Algorithm, Expansion: r.Expansion}
		_, err := p.model().Choose(q)
		if err == nil {
			continue
		}
		_, text, engine := strings.Cut(err.Error(), "expansion ccu_sched: ")
		switch {
		case engine || mission && !forced:
			key = ".expansion"
		case forced:
			_, text, _ = strings.Cut(err.Error(), fmt.Sprintf("algorithm %v: ", r.Algorithm))
		}
		if text == "" {
			text = trimPrefixes(err)
		}
		text, try, _ := strings.Cut(text, " (try ")
		if try = strings.TrimSuffix(try, ")"); key == ".expansion" && try == "" {
			try = `"aicpu"`
		}
		v.problem(element("run", r.Index)+key, text, try)
	}
}
