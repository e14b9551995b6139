package wasm

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/tetratelabs/wazero/api"

	"hsim/abi"
)

func BenchmarkCall(b *testing.B) {
	in := instantiate(b, loadGuest(b), InstanceConfig{})
	add := kernel(b, in, "add")
	b.ReportAllocs()
	for b.Loop() {
		if _, err := add.Call(0, 0, 1, 2); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkCallEngine is the engine's share of BenchmarkCall: the same function without counting and without Func.
func BenchmarkCallEngine(b *testing.B) {
	rt := newRuntime(b)
	c, err := rt.rt.CompileModule(context.Background(), guestBinary(b))
	require.NoError(b, err)
	_, err = rt.host(abi.Lookup(abi.Kernel), abi.Lookup(abi.Kernel).Module)
	require.NoError(b, err)
	in := &Instance{mod: &Module{}}
	m, err := rt.rt.InstantiateModule(context.Background(), c, in.moduleConfig())
	require.NoError(b, err)
	var f api.Function = m.ExportedFunction("hsim_kernel_add")
	stack := make([]uint64, 4)
	ctx := &CallCtx{}
	b.ReportAllocs()
	for b.Loop() {
		if err := f.CallWithStack(ctx, stack); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkImport(b *testing.B) {
	in := instantiate(b, loadGuest(b), InstanceConfig{Imports: map[string]Import{
		"scalar": func(_ *CallCtx, stack []uint64) { stack[0] = 1 },
	}})
	f := kernel(b, in, "time")
	b.ReportAllocs()
	const n = 1000
	for b.Loop() {
		if _, err := f.Call(0, 0, n, 0); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/n, "ns/import")
}

func BenchmarkInstantiate(b *testing.B) {
	m := loadGuest(b)
	b.ReportAllocs()
	for b.Loop() {
		in, err := m.Instantiate(InstanceConfig{})
		if err != nil {
			b.Fatal(err)
		}
		_ = in.Close()
	}
}
