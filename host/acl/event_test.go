package acl

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"hsim/host/sim"
)

// two makes two streams and an event with flags (0: a plain one).
func (b *bench) two(th *Thread, flags uint32) (s1, s2 *Stream, e *Event) {
	s1, err1 := th.CreateStream()
	s2, err2 := th.CreateStream()
	var err3 error
	if flags == 0 {
		e, err3 = th.CreateEvent()
	} else {
		e, err3 = th.CreateEventWithFlag(flags)
	}
	b.must(err1, err2, err3)
	return s1, s2, e
}

// R060: kernel, record on A; wait, kernel on B: the second kernel waits.
func TestR060EventFlow(t *testing.T) {
	b := newBench(t, testChip(), 1)
	b.run(func(th *Thread) {
		s1, s2, e := b.two(th, 0)
		assert.Equal(t, NotRecorded, e.State())
		b.must(th.work(s1, 10*us), th.RecordEvent(e, s1), th.StreamWaitEvent(s2, e), th.work(s2, us))
		assert.Equal(t, Recorded, e.State())
		b.must(th.SynchronizeDevice())
		assert.Equal(t, Completed, e.State())
		first, second := b.rt.TasksOf(s1)[0], b.rt.TasksOf(s2)[1]
		assert.GreaterOrEqual(t, second.Start, first.End)
		assert.Equal(t, 10*us, second.Start)
	})
}

// B35: an event that was never recorded holds nothing and is complete.
func TestB35NeverRecorded(t *testing.T) {
	b := newBench(t, testChip(), 1)
	b.run(func(th *Thread) {
		s1, s2, e := b.two(th, 0)
		b.must(th.StreamWaitEvent(s2, e), th.SynchronizeStream(s2), th.SynchronizeEvent(e))
		assert.Zero(t, th.Proc().Now())
		done, err := th.QueryEventStatus(e)
		b.must(err)
		assert.True(t, done)
		_, err = th.EventElapsedTime(e, e)
		b.code(EventTimestampInvalid, err)
		_ = s1
	})
}

// The seed's rule as an option: a wait for an unrecorded event blocks.
func TestStrictEvents(t *testing.T) {
	b := newBench(t, testChip(), 1, func(c *Config) { c.StrictEvents = true })
	b.run(func(th *Thread) {
		s1, s2, e := b.two(th, 0)
		b.must(th.StreamWaitEvent(s2, e), th.work(s1, 6*us), th.RecordEvent(e, s1), th.SynchronizeStream(s2))
		assert.Equal(t, 6*us, th.Proc().Now())
		_, err := th.CreateContext(0)
		b.must(err)
		b.code(StreamContext, th.StreamWaitEvent(nil, e))
	})
	b = newBench(t, testChip(), 1)
	b.run(func(th *Thread) {
		_, _, e := b.two(th, 0)
		_, err := th.CreateContext(0)
		b.must(err, th.StreamWaitEvent(nil, e), th.SynchronizeStream(nil))
	})
}

// B35: a wait belongs to the generation of its call; recording again steals no
// waiter and holds none longer.
func TestB35Rerecord(t *testing.T) {
	b := newBench(t, testChip(), 1)
	b.run(func(th *Thread) {
		s1, s2, e := b.two(th, 0)
		s3, err := th.CreateStream()
		b.must(err)
		b.must(th.work(s1, 100*us), th.RecordEvent(e, s1)) // generation 1, at 100 us
		b.must(th.StreamWaitEvent(s2, e), th.RecordEvent(e, s2), th.work(s2, us))
		b.must(th.StreamWaitEvent(s1, e), th.work(s1, us)) // generation 2
		b.must(th.work(s3, 10*us), th.RecordEvent(e, s3))  // generation 3, at 10 us, before the others
		b.must(th.SynchronizeEvent(e))
		assert.Equal(t, 10*us, th.Proc().Now(), "the host waits for the latest at its call")
		b.must(th.SynchronizeDevice())
		assert.Equal(t, 101*us, th.Proc().Now())
		s1Rows, s2Rows := b.rt.TasksOf(s1), b.rt.TasksOf(s2)
		assert.Equal(t, 100*us, s2Rows[0].End, "generation 3 was early, generation 1 was not")
		assert.Equal(t, 100*us, s1Rows[2].End)
		at, err := th.EventGetTimestamp(e)
		b.must(err)
		assert.Equal(t, 10*us, at, "the latest generation's time")
	})
}

// B35: after a reset a wait blocks until the next record.
func TestB35Reset(t *testing.T) {
	b := newBench(t, testChip(), 1)
	b.run(func(th *Thread) {
		s1, s2, e := b.two(th, EventSync|EventTimeLine)
		b.must(th.RecordEvent(e, s1), th.StreamWaitEvent(s2, e), th.ResetEvent(e, s2), th.SynchronizeStream(s2))
		assert.Equal(t, NotRecorded, e.State())
		done, err := th.QueryEventStatus(e)
		b.must(err)
		assert.False(t, done)
		b.must(th.StreamWaitEvent(s2, e), th.work(s2, us))
		busy, _ := th.QueryStream(s2)
		assert.False(t, busy)
		passed, _ := th.QueryEventWaitStatus(e)
		assert.False(t, passed)
		b.code(EventSyncTimeout, th.SynchronizeEventWithTimeout(e, 3))
		assert.Equal(t, 3*ms, th.Proc().Now())
		b.must(th.work(s1, 40*us), th.RecordEvent(e, s1), th.SynchronizeStream(s2))
		assert.Equal(t, 3*ms+41*us, th.Proc().Now())
		passed, _ = th.QueryEventWaitStatus(e)
		assert.True(t, passed)
		_, _, plain := b.two(th, 0)
		b.code(ParamInvalid, th.ResetEvent(plain, s1))
		_, _, line := b.two(th, EventTimeLine)
		b.code(ParamInvalid, th.ResetEvent(line, s1))
		b.code(ParamInvalid, th.StreamWaitEvent(s1, line))
	})
}

