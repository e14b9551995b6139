package acl

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"hsim/host/sim"
)

// R048: an A3 has 65536 events, numbered 0 to 65535; an event takes its number at
// its first record, one with the sync flag when it is made.
func TestR048MaxEvents(t *testing.T) {
	b := newBench(t, profile(t, "a3"), 1, func(c *Config) { c.Rows = false })
	b.run(func(th *Thread) {
		assert.Equal(t, 65536, Rows[DeviceRow](b.rt)[0].MaxEventCnt)
		plain, err := th.CreateEvent()
		b.must(err)
		for i := range 65536 {
			e, err := th.CreateEventWithFlag(EventSync)
			if !assert.NoError(t, err) {
				return
			}
			id, err := th.GetEventId(e)
			if err != nil || id != i {
				b.must(err)
				assert.Equal(t, i, id)
				return
			}
		}
		_, err = th.CreateEventWithFlag(EventSync)
		b.code(NoEventResource, err)
		b.code(NoEventResource, th.RecordEvent(plain, nil))
		_, err = th.CreateEvent()
		b.must(err) // needs no number yet
	})
}

// R049: an event is made in a context, whose device it is of.
func TestR049EventOfItsContext(t *testing.T) {
	b := newBench(t, testChip(), 2)
	b.process().Go("main", func(th *Thread) {
		_, err := th.CreateEvent()
		b.code(ContextNull, err)
		b.must(th.SetDevice(0))
		s0, err := th.CreateStream()
		b.must(err, th.SetDevice(1))
		e, err := th.CreateEvent()
		b.must(err)
		assert.Equal(t, th.Current().ID(), Rows[EventRow](b.rt)[0].CreatedCtxID)
		b.must(th.SetDevice(0))
		b.code(ParamInvalid, th.RecordEvent(e, s0)) // of another device
		b.code(ParamInvalid, th.StreamWaitEvent(s0, e))
	})
	b.eng.Run(0)
}

// R050: streams share an event of their context; in another context of the device
// it works as on the real system, and is refused with strict events.
func TestR050EventsAndContexts(t *testing.T) {
	for strict, want := range map[bool]Code{false: Success, true: StreamContext} {
		b := newBench(t, testChip(), 1, func(c *Config) { c.StrictEvents = strict })
		b.run(func(th *Thread) {
			e, err := th.CreateEvent()
			b.must(err)
			s, err := th.CreateStream()
			b.must(err, th.RecordEvent(e, s), th.StreamWaitEvent(nil, e), th.SynchronizeStream(nil))
			_, err = th.CreateContext(0)
			b.must(err)
			b.code(want, th.StreamWaitEvent(nil, e))
			b.code(want, th.RecordEvent(e, nil))
			b.must(th.SynchronizeStream(nil))
		})
	}
}

// A stream of another device waits for an event with peer access, and not without.
func TestEventOfAPeer(t *testing.T) {
	b := wired(t, profile(t, "a3"), clos(1, 2))
	b.run(func(th *Thread) {
		e, err := th.CreateEvent()
		b.must(err, th.work(nil, 90*us), th.RecordEvent(e, nil), th.SetDevice(1))
		b.code(ParamInvalid, th.StreamWaitEvent(nil, e))
		b.must(th.DeviceEnablePeerAccess(0, 0), th.StreamWaitEvent(nil, e), th.work(nil, us), th.SynchronizeStream(nil))
		b.code(ParamInvalid, th.RecordEvent(e, nil))
		th.Proc().Sleep(ms)
		b.must(th.StreamWaitEvent(nil, e), th.SynchronizeStream(nil))
	})
	rows := b.rt.Tasks()
	g := b.rt.Graph()
	way, ok := g.PathInfo(0, 1, g.Protocol(0, 1))
	require.True(t, ok)
	require.Positive(t, way.Latency)
	assert.Equal(t, rows[1].End+way.Latency, rows[2].End, "the completion takes the way of a message")
	assert.GreaterOrEqual(t, rows[3].Start, rows[2].End)
	assert.Less(t, rows[4].End-rows[4].Start, 2*way.Latency, "it has come long ago")
}

