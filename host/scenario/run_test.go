package scenario

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"hsim/host/sim"
)

// execute runs a text and returns the report; nothing may be wrong with it.
func execute(t *testing.T, text string, o Options) *Report {
	t.Helper()
	sc, err := LoadText("sim.toml", t.TempDir(), text, o)
	require.NoError(t, err)
	r, err := Run(context.Background(), sc, Hooks{})
	require.NoError(t, err)
	return r
}

func jsonOf(t *testing.T, r *Report) string {
	t.Helper()
	var b bytes.Buffer
	require.NoError(t, r.WriteJSON(&b))
	return b.String()
}

const everything = `
[sim]
name = "a3"
[cluster]
profile = "a3"
devices = 4
[[run]]
op = "all_reduce"
sizes = "1KiB..1MiB x32"
[[run]]
op = "all_reduce"
algorithm = "nhr"
in_place = true
iterations = 2
[[run]]
op = "all_gather"
dtype = "int8"
check = "all"
iterations = 3
warmup = 1
[[run]]
op = "all_gather"
in_place = true
[[run]]
op = "reduce_scatter"
dtype = "fp16"
reduce = "max"
[[run]]
op = "reduce_scatter"
in_place = true
input = "rank"
[[run]]
op = "all_to_all"
dtype = "int64"
sizes = [4, "100KiB"]
[[run]]
op = "broadcast"
root = 3
skew = "5us"
[[run]]
kernel = "add"
[[run]]
kernel = "scale"
dtype = "int32"
[[run]]
kernel = "reduce"
dtype = "bf16"
reduce = "prod"
[[run]]
kernel = "matmul"
dtype = "bf16"
shape = [65, 33, 300]
[[variant]]
name = "910d"
cluster.profile = "910d"
cluster.topology = "mesh"
[[variant]]
name = "rdma"
transport.HCCS = "rdma"
run.expansion = "host"
`

func TestEverythingIsComputedAndChecked(t *testing.T) {
	r := execute(t, everything, Options{})
	assert.Equal(t, OutcomeOK, r.Outcome)
	require.Len(t, r.Variants, 3)
	for _, v := range r.Variants {
		assert.Empty(t, v.Errors)
		assert.Empty(t, v.Warnings)
		assert.Nil(t, v.Stall)
		assert.Equal(t, 15, v.Complete(), v.Name)
		for _, row := range v.Rows {
			assert.Equal(t, Success, row.Check, "%s: %s of %d", v.Name, row.Op, row.Size)
			assert.Positive(t, row.TimeUS, row.Op)
		}
	}
}

func TestPhantomTakesTheSameTime(t *testing.T) {
	real := execute(t, everything, Options{})
	phantom := execute(t, everything, Options{Sets: []string{"sim.data=phantom"}})
	for i, v := range real.Variants {
		p := phantom.Variants[i]
		assert.Equal(t, v.EndUS, p.EndUS)
		require.Len(t, p.Rows, len(v.Rows))
		for k := range v.Rows {
			assert.Equal(t, v.Rows[k].TimeUS, p.Rows[k].TimeUS, "%s: %s of %d", v.Name, v.Rows[k].Op, v.Rows[k].Size)
			assert.Equal(t, NoCheck, p.Rows[k].Check)
		}
	}
}

func TestSameTwice(t *testing.T) {
	a, b := execute(t, everything, Options{}), execute(t, everything, Options{})
	assert.Equal(t, jsonOf(t, a), jsonOf(t, b))
}

