package wasm

import (
	"errors"
	"iter"
	"testing"
	"unsafe"

	"github.com/stretchr/testify/require"

	"hsim/abi"
)

func TestRecordsOverlayGuestMemory(t *testing.T) {
	in := instantiate(t, loadGuest(t), InstanceConfig{})
	buffer, err := in.Func("hsim_buffer")
	require.NoError(t, err)
	at, err := buffer.Call(256)
	require.NoError(t, err)
	p, err := in.Pointer(uint32(at), uint32(unsafe.Sizeof(abi.Packet{})))
	require.NoError(t, err)
	pkt := (*abi.Packet)(p)
	pkt.Size, pkt.PSN = 1, 0x02030405
	sum, err := kernel(t, in, "sum").Call(at, uint64(unsafe.Sizeof(*pkt)), 0, 0)
	require.NoError(t, err)
	require.EqualValues(t, 1+2+3+4+5, sum, "the guest sees what the host wrote")

	// Memory moves when it grows beyond its room; the epoch says so, and new pointers see the same bytes.
	epoch := in.Epoch()
	base, size := in.Base()
	require.Greater(t, int32(run(t, in, "grow_by", 5, 0)), int32(0))
	require.NotEqual(t, epoch, in.Epoch())
	moved, grown := in.Base()
	require.NotEqual(t, base, moved)
	require.Equal(t, size+5*PageSize, grown)
	p, err = in.Pointer(uint32(at), 8)
	require.NoError(t, err)
	require.EqualValues(t, 1, (*abi.Packet)(p).Size)

	epoch = in.Epoch()
	run(t, in, "grow_by", 0, 0)
	require.Equal(t, epoch, in.Epoch(), "nothing moved")
	require.EqualValues(t, -1, run(t, in, "grow_by", DefaultPages, 0), "the limit")
}

func TestGuestMemoryIsBounded(t *testing.T) {
	in := instantiate(t, loadGuest(t), InstanceConfig{})
	_, size := in.Base()
	for _, c := range []struct{ off, n uint32 }{{size, 1}, {size - 8, 9}, {0xffff_ffff, 0xffff_ffff}, {0, size + 1}} {
		_, err := in.Bytes(c.off, c.n)
		require.ErrorContains(t, err, "wasm: plugin guest: guest memory at ")
		_, err = in.Pointer(c.off, c.n)
		require.Error(t, err)
	}
	b, err := in.Bytes(size-8, 8)
	require.NoError(t, err)
	require.Len(t, b, 8)
	require.Equal(t, 8, cap(b), "appending cannot reach what follows")
	b, err = in.Bytes(size, 0)
	require.NoError(t, err)
	require.Empty(t, b)
	_, err = in.Pointer(12, 8)
	require.ErrorContains(t, err, "record at 0xc: got an address that is not a multiple of 8")
	require.Equal(t, "(text at 0xffffffff, 9 bytes: outside memory)", (&CallCtx{In: in}).Text(0xffff_ffff, 9))
}

func TestModulesMustFitTheirLimit(t *testing.T) {
	m := loadAny(t, newRuntime(t), join(section(secMemory, 1, 0, 3), section(secExport, append(appendName([]byte{1}, "memory"), 2, 0)...)))
	_, err := m.Instantiate(InstanceConfig{LimitPages: 2})
	require.ErrorContains(t, err, "wasm: instantiate plugin any: got a module of 3 pages of 64 KiB, want at most 2")
	in := instantiate(t, m, InstanceConfig{LimitPages: 3})
	_, size := in.Base()
	require.EqualValues(t, 3*PageSize, size)
}

func TestImports(t *testing.T) {
	var log []string
	type block struct{ id uint32 }
	m := loadGuest(t)
	in := instantiate(t, m, InstanceConfig{
		Log:  func(s string) { log = append(log, s) },
		Data: &block{1},
		Imports: map[string]Import{"notify_wait": func(c *CallCtx, stack []uint64) {
			stack[0] = uint64(uint32(stack[0]) + 100*c.Data.(*block).id)
		}},
	})
	require.EqualValues(t, 105+3, run(t, in, "wait", 5, 3))
	f := kernel(t, in, "wait")
	f.Ctx().Data = &block{2}
	r, err := f.Call(0, 0, 5, 3)
	require.NoError(t, err)
	require.EqualValues(t, 205+3, r)

	run(t, in, "say", 0, 0)
	require.Equal(t, []string{"guest: hello"}, log)

	// What the caller does not offer fails when it is called, by name.
	trap := mustTrap(t, in, "time", 1, 0)
	require.Equal(t, Aborted, trap.Reason)
	require.ErrorContains(t, trap, "import scalar is not available here in hsim_kernel_time")
	run(t, in, "time", 0, 0)

	// An import that panics is a fault of the host, and said to be one.
	in = instantiate(t, m, InstanceConfig{Imports: map[string]Import{"scalar": func(*CallCtx, []uint64) { panic(errors.New("oops")) }}})
	trap = mustTrap(t, in, "time", 1, 0)
	require.Equal(t, HostBug, trap.Reason)
	require.ErrorContains(t, trap, "oops")
}

func TestAbortKeepsTheCause(t *testing.T) {
	cause := errors.New("the peer is gone")
	in := instantiate(t, loadGuest(t), InstanceConfig{Imports: map[string]Import{"scalar": func(c *CallCtx, _ []uint64) { c.Abort(cause) }}})
	_, err := kernel(t, in, "time").Call(0, 0, 1, 0)
	require.ErrorIs(t, err, cause)
	require.EqualError(t, err, "wasm: plugin guest: function hsim_kernel_time: the peer is gone in hsim_kernel_time")
}