// R051: no interface carries an event to another process; its use there is refused.
func TestR051EventsStayInTheirProcess(t *testing.T) {
	b := newBench(t, testChip(), 1)
	var e *Event
	b.process().Go("main", func(th *Thread) {
		b.must(th.SetDevice(0))
		var err error
		e, err = th.CreateEvent()
		b.must(err, th.RecordEvent(e, nil))
	})
	b.process().Go("main", func(th *Thread) {
		b.must(th.SetDevice(0))
		th.Proc().Sleep(us)
		b.code(InvalidHandle, th.StreamWaitEvent(nil, e))
		b.code(InvalidHandle, th.RecordEvent(e, nil))
		b.code(InvalidHandle, th.SynchronizeEvent(e))
		b.code(InvalidHandle, th.DestroyEvent(e))
	})
	b.eng.Run(0)
	for _, i := range Interfaces() {
		if i.Group == "event" {
			assert.NotContains(t, i.Name, "Export")
			assert.NotContains(t, i.Name, "Import")
		}
	}
}

// R052: NotRecorded, Recorded, Completed, and NotRecorded again after a reset.
func TestR052EventStatus(t *testing.T) {
	b := newBench(t, testChip(), 1)
	b.run(func(th *Thread) {
		e, err := th.CreateEventWithFlag(EventSync)
		b.must(err)
		status := func() EventState { return Rows[EventRow](b.rt)[0].Status }
		assert.Equal(t, NotRecorded, status())
		b.must(th.work(nil, us), th.RecordEvent(e, nil))
		assert.Equal(t, Recorded, status())
		b.must(th.SynchronizeStream(nil))
		assert.Equal(t, Completed, status())
		b.must(th.ResetEvent(e, nil), th.SynchronizeStream(nil))
		assert.Equal(t, NotRecorded, status())
	})
	assert.Len(t, Rows[EventResetRow](b.rt), 1)
}

// R053: flags steer an event: time stamps, waits, resets, and the automatic reset.
func TestR053EventFlags(t *testing.T) {
	b := newBench(t, testChip(), 1)
	r := b.run(func(th *Thread) {
		line, err1 := th.CreateEventWithFlag(EventTimeLine)
		auto, err2 := th.CreateEventWithFlag(EventSync | EventAutoReset)
		ex, err3 := th.CreateEventExWithFlag(EventSync)
		b.must(err1, err2, err3)
		b.code(ParamInvalid, th.StreamWaitEvent(nil, line))
		b.code(ParamInvalid, th.ResetEvent(line, nil))
		b.code(ParamInvalid, th.ResetEvent(ex, nil))
		_, err := th.EventGetTimestamp(auto)
		b.code(EventTimestampInvalid, err)
		for _, bad := range []uint32{0, 4, 0x40, 0x8000_0000} {
			_, err := th.CreateEventWithFlag(bad)
			b.code(ParamInvalid, err)
		}
		s, err := th.CreateStream()
		b.must(err, th.RecordEvent(auto, s), th.StreamWaitEvent(nil, auto), th.SynchronizeStream(nil))
		assert.Equal(t, NotRecorded, auto.State(), "the wait has reset it")
		assert.EqualValues(t, EventSync|EventAutoReset, Rows[EventRow](b.rt)[1].EventFlag)
	})
	assert.Equal(t, sim.Done, r.Reason)
}

// R054: the time of its making is kept.
func TestR054CreatedTime(t *testing.T) {
	b := newBench(t, testChip(), 1)
	b.run(func(th *Thread) {
		th.Proc().Sleep(7 * us)
		e, err := th.CreateEvent()
		b.must(err)
		th.Proc().Sleep(us)
		b.must(th.DestroyEvent(e))
	})
	row := Rows[EventRow](b.rt)[0]
	assert.Equal(t, 7*us, row.Created)
	assert.Equal(t, 8*us, row.Destroyed)
}

