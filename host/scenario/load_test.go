package scenario

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"hsim/host/hccl"
	"hsim/host/mem"
	"hsim/host/sim"
	"hsim/host/topo"
)

const small = `
[cluster]
profile = "ideal"
devices = 4

[[run]]
op = "all_reduce"
sizes = "1KiB..4KiB x2"
`

// load reads a text as the file sim.toml of an empty directory.
func load(t *testing.T, text string, o Options) (*Scenario, []string) {
	t.Helper()
	sc, err := LoadText("sim.toml", t.TempDir(), text, o)
	if err == nil {
		return sc, nil
	}
	var in *InputError
	require.ErrorAs(t, err, &in)
	var out []string
	for _, p := range in.Problems {
		p.File = filepath.Base(p.File)
		out = append(out, p.String())
	}
	return sc, out
}

func TestLoadDefaultsAndValues(t *testing.T) {
	sc, bad := load(t, small, Options{})
	require.Empty(t, bad)
	require.Len(t, sc.Variants, 1)
	c := sc.Variants[0]
	assert.EqualValues(t, 1, c.Seed)
	assert.Equal(t, mem.Real, c.Data)
	assert.Equal(t, 7200*sim.Second, c.Limit)
	assert.Equal(t, "ideal", c.Profile.Name())
	assert.Equal(t, 4, c.Ranks())
	assert.Equal(t, "star", c.Topology.Kind)
	assert.Equal(t, Train{Auto: true}, c.Train)
	assert.Equal(t, []string{"builtin"}, c.Kernels)
	assert.EqualValues(t, 200<<20, c.BuffSize)
	assert.Equal(t, 1836*sim.Second, c.ExecTimeout)
	require.Len(t, c.Runs, 1)
	r := c.Runs[0]
	assert.Equal(t, []int64{1024, 2048, 4096}, r.Sizes)
	assert.Equal(t, mem.FP32, r.Dtype)
	assert.Equal(t, hccl.AllReduce, r.Op)
	assert.Equal(t, CheckResult, r.Check)
	assert.Nil(t, r.Skew)
	assert.True(t, sc.Output.Table)
}

func TestVariantsAndSets(t *testing.T) {
	sc, bad := load(t, `
[cluster]
devices = 4
[cluster.topology]
kind = "mesh"
dims = [2, 2]
latency = "0"
[transport]
TCP = { plugin = "rdma", params = { window = 3 } }
[[run]]
op = "all_reduce"
skew = "3us"
[[run]]
op = "broadcast"
[[variant]]
name = "one"
cluster.profile = "ideal"
transport.ROCE = { plugin = "ub", params = { mtu = "4KiB" } }
[[variant]]
name = "two"
cluster.profile = "a3"
cluster.topology = "star"
transport.TCP = "ub"
run.algorithm = "ring"
run.reduce = "max"
`, Options{Sets: []string{"sim.seed=7", "cluster.devices = 2", "run[0].dtype=int8", "fabric.train=1", "run.sizes=[1, \"2KiB\"]"}})
	require.Empty(t, bad)
	require.Len(t, sc.Variants, 3)
	base, one, two := sc.Variants[0], sc.Variants[1], sc.Variants[2]
	assert.Equal(t, "base", base.Name, "the file as it stands comes first")
	assert.Equal(t, "910d", base.ProfileName)
	assert.Equal(t, hccl.Auto, base.Runs[0].Algorithm)
	assert.Equal(t, "one", one.Name)
	assert.Equal(t, []int{2, 2}, one.Topology.Params.Dims)
	require.NotNil(t, one.Topology.Params.Latency)
	assert.Zero(t, *one.Topology.Params.Latency, "0 is a value")
	assert.Nil(t, one.Topology.Params.Hop)
	assert.Equal(t, []Param{{Name: "mtu", Value: "4KiB", path: "transport.ROCE.params.mtu"}}, one.Transport[5].Params)
	assert.Equal(t, "rdma", two.Transport[5].Plugin)
	assert.Equal(t, "rdma", one.Transport[6].Plugin)
	assert.Len(t, one.Transport[6].Params, 1)
	assert.Equal(t, "ub", two.Transport[6].Plugin)
	assert.Empty(t, two.Transport[6].Params, "another plugin, other parameters")
	assert.Equal(t, "star", two.Topology.Kind)
	for _, c := range sc.Variants {
		assert.EqualValues(t, 7, c.Seed)
		assert.Equal(t, 2, c.Ranks(), "--set wins over the file")
		assert.Equal(t, Train{Packets: 1}, c.Train)
		assert.Equal(t, mem.Int8, c.Runs[0].Dtype)
		assert.Equal(t, mem.FP32, c.Runs[1].Dtype)
		assert.Equal(t, []int64{1, 2048}, c.Runs[1].Sizes)
		assert.Equal(t, []sim.Time{0, 3 * sim.Microsecond}, c.Runs[0].Skew)
	}
	assert.Equal(t, hccl.Ring, two.Runs[0].Algorithm)
	assert.Equal(t, hccl.Ring, two.Runs[1].Algorithm)
	assert.Equal(t, mem.Max, two.Runs[0].Reduce)
	assert.Equal(t, mem.Sum, two.Runs[1].Reduce, "broadcast takes no reduce")

	sc, bad = load(t, small+"[[variant]]\nname = \"a\"\n[[variant]]\nname = \"b\"\n", Options{Variant: "b"})
	require.Empty(t, bad)
	require.Len(t, sc.Variants, 1)
	assert.Equal(t, "b", sc.Variants[0].Name)
}

