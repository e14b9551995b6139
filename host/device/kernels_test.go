package device

import (
	"encoding/binary"
	"os"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"hsim/abi"
	"hsim/host/kernel"
	"hsim/host/sim"
	"hsim/host/soc"
	"hsim/host/transport"
	"hsim/host/wasm"
)

// probe is a kernel of the kernel package's test module and its arguments:
// device address, length, repetitions, value.
func (w *world) probe(name string, args ...uint64) *KernelOp {
	w.t.Helper()
	if w.probes == nil {
		bin, err := os.ReadFile("../kernel/testdata/probe.wasm")
		require.NoError(w.t, err)
		rt, err := wasm.NewRuntime(wasm.Options{})
		require.NoError(w.t, err)
		w.t.Cleanup(func() { w.sys.Close(); rt.Close() })
		m, err := rt.Load("probe", bin, abi.Kernel)
		require.NoError(w.t, err)
		w.probes, err = kernel.NewBinary(m, len(bin))
		require.NoError(w.t, err)
	}
	f, err := w.probes.Function(name)
	require.NoError(w.t, err)
	var b []byte
	for len(args) < 4 {
		args = append(args, 0)
	}
	for _, a := range args {
		b = binary.LittleEndian.AppendUint64(b, a)
	}
	return &KernelOp{Fn: f, Spec: kernel.Spec{Args: b}}
}

func coreChip() *soc.Chip {
	c := freeChip()
	c.VectorCores, c.CubeCores, c.AICPUs, c.LocalMemBytes = 4, 2, 1, 1<<20
	return c
}

// A kernel holds its stream until its blocks have ended; its failure is the
// stream's.
func TestKernelOnAStream(t *testing.T) {
	w := newWorld(t, coreChip(), 1)
	s := w.stream(0)
	l := &log{}
	w.sys.SetObserver(l)
	w.push(s, Task{Kind: KindOp, Op: w.probe("seven")}, Task{Kind: KindDelay})
	assert.Equal(t, sim.Done, w.eng.Run(0).Reason)
	require.Len(t, l.rows, 2)
	f := l.rows[0].fault
	require.NotNil(t, f)
	assert.Equal(t, CauseAICore, f.Cause)
	assert.Contains(t, f.Error(), "the kernel returned 7")
}

// Streams wake kernels that wait for a notify, and kernels wake streams.
func TestKernelNotifies(t *testing.T) {
	w := newWorld(t, coreChip(), 1)
	a, b := w.stream(0), w.stream(0)
	n, m := w.notify(0), w.notify(0)
	w.push(a, Task{Kind: KindOp, Op: w.probe("notified", 0, 0)}, Task{Kind: KindOp, Op: w.probe("notify", 0, 1)})
	w.push(b, Task{Kind: KindDelay, Value: uint64(5 * us)}, Task{Kind: KindNotifyRecord, Notify: n}, Task{Kind: KindNotifyWait, Notify: m})
	r := w.eng.Run(0)
	assert.Equal(t, sim.Done, r.Reason)
	assert.Equal(t, 5*us, r.End)
	assert.Nil(t, a.Err())
	assert.False(t, b.Busy())
	assert.Zero(t, w.dev[0].NotifyValue(0), "the kernel took it")
}

// An aborted stream ends its kernel, and the kernel's wait takes nothing more.
func TestAbortedKernel(t *testing.T) {
	w := newWorld(t, coreChip(), 1)
	s := w.stream(0)
	n := w.notify(0)
	w.push(s, Task{Kind: KindOp, Op: w.probe("notified", 0, 0)})
	w.eng.Go("host", func(p *sim.Proc) {
		p.Sleep(3 * us)
		s.Abort()
		p.Sleep(us)
		require.NoError(t, w.mem.WriteRegister(n, 1))
	})
	assert.Equal(t, sim.Done, w.eng.Run(0).Reason)
	assert.EqualValues(t, 1, w.dev[0].NotifyValue(0))
}

// A core's transfer to a peer goes through the network, without the SDMA
// engine's start-up, and the kernel goes on when it has landed.
func TestKernelReachesAPeer(t *testing.T) {
	w, n := wired(t)
	for _, d := range w.dev {
		d.chip = coreChip()
		d.chip.SDMA.Alpha = 50 * us
	}
	s := w.stream(0)
	dst := w.alloc(1, 64)
	w.push(s, Task{Kind: KindOp, Op: w.probe("out", uint64(dst), 64, 1)})
	w.eng.Go("net", func(p *sim.Proc) {
		p.Sleep(7 * us)
		if assert.Len(t, n.posts, 1) {
			assert.Equal(t, transport.OpWrite, n.posts[0].Op)
			assert.Equal(t, dst, n.posts[0].Remote)
			assert.True(t, s.Busy())
			n.complete(0, transport.StatusRetry)
		}
	})
	r := w.eng.Run(0)
	assert.Equal(t, 7*us, r.End)
	require.NotNil(t, s.Err())
	assert.ErrorContains(t, s.Err(), "retry exceeded")
}
