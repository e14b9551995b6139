package schedule

import (
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"hsim/abi"
	"hsim/host/hccl"
	"hsim/host/mem"
	"hsim/host/wasm"
)

func load(t *testing.T, path string, c Config) map[string]*hccl.Schedule {
	t.Helper()
	bin, err := os.ReadFile(path)
	require.NoError(t, err)
	rt, err := wasm.NewRuntime(wasm.Options{CacheDir: wasm.NoCache})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, rt.Close()) })
	m, err := rt.Load("mine.wasm", bin, abi.Algorithm)
	require.NoError(t, err)
	list, err := Schedules(m, c)
	require.NoError(t, err)
	out := map[string]*hccl.Schedule{}
	for _, s := range list {
		out[s.Name] = s
	}
	return out
}

const (
	wrong   = "../testdata/schedules.wasm"
	example = "../../../examples/algorithm-c/algorithm-c.wasm"
)

func params(op hccl.OpKind, ranks int, count int64) hccl.Params {
	return hccl.Params{Op: op, Ranks: ranks, Count: count, Elem: 4, Dtype: mem.FP32, Scratch: 200 << 20}
}

func TestTheExampleIsProven(t *testing.T) {
	s := load(t, example, Config{})["doubling"]
	require.NotNil(t, s)
	for _, n := range []int{1, 2, 3, 4, 5, 6, 7, 8, 13, 32, 100} {
		for _, inPlace := range []bool{false, true} {
			p := params(hccl.AllReduce, n, 1<<18)
			p.InPlace = inPlace
			full, err := s.Check(p)
			require.NoError(t, err, "%d ranks", n)
			require.True(t, full)
		}
	}
	_, err := s.Check(params(hccl.AllGather, 4, 8))
	require.ErrorContains(t, err, "algorithm doubling of module mine.wasm: all_gather, rank 0: wasm: plugin mine.wasm: function hsim_algo_doubling: got status -5 (unsupported)")
}

// Plugins that go wrong are stopped by name, and the module is of use afterwards.
func TestPluginsThatGoWrong(t *testing.T) {
	all := load(t, wrong, Config{Fuel: 50_000_000})
	for _, c := range []struct{ name, want string }{
		{"endless", "rank 0, step 1048576, copy of 32 bytes, input[0] -> output[0], stream 0: got more than 1048576 steps"},
		{"deaf", "rank 0, step 0, send of 32 bytes, input[8], rank 1, channel 0, stream 0: got 32 bytes at 8, outside the input of 32 bytes"},
		{"spin", "function hsim_algo_spin: stopped after 50000000 steps without an end"},
		{"wild", "function hsim_algo_wild: access outside its memory"},
		{"blocked", "deadlock: rank 0 waits in step 0 await-data rank 1"},
		{"alone", "rank 0: output element 0 is element 0 of ranks 0, want element 0 of ranks 0,1"},
		{"nonsense", "rank 0, step 0"},
		{"refuses", "the plugin says: not on Mondays"},
		{"record", "got status 2"},
	} {
		for range 2 { // the second time as the first
			s := all[c.name]
			require.NotNil(t, s, c.name)
			_, err := s.Check(params(hccl.AllReduce, 2, 8))
			require.Error(t, err, c.name)
			assert.ErrorContains(t, err, c.want)
			assert.ErrorContains(t, err, "algorithm "+c.name+" of module mine.wasm", c.name)
		}
	}
}

func TestTheRecordSaysWhatIsAskedFor(t *testing.T) {
	s := load(t, wrong, Config{})["record"]
	p := hccl.Params{Op: hccl.AllGather, Ranks: 6, Group: 3, Count: 5, Elem: 2, Dtype: mem.FP16, Scratch: 1 << 20}
	_, err := s.Check(p)
	require.NoError(t, err)
}

// What a plugin prints goes to the log under its name, and no name may hide a
// built-in algorithm.
func TestNames(t *testing.T) {
	all := load(t, wrong, Config{})
	require.Len(t, all, 9)
	bin, err := os.ReadFile(wrong)
	require.NoError(t, err)
	rt, err := wasm.NewRuntime(wasm.Options{CacheDir: wasm.NoCache})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, rt.Close()) })
	taken := []byte(strings.ReplaceAll(string(bin), "hsim_algo_spin", "hsim_algo_ring"))
	m, err := rt.Load("mine.wasm", taken, abi.Algorithm)
	require.NoError(t, err)
	_, err = Schedules(m, Config{})
	require.ErrorContains(t, err, "plugin mine.wasm: algorithm ring: got the name of a built-in algorithm, want another one")
}
