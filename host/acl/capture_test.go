package acl

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"hsim/host/sim"
)

// captured is a bench thread with two streams and an event.
func (b *bench) captured(th *Thread) (s, fork *Stream, e *Event) {
	s, err1 := th.CreateStream()
	fork, err2 := th.CreateStream()
	e, err3 := th.CreateEvent()
	b.must(err1, err2, err3)
	return s, fork, e
}

// What is captured does not run until the model is executed, and runs as often as
// that; a stream that waits for a captured record joins.
func TestCaptureForkJoin(t *testing.T) {
	b := newBench(t, testChip(), 1)
	b.run(func(th *Thread) {
		s, fork, e := b.captured(th)
		join, err := th.CreateEvent()
		b.must(err)
		d, err := th.Malloc(64, 0)
		b.must(err)
		b.must(th.RICaptureBegin(s, CaptureGlobal), th.MemsetAsync(d, 64, 1, 8, s), th.work(s, 10*us), th.RecordEvent(e, s),
			th.StreamWaitEvent(fork, e), th.work(fork, 20*us), th.MemsetAsync(d+8, 56, 2, 8, fork), th.RecordEvent(join, fork),
			th.work(s, 5*us), th.StreamWaitEvent(s, join), th.work(s, us))
		status, m, err := th.RICaptureGetInfo(fork)
		b.must(err)
		assert.Equal(t, CaptureActive, status)
		got, err := th.RICaptureEnd(s)
		b.must(err)
		assert.Same(t, m, got)
		assert.Equal(t, 10, m.Tasks())
		bytes := make([]byte, 16)
		b.must(th.SynchronizeDevice(), b.mem.Read(d, bytes))
		assert.Zero(t, th.Proc().Now())
		assert.Equal(t, make([]byte, 16), bytes, "nothing ran")
		status, none, err := th.RICaptureGetInfo(s)
		b.must(err)
		assert.Equal(t, CaptureNone, status)
		assert.Nil(t, none)

		b.must(th.RIExecuteAsync(m, s), th.RIExecuteAsync(m, fork), th.SynchronizeDevice())
		assert.Equal(t, 2*31*us, th.Proc().Now(), "10 + max(20, 5) + 1, one execution after the other")
		b.must(b.mem.Read(d, bytes))
		assert.Equal(t, []byte{1, 1, 1, 1, 1, 1, 1, 1, 2, 2, 2, 2, 2, 2, 2, 2}, bytes)
		b.must(th.RIExecute(m, -1))
		assert.Equal(t, 3*31*us, th.Proc().Now())
		b.code(StreamSyncTimeout, th.RIExecute(m, 0))
		b.must(th.SynchronizeStream(nil))
		n, err := th.GetStreamAvailableNum()
		b.must(err)
		assert.Equal(t, 11, n, "the model keeps two streams beside the three")
		b.must(th.RIDestroy(m))
		b.code(InvalidHandle, th.RIDestroy(m))
		b.code(InvalidHandle, th.RIExecuteAsync(m, s))
		n, _ = th.GetStreamAvailableNum()
		assert.Equal(t, 13, n)
	})
	ran := map[uint64]int{}
	for _, x := range b.rt.Tasks() {
		if x.Type == TypeModel {
			ran[x.ID] = 0
		}
	}
	require.Len(t, ran, 4)
	for _, x := range b.rt.Tasks() {
		if x.Parent != 0 {
			ran[x.Parent]++
			assert.NotZero(t, x.Seq)
			assert.Equal(t, TaskDone, x.State)
		}
	}
	for id, n := range ran {
		assert.Equal(t, 10, n, "tasks of execution %d", id)
	}
}

