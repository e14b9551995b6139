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

// player plays one operation. A thread is one stream of one rank; the streams of
// a rank take its ports in the order in which they are played.
type player struct {
	m       *Model
	n       int32
	streams int32
	exp     Expansion
	times   []stamp           // per thread: when its stream is free
	ready   []stamp           // per thread: when the next task has been expanded
	regs    map[regKey]*stamp // the notifies, of kinds of steps
	mirror  bool
	queue   map[regKey][]stamp
	nics    []nic // per thread
	err     error
}

// predict plays the operation with all ranks starting at once and returns the
// time until the last one is done, by parts.
func (m *Model) predict(p Params, e Expansion) (stamp, error) {
	if e == ExpandCCUSched {
		return m.predictMission(p)
	}
	n := int32(p.Ranks)
	y := &player{m: m, n: n, streams: int32(p.Streams()), exp: e, regs: map[regKey]*stamp{}}
	played := n
	if n > maxPlayed {
		played, y.mirror, y.queue = 1, true, map[regKey][]stamp{}
	}
	var walks []Walker
	for t := range played * y.streams {
		q := p
		q.Rank = int(t / y.streams)
		w, _, err := q.walk(int(t % y.streams))
		if err != nil {
			return stamp{}, err
		}
		walks = append(walks, w)
		y.times = append(y.times, stamp{})
		y.ready = append(y.ready, y.launch())
		x := nic{ports: map[topo.PortID]*outlet{}}
		if t%y.streams > 0 {
			x.ports = y.nics[t-1].ports
		}
		y.nics = append(y.nics, x)
	}
	threads := int32(len(walks))
	steps := make([]Step, threads)
	state := make([]uint8, threads) // 0 fetch, 1 have, 2 over
	for left := threads; left > 0; {
		moved := false
		for t := range threads {
			for state[t] != 2 {
				if state[t] == 0 {
					if !walks[t].Next(&steps[t]) {
						state[t], moved = 2, true
						left--
						y.flush(t)
						break
					}
					state[t] = 1
				}
				if !y.task(t, &steps[t]) {
					moved = y.flush(t) || moved
					if !y.mirror || !y.task(t, &steps[t]) {
						break
					}
				}
				state[t], moved = 0, true
			}
		}
		if y.err != nil {
			return stamp{}, y.err
		}
		if !moved && left > 0 {
			return stamp{}, fmt.Errorf("hccl: predict %v %s: the plan does not end", p.Op, p.AlgorithmName())
		}
	}
	end := y.times[0]
	for t := range y.times {
		end.later(&y.times[t])
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
func (y *player) begin(t int32) stamp {
	c := y.m.chip
	turn := sim.Time(y.streams)
	if y.exp == ExpandAICPU {
		y.ready[t].add(PartAICPUTask, turn*c.AICPUPerTask)
	} else {
		y.ready[t].add(PartHostLaunch, turn*c.HostLaunch)
	}
	s := y.times[t]
	s.later(&y.ready[t])
	s.add(PartDispatch, c.TSDispatch)
	return s
}

// task plays one step of a thread; false when it waits for somebody who has not
// come so far.
func (y *player) task(t int32, st *Step) bool {
	c, r := y.m.chip, t/y.streams
	switch st.Kind {
	case Ready, Last, Signal:
		k := regKey{uint8(st.Kind), st.Channel, st.Peer, r}
		if st.Kind == Signal {
			k.owner, k.by = r, int32(st.Dst.Off)
		}
		if c.FreeSync {
			y.raise(k, y.times[t])
			return true
		}
		s := y.begin(t)
		if st.Kind == Signal {
			y.raise(k, s)
		} else {
			y.send(t, flight{at: s, to: st.Peer, raises: k, notify: true})
		}
		y.times[t] = s
	case AwaitReady, AwaitData, AwaitLast, AwaitSignal:
		k := regKey{uint8(st.Kind - 1), st.Channel, r, st.Peer}
		if st.Kind == AwaitSignal {
			k.by = int32(st.Dst.Off)
		}
		g := y.lower(k)
		if g == nil {
			return false
		}
		s := y.begin(t)
		s.later(g)
		s.add(PartSync, y.sync())
		y.times[t] = s
	case Send:
		s := y.begin(t)
		y.send(t, flight{at: s, to: st.Peer, raises: regKey{uint8(Send), st.Channel, st.Peer, r}, size: st.Len, left: st.Len, notify: st.Notify})
		y.times[t] = s
	case Copy, Reduce:
		s := y.begin(t)
		s.add(PartSDMA, c.SDMA.Alpha)
		if st.Kind == Copy {
			s.add(PartCopy, rateTime(c.SDMA.CopyRate, st.Len))
		} else {
			s.add(PartReduce, rateTime(c.SDMA.ReduceRate, st.Len))
		}
		y.times[t] = s
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

// raise sets a register, lower takes it; nil when it is not set yet. Where only
// one rank is played its own records stand for its peers', in their order.
func (y *player) raise(k regKey, s stamp) {
	if y.mirror {
		k = y.mirrored(k)
		y.queue[k] = append(y.queue[k], s)
		return
	}
	y.regs[k] = &s
}

func (y *player) lower(k regKey) *stamp {
	if !y.mirror {
		g := y.regs[k]
		delete(y.regs, k)
		return g
	}
	k = y.mirrored(k)
	q := y.queue[k]
	if len(q) == 0 {
		return nil
	}
	y.queue[k] = q[1:]
	return &q[0]
}

func (y *player) mirrored(k regKey) regKey {
	if StepKind(k.kind) != Signal {
		k.owner, k.by = 0, 0
	}
	return k
}
