package scenario

import (
	"hsim/host/hccl"
	"hsim/host/sim"
	"hsim/host/soc"
)

// breakdown is where the time of a collective goes on one rank, in the order in which the parts are met; their sum is
// the predicted time.
type breakdown struct {
	Launch    sim.Time // host call, start of the expansion
	Expand    sim.Time // waiting for tasks to be expanded
	Dispatch  sim.Time // task scheduler
	Sync      sim.Time // synchronising tasks
	Handshake sim.Time // waiting for ready and last notifies
	Network   sim.Time // waiting for data
	Reduce    sim.Time
	Copy      sim.Time
	Tasks     int // device tasks of the rank
	Steps     int
}

// Total is the sum of the parts.
func (b *breakdown) Total() sim.Time {
	return b.Launch + b.Expand + b.Dispatch + b.Sync + b.Handshake + b.Network + b.Reduce + b.Copy
}

// replay evaluates the alpha-beta form of a plan for one rank without simulating it. The algorithms look the same from
// every rank, so what a peer does to this rank happens when this rank does it to a peer: the k-th notify that it waits
// for was sent when it sent its own k-th.
type replay struct {
	b     breakdown
	chip  *soc.Chip
	link  linkCost
	mesh  bool // every peer has a link of its own
	free  bool // handshakes cost nothing
	sync  sim.Time
	now   sim.Time
	first sim.Time // when the first task is expanded
	per   sim.Time // expansion of one task
	port  map[int32]sim.Time
	sent  [3][]sim.Time // arrival of ready, data and last notifies, in order
	taken [3]int
}

const (
	sigReady = iota
	sigData
	sigLast
)

// predict replays rank p.Rank of a plan. free is the chip's FreeSync.
func predict(p hccl.Params, chip *soc.Chip, exp hccl.Expansion, link linkCost, mesh bool) (breakdown, error) {
	it, err := hccl.NewIter(p)
	if err != nil {
		return breakdown{}, err
	}
	r := &replay{chip: chip, link: link, mesh: mesh, free: chip.FreeSync, port: map[int32]sim.Time{}}
	r.launch(exp)
	var st hccl.Step
	for it.Next(&st) {
		r.step(&st)
		r.b.Steps = max(r.b.Steps, int(st.Index)+1)
	}
	return r.b, nil
}

func (r *replay) launch(exp hccl.Expansion) {
	c := r.chip
	if exp == hccl.ExpandAICPU {
		r.sync, r.per = c.SyncAICPU, c.AICPUPerTask
		r.b.Launch = c.HostCall + c.HostLaunch
		r.first = r.b.Launch + c.AICPULaunch
	} else {
		r.sync, r.per = c.SyncHost, c.HostLaunch
		r.b.Launch = c.HostCall
		r.first = c.HostCall
	}
	r.now = r.b.Launch
}

// task lets the stream take its next task: not before it is expanded, and for the scheduler's cost.
func (r *replay) task() {
	r.b.Tasks++
	if r.per > 0 || r.first > 0 {
		r.until(r.first+sim.Time(r.b.Tasks)*r.per, &r.b.Expand)
	}
	r.spend(r.chip.TSDispatch, &r.b.Dispatch)
}

func (r *replay) spend(d sim.Time, part *sim.Time) {
	r.now += d
	*part += d
}

func (r *replay) until(t sim.Time, part *sim.Time) {
	if t > r.now {
		*part += t - r.now
		r.now = t
	}
}

// signal records when a notify sent now arrives.
func (r *replay) signal(kind int, at sim.Time) { r.sent[kind] = append(r.sent[kind], at) }

// await waits for the next notify of a kind; one that the symmetry has not sent yet is taken as there.
func (r *replay) await(kind int, part *sim.Time) {
	r.task()
	if i := r.taken[kind]; i < len(r.sent[kind]) {
		r.until(r.sent[kind][i], part)
	}
	r.taken[kind]++
	r.spend(r.sync, &r.b.Sync)
}

func (r *replay) step(st *hccl.Step) {
	switch st.Kind {
	case hccl.Ready, hccl.Last:
		kind := sigReady
		if st.Kind == hccl.Last {
			kind = sigLast
		}
		if r.free {
			r.signal(kind, r.now)
			return
		}
		r.task()
		r.signal(kind, r.now+r.link.notify)
	case hccl.AwaitReady:
		r.await(sigReady, &r.b.Handshake)
	case hccl.AwaitLast:
		r.await(sigLast, &r.b.Handshake)
	case hccl.AwaitData:
		r.await(sigData, &r.b.Network)
	case hccl.Send:
		r.task()
		port := int32(0)
		if r.mesh {
			port = st.Peer + 1
		}
		end := max(r.port[port], r.now) + r.link.wire(st.Len)
		r.port[port] = end
		if st.Notify {
			r.signal(sigData, end+r.link.alpha)
		}
	case hccl.Reduce:
		r.task()
		r.spend(r.chip.SDMA.Alpha+r.chip.SDMA.ReduceRate.Time(st.Len), &r.b.Reduce)
	case hccl.Copy:
		r.task()
		r.spend(r.chip.SDMA.Alpha+r.chip.SDMA.CopyRate.Time(st.Len), &r.b.Copy)
	}
}
