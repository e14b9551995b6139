package wasm

import (
	"os"
	"testing"

	"github.com/stretchr/testify/require"

	"hsim/abi"
)

// guestBinary is testdata/guest.c compiled; plugins/build has the flags, and its test keeps the two together.
func guestBinary(t testing.TB) []byte {
	t.Helper()
	bin, err := os.ReadFile("testdata/guest.wasm")
	require.NoError(t, err)
	return bin
}

func newRuntime(t testing.TB) *Runtime {
	t.Helper()
	rt, err := NewRuntime(Options{CacheDir: NoCache})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, rt.Close()) })
	return rt
}

func loadGuest(t testing.TB) *Module {
	t.Helper()
	m, err := newRuntime(t).Load("guest", guestBinary(t), abi.Kernel)
	require.NoError(t, err)
	return m
}

func instantiate(t testing.TB, m *Module, cfg InstanceConfig) *Instance {
	t.Helper()
	in, err := m.Instantiate(cfg)
	require.NoError(t, err)
	return in
}

func kernel(t testing.TB, in *Instance, name string) *Func {
	t.Helper()
	f, err := in.Func("hsim_kernel_" + name)
	require.NoError(t, err)
	return f
}

// run calls a kernel with block and blocks and returns its result.
func run(t testing.TB, in *Instance, name string, block, blocks uint64) int32 {
	t.Helper()
	r, err := kernel(t, in, name).Call(0, 0, block, blocks)
	require.NoError(t, err)
	return int32(r)
}
