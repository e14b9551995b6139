package device

import (
	"errors"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"hsim/host/sim"
)

const us = sim.Microsecond

// R027, R028: a stream is an ordered list with numbers that count up, Running
// while tasks are left and Idle afterwards.
func TestR027R028OrderAndState(t *testing.T) {
	w := newWorld(t, slowChip(), 1)
	l := &log{}
	w.sys.SetObserver(l)
	s := w.stream(0)
	assert.False(t, s.Busy())
	for range 20 {
		w.push(s, Task{Kind: KindDelay, Value: uint64(10 * us)})
	}
	assert.True(t, s.Busy(), "tasks are left")
	r := w.eng.Run(0)
	assert.False(t, s.Busy(), "all have ended")
	assert.Equal(t, 20*11*us, r.End, "each task: 1 us dispatch, 10 us")
	require.Len(t, l.rows, 20)
	for i, x := range l.rows {
		assert.Equal(t, uint32(i+1), x.seq)
		assert.Equal(t, sim.Time(i)*11*us, x.start)
		assert.Equal(t, sim.Time(i+1)*11*us, x.end)
	}
}

func TestReadyHoldsATask(t *testing.T) {
	for _, c := range []struct {
		name string
		slow bool
		want sim.Time
	}{{"free", false, 30 * us}, {"dispatch comes after", true, 31 * us}} {
		t.Run(c.name, func(t *testing.T) {
			chip := freeChip()
			if c.slow {
				chip = slowChip()
			}
			w := newWorld(t, chip, 1)
			w.push(w.stream(0), Task{Kind: KindDelay, Ready: 30 * us})
			assert.Equal(t, c.want, w.eng.Run(0).End)
		})
	}
}

func TestStreamLimitAndLowestFreeId(t *testing.T) {
	w := newWorld(t, freeChip(), 1)
	d := w.dev[0]
	var all []*Stream
	for i := range 8 {
		s := w.stream(0)
		assert.Equal(t, i, s.ID())
		all = append(all, s)
	}
	_, err := d.NewStream(StreamOptions{})
	require.ErrorIs(t, err, ErrNoStream)
	assert.Equal(t, 0, d.FreeStreams())
	_, err = d.NewStream(StreamOptions{Hidden: true})
	require.NoError(t, err, "internal streams do not count")
	require.NoError(t, d.Free(all[5]))
	require.NoError(t, d.Free(all[2]))
	require.ErrorIs(t, d.Free(all[2]), ErrFreed)
	assert.Equal(t, 2, w.stream(0).ID())
	assert.Equal(t, 5, w.stream(0).ID())
}

func TestQueueDepth(t *testing.T) {
	w := newWorld(t, freeChip(), 1)
	s := w.stream(0)
	n := w.notify(0)
	w.push(s, Task{Kind: KindNotifyWait, Notify: n}) // runs, and holds the queue
	for range 64 {
		w.push(s, Task{Kind: KindDelay})
	}
	require.ErrorIs(t, s.Push(&Task{Kind: KindDelay}), ErrFull)
	assert.Equal(t, 0, s.Room())
	var pushed sim.Time = -1
	w.eng.Go("host", func(p *sim.Proc) {
		s.WaitRoom(p)
		pushed = p.Now()
		require.NoError(t, s.Push(&Task{Kind: KindDelay}))
		s.Drain(p)
	})
	w.push(w.stream(0), Task{Kind: KindDelay, Value: uint64(7 * us)}, Task{Kind: KindNotifyRecord, Notify: n})
	r := w.eng.Run(0)
	assert.Equal(t, sim.Done, r.Reason)
	assert.Equal(t, 7*us, pushed)
	assert.Equal(t, uint64(66), s.Finished())
}

type script struct {
	tasks  []Task
	at     int
	begun  sim.Time
	ended  sim.Time
	fault  *Fault
	closed int
}

