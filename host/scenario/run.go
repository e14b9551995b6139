package scenario

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"

	"hsim/host/device"
	"hsim/host/record"
	"hsim/host/sim"
	"hsim/host/topo"
	"hsim/host/units"
)

// Hooks let a caller watch a run. All may be nil. They are called from the goroutine that runs the simulation and must not
// change anything.
type Hooks struct {
	Progress func(Progress)    // before each row and each of its iterations
	Log      func(line string) // what plugins print
	// Print gets what a host program prints: its rank among so many processes, and whether it is an error.
	Print func(rank, processes int, stderr bool, line string)
}

// Progress says which row is being simulated.
type Progress struct {
	Variant string
	Run     string // name of the op or kernel
	Size    int64
	Done    int // rows finished
	Total   int

	Iteration  int // that the host is about to queue, from 1, with the warm-up; 0 before the first
	Iterations int

	Now func() sim.Time // about where the run is in virtual time; any goroutine may ask, nil = not known
}

// Run executes every variant of a scenario and returns the report. Everything that can be refused is refused before the
// first event: the error is then an *InputError, and no output file is touched. A task or a check that fails, a stall, a
// limit or an interrupt (ctx) is no error but an outcome of the report. The trace of [output] is written here; where that
// fails at the end, the report is returned beside the error. The report's own file is the caller's.
func Run(ctx context.Context, sc *Scenario, h Hooks) (*Report, error) {
	lib, err := newLibrary()
	if err != nil {
		return nil, err
	}
	defer func() { _ = lib.close() }()
	lib.log = h.Log
	plans, err := prepareAll(sc, lib)
	if err != nil {
		return nil, err
	}
	var trace *record.Trace
	if sc.Output.Trace != "" {
		if trace, err = record.NewTrace(sc.Output.Trace); err != nil {
			return nil, err
		}
		defer trace.Discard()
	}
	report := &Report{File: sc.name(), Notes: unspoken(sc, plans)}
	done := 0
	for _, p := range plans {
		x := &execution{plan: p, hooks: h, report: p.header(), done: done, total: rowsOf(plans)}
		if err := x.run(ctx, trace.Recorder(p.cfg.Name)); err != nil {
			return nil, err
		}
		report.Variants = append(report.Variants, x.report)
		done += rowsOf([]*plan{p})
	}
	report.settle()
	return report, trace.Commit()
}

// prepareAll checks every variant before the first is simulated.
func prepareAll(sc *Scenario, lib *library) ([]*plan, error) {
	plans := make([]*plan, len(sc.Variants))
	each := make([]problems, len(sc.Variants))
	for i, c := range sc.Variants {
		plans[i] = prepare(c, lib, &each[i])
	}
	probs := together(each, len(plans) > 1 && !sc.Variants[0].values.variant)
	sc.Variants[0].values.probs = &probs
	sc.checkOutputs()
	return plans, probs.err()
}

// checkOutputs refuses output files that cannot be written, and those that are read.
func (sc *Scenario) checkOutputs() {
	v := sc.Variants[0].values
	for _, out := range []struct{ key, path string }{{"output.json", sc.Output.JSON}, {"output.trace", sc.Output.Trace}} {
		if out.path == "" {
			continue
		}
		if err := record.CheckPath(out.path); err != nil {
			_, why, _ := strings.Cut(strings.TrimPrefix(err.Error(), "record: "), out.path+": ")
			v.problem(out.key, why, "")
		}
		for _, in := range sc.inputs() {
			if sameFile(out.path, in) {
				v.problem(out.key, "is read as well, and would be lost", "another name")
				break
			}
		}
	}
}

// inputs lists the files that the scenario reads.
func (sc *Scenario) inputs() []string {
	out := []string{sc.File}
	for _, c := range sc.Variants {
		for i := range c.Transport {
			out = append(out, c.Transport[i].File)
		}
		for i := range c.Runs {
			out = append(out, c.Runs[i].Program)
		}
		out = append(append(out, c.Kernels...), c.Programs...)
		if strings.HasSuffix(c.ProfileName, ".toml") {
			out = append(out, c.values.resolvePath(c.ProfileName))
		}
	}
	return out
}

func sameFile(a, b string) bool {
	x, err := os.Stat(a)
	if err != nil || b == "" {
		return false
	}
	y, err := os.Stat(b)
	return err == nil && os.SameFile(x, y)
}

func rowsOf(plans []*plan) int {
	n := 0
	for _, p := range plans {
		for _, r := range p.cfg.Runs {
			n += len(r.Sizes)
		}
	}
	return n
}

// execution is the simulation of one variant.
type execution struct {
	*plan
	hooks  Hooks
	report *VariantReport
	w      *world
	crew   *crew
	done   int // rows of the scenario
	total  int
	failed bool
	over   bool // all rows are done, or given up
	first  failure

	samples []SampleReport
	full    bool // more samples than a report holds
}