// Every line says where, what, and what to do.
func TestBadInput(t *testing.T) {
	threeRuns := "[[run]]\nop = \"all_reduce\"\n%\n[[run]]\nop = \"all_gather\"\n[[run]]\nop = \"broadcast\"\n"
	for _, c := range []struct {
		name, text string
		want       []string
	}{
		{"unknown key in the first of three runs", strings.Replace(threeRuns, "%", `dytpe = "fp32"`, 1),
			[]string{`sim.toml:3: run[0].dytpe = "fp32": unknown key (try run[0].dtype)`}},
		{"unknown table", "[simm]\nseed = 1\n" + small, []string{"sim.toml:1: simm = {...}: unknown key (try [sim])"}},
		{"unknown key at the top", "seed = 1\n" + small, []string{"sim.toml:1: seed = 1: unknown key (try sim.seed)"}},
		{"key of another table", "[sim]\nprofile = \"a3\"\n" + small, []string{`sim.toml:2: sim.profile = "a3": unknown key (try cluster.profile)`}},
		{"wrong unit", "[sim]\nlimit = \"5KiB\"\n" + small, []string{`sim.toml:2: sim.limit = "5KiB": got unit "KiB", want a time such as 1.5us, 30s or 2h`}},
		{"no unit", "[sim]\nlimit = 5\n" + small, []string{`sim.toml:2: sim.limit = 5: got a number without a unit, want a time (try "5us")`}},
		{"wrong type", "[sim]\nseed = \"one\"\n" + small, []string{`sim.toml:2: sim.seed = "one": got a text, want a whole number from 0 to 9223372036854775807`}},
		{"a table for a value", "[sim.seed]\na = 1\n" + small, []string{`sim.toml:1: sim.seed = {...}: got a table, want a whole number from 0 to 9223372036854775807`}},
		{"a value for a table", "sim = 3\n" + small, []string{"sim.toml:1: sim = 3: got a whole number, want a table with seed, data, name, base, limit or memory (try [sim])"}},
		{"run as a table", "[run]\nop = \"all_reduce\"\n", []string{"sim.toml:1: run = {...}: got a table, want tables headed [[run]] (try [[run]])"}},
		{"zero devices", strings.Replace(small, "devices = 4", "devices = 0", 1), []string{"sim.toml:4: cluster.devices = 0: want a whole number from 1 to 1024"}},
		{"absurd devices", strings.Replace(small, "devices = 4", "servers = 60000\ndevices = 1000", 1),
			[]string{"sim.toml:5: cluster.devices = 1000: 60000 servers of 1000 devices are 60000000 ranks, want at most 65536"}},
		{"zero iterations", small + "iterations = 0\n", []string{"sim.toml:9: run[0].iterations = 0: want a whole number from 1 to 1000000"}},
		{"zero size", "[[run]]\nop = \"all_reduce\"\nsizes = \"0\"\n", []string{`sim.toml:3: run[0].sizes = "0": size 0: want more than 0 and at most 1024TiB`}},
		{"bad sweep", "[[run]]\nop = \"all_reduce\"\nsizes = \"8KiB..64MiB\"\n", []string{`sim.toml:3: run[0].sizes = "8KiB..64MiB": sizes "8KiB..64MiB": got no step, want FROM..TO x2 or FROM..TO +1KiB`}},
		{"bad element", "[[run]]\nop = \"all_reduce\"\nsizes = [\"1KiB\", true]\n", []string{`sim.toml:3: run[0].sizes = ["1KiB", true]: element 1 (true): got true or false, want a size such as "64MiB"`}},
		{"enum", small + "dtype = \"fp31\"\n", []string{`sim.toml:9: run[0].dtype = "fp31": want one of ` + strings.Join(dtypeNames, ", ") + ` (try "fp32")`}},
		{"profile", strings.Replace(small, "ideal", "910e", 1), []string{`sim.toml:3: cluster.profile = "910e"`}},
		{"engine that the chip has not", strings.Replace(small, "ideal", "a3", 1) + "expansion = \"ccu_ms\"\n",
			[]string{`sim.toml:9: run[0].expansion = "ccu_ms": the chip a3 has no such engine, it has `}},
		{"algorithm", small + "algorithm = \"rign\"\n", []string{`sim.toml:9: run[0].algorithm = "rign"`}},
		{"algorithm of another op", small + "algorithm = \"pairwise\"\n", []string{`sim.toml:9: run[0].algorithm = "pairwise": all_reduce has no algorithm pairwise (try ring, mesh`}},
		{"root", "[cluster]\ndevices = 4\n[[run]]\nop = \"broadcast\"\nroot = 4\n", []string{"sim.toml:5: run[0].root = 4: the cluster has ranks 0 to 3"}},
		{"key of another op", small + "root = 1\n", []string{"sim.toml:9: run[0].root = 1: has no meaning for the op all_reduce (try leaving it out)"}},
		{"op and kernel", small + "kernel = \"add\"\n", []string{`sim.toml:9: run[0].kernel = "add": a run has an op or a kernel, not both (try two [[run]] tables)`}},
		{"neither", "[[run]]\nsizes = \"1KiB\"\n", []string{`sim.toml:1: run[0]: has neither op, kernel nor program (try op = "all_reduce")`}},
		{"skew", small + "skew = [\"1us\", \"2us\"]\n", []string{`sim.toml:9: run[0].skew = ["1us", "2us"]: got 2 times for 4 ranks, want one time or one per rank`}},
		{"matmul without a shape", "[[run]]\nkernel = \"matmul\"\n", []string{"sim.toml:1: run[0].shape: is missing; matmul wants [m, n, k] (try shape = [256, 256, 256])"}},
		{"not TOML", "a = 1\n[sim\n", []string{"sim.toml:3: not TOML: expected"}},
		{"duplicate key", "[sim]\nseed = 1\nseed = 2\n", []string{"sim.toml:3: sim.seed: is set a second time; TOML takes a key once (try one of the two)"}},
		{"empty", "", []string{"sim.toml: there is no [[run]], so nothing to do"}},
		{"variant with a number for a name", small + "[[variant]]\nname = 5\n", []string{`sim.toml:10: variant[0].name = 5: got a whole number, want a text that heads the columns (try name = "rdma")`}},
		{"a profile that is not there", "[cluster]\nprofile = \"a33\"\n[[run]]\nop = \"all_reduce\"\n", []string{`sim.toml:2: cluster.profile = "a33": profile "a33": got no such name, want one of 910, a2, a3, 950dt, 950pr, 960, ideal, 910d or a path to a .toml file (try "a3")`}},
		{"variant without a name", small + "[[variant]]\nsim.seed = 2\n", []string{`sim.toml:9: variant[0].name: is missing; want a name that heads the columns (try name = "rdma")`}},
		{"variant names twice", small + "[[variant]]\nname = \"a\"\n[[variant]]\nname = \"a\"\n", []string{`sim.toml:12: variant[1].name = "a": is the name of an earlier variant already`}},
		{"unknown key in a variant", small + "[[variant]]\nname = \"a\"\ncluster.profil = \"a3\"\n", []string{`sim.toml:11: variant[0].cluster.profil = "a3": unknown key (try cluster.profile)`}},
		{"env out of range", "[env]\nHCCL_EXEC_TIMEOUT = \"2147483648\"\n" + small,
			[]string{`sim.toml:2: env.HCCL_EXEC_TIMEOUT = "2147483648": EI0001: want a whole number from 0 to 2147483647 in quotes (try "1836")`}},
		{"unknown variable", "[env]\nHCCL_BUFSIZE = \"1\"\n" + small, []string{`sim.toml:2: env.HCCL_BUFSIZE = "1": unknown key (try env.HCCL_BUFFSIZE)`}},
		{"plugin name", "[transport]\nROCE = \"rmda\"\n" + small, []string{`sim.toml:2: transport.ROCE.plugin = "rmda": want "rdma" or "ub", or the path of a .wasm file (try "rdma")`}},
		{"plugin file", "[plugins]\nkernels = [\"builtin\", \"mine.wasm\"]\n" + small, []string{`sim.toml:2: plugins.kernels = ["builtin", "mine.wasm"]: element 1: there is no file `}},
		{"protocol", "[transport]\nROCEE = \"rdma\"\n" + small, []string{`sim.toml:2: transport.ROCEE.plugin = "rdma": unknown key`}},
		{"real memory", "[[run]]\nop = \"all_reduce\"\nsizes = \"64GiB\"\n", []string{
			`sim.toml:3: run[0].sizes = "64GiB": the buffers of 8 ranks at 64GiB would need more real memory than sim.memory = 16GiB allows (try sim.data = "phantom"`}},
		{"several at once, in order", "[sim]\nseed = -1\ndata = \"fake\"\n[[run]]\nop = \"all_redcue\"\n", []string{
			"sim.toml:2: sim.seed = -1: want a whole number from 0 to 9223372036854775807",
			`sim.toml:3: sim.data = "fake": want one of real, phantom`,
			`sim.toml:5: run[0].op = "all_redcue": want one of all_reduce, all_gather, reduce_scatter, broadcast, all_to_all (try "all_reduce")`}},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, got := load(t, c.text, Options{})
			require.Len(t, got, len(c.want), "%q", got)
			for i := range got {
				assert.True(t, strings.HasPrefix(got[i], c.want[i]), "got  %s\nwant %s", got[i], c.want[i])
				assert.NotContains(t, got[i], "\n", "one paragraph")
				assert.LessOrEqual(t, strings.Count(got[i], " (try "), 1, got[i])
			}
		})
	}
}

