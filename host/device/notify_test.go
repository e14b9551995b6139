package device

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"hsim/host/sim"
)

// R044: the value is a binary register; a wait takes it and clears it, a second
// wait blocks again, and two records before a wait count once.
func TestR044BinaryRegister(t *testing.T) {
	w := newWorld(t, freeChip(), 1)
	d := w.dev[0]
	id, n, err := d.AllocNotify()
	require.NoError(t, err)
	s, r := w.stream(0), w.stream(0)
	record, wait := Task{Kind: KindNotifyRecord, Notify: n}, Task{Kind: KindNotifyWait, Notify: n}
	assert.Zero(t, d.NotifyValue(id))
	w.push(r, record, record)
	assert.EqualValues(t, 1, d.NotifyValue(id))
	w.push(s, wait)
	assert.Zero(t, d.NotifyValue(id))
	assert.EqualValues(t, 1, s.Finished())
	w.push(s, wait)
	assert.True(t, s.Busy(), "two records count once")
	w.push(r, record)
	assert.False(t, s.Busy())
	assert.Zero(t, d.NotifyValue(id))
}

// One record lets exactly one of several waiters go, in wait order.
func TestEachRecordFreesOneWaiter(t *testing.T) {
	w := newWorld(t, freeChip(), 1)
	n := w.notify(0)
	var waiters []*Stream
	for range 3 {
		s := w.stream(0)
		w.push(s, Task{Kind: KindNotifyWait, Notify: n})
		waiters = append(waiters, s)
	}
	r := w.stream(0)
	for i := range waiters {
		w.push(r, Task{Kind: KindNotifyRecord, Notify: n})
		for j, s := range waiters {
			assert.Equal(t, j > i, s.Busy(), "waiter %d after record %d", j, i+1)
		}
	}
}

// R046, R047: what is behind a wait starts only after the record, which comes
// after the tasks before it.
func TestR046R047RecordThenWait(t *testing.T) {
	w := newWorld(t, slowChip(), 1)
	l := &log{}
	w.sys.SetObserver(l)
	a, b := w.stream(0), w.stream(0)
	n := w.notify(0)
	work := Task{Kind: KindDelay, Value: uint64(10 * us)}
	w.push(b, Task{Kind: KindNotifyWait, Notify: n}, work)
	w.push(a, work, Task{Kind: KindNotifyRecord, Notify: n}, work)
	w.eng.Run(0)
	ra, rb := l.of(a), l.of(b)
	require.Len(t, ra, 3)
	require.Len(t, rb, 2)
	assert.Equal(t, 12*us, ra[1].end, "dispatch, task 1, dispatch")
	assert.Equal(t, 14*us, rb[0].end, "and the cost of one synchronising task")
	assert.GreaterOrEqual(t, rb[1].start, ra[0].end, "task 3 starts after task 1 has ended")
	assert.Less(t, rb[1].start, ra[2].end, "task 2 and task 3 overlap")
}

func TestSyncCostByClass(t *testing.T) {
	w := newWorld(t, slowChip(), 1)
	for class, want := range map[Class]sim.Time{ClassHost: 2 * us, ClassAICPU: 3 * us} {
		s, err := w.dev[0].NewStream(StreamOptions{Class: class})
		require.NoError(t, err)
		n := w.notify(0)
		require.NoError(t, w.mem.WriteRegister(n, 1))
		w.push(s, Task{Kind: KindNotifyWait, Notify: n, Flags: FlagNoDispatch})
		w.eng.Go("check", func(p *sim.Proc) {
			s.Drain(p)
			assert.Equal(t, want, p.Now())
		})
	}
	w.eng.Run(0)
}

func TestNotifyLimitAndLowestFreeId(t *testing.T) {
	chip := freeChip()
	chip.MaxNotifies = 8192
	w := newWorld(t, chip, 1)
	d := w.dev[0]
	for i := range 8192 {
		id, _, err := d.AllocNotify()
		require.NoError(t, err)
		require.Equal(t, i, id)
	}
	_, _, err := d.AllocNotify()
	require.ErrorIs(t, err, ErrNoNotify, "the 8193rd")
	require.NoError(t, w.mem.WriteRegister(d.NotifyAddr(77), 1))
	require.NoError(t, d.FreeNotify(4000))
	require.NoError(t, d.FreeNotify(77))
	require.Error(t, d.FreeNotify(77))
	id, a, err := d.AllocNotify()
	require.NoError(t, err)
	assert.Equal(t, 77, id)
	assert.Equal(t, d.NotifyAddr(77), a)
	assert.Zero(t, d.NotifyValue(77), "a new user finds it clear")
	back, ok := d.NotifyID(a)
	assert.True(t, ok)
	assert.Equal(t, 77, back)
	_, ok = d.NotifyID(a + 3)
	assert.False(t, ok)
	_, ok = d.NotifyID(d.NotifyAddr(8192))
	assert.False(t, ok)
}

