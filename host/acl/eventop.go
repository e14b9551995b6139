package acl

import (
	"fmt"

	"hsim/host/device"
	"hsim/host/sim"
	"hsim/host/topo"
)

// The device side of an event: one Op per direction, the event itself behind
// each, so that queueing one allocates nothing.
type (
	recordOp Event
	waitOp   Event
	resetOp  Event
)

// Start implements device.Op: the generation Task.Value completes.
func (o *recordOp) Start(s *device.Stream, t *device.Task) device.Status {
	(*Event)(o).complete(t.Value, s)
	return device.Done
}

// Drop lets those go that wait for a record which will never run.
func (o *recordOp) Drop(s *device.Stream, t *device.Task) { (*Event)(o).complete(t.Value, s) }

func (e *Event) complete(g uint64, s *device.Stream) {
	for i, o := range e.open {
		if o == g {
			e.open = append(e.open[:i], e.open[i+1:]...)
			break
		}
	}
	e.top = max(e.top, g)
	if s != nil && g == e.top {
		e.at = s.System().Engine().Now()
	}
	if e.die != nil && e.res >= 0 {
		e.die.SetSignal(e.res)
	}
	e.wake()
	e.changed.Broadcast(e.ctx.p.rt.eng)
}

// wake lets go of every stream whose wait is over, in wait order. A stream of
// another device hears of it after the way there.
func (e *Event) wake() {
	now := e.ctx.p.rt.now()
	for i := 0; i < len(e.waiting); {
		w := &e.waiting[i]
		if w.due == 0 && e.passes(w.gen) {
			w.due = now + e.way(w.by)
			if w.due > now {
				e.ctx.p.rt.arrivals.at(w.due, e)
			}
		}
		if w.due == 0 || w.due > now {
			i++
			continue
		}
		ticket := w.ticket
		e.waiting = append(e.waiting[:i], e.waiting[i+1:]...)
		e.passed()
		ticket.Finish(device.CauseNone, nil)
	}
}

func (e *Event) passed() {
	e.queued--
	if e.flags&EventAutoReset != 0 {
		e.cleared = e.top
	}
}

// Start implements device.Op: the stream waits for generation Task.Value.
func (o *waitOp) Start(s *device.Stream, t *device.Task) device.Status {
	e := (*Event)(o)
	r, due := e.ctx.p.rt, sim.Time(0)
	if t.Value == 0 && !r.conf.StrictEvents || e.passes(t.Value) {
		if due = e.at + e.way(s); t.Value == 0 || due <= r.now() {
			e.passed()
			return device.Done
		}
		r.arrivals.at(due, e)
	}
	e.waiting = append(e.waiting, eventWait{t.Value, s.Ticket(), s, due})
	return device.Pending
}

// way is how long the completion takes to a stream: that of the links to its
// device, 0 to the event's own.
func (e *Event) way(s *device.Stream) sim.Time {
	r, own := e.ctx.p.rt, e.ctx.use.dev
	if s.Device() == own || r.graph == nil {
		return 0
	}
	return r.ways.between(r.graph, own.Node(), s.Device().Node())
}

// ways are the latencies between devices, by pair.
type ways map[[2]topo.NodeID]sim.Time

func (w ways) between(g *topo.Graph, from, to topo.NodeID) sim.Time {
	k := [2]topo.NodeID{from, to}
	d, ok := w[k]
	if !ok {
		if info, reached := g.PathInfo(from, to, g.Protocol(from, to)); reached {
			d = info.Latency
		}
		w[k] = d
	}
	return d
}

// arrivals are completions of events on their way to other devices.
type arrivals struct {
	eng  *sim.Engine
	id   sim.ID
	list []*Event
	free []int
}

func (a *arrivals) at(t sim.Time, e *Event) {
	if a.list == nil {
		a.id = a.eng.Register(a)
	}
	i := len(a.list)
	if n := len(a.free); n > 0 {
		i, a.free = a.free[n-1], a.free[:n-1]
		a.list[i] = e
	} else {
		a.list = append(a.list, e)
	}
	a.eng.At(t, a.id, uint64(i))
}

// Handle implements sim.Handler.
func (a *arrivals) Handle(_ sim.Time, arg uint64) {
	e := a.list[arg]
	a.list[arg] = nil
	a.free = append(a.free, int(arg))
	e.wake()
}

// Abort takes the stream out of the event's list.
func (o *waitOp) Abort(s *device.Stream, _ *device.Task) {
	e := (*Event)(o)
	for i := range e.waiting {
		if e.waiting[i].by == s {
			e.waiting = append(e.waiting[:i], e.waiting[i+1:]...)
			e.queued--
			break
		}
	}
	if e.ctx.p.opWait > 0 {
		s.Fail(device.CauseEvent, fmt.Errorf("acl: event %d did not complete within %v", e.id, e.ctx.p.opWait))
	}
}

// Drop forgets a wait that never started.
func (o *waitOp) Drop(*device.Stream, *device.Task) { o.queued-- }

// Describe implements the wait reason of a stall report.
func (o *waitOp) Describe(*device.Stream, *device.Task) (what, actor string) {
	e := (*Event)(o)
	if e.gen == 0 {
		return fmt.Sprintf("event %d, which was never recorded", e.id), ""
	}
	if len(e.open) == 0 {
		return fmt.Sprintf("event %d, which was reset", e.id), ""
	}
	return fmt.Sprintf("record %d of event %d", e.open[0], e.id), ""
}

// Start implements device.Op: what has completed is forgotten.
func (o *resetOp) Start(*device.Stream, *device.Task) device.Status {
	o.cleared = o.top
	if e := (*Event)(o); e.die != nil && e.res >= 0 {
		e.die.ClearSignal(e.res)
	}
	return device.Done
}
