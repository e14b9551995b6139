package kernel

import (
	"errors"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"hsim/host/mem"
	"hsim/host/sim"
)

// A bad kernel fails its own launch, by name, and nothing else.
func TestBadKernels(t *testing.T) {
	for _, c := range []struct {
		fn     string
		args   func(a mem.Addr) []byte
		blocks int
		cause  Cause
		says   string
	}{
		{"in", func(a mem.Addr) []byte { return probeArgs(a+1, 4096, 1, 0) }, 1, Memory, `"victim" (device 0), offset 1, 4096 bytes, size 4096`},
		{"out", func(a mem.Addr) []byte { return probeArgs(a+4090, 8, 1, 0) }, 1, Memory, "offset 4090, 8 bytes, size 4096"},
		{"in", func(mem.Addr) []byte { return probeArgs(0x1234, 8, 1, 0) }, 1, Memory, "address is not mapped"},
		{"in", func(a mem.Addr) []byte { return probeArgs(a, 4096, 1, 0) }, 0, 0, ""},
		{"far_local", func(a mem.Addr) []byte { return probeArgs(a, 0, 0, 0) }, 1, Memory, "local memory"},
		{"far_write", func(mem.Addr) []byte { return probeArgs(0, 0, 0, 0x7ffffff0) }, 1, Memory, "access outside its memory"},
		{"far_write", func(mem.Addr) []byte { return probeArgs(0, 0, 0, 0x30000) }, 1, Memory, "access outside its memory"},
		{"spin", func(mem.Addr) []byte { return probeArgs(0, 0, 0, 0) }, 1, Fuel, "stopped after 20000000 steps"},
		{"spin_slow", func(mem.Addr) []byte { return probeArgs(0, 0, 0, 0) }, 1, Timeout, "got no end within"},
		{"grow", func(mem.Addr) []byte { return probeArgs(0, 0, 0, 0) }, 1, Trap, "unreachable"},
		{"trap", func(mem.Addr) []byte { return probeArgs(0, 0, 0, 0) }, 3, Trap, "block 0 of 3"},
		{"divide", func(mem.Addr) []byte { return probeArgs(0, 0, 0, 0) }, 1, Trap, "division by zero"},
		{"deep", func(mem.Addr) []byte { return probeArgs(0, 0, 0, 0) }, 1, Memory, "access outside its memory"},
		{"fail", func(mem.Addr) []byte { return probeArgs(0, 0, 0, 0) }, 1, Failed, "the kernel says: no more paper"},
		{"seven", func(mem.Addr) []byte { return probeArgs(0, 0, 0, 0) }, 1, Failed, "the kernel returned 7"},
		{"bad_pipe", func(mem.Addr) []byte { return probeArgs(0, 0, 0, 0) }, 1, Invalid, "got pipe 8, want 0 to 7"},
		{"bad_type", func(a mem.Addr) []byte { return probeArgs(a, 0, 0, 0) }, 1, Invalid, "sum of int128"},
		{"meet", func(a mem.Addr) []byte { return probeArgs(a, 100, 0, 0) }, 49, Deadlock, "49 blocks on 48 vector cores"},
		{"truant", func(mem.Addr) []byte { return probeArgs(0, 1000, 0, 0) }, 4, Deadlock, "block 3 of 4"},
		{"truant", func(mem.Addr) []byte { return probeArgs(0, 0, 0, 0) }, 4, Deadlock, "while 3 others wait in a barrier"},
		{"vector", func(mem.Addr) []byte { return probeArgs(0, 1<<41, 0, 4) }, 1, Invalid, "want at most 2^40"},
		{"cube", func(mem.Addr) []byte { return probeArgs(0, 1<<31, 0, 4) }, 1, Invalid, "want a product that ends"},
		{"hello", func(mem.Addr) []byte { return make([]byte, 129) }, 1, Load, "HSIM_BUFFER"},
		{"mine_fails", func(mem.Addr) []byte { return probeArgs(0, 0, 0, 0) }, 8, Failed, "block 2 of 8"},
	} {
		t.Run(c.fn, func(t *testing.T) {
			r := newRig(t, "a3")
			a, err := r.mem.Alloc(mem.AllocSpec{Size: 4096, Name: "victim"})
			require.NoError(t, err)
			good := r.alloc(16 << 10)
			before := r.launch(r.probe("out"), Spec{Args: probeArgs(good, 16<<10, 2, 0)})
			bad := r.launch(r.probe(c.fn), Spec{Args: c.args(a), Blocks: c.blocks, Timeout: 300 * sim.Microsecond})
			after := r.launch(r.probe("fresh"), Spec{Blocks: 60})
			res := r.run()
			require.True(t, bad.done)
			assert.Equal(t, sim.Done, res.Reason)
			assert.NoError(t, before.err)
			assert.NoError(t, after.err, "later work runs, on instances as good as new")
			assert.True(t, before.done && after.done)
			if c.cause == 0 {
				require.NoError(t, bad.err)
				return
			}
			var f *Fault
			require.ErrorAs(t, bad.err, &f)
			assert.Equal(t, c.cause, f.Cause, "%v", bad.err)
			assert.Contains(t, bad.err.Error(), c.says)
			assert.Contains(t, bad.err.Error(), "probe.wasm, function "+c.fn)
			assert.NotContains(t, bad.err.Error(), errStopped.Error())
		})
	}
}

