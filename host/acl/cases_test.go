package acl

import (
	"os"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"hsim/host/sim"
)

// B36: an event outlives its stream, and never hangs on who gets the stream's
// number next.
func TestB36EventAfterStreamDestroy(t *testing.T) {
	b := newBench(t, testChip(), 1)
	b.run(func(th *Thread) {
		s, err := th.CreateStream()
		b.must(err)
		e, err := th.CreateEvent()
		b.must(err, th.work(s, 5*us), th.RecordEvent(e, s), th.DestroyStream(s))
		next, err := th.CreateStream()
		b.must(err)
		assert.Equal(t, s.ID(), next.ID())
		n, err := th.CreateNotify(0)
		b.must(err, th.WaitAndResetNotify(n, next, 0), th.StreamWaitEvent(nil, e), th.work(nil, us), th.SynchronizeStream(nil), th.SynchronizeEvent(e))
		assert.Equal(t, 6*us, th.Proc().Now())
		b.code(InvalidHandle, th.RecordEvent(e, s))
		b.must(th.RecordNotify(n, nil), th.SynchronizeStream(next))
	})
}

// B38: a copy past the end is 107000 and moves nothing; a kernel that writes past
// the end fails with 507015, naming buffer and offset, and writes nothing outside.
func TestB38PastTheEnd(t *testing.T) {
	b := kernelBench(t, 1)
	b.run(func(th *Thread) {
		d, err := th.MallocNamed(100, 0, "recvBuf")
		b.must(err)
		after, err := th.MallocNamed(100, 0, "next")
		b.must(err)
		h, err := th.MallocHost(128)
		b.must(err, b.mem.Fill(h, 128, 1))
		b.code(ParamInvalid, th.Memcpy(d, 100, h, 128, HostToDevice))
		b.code(ParamInvalid, th.Memcpy(d, 128, h, 128, HostToDevice))
		f := b.function(th, "move")
		src, err := th.Malloc(128, 0)
		b.must(err, b.mem.Fill(src, 128, 1))
		b.must(th.LaunchKernelWithConfig(f, 1, nil, nil, b.args(th, f, uint64(src), 128, uint64(d))))
		err = th.SynchronizeStream(nil)
		b.code(AICoreException, err)
		assert.ErrorContains(t, err, `"recvBuf"`)
		assert.ErrorContains(t, err, "128 bytes, size 100")
		got := make([]byte, 100)
		b.must(b.mem.Read(d, got))
		assert.Equal(t, make([]byte, 100), got)
		b.must(b.mem.Read(after, got))
		assert.Equal(t, make([]byte, 100), got)
	})
}

// B39: memory freed before the operation that uses it has run is the error of that
// operation, naming the buffer; other streams go on.
func TestB39UseAfterFree(t *testing.T) {
	b := newBench(t, testChip(), 1)
	b.run(func(th *Thread) {
		s, err := th.CreateStream()
		b.must(err)
		d, err := th.MallocNamed(64, 0, "recvBuf")
		b.must(err)
		x, err := th.Malloc(64, 0)
		b.must(err, th.work(nil, 10*us), th.MemsetAsync(d, 64, 1, 64, nil), th.work(s, 20*us), th.MemsetAsync(x, 64, 1, 64, s), th.Free(d))
		again, err := th.Malloc(64, 0)
		b.must(err)
		err = th.SynchronizeStream(nil)
		b.code(SysDMA, err)
		assert.ErrorContains(t, err, `"recvBuf"`)
		assert.ErrorContains(t, err, "freed")
		got := make([]byte, 1)
		b.must(th.SynchronizeStream(s), b.mem.Read(again, got))
		assert.Zero(t, got[0], "what was allocated since is untouched")
	})
}

// aclInit reads its configuration; a finalised process can start again.
func TestInitConfig(t *testing.T) {
	b := newBench(t, testChip(), 1)
	dir := t.TempDir()
	require.NoError(t, os.WriteFile(dir+"/good.json", []byte(`{"defaultDevice": {"default_device": "0"}}`), 0o600))
	require.NoError(t, os.WriteFile(dir+"/bad.json", []byte(`{"a": `), 0o600))
	b.process().Go("main", func(th *Thread) {
		b.code(ACLUninitialize, th.Finalize())
		b.code(ACLUninitialize, th.SetExceptionInfoCallback(nil))
		b.code(ACLInvalidFile, th.Init(dir+"/none.json"))
		b.code(ACLParseFile, th.Init(dir+"/bad.json"))
		b.must(th.Init(dir+"/good.json"), th.SetDevice(0), th.Finalize())
		for _, err := range []error{th.SetOpWaitTimeout(0), th.SetOpExecuteTimeout(0), th.SynchronizeStream(nil), th.DestroyStream(nil), th.SetCurrentContext(nil)} {
			b.code(ACLUninitialize, err)
		}
		assert.Nil(t, th.CreateBinary([]byte{1}))
		b.must(th.Init(""), th.SetDevice(0))
		b.code(ParamInvalid, th.SetOpWaitTimeout(-1))
		b.code(ParamInvalid, th.SetOpExecuteTimeout(-1))
		step, err := th.GetOpTimeOutInterval()
		b.must(err)
		assert.Positive(t, step)
	})
	assert.Equal(t, sim.Done, b.eng.Run(0).Reason)
}

// Streams by configuration: flags that do not go together, unknown ones, the
// priority's range.
func TestStreamConfig(t *testing.T) {
	b := newBench(t, testChip(), 1)
	b.run(func(th *Thread) {
		for _, x := range []struct {
			flags uint32
			want  Code
			kept  uint32
		}{
			{0, Success, 0}, {1, Success, 1}, {3, Success, 3}, {StreamPersistent, Success, StreamPersistent}, {StreamHuge, Success, StreamHuge},
			{StreamHuge | StreamFastLaunch, ParamInvalid, 0}, {StreamCPUSchedule | StreamDeviceUseOnly, ParamInvalid, 0}, {0x40, Success, 0}, {0x41, Success, 0},
		} {
			s, err := th.CreateStreamV2(StreamConfig{Priority: 8, Flags: x.flags})
			b.code(x.want, err)
			if err == nil {
				assert.Equal(t, x.kept, s.Flags())
				assert.Equal(t, 7, s.Priority())
				b.must(th.DestroyStream(s))
			}
		}
	})
}

// Without rows the tables hold what lives: destroyed objects leave, and their
// places are taken again.
func TestTablesWithoutRows(t *testing.T) {
	b := newBench(t, testChip(), 1, func(c *Config) { c.Rows = false })
	b.run(func(th *Thread) {
		for range 100 {
			s, err := th.CreateStream()
			b.must(err)
			e, err := th.CreateEvent()
			b.must(err, th.RecordEvent(e, s), th.DestroyStream(s), th.DestroyEvent(e))
		}
		kept, err := th.CreateStream()
		b.must(err)
		d, err := th.Malloc(64, 0)
		b.must(err)
		rows := Rows[StreamRow](b.rt)
		require.Len(t, rows, 2)
		assert.Equal(t, kept.UID(), rows[1].StreamID)
		assert.Equal(t, 102, kept.UID(), "numbers go on")
		assert.Len(t, b.rt.streams.all, 2)
		assert.Equal(t, d, one(t, b, func(x VirtualPointerRow) bool { return x.StartPtr == d }).StartPtr)
		assert.Empty(t, Rows[TaskTableRow](b.rt))
	})
	checkKeys(t, b.rt)
}
