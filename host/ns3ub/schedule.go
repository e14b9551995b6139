package ns3ub

import (
	"slices"

	"hsim/host/sim"
)

// Events of a run: a task whose delay has passed, and the beginning.
const (
	evTask  = iota << 56
	evBegin = iota << 56
	evMask  = 0xff << 56
)

// enter counts what every task waits for and has the first ones start.
func (r *run) enter() {
	for id, p := range r.c.phases {
		r.phases[id] = &phaseState{left: len(p.tasks)}
	}
	for i := range r.c.Tasks {
		t := &r.c.Tasks[i]
		after := slices.Clone(t.After)
		slices.Sort(after)
		after = slices.Compact(after)
		s := &r.tasks[i]
		s.left, s.waits = t.Size, len(after)
		for _, q := range after {
			p := r.phases[q]
			p.waiters = append(p.waiters, i)
		}
	}
	r.eng.At(0, r.id, evBegin)
}

// Handle starts tasks.
func (r *run) Handle(_ sim.Time, arg uint64) {
	switch arg & evMask {
	case evBegin:
		var ready []int
		for i := range r.tasks {
			if r.tasks[i].waits == 0 {
				ready = append(ready, i)
			}
		}
		r.release(ready)
	case evTask:
		r.start(int(arg &^ evMask))
	}
}

// release starts the tasks that nothing holds any more, in the order of their
// ids, each after its delay.
func (r *run) release(ready []int) {
	slices.SortFunc(ready, func(a, b int) int { return int(r.c.Tasks[a].ID - r.c.Tasks[b].ID) })
	for _, i := range ready {
		if d := r.c.Tasks[i].Delay; d > 0 {
			r.eng.After(d, r.id, evTask|uint64(i))
		} else {
			r.start(i)
		}
	}
}

func (r *run) start(i int) {
	s := &r.tasks[i]
	t := &r.c.Tasks[i]
	s.src, s.dst = r.buffers[r.c.nodeID(t.Src)], r.buffers[r.c.nodeID(t.Dst)]
	s.started, s.start, s.first = true, r.eng.Now(), sim.Forever
	switch r.c.Tasks[i].Op {
	case OpStore, OpLoad:
		r.startMemory(i)
	default:
		r.startMessage(i)
	}
}

// progress books bytes of a task that are acknowledged and ends the task with its
// last one.
func (r *run) progress(i int, bytes int64, first sim.Time) {
	s := &r.tasks[i]
	s.first = min(s.first, first)
	if s.left -= bytes; s.left > 0 {
		return
	}
	s.end = r.eng.Now()
	r.done++
	if r.opts.Progress != nil {
		r.opts.Progress(r.done, len(r.tasks), s.end)
	}
	p := r.phases[r.c.Tasks[i].Phase]
	if p.left--; p.left > 0 {
		return
	}
	var ready []int
	for _, w := range p.waiters {
		if r.tasks[w].waits--; r.tasks[w].waits == 0 {
			ready = append(ready, w)
		}
	}
	r.release(ready)
}