// The workloads W1 and W2: 2(N-1)(B/(N bw)+L) and (N-1)(m/bw+L), at 50 GB/s and 1 us.
func TestIdealEqualsTheClosedForms(t *testing.T) {
	const text = "[sim]\ndata = \"phantom\"\n[cluster]\nprofile = \"ideal\"\ndevices = 16\n[cluster.topology]\nkind = \"star\"\nplanes = 1\n" +
		"[[run]]\nop = \"all_reduce\"\nalgorithm = \"ring\"\nsizes = \"1MiB\"\n" +
		"[[run]]\nop = \"all_to_all\"\nalgorithm = \"pairwise\"\n"
	for _, c := range []struct{ devices, reduce, exchange string }{
		{"16", "69.3", "34.66"}, {"64", "167.3", "145.58"}, {"256", "551.8", "589.23"},
	} {
		sizes := map[string]string{"16": "1MiB", "64": "4MiB", "256": "16MiB"}[c.devices] // 64 KiB for each pair
		r := execute(t, text, Options{Sets: []string{"cluster.devices=" + c.devices, "run[1].sizes=" + sizes}})
		rows := r.Variants[0].Rows
		for i, want := range []string{c.reduce, c.exchange} {
			d, err := parseMicros(want)
			require.NoError(t, err)
			assert.InEpsilon(t, float64(d), float64(rows[i].TimeUS), 0.001, "%s of %s devices", rows[i].Op, c.devices)
		}
	}
}

func parseMicros(s string) (sim.Time, error) {
	v, w := asTime(s + "us")
	if w != nil {
		return 0, w
	}
	return v.(sim.Time), nil
}

const addKernel = "[cluster]\nprofile = \"a3\"\ndevices = 2\n[[run]]\nkernel = \"add_int32\"\ndtype = \"int32\"\nsizes = \"1KiB\"\n"

func TestExpectations(t *testing.T) {
	row := func(text string) Row {
		r := execute(t, addKernel+text, Options{})
		return r.Variants[0].Rows[0]
	}
	assert.Equal(t, Ran, row("").Check, "nothing is known about this name")
	assert.Equal(t, Success, row("expect = \"in0 + in1\"\n").Check)
	wrong := row("expect = \"in0 + 2*in1\"\n")
	assert.Equal(t, Failed, wrong.Check)
	assert.Equal(t, "rank 0, element 0: got 5, want 10", wrong.Detail)
	null := row("expect = \"4294967296 + in0\"\n")
	assert.Equal(t, NoCheck, null.Check)
	assert.Contains(t, null.Detail, "element 0 should be 4294967296, which does not fit into int32")
}

func TestFailedCheckIsAnOutcome(t *testing.T) {
	r := execute(t, addKernel+"expect = \"0-1\"\n[[run]]\nkernel = \"add\"\n", Options{})
	assert.Equal(t, OutcomeFailed, r.Outcome)
	require.Len(t, r.Variants[0].Rows, 2, "a wrong result does not end the run")
	assert.Equal(t, Success, r.Variants[0].Rows[1].Check)
	assert.Equal(t, []string{"add_int32 of 1024 bytes: wrong result: rank 0, element 0: got 5, want -1"}, r.Variants[0].Errors)
}

// probeKernels is a module with kernels that misbehave.
func probeKernels(t *testing.T) string {
	t.Helper()
	path, err := filepath.Abs(filepath.Join("..", "kernel", "testdata", "probe.wasm"))
	require.NoError(t, err)
	return "[plugins]\nkernels = [\"" + path + "\", \"builtin\"]\n[cluster]\nprofile = \"a3\"\ndevices = 2\n"
}

func TestBrokenKernelsFailTheirTask(t *testing.T) {
	for name, want := range map[string]string{
		"far_local": "function far_local, block 0 of 48: memory access: DMA in",
		"far_write": "function far_write, block 0 of 48: memory access: wasm: plugin",
	} {
		r := execute(t, probeKernels(t)+"[[run]]\nkernel = \""+name+"\"\nargs = [\"in\", \"n\", \"u64:1\", \"u64:0x7fffffff\"]\n[[run]]\nkernel = \"add\"\n", Options{})
		v := r.Variants[0]
		assert.Equal(t, OutcomeFailed, r.Outcome)
		require.Len(t, v.Rows, 1, "what failed may have left the device broken")
		assert.Equal(t, Failed, v.Rows[0].Check)
		assert.Zero(t, v.Rows[0].AlgGBps)
		require.Len(t, v.Errors, 1)
		assert.Contains(t, v.Errors[0], want)
	}
}

