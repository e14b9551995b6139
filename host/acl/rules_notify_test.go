package acl

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"hsim/host/sim"
)

// R040: an A3 has 8192 notifies, numbered 0 to 8191; the lowest free one is next.
func TestR040MaxNotifies(t *testing.T) {
	b := newBench(t, profile(t, "a3"), 1)
	b.run(func(th *Thread) {
		assert.Equal(t, 8192, Rows[DeviceRow](b.rt)[0].MaxNotifyCnt)
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
		n, err := th.CreateNotify(NotifyDeviceUseOnly)
		b.must(err)
		id, err := th.GetNotifyId(n)
		b.must(err)
		assert.Equal(t, 4711, id)
	})
	rows := Rows[NotifyRow](b.rt)
	require.Len(t, rows, 8193)
	for i, r := range rows[:8192] {
		assert.Equal(t, i, r.DeviceNotifySeq)
	}
	assert.True(t, rows[4711].Gone)
}

// R041: a notify is made in a context, whose device it is of.
func TestR041NotifyOfItsContext(t *testing.T) {
	b := newBench(t, testChip(), 2)
	p := b.process()
	p.Go("main", func(th *Thread) {
		_, err := th.CreateNotify(0)
		b.code(ContextNull, err)
		b.must(th.SetDevice(1))
		_, err = th.CreateNotify(0)
		b.must(err)
		row := Rows[NotifyRow](b.rt)[0]
		assert.Equal(t, th.Current().ID(), row.CreatedCtxID)
		assert.Equal(t, 1, row.DeviceID)
	})
	b.eng.Run(0)
}

// R043: the pids that may use an exported notify are its visitors.
func TestR043Visitors(t *testing.T) {
	b := newBench(t, testChip(), 1)
	owner, guest, stranger := b.process(), b.process(), b.process()
	var key string
	owner.Go("main", func(th *Thread) {
		b.must(th.SetDevice(0))
		n, err := th.CreateNotify(0)
		b.must(err)
		key, err = th.NotifyGetExportKey(n, KeyLen, 0)
		b.must(err, th.NotifySetImportPid(n, guest.Pid(), guest.Pid(), 5))
		b.code(ParamInvalid, th.NotifySetImportPid(n))
	})
	for p, want := range map[*Process]Code{guest: Success, stranger: NoPermission} {
		p.Go("main", func(th *Thread) {
			b.must(th.SetDevice(0))
			th.Proc().Sleep(us)
			n, err := th.NotifyImportByKey(key, 0)
			b.code(want, err)
			if err == nil {
				_, err = th.NotifyGetExportKey(n, KeyLen, 0)
				b.code(ParamInvalid, err) // imported
				b.code(ParamInvalid, th.NotifySetImportPid(n, 7))
			}
		})
	}
	b.eng.Run(0)
	assert.Equal(t, []IpcVisitorRow{{1, guest.Pid()}, {1, 5}}, Rows[IpcVisitorRow](b.rt))
	ipc := Rows[IpcNotifyRow](b.rt)
	require.Len(t, ipc, 1)
	assert.Equal(t, key, ipc[0].NameOrKey)
	assert.Equal(t, owner.Pid(), ipc[0].CreatePid)
}

// R045: a notify joins streams of one process, and of two.
func TestR045StreamToStreamAndProcessToProcess(t *testing.T) {
	b := newBench(t, testChip(), 1)
	waiter, recorder := b.process(), b.process()
	var key string
	waiter.Go("main", func(th *Thread) {
		b.must(th.SetDevice(0))
		s1, err1 := th.CreateStream()
		s2, err2 := th.CreateStream()
		n, err3 := th.CreateNotify(0)
		b.must(err1, err2, err3, th.WaitAndResetNotify(n, s2, 0), th.work(s1, 3*us), th.RecordNotify(n, s1), th.SynchronizeStream(s2))
		assert.Equal(t, 3*us, th.Proc().Now())
		var err error
		key, err = th.NotifyGetExportKey(n, KeyLen, NotifyNoPidCheck)
		b.must(err, th.WaitAndResetNotify(n, s2, 0), th.SynchronizeStream(s2))
		assert.Equal(t, 10*us, th.Proc().Now())
	})
	recorder.Go("main", func(th *Thread) {
		b.must(th.SetDevice(0))
		th.Proc().Sleep(10 * us)
		n, err := th.NotifyImportByKey(key, 0)
		b.must(err, th.RecordNotify(n, nil), th.SynchronizeStream(nil))
	})
	assert.Equal(t, sim.Done, b.eng.Run(0).Reason)
}

// R046: a record sets ready, a wait waits for it, and what is behind the wait runs
// only then; both are tasks with a row of their kind.
func TestR046RecordAndWaitTasks(t *testing.T) {
	b := newBench(t, testChip(), 1)
	b.run(func(th *Thread) {
		s1, err1 := th.CreateStream()
		s2, err2 := th.CreateStream()
		n, err3 := th.CreateNotify(0)
		b.must(err1, err2, err3, th.WaitAndResetNotify(n, s2, 0), th.work(s2, us), th.work(s1, 6*us), th.RecordNotify(n, s1), th.SynchronizeDevice())
		rec, wait := Rows[NotifyRecordRow](b.rt), Rows[NotifyWaitRow](b.rt)
		require.Len(t, rec, 1)
		require.Len(t, wait, 1)
		assert.Equal(t, n.UID(), rec[0].NotifyID)
		assert.Equal(t, n.UID(), wait[0].NotifyID)
		assert.Equal(t, taskOf(t, b, rec[0].TaskID).End, taskOf(t, b, wait[0].TaskID).End)
		assert.Equal(t, 6*us, b.rt.TasksOf(s2)[1].Start)
	})
}

// The key's other name and the alias of the wait do the same.
func TestNotifyAliases(t *testing.T) {
	byName := map[string]string{}
	for _, i := range Interfaces() {
		byName[i.Name] = i.Method
	}
	assert.Equal(t, byName["rtWaitAndResetNotify"], byName["lrtWaitAndResetNotify"])
}
