package guest

import (
	"fmt"

	"hsim/host/sim"
	"hsim/host/wasm"
)

// Stream is where a program prints to.
type Stream int

// The streams.
const (
	Stdout Stream = iota
	Stderr
)

// JobSpec describes processes that run one program.
type JobSpec struct {
	Module *wasm.Module
	Args   []string // after the program's name
	Env    []string // KEY=value, beside RANK_ID and RANK_SIZE
	Dir    string   // what paths of kernel images are relative to
	Places []Place  // one per process
	Fuel   uint64   // steps at one instant, 0 = Config.Fuel
	Leaks  bool     // report what a process has not given back
	Output func(rank int, to Stream, line string)
}

// Place says what a process sees.
type Place struct {
	Server  int
	Visible []int // physical ids, as ASCEND_RT_VISIBLE_DEVICES has it; nil = all devices of the server
	Env     []string
}

// Job is a set of processes that were started together.
type Job struct {
	sys   *System
	spec  JobSpec
	procs []*Process
	left  int
	ended sim.Cond
	meet  meeting
}

// Start starts the processes of a job at the current time. The error is one of a place that does not exist; nothing runs
// then.
func (s *System) Start(spec JobSpec) (*Job, error) {
	j := &Job{sys: s, spec: spec, left: len(spec.Places)}
	for rank, place := range spec.Places {
		p, err := s.newProcess(j, rank, place)
		if err != nil {
			for _, q := range j.procs {
				q.acl.End()
			}
			return nil, fmt.Errorf("guest: start process %d of %s: %w", rank, spec.Module.Name(), err)
		}
		j.procs = append(j.procs, p)
	}
	for _, p := range j.procs {
		p.start()
	}
	return j, nil
}

// Processes lists the processes by rank.
func (j *Job) Processes() []*Process { return j.procs }

// Wait blocks until the last process has ended.
func (j *Job) Wait(p *sim.Proc) {
	for j.left > 0 {
		p.Wait(&j.ended, sim.Cause{What: "the end of " + j.spec.Module.Name()})
	}
}

// Done says whether every process has ended.
func (j *Job) Done() bool { return j.left == 0 }