func TestNotSupportedYet(t *testing.T) {
	for text, key := range map[string]string{
		"[env]\nHCCL_ALGO = \"level0:NA\"\n":                                                    "sim.toml:2: env.HCCL_ALGO",
		"[output]\ndb = \"x.db\"\n":                                                             "sim.toml:2: output.db",
		"[[run]]\nop = \"all_reduce\"\ncounts = [1]\n":                                          "sim.toml:3: run[0].counts",
		"[cluster]\nprofile = \"910d\"\n[[run]]\nop = \"all_reduce\"\nexpansion = \"ccu_ms\"\n": "sim.toml:5: run[0].expansion",
	} {
		if !strings.Contains(text, "[[run]]") {
			text += small[strings.Index(small, "[[run]]"):]
		}
		_, got := load(t, text, Options{})
		require.Len(t, got, 1, "%q: %q", text, got)
		assert.True(t, strings.HasPrefix(got[0], key+" = "), got[0])
		assert.Contains(t, got[0], "not supported yet: ")
	}
	// Set to their defaults they are fine: `hsim config` prints them.
	_, got := load(t, "[acl]\nstrict_events = false\n[plugins]\nccu = [\"builtin\"]\n[env]\nHCCL_CONNECT_TIMEOUT = \"120\"\n"+small, Options{})
	assert.Empty(t, got)
}

