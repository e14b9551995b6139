package hccl

import (
	"fmt"

	"hsim/host/sim"
	"hsim/host/units"
)

// Form is the closed form of an algorithm: T = Alphas*a + bytes*b + reduced*g,
// a the start-up of a step, b and g seconds per byte of the wire and of the
// reduction.
type Form struct {
	Text    string // in p ranks and n bytes of the whole operation
	Alphas  int64
	Bytes   int64 // of the largest chunks where the division is uneven
	Reduced int64
}

// Time evaluates the form.
func (f Form) Time(alpha sim.Time, wire, reduce units.Rate) sim.Time {
	return sim.Time(f.Alphas)*alpha + rateTime(wire, f.Bytes) + rateTime(reduce, f.Reduced)
}

// FormOf is the closed form for one round. shared says that a rank's messages
// share one port, so that a step of a mesh takes the bytes of all of them.
func FormOf(p Params, shared bool) Form {
	n := int64(p.Ranks)
	if n == 1 {
		return Form{Text: "0"}
	}
	log := int64(logCeil(int32(n)))
	chunk := (p.Count + n - 1) / n * p.Elem // of a vector that is divided
	part := p.Count * p.Elem                // of a rank
	vector := p.Count * p.Elem
	if p.Op == AllGather || p.Op == ReduceScatter || p.Op == AllToAll {
		chunk = part
	}
	// A step of a mesh: one chunk on each of p-1 links, or all on one port.
	mesh, meshText := int64(1), "n/p b"
	if shared {
		mesh, meshText = n-1, "(p-1)/p n b"
	}
	switch p.Op {
	case AllReduce:
		switch p.Alg {
		case Ring:
			return Form{"2(p-1) a + 2(p-1)/p n b + (p-1)/p n g", 2 * (n - 1), 2 * (n - 1) * chunk, (n - 1) * chunk}
		case Mesh:
			return Form{"2 a + 2 " + meshText + " + (p-1)/p n g", 2, 2 * mesh * chunk, (n - 1) * chunk}
		case MeshOneShot:
			text := "a + n b + (p-1) n g"
			if shared {
				text = "a + (p-1) n b + (p-1) n g"
			}
			return Form{text, 1, mesh * vector, (n - 1) * vector}
		case NHR:
			return Form{"2 ceil(log2 p) a + 2(p-1)/p n b + (p-1)/p n g", 2 * log, 2 * (n - 1) * chunk, (n - 1) * chunk}
		}
	case AllGather, ReduceScatter:
		f := Form{}
		switch p.Alg {
		case Ring:
			f = Form{"(p-1) a + (p-1)/p n b", n - 1, (n - 1) * chunk, 0}
		case Mesh:
			f = Form{"a + " + meshText, 1, mesh * chunk, 0}
		case NHR:
			f = Form{"ceil(log2 p) a + (p-1)/p n b", log, (n - 1) * chunk, 0}
		}
		if p.Op == ReduceScatter {
			f.Text += " + (p-1)/p n g"
			f.Reduced = (n - 1) * chunk
		}
		return f
	case Broadcast:
		switch p.Alg {
		case Ring:
			return Form{"(p-1) (a + n b)", n - 1, (n - 1) * vector, 0}
		case Mesh:
			return Form{"2 a + 2 " + meshText, 2, 2 * mesh * chunk, 0}
		case NHR:
			return Form{"2 ceil(log2 p) a + 2(p-1)/p n b", 2 * log, 2 * (n - 1) * chunk, 0}
		}
	case AllToAll:
		if p.Alg == Mesh {
			return Form{"a + " + meshText, 1, mesh * chunk, 0}
		}
		return Form{"(p-1) a + (p-1)/p n b", n - 1, (n - 1) * chunk, 0}
	}
	return Form{}
}

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
	Total  sim.Time // predicted, all ranks starting at once
	Parts  []PartValue
	Alpha  sim.Time // what is neither wire, nor copy, nor reduction, per step of the form
	Beta   sim.Time // wire: payload and headers
	Gamma  sim.Time // reduction
	Copies sim.Time // local copies, by bytes
}

// String is the text of `hsim explain`.
func (e Explanation) String() string {
	s := fmt.Sprintf("%v\nform: %s", e.Choice, e.Form.Text)
	if e.Rounds > 1 {
		s += fmt.Sprintf(", in %d rounds", e.Rounds)
	}
	s += fmt.Sprintf("\npredicted: %v = %d a + wire + reduce + copies, a = %v, wire %v, reduce %v, copies %v\n", e.Total,
		e.Form.Alphas*int64(e.Rounds), e.Alpha, e.Beta, e.Gamma, e.Copies)
	for _, p := range e.Parts {
		times := ""
		if p.Times > 0 {
			times = fmt.Sprintf("%d x %v", p.Times, p.Unit)
		}
		s += fmt.Sprintf("  %-22s %14v  %-18s %s\n", p.Part, p.Total, times, p.Part.Doc())
	}
	return s
}

// Choose is Select, and for algorithm Best the one whose predicted time is the
// shortest; the earlier name wins a tie.
func (m *Model) Choose(q Request) (Choice, error) {
	if q.Algorithm != Best {
		return Select(q, m.shape)
	}
	var best Choice
	var least sim.Time
	var first error
	for _, a := range Algorithms(q.Op) {
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
	return Params{Op: q.Op, Alg: a, Ranks: len(m.nodes), Root: q.Root, Count: q.Count, Elem: q.Dtype.Size(), Scratch: buffer}
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
	it, err := NewIter(p)
	if err != nil {
		return e, err
	}
	e.Rounds = it.Rounds()
	e.Form = FormOf(p, !m.shape.Mesh)
	s, err := m.predict(p, e.Choice.Expansion)
	if err != nil {
		return e, err
	}
	e.Total, e.Beta, e.Gamma, e.Copies = s.t, s.p[PartPayload]+s.p[PartHeader], s.p[PartReduce], s.p[PartCopy]
	if steps := e.Form.Alphas * int64(e.Rounds); steps > 0 {
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