func TestAutoReset(t *testing.T) {
	b := newBench(t, testChip(), 1)
	b.run(func(th *Thread) {
		s1, s2, e := b.two(th, EventSync|EventAutoReset)
		b.must(th.RecordEvent(e, s1), th.StreamWaitEvent(s2, e), th.StreamWaitEvent(s2, e), th.work(s1, 4*us), th.RecordEvent(e, s1), th.SynchronizeStream(s2))
		rows := b.rt.TasksOf(s2)
		assert.Zero(t, rows[0].End)
		assert.Equal(t, 4*us, rows[1].End, "the first wait reset it")
	})
}

func TestElapsedTime(t *testing.T) {
	b := newBench(t, testChip(), 1)
	b.run(func(th *Thread) {
		s1, _, start := b.two(th, 0)
		_, _, end := b.two(th, EventTimeLine)
		b.must(th.work(s1, 5*us), th.RecordEvent(start, s1), th.work(s1, 30*us), th.RecordEvent(end, s1))
		_, err := th.EventElapsedTime(start, end)
		b.code(EventTimestampInvalid, err)
		b.must(th.SynchronizeEvent(end))
		d, err := th.EventElapsedTime(start, end)
		b.must(err)
		assert.Equal(t, 30*us, d)
		_, err = th.EventElapsedTime(end, start)
		b.code(EventTimestampReversal, err)
		_, _, sync := b.two(th, EventSync)
		b.must(th.RecordEvent(sync, s1), th.SynchronizeEvent(sync))
		_, err = th.EventElapsedTime(start, sync)
		b.code(EventTimestampInvalid, err)
	})
}

// Resettable events take their id at once, others at their first record.
func TestEventIdsRunOut(t *testing.T) {
	b := newBench(t, testChip(), 1) // 8 events
	b.run(func(th *Thread) {
		var plain, sync []*Event
		for range 8 {
			e, err := th.CreateEvent()
			b.must(err)
			plain = append(plain, e)
		}
		_, err := th.GetEventId(plain[0])
		b.code(ParamInvalid, err)
		for range 8 {
			e, err := th.CreateEventWithFlag(EventSync)
			b.must(err)
			sync = append(sync, e)
		}
		_, err = th.CreateEventWithFlag(EventSync)
		b.code(NoEventResource, err)
		b.code(NoEventResource, th.RecordEvent(plain[0], nil))
		b.must(th.DestroyEvent(sync[3]), th.RecordEvent(plain[0], nil))
		id, err := th.GetEventId(plain[0])
		b.must(err)
		assert.Equal(t, 3, id)
		b.code(InvalidHandle, th.DestroyEvent(sync[3]))
		b.code(ParamInvalid, th.DestroyEvent(nil))
		_, err = th.CreateEventWithFlag(0x4000)
		b.code(ParamInvalid, err)
	})
}

// The op wait time-out surfaces at the stream's next synchronise.
func TestOpWaitTimeout(t *testing.T) {
	b := newBench(t, testChip(), 1)
	b.run(func(th *Thread) {
		s1, s2, e := b.two(th, 0)
		b.must(th.SetOpWaitTimeout(20*us), th.work(s1, 100*us), th.RecordEvent(e, s1), th.StreamWaitEvent(s2, e), th.work(s2, us))
		b.code(WaitTimeout, th.SynchronizeStream(s2))
		assert.Equal(t, 21*us, th.Proc().Now(), "later tasks still run")
		b.must(th.SynchronizeStream(s2), th.SynchronizeStream(s1))
		passed, _ := th.QueryEventWaitStatus(e)
		assert.True(t, passed)
	})
}

// A reset that runs before a wait blocks it for ever: a stall that says so.
func TestStallNamesTheEvent(t *testing.T) {
	b := newBench(t, testChip(), 1)
	r := b.run(func(th *Thread) {
		s1, s2, e := b.two(th, EventSync)
		b.must(th.RecordEvent(e, s1), th.ResetEvent(e, s1), th.StreamWaitEvent(s2, e), th.SynchronizeStream(s2))
	})
	require.Equal(t, sim.Stalled, r.Reason)
	require.Len(t, r.Stall.Waiting, 2)
	assert.Contains(t, r.Stall.Waiting[0].Who, "process 1000 / main")
	assert.Equal(t, "device 0 / stream 2", r.Stall.Waiting[0].Actor)
	assert.Contains(t, r.Stall.Waiting[1].What, "event 1, which was reset")
}
