package ccu

import "testing"

// A slice of a local copy over 128 loop engines: two moves and two waits.
func BenchmarkSlice(b *testing.B) {
	r := newRig(b, 1)
	const n = 128 * BufferSize
	e, _ := r.ends(0, 0, n)
	p := r.must(r.dev[0].units[0], groupCopy)
	rounds := max(1, b.N/128)
	b.ReportAllocs()
	b.SetBytes(BufferSize)
	b.ResetTimer()
	for range rounds {
		r.launch(p, e.args(1, 0, 0, 0, 0, 0)...)
		r.sim.Run(0)
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(rounds*128), "ns/slice")
}

// An instruction that nobody else sees.
func BenchmarkInstruction(b *testing.B) {
	r := newRig(b, 1)
	p := r.must(r.dev[0].units[0], func(x *Recorder) {
		v := x.Variables(2)
		for range 1000 {
			x.Add(v, v, v+1)
		}
	})
	b.ReportAllocs()
	b.ResetTimer()
	for range max(1, b.N/1000) {
		r.launch(p)
		r.sim.Run(0)
	}
}
