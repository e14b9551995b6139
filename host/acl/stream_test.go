package acl

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"hsim/host/sim"
)

// R001: the host only pushes; the device executes, later than the call returns.
func TestR001TheDeviceExecutes(t *testing.T) {
	c := testChip()
	c.HostCall, c.HostLaunch, c.TSDispatch = 1*us, 4*us, 2*us
	b := newBench(t, c, 1)
	b.run(func(th *Thread) {
		e, err := th.CreateEvent()
		b.must(err)
		b.must(th.work(nil, 100*us))
		before := th.Proc().Now()
		b.must(th.RecordEvent(e, nil), th.StreamWaitEvent(nil, e))
		returned := th.Proc().Now()
		assert.Equal(t, before+10*us, returned, "two calls of host time, no waiting for the device")
		b.must(th.SynchronizeStream(nil))
		rows := b.rt.TasksOf(th.Current().DefaultStream())
		require.Len(t, rows, 3)
		for _, r := range rows {
			assert.Equal(t, "device 0", r.Executor)
		}
		assert.GreaterOrEqual(t, rows[2].Start, returned)
		assert.Equal(t, TaskDone, rows[2].State)
	})
}

// R002: record, wait and launch on one stream are three tasks, popped in order.
func TestR002RecordWaitLaunch(t *testing.T) {
	b := newBench(t, testChip(), 1)
	b.run(func(th *Thread) {
		e, err := th.CreateEvent()
		b.must(err, th.work(nil, 7*us), th.RecordEvent(e, nil), th.StreamWaitEvent(nil, e), th.work(nil, 5*us), th.SynchronizeStream(nil))
		rows := b.rt.TasksOf(th.Current().DefaultStream())[1:]
		require.Len(t, rows, 3)
		for i, what := range []string{"record", "wait", "work"} {
			assert.Equal(t, what, rows[i].What)
			assert.EqualValues(t, i+2, rows[i].Seq)
		}
		assert.Equal(t, 7*us, rows[0].End)
		assert.GreaterOrEqual(t, rows[2].Start, rows[0].End)
	})
}

// R003: a popped wait holds its queue, not the host, until the event is done.
func TestR003AWaitHoldsTheQueue(t *testing.T) {
	b := newBench(t, testChip(), 1)
	b.run(func(th *Thread) {
		s1, err1 := th.CreateStream()
		s2, err2 := th.CreateStream()
		e, err3 := th.CreateEvent()
		b.must(err1, err2, err3)
		b.must(th.work(s1, 10*us), th.RecordEvent(e, s1))
		b.must(th.StreamWaitEvent(s2, e), th.work(s2, us))
		assert.Zero(t, th.Proc().Now(), "the host is not blocked")
		b.must(th.SynchronizeStream(s2))
		rows := b.rt.TasksOf(s2)
		assert.Equal(t, 10*us, rows[0].End)
		assert.Equal(t, 10*us, rows[1].Start)
	})
}

// R027: numbers without gaps, start in order.
func TestR027Sequence(t *testing.T) {
	b := newBench(t, testChip(), 1)
	b.run(func(th *Thread) {
		s, err := th.CreateStream()
		b.must(err)
		for range 30 {
			b.must(th.work(s, us))
		}
		done, err := th.QueryStream(s)
		b.must(err)
		assert.False(t, done)
		b.must(th.SynchronizeStream(s))
		done, _ = th.QueryStream(s)
		assert.True(t, done)
		rows := b.rt.TasksOf(s)
		require.Len(t, rows, 30)
		for i, r := range rows {
			assert.EqualValues(t, i+1, r.Seq)
			if i > 0 {
				assert.GreaterOrEqual(t, r.Start, rows[i-1].End)
				assert.Greater(t, r.ID, rows[i-1].ID)
			}
		}
	})
}

