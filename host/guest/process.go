package guest

import (
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	"hsim/host/acl"
	"hsim/host/mem"
	"hsim/host/sim"
	"hsim/host/wasm"
)

// Process is one process of a job.
type Process struct {
	sys     *System
	job     *Job
	rank    int
	acl     *acl.Process
	in      *wasm.Instance
	threads []*thread // by id - 1, nil for those that are joined or detached and over
	runners []int     // the runtime's numbers of all threads there were, by id - 1
	live    int
	host    hostMemory
	heap    heap
	window  window
	futexes map[uint32]*futex
	verbose bool

	texts      map[string]uint32 // constant texts, by content
	registered map[uint32]registered
	imported   map[string]uint32 // where shared memory is visible, by key
	members    []*member         // of communicators
	placed     map[*acl.KernelArgs][]placed

	refilled sim.Time // when the steps were last given back
	begin    sim.Time
	end      sim.Time
	over     bool
	code     int
	err      error
	leaks    []string
	met      []byte // what the latest exchange gave
}

func (s *System) newProcess(j *Job, rank int, place Place) (*Process, error) {
	name := j.spec.Module.Name()
	if len(j.spec.Places) > 1 {
		name = fmt.Sprintf("rank %d", rank)
	}
	a, err := s.cfg.ACL.NewProcess(acl.ProcessConfig{Name: name, Server: place.Server, Visible: place.Visible})
	if err != nil {
		return nil, err
	}
	p := &Process{sys: s, job: j, rank: rank, acl: a, refilled: -1}
	p.host.p = p
	p.window.init()
	a.SetAddresses(func(own uint32) (mem.Addr, bool) {
		if p.window.find(own) == nil {
			return 0, false
		}
		return p.window.addr(own), true
	})
	p.heap.p = p
	return p, nil
}

// Rank is the process's number in its job.
func (p *Process) Rank() int { return p.rank }

// Pid is the process's number in the simulation.
func (p *Process) Pid() int { return p.acl.Pid() }

// Exit is the status with which the process ended; ok is false while it runs.
func (p *Process) Exit() (code int, ok bool) { return p.code, p.over }

// Err is what stopped the process where it did not end of its own accord: a trap.
func (p *Process) Err() error { return p.err }

// Times are when the process began and ended.
func (p *Process) Times() (begin, end sim.Time) { return p.begin, p.end }

// Leaks lists what the process had not given back when it ended; empty unless the job asked.
func (p *Process) Leaks() []string { return p.leaks }

func (p *Process) env() []string {
	spec := &p.job.spec
	env := []string{fmt.Sprintf("RANK_ID=%d", p.rank), fmt.Sprintf("RANK_SIZE=%d", len(spec.Places))}
	env = append(append(env, spec.Places[p.rank].Env...), spec.Env...)
	for _, kv := range env {
		if kv == "ASCEND_SLOG_PRINT_TO_STDOUT=1" {
			p.verbose = true
		}
	}
	return env
}

// start begins main as the process's first thread.
func (p *Process) start() {
	p.begin = p.sys.eng.Now()
	var t *thread
	p.live++
	t = p.newThread(p.acl.Go("main", func(*acl.Thread) {
		err := p.instantiate(t)
		if err == nil {
			_, err = t.fn.Call()
		}
		t.leave(err)
	}))
}

func (p *Process) instantiate(t *thread) error {
	s, spec := p.sys, &p.job.spec
	fuel := spec.Fuel
	if fuel == 0 {
		fuel = s.cfg.Fuel
	}
	var err error
	p.in, err = spec.Module.Instantiate(wasm.InstanceConfig{
		Bound: s.bound, LimitPages: s.cfg.Pages, Fuel: fuel, Seed: s.cfg.Seed + uint64(p.rank),
		Now: p.clock, Sleep: p.sleep, Yield: p.yield, Data: t, Args: spec.Args, Env: p.env(),
		Stdout: func(line string) { p.print(Stdout, line) },
		Stderr: func(line string) { p.print(Stderr, line) },
	})
	if err != nil {
		return err
	}
	t.fn, err = p.in.Entry("_start")
	return err
}

// path is a file that the program names, from its own directory.
func (p *Process) path(name string) string {
	if filepath.IsAbs(name) {
		return name
	}
	return filepath.Join(p.job.spec.Dir, name)
}

func (p *Process) print(to Stream, line string) {
	if p.job.spec.Output != nil {
		p.job.spec.Output(p.rank, to, line)
	}
}

// sleep is how WASI's sleep passes: it has no call of its own.
func (p *Process) sleep(d sim.Time) {
	if t := p.current(); t != nil {
		r := t.block()
		t.acl.Proc().Sleep(d)
		r.resume()
	}
}

// yield is how WASI's sched_yield passes.
func (p *Process) yield() {
	if t := p.current(); t != nil {
		r := t.block()
		t.yield()
		r.resume()
	}
}

// clock is how WASI's clock is read.
func (p *Process) clock() sim.Time {
	if t := p.current(); t != nil && t.polls >= maxPolls && t.polled == p.sys.eng.Now() {
		r := t.block()
		t.spins()
		r.resume()
	} else if t != nil {
		t.spins()
	}
	return p.sys.eng.Now()
}

// current is the thread that runs now.
func (p *Process) current() *thread {
	proc := p.sys.eng.Current()
	for _, t := range p.threads {
		if t != nil && t.acl.Proc() == proc {
			return t
		}
	}
	return nil
}

// exit ends the process by the thread t, whose call ended with err.
func (p *Process) exit(t *thread, err error) {
	if p.over {
		return
	}
	p.over, p.end = true, p.sys.eng.Now()
	p.code, p.err = status(err)
	for _, x := range p.threads {
		if x != nil && x != t && !x.done {
			x.done = true
			x.acl.Proc().Kill()
		}
	}
	if p.job.spec.Leaks {
		p.leaks = p.findLeaks()
	}
	p.acl.End()
	p.leaveAll()
	p.host.close()
	if p.in != nil {
		_ = p.in.Close() // nothing of it is left to fail
	}
	p.in, p.threads = nil, nil
	if p.job.left--; p.job.left == 0 {
		p.job.ended.Broadcast(p.sys.eng)
	}
}

// status is a process's exit status as a shell shows it: 128 plus a signal's number when the program was stopped.
func status(err error) (int, error) {
	var t *wasm.Trap
	switch {
	case err == nil:
		return 0, nil
	case !errors.As(err, &t):
		return 1, err
	}
	for inner := t; t.Reason == wasm.Aborted && errors.As(t.Unwrap(), &inner); { // a callback ended, inside the call that made it
		t = inner
	}
	if t.Reason == wasm.Exit {
		return int(t.Code), nil
	}
	where := ""
	if n := len(t.Frames); n > 0 {
		where = " in " + strings.Join(t.Frames[:min(n, 4)], " < ")
	}
	err = fmt.Errorf("guest: program %s: %s%s", t.Module, t.Text, where)
	switch t.Reason {
	case wasm.OutOfBounds, wasm.StackOverflow, wasm.IndirectCall:
		return 128 + 11, err
	case wasm.DivideByZero, wasm.Overflow, wasm.Conversion:
		return 128 + 8, err
	case wasm.Fuel:
		return 128 + 24, err
	}
	return 128 + 6, err
}