func TestFaultsWrapTheirReason(t *testing.T) {
	r := newRig(t, "a3")
	a := r.alloc(64)
	require.NoError(t, r.mem.Free(a))
	o := r.one(r.probe("in"), Spec{Args: probeArgs(a, 64, 1, 0)})
	require.ErrorIs(t, o.err, mem.ErrFreed)
}

// Memory freed while a move is under way fails the move, not the simulator.
func TestFreeUnderATransfer(t *testing.T) {
	r := newRig(t, "a3")
	a := r.alloc(64 << 10)
	o := r.launch(r.probe("in"), Spec{Args: probeArgs(a, 64<<10, 1, 0)})
	r.sim.Go("saboteur", func(p *sim.Proc) {
		p.Sleep(r.chip.KernelLaunch + 200*sim.Nanosecond)
		require.NoError(t, r.mem.Free(a))
	})
	r.run()
	require.ErrorIs(t, o.err, mem.ErrFreed)
}

func TestCancel(t *testing.T) {
	r := newRig(t, "a3")
	why := errors.New("the stream was aborted")
	var got []error
	note := func(err error) { got = append(got, err) }
	running, err := r.k.Launch(r.probe("spin_slow"), Spec{Blocks: 48}, note)
	require.NoError(t, err)
	queued, err := r.k.Launch(r.probe("spin_slow"), Spec{}, note)
	require.NoError(t, err)
	r.sim.Go("host", func(p *sim.Proc) {
		p.Sleep(10 * sim.Microsecond)
		queued.Cancel(why)
		running.Cancel(why)
		running.Cancel(errors.New("again"))
	})
	res := r.run()
	require.Equal(t, sim.Done, res.Reason)
	require.Len(t, got, 2)
	for _, err := range got {
		require.ErrorIs(t, err, why)
		var f *Fault
		require.ErrorAs(t, err, &f)
		assert.Equal(t, Canceled, f.Cause)
	}
	assert.Less(t, res.End, 11*sim.Microsecond)
}

// A kernel under way when the run ends is stopped with it.
func TestRunEndsUnderAKernel(t *testing.T) {
	r := newRig(t, "a3")
	o := r.launch(r.probe("spin_slow"), Spec{Blocks: 3})
	res := r.sim.Run(20 * sim.Microsecond)
	assert.Equal(t, sim.LimitHit, res.Reason)
	assert.False(t, o.done)
}

func TestLaunchRefusals(t *testing.T) {
	r := newRig(t, "910")
	r.chip.AICPUs = 0
	r.k = New(r.cfg)
	none := func(error) { t.Fatal("done must not be called") }
	for _, c := range []struct {
		fn   string
		spec Spec
		says string
	}{
		{"in", Spec{Blocks: -1}, "got -1 blocks"},
		{"in", Spec{Blocks: MaxBlocks + 1}, "want 1 to 65535"},
		{"in", Spec{Unit: AICPU}, "a unit it has code for"},
		{"count", Spec{Unit: VectorCore}, "got a launch on vector core"},
		{"count", Spec{Blocks: 2}, "1 on an AI CPU"},
		{"count", Spec{}, "the chip has no AI CPU"},
	} {
		_, err := r.k.Launch(r.probe(c.fn), c.spec, none)
		require.ErrorContains(t, err, c.says)
	}
	_, err := r.load("testdata/probe.wasm").Function("nothing")
	require.ErrorContains(t, err, `got function "nothing", want one of accumulate, bad_pipe`)
	r.run()
}

func TestFunctionsAndUnits(t *testing.T) {
	r := newRig(t, "a3")
	both := r.probe("both")
	assert.True(t, both.Runs(VectorCore))
	assert.True(t, both.Runs(CubeCore))
	assert.False(t, both.Runs(AICPU))
	count := r.probe("count")
	assert.True(t, count.Runs(AICPU))
	assert.False(t, count.Runs(CubeCore))
	a := r.alloc(8)
	o := r.one(count, Spec{Args: probeArgs(a, 0, 0, 42)})
	require.NoError(t, o.err)
	assert.Equal(t, r.chip.AICPULaunch+r.moveTime(8, r.chip.Core.DMARate), o.at)
	var w [8]byte
	require.NoError(t, r.mem.Read(a, w[:]))
	assert.Equal(t, uint64(42), le64(w))

	r = newRig(t, "a3")
	o = r.one(r.probe("vector"), Spec{Args: probeArgs(0, 1, 0, 4), Unit: AICPU})
	require.ErrorContains(t, o.err, "got a call on an AI CPU")
}
