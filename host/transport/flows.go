package transport

import (
	"slices"

	"hsim/host/sim"
)

// Flows collects how long transfers took, from their first packet on to their
// completion. The zero value is empty.
type Flows struct {
	times  []sim.Time
	bytes  int64
	failed int
	sorted bool
}

// FlowTimes sums up the transfers of a Flows. Percentiles are the nearest rank: at
// least that share of the transfers took no longer.
type FlowTimes struct {
	Transfers int
	Failed    int // counted apart, without a time
	Bytes     int64
	P50, P99  sim.Time
	Max       sim.Time
}

// Add counts the completion of a work request; completions of receives are not
// transfers of their own.
func (f *Flows) Add(c *Completion) {
	switch {
	case c.Recv:
	case c.Status != StatusOK:
		f.failed++
	default:
		f.times = append(f.times, c.At-c.First)
		f.bytes += c.Bytes
		f.sorted = false
	}
}

// Times sums up what was added so far.
func (f *Flows) Times() FlowTimes {
	if !f.sorted {
		slices.Sort(f.times)
		f.sorted = true
	}
	s := FlowTimes{Transfers: len(f.times), Failed: f.failed, Bytes: f.bytes}
	if n := len(f.times); n > 0 {
		s.P50, s.P99, s.Max = f.times[(n*50+99)/100-1], f.times[(n*99+99)/100-1], f.times[n-1]
	}
	return s
}

// Tap is a sink that adds what passes on to the next one, which may be nil.
func (f *Flows) Tap(next Sink) Sink { return &tap{f, next} }

type tap struct {
	flows *Flows
	next  Sink
}

// Complete adds c and passes it on.
func (t *tap) Complete(c *Completion) {
	t.flows.Add(c)
	if t.next != nil {
		t.next.Complete(c)
	}
}
