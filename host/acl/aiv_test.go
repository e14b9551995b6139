package acl

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// AI CPU functions put work on threads: a copy, a reduce, a write with notify, a
// write with reduce, a fence and notifies on one device; waits and a read on its
// peer. Their tasks have rows of their own.
func TestCPUFunctionsEnqueue(t *testing.T) {
	b := linked(t, profile(t, "a3"), 1, 2)
	b.loadKernels()
	b.run(func(th *Thread) {
		src, err := th.Malloc(4096, 0)
		b.must(err)
		tmp, err := th.Malloc(4096, 0)
		b.must(err, b.mem.Write(src, ints(1, 2, 3, 4)))
		s0, err := th.CreateStream()
		b.must(err)
		other, err := th.CreateStream()
		b.must(err)
		local, err := th.CreateNotify(0)
		b.must(err)
		t0, err := th.ExportThread(s0)
		b.must(err)
		t1, err := th.ExportThread(other, local)
		b.must(err)
		send, wait := b.function(th, "send"), b.function(th, "wait")
		ctx0 := th.Current()

		b.must(th.SetDevice(1))
		into, err := th.Malloc(4096, 0)
		b.must(err)
		back, err := th.Malloc(4096, 0)
		b.must(err, b.mem.Write(into+16, ints(10, 10, 10, 10)))
		s2, err := th.CreateStream()
		b.must(err)
		n0, err := th.CreateNotify(0)
		b.must(err)
		n1, err := th.CreateNotify(0)
		b.must(err)
		t2, err := th.ExportThread(s2)
		b.must(err)
		receive := b.function(th, "receive")
		here, there, err := th.ConnectThreads(0, 1, nil, []*Notify{n0, n1})
		b.must(err)
		b.code(InvalidDeviceID, func() error { _, _, err := th.ConnectThreads(0, 0, nil, nil); return err }())
		b.code(ParamInvalid, func() error { _, err := th.ExportThread(s2, local); return err }())
		b.must(th.LaunchKernelWithConfig(receive, 1, nil, nil, b.args(th, receive, t2, 0, there, uint64(back), 0, uint64(src), 16)))

		b.must(th.SetCurrentContext(ctx0))
		b.must(th.LaunchKernelWithConfig(wait, 1, nil, nil, b.args(th, wait, t1, 0, 0, 0, 0, 0, 0)))
		b.must(th.LaunchKernelWithConfig(send, 1, nil, nil, b.args(th, send, t0, t1, here, uint64(tmp), uint64(src), uint64(into), 16)))
		b.must(th.SynchronizeDevice(), th.SetDevice(1), th.SynchronizeDevice())
		got := make([]byte, 32)
		b.must(b.mem.Read(into, got))
		assert.Equal(t, ints(2, 4, 6, 8, 12, 14, 16, 18), got, "written, and added to 10")
		b.must(b.mem.Read(back, got[:16]))
		assert.Equal(t, ints(1, 2, 3, 4), got[:16], "read from the peer")
		var kinds []string
		for _, x := range b.rt.TasksOf(s0) {
			kinds = append(kinds, x.What)
		}
		assert.Equal(t, []string{"peer copy", "peer reduce", "post", "post", "post", "post", "notify record"}, kinds)
		require.Len(t, b.rt.TasksOf(other), 1)
		assert.GreaterOrEqual(t, b.rt.TasksOf(other)[0].End, b.rt.TasksOf(s0)[6].End)

		b.must(th.SetCurrentContext(ctx0))
		for _, name := range []string{"wrong", "twice"} {
			f := b.function(th, name)
			b.must(th.LaunchKernelWithConfig(f, 1, nil, nil, b.args(th, f, 0, 0, 0, 0, 0, 0, 0)), th.SynchronizeStream(nil))
		}
		open := b.function(th, "left_open")
		b.must(th.LaunchKernelWithConfig(open, 1, nil, nil, nil))
		b.code(AICPUException, th.SynchronizeStream(nil))
		b.must(th.RemoveThread(t0))
		b.code(InvalidHandle, th.RemoveThread(t0))
	})
}