// eventRun is one record, wait and host synchronisation: the rows that they leave.
func eventRun(t *testing.T) *bench {
	b := newBench(t, testChip(), 1)
	b.run(func(th *Thread) {
		s1, err1 := th.CreateStream()
		s2, err2 := th.CreateStream()
		e, err3 := th.CreateEvent()
		b.must(err1, err2, err3, th.work(s1, 5*us), th.RecordEvent(e, s1), th.StreamWaitEvent(s2, e), th.SynchronizeEvent(e), th.SynchronizeDevice())
	})
	return b
}

// R055: record, wait and blocking synchronisation each have a row with times.
func TestR055EventTaskKinds(t *testing.T) {
	b := eventRun(t)
	rec, wait, sync := Rows[EventRecordRow](b.rt), Rows[EventWaitRow](b.rt), Rows[EventSyncRow](b.rt)
	require.Len(t, rec, 1)
	require.Len(t, wait, 1)
	require.Len(t, sync, 3)
	assert.Equal(t, []sim.Time{5 * us, 5 * us}, []sim.Time{rec[0].ExecuteTime, rec[0].FinishTime})
	assert.Equal(t, []sim.Time{0, 5 * us}, []sim.Time{wait[0].ExecuteTime, wait[0].FinishTime})
	host := sync[2]
	assert.Equal(t, []sim.Time{0, 5 * us}, []sim.Time{host.ExecuteTime, host.FinishTime})
	assert.Zero(t, taskOf(t, b, host.TaskID).StreamID, "no stream queues a wait of the host")
}

// R056: a wait has a time-out, and its code.
func TestR056EventSyncTimeout(t *testing.T) {
	b := newBench(t, testChip(), 1)
	b.run(func(th *Thread) {
		s1, err1 := th.CreateStream()
		s2, err2 := th.CreateStream()
		e, err3 := th.CreateEvent()
		b.must(err1, err2, err3, th.SetOpWaitTimeout(2*sim.Second), th.work(s1, 9*sim.Second), th.RecordEvent(e, s1), th.StreamWaitEvent(s2, e))
		b.code(WaitTimeout, th.SynchronizeStream(s2))
		assert.Equal(t, 2*sim.Second, th.Proc().Now())
		b.code(EventSyncTimeout, th.SynchronizeEventWithTimeout(e, 1500))
		assert.Equal(t, 3500*ms, th.Proc().Now())
		b.code(ParamInvalid, th.SynchronizeEventWithTimeout(e, -2))
	})
	sync := Rows[EventSyncRow](b.rt)
	assert.Equal(t, 2.0, sync[1].OpTimeoutS)
	assert.Equal(t, 1.5, sync[2].OpTimeoutS)
	assert.Equal(t, WaitTimeout, taskOf(t, b, sync[1].TaskID).Code)
	assert.Equal(t, EventSyncTimeout, taskOf(t, b, sync[2].TaskID).Code)
	assert.EqualValues(t, 2000, Rows[RunnerRow](b.rt)[0].TimeoutMs)
}

// R057: time line records keep a time stamp; a record of an event that follows a
// stream's progress names where its trace begins.
func TestR057TimeAndTrace(t *testing.T) {
	b := newBench(t, testChip(), 1)
	b.run(func(th *Thread) {
		a, err1 := th.CreateEventWithFlag(EventTimeLine)
		e, err2 := th.CreateEventWithFlag(EventTimeLine | EventStreamProgress)
		b.must(err1, err2, th.work(nil, us), th.RecordEvent(a, nil), th.work(nil, 4*us), th.RecordEvent(e, nil), th.RecordEvent(e, nil), th.SynchronizeStream(nil))
		d, err := th.EventElapsedTime(a, e)
		b.must(err)
		assert.Equal(t, 4*us, d)
		_, err = th.EventElapsedTime(e, a)
		b.code(EventTimestampReversal, err)
		at, err := th.EventGetTimestamp(e)
		b.must(err)
		assert.Equal(t, 5*us, at)
		times := Rows[EventTimeRow](b.rt)
		require.Len(t, times, 3)
		assert.Equal(t, []sim.Time{us, 5 * us}, []sim.Time{times[0].ExecuteTime, times[1].ExecuteTime})
		rows := b.rt.Tasks()
		traces := Rows[EventTraceRow](b.rt)
		require.Len(t, traces, 2)
		assert.Equal(t, rows[0].ID, traces[0].StartTask, "the stream's first task")
		assert.Equal(t, rows[3].ID, traces[1].StartTask, "the record before")
	})
}

