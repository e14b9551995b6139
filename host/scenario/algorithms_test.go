package scenario

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// place copies modules of the repository into a directory, as mine.wasm and the like.
func place(t *testing.T, modules map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, from := range modules {
		bin, err := os.ReadFile(filepath.Join("..", "..", from))
		require.NoError(t, err)
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), bin, 0o600))
	}
	return dir
}

const doubling = "examples/algorithm-c/algorithm-c.wasm"

// W6: recursive doubling of 1 MiB over a star of 1024, by a plugin: log2 N (B/bw + L) = 219.7 us.
func TestW6EqualsItsClosedForm(t *testing.T) {
	dir := place(t, map[string]string{"mine.wasm": doubling})
	for _, c := range []struct {
		ranks string
		steps float64
	}{{"64", 6}, {"1024", 10}} {
		sc, err := LoadText("sim.toml", dir, `
[sim]
data = "phantom"
[cluster]
profile = "ideal"
devices = `+c.ranks+`
topology = { kind = "star", planes = 1 }
[plugins]
algorithms = ["mine.wasm"]
[[run]]
op = "all_reduce"
sizes = "1MiB"
algorithm = "doubling"
`, Options{})
		require.NoError(t, err)
		r, err := Run(context.Background(), sc, Hooks{})
		require.NoError(t, err)
		require.Equal(t, OutcomeOK, r.Variants[0].Outcome, "%v", r.Variants[0].Errors)
		row := r.Variants[0].Rows[0]
		assert.InEpsilon(t, c.steps*(float64(1<<20)/50e3+1), float64(row.TimeUS)/1e6, 1e-4)
		assert.Equal(t, "doubling", row.Algorithm)
	}
}

// An algorithm of a module is checked and shown as the built-in ones, in place too, over two transports.
func TestAlgorithmsOfModulesRun(t *testing.T) {
	dir := place(t, map[string]string{"mine.wasm": doubling})
	text := `
[cluster]
profile = "a3"
devices = 6
[plugins]
algorithms = ["mine.wasm"]
[[run]]
op = "all_reduce"
sizes = [4, "100KiB"]
algorithm = "doubling"
iterations = 3
check = "all"
[[run]]
op = "all_reduce"
in_place = true
algorithm = "doubling"
expansion = "host"
[[run]]
op = "all_gather"
[[variant]]
name = "ub"
[[variant]]
name = "rdma"
transport.HCCS = "rdma"
`
	sc, err := LoadText("sim.toml", dir, text, Options{})
	require.NoError(t, err)
	r, err := Run(context.Background(), sc, Hooks{})
	require.NoError(t, err)
	for _, v := range r.Variants {
		require.Empty(t, v.Errors)
		for _, row := range v.Rows {
			assert.Equal(t, Success, row.Check, "%s run %d", v.Name, row.Run)
		}
		assert.Equal(t, "doubling", v.Rows[0].Algorithm)
		assert.Equal(t, "ring", v.Rows[3].Algorithm)
	}
	out, err := Explain(sc)
	require.NoError(t, err)
	assert.Contains(t, out, "doubling by aicpu: asked for, of module mine.wasm")
	assert.Contains(t, out, "form: none known\n    plan: proven")
}

// What is wrong with a module, a name or a schedule is said before anything runs, at its key.
func TestAlgorithmsOfModulesAreRefused(t *testing.T) {
	dir := place(t, map[string]string{"mine.wasm": doubling, "wrong.wasm": "host/hccl/testdata/schedules.wasm", "ub.wasm": "plugins/ub/ub.wasm"})
	for _, c := range []struct{ modules, op, algorithm, want string }{
		{`"mine.wasm"`, "all_gather", "doubling", `sim.toml:9: run[0].algorithm = "doubling": at 1MiB: algorithm doubling of module mine.wasm: all_gather, rank 0: wasm: plugin mine.wasm`},
		{`"mine.wasm"`, "all_reduce", "dubling", `sim.toml:9: run[0].algorithm = "dubling": all_reduce has no algorithm of this name`},
		{``, "all_reduce", "dubling", `sim.toml:9: run[0].algorithm = "dubling": parse algorithm: got "dubling"`},
		{`"ub.wasm"`, "all_reduce", "auto", `sim.toml:5: plugins.algorithms = ["ub.wasm"]: load plugin ub.wasm as algorithm`},
		{`"none.wasm"`, "all_reduce", "auto", "there is no file"},
		{`"wrong.wasm"`, "all_reduce", "blocked", `run[0].algorithm = "blocked": at 1MiB: algorithm blocked of module wrong.wasm: all_reduce, 2 ranks, 262144 elements: deadlock: rank 0 waits in step 0 await-data rank 1`},
		{`"wrong.wasm"`, "all_reduce", "alone", "rank 0: output element 0 is element 0 of ranks 0, want element 0 of ranks 0,1"},
		{`"wrong.wasm"`, "all_reduce", "spin", "function hsim_algo_spin: stopped after"},
	} {
		sc, err := LoadText("sim.toml", dir, `[cluster]
profile = "a3"
devices = 2
[plugins]
algorithms = [`+c.modules+`]
[[run]]
op = "`+c.op+`"
sizes = "1MiB"
algorithm = "`+c.algorithm+`"
`, Options{})
		if err == nil {
			_, err = Run(context.Background(), sc, Hooks{})
		}
		require.Error(t, err, c.want)
		assert.Contains(t, err.Error(), c.want)
	}
}

