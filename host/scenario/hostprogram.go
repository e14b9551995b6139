package scenario

import (
	"fmt"
	"path/filepath"
	"strings"

	"hsim/abi"
	"hsim/host/acl"
	"hsim/host/guest"
	"hsim/host/hccl"
	"hsim/host/sim"
)

// perRank is the value of processes that starts one for every device.
const perRank = "per-rank"

// ProcessReport says how one process of a program ended.
type ProcessReport struct {
	Rank    int      `json:"rank"`
	Pid     int      `json:"pid"`
	Exit    int      `json:"exit"`
	BeginUS Micros   `json:"begin_us"`
	EndUS   Micros   `json:"end_us"`
	Error   string   `json:"error,omitempty"` // what stopped it
	Leaks   []string `json:"leaks,omitempty"`
}

// programSettings reads what all programs share.
func (v *values) programSettings(c *Config) {
	c.ConnectTimeout = seconds(get[int64](v, "env.HCCL_CONNECT_TIMEOUT"))
	c.StrictEvents = get[bool](v, "acl.strict_events")
	// Files number some of a server's devices, and are held against these ids where they are read.
	listed := get[string](v, "cluster.rank_table")+get[string](v, "cluster.topo")+get[string](v, "cluster.cluster") != ""
	for _, id := range get[[]int64](v, "cluster.visible") {
		if !listed && id >= int64(c.Topology.Devices) {
			v.problem("cluster.visible", fmt.Sprintf("a server has devices 0 to %d", c.Topology.Devices-1), "")
			return
		}
		for _, other := range c.Visible {
			if int64(other) == id {
				v.problem("cluster.visible", fmt.Sprintf("device %d is there twice", id), "")
				return
			}
		}
		c.Visible = append(c.Visible, int(id))
	}
}

// program completes a run that is a host program.
func (v *values) program(c *Config, r *RunSpec, pre string, other bool) {
	if other {
		v.problem(pre+"program", "a run has an op, a kernel or a program, not several", "two [[run]] tables")
	}
	v.meaningless(r.Index, opKeys, kernelKeys, measuredKeys)
	if r.Program = get[string](v, pre+"program"); strings.HasSuffix(r.Program, ".wasm") {
		r.Program = v.module(pre+"program", r.Program, "")
	} else {
		v.problem(pre+"program", "want the path of a .wasm file", "`hsim cc "+r.Program+"` to make one of C sources")
	}
	r.Leaks = get[bool](v, pre+"leaks")
	r.Steps = uint64(get[int64](v, pre+"steps"))
	r.Env = get[[]string](v, pre+"env")
	for _, kv := range r.Env {
		if name, _, ok := strings.Cut(kv, "="); !ok || name == "" {
			v.problem(pre+"env", "got "+written(kv)+", want NAME=value", "")
		}
	}
	r.Sizes, r.Check, r.Iterations, r.Warmup = []int64{0}, CheckNone, 1, 0
	if r.Processes = int(get[int64](v, pre+"processes")); r.Processes == 0 {
		r.Processes = c.Ranks()
	}
}

// hostPrograms loads the programs of all runs.
func (v *values) hostPrograms(l *library, c *Config) map[int]*module {
	out := map[int]*module{}
	for i := range c.Runs {
		r := &c.Runs[i]
		if r.Program == "" {
			continue
		}
		m := l.get(r.Name(), r.Program, abi.Program)
		if m.err != nil {
			v.problem(element("run", i)+".program", trimLoad(m.err), "`hsim plugin inspect "+r.Program+"`")
			continue
		}
		out[i] = m
	}
	return out
}

// programs is the program side of the simulation.
func (w *world) programs() *guest.System {
	if w.prog != nil {
		return w.prog
	}
	rt := acl.New(acl.Config{System: w.sys, Graph: w.graph, Visible: w.cfg.Visible, StrictEvents: w.cfg.StrictEvents, Wasm: w.lib.rt})
	timeout := w.cfg.ExecTimeout
	if timeout == 0 {
		timeout = -1 // never
	}
	w.prog = guest.New(guest.Config{ACL: rt, HCCL: w.host, Seed: w.cfg.Seed, ConnectTimeout: w.cfg.ConnectTimeout,
		Comm: hccl.CommConfig{BufferBytes: w.cfg.BuffSize, ExecTimeout: timeout}})
	return w.prog
}