// R058: a record while its stream is captured is a row of its own kind, with the
// first captured task.
func TestR058RICapture(t *testing.T) {
	b := newBench(t, testChip(), 1)
	b.run(func(th *Thread) {
		s, err1 := th.CreateStream()
		e, err2 := th.CreateEvent()
		b.must(err1, err2, th.RICaptureBegin(s, CaptureRelaxed), th.work(s, us))
		th.Proc().Sleep(3 * us)
		b.must(th.RecordEvent(e, s))
		m, err := th.RICaptureEnd(s)
		b.must(err)
		cap := Rows[EventCaptureRow](b.rt)
		require.Len(t, cap, 1)
		assert.Equal(t, 3*us, cap[0].UpdatedTime)
		row := one(t, b, func(x EventTaskRow) bool { return x.TaskID == cap[0].TaskID })
		assert.Equal(t, b.rt.Tasks()[0].ID, row.FirstCapture)
		assert.Equal(t, TaskCaptured, taskOf(t, b, row.FirstCapture).State)
		b.must(th.RIExecuteAsync(m, s), th.SynchronizeStream(s))
		assert.Len(t, Rows[EventCaptureRow](b.rt), 1, "an execution is no capture")
		assert.Len(t, Rows[EventRecordRow](b.rt), 2)
	})
}

// R059: every record and wait has a row as synchronisation and as event task, with
// the same task id.
func TestR059EventTaskInheritance(t *testing.T) {
	b := eventRun(t)
	sync, base := map[uint64]bool{}, map[uint64]bool{}
	for _, x := range Rows[EventSyncRow](b.rt) {
		sync[x.TaskID] = true
	}
	for _, x := range Rows[EventTaskRow](b.rt) {
		base[x.TaskID] = true
	}
	rec, wait, times := Rows[EventRecordRow](b.rt)[0], Rows[EventWaitRow](b.rt)[0], Rows[EventTimeRow](b.rt)[0]
	for _, id := range []uint64{rec.TaskID, wait.TaskID} {
		assert.True(t, sync[id])
		assert.True(t, base[id])
	}
	assert.True(t, base[times.TaskID])
	assert.Len(t, base, 3)
}

// R061: every wait names the record it waits for.
func TestR061WaitsAndRecords(t *testing.T) {
	b := newBench(t, testChip(), 1)
	b.run(func(th *Thread) {
		s, err1 := th.CreateStream()
		e, err2 := th.CreateEvent()
		b.must(err1, err2)
		for range 3 {
			b.must(th.work(s, us), th.RecordEvent(e, s), th.StreamWaitEvent(nil, e))
		}
		b.must(th.SynchronizeDevice())
	})
	rec, wait := Rows[EventRecordRow](b.rt), Rows[EventWaitRow](b.rt)
	require.Len(t, wait, 3)
	for i := range wait {
		assert.Equal(t, rec[i].TaskID, wait[i].RecordID)
		assert.Equal(t, rec[i].Generation, wait[i].Generation)
		assert.GreaterOrEqual(t, wait[i].FinishTime, rec[i].FinishTime)
	}
}

// R028: a stream is Running while it has tasks, and Idle after them.
func TestR028StreamState(t *testing.T) {
	b := newBench(t, testChip(), 1)
	b.run(func(th *Thread) {
		state := func() string { return Rows[StreamRow](b.rt)[0].State }
		assert.Equal(t, StreamIdle, state())
		b.must(th.work(nil, us))
		assert.Equal(t, StreamRunning, state())
		b.must(th.SynchronizeStream(nil))
		assert.Equal(t, StreamIdle, state())
	})
}