// An all-reduce of vector cores: it waits for a word in the peers' memory, adds its
// input into theirs, and sets a flag there. Peer access is needed.
func TestAIVCollective(t *testing.T) {
	const ranks, n = 4, 256
	b := linked(t, profile(t, "a3"), 1, ranks)
	b.loadKernels()
	b.run(func(th *Thread) {
		var in, out, words [ranks]uint64
		var ctx [ranks]*Context
		for r := range ranks {
			b.must(th.SetDevice(r))
			ctx[r] = th.Current()
			for p := range ranks {
				if p != r {
					b.must(th.DeviceEnablePeerAccess(p, 0))
				}
			}
			i, err1 := th.Malloc(4*n, 0)
			o, err2 := th.Malloc(4*n, 0)
			w, err3 := th.Malloc(8*(ranks+1), 0)
			b.must(err1, err2, err3, b.mem.Write(i, floats(n, float32(r+1))), th.Memset(o, 4*n, 0, 4*n), th.Memset(w, 8*(ranks+1), 0, 8*(ranks+1)))
			in[r], out[r], words[r] = uint64(i), uint64(o), uint64(w)
		}
		for r := range ranks {
			b.must(th.SetCurrentContext(ctx[r]))
			f := b.function(th, "allreduce")
			args := []uint64{uint64(r), ranks, 4 * n, in[r]}
			for p := range ranks {
				args = append(args, out[p], words[p], words[p]+8)
			}
			b.must(th.LaunchKernelWithConfig(f, 1, nil, nil, b.args(th, f, args...)))
		}
		for r := range ranks {
			b.must(th.SetCurrentContext(ctx[r]), th.SynchronizeStream(nil))
			got := make([]byte, 4*n)
			b.must(b.mem.Read(memAddr(out[r]), got))
			assert.Equal(t, floats(n, 1+2+3+4), got, "rank %d", r)
		}
		b.must(th.SetCurrentContext(ctx[0]), th.DeviceDisablePeerAccess(1))
		f := b.function(th, "poke")
		b.must(th.LaunchKernelWithConfig(f, 1, nil, nil, b.args(th, f, out[1], 0, 5)))
		err := th.SynchronizeStream(nil)
		b.code(AICoreException, err)
		assert.ErrorContains(t, err, "aclrtDeviceEnablePeerAccess")
	})
}

// The exception callback is a thread of the runtime, which may call it.
func TestExceptionCallbackMayCall(t *testing.T) {
	b := newBench(t, testChip(), 1)
	var free int
	b.run(func(th *Thread) {
		ctx := th.Current()
		b.must(th.SetExceptionInfoCallback(func(on *Thread, x ExceptionInfo) {
			b.must(on.SetCurrentContext(ctx))
			free, _ = on.GetStreamAvailableNum()
		}))
		n, err := th.CreateNotify(0)
		b.must(err, th.WaitAndResetNotify(n, nil, 1))
		b.code(TaskTimeout, th.SynchronizeStream(nil))
		b.must(th.SetExceptionInfoCallback(nil))
	})
	assert.Equal(t, 15, free)
}

// A reducing store to a peer's memory follows the peer's saturation mode, and its
// overflow is the peer's status.
func TestPeerReduceFollowsThePeersMode(t *testing.T) {
	b := linked(t, profile(t, "a3"), 1, 2)
	b.loadKernels()
	b.run(func(th *Thread) {
		b.must(th.DeviceEnablePeerAccess(1, 0))
		f := b.function(th, "swell")
		ctx := th.Current()
		b.must(th.SetDevice(1))
		for mode, want := range map[SatMode][]byte{SatSaturate: {0xff, 0x7b}, SatInfNaN: {0x00, 0x7c}} {
			d, err := th.Malloc(8, 0)
			b.must(err, b.mem.Fill(d, 8, 0), th.SetDeviceSatMode(mode), th.SetCurrentContext(ctx))
			for range 2 {
				b.must(th.LaunchKernelWithConfig(f, 1, nil, nil, b.args(th, f, uint64(d))), th.SynchronizeStream(nil))
			}
			got := make([]byte, 2)
			b.must(b.mem.Read(d, got), th.SetDevice(1))
			assert.Equal(t, want, got)
		}
	})
	status := Rows[DeviceStatusRow](b.rt)
	assert.Equal(t, []bool{false, true}, []bool{status[0].Overflow, status[1].Overflow})
}
