package scenario

import (
	"fmt"
	"strings"

	"hsim/host/hccl"
	"hsim/host/mem"
	"hsim/host/units"
)

// PlanRequest asks for the steps of a collective; every field is as a user writes it.
type PlanRequest struct {
	Op        string
	Algorithm string
	Ranks     int
	Root      int
	Size      string // as [[run]] sizes
	Dtype     string
	Rank      int      // only this one; negative = all
	Group     int      // ranks of each server; 0 = one server
	Plugins   []string // paths of modules of algorithms
}

// maxPlanRanks bounds the proof of a plan, which looks at every element of every rank.
const maxPlanRanks = hccl.MaxVerifyRanks

// Plan lists the steps of each rank and proves them. Errors say which argument is wrong, or what the proof found.
func Plan(q PlanRequest) (string, error) {
	lib, err := newLibrary()
	if err != nil {
		return "", err
	}
	defer func() { _ = lib.close() }()
	p, err := q.params(lib)
	if err != nil {
		return "", err
	}
	if p.Schedule != nil {
		_, err = p.Schedule.Check(p)
	} else {
		err = hccl.Verify(p, nil)
	}
	if err != nil {
		return "", err
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%v, algorithm %s, %d ranks, %s: proven\n", p.Op, p.AlgorithmName(), p.Ranks, units.FormatSize(p.Count*p.Elem))
	for r := range p.Ranks {
		if q.Rank >= 0 && r != q.Rank {
			continue
		}
		p.Rank = r
		for s := range p.Streams() {
			w, err := hccl.Walk(p, s)
			if err != nil {
				return "", err
			}
			stream := ""
			if s > 0 {
				stream = fmt.Sprintf(", stream %d", s)
			}
			for st, n := (hccl.Step{}), 0; w.Next(&st); n++ {
				if n == 0 {
					fmt.Fprintf(&b, "\nrank %d%s\n", r, stream)
				}
				fmt.Fprintf(&b, "  %v\n", st)
			}
		}
	}
	return b.String(), nil
}

func (q PlanRequest) params(lib *library) (hccl.Params, error) {
	var p hccl.Params
	var err error
	if p.Op, err = hccl.ParseOp(q.Op); err != nil {
		return p, tryName(err, q.Op, hccl.OpNames())
	}
	if err := q.find(lib, &p); err != nil {
		return p, err
	}
	if p.Schedule == nil && (p.Alg == hccl.Auto || !hccl.Supports(p.Op, p.Alg)) {
		return p, fmt.Errorf("scenario: plan %v: got algorithm %v, want %s", p.Op, p.Alg, list(algorithmsOf(p.Op)))
	}
	dt, err := mem.ParseDtype(q.Dtype)
	if err != nil {
		return p, err
	}
	n, err := units.ParseSize(q.Size)
	if err != nil {
		return p, err
	}
	switch {
	case q.Ranks < 1 || q.Ranks > maxPlanRanks:
		return p, fmt.Errorf("scenario: plan %v: got %d ranks, want 1 to %d", p.Op, q.Ranks, maxPlanRanks)
	case q.Rank >= q.Ranks:
		return p, fmt.Errorf("scenario: plan %v: got rank %d, want one of 0 to %d", p.Op, q.Rank, q.Ranks-1)
	case q.Root < 0 || q.Root >= q.Ranks:
		return p, fmt.Errorf("scenario: plan %v: got root %d, want one of 0 to %d", p.Op, q.Root, q.Ranks-1)
	case n <= 0 || n > 1<<40:
		return p, fmt.Errorf("scenario: plan %v: got size %s, want more than 0 and at most 1TiB", p.Op, q.Size)
	}
	p.Ranks, p.Root, p.Elem, p.Dtype, p.Group = q.Ranks, q.Root, dt.Size(), dt, q.Group
	p.Count = elements(p.Op, n, p.Elem, p.Ranks)
	return p, nil
}

// find looks the algorithm up, among the built-in ones and in the modules.
func (q PlanRequest) find(lib *library, p *hccl.Params) error {
	alg, err := hccl.ParseAlgorithm(q.Algorithm)
	if err == nil {
		p.Alg = alg
		return nil
	}
	names := hccl.AlgorithmNames()
	for _, file := range q.Plugins {
		m := lib.scheduleModule(file)
		if m.err != nil {
			return m.err
		}
		if s := findSchedule(m.schedules, q.Algorithm); s != nil {
			p.Schedule = s
		}
		for _, s := range m.schedules {
			names = append(names, s.Name)
		}
	}
	if p.Schedule != nil {
		return nil
	}
	return tryName(err, q.Algorithm, names)
}

// elements is the count argument of the call: bytes rounded up to whole elements, of all_to_all per peer.
func elements(op hccl.OpKind, bytes, elem int64, ranks int) int64 {
	unit := elem
	if op == hccl.AllToAll {
		unit *= int64(ranks)
	}
	return max((bytes+unit-1)/unit, 1)
}

// count is the count argument of the run's call at a size.
func (r *RunSpec) count(size int64, ranks int) int64 {
	if r.Whole {
		return max(hccl.TestCount(r.Op, size, r.Dtype.Size(), ranks), 1)
	}
	return elements(r.Op, size, r.Dtype.Size(), ranks)
}

func tryName(err error, got string, names []string) error {
	if n := nearest(got, names); n != "" {
		return fmt.Errorf("%w (try %s)", err, n)
	}
	return err
}