// Several servers run the two-level algorithm that HCCL documents, and the result is right.
func TestTwoLevelsAreChosen(t *testing.T) {
	for _, c := range []struct{ profile, topology, op, size, want string }{
		{"a2", "mesh", "all_reduce", "1MiB", "mesh-nhr"},
		{"a2", "mesh", "all_to_all", "1MiB", "mesh-pairwise"},
		{"a3", "star", "all_gather", "64KiB", "ring-nhr"},
		{"910", "star", "all_reduce", "64KiB", "ring-rhd"},
		{"950dt", "mesh-clos", "all_gather", "2MiB", "mesh+nhr"},
		{"950dt", "mesh-clos", "all_gather", "64KiB", "nhr"},
	} {
		r := execute(t, `
[cluster]
profile = "`+c.profile+`"
servers = 2
devices = 4
topology = "`+c.topology+`"
[[run]]
op = "`+c.op+`"
sizes = "`+c.size+`"
`, Options{})
		require.Empty(t, r.Variants[0].Errors)
		row := r.Variants[0].Rows[0]
		assert.Equal(t, c.want, row.Algorithm, "%s %s", c.profile, c.op)
		assert.Equal(t, Success, row.Check)
	}
}

func TestPlansOfModules(t *testing.T) {
	q := PlanRequest{Op: "all_reduce", Algorithm: "doubling", Ranks: 3, Size: "64B", Dtype: "fp32", Rank: 2, Plugins: []string{"../../" + doubling}}
	text, err := Plan(q)
	require.NoError(t, err)
	assert.True(t, strings.HasPrefix(text, "all_reduce, algorithm doubling, 3 ranks, 64B: proven\n\nrank 2\n  0 copy input[0] -> output[0] 64 B\n"), text)
	assert.Contains(t, text, "1 send output[0] -> rank 1")
	q.Algorithm = "dubling"
	_, err = Plan(q)
	assert.ErrorContains(t, err, "(try doubling)")
	q = PlanRequest{Op: "all_gather", Algorithm: "mesh+nhr", Ranks: 4, Size: "64B", Dtype: "fp32", Rank: 0, Group: 2}
	text, err = Plan(q)
	require.NoError(t, err)
	assert.Contains(t, text, "rank 0, stream 1\n")
}

// The example of a transport: with a window of one every packet waits for its acknowledgement, (P-1) round trips and one way;
// a window beyond rate times round trip fills the link.
func TestWindowsLimitTheRate(t *testing.T) {
	dir := place(t, map[string]string{"mine.wasm": "examples/transport-c/transport-c.wasm"})
	const packets, packet = 256, 4096 / 50e3 // us on the wire
	for window, want := range map[string]float64{"1": packets*(packet+2) - 1, "64": packets*packet + 1, "4": (packets/4-1)*(packet+2) + 4*packet + 1} {
		sc, err := LoadText("sim.toml", dir, `
[cluster]
profile = "ideal"
devices = 2
topology = { kind = "star", planes = 1 }
[transport]
UB_CTP = { plugin = "mine.wasm", params = { window = `+window+` } }
[fabric]
train = 1
[[run]]
op = "broadcast"
sizes = "1MiB"
algorithm = "ring"
`, Options{})
		require.NoError(t, err)
		r, err := Run(context.Background(), sc, Hooks{})
		require.NoError(t, err)
		require.Empty(t, r.Variants[0].Errors)
		row := r.Variants[0].Rows[0]
		require.Equal(t, Success, row.Check)
		assert.InEpsilon(t, want, row.TimeUS.Float(), 1e-6, "window %s", window)
	}
}