// R029: each enqueuing call makes one task of its type.
func TestR029Types(t *testing.T) {
	b := newBench(t, testChip(), 1)
	b.run(func(th *Thread) {
		e, err1 := th.CreateEvent()
		n, err2 := th.CreateNotify(0)
		d, err3 := th.Malloc(64, 0)
		h, err4 := th.MallocHost(64)
		b.must(err1, err2, err3, err4)
		b.must(th.SubscribeReport(th.ID(), nil))
		b.must(th.MemcpyAsync(d, 64, h, 64, HostToDevice, nil), th.MemsetAsync(d, 64, 1, 64, nil), th.RecordNotify(n, nil),
			th.WaitAndResetNotify(n, nil, 0), th.RecordEvent(e, nil), th.StreamWaitEvent(nil, e), th.LaunchCallback(Callback{Func: func(uint64) {}}, CallbackNoBlock, nil), th.work(nil, 0))
		b.must(th.ProcessReport(-1), th.SynchronizeStream(nil))
		var got []TaskType
		for i, r := range b.rt.Tasks() {
			got = append(got, r.Type)
			assert.EqualValues(t, i+1, r.Seq)
			assert.Equal(t, TaskDone, r.State)
		}
		assert.Equal(t, []TaskType{TypeMemcpy, TypeMemcpy, TypeNotify, TypeNotify, TypeEvent, TypeEvent, TypeCallback, TypeKernel}, got)
		assert.Equal(t, e.UID(), b.rt.Tasks()[4].Event)
		assert.Equal(t, n.UID(), b.rt.Tasks()[2].Notify)
		assert.Equal(t, n.ID(), b.rt.Tasks()[2].Register)
		assert.EqualValues(t, 64, b.rt.Tasks()[0].Size)
	})
}

// O6, B30: streams run out at the chip's limit, the default one included;
// earlier ones work, and one destroy makes room for one create.
func TestB30OutOfStreams(t *testing.T) {
	for name, limit := range map[string]int{"a2": 2048, "a3": 1984, "950dt": 1984, "910": 2048} {
		t.Run(name, func(t *testing.T) {
			b := newBench(t, profile(t, name), 1)
			b.run(func(th *Thread) {
				var all []*Stream
				for len(all) < limit-1 {
					s, err := th.CreateStream()
					if !assert.NoError(t, err) {
						return
					}
					all = append(all, s)
				}
				n, err := th.GetStreamAvailableNum()
				b.must(err)
				assert.Zero(t, n)
				_, err = th.CreateStream()
				b.code(NoStreamResource, err)
				assert.ErrorContains(t, err, "207008")
				assert.ErrorContains(t, err, "EL0009")
				assert.ErrorContains(t, err, "device 0")
				b.must(th.work(all[700], us), th.SynchronizeStream(all[700]))
				id := all[5].ID()
				b.must(th.DestroyStream(all[5]))
				s, err := th.CreateStream()
				b.must(err)
				assert.Equal(t, id, s.ID())
				_, err = th.CreateStream()
				b.code(NoStreamResource, err)
			})
		})
	}
}

// R014: two processes share the device's streams.
func TestR014StreamsAreOfTheDevice(t *testing.T) {
	b := newBench(t, profile(t, "a3"), 1)
	count := [2]int{}
	for i := range 2 {
		b.process().Go("main", func(th *Thread) {
			b.must(th.SetDevice(0))
			for count[i] < 1984/2-1 {
				if _, err := th.CreateStream(); !assert.NoError(t, err) {
					return
				}
				count[i]++
			}
			th.Proc().Sleep(us)
			_, err := th.CreateStream()
			b.code(NoStreamResource, err)
			if i == 1 {
				b.rt.Processes()[0].End() // its streams come back
				n, err := th.GetStreamAvailableNum()
				b.must(err)
				assert.Equal(t, 992, n)
			}
		})
	}
	b.eng.Run(0)
	assert.Equal(t, [2]int{991, 991}, count)
}

// B34: a stream of another context, and a thread without one.
func TestB34ForeignStream(t *testing.T) {
	b := newBench(t, testChip(), 2)
	p := b.process()
	var s *Stream
	p.Go("t1", func(th *Thread) {
		b.must(th.SetDevice(0))
		var err error
		s, err = th.CreateStream()
		b.must(err)
	})
	p.Go("t2", func(th *Thread) {
		th.Proc().Sleep(us)
		b.code(ContextNull, th.SynchronizeStream(s))
		_, err := th.CreateStream()
		b.code(ContextNull, err)
		_, err = th.Malloc(4, 0)
		b.code(ContextNull, err)
		b.code(ContextNull, th.MemcpyAsync(0, 4, 0, 4, DeviceToDevice, s))
	})
	p.Go("t3", func(th *Thread) {
		th.Proc().Sleep(us)
		b.must(th.SetDevice(1))
		err := th.SynchronizeStream(s)
		b.code(StreamContext, err)
		assert.ErrorContains(t, err, "device 0")
		assert.ErrorContains(t, err, "device 1")
		b.code(StreamContext, th.DestroyStream(s))
		b.code(StreamContext, th.MemsetAsync(0, 4, 0, 4, s))
	})
	b.eng.Run(0)
	assert.Empty(t, b.rt.Tasks(), "nothing was executed")
}

