package scenario

import (
	"fmt"
	"path/filepath"

	"hsim/abi"
	"hsim/host/hccl"
	"hsim/host/hccl/schedule"
	"hsim/host/topo"
	"hsim/host/units"
)

// algorithms loads the modules of schedules that the file names, finds those that runs ask for, and proves the plan of
// every size before anything runs.
func (p *plan) algorithms(l *library) {
	v := p.cfg.values
	var all []*hccl.Schedule
	for _, file := range p.cfg.Algorithms {
		m := l.scheduleModule(file)
		if m.err != nil {
			v.problem("plugins.algorithms", trimLoad(m.err), "`hsim plugin inspect "+file+"`")
			continue
		}
		all = append(all, m.schedules...)
	}
	p.sched = map[int]*hccl.Schedule{}
	for i := range p.cfg.Runs {
		r := &p.cfg.Runs[i]
		if r.Schedule == "" || len(all) == 0 {
			continue
		}
		s := findSchedule(all, r.Schedule)
		if s == nil {
			names := append([]string{}, algorithmsOf(r.Op)...)
			for _, s := range all {
				names = append(names, s.Name)
			}
			v.problem(element("run", i)+".algorithm", fmt.Sprintf("%v has no algorithm of this name, neither built in nor in a module of plugins.algorithms", r.Op),
				list(near(r.Schedule, names)))
			continue
		}
		p.sched[i] = s
		p.prove(s, r)
	}
}

// findSchedule is the one of that name in the last module that has it.
func findSchedule(all []*hccl.Schedule, name string) (found *hccl.Schedule) {
	for _, s := range all {
		if s.Name == name {
			found = s
		}
	}
	return found
}

// prove checks the plans of a run.
func (p *plan) prove(s *hccl.Schedule, r *RunSpec) {
	for _, size := range r.Sizes {
		q := hccl.Params{Op: r.Op, Ranks: p.cfg.Ranks(), Root: r.Root, Count: r.count(size, p.cfg.Ranks()),
			Elem: r.Dtype.Size(), Dtype: r.Dtype, InPlace: r.InPlace, Scratch: p.cfg.BuffSize, Group: p.model().Shape().Group}
		if r.Op.Reduces() {
			q.Red = r.Reduce
		}
		if _, err := s.Check(q); err != nil {
			p.cfg.values.problem(element("run", r.Index)+".algorithm", fmt.Sprintf("at %s: %s", units.FormatSize(size), trimPrefixes(err)), "")
			return
		}
	}
}

// nodes are the devices of the ranks, in order.
func (p *plan) nodes() []topo.NodeID {
	nodes := make([]topo.NodeID, p.cfg.Ranks())
	for r := range nodes {
		nodes[r] = topo.NodeID(r)
		if p.cfg.Cluster != nil {
			nodes[r] = p.cfg.Cluster.Ranks[r].Node
		}
	}
	return nodes
}

// model predicts collectives over all devices.
func (p *plan) model() *hccl.Model {
	m := hccl.NewModel(p.graph, p.cfg.Profile.Chip(), p.nodes(), p.wires())
	m.SetPrograms(p.progs)
	return m
}

// scheduleModule loads a module of schedules. What its plugin prints goes to the library's log.
func (l *library) scheduleModule(file string) *module {
	m := l.get(filepath.Base(file), file, abi.Algorithm)
	if m.err != nil || m.schedules != nil {
		return m
	}
	settings, err := m.desc.Resolve(m.name, nil)
	if err != nil {
		m.err = err
		return m
	}
	m.schedules, m.err = schedule.Schedules(m.mod, schedule.Config{Settings: settings, Log: func(line string) {
		if l.log != nil {
			l.log(line)
		}
	}})
	return m
}
