package guest

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestThreadsKeepTheirStacks(t *testing.T) {
	r := newRig(t, rigConfig{chip: "a3", devices: 2})
	require.Equal(t, []string{"0 64 threads, 0 wrong"}, r.ran(r.job(r.program("threads"), 1, "64")))
}

// Two processes of many threads each do not mix either.
func TestThreadsOfSeveralProcesses(t *testing.T) {
	r := newRig(t, rigConfig{chip: "ideal", devices: 2})
	require.ElementsMatch(t, []string{"0 16 threads, 0 wrong", "1 16 threads, 0 wrong"}, r.ran(r.job(r.program("threads"), 2, "16")))
}

func TestPthreads(t *testing.T) {
	r := newRig(t, rigConfig{chip: "ideal"})
	out := r.ran(r.job(r.program("pthreads"), 1))
	require.Len(t, out, 3)
	require.Contains(t, out[0], "0! wasm: program pthreads: thread: got function pointer 12345, want one of signature (i32) -> i32")
	require.Equal(t, []string{"0 0 failures at 2015 us", "0 the detached thread ends last"}, out[1:])
}