func TestSynchronizeWithTimeout(t *testing.T) {
	b := newBench(t, testChip(), 1)
	b.run(func(th *Thread) {
		b.must(th.work(nil, 10*ms))
		b.code(StreamSyncTimeout, th.SynchronizeStreamWithTimeout(nil, 4))
		assert.Equal(t, 4*ms, th.Proc().Now())
		b.code(StreamSyncTimeout, th.SynchronizeStreamWithTimeout(nil, 0))
		b.code(ParamInvalid, th.SynchronizeStreamWithTimeout(nil, -2))
		b.must(th.SynchronizeStreamWithTimeout(nil, 100))
		assert.Equal(t, 10*ms, th.Proc().Now(), "the tasks went on")
		b.must(th.SynchronizeStreamWithTimeout(nil, -1))
		b.must(th.work(nil, ms))
		b.code(StreamSyncTimeout, th.SynchronizeDeviceWithTimeout(0))
		b.must(th.SynchronizeDevice())
		assert.Equal(t, 11*ms, th.Proc().Now())
	})
}

// B36: destroying a stream with work runs the work; by force, drops it.
func TestB36DestroyStreamWithWork(t *testing.T) {
	b := newBench(t, testChip(), 1)
	b.run(func(th *Thread) {
		e, err := th.CreateEvent()
		b.must(err)
		s, err := th.CreateStream()
		b.must(err, th.work(s, 9*us), th.RecordEvent(e, s), th.DestroyStream(s))
		assert.Equal(t, 9*us, th.Proc().Now())
		done, err := th.QueryEventStatus(e)
		b.must(err)
		assert.True(t, done)
		b.code(InvalidHandle, th.SynchronizeStream(s))
		b.code(InvalidHandle, th.DestroyStream(s))

		f, err := th.CreateStream()
		b.must(err, th.work(f, 9*us), th.RecordEvent(e, f), th.StreamWaitEvent(nil, e), th.DestroyStreamForce(f))
		b.must(th.SynchronizeStream(nil))
		assert.Equal(t, 9*us, th.Proc().Now(), "a dropped record holds nobody")
		b.code(ParamInvalid, th.DestroyStream(nil))
		b.code(ParamInvalid, th.DestroyStream(th.Current().DefaultStream()))
	})
}

func TestStreamStopAbortAndAttributes(t *testing.T) {
	b := newBench(t, testChip(), 1)
	r := b.run(func(th *Thread) {
		s, err := th.CreateStreamWithConfig(99, StreamFastLaunch)
		b.must(err)
		assert.Equal(t, 7, s.Priority(), "out of range counts as the worst")
		b.must(th.work(s, us), th.work(s, us), th.StopStream(s))
		b.code(StreamSyncTimeout, th.SynchronizeStreamWithTimeout(s, 1))
		b.code(TaskAbortStop, th.SynchronizeStream(s)) // instead of for ever
		b.must(th.AbortStream(s))
		b.code(StreamAbort, th.SynchronizeStream(s))
		b.must(th.SynchronizeStream(s))
		v, err := th.GetStreamAttribute(s, AttrUserTag)
		b.must(err)
		assert.Zero(t, v)
		b.must(th.SetStreamAttribute(s, AttrUserTag, 77))
		v, _ = th.GetStreamAttribute(s, AttrUserTag)
		assert.EqualValues(t, 77, v)
		b.code(ParamInvalid, th.SetStreamAttribute(s, 5, 0))
		b.code(ParamInvalid, th.SetStreamAttribute(s, AttrFailureMode, 2))
		b.must(th.SetStreamAttribute(s, AttrFailureMode, 1))
		b.code(ParamInvalid, th.SetStreamAttribute(s, AttrFailureMode, 0))
		d, err := th.CreateStreamWithConfig(0, StreamDeviceUseOnly)
		b.must(err, th.work(d, ms), th.SynchronizeStream(d))
		assert.Equal(t, ms, th.Proc().Now(), "the host does not wait for a device-only stream")
	})
	assert.Equal(t, sim.Done, r.Reason)
}

