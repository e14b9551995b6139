package device

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"hsim/host/ccu"
	"hsim/host/kernel"
	"hsim/host/mem"
	"hsim/host/sim"
	"hsim/host/soc"
)

func dieChip(t *testing.T) *soc.Chip {
	p, err := soc.Load("950dt")
	require.NoError(t, err)
	c := *p.Chip()
	c.SyncCCU, c.TSDispatch = 0, 0
	return &c
}

// What the runtime takes comes out of the unit's pools, granule by granule, and
// goes back when a granule is empty.
func TestDiePoolsAreTheUnits(t *testing.T) {
	w := newWorld(t, dieChip(t), 1)
	d := w.dev[0]
	e, err := d.Die(1)
	require.NoError(t, err)
	u := e.Unit()
	vars, events, bufs := u.Free(ccu.Variables), u.Free(ccu.Events), u.Free(ccu.Buffers)
	var ids []int
	for range 17 {
		i, err := e.AllocVariable()
		require.NoError(t, err)
		ids = append(ids, i)
	}
	assert.Equal(t, ids[0]+16, ids[16])
	assert.Equal(t, vars-32, u.Free(ccu.Variables), "two granules of 16")
	_, v, _ := e.Free()
	assert.Equal(t, vars-17, v)
	e.FreeVariable(ids[3])
	again, err := e.AllocVariable()
	require.NoError(t, err)
	assert.Equal(t, ids[3], again, "the lowest free one")
	e.FreeVariable(ids[16])
	assert.Equal(t, vars-16, u.Free(ccu.Variables))

	a, err := e.AllocSlices(100)
	require.NoError(t, err)
	b, err := e.AllocSlices(28)
	require.NoError(t, err)
	assert.Equal(t, a+100, b)
	c, err := e.AllocSlices(1)
	require.NoError(t, err)
	assert.Equal(t, a+128, c, "the next granule")
	_, err = e.AllocSlices(2000)
	assert.ErrorIs(t, err, ErrNoDieRes)
	var limit *ccu.LimitError
	assert.ErrorAs(t, err, &limit)
	e.FreeSlices(a, 100)
	e.FreeSlices(b, 28)
	e.FreeSlices(c, 1)
	assert.Equal(t, bufs, u.Free(ccu.Buffers))

	s, err := e.AllocSignal()
	require.NoError(t, err)
	assert.Equal(t, events-16, u.Free(ccu.Events))
	e.FreeSignal(s)
	assert.Equal(t, events, u.Free(ccu.Events))

	other, err := d.Die(0)
	require.NoError(t, err)
	assert.NotEqual(t, other.Base(), e.Base())
	_, err = d.Die(2)
	assert.ErrorIs(t, err, ErrDie)
	_, err = newWorld(t, freeChip(), 1).dev[0].Die(0)
	assert.ErrorIs(t, err, ErrNoCCU)
}

// A signal lets one waiting stream go for each record, in wait order, whoever sets
// it: a stream, a register write of a peer.
func TestSignals(t *testing.T) {
	w := newWorld(t, dieChip(t), 1)
	e, err := w.dev[0].Die(0)
	require.NoError(t, err)
	n, err := e.AllocSignal()
	require.NoError(t, err)
	record, wait := &SignalOp{Die: e}, &SignalOp{Die: e, Wait: true}
	s, a, b := w.stream(0), w.stream(0), w.stream(0)
	w.push(a, Task{Kind: KindOp, Op: wait, Value: uint64(n)})
	w.push(b, Task{Kind: KindOp, Op: wait, Value: uint64(n)})
	w.push(s, Task{Kind: KindOp, Op: record, Value: uint64(n)})
	assert.False(t, a.Busy())
	assert.True(t, b.Busy())
	at, bit := e.SignalAddr(n)
	require.NoError(t, w.mem.WriteRegister(at, uint64(bit)))
	w.eng.Run(0)
	assert.False(t, b.Busy())
	assert.False(t, e.Signal(n))
	w.push(s, Task{Kind: KindOp, Op: record, Value: uint64(n)}, Task{Kind: KindOp, Op: record, Value: uint64(n)}, Task{Kind: KindOp, Op: wait, Value: uint64(n)})
	assert.False(t, s.Busy())
	assert.False(t, e.Signal(n), "two records count once")

	x := newWorld(t, dieChip(t), 1)
	e, err = x.dev[0].Die(0)
	require.NoError(t, err)
	late := x.stream(0)
	x.push(late, Task{Kind: KindOp, Op: &SignalOp{Die: e, Wait: true}, Value: 16, Timeout: sim.Second})
	r := x.eng.Run(0)
	require.NotNil(t, r.Stall)
	assert.Contains(t, r.Stall.String(), "signal 16 of device 0 / die 0")
	require.NotNil(t, late.Err())
	assert.Equal(t, CauseNotify, late.Err().Cause)
}

// What AI CPU functions enqueue becomes the tasks of their thread; what makes no
// sense is refused.
func TestEnqueueRefuses(t *testing.T) {
	w := newWorld(t, freeChip(), 2)
	d := w.dev[0]
	th := d.AddThread(Thread{Stream: w.stream(0), Notifies: []mem.Addr{d.NotifyAddr(0)}})
	ch := d.AddChannel(Channel{Conn: 3})
	foreign := w.dev[1].AddThread(Thread{Stream: w.stream(1)})
	assert.NotEqual(t, th, foreign)
	w.eng.Go("cpu", func(p *sim.Proc) {
		for name, x := range map[string]kernel.Work{
			"thread":         {Kind: kernel.WorkCopy, Thread: foreign},
			"channel":        {Kind: kernel.WorkWrite, Thread: th, Channel: th},
			"length":         {Kind: kernel.WorkCopy, Thread: th, Len: -1},
			"notify":         {Kind: kernel.WorkWait, Thread: th, Notify: 1},
			"target":         {Kind: kernel.WorkRecord, Thread: th, Target: foreign},
			"target notify":  {Kind: kernel.WorkRecord, Thread: th, Target: th, Notify: 9},
			"channel notify": {Kind: kernel.WorkChannelRecord, Thread: th, Channel: ch, Notify: 0},
			"kind":           {Kind: 99, Thread: th, Channel: ch},
		} {
			assert.Error(t, d.cpuThreads().Enqueue(p, &x), name)
		}
		assert.NoError(t, d.cpuThreads().Enqueue(p, &kernel.Work{Kind: kernel.WorkRecord, Thread: th, Target: th}))
		assert.NoError(t, d.cpuThreads().Enqueue(p, &kernel.Work{Kind: kernel.WorkWait, Thread: th}))
	})
	w.eng.Run(0)
	assert.EqualValues(t, 2, d.ThreadOf(th).Stream.Finished())
	assert.True(t, d.Remove(th))
	assert.False(t, d.Remove(th))
	assert.True(t, d.Remove(ch))
	assert.Nil(t, d.ThreadOf(th))
}
