package ccu

import "fmt"

// argsPerSQE is how many arguments one queue entry carries.
const argsPerSQE = 13

// SQE is a queue entry of the task scheduler: run instructions on a mission with
// arguments. A launch with more arguments than fit takes several entries: all
// but the last run only the instructions that load theirs.
type SQE struct {
	Die     uint8
	Mission uint8
	Timeout uint16
	Start   uint16
	Count   uint16
	Key     uint32
	ArgSize uint32
	Args    [argsPerSQE]uint64
}

// Launch is one run of a program: its entries, in order.
type Launch struct {
	p       *Program
	entries []SQE
	next    int // the entry that may run
	done    func(error)
}

// Launch makes the entries of a run with the arguments of Args. Error: another
// number of arguments than the program loads, a value that its loops do not take.
func (p *Program) Launch(args []uint64) (*Launch, error) {
	if len(args) != p.args {
		return nil, p.failed("launch", fmt.Errorf("got %d arguments, want %d", len(args), p.args))
	}
	all := append([]uint64(nil), args...)
	for i := range p.derive {
		v, err := p.derive[i].resolve(args)
		if err != nil {
			return nil, p.failed("launch", err)
		}
		all = append(all, v)
	}
	_, n := p.Arguments()
	l := &Launch{p: p}
	for i := range n {
		s := SQE{Die: uint8(p.u.die), Mission: uint8(p.Mission()), Key: p.key, Start: uint16(p.code.First + i*argsPerSQE), Count: argsPerSQE}
		if i == n-1 {
			s.Count = uint16(p.code.N - i*argsPerSQE)
		}
		s.ArgSize = uint32(copy(s.Args[:], all[i*argsPerSQE:]))
		l.entries = append(l.entries, s)
	}
	return l, nil
}

// Entries is the number of queue entries.
func (l *Launch) Entries() int { return len(l.entries) }

// Entry is a queue entry.
func (l *Launch) Entry(i int) SQE { return l.entries[i] }

// Program is what the launch runs.
func (l *Launch) Program() *Program { return l.p }

// Run hands entry i to the die, which keeps the mission until the last entry is
// over. Another launch on the same mission waits its turn. done is called once,
// perhaps before Run returns; its error is a *Fault.
func (l *Launch) Run(i int, done func(error)) {
	u := l.p.u
	m := u.mission(l.p.Mission())
	l.done = done
	switch {
	case i != l.next || i >= len(l.entries):
		l.end(&Fault{Unit: u.Name(), Mission: m.number, Program: l.p.name, PC: -1, Status: StatusKey,
			Err: fmt.Errorf("got entry %d of %d, want entry %d next", i, len(l.entries), l.next)})
	case l.entries[i].Key != l.p.key || l.p.closed:
		l.end(&Fault{Unit: u.Name(), Mission: m.number, Program: l.p.name, PC: -1, Status: StatusKey,
			Err: fmt.Errorf("got key 0x%x, want that of a registered program", l.entries[i].Key)})
	case m.launch == nil:
		m.launch = l
		m.start()
	case m.launch == l:
		m.start()
	default:
		m.queue = append(m.queue, l)
	}
}

// Cancel ends the launch, running or not; its done is not called any more.
func (l *Launch) Cancel() {
	l.done = nil
	m := l.p.u.mission(l.p.Mission())
	if m.launch == l {
		m.stop()
		m.release()
		return
	}
	for i := range m.queue {
		if m.queue[i] == l {
			m.queue = append(m.queue[:i], m.queue[i+1:]...)
			return
		}
	}
}

// end tells whoever runs the entry.
func (l *Launch) end(f *Fault) {
	done := l.done
	l.done = nil
	switch {
	case done == nil:
	case f == nil:
		done(nil)
	default:
		done(f)
	}
}
