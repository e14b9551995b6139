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
	Rank      int // only this one; negative = all
}

// maxPlanRanks bounds the proof of a plan, which looks at every element of every rank.
const maxPlanRanks = hccl.MaxVerifyRanks

// Plan lists the steps of each rank and proves them. Errors say which argument is wrong, or what the proof found.
func Plan(q PlanRequest) (string, error) {
	p, err := q.params()
	if err != nil {
		return "", err
	}
	if err := hccl.Verify(p, nil); err != nil {
		return "", err
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%v, algorithm %v, %d ranks, %s: proven\n", p.Op, p.Alg, p.Ranks, units.FormatSize(p.Count*p.Elem))
	for r := range p.Ranks {
		if q.Rank >= 0 && r != q.Rank {
			continue
		}
		p.Rank = r
		it, err := hccl.NewIter(p)
		if err != nil {
			return "", err
		}
		fmt.Fprintf(&b, "\nrank %d\n", r)
		var st hccl.Step
		for it.Next(&st) {
			fmt.Fprintf(&b, "  %v\n", st)
		}
	}
	return b.String(), nil
}

func (q PlanRequest) params() (hccl.Params, error) {
	var p hccl.Params
	var err error
	if p.Op, err = hccl.ParseOp(q.Op); err != nil {
		return p, tryName(err, q.Op, hccl.OpNames())
	}
	if p.Alg, err = hccl.ParseAlgorithm(q.Algorithm); err != nil {
		return p, tryName(err, q.Algorithm, hccl.AlgorithmNames())
	}
	if p.Alg == hccl.Auto || !hccl.Supports(p.Op, p.Alg) {
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
	case q.Rank >= q.Ranks || q.Root < 0 || q.Root >= q.Ranks:
		return p, fmt.Errorf("scenario: plan %v: got rank %d and root %d, want less than the %d ranks", p.Op, q.Rank, q.Root, q.Ranks)
	case n <= 0 || n > 1<<40:
		return p, fmt.Errorf("scenario: plan %v: got size %s, want more than 0 and at most 1TiB", p.Op, q.Size)
	}
	p.Ranks, p.Root, p.Elem = q.Ranks, q.Root, dt.Size()
	p.Count = elements(p.Op, n, p.Elem, p.Ranks)
	return p, nil
}

// elements is the count argument of the call: bytes rounded up to whole elements, of all_to_all per peer.
func elements(op hccl.OpKind, bytes, elem int64, ranks int) int64 {
	unit := elem
	if op == hccl.AllToAll {
		unit *= int64(ranks)
	}
	return max((bytes+unit-1)/unit, 1)
}

func tryName(err error, got string, names []string) error {
	if n := nearest(got, names); n != "" {
		return fmt.Errorf("%w (try %s)", err, n)
	}
	return err
}