// The codes of a capture, 107024 to 107036, and what state each leaves.
func TestCaptureCodes(t *testing.T) {
	status := func(b *bench, th *Thread, s *Stream) CaptureStatus {
		x, _, err := th.RICaptureGetInfo(s)
		b.must(err)
		return x
	}
	for name, f := range map[string]func(b *bench, th *Thread){
		"107024 a wait for a record outside": func(b *bench, th *Thread) {
			s, fork, e := b.captured(th)
			b.must(th.RecordEvent(e, fork), th.RICaptureBegin(s, CaptureRelaxed))
			b.code(CaptureDependency, th.StreamWaitEvent(s, e))
			assert.Equal(b.t, CaptureInvalidated, status(b, th, s))
			b.code(StreamCaptureInvalidated, th.work(s, us))
			_, err := th.RICaptureEnd(s)
			b.code(StreamCaptureInvalidated, err)
			assert.Equal(b.t, CaptureNone, status(b, th, s))
		},
		"107025 a stream that was not joined": func(b *bench, th *Thread) {
			s, fork, e := b.captured(th)
			b.must(th.RICaptureBegin(s, CaptureRelaxed), th.RecordEvent(e, s), th.StreamWaitEvent(fork, e), th.work(fork, us))
			_, err := th.RICaptureEnd(s)
			b.code(StreamUnjoined, err)
			b.must(th.work(fork, us), th.SynchronizeStream(fork))
		},
		"107025 joined before its last task": func(b *bench, th *Thread) {
			s, fork, e := b.captured(th)
			b.must(th.RICaptureBegin(s, CaptureRelaxed), th.RecordEvent(e, s), th.StreamWaitEvent(fork, e), th.RecordEvent(e, fork),
				th.StreamWaitEvent(s, e), th.work(fork, us))
			_, err := th.RICaptureEnd(s)
			b.code(StreamUnjoined, err)
		},
		"107026 a model whose capture goes on": func(b *bench, th *Thread) {
			s, fork, _ := b.captured(th)
			b.must(th.RICaptureBegin(s, CaptureRelaxed))
			_, m, err := th.RICaptureGetInfo(s)
			b.must(err)
			b.code(ModelCaptured, th.RIExecuteAsync(m, fork))
			b.code(ModelCaptured, th.RIDestroy(m))
		},
		"107027 the stream is captured": func(b *bench, th *Thread) {
			s, _, _ := b.captured(th)
			b.must(th.RICaptureBegin(s, CaptureGlobal))
			b.code(StreamCaptured, th.SynchronizeStream(s))
			b.code(StreamCaptured, th.SynchronizeStreamWithTimeout(s, 1))
			_, err := th.QueryStream(s)
			b.code(StreamCaptured, err)
			b.code(StreamCaptured, th.DestroyStream(s))
			b.code(StreamCaptured, th.RICaptureBegin(s, CaptureGlobal))
			b.code(StreamCaptured, th.SynchronizeDevice())
			assert.Equal(b.t, CaptureActive, status(b, th, s))
			_, err = th.RICaptureEnd(s)
			b.must(err)
		},
		"107028 the event is captured": func(b *bench, th *Thread) {
			s, fork, e := b.captured(th)
			b.must(th.RICaptureBegin(s, CaptureRelaxed), th.RecordEvent(e, s))
			b.code(EventCaptured, th.SynchronizeEvent(e))
			_, err := th.QueryEventStatus(e)
			b.code(EventCaptured, err)
			_, err = th.EventElapsedTime(e, e)
			b.code(EventCaptured, err)
			_, err = th.RICaptureEnd(s)
			b.must(err)
			b.code(EventCaptured, th.StreamWaitEvent(fork, e))
			b.must(th.RecordEvent(e, fork), th.SynchronizeEvent(e))
		},
		"107029 nothing is captured": func(b *bench, th *Thread) {
			s, _, _ := b.captured(th)
			_, err := th.RICaptureEnd(s)
			b.code(StreamNotCaptured, err)
			b.code(StreamNotCaptured, th.RICaptureTaskGrpBegin(s))
		},
		"107030 a call that the mode forbids": func(b *bench, th *Thread) {
			for mode, want := range map[CaptureMode]Code{CaptureGlobal: CaptureModeNotSupport, CaptureThreadLocal: CaptureModeNotSupport, CaptureRelaxed: Success} {
				s, _, _ := b.captured(th)
				d, err := th.Malloc(8, 0)
				b.must(err, th.RICaptureBegin(s, mode))
				b.code(want, th.Memset(d, 8, 1, 8))
				b.code(want, th.Memcpy(d, 4, d+4, 4, DeviceToDevice))
				old, err := th.RICaptureThreadExchangeMode(CaptureRelaxed)
				b.must(err)
				assert.Equal(b.t, CaptureGlobal, old)
				b.must(th.Memset(d, 8, 1, 8))
				_, err = th.RICaptureThreadExchangeMode(old)
				b.must(err)
				_, err = th.RICaptureEnd(s)
				b.must(err)
			}
			_, err := th.RICaptureThreadExchangeMode(3)
			b.code(ParamInvalid, err)
		},
		"107031 the default stream": func(b *bench, th *Thread) {
			s, _, e := b.captured(th)
			b.code(StreamCaptureImplicit, th.RICaptureBegin(nil, CaptureGlobal))
			b.must(th.RICaptureBegin(s, CaptureGlobal))
			n, err := th.CreateNotify(0)
			b.must(err)
			b.code(StreamCaptureImplicit, th.RecordNotify(n, nil))
			assert.Equal(b.t, CaptureInvalidated, status(b, th, s))
			_, err = th.RICaptureEnd(s)
			b.code(StreamCaptureInvalidated, err)
			b.must(th.RICaptureBegin(s, CaptureRelaxed), th.RecordNotify(n, nil), th.RecordEvent(e, s))
			b.code(StreamCaptureImplicit, th.StreamWaitEvent(nil, e))
			b.must(th.SynchronizeStream(nil))
		},
		"107032 two captures meet": func(b *bench, th *Thread) {
			s, fork, e := b.captured(th)
			b.must(th.RICaptureBegin(s, CaptureRelaxed), th.RICaptureBegin(fork, CaptureRelaxed), th.RecordEvent(e, s))
			b.code(StreamCaptureConflict, th.StreamWaitEvent(fork, e))
			for _, x := range []*Stream{s, fork} {
				_, err := th.RICaptureEnd(x)
				b.code(StreamCaptureInvalidated, err)
			}
		},
		"107033 and 107034 task groups": func(b *bench, th *Thread) {
			s, fork, _ := b.captured(th)
			b.must(th.RICaptureBegin(s, CaptureRelaxed))
			_, err := th.RICaptureTaskGrpEnd(s)
			b.code(StreamTaskGroupIntr, err)
			b.must(th.RICaptureTaskGrpBegin(s))
			b.code(StreamTaskGroupStatus, th.RICaptureTaskGrpBegin(s))
			b.must(th.work(s, us), th.work(s, us))
			g, err := th.RICaptureTaskGrpEnd(s)
			b.must(err)
			m, err := th.RICaptureEnd(s)
			b.must(err)
			b.code(StreamTaskGroupStatus, th.RICaptureTaskUpdateEnd(fork))
			b.must(th.RICaptureTaskUpdateBegin(fork, g))
			b.code(StreamTaskGroupStatus, th.RICaptureTaskUpdateBegin(fork, g))
			b.must(th.work(fork, 50*us))
			b.code(StreamTaskGroupIntr, th.RICaptureTaskUpdateEnd(fork))
			b.must(th.RICaptureTaskUpdateBegin(fork, g), th.work(fork, 3*us), th.work(fork, 4*us))
			b.code(StreamTaskGroupStatus, th.work(fork, us))
			b.must(th.RICaptureTaskUpdateEnd(fork), th.RIExecuteAsync(m, fork), th.SynchronizeStream(fork))
			assert.Equal(b.t, 7*us, th.Proc().Now())
			b.code(ParamInvalid, th.RICaptureTaskUpdateBegin(fork, nil))
			b.must(th.RIDestroy(m))
			b.code(InvalidHandle, th.RICaptureTaskUpdateBegin(fork, g))
		},
		"107035 a stopped stream": func(b *bench, th *Thread) {
			s, _, _ := b.captured(th)
			b.must(th.StopStream(s), th.work(s, us))
			b.code(TaskAbortStop, th.SynchronizeStream(s))
			b.must(th.ActivateStream(s), th.SynchronizeStream(s))
			b.code(ParamInvalid, th.StopStream(nil))
			b.code(ParamInvalid, th.AbortStream(nil))
		},
		"107036 ended on another stream": func(b *bench, th *Thread) {
			s, fork, e := b.captured(th)
			b.must(th.RICaptureBegin(s, CaptureRelaxed), th.RecordEvent(e, s), th.StreamWaitEvent(fork, e), th.RecordEvent(e, fork), th.StreamWaitEvent(s, e))
			_, err := th.RICaptureEnd(fork)
			b.code(StreamCaptureUnmatched, err)
			_, err = th.RICaptureEnd(s)
			b.must(err)
		},
		"other arguments": func(b *bench, th *Thread) {
			s, fork, _ := b.captured(th)
			b.code(ParamInvalid, th.RICaptureBegin(s, 3))
			b.code(ParamInvalid, th.RIExecuteAsync(nil, s))
			b.code(InvalidHandle, th.RIExecuteAsync(&Model{}, s))
			b.must(th.RICaptureBegin(s, CaptureRelaxed), th.DestroyStreamForce(s))
			assert.Empty(b.t, th.Process().captures)
			b.must(th.RICaptureBegin(fork, CaptureRelaxed))
			m, err := th.RICaptureEnd(fork)
			b.must(err, th.RIExecuteAsync(m, fork), th.SynchronizeStream(fork)) // an empty model
			_, err = th.CreateContext(0)
			b.must(err)
			b.code(ModelContext, th.RIExecuteAsync(m, nil))
		},
	} {
		t.Run(name, func(t *testing.T) {
			b := newBench(t, testChip(), 1)
			r := b.run(func(th *Thread) { f(b, th) })
			assert.Equal(t, sim.Done, r.Reason)
		})
	}
}

