package scenario

import (
	"fmt"

	"hsim/host/device"
	"hsim/host/sim"
)

// crew is one coroutine per rank, the host threads of the ranks' processes. The director gives all of them one task and
// waits until the last has done it; that costs no virtual time.
type crew struct {
	w       *world
	streams []*device.Stream // from the first task on: programs have all the streams of their devices
	task    func(p *sim.Proc, rank int)
	round   int
	left    int
	begin   sim.Cond
	done    sim.Cond
}

// director is the name under which the scenario itself waits; stall reports leave it out, it waits for everybody.
const director = "scenario"

func newCrew(w *world) *crew {
	c := &crew{w: w, streams: make([]*device.Stream, len(w.devs))}
	for i := range w.devs {
		w.eng.Go(fmt.Sprintf("rank %d", i), func(p *sim.Proc) { c.member(p, i) })
	}
	return c
}

func (c *crew) member(p *sim.Proc, rank int) {
	for seen := 0; ; {
		for c.round == seen {
			p.Wait(&c.begin, sim.Cause{What: idleWait})
		}
		seen = c.round
		c.task(p, rank)
		if c.left--; c.left == 0 {
			c.done.Broadcast(p.Engine())
		}
	}
}

// idleWait is what a rank without a task waits for; stall reports leave that out too.
const idleWait = "its next run"

// all lets every rank do task and waits for the last of them.
func (c *crew) all(p *sim.Proc, task func(p *sim.Proc, rank int)) {
	c.provide()
	c.task, c.left = task, len(c.streams)
	c.round++
	c.begin.Broadcast(p.Engine())
	for c.left > 0 {
		p.Wait(&c.done, sim.Cause{What: "all ranks"})
	}
}

// provide gives every rank its stream; on a device whose streams are used up one of the system's own.
func (c *crew) provide() {
	for i, d := range c.w.devs {
		if c.streams[i] != nil {
			continue
		}
		s, err := d.NewStream(device.StreamOptions{})
		if err != nil {
			s, _ = d.NewStream(device.StreamOptions{Hidden: true}) // these have no limit
		}
		c.streams[i] = s
	}
}
