package scenario

import (
	"fmt"

	"hsim/host/device"
	"hsim/host/sim"
)

// job is one run at one size: a collective or a kernel launch on every device.
type job interface {
	// start queues one repetition of a rank on its stream and takes the host time of that.
	start(p *sim.Proc, rank int, s *device.Stream) error
	// fill writes the input of a rank again.
	fill(rank int) error
	// serial reports whether repetitions have to be kept apart.
	serial() bool
	// check compares the results: the verdict, and why where it is not success.
	check() (verdict, detail string, err error)
	row(size int64, total sim.Time) Row
	free()
}

// measurement takes a job through its repetitions.
type measurement struct {
	crew    *crew
	job     job
	run     *RunSpec
	title   string     // of a trace's spans
	begin   []sim.Time // per rank: entry
	end     []sim.Time // per rank: its stream is done
	count   int        // repetitions that rank 0 has queued
	queued  func(n int)
	err     error // the first failure in virtual time
	errAt   sim.Time
	failed  func(err error, at sim.Time)
	verdict string // when each repetition was checked
	detail  string
}

// measure returns the virtual time of all measured repetitions: from the first rank's entry to the last rank's end.
func (m *measurement) measure(p *sim.Proc) (sim.Time, error) {
	if err := m.refill(); err != nil {
		return 0, err
	}
	// A rank whose task failed may not end before sim.limit: what it queued behind waits for its time-outs, one by one.
	over := false
	m.crew.w.sys.OnFault(func(_ *device.Stream, f *device.Fault) {
		if !over {
			m.failed(f, f.At)
		}
	})
	defer func() { over = true }()
	if m.job.serial() {
		return m.serial(p)
	}
	if m.run.Warmup > 0 {
		m.repeat(p, m.run.Warmup, nil)
	}
	if m.err != nil {
		return 0, m.err
	}
	m.repeat(p, m.run.Iterations, m.run.Skew)
	return m.span(), m.err
}

// serial measures the repetitions one by one and adds them up: the inputs are written anew before each.
func (m *measurement) serial(p *sim.Proc) (sim.Time, error) {
	var total sim.Time
	for i := range m.run.Warmup + m.run.Iterations {
		if i > 0 {
			if err := m.refill(); err != nil {
				return 0, err
			}
		}
		m.repeat(p, 1, m.run.Skew)
		if m.err != nil {
			return total, m.err
		}
		if i < m.run.Warmup {
			continue
		}
		total += m.span()
		if m.run.Check == CheckAll {
			var err error
			if m.verdict, m.detail, err = m.job.check(); err != nil || m.verdict == Failed {
				if m.detail != "" {
					m.detail = fmt.Sprintf("repetition %d: %s", i-m.run.Warmup+1, m.detail)
				}
				return total, err
			}
		}
	}
	return total, nil
}

func (m *measurement) refill() error {
	for r := range m.crew.streams {
		if err := m.job.fill(r); err != nil {
			return err
		}
	}
	return nil
}

// repeat lets every rank queue n repetitions and wait for its stream.
func (m *measurement) repeat(p *sim.Proc, n int, skew []sim.Time) {
	m.crew.all(p, func(p *sim.Proc, rank int) {
		s := m.crew.streams[rank]
		if skew != nil {
			p.Sleep(skew[rank])
		}
		m.begin[rank] = p.Now()
		for range n {
			s.WaitRoom(p) // a host that is ahead by a full queue waits
			if rank == 0 {
				m.count++
				m.queued(m.count)
			}
			if err := m.job.start(p, rank, s); err != nil {
				m.fail(err, p.Now())
				break
			}
		}
		s.Drain(p)
		m.end[rank] = p.Now()
		m.draw(rank, n)
		if f := s.Err(); f != nil {
			m.fail(f, f.At)
		}
	})
}

// draw shows on a rank's track what it did, from its entry on.
func (m *measurement) draw(rank, n int) {
	rec := m.crew.w.rec
	if !rec.On() {
		return
	}
	name := m.title
	if n > 1 {
		name = fmt.Sprintf("%d x %s", n, name)
	}
	rec.Span(rec.Track(m.crew.w.devs[rank].Name(), callTrack), name, m.begin[rank], m.end[rank])
}

func (m *measurement) fail(err error, at sim.Time) {
	if m.err == nil || at < m.errAt {
		m.err, m.errAt = err, at
	}
	m.failed(err, at)
}

func (m *measurement) span() sim.Time {
	first, last := m.begin[0], m.end[0]
	for r := range m.begin {
		first, last = min(first, m.begin[r]), max(last, m.end[r])
	}
	return last - first
}