// Stop on failure, set on one stream, holds for its context: what is left of
// its streams is dropped and new tasks are refused.
func TestStopOnFailure(t *testing.T) {
	for _, stop := range []bool{false, true} {
		b := newBench(t, testChip(), 1)
		b.run(func(th *Thread) {
			s1, err1 := th.CreateStream()
			s2, err2 := th.CreateStream()
			d, err3 := th.Malloc(64, 0)
			x, err4 := th.Malloc(64, 0)
			b.must(err1, err2, err3, err4)
			if stop {
				b.must(th.SetStreamAttribute(s1, AttrFailureMode, 1))
			}
			b.must(th.work(s2, 5*us), th.MemsetAsync(x, 64, 0, 64, s2), th.work(s2, 5*us), th.work(s1, 100*us), th.Free(x))
			err := th.SynchronizeStream(s2)
			b.code(SysDMA, err)
			assert.ErrorContains(t, err, "freed")
			if stop {
				assert.Equal(t, 5*us, th.Proc().Now())
				b.code(SysDMA, th.SynchronizeStream(s1))
				b.code(SysDMA, th.MemsetAsync(d, 64, 0, 64, s1))
			} else {
				assert.Equal(t, 10*us, th.Proc().Now())
				b.must(th.SynchronizeStream(s2), th.SynchronizeStream(s1))
				b.must(th.MemsetAsync(d, 64, 0, 64, s1))
			}
		})
	}
}

// Who waits while another thread takes the stream's tasks away hears of it: with a
// forced destroy, a reset of the device, the end of the runtime.
func TestWaitersHearOfDroppedTasks(t *testing.T) {
	for name, drop := range map[string]func(th *Thread, s *Stream) error{
		"destroy": func(th *Thread, s *Stream) error { return th.DestroyStreamForce(s) },
		"abort":   func(th *Thread, s *Stream) error { return th.AbortStream(s) },
		"reset":   func(th *Thread, _ *Stream) error { return th.ResetDeviceForce(0) },
	} {
		t.Run(name, func(t *testing.T) {
			b := newBench(t, testChip(), 1)
			var s *Stream
			p := b.process()
			p.Go("main", func(th *Thread) {
				b.must(th.SetDevice(0))
				c, err := th.CreateContext(0)
				b.must(err)
				s, err = th.CreateStream()
				b.must(err)
				n, err := th.CreateNotify(0)
				b.must(err, th.WaitAndResetNotify(n, s, 0))
				for _, wait := range []func(th *Thread) error{func(th *Thread) error { return th.SynchronizeStream(s) }, (*Thread).SynchronizeDevice} {
					p.Go("waits", func(th *Thread) {
						b.must(th.SetCurrentContext(c))
						b.code(StreamAbort, wait(th))
						assert.Equal(t, us, th.Proc().Now())
					})
				}
				th.Proc().Sleep(us)
				b.must(drop(th, s))
			})
			assert.Equal(t, sim.Done, b.eng.Run(0).Reason)
		})
	}
	b := newBench(t, profile(t, "a3"), 1)
	p := b.process()
	p.Go("main", func(th *Thread) {
		b.must(th.Init(""), th.SetDevice(0))
		d, err := th.Malloc(64<<20, 0)
		b.must(err)
		h, err := th.MallocHost(64 << 20)
		b.must(err)
		p.Go("copies", func(th *Thread) {
			b.must(th.SetDevice(0))
			b.code(DeviceTaskAbort, th.Memcpy(h, 64<<20, d, 64<<20, DeviceToHost))
		})
		th.Proc().Sleep(10 * us)
		b.must(th.Finalize())
	})
	assert.Equal(t, sim.Done, b.eng.Run(0).Reason)
}