func TestStallIsReported(t *testing.T) {
	r := execute(t, probeKernels(t)+"[[run]]\nkernel = \"flag\"\nblocks = 1\nargs = [\"in\", \"u64:0\", \"u64:1\", \"u64:5\"]\n", Options{})
	v := r.Variants[0]
	assert.Equal(t, OutcomeStalled, r.Outcome)
	assert.True(t, r.Stalled())
	assert.Empty(t, v.Rows, "the row never ended")
	require.NotNil(t, v.Stall)
	var who []string
	for _, w := range v.Stall.Waiting {
		who = append(who, w.Who)
		assert.NotEqual(t, director, w.Who)
	}
	assert.Contains(t, who, "rank 1 / device 1 kernel flag block 0")
	assert.Contains(t, v.Stall.String(), "rank 0 / device 0 / stream 0 waits for the end of kernel flag")
	assert.Contains(t, jsonOf(t, r), `"waits_for": "memory at 0x`)
}

func TestLimitAndInterruptGivePartialReports(t *testing.T) {
	text := "[cluster]\nprofile = \"a3\"\n[[run]]\nop = \"all_reduce\"\nsizes = \"1KiB..4KiB x2\"\n[[variant]]\nname = \"b\"\n"
	r := execute(t, text, Options{Sets: []string{"sim.limit=100us"}})
	assert.Equal(t, OutcomeLimit, r.Outcome)
	for _, v := range r.Variants {
		assert.Equal(t, OutcomeLimit, v.Outcome)
		assert.Equal(t, 1, v.Complete())
		assert.EqualValues(t, 100*sim.Microsecond, v.EndUS)
	}

	sc, err := LoadText("sim.toml", t.TempDir(), text, Options{})
	require.NoError(t, err)
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	r, err = Run(ctx, sc, Hooks{Progress: func(p Progress) {
		if p.Done == 1 {
			cancel()
			<-ctx.Done()
		}
	}})
	require.NoError(t, err)
	assert.Equal(t, OutcomeInterrupted, r.Outcome)
	require.Len(t, r.Variants, 2)
	assert.GreaterOrEqual(t, r.Variants[0].Complete(), 1)
	assert.Equal(t, 0, r.Variants[1].Complete())
	assert.Equal(t, OutcomeInterrupted, r.Variants[1].Outcome)
}

func TestSkewDelaysTheRun(t *testing.T) {
	base := execute(t, small, Options{}).Variants[0].Rows[0].TimeUS
	late := execute(t, small, Options{Sets: []string{"run.skew=[\"0us\", \"0us\", \"7us\", \"0us\"]"}}).Variants[0].Rows[0].TimeUS
	assert.Equal(t, base+Micros(7*sim.Microsecond), late, "everybody waits for the late rank")
	all := execute(t, small, Options{Sets: []string{"run.skew=[\"7us\", \"7us\", \"7us\", \"7us\"]"}}).Variants[0].Rows[0].TimeUS
	assert.Equal(t, base, all, "the time counts from the first entry")
}

func TestIterationsAreAveraged(t *testing.T) {
	one := execute(t, small, Options{}).Variants[0].Rows
	ten := execute(t, small, Options{Sets: []string{"run.iterations=10", "run.warmup=3"}}).Variants[0].Rows
	for i := range one {
		assert.InEpsilon(t, float64(one[i].TimeUS), float64(ten[i].TimeUS), 0.001, "the ideal chip has no start-up to hide")
		assert.Equal(t, 10, ten[i].Iterations)
	}
}