func (f *script) Next(t *Task) bool {
	if f.at == len(f.tasks) {
		return false
	}
	id, seq, sub := t.ID, t.Seq, t.Sub
	*t = f.tasks[f.at]
	t.ID, t.Seq, t.Sub = id, seq, sub
	f.at++
	return true
}
func (f *script) Begin(_ *Stream, now sim.Time) { f.begun = now }
func (f *script) End(_ *Stream, now sim.Time, x *Fault) {
	f.ended, f.fault = now, x
	f.closed++
}

func TestFeeder(t *testing.T) {
	w := newWorld(t, slowChip(), 1)
	l := &log{}
	w.sys.SetObserver(l)
	s := w.stream(0)
	f := &script{tasks: []Task{{Kind: KindDelay, Value: uint64(2 * us)}, {Kind: KindDelay, Value: uint64(3 * us), Flags: FlagNoDispatch},
		{Kind: KindDelay, Flags: FlagQuiet}}}
	w.push(s, Task{Kind: KindDelay})
	require.NoError(t, s.PushFeeder(f, nil))
	w.push(s, Task{Kind: KindDelay})
	w.eng.Run(0)
	assert.Equal(t, 1*us, f.begun)
	assert.Equal(t, 8*us, f.ended)
	assert.Nil(t, f.fault)
	assert.Equal(t, uint64(3), s.Finished(), "sub-tasks do not count")
	type key struct {
		kind     Kind
		seq, sub uint32
		end      sim.Time
	}
	var got []key
	for _, x := range l.rows {
		got = append(got, key{x.kind, x.seq, x.sub, x.end})
	}
	assert.Equal(t, []key{{KindDelay, 1, 0, 1 * us}, {KindDelay, 2, 1, 4 * us}, {KindDelay, 2, 2, 7 * us},
		{KindFeeder, 2, 0, 8 * us}, {KindDelay, 3, 0, 9 * us}}, got)
}

func TestFeederWaitsUntilItIsReady(t *testing.T) {
	w := newWorld(t, freeChip(), 1)
	l := &log{}
	w.sys.SetObserver(l)
	s := w.stream(0)
	f := &script{tasks: []Task{{Kind: KindDelay, Ready: 5 * us}, {Kind: KindDelay, Ready: 25 * us}}}
	require.NoError(t, s.PushFeeder(f, &Task{Ready: 20 * us}))
	w.eng.Run(0)
	assert.Equal(t, 20*us, f.begun)
	assert.Equal(t, 25*us, f.ended)
	require.Len(t, l.rows, 3)
	assert.Equal(t, uint32(1), l.rows[0].sub)
	assert.Equal(t, 20*us, l.rows[0].start)
}

func TestFeederEndsAtItsFirstFault(t *testing.T) {
	w := newWorld(t, freeChip(), 1)
	s := w.stream(0)
	f := &script{tasks: []Task{{Kind: KindDelay}, {Kind: KindCopy, Len: 4}, {Kind: KindDelay, Value: uint64(us)}}}
	require.NoError(t, s.PushFeeder(f, nil))
	w.push(s, Task{Kind: KindDelay, Value: uint64(5 * us)})
	assert.Equal(t, 5*us, w.eng.Run(0).End, "the task behind it runs, its own rest does not")
	require.NotNil(t, f.fault)
	assert.Equal(t, CauseSDMA, f.fault.Cause)
	assert.Equal(t, uint32(2), f.fault.Sub)
	assert.Same(t, f.fault, s.Err())
	assert.Equal(t, 1, f.closed)
}

// op keeps its tickets and finishes when told.
type op struct {
	tickets []Ticket
	aborted int
}

func (o *op) Start(s *Stream, _ *Task) Status {
	o.tickets = append(o.tickets, s.Ticket())
	return Pending
}
func (o *op) Abort(*Stream, *Task) { o.aborted++ }
func (o *op) Describe(*Stream, *Task) (string, string) {
	return "a test", "nobody"
}

type failing struct{ err error }

func (f failing) Start(s *Stream, _ *Task) Status {
	s.Fail(CauseAICore, f.err)
	return Done
}