// failure is the first task that failed, in virtual time.
type failure struct {
	err error
	at  sim.Time
	row string
}

func (x *execution) run(ctx context.Context, rec *record.Recorder) error {
	if ctx.Err() != nil {
		x.report.Outcome = OutcomeInterrupted
		return nil
	}
	x.plan.sampled = x.sampled
	var err error
	if x.w, err = x.build(rec, x.hooks.Log); err != nil {
		return err
	}
	defer x.w.sys.Close()
	x.crew = newCrew(x.w)
	x.w.eng.Go(director, x.direct)
	defer x.w.eng.InterruptWith(ctx)()
	x.settle(x.w.eng.Run(x.cfg.Limit))
	x.w.fab.Drawn()
	return nil
}

// settle turns how the engine ended into the outcome of the report.
func (x *execution) settle(res sim.Result) {
	r := x.report
	r.Events = res.Events
	if r.Network == nil { // no end of all rows
		r.EndUS, r.Network = Micros(res.End), x.network()
	}
	r.Network.Flows = x.w.net.flowReport()
	stall := ofInterest(res.Stall)
	if stall == nil && x.failed {
		stall = stoppedPorts(x.w.eng.Waiting())
	}
	// Without faults a port that is stopped for good is no consequence: its lane has less room than a packet takes.
	ports := portCycle(stall) || len(x.cfg.Faults) == 0 && portsFirst(stall)
	r.Stall = newStallReport(stall)
	if err := x.w.net.Fault(); err != nil && !strings.Contains(strings.Join(r.Errors, "\n"), err.Error()) {
		r.Errors = append(r.Errors, err.Error())
		x.failed = true
	}
	if x.first.err != nil && len(r.Errors) == 0 {
		// The row of the failed task has not ended.
		r.Errors = append(r.Errors, fmt.Sprintf("%s: %s", x.first.row, x.explained(x.first.err, x.first.at)))
		x.failed = true
	}
	if r.Stall != nil {
		at := sim.Time(r.Stall.AtUS)
		// Ports that wait for credit, each other's or more than there is, were the reason of the failure, whichever task
		// gave up first.
		r.Stall.AfterFailure = !ports && (x.first.err != nil && x.first.at <= at || x.w.net.Fault() != nil && x.w.net.FaultAt() <= at)
	}
	switch {
	case res.Reason == sim.Interrupted && !x.over:
		r.Outcome = OutcomeInterrupted
	case r.Stall != nil && !r.Stall.AfterFailure:
		r.Outcome = OutcomeStalled
	case x.failed:
		r.Outcome = OutcomeFailed
	case res.Reason == sim.LimitHit && !x.over:
		r.Outcome = OutcomeLimit
	}
}

// ofInterest takes the scenario's own coroutines out of a stall: they wait for everybody else.
func ofInterest(s *sim.Stall) *sim.Stall {
	if s == nil {
		return nil
	}
	out := &sim.Stall{At: s.At, Cycle: s.Cycle}
	for _, w := range s.Waiting {
		if w.Who != director && w.What != idleWait {
			out.Waiting = append(out.Waiting, w)
		}
	}
	return out
}

// portCycle says whether ports wait for each other in a circle. It makes that the cycle of the stall, and puts the ports first.
func portCycle(s *sim.Stall) bool {
	if s == nil {
		return false
	}
	next := map[string]string{}
	for _, w := range s.Waiting {
		if strings.HasPrefix(w.Who, "port ") && strings.HasPrefix(w.Actor, "port ") {
			next[w.Who] = w.Actor
		}
	}
	for _, w := range s.Waiting {
		place := map[string]int{}
		var path []string
		for at := w.Who; next[at] != ""; at = next[at] {
			if i, seen := place[at]; seen {
				s.Cycle = path[i:]
				return portsFirst(s)
			}
			place[at] = len(path)
			path = append(path, at)
		}
	}
	return false
}

// isPort says whether a port is who waits.
func isPort(w sim.Waiting) bool { return strings.HasPrefix(w.Who, "port ") }

// portsFirst puts the ports of a stall first, and says whether there are any.
func portsFirst(s *sim.Stall) bool {
	if s == nil || !slices.ContainsFunc(s.Waiting, isPort) {
		return false
	}
	var others []sim.Waiting
	s.Waiting = slices.DeleteFunc(s.Waiting, func(w sim.Waiting) bool {
		if !isPort(w) {
			others = append(others, w)
			return true
		}
		return false
	})
	s.Waiting = append(s.Waiting, others...)
	return true
}