func TestTraceHasStreamsPortsAndCores(t *testing.T) {
	dir := t.TempDir()
	text := "[cluster]\nprofile = \"a3\"\ndevices = 2\n[output]\ntrace = \"out/trace.json\"\n[[run]]\nop = \"all_reduce\"\nsizes = \"64KiB\"\n[[run]]\nkernel = \"add\"\n"
	var traces [2][]byte
	for i := range traces {
		sc, err := LoadText("sim.toml", dir, text, Options{})
		require.NoError(t, err)
		_, err = Run(context.Background(), sc, Hooks{})
		require.NoError(t, err)
		traces[i], err = os.ReadFile(filepath.Join(dir, "out", "trace.json"))
		require.NoError(t, err)
	}
	require.True(t, bytes.Equal(traces[0], traces[1]), "byte-equal")

	// One group a device, from what the program asked for down to the wire, then the switches.
	groups, spans := readTrace(t, traces[0])
	require.GreaterOrEqual(t, len(groups), 3)
	for i, g := range groups[:2] {
		assert.Equal(t, fmt.Sprintf("rank %d / device %d", i, i), g.name)
		var kinds []string
		for _, track := range g.tracks {
			if k := strings.TrimRight(track, "0123456789/"); len(kinds) == 0 || kinds[len(kinds)-1] != k {
				kinds = append(kinds, k)
			}
		}
		assert.Equal(t, []string{"calls", "stream ", "vector core ", "port "}, kinds)
	}
	assert.Equal(t, "sw0.0", groups[2].name)
	for _, want := range []string{"all_reduce fp32 64KiB", "all_reduce ring", "send 1", "await-data 1", "reduce", "add_fp32", "npu1"} {
		assert.Contains(t, spans, want)
	}
	for _, dull := range []string{"feeder", "op", "data", "all_reduce auto"} {
		assert.NotContains(t, spans, dull)
	}
}

type traceGroup struct {
	name   string
	tracks []string
}

// readTrace returns the groups of a trace with their tracks, both in the order in which they are shown, and the names of
// the spans. Spans of one track nest or follow each other.
func readTrace(t *testing.T, raw []byte) ([]traceGroup, map[string]bool) {
	t.Helper()
	type event struct {
		Ph, Name string
		Pid, Tid int
		Ts, Dur  float64
		Args     struct{ Name string }
	}
	var doc struct{ TraceEvents []event }
	require.NoError(t, json.Unmarshal(raw, &doc))
	var groups []traceGroup
	spans := map[string]bool{}
	tracks := map[[2]int][]event{}
	for _, e := range doc.TraceEvents {
		switch {
		case e.Name == "process_name":
			groups = append(groups, traceGroup{name: e.Args.Name})
		case e.Name == "thread_name":
			g := &groups[len(groups)-1]
			g.tracks = append(g.tracks, e.Args.Name)
		case e.Ph == "X":
			spans[e.Name] = true
			k := [2]int{e.Pid, e.Tid}
			tracks[k] = append(tracks[k], e)
		}
	}
	for k, l := range tracks {
		slices.SortStableFunc(l, func(a, b event) int { return cmp.Or(cmp.Compare(a.Ts, b.Ts), -cmp.Compare(a.Dur, b.Dur)) })
		var open []event
		for _, e := range l {
			for len(open) > 0 && open[len(open)-1].Ts+open[len(open)-1].Dur < e.Ts+1e-7 {
				open = open[:len(open)-1]
			}
			if len(open) > 0 {
				around := open[len(open)-1]
				require.LessOrEqual(t, e.Ts+e.Dur, around.Ts+around.Dur+1e-7, "track %v: %s and %s overlap", k, e.Name, around.Name)
			}
			open = append(open, e)
		}
	}
	return groups, spans
}

