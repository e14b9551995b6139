package ccu

import (
	"fmt"

	"hsim/host/sim"
)

// report yields every mission that waits for an event, for a stall report: the
// main program, or of a group the loop that waits longest.
func (e *Engine) report(yield func(sim.Waiting)) {
	for _, u := range e.units {
		for _, m := range u.missions {
			if m == nil || m.launch == nil {
				continue
			}
			if t := m.waiter(); t != nil {
				yield(m.waiting(t))
			}
		}
	}
}

// waiter is the thread to report, nil when none waits.
func (m *mission) waiter() *thread {
	var out *thread
	if m.main != nil && m.main.state == tBlocked {
		return m.main
	}
	for _, t := range m.loops {
		if t.state == tBlocked && (out == nil || t.since < out.since || t.since == out.since && t.engine < out.engine) {
			out = t
		}
	}
	return out
}

func (m *mission) waiting(t *thread) sim.Waiting {
	u := m.u
	v := &u.code[t.pc].V
	id, mask := int(v[SlotWait])+t.cke, uint16(v[SlotWaitMask])
	have := u.cke[id]
	what := fmt.Sprintf("CKE %d of die %d, mask 0x%04x, of which 0x%04x is not set", id, u.die, mask, mask&^have)
	w := sim.Waiting{Who: m.Name(), Since: t.since}
	use, c := u.describe(id)
	if use != "" {
		what += " (" + use + ")"
	}
	if c != nil {
		w.Actor = c.peer.actor()
	}
	what += fmt.Sprintf(" at instruction %d of program %s", t.pc-m.launch.p.code.First, m.launch.p.name)
	if t.engine >= 0 {
		what += fmt.Sprintf(" on loop engine %d", t.engine)
	}
	w.What = what
	return w
}

// actor is who should set the events of the other end of a channel.
func (c *Channel) actor() string {
	if p := c.user; p != nil && p.lane != nil {
		if m := c.unit.missions[p.Mission()]; m != nil && m.launch != nil && m.launch.p == p {
			return m.Name()
		}
		return fmt.Sprintf("%s, where program %s does not run", c.unit.Name(), p.name)
	}
	return c.unit.Name() + ", where no program uses the channel"
}

// Describe says what a launch waits for and who should act, for the report of
// the stream that holds it.
func (l *Launch) Describe() (what, actor string) {
	m := l.p.u.mission(l.p.Mission())
	if m.launch == l {
		return "the end of program " + l.p.name, m.Name()
	}
	what = fmt.Sprintf("mission %d of %s", m.number, l.p.u.Name())
	if m.launch != nil {
		actor = m.Name()
	}
	return what, actor
}

// Waits says what a launch waits for, in one phrase.
func (l *Launch) Waits() string {
	m := l.p.u.mission(l.p.Mission())
	if m.launch != l {
		what, _ := l.Describe()
		return what
	}
	if t := m.waiter(); t != nil {
		return m.waiting(t).What
	}
	return "its moves"
}