func TestBadSets(t *testing.T) {
	for set, want := range map[string]string{
		"cluster.profil=a3":   "--set cluster.profil=a3: cluster.profil = \"a3\": unknown key (try cluster.profile)",
		"nonsense":            "--set nonsense: want KEY=VALUE (try --set cluster.profile=a3)",
		"run[1].op=broadcast": `--set run[1].op=broadcast: run[1].op = "broadcast": there is no such run; the file has 1`,
		"run.blocks=4":        "--set run.blocks=4: run.blocks = 4: no run of the file takes this key",
		"sim.limit=5":         `--set sim.limit=5: sim.limit = 5: got a number without a unit, want a time (try "5us")`,
	} {
		_, got := load(t, small, Options{Sets: []string{set}})
		require.Equal(t, []string{want}, got, set)
	}
	_, got := load(t, small+"[[variant]]\nname = \"rdma\"\n", Options{Variant: "rmda"})
	require.Equal(t, []string{`sim.toml:9: there is no variant "rmda", want base or rdma (try rdma)`}, got)
}

func TestMissingFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "no.toml")
	_, err := Load(path, Options{})
	require.EqualError(t, err, path+": the file does not exist (try the sim.toml of the repository, or `hsim run PATH`)")
	_, err = Load(t.TempDir(), Options{})
	require.ErrorContains(t, err, "cannot be read: is a directory")
}

