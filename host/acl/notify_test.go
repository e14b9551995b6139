package acl

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"hsim/host/sim"
)

// R044: value 0 -> 1 -> 0; a second wait blocks again; two records count once.
func TestR044Notify(t *testing.T) {
	b := newBench(t, testChip(), 1)
	b.run(func(th *Thread) {
		s1, err1 := th.CreateStream()
		s2, err2 := th.CreateStream()
		n, err3 := th.CreateNotify(0)
		b.must(err1, err2, err3)
		b.must(th.RecordNotify(n, s1), th.RecordNotify(n, s1))
		assert.EqualValues(t, 1, n.Value())
		b.must(th.WaitAndResetNotify(n, s2, 0))
		assert.Zero(t, n.Value())
		b.must(th.WaitAndResetNotify(n, s2, 1))
		b.code(TaskTimeout, th.SynchronizeStream(s2))
		assert.Equal(t, sim.Second, th.Proc().Now(), "the time-out is in seconds")
	})
}

// R047: Task1, Record, Task2 on A; Wait, Task3 on B.
func TestR047NotifyFlow(t *testing.T) {
	b := newBench(t, testChip(), 1)
	b.run(func(th *Thread) {
		s1, err1 := th.CreateStream()
		s2, err2 := th.CreateStream()
		n, err3 := th.CreateNotify(0)
		b.must(err1, err2, err3)
		b.must(th.work(s1, 10*us), th.RecordNotify(n, s1), th.work(s1, 10*us), th.WaitAndResetNotify(n, s2, 0), th.work(s2, 10*us), th.SynchronizeDevice())
		a, c := b.rt.TasksOf(s1), b.rt.TasksOf(s2)
		assert.GreaterOrEqual(t, c[1].Start, a[0].End)
		assert.Less(t, c[1].Start, a[2].End, "task 2 and task 3 overlap")
		assert.Equal(t, 20*us, th.Proc().Now())
	})
}

// R042, B42: across processes by key and whitelist; the register lives until every
// process has destroyed its handle (B42).
func TestR042IpcNotify(t *testing.T) {
	b := newBench(t, testChip(), 1)
	owner, other := b.process(), b.process()
	dev := b.sys.Devices()[0]
	var key, open string
	owner.Go("main", func(th *Thread) {
		b.must(th.SetDevice(0))
		n, err := th.CreateNotify(0)
		b.must(err)
		_, err = th.NotifyGetExportKey(n, 64, 0)
		b.code(ParamInvalid, err)
		b.code(ParamInvalid, th.NotifySetImportPid(n, other.Pid()))
		key, err = th.NotifyGetExportKey(n, KeyLen, 0)
		b.must(err)
		assert.Less(t, len(key), KeyLen)
		th.Proc().Sleep(10 * us)
		b.must(th.NotifySetImportPid(n, other.Pid()))
		_, err = th.NotifyImportByKey(key, 0)
		b.code(ParamInvalid, err)
		b.must(th.WaitAndResetNotify(n, nil, 0), th.SynchronizeStream(nil))
		assert.Equal(t, 20*us, th.Proc().Now())
		b.must(th.DestroyNotify(n))
		assert.Equal(t, 63, dev.FreeNotifies(), "the importer keeps it")
		m, err := th.CreateNotify(0)
		b.must(err)
		assert.Equal(t, 1, m.ID())
		open, err = th.NotifyGetExportKey(m, KeyLen, NotifyNoPidCheck)
		b.must(err)
	})
	other.Go("main", func(th *Thread) {
		b.must(th.SetDevice(0))
		th.Proc().Sleep(5 * us)
		_, err := th.NotifyImportByKey("no such key", 0)
		b.code(ParamInvalid, err)
		_, err = th.NotifyImportByKey(key, 0)
		b.code(NoPermission, err)
		th.Proc().Sleep(15 * us)
		n, err := th.NotifyImportByKey(key, 0)
		b.must(err, th.RecordNotify(n, nil))
		th.Proc().Sleep(5 * us)
		_, err = th.NotifyImportByKey(open, 0)
		b.must(err)
		b.must(th.DestroyNotify(n))
		assert.Equal(t, 63, dev.FreeNotifies(), "id 0 is free, id 1 is in use")
		_, err = th.NotifyImportByKey(key, 0)
		b.code(ParamInvalid, err)
	})
	assert.Equal(t, sim.Done, b.eng.Run(0).Reason)
}

func TestNotifiesRunOut(t *testing.T) {
	b := newBench(t, profile(t, "a3"), 1)
	b.run(func(th *Thread) {
		var all []*Notify
		for range 8192 {
			n, err := th.CreateNotify(0)
			if !assert.NoError(t, err) {
				return
			}
			all = append(all, n)
		}
		_, err := th.CreateNotify(0)
		b.code(NoNotifyResource, err)
		b.must(th.DestroyNotify(all[4711]))
		b.code(InvalidHandle, th.DestroyNotify(all[4711]))
		n, err := th.CreateNotify(1)
		b.must(err)
		id, err := th.GetNotifyId(n)
		b.must(err)
		assert.Equal(t, 4711, id, "the lowest free one")
		_, err = th.CreateNotify(2)
		b.code(ParamInvalid, err)
	})
}

func TestNotifyOfAnotherDevice(t *testing.T) {
	b := newBench(t, testChip(), 2)
	b.run(func(th *Thread) {
		n, err := th.CreateNotify(0)
		b.must(err, th.SetDevice(1))
		b.code(NoPermission, th.RecordNotify(n, nil))
		b.code(ParamInvalid, th.WaitAndResetNotify(n, nil, 0))
	})
}