func TestOpsAndTickets(t *testing.T) {
	w := newWorld(t, freeChip(), 1)
	s := w.stream(0)
	o := &op{}
	w.push(s, Task{Kind: KindOp, Op: o}, Task{Kind: KindOp, Op: o})
	require.Len(t, o.tickets, 1)
	first := o.tickets[0]
	assert.True(t, first.Finish(CauseNone, nil))
	require.Len(t, o.tickets, 2)
	assert.False(t, first.Finish(CauseNone, nil), "a late finish does not hit the next operation")
	s.Abort()
	assert.Equal(t, 1, o.aborted)
	assert.False(t, o.tickets[1].Finish(CauseNone, nil))
	assert.False(t, s.Busy())
	assert.Equal(t, uint64(2), s.Finished())
	boom := errors.New("boom")
	w.push(s, Task{Kind: KindOp, Op: failing{boom}})
	require.NotNil(t, s.Err())
	assert.ErrorIs(t, s.Err(), boom)
	assert.Equal(t, CauseAICore, s.Err().Cause)
	assert.Contains(t, s.Err().Error(), "device 0 / stream 0, task 3 (op): AI core error")
}

func TestFailureModes(t *testing.T) {
	boom := errors.New("boom")
	for _, stop := range []bool{false, true} {
		w := newWorld(t, freeChip(), 1)
		dom := &Domain{StopOnFailure: stop}
		var s [2]*Stream
		for i := range s {
			s[i], _ = w.dev[0].NewStream(StreamOptions{Domain: dom})
		}
		n := w.notify(0)
		w.push(s[1], Task{Kind: KindNotifyWait, Notify: n}, Task{Kind: KindDelay, Value: uint64(us)})
		w.push(s[0], Task{Kind: KindDelay, Value: uint64(us)}, Task{Kind: KindOp, Op: failing{boom}}, Task{Kind: KindDelay, Value: uint64(us)},
			Task{Kind: KindNotifyRecord, Notify: n})
		r := w.eng.Run(0)
		require.NotNil(t, s[0].Err())
		assert.Equal(t, sim.Done, r.Reason)
		if stop {
			assert.Equal(t, 1*us, r.End, "what was left of both streams is dropped")
			err := s[1].Push(&Task{Kind: KindDelay})
			require.ErrorIs(t, err, ErrStopped)
			require.ErrorIs(t, err, boom)
			dom.Reset()
			require.NoError(t, s[1].Push(&Task{Kind: KindDelay}))
		} else {
			assert.Equal(t, 3*us, r.End, "later tasks still run")
			assert.Nil(t, s[1].Err())
		}
	}
}

func TestHoldAndLetGo(t *testing.T) {
	w := newWorld(t, freeChip(), 1)
	s := w.stream(0)
	w.push(s, Task{Kind: KindDelay, Value: uint64(2 * us)}, Task{Kind: KindDelay, Value: uint64(us)})
	s.Stop()
	w.eng.Go("host", func(p *sim.Proc) {
		p.Sleep(10 * us)
		assert.Equal(t, uint64(1), s.Finished(), "the running one has ended, the next was held back")
		s.Start()
		s.Drain(p)
		assert.Equal(t, 11*us, p.Now())
	})
	assert.Equal(t, 11*us, w.eng.Run(0).End)
}

func TestWaitWithLimit(t *testing.T) {
	w := newWorld(t, freeChip(), 1)
	s := w.stream(0)
	w.push(s, Task{Kind: KindDelay, Value: uint64(5 * us)}, Task{Kind: KindDelay, Value: uint64(5 * us)})
	w.eng.Go("host", func(p *sim.Proc) {
		assert.False(t, s.Wait(p, 2, 7*us))
		assert.Equal(t, 7*us, p.Now())
		assert.True(t, s.Wait(p, 1, 0))
		assert.True(t, s.Wait(p, 2, 3*us))
		assert.Equal(t, 10*us, p.Now())
	})
	w.eng.Run(0)
}

