package wasm

import (
	"runtime"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"
)

// mustTrap calls a kernel that fails and returns the trap.
func mustTrap(t *testing.T, in *Instance, name string, block, blocks uint64) *Trap {
	t.Helper()
	_, err := kernel(t, in, name).Call(0, 0, block, blocks)
	var trap *Trap
	require.ErrorAs(t, err, &trap)
	require.Equal(t, "guest", trap.Module)
	require.Equal(t, "hsim_kernel_"+name, trap.Func)
	return trap
}

func TestTrapsNameFunctionsAndLeaveInstancesUsable(t *testing.T) {
	m := loadGuest(t)
	other := instantiate(t, m, InstanceConfig{})
	require.EqualValues(t, 8, run(t, other, "calls", 0, 0))
	in := instantiate(t, m, InstanceConfig{LimitPages: 16, Fuel: 3_000_000})
	for i, c := range []struct {
		name          string
		block, blocks uint64
		reason        Reason
		frames        []string
		text          string
	}{
		{"outside", 0, 0, OutOfBounds, []string{"poke", "hsim_kernel_outside"}, "wasm: plugin guest: function hsim_kernel_outside: access outside its memory in poke < hsim_kernel_outside"},
		{"give_up", 3, 0, Unreachable, []string{"hsim_kernel_give_up"}, "unreachable instruction"},
		{"divide", 1, 0, DivideByZero, []string{"hsim_kernel_divide"}, "integer division by zero"},
		{"recurse", 1, 0, StackOverflow, nil, "stack overflow"},
		{"fail", 0, 0, Aborted, []string{"hsim_kernel_fail"}, "the plugin says: no luck"},
		{"spin", 0, 0, Fuel, []string{"spin_inner", "hsim_kernel_spin"}, "stopped after 3000000 steps"},
		{"fill", 0, 0, Fuel, []string{"hsim_kernel_fill"}, "stopped after 3000000 steps"},
		{"grow", 0, 0, Fuel, []string{"hsim_kernel_grow"}, "stopped after 3000000 steps"},
	} {
		trap := mustTrap(t, in, c.name, c.block, c.blocks)
		require.Equal(t, c.reason, trap.Reason, "%s: %v", c.name, trap)
		require.ErrorContains(t, trap, c.text)
		if c.frames != nil {
			require.Equal(t, c.frames, trap.Frames, c.name)
		}
		// The same instance goes on, with its shadow stack where it was, and another one never noticed.
		require.Equal(t, in.rest, in.stack.Get(), c.name)
		require.EqualValues(t, 8+i, run(t, in, "calls", 0, 0), c.name)
		require.EqualValues(t, 9+i, run(t, other, "calls", 0, 0), c.name)
	}
	size := len(in.mem.buf)
	require.Equal(t, 16*PageSize, size, "grow stops at the limit")
}

func TestSpinningGuestLetsTheCollectorThrough(t *testing.T) {
	m := loadGuest(t)
	var done atomic.Bool
	var collections atomic.Int64
	stopped := make(chan struct{})
	go func() {
		defer close(stopped)
		for !done.Load() {
			runtime.GC() // stops the world, so it returns only when the guest visits the host
			collections.Add(1)
		}
	}()
	defer func() { done.Store(true); <-stopped }()
	// Longer and longer calls until one of them has seen several collections begin and end. A guest that cannot be
	// stopped in its course sees at most the end of one and the beginning of another.
	for steps := uint64(1) << 24; ; steps *= 2 {
		in := instantiate(t, m, InstanceConfig{Fuel: steps})
		before := collections.Load()
		trap := mustTrap(t, in, "spin", 0, 0)
		seen := collections.Load() - before
		require.Equal(t, Fuel, trap.Reason)
		require.ErrorContains(t, trap, "plugin guest: function hsim_kernel_spin: stopped after")
		if seen >= 4 {
			return
		}
		require.Less(t, steps, uint64(1)<<33, "no collection got through")
	}
}