// TestCallsBlockInsideImports runs many kernels that wait for each other, each in a coroutine on its own instance.
func TestCallsBlockInsideImports(t *testing.T) {
	const n = 100
	m := loadGuest(t)
	type waiter struct {
		yield func(uint32) bool
		value uint64
	}
	pool := m.NewPool(InstanceConfig{Imports: map[string]Import{"notify_wait": func(c *CallCtx, stack []uint64) {
		w := c.Data.(*waiter)
		if !w.yield(uint32(stack[0])) {
			c.Abort(errors.New("stopped"))
		}
		stack[0] = w.value
	}}})
	waiters := make([]*waiter, n)
	results := make([]int32, n)
	fails := make([]error, n)
	nexts := make([]func() (uint32, bool), n)
	stops := make([]func(), n)
	for i := range n {
		waiters[i] = &waiter{}
		nexts[i], stops[i] = iter.Pull(func(yield func(uint32) bool) {
			in, err := pool.Get()
			require.NoError(t, err)
			defer pool.Put(in)
			f, err := in.Entry("hsim_kernel_wait")
			require.NoError(t, err)
			waiters[i].yield = yield
			f.Ctx().Data = waiters[i]
			r, err := f.Call(0, 0, uint64(i), 1000)
			results[i], fails[i] = int32(r), err
		})
	}
	for i := range n {
		id, ok := nexts[i]()
		require.True(t, ok)
		require.EqualValues(t, i, id)
	}
	for i := n - 1; i >= 0; i -= 2 { // in another order than they came
		waiters[i].value = uint64(2 * i)
		_, ok := nexts[i]()
		require.False(t, ok)
		require.NoError(t, fails[i])
		require.EqualValues(t, 2*i+1000, results[i])
	}
	for i := 0; i < n; i += 2 { // stopped while they wait
		stops[i]()
		require.ErrorContains(t, fails[i], "stopped")
	}
	require.Len(t, pool.free, n, "stopped calls give their instances back as well")
	pool.Close()
}

func TestOneCallAtATime(t *testing.T) {
	m := loadGuest(t)
	var again *Func
	var inner error
	in := instantiate(t, m, InstanceConfig{Imports: map[string]Import{"notify_wait": func(*CallCtx, []uint64) {
		_, inner = again.Call(0, 0, 0, 0)
	}}})
	again = kernel(t, in, "wait")
	_, err := again.Call(0, 0, 0, 0)
	require.NoError(t, err)
	require.ErrorContains(t, inner, "function hsim_kernel_wait: got a call while one is under way, want a Func for each")
	_, err = again.Call(1)
	require.ErrorContains(t, err, "got 1 arguments, want 4")
	_, err = in.Func("hsim_kernel_nothing")
	require.ErrorContains(t, err, "wasm: plugin guest: got no export hsim_kernel_nothing, want one of [")
	require.ErrorContains(t, kernel(t, in, "grow_by").Status(0, 0, 1<<20, 0), "got status -1 (invalid)")
}

func TestPoolForgets(t *testing.T) {
	m := loadGuest(t)
	pool := m.NewPool(InstanceConfig{LimitPages: 16, Fuel: 1_000_000})
	a, err := pool.Get()
	require.NoError(t, err)
	b, err := pool.Get()
	require.NoError(t, err)
	require.NotSame(t, a, b)
	require.EqualValues(t, 8, run(t, a, "calls", 0, 0))
	require.EqualValues(t, 9, run(t, a, "calls", 0, 0))
	mustTrap(t, a, "spin", 0, 0)
	pool.Put(a)
	again, err := pool.Get()
	require.NoError(t, err)
	require.Same(t, a, again)
	require.EqualValues(t, 8, run(t, a, "calls", 0, 0), "static data is as it was")

	// Memory that has grown cannot shrink: such an instance is not used again.
	run(t, b, "grow_by", 1, 0)
	pool.Put(b)
	require.Empty(t, pool.free)
	c, err := pool.Get()
	require.NoError(t, err)
	require.NotSame(t, b, c)
	require.EqualValues(t, 8, run(t, c, "calls", 0, 0))
	pool.Put(a)
	pool.Put(c)
	pool.Close()
	require.Empty(t, pool.free)
}

func TestRefillWhileACallIsUnderWay(t *testing.T) {
	m := loadGuest(t)
	refill := false
	in := instantiate(t, m, InstanceConfig{Fuel: 100, Imports: map[string]Import{"scalar": func(c *CallCtx, _ []uint64) {
		if refill {
			c.In.Refill()
		}
	}}})
	require.Equal(t, Fuel, mustTrap(t, in, "time", 1000, 0).Reason)
	refill = true
	run(t, in, "time", 1000, 0)
}

func TestCallsDoNotAllocate(t *testing.T) {
	in := instantiate(t, loadGuest(t), InstanceConfig{Imports: map[string]Import{"scalar": func(_ *CallCtx, stack []uint64) { stack[0] = 1 }}})
	add, timed := kernel(t, in, "add"), kernel(t, in, "time")
	require.Zero(t, testing.AllocsPerRun(100, func() {
		if r, err := add.Call(0, 0, 1, 2); err != nil || r != 3 {
			t.Error(r, err)
		}
		if r, err := timed.Call(0, 0, 5, 0); err != nil || r != 5 {
			t.Error(r, err)
		}
		if _, err := in.Pointer(0, 8); err != nil {
			t.Error(err)
		}
	}))
}