// A stream that wakes another one wakes it in the order of waking and without
// nesting, however long the chain is.
func TestLongChainsDoNotNest(t *testing.T) {
	chip := freeChip()
	chip.MaxStreams, chip.MaxNotifies = 100_000, 100_000
	w := newWorld(t, chip, 1)
	const n = 50_000
	var last *Stream
	first := w.notify(0)
	in := first
	for range n {
		s := w.stream(0)
		out := w.notify(0)
		w.push(s, Task{Kind: KindNotifyWait, Notify: in}, Task{Kind: KindNotifyRecord, Notify: out})
		in, last = out, s
	}
	w.push(w.stream(0), Task{Kind: KindNotifyRecord, Notify: first})
	assert.Equal(t, uint64(2), last.Finished())
	assert.Equal(t, sim.Done, w.eng.Run(0).Reason)
}

type dropped struct{ n int }

func (d *dropped) Start(*Stream, *Task) Status { return Pending }
func (d *dropped) Drop(*Stream, *Task)         { d.n++ }

func TestAbortTellsWhatItDrops(t *testing.T) {
	w := newWorld(t, freeChip(), 1)
	s := w.stream(0)
	o, d, f := &op{}, &dropped{}, &script{}
	w.push(s, Task{Kind: KindOp, Op: o}, Task{Kind: KindOp, Op: d}, Task{Kind: KindDelay}, Task{Kind: KindOp, Op: d})
	require.NoError(t, s.PushFeeder(f, nil))
	s.Abort()
	assert.Equal(t, 1, o.aborted)
	assert.Equal(t, 2, d.n)
	assert.Equal(t, 1, f.closed)
	assert.Equal(t, uint64(5), s.Finished())
	assert.Nil(t, s.Err())
}

func TestOpTimeout(t *testing.T) {
	w := newWorld(t, freeChip(), 1)
	s := w.stream(0)
	o := &op{}
	w.push(s, Task{Kind: KindOp, Op: o, Timeout: 4 * us}, Task{Kind: KindOp, Op: o, Timeout: 5 * us})
	w.eng.Go("late", func(p *sim.Proc) {
		p.Sleep(6 * us)
		require.NotNil(t, s.Err())
		assert.Equal(t, CauseTimeout, s.Err().Cause)
		assert.Equal(t, 4*us, s.Err().At)
		assert.False(t, o.tickets[0].Finish(CauseNone, nil))
		assert.True(t, o.tickets[1].Finish(CauseNone, nil))
	})
	w.eng.Run(0)
	assert.Equal(t, 1, o.aborted)
	assert.False(t, s.Busy())
}

// A feeder whose sub-task fails in a stopping domain is told the fault itself,
// once, and every task counts once.
func TestStopInsideAFeeder(t *testing.T) {
	w := newWorld(t, freeChip(), 1)
	s, err := w.dev[0].NewStream(StreamOptions{Domain: &Domain{StopOnFailure: true}})
	require.NoError(t, err)
	f := &script{tasks: []Task{{Kind: KindDelay, Value: uint64(us)}, {Kind: KindCopy, Len: 4}, {Kind: KindDelay}}}
	require.NoError(t, s.PushFeeder(f, nil))
	w.push(s, Task{Kind: KindDelay}, Task{Kind: KindDelay})
	w.eng.Run(0)
	assert.Equal(t, 1, f.closed)
	require.NotNil(t, f.fault)
	assert.Equal(t, CauseSDMA, f.fault.Cause)
	assert.Equal(t, uint64(3), s.Finished())
	assert.False(t, s.Busy())
}

func TestLostDevice(t *testing.T) {
	w := newWorld(t, freeChip(), 2)
	a, b := w.stream(0), w.stream(1)
	w.push(a, Task{Kind: KindDelay, Value: uint64(5 * us)})
	w.push(b, Task{Kind: KindDelay, Value: uint64(5 * us)})
	w.dev[0].Lose()
	w.dev[0].Lose()
	assert.False(t, a.Busy())
	require.NotNil(t, a.Err())
	assert.Equal(t, CauseLost, a.Err().Cause)
	require.ErrorIs(t, a.Push(&Task{Kind: KindDelay}), ErrLost)
	assert.True(t, w.dev[0].Lost())
	w.eng.Run(0)
	assert.Nil(t, b.Err())
	assert.EqualValues(t, 1, b.Finished())
}