// B32: a wait that draws a stream into a capture needs a stream of the device; with
// none left it is 207005, the capture has ended, and everything works as before.
func TestB32WaitNeedsAStream(t *testing.T) {
	b := newBench(t, testChip(), 1) // 16 streams
	b.run(func(th *Thread) {
		s, fork, e := b.captured(th)
		for range 12 {
			_, err := th.CreateStream()
			b.must(err)
		}
		b.must(th.RICaptureBegin(s, CaptureGlobal), th.work(s, us), th.RecordEvent(e, s))
		err := th.StreamWaitEvent(fork, e)
		b.code(ResourceAllocFail, err)
		assert.ErrorContains(t, err, "207005")
		x, _, err := th.RICaptureGetInfo(s)
		b.must(err)
		assert.Equal(t, CaptureNone, x)
		n, _ := th.GetStreamAvailableNum()
		assert.Equal(t, 1, n)
		b.must(th.work(s, us), th.RecordEvent(e, s), th.StreamWaitEvent(fork, e), th.SynchronizeDevice())
		_, err = th.CreateStream()
		b.must(err)
		b.code(NoStreamResource, th.RICaptureBegin(s, CaptureGlobal))
	})
}

// B33: a synchronous copy while capturing is 107030; the asynchronous one on the
// captured stream joins the model.
func TestB33SyncMemcpyDuringCapture(t *testing.T) {
	b := newBench(t, testChip(), 1)
	p := b.process()
	b.process().Go("stranger", func(th *Thread) {
		b.must(th.SetDevice(0))
		d, err := th.Malloc(8, 0)
		b.must(err)
		th.Proc().Sleep(us)
		b.must(th.Memset(d, 8, 0, 8)) // another process is not concerned
	})
	p.Go("main", func(th *Thread) {
		b.must(th.SetDevice(0))
		s, _, _ := b.captured(th)
		d, err1 := th.Malloc(8, 0)
		h, err2 := th.MallocHost(8)
		b.must(err1, err2, th.RICaptureBegin(s, CaptureGlobal))
		th.Proc().Sleep(2 * us)
		err := th.Memcpy(d, 8, h, 8, HostToDevice)
		b.code(CaptureModeNotSupport, err)
		assert.ErrorContains(t, err, "107030")
		b.must(b.mem.Fill(h, 8, 3), th.MemcpyAsync(d, 8, h, 8, HostToDevice, s))
		m, err := th.RICaptureEnd(s)
		b.must(err, th.Memcpy(d, 8, h, 8, HostToDevice), b.mem.Fill(h, 8, 4), th.RIExecuteAsync(m, s), th.SynchronizeStream(s))
		got := make([]byte, 1)
		b.must(b.mem.Read(d, got))
		assert.Equal(t, byte(4), got[0])
	})
	p.Go("other", func(th *Thread) {
		b.must(th.SetDevice(0))
		th.Proc().Sleep(us)
		h, err := th.MallocHost(8)
		b.must(err)
		b.code(CaptureModeNotSupport, th.Memcpy(h, 4, h+4, 4, HostToHost)) // global: every thread
	})
	b.eng.Run(0)
}