// stoppedPorts is the stall of ports that are still stopped when all tasks have given up, nil without any: what waits at
// them counts as under way, so that the engine saw none.
func stoppedPorts(waiting []sim.Waiting) *sim.Stall {
	s := &sim.Stall{}
	for _, w := range waiting {
		if isPort(w) {
			s.Waiting, s.At = append(s.Waiting, w), max(s.At, w.Since)
		}
	}
	if len(s.Waiting) == 0 {
		return nil
	}
	return s
}

// direct is the coroutine that takes the ranks through all rows.
func (x *execution) direct(p *sim.Proc) {
	x.rows(p)
	// What is still under way, such as the last acknowledgements and the timers of connections, changes no result but the
	// times of transfers.
	x.over = true
	x.report.EndUS, x.report.Network = Micros(p.Now()), x.network()
	x.report.Notes = append(x.report.Notes, x.lateFaults(p.Now())...)
	if !x.failed {
		x.w.net.drain(p)
	}
	x.w.eng.Interrupt()
}

func (x *execution) rows(p *sim.Proc) {
	for i := range x.cfg.Runs {
		run := &x.cfg.Runs[i]
		for _, size := range run.Sizes {
			x.progress(run, size, 0)
			row, err := x.row(p, run, size)
			x.report.Rows = append(x.report.Rows, row)
			if err != nil {
				// What failed may have left streams and communicators broken, as on the real system: no more rows.
				x.report.Errors = append(x.report.Errors, fmt.Sprintf("%s of %d bytes: %s", run.Name(), size, x.explained(err, x.w.eng.Now())))
				x.failed = true
				return
			}
			x.done++
		}
	}
}

// explained is the error of a task with what a user needs beside it: the two ranks whose connection failed, and the faults
// that the scenario had until then.
func (x *execution) explained(err error, at sim.Time) string {
	text := err.Error()
	var task *device.Fault
	if errors.As(err, &task) {
		at = task.At
	}
	var link *device.LinkError
	if errors.As(err, &link) {
		from, to := x.w.net.Ends(link.Conn)
		text += fmt.Sprintf(" (completion status %d), from %s to %s", link.Status, x.rankOf(from), x.rankOf(to))
	}
	if why := x.blameFaults(at); why != "" {
		text += "; " + why
	}
	return text
}

// rankOf names a device by its rank.
func (x *execution) rankOf(n topo.NodeID) string {
	for r, m := range x.nodes() {
		if m == n {
			return fmt.Sprintf("rank %d (%s)", r, x.graph.Nodes[n].Name)
		}
	}
	return x.graph.Nodes[n].Name
}

func (x *execution) progress(run *RunSpec, size int64, iteration int) {
	if x.hooks.Progress != nil {
		x.hooks.Progress(Progress{Variant: x.cfg.Name, Run: run.Name(), Size: size, Done: x.done, Total: x.total,
			Iteration: iteration, Iterations: run.Warmup + run.Iterations, Now: x.w.eng.Seen})
	}
}

func (x *execution) row(p *sim.Proc, run *RunSpec, size int64) (Row, error) {
	if run.Program != "" {
		return x.program(p, run)
	}
	x.w.net.Train = x.cfg.detail(run, size)
	var j job
	var err error
	if run.IsOp {
		j, err = newCollective(x.w, run, size)
	} else {
		j, err = newLaunch(x.w, run, size)
	}
	if err != nil {
		return Row{Run: run.Index, Op: run.Name(), Dtype: dtypeName(run.Dtype), Size: size, Check: Failed, Detail: err.Error()}, err
	}
	defer j.free()
	m := &measurement{crew: x.crew, job: j, run: run, title: fmt.Sprintf("%s %s %s", run.Name(), run.DtypeName(), units.FormatSize(size)), queued: func(n int) { x.progress(run, size, n) }, begin: make([]sim.Time, len(x.w.devs)), end: make([]sim.Time, len(x.w.devs))}
	m.failed = func(err error, at sim.Time) {
		if x.first.err == nil || at < x.first.at {
			x.first = failure{err, at, fmt.Sprintf("%s of %d bytes", run.Name(), size)}
		}
	}
	ports := x.watchPorts()
	total, err := m.measure(p)
	row := j.row(size, total)
	row.Busiest = x.busiest(ports)
	if err != nil {
		row.Check, row.Detail, row.AlgGBps, row.BusGBps = Failed, err.Error(), 0, 0
		return row, err
	}
	if m.verdict == "" {
		m.verdict, m.detail, err = j.check()
	}
	row.Check, row.Detail = m.verdict, m.detail
	if m.detail != "" && m.verdict == NoCheck {
		x.report.Warnings = append(x.report.Warnings, fmt.Sprintf("%s of %d bytes: %s", run.Name(), size, m.detail))
	}
	if row.Check == Failed {
		x.failed = true
		if err == nil {
			x.report.Errors = append(x.report.Errors, fmt.Sprintf("%s of %d bytes: wrong result: %s", run.Name(), size, m.detail))
		}
	}
	return row, err
}
