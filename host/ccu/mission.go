package ccu

import (
	"fmt"

	"hsim/host/record"
	"hsim/host/sim"
)

// mission runs the instructions of one queue entry after the other for one
// launch, and queues the launches after it.
type mission struct {
	u      *Unit
	number int
	launch *Launch // nil: idle
	queue  []*Launch
	args   [argsPerSQE]uint64
	main   *thread
	loops  []*thread // running, in the order of their start
	gen    uint32    // told apart in moves from launches that were killed
	spin   int       // instructions since something waited or moved
	begun  sim.Time
	track  record.TrackID
}

func (u *Unit) mission(n int) *mission {
	if u.missions[n] == nil {
		u.missions[n] = &mission{u: u, number: n}
	}
	return u.missions[n]
}

// Name is like "device 3 / die 1 / mission 0".
func (m *mission) Name() string { return fmt.Sprintf("%s / mission %d", m.u.Name(), m.number) }

// start runs the next entry of the launch.
func (m *mission) start() {
	s := &m.launch.entries[m.launch.next]
	m.args, m.spin = s.Args, 0
	now := m.u.e.cfg.Sim.Now()
	m.begun = now
	m.main = m.u.thread(m, -1)
	m.main.pc, m.main.end, m.main.at = int(s.Start), int(s.Start)+int(s.Count), now
	m.u.e.kick(m.main)
}

// finish ends an entry at the present time.
func (m *mission) finish() {
	l := m.launch
	m.span(l.p.name, "", m.begun)
	m.main.drop()
	m.main = nil
	l.next++
	if l.next == len(l.entries) {
		l.next = 0
		m.release()
	}
	l.end(nil)
}

// release gives the mission to the launch that waits longest.
func (m *mission) release() {
	m.launch = nil
	if len(m.queue) > 0 {
		m.launch = m.queue[0]
		m.queue = m.queue[1:]
		m.start()
	}
}

// fail ends the mission with a fault of the instruction at pc.
func (m *mission) fail(s Status, pc int, err error) {
	l := m.launch
	f := &Fault{Unit: m.u.Name(), Mission: m.number, Program: l.p.name, Status: s, PC: pc, Err: err}
	if pc >= 0 && pc < len(m.u.code) {
		f.Instruction = m.u.code[pc].String()
	}
	m.span(l.p.name, s.String(), m.begun)
	m.stop()
	l.next = 0
	m.release()
	l.end(f)
}

// stop drops all threads; what they have in flight lands, but sets no bits, and
// the bits of the program are cleared for its next run.
func (m *mission) stop() {
	m.gen++
	if m.main != nil {
		m.main.drop()
		m.main = nil
	}
	for _, t := range m.loops {
		t.drop()
	}
	clear(m.loops)
	m.loops = m.loops[:0]
	b := m.launch.p.blocks[classCKE]
	clear(m.u.cke[b.First : b.First+b.N])
}

// span records that the mission ran, or waited, from a time until now.
func (m *mission) span(name, note string, from sim.Time) {
	rec := m.u.e.cfg.Record
	if !rec.On() {
		return
	}
	if m.track == 0 {
		m.track = rec.Track(m.u.e.cfg.Name(), fmt.Sprintf("die %d mission %d", m.u.die, m.number))
	}
	var args []record.Arg
	if note != "" {
		args = append(args, record.Str("status", note))
	}
	rec.Span(m.track, name, from, m.u.e.cfg.Sim.Now(), args...)
}
