package hccl

import (
	"errors"
	"fmt"
)

// Limits of the schedules of users.
const (
	MaxScheduleSteps    = 1 << 20 // a rank emits at most so many steps
	MaxScheduleStreams  = 8       // of a rank
	MaxScheduleChannels = 16      // between two ranks
	maxScheduleBytes    = 512 << 20
	keptBytes           = 64 << 20 // of plans kept for the next operation alike
)

// Author emits the steps of rank p.Rank of an operation onto the tape. It may see
// any operation, and refuses what it has no schedule for with an error. The same
// parameters give the same steps.
type Author interface {
	Emit(p *Params, t *Tape) error
}

// Schedule is a collective algorithm of a user. Its plans are made for all ranks
// at once, checked as the built-in ones are, and kept for the next operation. It
// belongs to one simulation at a time.
type Schedule struct {
	Name   string // what a run calls it
	Module string // whose it is, for messages
	author Author
	kept   []*program // the latest first
}

// NewSchedule returns the schedule of an author.
func NewSchedule(name, module string, a Author) *Schedule {
	return &Schedule{Name: name, Module: module, author: a}
}

// String names the schedule and its module.
func (s *Schedule) String() string { return fmt.Sprintf("algorithm %s of module %s", s.Name, s.Module) }

// Check makes the plan of an operation and proves it. full is false where the
// communicator is too large for the whole proof: then sends, receives, bounds and
// progress are checked, and the result by whoever runs it. The error names
// module, rank and step.
func (s *Schedule) Check(p Params) (full bool, err error) {
	g, err := s.program(&p)
	if err != nil {
		return false, err
	}
	if !g.checked {
		g.checked, g.full = true, p.Ranks <= MaxVerifyRanks && p.Ranks*g.streams <= maxVerifyThreads
		p.Schedule = s
		if g.full {
			g.fault = verify(p, func(int) bool { return p.InPlace }, nil)
		} else if err := g.progress(); err != nil {
			g.fault = p.blame(err)
		}
	}
	return g.full, g.fault
}

// planKey is what a plan depends on.
type planKey struct {
	op             OpKind
	inPlace        bool
	dtype, red     uint8
	ranks, root    int
	count, scratch int64
	group          int
}

func keyOf(p *Params) planKey {
	return planKey{op: p.Op, inPlace: p.InPlace && p.Op != Broadcast, dtype: uint8(p.Dtype), red: uint8(p.Red), ranks: p.Ranks, root: p.Root, count: p.Count,
		scratch: p.Scratch, group: p.Group}
}

// program returns the plan of an operation, made or kept.
func (s *Schedule) program(p *Params) (*program, error) {
	key := keyOf(p)
	for i, g := range s.kept {
		if g.key == key {
			copy(s.kept[1:i+1], s.kept[:i])
			s.kept[0] = g
			return g, nil
		}
	}
	g, err := s.compile(p)
	if err != nil {
		return nil, err
	}
	g.key = key
	s.kept = append([]*program{g}, s.kept...)
	total := 0
	for i, k := range s.kept {
		if total += k.bytes; total > keptBytes && i > 0 {
			clear(s.kept[i:])
			s.kept = s.kept[:i]
			break
		}
	}
	return g, nil
}

// compile lets the author emit the steps of every rank and ties them together.
func (s *Schedule) compile(prm *Params) (*program, error) {
	p := *prm
	p.Schedule = s
	p.Rank = 0
	if err := p.check(); err != nil {
		return nil, err
	}
	if p.Scratch <= 0 {
		p.Scratch = DefaultBufferBytes
	}
	g := &program{schedule: s, streams: 1, ranks: make([]rankCode, p.Ranks)}
	for r := range p.Ranks {
		p.Rank = r
		t := newTape(&p, g)
		err := s.author.Emit(&p, t)
		if t.err != nil {
			err = t.err // the first thing that was wrong
		}
		if err != nil {
			var f *StepFault
			if errors.As(err, &f) {
				return nil, err
			}
			return nil, fmt.Errorf("hccl: %v: %v, rank %d: %w", s, p.Op, r, err)
		}
		if err := t.finish(); err != nil {
			return nil, err
		}
		if g.bytes > maxScheduleBytes {
			return nil, fmt.Errorf("hccl: %v: %v: the steps of ranks 0 to %d take %d bytes, want at most %d for all %d ranks",
				s, p.Op, r, g.bytes, maxScheduleBytes, p.Ranks)
		}
	}
	if err := g.match(); err != nil {
		return nil, err
	}
	return g, nil
}

// StepFault is what is wrong with one step of a schedule.
type StepFault struct {
	Schedule *Schedule
	Rank     int
	Step     int
	What     string // the step
	Text     string
}

// Error names module, rank and step.
func (f *StepFault) Error() string {
	return fmt.Sprintf("hccl: %v: rank %d, step %d, %s: %s", f.Schedule, f.Rank, f.Step, f.What, f.Text)
}
