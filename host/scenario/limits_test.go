package scenario

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"hsim/host/sim"
)

// refused loads a text and prepares it; what is wrong comes back as one text.
func refused(t *testing.T, dir, text string, o Options) string {
	t.Helper()
	sc, err := LoadText("sim.toml", dir, text, o)
	if err == nil {
		_, err = Run(context.Background(), sc, Hooks{})
	}
	var in *InputError
	require.ErrorAs(t, err, &in, text)
	return strings.ReplaceAll(err.Error(), dir+string(filepath.Separator), "")
}

// A key that is set twice is TOML's most puzzling error where the first is the short form of a table.
func TestSetTwice(t *testing.T) {
	for text, want := range map[string]string{
		"[cluster]\ntopology = \"mesh\"\n[cluster.topology]\nplanes = 1\n":  `sim.toml:3: cluster.topology: is set a second time; topology = "mesh" stands for the whole table (try topology = { kind = "mesh", planes = 1 }, or kind = "mesh" in [cluster.topology])`,
		"[cluster]\ntopology = \"star\"\ntopology.planes = 1\n":             `sim.toml:3: cluster.topology: is set a second time; topology = "star" stands for the whole table (try topology = { kind = "star", planes = 1 }, or`,
		"[cluster.topology]\nplanes = 1\n[cluster]\ntopology = 'clos'\n":    `sim.toml:4: cluster.topology: is set a second time; topology = "clos" stands for the whole table`,
		"[transport]\nHCCS = \"ub\"\n[transport.HCCS]\nplugin = \"rdma\"\n": `sim.toml:3: transport.HCCS: is set a second time; HCCS = "..." stands for the whole table (try HCCS = { plugin = "rdma", params = { mtu = "4KiB" } })`,
		"[transport]\nHCCS = \"ub\"\nHCCS.params.mtu = 5\n":                 "sim.toml:3: transport.HCCS: is set a second time",
		"[[run]]\nop = \"all_reduce\"\nop = \"all_gather\"\n":               "sim.toml:3: run.op: is set a second time; TOML takes a key once (try one of the two, or [[run]] above the second)",
		"[run]\nop = \"all_reduce\"\n[[run]]\nop = \"all_gather\"\n":        "sim.toml:3: run: is a table here and a list of tables elsewhere (try [[run]] in both places)",
	} {
		assert.Contains(t, refused(t, t.TempDir(), text, Options{}), want)
	}
}

// Files that are no sim.toml, or far too much of one, cost a message and nothing else.
func TestFilesBeyondAnySimToml(t *testing.T) {
	for name, c := range map[string]struct{ text, want string }{
		"nested":      {"x = " + strings.Repeat("[", 900_000), "sim.toml:1: brackets are nested more than 64 deep"},
		"nested, set": {"\n\ny = {a = " + strings.Repeat("[{b=", 100), "sim.toml:3: brackets are nested more than 64 deep"},
		"dotted":      {"a" + strings.Repeat(".a", 500_000) + " = 1", "sim.toml:1: a name has more than 64 parts"},
		"dotted head": {"\n[a" + strings.Repeat(".a", 500_000) + "]", "sim.toml:2: a name has more than 64 parts"},
		"variants":    {small + strings.Repeat("[[variant]]\n", 257), "has 1 [[run]] and 257 [[variant]] tables, want at most 256 and 256"},
		"runs":        {strings.Repeat("[[run]]\nop=\"all_reduce\"\n", 257), "has 257 [[run]] and 0 [[variant]] tables"},
		"rows":        {strings.Repeat("[[run]]\nop=\"all_reduce\"\nsizes=\"1..10000 +1\"\n", 101), "has more than 1000000 rows"},
	} {
		assert.Contains(t, refused(t, t.TempDir(), c.text, Options{}), c.want, name)
	}
	// Brackets in texts and comments do not nest.
	_, bad := load(t, "# "+strings.Repeat("[", 100)+"\n"+small+"[sim]\nname = \""+strings.Repeat("{", 40)+"\"\n", Options{})
	assert.Empty(t, bad)

	dir := t.TempDir()
	large := filepath.Join(dir, "large.toml")
	require.NoError(t, os.WriteFile(large, []byte(small+strings.Repeat("# comment\n", 200_000)), 0o600))
	_, err := Load(large, Options{})
	require.EqualError(t, err, large+": is larger than 1 MiB, want a sim.toml")
	_, err = Load("", Options{})
	require.EqualError(t, err, "sim.toml: got an empty file name (try `hsim run PATH`)")
}