// Callbacks run on the subscribed thread, in stream order; a blocking one holds
// its stream until it has returned.
func TestCallbacks(t *testing.T) {
	b := newBench(t, testChip(), 1)
	p := b.process()
	var order []string
	var s *Stream
	p.Go("main", func(th *Thread) {
		b.must(th.SetDevice(0))
		var err error
		s, err = th.CreateStream()
		b.must(err)
		b.code(StreamNoCBReg, th.LaunchCallback(Callback{Func: func(uint64) {}}, CallbackBlock, s))
		b.must(th.SubscribeReport(1, s))
		b.code(StreamSubscribe, th.SubscribeReport(0, s))
		b.must(th.work(s, 10*us), th.LaunchCallback(Callback{Func: func(uint64) {
			order = append(order, "first")
			p.Threads()[1].Proc().Sleep(50 * us)
		}}, CallbackBlock, s), th.work(s, us), th.LaunchCallback(Callback{Func: func(uint64) { order = append(order, "second") }}, CallbackNoBlock, s), th.work(s, us))
		b.must(th.SynchronizeStream(s))
		assert.Equal(t, 62*us, th.Proc().Now())
		th.Proc().Sleep(us)
		b.must(th.UnSubscribeReport(1, s))
		b.code(StreamSubscribe, th.UnSubscribeReport(1, s))
	})
	p.Go("reporter", func(th *Thread) {
		th.Proc().Sleep(us)
		b.code(ParamInvalid, th.ProcessReport(0))
		b.must(th.ProcessReport(-1), th.ProcessReport(-1))
		b.code(ReportTimeout, th.ProcessReport(1))
	})
	b.eng.Run(0)
	assert.Equal(t, []string{"first", "second"}, order)
}

func TestExceptionCallback(t *testing.T) {
	b := newBench(t, testChip(), 1)
	var got []ExceptionInfo
	b.run(func(th *Thread) {
		b.must(th.SetExceptionInfoCallback(func(_ *Thread, x ExceptionInfo) { got = append(got, x) }))
		n, err := th.CreateNotify(0)
		b.must(err, th.WaitAndResetNotify(n, nil, 1))
		b.code(TaskTimeout, th.SynchronizeStream(nil))
	})
	assert.Equal(t, []ExceptionInfo{{Task: 1, Code: TaskTimeout}}, got)
}

// A register stays taken while a task that names it is left, also one of another
// process and one of a model: who creates a notify next gets another one.
func TestDestroyedNotifyIsNotReused(t *testing.T) {
	b := newBench(t, testChip(), 1)
	dev := b.sys.Devices()[0]
	owner, other := b.process(), b.process()
	var key string
	owner.Go("main", func(th *Thread) {
		b.must(th.SetDevice(0))
		s, err := th.CreateStream()
		b.must(err)
		n, err := th.CreateNotify(0) // 0: waits on a stream for ever
		b.must(err, th.WaitAndResetNotify(n, s, 0), th.DestroyNotify(n))
		m, err := th.CreateNotify(0)
		b.must(err)
		assert.Equal(t, 1, m.ID())
		key, err = th.NotifyGetExportKey(m, KeyLen, NotifyNoPidCheck)
		b.must(err)
		th.Proc().Sleep(10 * us)
		b.must(th.DestroyNotify(m)) // the other one's task waits for it
		assert.Equal(t, 62, dev.FreeNotifies())
		b.must(th.DestroyStreamForce(s))
		k, err := th.CreateNotify(0)
		b.must(err)
		assert.Equal(t, 0, k.ID(), "the first one's wait was dropped")
		c, err := th.CreateStream()
		b.must(err, th.RICaptureBegin(c, CaptureRelaxed), th.RecordNotify(k, c))
		model, err := th.RICaptureEnd(c)
		b.must(err, th.DestroyNotify(k))
		assert.Equal(t, 62, dev.FreeNotifies(), "a model has it")
		b.must(th.RIDestroy(model))
		last, err := th.CreateNotify(0)
		b.must(err)
		assert.Equal(t, 0, last.ID())
	})
	other.Go("main", func(th *Thread) {
		b.must(th.SetDevice(0))
		th.Proc().Sleep(5 * us)
		n, err := th.NotifyImportByKey(key, 0)
		b.must(err, th.WaitAndResetNotify(n, nil, 0))
		th.Proc().Sleep(10 * us)
		_, err = th.NotifyImportByKey(key, 0)
		b.code(ParamInvalid, err) // its owner has destroyed it
		b.must(th.DestroyNotify(n))
		assert.Equal(t, 62, dev.FreeNotifies())
		th.Process().End()
		assert.Equal(t, 63, dev.FreeNotifies())
	})
	assert.Equal(t, sim.Done, b.eng.Run(0).Reason)
}

// A time-out longer than the simulation can tell is none, and not a short one.
func TestLongTimeout(t *testing.T) {
	b := newBench(t, testChip(), 1)
	b.run(func(th *Thread) {
		s, err := th.CreateStream()
		b.must(err)
		n, err := th.CreateNotify(0)
		b.must(err)
		for _, seconds := range []uint32{18446745, 1<<32 - 1} { // 2^64 ps and a second: 0.9 s with the carry lost
			b.must(th.WaitAndResetNotify(n, s, seconds))
			th.Proc().Sleep(2 * sim.Second)
			b.must(th.RecordNotify(n, nil), th.SynchronizeStream(s))
		}
	})
}