func TestModulesAreRefusedBeforeAnythingRuns(t *testing.T) {
	dir := t.TempDir()
	rdma, err := readModule("rdma", "")
	require.NoError(t, err)
	kernels, err := readModule("kernels", "")
	require.NoError(t, err)
	write := func(name string, b []byte) {
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), b, 0o600))
	}
	write("corrupt.wasm", rdma[:len(rdma)/2])
	write("text.wasm", []byte("not a module"))
	write("kernels.wasm", kernels)
	write("v2.wasm", bytes.ReplaceAll(rdma, []byte("hsim_abi_transport_v1"), []byte("hsim_abi_transport_v2")))
	for _, c := range []struct{ line, want string }{
		{"UB_CTP = \"corrupt.wasm\"", "sim.toml:10: transport.UB_CTP.plugin = \"corrupt.wasm\": "},
		{"UB_CTP = \"text.wasm\"", "sim.toml:10: transport.UB_CTP.plugin = \"text.wasm\": "},
		{"UB_CTP = \"kernels.wasm\"", "got another kind of plugin (exports hsim_abi_kernel_v1)"},
		{"UB_CTP = \"v2.wasm\"", "got version 2 of the transport interface, want version 1"},
		{"ROCE = \"v2.wasm\"", "sim.toml:10: transport.ROCE.plugin = \"v2.wasm\": "},
		{"UB_CTP = { plugin = \"ub\", params = { windw = 3 } }", "unknown parameter windw (did you mean window?)"},
		{"UB_CTP = { plugin = \"rdma\", params = { mtu = \"4us\" } }", "sim.toml:10: transport.UB_CTP.params.mtu = \"4us\": "},
	} {
		text := small + "[transport]\n" + c.line + "\n[output]\njson = \"out/report.json\"\ntrace = \"out/trace.json\"\n"
		sc, err := LoadText("sim.toml", dir, text, Options{})
		require.NoError(t, err, c.line)
		_, err = Run(context.Background(), sc, Hooks{})
		var in *InputError
		require.ErrorAs(t, err, &in, c.line)
		require.Len(t, in.Problems, 1)
		assert.Contains(t, strings.ReplaceAll(in.Problems[0].String(), dir+"/", ""), c.want)
		assert.NoDirExists(t, filepath.Join(dir, "out"))
	}
	sc, err := LoadText("sim.toml", dir, "[plugins]\nkernels = [\"v2.wasm\"]\n"+small, Options{})
	require.NoError(t, err)
	_, err = Run(context.Background(), sc, Hooks{})
	require.ErrorContains(t, err, "sim.toml:2: plugins.kernels")
	sc, err = LoadText("sim.toml", dir, "[[run]]\nkernel = \"ad\"\n", Options{})
	require.NoError(t, err)
	_, err = Run(context.Background(), sc, Hooks{})
	require.ErrorContains(t, err, "sim.toml:2: run[0].kernel = \"ad\": no module of plugins.kernels has a kernel ad or ad_fp32 (try add_bf16, add_fp16, add_fp32 or add_int32)")
}

func TestTopologyProblemsNameTheFile(t *testing.T) {
	for text, want := range map[string]string{
		"[cluster]\nprofile = \"a3\"\ntopology = \"mesh\"\ndevices = 1000\n":                          "sim.toml:3: cluster.topology.kind = \"mesh\": build mesh: ",
		"[cluster]\nprofile = \"a3\"\ndevices = 7\n[cluster.topology]\nkind = \"clos\"\nleaves = 3\n": "sim.toml:6: cluster.topology.leaves = 3: build clos: leaves: got 3",
		"[cluster]\nprofile = \"a3\"\nservers = 3\ndevices = 1\nhosts = 2\n":                          "sim.toml:5: cluster.hosts = 2: build star: hosts: ",
		"[cluster]\nprofile = \"910\"\ndevices = 3\n[cluster.topology]\nkind = \"fattree\"\nk = 3\n":  "sim.toml:",
	} {
		sc, err := LoadText("sim.toml", t.TempDir(), text+small[strings.Index(small, "[[run]]"):], Options{Sets: []string{"sim.memory=1TiB"}})
		if err == nil {
			_, err = Run(context.Background(), sc, Hooks{})
		}
		var in *InputError
		require.ErrorAs(t, err, &in, text)
		assert.Contains(t, err.Error(), want)
	}
}