// What cannot run is refused before anything is simulated, with the key to blame.
func TestRefusedBeforeTheRun(t *testing.T) {
	for text, want := range map[string]string{
		"[[run]]\nkernel = \"add\"\n[plugins]\nkernels = []\n":                                           `sim.toml:4: plugins.kernels = []: is empty, and a run wants a kernel (try ["builtin"])`,
		"[[run]]\nop = \"all_to_all\"\nin_place = true\n":                                                "sim.toml:3: run[0].in_place = true: has no meaning for the op all_to_all",
		"[cluster]\nprofile = \"910\"\ndevices = 5\n[[run]]\nop = \"broadcast\"\n":                       "sim.toml:3: cluster.devices = 5: HcclCommInit: HCCL_E_PARA (1), EI0003: got 5 devices in one server, want 1, 2, 4 or 8 on generation 910",
		"[transport]\nUB_CTP = { plugin = \"rdma\", params = { window = 3, mtu = 1 } }\n" + small:        "sim.toml:2: transport.UB_CTP.params.mtu = 1: plugin rdma: parameter mtu: the plugin refuses the value 1 (status -1, invalid), mtu is: payload of a full packet: 256, 512, 1024, 2048 or 4096",
		"[transport]\nUB_CTP = { plugin = \"rdma\", params = { window = 3, spray = \"on\" } }\n" + small: `sim.toml:2: transport.UB_CTP.params.spray = "on": plugin rdma: parameter spray: got "on", want true or false`,
		"[[run]]\nkernel = \"a\\u001b[31m\\n\"\n":                                                        `run[0].kernel = "a\x1b[31m\n": no module of plugins.kernels has a kernel a\x1b[31m\n or a\x1b[31m\n_fp32`,
		"[output]\njson = \"sim.toml\"\n" + small:                                                        "sim.toml:2: output.json = \"sim.toml\": is read as well, and would be lost (try another name)",
		"[output]\ntrace = \"sim.toml/x/y\"\n" + small:                                                   "sim.toml:2: output.trace = \"sim.toml/x/y\": ",
		"[output]\njson = \"new/\"\n" + small:                                                            "sim.toml:2: output.json = \"new/\": got a directory, want a file name",
	} {
		dir := t.TempDir()
		require.NoError(t, os.WriteFile(filepath.Join(dir, "sim.toml"), []byte(text), 0o600))
		assert.Contains(t, refused(t, dir, text, Options{}), want)
		entries, err := os.ReadDir(dir)
		require.NoError(t, err)
		assert.Len(t, entries, 1, "nothing is left behind")
	}
}

// An unknown key that is known elsewhere is named there first: it is more often misplaced than mistyped.
func TestSuggestions(t *testing.T) {
	for text, want := range map[string]string{
		"[[run]]\nop = \"all_reduce\"\nseed = 1\n":              "run[0].seed = 1: unknown key (try sim.seed)",
		"[[run]]\nop = \"all_reduce\"\n[run.cluster]\nx = 1\n":  "run[0].cluster = {...}: unknown key (try [cluster] on a line of its own)",
		small + "[[variant]]\nname = \"v\"\ndevices = 3\n":      "variant[0].devices = 3: unknown key (try cluster.devices)",
		"[[run]]\nop = \"all_reduce\"\n[simm]\nseed = 1\n":      "simm = {...}: unknown key (try [sim])",
		"[[run]]\nop = \"all_reduce\"\n[[runs]]\nop = \"x\"\n":  "runs = {...}: unknown key (try [[run]])",
		"[[run]]\nop = \"all_reduce\"\n[cluster]\nserver = 3\n": "cluster.server = 3: unknown key (try cluster.servers)",
		"[[run]]\nop = \"all_reduce\"\n[cluster]\nrun = 3\n":    "cluster.run = 3: unknown key (try [[run]] on a line of its own)",
	} {
		assert.Contains(t, refused(t, t.TempDir(), text, Options{}), want)
	}
}

