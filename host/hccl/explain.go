package hccl

import (
	"fmt"

	"hsim/host/sim"
)

// PartValue is one line of an explanation: on the critical path, Part took Total.
type PartValue struct {
	Part  Part
	Unit  sim.Time // of one occurrence; 0 where they differ
	Times int64    // occurrences; 0 where Unit is 0
	Total sim.Time
}

// Explanation says what an operation's time is made of.
type Explanation struct {
	Choice Choice
	Form   Form
	Rounds int
	Proof  string   // how far the plan of a schedule is proven
	None   string   // why there is no prediction; "" where there is one
	Total  sim.Time // predicted, all ranks starting at once
	Parts  []PartValue
	Alpha  sim.Time // what is neither wire, nor copy, nor reduction, per step of the form
	Beta   sim.Time // wire: payload and headers
	Gamma  sim.Time // reduction
	Copies sim.Time // local copies, by bytes
}

// String is the text of `hsim explain`.
func (e Explanation) String() string {
	s := e.Reasons("\n")
	if e.None != "" {
		return s + "\n"
	}
	s += fmt.Sprintf("\npredicted: %v = %d a + wire + reduce + copies, a = %v, wire %v, reduce %v, copies %v\n", e.Total,
		e.Form.Steps()*int64(e.Rounds), e.Alpha, e.Beta, e.Gamma, e.Copies)
	for _, p := range e.Parts {
		times := ""
		if p.Times > 0 {
			times = fmt.Sprintf("%d x %v", p.Times, p.Unit)
		}
		s += fmt.Sprintf("  %-22s %14v  %-18s %s\n", p.Part, p.Total, times, p.Part.Doc())
	}
	return s
}

// Reasons is what runs, why, its form and what is known about its plan, on lines
// that begin with line.
func (e Explanation) Reasons(line string) string {
	s := fmt.Sprintf("%v%sform: %s", e.Choice, line, e.Form.Text)
	if e.Rounds > 1 {
		s += fmt.Sprintf(", in %d rounds", e.Rounds)
	}
	if e.Proof != "" {
		s += line + "plan: " + e.Proof
	}
	if e.None != "" {
		s += line + "no prediction: " + e.None
	}
	return s
}

// Choose is Select, and for algorithm Best the one whose predicted time is the
// shortest; the earlier name wins a tie.
func (m *Model) Choose(q Request) (Choice, error) {
	if q.Algorithm != Best || q.Schedule != nil {
		return Select(q, m.shape)
	}
	var best Choice
	var least sim.Time
	var first error
	for _, a := range fitting(q.Op, m.shape.Ranks, m.shape.Group) {
		t := q
		t.Algorithm = a
		c, err := Select(t, m.shape)
		if err != nil {
			return c, err
		}
		s, err := m.predict(m.params(&t, a), c.Expansion)
		if err != nil {
			if first == nil {
				first = err
			}
			continue
		}
		if best.Algorithm == Auto || s.t < least {
			best, least = c, s.t
		}
	}
	if best.Algorithm == Auto {
		return best, first
	}
	best.Why = fmt.Sprintf("the shortest predicted time, %v", least)
	return best, nil
}

func (m *Model) params(q *Request, a Algorithm) Params {
	buffer := q.Buffer
	if buffer == 0 {
		buffer = DefaultBufferBytes
	}
	return Params{Op: q.Op, Alg: a, Schedule: q.Schedule, Ranks: len(m.nodes), Root: q.Root, Count: q.Count, Elem: q.Dtype.Size(), Dtype: q.Dtype, Red: q.Red,
		InPlace: q.InPlace, Scratch: buffer, Group: m.shape.Group}
}

// Explain chooses as a run would and predicts what the run's time is made of.
func (m *Model) Explain(q Request) (Explanation, error) {
	var e Explanation
	var err error
	if err = CheckType(m.chip.Generation, q.Op, q.Dtype, q.Red); err != nil {
		return e, err
	}
	if e.Choice, err = m.Choose(q); err != nil {
		return e, err
	}
	p := m.params(&q, e.Choice.Algorithm)
	e.Rounds = 1
	if p.Schedule != nil {
		if err := m.explainSchedule(&p, &e); err != nil || e.None != "" {
			return e, err
		}
	} else {
		it, err := NewIter(p)
		if err != nil {
			return e, err
		}
		e.Rounds = it.Rounds()
		e.Form = FormOf(p, !m.shape.Mesh && !(p.Alg.TwoLevel() && m.shape.Inside))
	}
	s, err := m.predict(p, e.Choice.Expansion)
	if err != nil {
		return e, err
	}
	e.Total, e.Beta, e.Gamma, e.Copies = s.t, s.p[PartPayload]+s.p[PartHeader], s.p[PartReduce], s.p[PartCopy]
	if steps := e.Form.Steps() * int64(e.Rounds); steps > 0 {
		e.Alpha = (s.t - e.Beta - e.Gamma - e.Copies) / sim.Time(steps)
	}
	for k := range numParts {
		if s.p[k] == 0 {
			continue
		}
		v := PartValue{Part: k, Total: s.p[k], Unit: m.unit(k, e.Choice.Expansion)}
		if v.Unit > 0 {
			v.Times = int64(v.Total / v.Unit)
		}
		e.Parts = append(e.Parts, v)
	}
	return e, nil
}

// explainSchedule proves the plan of a user and says what is known about it.
func (m *Model) explainSchedule(p *Params, e *Explanation) error {
	full, err := p.Schedule.Check(*p)
	if err != nil {
		return &Error{Code: ErrPara, ID: "EI0003", Call: p.Op.Call(), Rank: -1, Text: "the schedule is not right", Err: err}
	}
	e.Form.Text = "none known"
	e.Proof = "proven"
	if !full {
		e.Proof = fmt.Sprintf("every send has its receive and no rank waits for ever; above %d ranks the result is not proven before a run", MaxVerifyRanks)
	}
	if p.Ranks > maxPlayed {
		e.None = fmt.Sprintf("above %d ranks the steps of one rank are taken for those of all, which a schedule need not have alike", maxPlayed)
	}
	return nil
}

// unit is the constant behind a part, 0 where a path or a size decides.
func (m *Model) unit(k Part, e Expansion) sim.Time {
	c := m.chip
	switch k {
	case PartHostCall:
		return c.HostCall
	case PartHostLaunch:
		return c.HostLaunch
	case PartAICPULaunch:
		return c.AICPULaunch
	case PartAICPUTask:
		return c.AICPUPerTask
	case PartDispatch:
		return c.TSDispatch
	case PartSync:
		switch e {
		case ExpandAICPU:
			return c.SyncAICPU
		case ExpandCCUSched:
			return c.SyncCCU
		}
		return c.SyncHost
	case PartSDMA:
		return c.SDMA.Alpha
	case PartIssue:
		return c.CCU.Issue
	}
	return 0
}
