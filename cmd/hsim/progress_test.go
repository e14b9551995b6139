package main

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"hsim/host/scenario"
	"hsim/host/sim"
)

func TestProgressLine(t *testing.T) {
	x := scenario.Progress{Variant: "a3 rdma", Run: "all_reduce", Size: 4 << 20, Done: 2, Total: 44, Iteration: 120, Iterations: 1000}
	require.Equal(t, "hsim: [3/44] a3 rdma: all_reduce 4MiB, iteration 120 of 1000, 12s", progressLine(x, 12*time.Second+time.Millisecond))
	for _, w := range []struct {
		at   sim.Time
		want string
	}{
		{0, ""}, {7, ", at 7ps"}, {1_234_567, ", at 1.234us"}, {3_217_456_789, ", at 3.217ms"}, {999_999_999, ", at 999.999us"},
		{12*sim.Second + 345_678_901_234, ", at 12.345s"},
	} {
		x.Now = func() sim.Time { return w.at }
		require.Equal(t, "hsim: [3/44] a3 rdma: all_reduce 4MiB, iteration 120 of 1000"+w.want+", 12s", progressLine(x, 12*time.Second))
	}
}
