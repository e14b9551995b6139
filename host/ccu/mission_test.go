package ccu

import (
	"testing"

	"github.com/stretchr/testify/require"

	"hsim/abi"
	"hsim/host/sim"
)

// Two missions of one die run at once: each has its own registers, and what the
// one waits for does not hold the other.
func TestTwoMissionsAtOnce(t *testing.T) {
	r := newRig(t, 2)
	a, b := r.join(0, 1)
	u := a.unit
	var runs []*run
	var want [][]byte
	var to []ends
	for i := range 2 {
		e, data := r.ends(0, 1, 1<<16+i)
		p := r.must(u, func(x *Recorder) {
			from, to, n := two(x)
			ev := x.Events(1)
			x.NotifyWait(0, uint32(i), 1)
			x.Write(0, to, from, n, Done{ev, 1})
			x.EventWait(ev, 1)
		}, a)
		require.Equal(t, 2*i, p.Mission())
		runs = append(runs, r.launch(p, e.args(uint64(len(data)))...))
		want, to = append(want, data), append(to, e)
	}
	// The second may go first.
	go2 := r.must(b.unit, func(x *Recorder) { x.NotifyRecord(0, 1, 1) }, b)
	go1 := r.must(b.unit, func(x *Recorder) { x.NotifyRecord(0, 0, 1) }, b)
	r.launch(go2)
	r.at(100*sim.Microsecond, func() { r.launch(go1) })
	r.sim.Run(0)
	i := r.chip.CCU.Issue
	passed := i + wireLatency + r.chip.SyncCCU
	require.Equal(t, passed+i+2*wireLatency, runs[1].at)
	require.Equal(t, 100*sim.Microsecond+passed+i+2*wireLatency, runs[0].at)
	for k := range 2 {
		require.Equal(t, want[k], r.read(to[k].to, len(want[k])))
	}
}

// Programs that share a mission take turns, entry by entry of a launch together.
func TestLaunchesOnOneMissionQueue(t *testing.T) {
	r := newRig(t, 1)
	u := r.dev[0].units[0]
	wait := func(x *Recorder) {
		v := x.Variables(14)
		for i := range uint32(14) {
			x.LoadArg(v+int32(i), i)
		}
		x.TagWait("go", 1)
	}
	p := r.must(u, wait)
	q, err := r.program(u, "second", nil, p, wait)
	require.NoError(t, err)
	x := r.launch(p, make([]uint64, 14)...)
	y := r.launch(q, make([]uint64, 14)...)
	z := r.launch(p, make([]uint64, 14)...)
	write := func() { require.NoError(t, r.mem.WriteRegister(u.Event(u.tags["go"]), 1)) }
	us := sim.Microsecond
	r.at(10*us, write)
	r.at(20*us, write)
	res := r.sim.Run(0)
	require.True(t, x.done && y.done && !z.done)
	require.Equal(t, 10*us+r.chip.SyncCCU, x.at)
	require.Equal(t, 20*us+r.chip.SyncCCU, y.at)
	require.ErrorContains(t, stall{res.Stall}, "device 0 / die 0 / mission 0 waits for CKE ")
	l, err := q.Launch(make([]uint64, 14))
	require.NoError(t, err)
	l.Run(0, func(error) { t.Error("it was canceled") })
	what, actor := l.Describe()
	require.Equal(t, "mission 0 of device 0 / die 0", what)
	require.Equal(t, "device 0 / die 0 / mission 0", actor)
	require.Equal(t, what, l.Waits())
	l.Cancel()
	require.ErrorContains(t, p.Close(), "got a running mission")
}

func TestCanceledMissionStartsAnew(t *testing.T) {
	r := newRig(t, 2)
	a, _ := r.join(0, 1)
	e, data := r.ends(0, 1, 64)
	p := r.must(a.unit, func(x *Recorder) {
		from, to, n := two(x)
		ev := x.Events(1)
		x.Write(0, to, from, n, Done{ev, 1})
		x.EventWait(ev, 1)
	}, a)
	l, err := p.Launch(e.args(64))
	require.NoError(t, err)
	l.Run(0, func(error) { t.Error("it was canceled") })
	r.at(200*sim.Nanosecond, func() {
		require.Contains(t, l.Waits(), "CKE ")
		l.Cancel()
	})
	// The write of the first run lands and completes, but sets no bit of the second.
	var x *run
	r.at(300*sim.Nanosecond, func() { x = r.launch(p, e.args(64)...) })
	r.sim.Run(0)
	require.NoError(t, x.err)
	require.Equal(t, 300*sim.Nanosecond+8*r.chip.CCU.Issue+2*wireLatency, x.at)
	require.Equal(t, data, r.read(e.to, 64))
	require.NoError(t, p.Close())
	require.Equal(t, r.dev[0].units[0].Free(Instructions), a.unit.Free(Instructions))
}

func TestKeysAndOrderOfEntries(t *testing.T) {
	r := newRig(t, 1)
	p := r.must(r.dev[0].units[0], func(x *Recorder) { x.EventRecord(x.Events(1), 1) })
	run := func(l *Launch, i int) (out error) {
		l.Run(i, func(err error) { out = err })
		return out
	}
	l, err := p.Launch(nil)
	require.NoError(t, err)
	require.ErrorContains(t, run(l, 1), "mission key (0x0901): got entry 1 of 1, want entry 0 next")
	l.entries[0].Key++
	require.ErrorContains(t, run(l, 0), "want that of a registered program")
}

// A mission that turns in circles is ended, whether its instructions take time or not.
func TestCirclesEnd(t *testing.T) {
	for _, issue := range []sim.Time{0, 10 * sim.Nanosecond} {
		r := newRig(t, 1)
		r.dev[0].issue = issue
		p := r.must(r.dev[0].units[0], func(x *Recorder) {
			v := x.Variables(1)
			x.Set(v, 1)
			x.WhileBegin(v, abi.CompareEQ, 1)
			x.Add(v+0, v, 0+v)
			x.Set(v, 1)
			x.WhileEnd()
		})
		x := r.launch(p)
		r.sim.Run(0)
		require.ErrorContains(t, x.err, "killed (0x0902): got 4194304 instructions without a wait or a move")
	}
}

// A loop that waits for a variable of the channel sees it come.
func TestPollingAVariable(t *testing.T) {
	r := newRig(t, 2)
	a, b := r.join(0, 1)
	p := r.must(a.unit, func(x *Recorder) {
		v := x.ChannelVariable(0, 2)
		one := x.Variables(1)
		x.Set(one, 0)
		x.WhileBegin(v, abi.CompareEQ, 0)
		x.Add(one, one, v)
		x.WhileEnd()
	}, a)
	x := r.launch(p)
	r.at(sim.Microsecond, func() {
		require.NoError(t, r.mem.WriteRegister(a.unit.Variable(a.vars+2), 5))
	})
	r.sim.Run(0)
	require.NoError(t, x.err)
	require.Less(t, x.at, sim.Microsecond+10*r.chip.CCU.Issue)
	_ = b
}

func TestTheSameRunTwiceTakesTheSameTime(t *testing.T) {
	times := func() (out []sim.Time) {
		r := newRig(t, 2)
		a, _ := r.join(0, 1)
		e, _ := r.ends(1, 0, 4096*13*3)
		p := r.must(a.unit, readers(4, 1, 3, 3), a)
		for range 3 {
			x := r.launch(p, e.args(0)...)
			r.sim.Run(0)
			out = append(out, x.at)
		}
		return out
	}
	require.Equal(t, times(), times())
}