// --set takes paths from where the user is and one value; flags of their own are named in errors.
func TestSetsOfTheCommandLine(t *testing.T) {
	here, err := os.Getwd()
	require.NoError(t, err)
	dir := t.TempDir()
	rdma := filepath.Join("..", "..", "plugins", "rdma", "rdma.wasm")
	sc, err := LoadText("sim.toml", dir, small, Options{Sets: []string{"transport.TCP=" + rdma, "plugins.kernels=[\"builtin\", \"../../plugins/kernels/kernels.wasm\"]", "output.json=out"},
		Flags: []RunKey{{Flag: "--trace", Key: "output.trace", Value: filepath.Join(dir, "t.json")}}})
	require.NoError(t, err)
	assert.Equal(t, filepath.Join(here, rdma), sc.Variants[0].Transport[6].File)
	assert.Equal(t, "builtin", sc.Variants[0].Kernels[0])
	assert.Equal(t, filepath.Join(here, "out"), sc.Output.JSON)
	assert.Equal(t, filepath.Join(dir, "t.json"), sc.Output.Trace)
	for set, want := range map[string]string{
		"sim.seed=1\nsim.data=\"phantom\"": `sim.seed = "1\nsim.data=\"phantom\"": got a text, want a whole number`,
		"run.root=1":                       `run.root = 1: no run of the file takes this key`,
		"variant.name=x":                   "keys of a [[variant]] cannot be set here (try --variant NAME, and the key itself)",
		"run[0]=1":                         "(try run[0].op = ...)",
		"sim.seed=" + strings.Repeat("[", 100_000): "got a text, want a whole number",
	} {
		assert.Contains(t, refused(t, dir, small, Options{Sets: []string{set}}), want)
	}
	assert.Contains(t, refused(t, dir, small, Options{Flags: []RunKey{{Flag: "--trace", Key: "output.trace", Value: dir}}}), "--trace: output.trace = ")
}

// The order of the command line decides which value of a key counts, and nothing else.
func TestSetsInAnyOrder(t *testing.T) {
	for _, sets := range [][]string{
		{"run.root=3", "run.op=broadcast"}, {"run.op=broadcast", "run.root=3"}, {"run.root=1", "run.op=broadcast", "run.root=3"},
	} {
		sc, err := LoadText("sim.toml", t.TempDir(), small, Options{Sets: sets})
		require.NoError(t, err, sets)
		r := sc.Variants[0].Runs[0]
		assert.Equal(t, "broadcast", r.Name())
		assert.Equal(t, 3, r.Root, sets)
	}
	text := "[[run]]\nkernel = \"add\"\n"
	sc, err := LoadText("sim.toml", t.TempDir(), text, Options{Sets: []string{"run.reduce=max", "run.kernel=reduce"}})
	require.NoError(t, err)
	assert.Equal(t, "reduce", sc.Variants[0].Runs[0].Kernel)
}

// More repetitions than a stream's queue holds: the host waits for room, as on the real system, and memory does not grow.
func TestManyIterations(t *testing.T) {
	text := "[cluster]\nprofile = \"a3\"\ndevices = 2\n[[run]]\nop = \"all_reduce\"\nsizes = \"4\"\n[[run]]\nkernel = \"add\"\nsizes = \"64\"\nblocks = 1\n"
	few := execute(t, text, Options{Sets: []string{"run.iterations=100"}}).Variants[0].Rows
	last := 0
	sc, err := LoadText("sim.toml", t.TempDir(), text, Options{Sets: []string{"run.iterations=5000"}})
	require.NoError(t, err)
	r, err := Run(context.Background(), sc, Hooks{Progress: func(p Progress) { last = p.Iteration }})
	require.NoError(t, err)
	require.Equal(t, OutcomeOK, r.Outcome, r.Variants[0].Errors)
	assert.Equal(t, 5000, last)
	for i, row := range r.Variants[0].Rows {
		assert.Equal(t, Success, row.Check)
		assert.InEpsilon(t, float64(few[i].TimeUS), float64(row.TimeUS), 0.02, "the average of many is that of few")
	}
}

// The end of the last row ends the simulation: what a connection still does then is nobody's result.
func TestTheLastRowEndsTheRun(t *testing.T) {
	r := execute(t, small, Options{}).Variants[0]
	var sum sim.Time
	for _, row := range r.Rows {
		sum += sim.Time(row.TimeUS)
	}
	assert.Equal(t, sum, sim.Time(r.EndUS), "rows follow each other, and nothing follows them")
}

// Small runs are exact: trains change nothing where packets are few.
func TestSmallRunsArePacketLevel(t *testing.T) {
	text := "[cluster]\nprofile = \"a3\"\ndevices = 5\ntopology = \"fattree\"\n[[run]]\nop = \"all_gather\"\nalgorithm = \"mesh\"\nsizes = \"200000\"\n[[run]]\nop = \"broadcast\"\nsizes = \"3MiB\"\n"
	auto := execute(t, text, Options{}).Variants[0].Rows
	one := execute(t, text, Options{Sets: []string{"fabric.train=1"}}).Variants[0].Rows
	for i := range auto {
		assert.Equal(t, one[i].TimeUS, auto[i].TimeUS)
	}
}

