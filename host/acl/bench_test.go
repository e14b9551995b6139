package acl

import (
	"testing"

	"github.com/stretchr/testify/require"

	"hsim/host/sim"
	"hsim/host/wasm"
)

const rulesModule = "testdata/rules.wasm"

// BenchmarkEmptyKernels enqueues and completes 100 000 empty kernels over 64
// streams: the goal is 0.3 s.
func BenchmarkEmptyKernels(b *testing.B) {
	rt, err := wasm.NewRuntime(wasm.Options{})
	require.NoError(b, err)
	defer rt.Close()
	for b.Loop() {
		w := newBench(b, profile(b, "a3"), 1, func(c *Config) { c.Wasm, c.Rows = rt, false })
		r := w.run(func(th *Thread) {
			bin, err := th.BinaryLoadFromFile(rulesModule)
			w.must(err)
			f, err := th.BinaryGetFunction(bin, "empty")
			w.must(err)
			var streams []*Stream
			for range 64 {
				s, err := th.CreateStream()
				w.must(err)
				streams = append(streams, s)
			}
			for i := range 100_000 {
				if err := th.LaunchKernelWithConfig(f, 1, streams[i%64], nil, nil); err != nil {
					b.Fatal(err)
				}
			}
			w.must(th.SynchronizeDevice())
		})
		if r.Reason != sim.Done {
			b.Fatal(r.Reason)
		}
		w.sys.Close()
	}
}