func TestPathsAreRelativeToTheFile(t *testing.T) {
	dir := t.TempDir()
	require.NoError(t, os.Mkdir(filepath.Join(dir, "plugins"), 0o755))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "plugins", "p.wasm"), nil, 0o600))
	sc, err := LoadText("sim.toml", dir, small+"[transport]\nTCP = \"plugins/p.wasm\"\n[output]\njson = \"out/r.json\"\n", Options{})
	require.NoError(t, err)
	assert.Equal(t, filepath.Join(dir, "plugins", "p.wasm"), sc.Variants[0].Transport[6].File)
	assert.Equal(t, filepath.Join(dir, "out", "r.json"), sc.Output.JSON)
}

// The schema's own defaults convert, every key is read by the code that builds a Config, and every page entry is complete.
func TestSchemaIsWhole(t *testing.T) {
	sc, bad := load(t, small+"[[fault]]\nlink = \"0/0\"\ndown = true\n[[device]]\nid = 0\n", Options{})
	require.Empty(t, bad)
	used := sc.Variants[0].values.used
	seen := map[string]bool{}
	for _, k := range Keys() {
		assert.False(t, seen[k.Path], "%s is declared twice", k.Path)
		seen[k.Path] = true
		assert.NotEmpty(t, k.Doc, k.Path)
		if k.Default != "" {
			assert.NotNil(t, k.defaultValue(), "default of %s", k.Path)
		}
		if k.Later == "" && k.Path != "variant[].name" {
			assert.True(t, used[k.Path], "%s is in the schema and nothing reads it", k.Path)
		}
	}
	for _, k := range topo.ParamKeys() {
		assert.True(t, seen["cluster.topology."+k.Name], "the topology parameter %s is not in the schema", k.Name)
	}
	for p := range used {
		assert.True(t, seen[p] || strings.HasSuffix(p, "params.*"), "%s is read and not in the schema", p)
	}
}