// A task of a model that fails ends the execution with its fault; the next one is
// not concerned. Events outside a capture are reached with the external flag.
func TestModelFaultsAndExternalEvents(t *testing.T) {
	b := newBench(t, testChip(), 1)
	b.run(func(th *Thread) {
		s, fork, e := b.captured(th)
		out, err := th.CreateEventWithFlag(EventSync | EventExternal)
		b.must(err)
		x, err := th.Malloc(8, 0)
		b.must(err)
		b.must(th.RICaptureBegin(s, CaptureRelaxed), th.RecordEvent(e, s), th.StreamWaitEvent(fork, e), th.work(fork, 10*us), th.RecordEvent(e, fork),
			th.MemsetAsync(x, 8, 1, 8, s), th.StreamWaitEvent(s, e), th.RecordEvent(out, s))
		m, err := th.RICaptureEnd(s)
		b.must(err, th.RIExecuteAsync(m, s), th.StreamWaitEvent(fork, out), th.SynchronizeStream(s), th.SynchronizeEvent(out))
		assert.Equal(t, 10*us, th.Proc().Now())
		assert.EqualValues(t, 1, out.gen)
		b.must(th.Free(x), th.RIExecuteAsync(m, s))
		b.code(SysDMA, th.SynchronizeStream(s))
		assert.Equal(t, 10*us, th.Proc().Now(), "the other stream's work is dropped")
		b.must(th.SynchronizeStream(s), th.SynchronizeDevice())
		b.must(th.RIExecuteAsync(m, s), th.work(s, us), th.AbortStream(s))
		b.code(StreamAbort, th.SynchronizeStream(s))
	})
}
