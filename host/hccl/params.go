package hccl

import (
	"fmt"

	"hsim/host/mem"
)

// Params fixes one operation for one rank.
type Params struct {
	Op      OpKind
	Alg     Algorithm // not Auto or Best; ignored with a Schedule
	Ranks   int
	Rank    int
	Root    int
	Count   int64 // elements: of the whole vector (all_reduce, broadcast), of one rank's part otherwise
	Elem    int64 // bytes of an element
	InPlace bool  // this rank's Output is where its Input is
	Scratch int64 // bytes of scratch memory at every rank; 0 = enough for one round
	Group   int   // ranks of each server, which are neighbours in rank order; 0 = they are not, or uneven

	Schedule *Schedule // of a user, instead of Alg
	Dtype    mem.Dtype // told to a Schedule
	Red      mem.Op    // told to a Schedule
}

// InBytes and OutBytes are the sizes of the user's buffers.
func (p *Params) InBytes() int64 {
	if p.Op == ReduceScatter || p.Op == AllToAll {
		return p.Count * p.Elem * int64(p.Ranks)
	}
	return p.Count * p.Elem
}

// OutBytes is the size of the receive buffer.
func (p *Params) OutBytes() int64 {
	if p.Op == AllGather || p.Op == AllToAll {
		return p.Count * p.Elem * int64(p.Ranks)
	}
	return p.Count * p.Elem
}

// AlgorithmName is what a run calls the algorithm.
func (p *Params) AlgorithmName() string { return algorithmName(p.Alg, p.Schedule) }

func algorithmName(a Algorithm, s *Schedule) string {
	if s != nil {
		return s.Name
	}
	return a.String()
}

// Streams is how many streams a rank uses: 1, but for the parallel algorithms
// and some schedules.
func (p *Params) Streams() int {
	switch {
	case p.Schedule != nil:
		if g, err := p.Schedule.program(p); err == nil {
			return g.streams
		}
	case p.Alg.TwoLevel() && hierarchies[p.Alg].parallel && p.Ranks > 1:
		return 2
	}
	return 1
}

// Walk returns the steps of one stream of p.Rank. Errors name what is impossible.
func Walk(p Params, stream int) (Walker, error) {
	w, _, err := p.walk(stream)
	return w, err
}

// walk is Walk together with the scratch memory that the rank needs, in bytes.
func (p *Params) walk(stream int) (Walker, int64, error) {
	if p.Schedule != nil {
		g, err := p.Schedule.program(p)
		if err != nil {
			return nil, 0, err
		}
		return g.walk(p.Rank, stream), g.scratch, nil
	}
	it, err := newIter(*p, int32(stream))
	if err != nil {
		return nil, 0, err
	}
	if it.streams > 1 {
		return &forked{it: it, stream: int32(stream), streams: int32(it.streams)}, it.use, nil
	}
	return it, it.use, nil
}

func (p *Params) check() error {
	switch {
	case p.Ranks < 1:
		return fmt.Errorf("hccl: plan %v: got %d ranks, want at least 1", p.Op, p.Ranks)
	case p.Rank < 0 || p.Rank >= p.Ranks:
		return fmt.Errorf("hccl: plan %v: got rank %d, want 0 to %d", p.Op, p.Rank, p.Ranks-1)
	case p.Op == Broadcast && (p.Root < 0 || p.Root >= p.Ranks):
		return fmt.Errorf("hccl: plan %v: got root %d, want 0 to %d", p.Op, p.Root, p.Ranks-1)
	case p.Count < 0 || p.Elem < 1:
		return fmt.Errorf("hccl: plan %v: got %d elements of %d bytes", p.Op, p.Count, p.Elem)
	case p.Schedule != nil:
		return nil
	case !Supports(p.Op, p.Alg):
		return fmt.Errorf("hccl: plan %v: algorithm %v does not exist for it (try %s)", p.Op, p.Alg, names(append(Algorithms(p.Op), TwoLevel(p.Op)...)))
	case !p.Alg.Fits(p.Ranks, p.Group):
		return fmt.Errorf("hccl: plan %v: algorithm %v: got %d ranks with %d on each server, want %s (try %s)",
			p.Op, p.Alg, p.Ranks, p.Group, p.Alg.wants(), names(fitting(p.Op, p.Ranks, p.Group)))
	}
	return nil
}

// wants says which ranks the algorithm takes.
func (a Algorithm) wants() string {
	switch {
	case a == RHD:
		return "a power of two of ranks"
	case hierarchies[a].inter == RHD:
		return "a power of two of servers with the same number of ranks, at least 2, one server after the other"
	}
	return "several servers with the same number of ranks, at least 2, one server after the other"
}

// fitting lists the algorithms of an operation that take so many ranks.
func fitting(op OpKind, ranks, group int) (list []Algorithm) {
	for _, a := range append(append([]Algorithm{}, Algorithms(op)...), TwoLevel(op)...) {
		if a.Fits(ranks, group) {
			list = append(list, a)
		}
	}
	return list
}

// evenGroups says whether two levels exist.
func evenGroups(ranks, group int) bool { return group > 1 && ranks > group && ranks%group == 0 }

func names(list []Algorithm) string {
	s := make([]string, len(list))
	for i, a := range list {
		s[i] = a.String()
	}
	return join(s)
}
