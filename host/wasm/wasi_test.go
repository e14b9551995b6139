package wasm

import (
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"hsim/abi"
	"hsim/host/sim"
)

func loadWASI(t testing.TB) *Module {
	t.Helper()
	bin, err := os.ReadFile("testdata/wasi.wasm")
	require.NoError(t, err)
	m, err := newRuntime(t).Load("wasi", bin, abi.Kernel)
	require.NoError(t, err)
	return m
}

func TestWASI(t *testing.T) {
	m := loadWASI(t)
	now := 1234567890 * sim.Nanosecond
	var slept sim.Time
	var log []string
	in := instantiate(t, m, InstanceConfig{
		Seed:  1,
		Now:   func() sim.Time { return now },
		Sleep: func(d sim.Time) { slept += d; now += d },
		Log:   func(line string) { log = append(log, line) },
	})
	require.EqualValues(t, 1, run(t, in, "started", 0, 0), "constructors have run")

	// The monotonic clock is the simulation's; the calendar starts with 2026.
	require.EqualValues(t, 1234567890+uptime, run(t, in, "clock", 1, 1))
	require.EqualValues(t, epoch+1, run(t, in, "clock", 0, 1_000_000_000))
	require.EqualValues(t, 0, run(t, in, "sleep", 250, 0))
	require.Equal(t, 250*sim.Microsecond, slept)
	require.EqualValues(t, 1234567890+uptime+250_000, run(t, in, "clock", 1, 1))

	// There are no files: descriptors beyond stderr are bad (8), and stdin is no directory.
	require.EqualValues(t, 8, run(t, in, "preopened", 3, 0))
	require.EqualValues(t, 8, run(t, in, "open", 3, 0))
	require.NotZero(t, run(t, in, "open", 0, 0))

	// Output becomes lines of log under the plugin's name, the last one when the instance ends.
	buffer, err := in.Func("hsim_buffer")
	require.NoError(t, err)
	at, err := buffer.Call(64)
	require.NoError(t, err)
	room, err := in.Bytes(uint32(at), 64)
	require.NoError(t, err)
	print := kernel(t, in, "print")
	for i, part := range []string{"one\ntw", "o\n", "three"} {
		copy(room, part)
		r, err := print.Call(at, uint64(len(part)), uint64(1+i%2), 0)
		require.NoError(t, err)
		require.Zero(t, r)
	}
	require.Equal(t, []string{"wasi: one", "wasi: two"}, log)
	require.NoError(t, in.Close())
	require.Equal(t, "wasi: three", log[2])
}

func TestRandomIsSeeded(t *testing.T) {
	m := loadWASI(t)
	draw := func(seed uint64) [3]int32 {
		in := instantiate(t, m, InstanceConfig{Seed: seed})
		return [3]int32{run(t, in, "random", 0, 0), run(t, in, "random", 0, 0), run(t, in, "random", 0, 0)}
	}
	require.Equal(t, draw(1), draw(1))
	require.NotEqual(t, draw(1), draw(2))
	one := draw(1)
	require.NotEqual(t, one[0], one[1])
}

func TestExit(t *testing.T) {
	in := instantiate(t, loadWASI(t), InstanceConfig{})
	_, err := in.out.Write([]byte("fatal error: disk on fire\nmore"))
	require.NoError(t, err)
	_, err = kernel(t, in, "exit").Call(0, 0, 3, 0)
	var trap *Trap
	require.ErrorAs(t, err, &trap)
	require.Equal(t, Exit, trap.Reason)
	require.EqualValues(t, 3, trap.Code)
	require.EqualError(t, err, "wasm: plugin wasi: function hsim_kernel_exit: exit with status 3 (fatal error: disk on fire)")
}

func TestLongLinesAreCut(t *testing.T) {
	var log []string
	in := &Instance{mod: &Module{name: "m"}, cfg: InstanceConfig{Log: func(s string) { log = append(log, s) }}}
	l := &lines{to: in.log}
	n, err := l.Write([]byte(strings.Repeat("x", 2*longestLine) + "\n\n"))
	require.NoError(t, err)
	require.Equal(t, 2*longestLine+2, n)
	var sizes []int
	for _, line := range log {
		sizes = append(sizes, len(line)-len("m: "))
	}
	require.Equal(t, []int{longestLine, longestLine, 0}, sizes)
}