// places spreads processes over the servers in order of rank, as a launcher does.
func (x *execution) places(processes int) []guest.Place {
	servers := x.cfg.Topology.Servers
	var out []guest.Place
	local := map[int]int{}
	for rank := range processes {
		server := rank // fewer processes than servers: one each
		switch {
		case processes == len(x.w.devs):
			server = int(x.w.graph.Nodes[x.w.devs[rank].Node()].Server) // with the device of the same rank
		case processes >= servers:
			server = rank * servers / processes
		}
		out = append(out, guest.Place{Server: server, Visible: x.cfg.Visible,
			Env: []string{fmt.Sprintf("LOCAL_RANK=%d", local[server]), fmt.Sprintf("SERVER_ID=%d", server)}})
		local[server]++
	}
	return out
}

// program runs one program to the end of its last process.
func (x *execution) program(p *sim.Proc, run *RunSpec) (Row, error) {
	row := Row{Run: run.Index, Op: run.Name(), Iterations: 1, Check: Success}
	spec := guest.JobSpec{Module: x.plan.guest[run.Index].mod, Args: run.Args, Env: append(x.cfg.values.env(), run.Env...), Dir: filepath.Dir(run.Program),
		Places: x.places(run.Processes), Fuel: run.Steps, Leaks: run.Leaks}
	if x.hooks.Print != nil {
		spec.Output = func(rank int, to guest.Stream, line string) {
			x.hooks.Print(rank, run.Processes, to == guest.Stderr, line)
		}
	}
	job, err := x.w.programs().Start(spec)
	if err != nil {
		row.Check, row.Detail = Failed, trimPrefixes(err)
		return row, err
	}
	begin := p.Now()
	job.Wait(p)
	row.TimeUS = Micros(p.Now() - begin)
	var failures []string
	for _, q := range job.Processes() {
		r := processReport(q)
		row.Processes = append(row.Processes, r)
		if r.Exit != 0 && len(failures) < 8 {
			failures = append(failures, r.failure(run.Processes))
		}
		if len(r.Leaks) > 0 && len(x.report.Warnings) < 64 {
			x.report.Warnings = append(x.report.Warnings, fmt.Sprintf("%s: process %d ended without giving back %s", run.Name(), r.Rank, strings.Join(r.Leaks, "; ")))
		}
	}
	if len(failures) > 0 {
		row.Check, row.Detail = Failed, strings.Join(failures, "; ")
		x.failed = true
		x.report.Errors = append(x.report.Errors, run.Name()+": "+row.Detail)
	}
	return row, nil
}

func processReport(q *guest.Process) ProcessReport {
	begin, end := q.Times()
	r := ProcessReport{Rank: q.Rank(), Pid: q.Pid(), BeginUS: Micros(begin), EndUS: Micros(end), Leaks: q.Leaks()}
	r.Exit, _ = q.Exit()
	if err := q.Err(); err != nil {
		r.Error = strings.TrimPrefix(err.Error(), "guest: ")
	}
	return r
}

func (r *ProcessReport) failure(processes int) string {
	who := ""
	if processes > 1 {
		who = fmt.Sprintf("rank %d ", r.Rank)
	}
	if r.Error != "" {
		return strings.TrimSpace(who + "stopped: " + r.Error)
	}
	return fmt.Sprintf("%sexited with status %d", who, r.Exit)
}

// env is the variables of [env] as a program sees them.
func (v *values) env() []string {
	var out []string
	for _, k := range v.schema.keys {
		if name, ok := strings.CutPrefix(k.Path, "env."); ok {
			if s, given := v.set[k.Path]; given {
				out = append(out, name+"="+fmt.Sprint(s.raw))
			}
		}
	}
	return out
}
