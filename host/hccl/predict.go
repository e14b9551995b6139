package hccl

import (
	"fmt"

	"hsim/host/sim"
	"hsim/host/topo"
	"hsim/host/units"
)

// maxPlayed is the largest communicator whose ranks are all played; in a larger
// one every rank does what rank 0 does at the same time.
const maxPlayed = 64

// player plays one operation.
type player struct {
	m      *Model
	n      int32
	exp    Expansion
	times  []stamp             // per rank: when its stream is free
	ready  []stamp             // per rank: when the next task has been expanded
	regs   map[[3]int32]*stamp // kind, writer, reader
	mirror bool
	queue  [numStepKinds][]stamp
	nics   []nic // per rank
	err    error
}

// predict plays the operation with all ranks starting at once and returns the
// time until the last one is done, by parts.
func (m *Model) predict(p Params, e Expansion) (stamp, error) {
	if e == ExpandCCUSched {
		return m.predictMission(p)
	}
	n := int32(p.Ranks)
	y := &player{m: m, n: n, exp: e, regs: map[[3]int32]*stamp{}}
	played := n
	if n > maxPlayed {
		played, y.mirror = 1, true
	}
	iters := make([]*Iter, played)
	for r := range iters {
		q := p
		q.Rank = r
		it, err := NewIter(q)
		if err != nil {
			return stamp{}, err
		}
		iters[r] = it
		y.times = append(y.times, stamp{})
		y.ready = append(y.ready, y.launch())
		y.nics = append(y.nics, nic{ports: map[topo.PortID]*outlet{}})
	}
	steps := make([]Step, played)
	state := make([]uint8, played) // 0 fetch, 1 have, 2 over
	for left := played; left > 0; {
		moved := false
		for r := range played {
			for state[r] != 2 {
				if state[r] == 0 {
					if !iters[r].Next(&steps[r]) {
						state[r], moved = 2, true
						left--
						y.flush(r)
						break
					}
					state[r] = 1
				}
				if !y.task(r, &steps[r]) {
					moved = y.flush(r) || moved
					if !y.mirror || !y.task(r, &steps[r]) {
						break
					}
				}
				state[r], moved = 0, true
			}
		}
		if y.err != nil {
			return stamp{}, y.err
		}
		if !moved && left > 0 {
			return stamp{}, fmt.Errorf("hccl: predict %v %v: the plan does not end", p.Op, p.Alg)
		}
	}
	end := y.times[0]
	for r := range y.times {
		end.later(&y.times[r])
	}
	return end, nil
}

// launch is the time at which the first task has been expanded, less one task.
func (y *player) launch() (s stamp) {
	c := y.m.chip
	s.add(PartHostCall, c.HostCall)
	if y.exp == ExpandAICPU {
		s.add(PartHostLaunch, c.HostLaunch)
		s.add(PartAICPULaunch, c.AICPULaunch)
	}
	return s
}

// begin is when a task starts: expanded, the stream free, dispatched.
func (y *player) begin(r int32) stamp {
	c := y.m.chip
	if y.exp == ExpandAICPU {
		y.ready[r].add(PartAICPUTask, c.AICPUPerTask)
	} else {
		y.ready[r].add(PartHostLaunch, c.HostLaunch)
	}
	s := y.times[r]
	s.later(&y.ready[r])
	s.add(PartDispatch, c.TSDispatch)
	return s
}

// task plays one step; false when it waits for a peer that has not come so far.
func (y *player) task(r int32, st *Step) bool {
	c := y.m.chip
	switch st.Kind {
	case Ready, Last:
		if c.FreeSync {
			y.raise(r, st.Peer, st.Kind, y.times[r])
			return true
		}
		s := y.begin(r)
		y.send(r, flight{at: s, to: st.Peer, kind: st.Kind, notify: true})
		y.times[r] = s
	case AwaitReady, AwaitData, AwaitLast:
		g := y.lower(r, st.Peer, st.Kind-1)
		if g == nil {
			return false
		}
		s := y.begin(r)
		s.later(g)
		s.add(PartSync, y.sync())
		y.times[r] = s
	case Send:
		s := y.begin(r)
		y.send(r, flight{at: s, to: st.Peer, kind: Send, size: st.Len, left: st.Len, notify: st.Notify})
		y.times[r] = s
	case Copy, Reduce:
		s := y.begin(r)
		s.add(PartSDMA, c.SDMA.Alpha)
		if st.Kind == Copy {
			s.add(PartCopy, rateTime(c.SDMA.CopyRate, st.Len))
		} else {
			s.add(PartReduce, rateTime(c.SDMA.ReduceRate, st.Len))
		}
		y.times[r] = s
	}
	return y.err == nil
}

func rateTime(r units.Rate, n int64) sim.Time {
	if r <= 0 {
		return 0
	}
	return r.Time(n)
}

func (y *player) sync() sim.Time {
	if y.exp == ExpandAICPU {
		return y.m.chip.SyncAICPU
	}
	return y.m.chip.SyncHost
}

// raise sets the register that q waits for, lower takes the one that rank q
// raised for r; nil when it is not set yet. Where only one rank is played its
// own records stand for its peers', in their order.
func (y *player) raise(r, q int32, k StepKind, s stamp) {
	if y.mirror {
		y.queue[k] = append(y.queue[k], s)
		return
	}
	y.regs[[3]int32{int32(k), r, q}] = &s
}

func (y *player) lower(r, q int32, k StepKind) *stamp {
	if y.mirror {
		if len(y.queue[k]) == 0 {
			return nil
		}
		s := y.queue[k][0]
		y.queue[k] = y.queue[k][1:]
		return &s
	}
	key := [3]int32{int32(k), q, r}
	g := y.regs[key]
	delete(y.regs, key)
	return g
}