// The first generation counts time-outs in steps of 68 s and knows no "for ever"; retransmission has its limits by generation.
func TestVariablesByGeneration(t *testing.T) {
	text := func(profile, env string) string {
		return "[cluster]\nprofile = \"" + profile + "\"\ndevices = 2\n[env]\n" + env + "\n[[run]]\nop = \"all_reduce\"\n"
	}
	for env, want := range map[string]sim.Time{`"600"`: 544, `"67"`: 68, `"1836"`: 1836, `"17340"`: 17340} {
		s, bad := load(t, text("910", "HCCL_EXEC_TIMEOUT = "+env), Options{})
		require.Empty(t, bad)
		require.Equal(t, want*sim.Second, s.Variants[0].ExecTimeout, env)
	}
	s, bad := load(t, text("a2", `HCCL_EXEC_TIMEOUT = "600"`), Options{})
	require.Empty(t, bad)
	require.Equal(t, 600*sim.Second, s.Variants[0].ExecTimeout)
	for _, c := range [][3]string{
		{"910", `HCCL_EXEC_TIMEOUT = "0"`, "EI0001: want a whole number from 1 to 17340 in quotes on generation 910"},
		{"910", `HCCL_RDMA_TIMEOUT = "25"`, "EI0001: want a whole number from 5 to 24 in quotes on generation 910"},
		{"a2", `HCCL_RDMA_TIMEOUT = "21"`, "EI0001: want a whole number from 5 to 20 in quotes on generation A2"},
		{"a3", `HCCL_RDMA_TIMEOUT = "4"`, "EI0001: want a whole number from 5 to 20 in quotes on generation A3"},
	} {
		_, bad := load(t, text(c[0], c[1]), Options{})
		require.Len(t, bad, 1, c)
		require.Contains(t, bad[0], c[2])
	}
	_, bad = load(t, text("950dt", `HCCL_RDMA_TIMEOUT = "31"`), Options{})
	require.Empty(t, bad)
}

// A switch whose buffer has no room for one packet would drop them all: refused by the byte.
func TestBufferBelowAPacket(t *testing.T) {
	two := "[cluster]\nprofile = \"950dt\"\ndevices = 2\n%s[[run]]\nop = \"all_reduce\"\nsizes = \"64KiB\"\n[fabric.buffer]\n"
	for _, c := range []struct {
		cluster, protocol string
		packet            int64 // 4096, headers, notify
	}{
		{"", "UB_CTP", 4096 + 36 + 8},
		{"scale_up = \"UB_TP\"\n", "UB_TP", 4096 + 78 + 8},
		{"scale_up = \"UB_MEM\"\n", "UB_MEM", 4096 + 8*28 + 8},
		{"[[device]]\nid = 0\nmtu = 1024\n[[device]]\nid = 1\nmtu = 1024\n", "UB_CTP", 1024 + 36 + 8},
	} {
		text := fmt.Sprintf(two, c.cluster)
		v := execute(t, text+fmt.Sprintf("shared = %d\n", 2*c.packet), Options{}).Variants[0]
		require.Equal(t, OutcomeOK, v.Outcome, v.Errors)
		assert.Zero(t, v.Network.Drops)
		got := refused(t, t.TempDir(), text+fmt.Sprintf("shared = %d\n", 2*c.packet-1), Options{})
		assert.Contains(t, got, fmt.Sprintf("fabric.buffer.shared = %d: a full packet of %s takes %dB of a switch, and one port and lane may hold %dB", 2*c.packet-1, c.protocol, c.packet, c.packet-1))
		assert.Contains(t, refused(t, t.TempDir(), text+"reserve = 512\n", Options{}), "fabric.buffer.reserve = 512: a full packet of ")
	}
	// Devices that are linked pair by pair have no switch between them.
	mesh := "[cluster]\nprofile = \"950dt\"\ndevices = 2\ntopology = { kind = \"mesh\", nic = \"none\" }\n[[run]]\nop = \"all_reduce\"\nsizes = \"64KiB\"\n[fabric.buffer]\nshared = 1\n"
	assert.Equal(t, OutcomeOK, execute(t, mesh, Options{}).Outcome)
}

// The layer below keeps the order over one way only.
func TestOrderOfTheLayerBelow(t *testing.T) {
	text := "[cluster]\nprofile = \"950dt\"\ndevices = 2\n[[run]]\nop = \"all_reduce\"\nsizes = \"64KiB\"\n[transport]\nUB_CTP = { plugin = \"ub\", params = { order = \"lower\" } }\n"
	assert.Contains(t, refused(t, t.TempDir(), text, Options{}),
		`sim.toml:8: transport.UB_CTP.params.order = "lower": npu0 and npu1 have 8 ways to each other over UB_CTP, between which packets overtake, want one (try "target")`)
	for _, sets := range [][]string{{`cluster.topology={kind="star", planes=1}`}, {"transport.UB_CTP.params.channels=4"}} {
		r := execute(t, text, Options{Sets: sets})
		assert.Equal(t, OutcomeOK, r.Outcome, r.Variants[0].Errors)
	}
}