func TestNotifyTimeout(t *testing.T) {
	w := newWorld(t, freeChip(), 1)
	s := w.stream(0)
	n := w.notify(0)
	wait := func(d sim.Time) Task { return Task{Kind: KindNotifyWait, Notify: n, Timeout: d} }
	// A long wait that ends early leaves its timer behind; a shorter one after it still ends in time.
	w.push(s, wait(1000*us), wait(20*us), wait(500*us))
	w.push(w.stream(0), Task{Kind: KindDelay, Value: uint64(10 * us)}, Task{Kind: KindNotifyRecord, Notify: n})
	l := &log{}
	w.sys.SetObserver(l)
	r := w.eng.Run(0)
	rows := l.of(s)
	require.Len(t, rows, 3)
	assert.Nil(t, rows[0].fault)
	assert.Equal(t, 10*us, rows[0].end)
	assert.Equal(t, 30*us, rows[1].end)
	require.NotNil(t, rows[1].fault)
	assert.Equal(t, CauseNotify, rows[1].fault.Cause)
	assert.Equal(t, 530*us, rows[2].end, "and re-arms a timer that came too early")
	assert.Same(t, rows[1].fault, s.Err(), "the first fault is kept")
	require.NotNil(t, r.Stall, "a wait that only its time-out can end is a stall")
	require.NoError(t, w.mem.WriteRegister(n, 1))
	assert.EqualValues(t, 1, w.dev[0].NotifyValue(0), "who timed out waits no more")
}

type uses struct{}

func (uses) DescribeNotify(*Device, int) (string, string) {
	return "data of rank 1", "rank 1 / device 1 / stream 0"
}

func TestStallSaysWhoWaitsForWhat(t *testing.T) {
	w := newWorld(t, freeChip(), 2)
	w.dev[0].SetLabel("rank 0")
	w.dev[1].SetLabel("rank 1")
	w.sys.SetDescriber(uses{})
	a, b := w.stream(0), w.stream(1)
	n := w.notify(0)
	o := &op{}
	w.push(a, Task{Kind: KindDelay, Value: uint64(3 * us)}, Task{Kind: KindNotifyWait, Notify: n})
	w.push(b, Task{Kind: KindOp, Op: o})
	r := w.eng.Run(0)
	require.Equal(t, sim.Stalled, r.Reason)
	assert.Equal(t, []sim.Waiting{
		{Who: "rank 0 / device 0 / stream 0", What: "notify 0 of rank 0 / device 0 (data of rank 1) in task 2", Since: 3 * us, Actor: "rank 1 / device 1 / stream 0"},
		{Who: "rank 1 / device 1 / stream 0", What: "a test in task 1", Actor: "nobody"},
	}, r.Stall.Waiting)
}

// Without a describer the report names who recorded the notify before.
func TestStallNamesTheLastRecorder(t *testing.T) {
	w := newWorld(t, freeChip(), 2)
	a, b := w.stream(0), w.stream(1)
	n := w.notify(0)
	w.push(b, Task{Kind: KindNotifyRecord, Notify: n, Flags: FlagDirect})
	w.push(a, Task{Kind: KindNotifyWait, Notify: n}, Task{Kind: KindNotifyWait, Notify: n})
	r := w.eng.Run(0)
	require.NotNil(t, r.Stall)
	require.Len(t, r.Stall.Waiting, 1)
	assert.Equal(t, "device 1 / stream 0", r.Stall.Waiting[0].Actor)
}

func TestMemoryIsLazy(t *testing.T) {
	chip := freeChip()
	chip.MaxStreams, chip.MaxNotifies = 65536, 1<<20
	w := newWorld(t, chip, 4)
	w.notify(2)
	assert.Zero(t, w.dev[2].NotifyValue(1<<19))
	assert.Len(t, w.dev[2].notifies.regs, 8)
	assert.Empty(t, w.dev[1].notifies.regs)
	w.dev[1].WriteRegister(1<<20-1, 1)
	assert.EqualValues(t, 1, w.dev[1].NotifyValue(1<<20-1))
}
