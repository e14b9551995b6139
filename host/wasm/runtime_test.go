package wasm

import (
	"os"
	"path/filepath"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"hsim/abi"
)

func TestOneRuntimeServesSeveralSimulations(t *testing.T) {
	rt := newRuntime(t)
	bin := guestBinary(t)
	other, err := os.ReadFile("testdata/wasi.wasm")
	require.NoError(t, err)
	var wg sync.WaitGroup
	results := make([]int32, 8)
	for i := range results {
		wg.Go(func() {
			module, fn := bin, "hsim_kernel_calls"
			if i%2 == 1 {
				module, fn = other, "hsim_kernel_started"
			}
			m, err := rt.Load("m", module, abi.Kernel)
			if err != nil {
				return
			}
			in, err := m.Instantiate(InstanceConfig{})
			if err != nil {
				return
			}
			f, err := in.Func(fn)
			if err != nil {
				return
			}
			r, err := f.Call(0, 0, 0, 0)
			if err == nil {
				results[i] = int32(r)
			}
		})
	}
	wg.Wait()
	require.Equal(t, []int32{8, 1, 8, 1, 8, 1, 8, 1}, results)
}

func TestCompiledCodeIsKept(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "cache")
	for range 2 {
		rt, err := NewRuntime(Options{CacheDir: dir})
		require.NoError(t, err)
		m, err := rt.Load("guest", guestBinary(t), abi.Kernel)
		require.NoError(t, err)
		require.EqualValues(t, 3, run(t, instantiate(t, m, InstanceConfig{}), "add", 1, 2))
		require.NoError(t, m.Close())
		require.NoError(t, rt.Close())
		kept := 0
		require.NoError(t, filepath.WalkDir(dir, func(_ string, d os.DirEntry, err error) error {
			if err == nil && !d.IsDir() {
				kept++
			}
			return err
		}))
		require.NotZero(t, kept)
	}

	// A place that cannot be written is not an error.
	file := filepath.Join(t.TempDir(), "file")
	require.NoError(t, os.WriteFile(file, nil, 0o600))
	rt, err := NewRuntime(Options{CacheDir: file})
	require.NoError(t, err)
	_, err = rt.Load("guest", guestBinary(t), abi.Kernel)
	require.NoError(t, err)
	require.NoError(t, rt.Close())

	require.Equal(t, "", cacheDir(NoCache))
	require.Equal(t, "/x", cacheDir("/x"))
	t.Setenv("XDG_CACHE_HOME", "/home/someone/.cache")
	t.Setenv("HOME", "/home/someone")
	require.Contains(t, filepath.ToSlash(cacheDir("")), "hsim/wasm")
}

// BenchmarkSteps is the price of one round of the tightest loop, counted.
func BenchmarkSteps(b *testing.B) {
	in := instantiate(b, loadGuest(b), InstanceConfig{Fuel: 10_000_000})
	spin := kernel(b, in, "spin")
	for b.Loop() {
		if _, err := spin.Call(0, 0, 0, 0); err == nil {
			b.Fatal("it ended")
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/10_000_000, "ns/step")
}
