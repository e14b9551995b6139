package acl

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"hsim/host/sim"
)

// A captured kernel keeps its image loaded until the model goes, runs with the
// arguments of its capture, and of an update since.
func TestModelOfKernels(t *testing.T) {
	b := kernelBench(t, 1)
	b.run(func(th *Thread) {
		s, fork, _ := b.captured(th)
		d, err := th.Malloc(64, 0)
		b.must(err)
		bin, err := th.BinaryLoadFromFile(rulesModule)
		b.must(err)
		f, err := th.BinaryGetFunction(bin, "poke")
		b.must(err)
		value := func(at int64) uint64 {
			got := make([]byte, 8)
			b.must(b.mem.Read(d.Add(at), got))
			return uint64(got[0])
		}
		b.must(th.RICaptureBegin(s, CaptureRelaxed), th.RICaptureTaskGrpBegin(s))
		b.must(th.LaunchKernelWithConfig(f, 1, s, nil, b.args(th, f, uint64(d), 8, 5)))
		g, err := th.RICaptureTaskGrpEnd(s)
		b.must(err)
		m, err := th.RICaptureEnd(s)
		b.must(err)
		assert.Zero(t, value(0))
		for range 3 {
			b.must(th.Memset(d, 8, 0, 8), th.RIExecuteAsync(m, s), th.SynchronizeStream(s))
			assert.EqualValues(t, 5, value(0))
		}
		b.code(KernelUnregistering, th.BinaryUnLoad(bin))
		b.must(th.RICaptureTaskUpdateBegin(fork, g), th.LaunchKernelWithConfig(f, 1, fork, nil, b.args(th, f, uint64(d)+8, 8, 6)), th.RICaptureTaskUpdateEnd(fork))
		b.must(th.Memset(d, 16, 0, 16), th.RIExecuteAsync(m, s), th.SynchronizeStream(s))
		assert.EqualValues(t, []uint64{0, 6}, []uint64{value(0), value(8)})
		b.code(StreamTaskGroupStatus, func() error {
			b.must(th.RICaptureTaskUpdateBegin(fork, g))
			return th.MemsetAsync(d, 8, 1, 8, fork) // not a kernel
		}())
		b.must(th.RIDestroy(m), th.BinaryUnLoad(bin))
	})
}

// Waits of a model for an event outside, resets inside, an abort in the middle, and
// what a stall says of a model.
func TestModelWaits(t *testing.T) {
	b := newBench(t, testChip(), 1)
	b.run(func(th *Thread) {
		s, fork, _ := b.captured(th)
		out, err1 := th.CreateEventWithFlag(EventSync | EventExternal)
		in, err2 := th.CreateEventWithFlag(EventSync)
		b.must(err1, err2, th.RICaptureBegin(s, CaptureRelaxed), th.StreamWaitEvent(s, out), th.work(s, us), th.RecordEvent(in, s), th.ResetEvent(in, s))
		m, err := th.RICaptureEnd(s)
		b.must(err, th.work(fork, 10*us), th.RecordEvent(out, fork), th.RIExecuteAsync(m, s), th.SynchronizeStream(s))
		assert.Equal(t, 11*us, th.Proc().Now())
		assert.Equal(t, 4, m.Tasks())

		b.must(th.work(fork, ms), th.RecordEvent(out, fork), th.RIExecuteAsync(m, s), th.RIExecuteAsync(m, s), th.AbortStream(s))
		b.code(StreamAbort, th.SynchronizeStream(s))
		assert.Equal(t, 11*us, th.Proc().Now(), "nobody waits for the model any more")
		done, err := th.QueryEventWaitStatus(out)
		b.must(err)
		assert.True(t, done)
		b.must(th.SynchronizeDevice(), th.RIExecuteAsync(m, s), th.SynchronizeStream(s))
	})

	x := newBench(t, testChip(), 1)
	r := x.run(func(th *Thread) {
		s, _, _ := x.captured(th)
		n, err := th.CreateNotify(0)
		x.must(err, th.RICaptureBegin(s, CaptureRelaxed), th.WaitAndResetNotify(n, s, 0))
		m, err := th.RICaptureEnd(s)
		x.must(err, th.RIExecuteAsync(m, s), th.SynchronizeStream(s))
	})
	require.Equal(t, sim.Stalled, r.Reason)
	assert.Contains(t, r.Stall.String(), "the end of model 1")
	assert.Contains(t, r.Stall.String(), "notify 0 of device 0")
}

// A handle on an AI CPU function by another name; what is no such function, or is
// there already, is refused.
func TestRegisterCPUFunctions(t *testing.T) {
	b := kernelBench(t, 1)
	b.run(func(th *Thread) {
		bin, err := th.BinaryLoadFromFile(rulesModule)
		b.must(err)
		f, err := th.RegisterCpuFunc(bin, "twice", "other name")
		b.must(err)
		again, err := th.BinaryGetFunction(bin, "other name")
		b.must(err)
		assert.Same(t, f, again)
		for want, x := range map[Code][2]string{KernelDuplicate: {"send", "other name"}, KernelLookup: {"nothing", "x"}, ParamInvalid: {"poke", "x"}} {
			_, err = th.RegisterCpuFunc(bin, x[0], x[1])
			b.code(want, err)
		}
		_, err = th.RegisterCpuFunc(bin, "twice", "")
		b.code(ParamInvalid, err)
		b.must(th.LaunchKernelWithConfig(f, 1, nil, nil, nil), th.SynchronizeStream(nil))
		row := one(t, b, func(x FuncHandleRow) bool { return x.KernelName == "other name" })
		assert.Equal(t, "twice", row.FuncName)
	})
}

// Launches that never start give back what they hold.
func TestDroppedLaunches(t *testing.T) {
	b := kernelBench(t, 1)
	b.run(func(th *Thread) {
		s, err := th.CreateStream()
		b.must(err)
		bin, err := th.BinaryLoadFromFile(rulesModule)
		b.must(err)
		f, err := th.BinaryGetFunction(bin, "spend")
		b.must(err)
		free, _, _ := th.GetMemInfo()
		packed := make([]byte, 32)
		b.must(th.work(s, sim.Second))
		for range 3 {
			b.must(th.LaunchKernelWithHostArgs(f, 1, s, nil, packed, []PlaceHolder{{0, 24}}))
		}
		b.code(KernelUnregistering, th.BinaryUnLoad(bin))
		b.must(th.AbortStream(s))
		now, _, _ := th.GetMemInfo()
		assert.Equal(t, free, now)
		b.must(th.BinaryUnLoad(bin))
		var dropped int
		for _, x := range Rows[TaskTableRow](b.rt) {
			if x.State == TaskDropped {
				dropped++
			}
		}
		assert.Equal(t, 4, dropped)
	})
}
