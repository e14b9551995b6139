package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// binary is the program under test, built once: exit codes and signals are those of a process.
var binary string

func TestMain(m *testing.M) {
	dir, err := os.MkdirTemp("", "hsim-cli-*")
	if err != nil {
		panic(err)
	}
	binary = filepath.Join(dir, "hsim")
	build := exec.Command("go", "build", "-o", binary, ".")
	if out, err := build.CombinedOutput(); err != nil {
		panic("build: " + err.Error() + "\n" + string(out))
	}
	code := m.Run()
	_ = os.RemoveAll(dir)
	os.Exit(code)
}

type result struct {
	code           int
	stdout, stderr string
}

// hsim runs the program in dir.
func hsim(t *testing.T, dir string, args ...string) result {
	t.Helper()
	return command(t, dir, nil, args...)
}

func command(t *testing.T, dir string, env []string, args ...string) result {
	t.Helper()
	cmd := exec.Command(binary, args...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), env...)
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	err := cmd.Run()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		t.Fatal(err)
	}
	return result{cmd.ProcessState.ExitCode(), out.String(), errs.String()}
}

// write puts a sim.toml into a new directory.
func write(t *testing.T, text string) string {
	t.Helper()
	dir := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(dir, "sim.toml"), []byte(text), 0o600))
	return dir
}

const repository = "../.."

const small = "[cluster]\nprofile = \"ideal\"\ndevices = 4\n[[run]]\nop = \"all_reduce\"\nsizes = \"1KiB..4KiB x2\"\n"

// The file a newcomer runs first: green, and the same bytes every time, on one processor too.
func TestCommittedScenario(t *testing.T) {
	dir := t.TempDir()
	var reports, traces []string
	for i, env := range [][]string{nil, {"GOMAXPROCS=1"}} {
		trace := filepath.Join(dir, string(rune('a'+i))+".json")
		r := command(t, repository, env, "run", "sim.toml", "--json", "--trace", trace)
		require.Equal(t, 0, r.code, r.stderr)
		reports = append(reports, r.stdout)
		raw, err := os.ReadFile(trace)
		require.NoError(t, err)
		traces = append(traces, string(raw))
	}
	assert.Equal(t, reports[0], reports[1])
	assert.True(t, traces[0] == traces[1], "the traces are byte-equal")

	var report struct {
		Outcome  string
		Variants []struct {
			Chip       string
			Transports []struct{ Plugin, Name string }
			Rows       []struct{ Check string }
		}
	}
	require.NoError(t, json.Unmarshal([]byte(reports[0]), &report))
	assert.Equal(t, "ok", report.Outcome)
	chips, plugins := map[string]bool{}, map[string]bool{}
	for _, v := range report.Variants {
		chips[v.Chip] = true
		for _, x := range v.Transports {
			plugins[x.Name] = true
			assert.True(t, strings.HasSuffix(x.Plugin, ".wasm"), "%s is a file, nothing that is compiled in", x.Plugin)
		}
		assert.NotEmpty(t, v.Rows)
		for _, row := range v.Rows {
			assert.Equal(t, "success", row.Check)
		}
	}
	assert.Equal(t, map[string]bool{"a3": true, "950dt": true}, chips)
	assert.Equal(t, map[string]bool{"rdma": true, "ub": true}, plugins)
}

func TestTableOfRun(t *testing.T) {
	dir := write(t, small+"[[variant]]\nname = \"two\"\nrun.algorithm = \"ring\"\n")
	r := hsim(t, dir, "run", "--set", "sim.name=one")
	require.Equal(t, 0, r.code, r.stderr)
	assert.Empty(t, r.stderr, "stderr is for progress and log")
	group := "aveg_time(us): | alg_bandwidth(GB/s): | bus_bandwidth(GB/s): | check_result:"
	assert.Contains(t, r.stdout, "\ndata_size(Bytes): | "+group+" | "+group+"\n")
	assert.Contains(t, r.stdout, "one: chip ideal (Ideal), 1 x 4 devices, star; UB_CTP over ub 1.0\n")
	assert.Regexp(t, regexp.MustCompile(`(?m)^ +\| one: nhr on host +\| two: ring on host$`), r.stdout)
	assert.Regexp(t, regexp.MustCompile(`(?m)^1024              \| \d+\.\d\d +\| \d+\.\d{5} +\| \d+\.\d{5} +\| success       \| \d+\.\d\d .*\| success$`), r.stdout)

	one := hsim(t, dir, "run", "--variant", "two")
	require.Equal(t, 0, one.code)
	assert.NotContains(t, one.stdout, "one:")
}

// The lines of the real tool, width for width.
func TestHcclTest(t *testing.T) {
	dir := t.TempDir()
	r := hsim(t, dir, "hccl-test", "all_reduce", "-b", "8K", "-e", "32K", "-f", "2", "-d", "fp32", "-o", "sum", "-r", "0", "-n", "20", "-w", "5", "-c", "1", "-p", "8")
	require.Equal(t, 0, r.code, r.stderr)
	lines := strings.Split(r.stdout, "\n")
	require.Len(t, lines, 6)
	assert.Equal(t, "the minbytes is 8192, maxbytes is 32768, iters is 20, warmup_iters is 5", lines[0])
	assert.Equal(t, "data_size(Bytes): | aveg_time(us): | alg_bandwidth(GB/s): | check_result:", lines[1])
	row := regexp.MustCompile(`^\d+ +\| \d+\.\d\d +\| \d+\.\d{5} +\| success$`)
	for i, size := range []string{"8192", "16384", "32768"} {
		line := lines[2+i]
		assert.Regexp(t, row, line)
		assert.True(t, strings.HasPrefix(line, size+" "))
		assert.Equal(t, 17, strings.Index(line, " | "))
		assert.Equal(t, 17+3+14, strings.Index(line[20:], " | ")+20)
	}

	// The mean over 20 back-to-back repetitions, with the tool's numerator for all_gather: what all ranks have in the end.
	r = hsim(t, dir, "hccl-test", "all_gather", "-b", "1M", "-e", "1M", "-p", "4", "--json", "--set", "cluster.profile=ideal")
	require.Equal(t, 0, r.code, r.stderr)
	var report struct {
		Variants []struct {
			Rows []struct {
				Time  float64 `json:"time_us"`
				Alg   float64 `json:"alg_bandwidth_gbps"`
				Bytes int64
			}
		}
	}
	require.NoError(t, json.Unmarshal([]byte(r.stdout), &report))
	row0 := report.Variants[0].Rows[0]
	assert.InDelta(t, 1048576/row0.Time/1000, row0.Alg, 1e-4)
	assert.EqualValues(t, 1048576, row0.Bytes)

	// As in the tool, sizes are of the whole operation: a rank of three has a third of the bytes, and sizes become multiples of
	// the ranks (above 16 MiB of 512 bytes for each).
	for _, op := range []string{"all_gather", "reduce_scatter", "all_to_all"} {
		r = hsim(t, dir, "hccl-test", op, "-b", "10", "-e", "100", "-i", "40", "-n", "1", "-w", "0", "-p", "3", "-d", "int8", "--set", "cluster.profile=ideal")
		require.Equal(t, 0, r.code, r.stderr)
		assert.Contains(t, r.stdout, "the minbytes is 9, maxbytes is 99, iters is 1")
		assert.Regexp(t, `\n9 .*success\n51 .*success\n93 .*success\n$`, r.stdout)
	}
	r = hsim(t, dir, "hccl-test", "all_gather", "-b", "100M", "-e", "100M", "-n", "1", "-w", "0", "-p", "6", "-c", "0", "--set", "sim.data=phantom")
	require.Equal(t, 0, r.code, r.stderr)
	assert.Contains(t, r.stdout, "the minbytes is 104856576, maxbytes is 104857596, iters is 1")
	r = hsim(t, dir, "hccl-test", "all_gather", "-b", "8", "-e", "1G", "-i", "1")
	assert.Equal(t, 2, r.code)
	assert.Contains(t, r.stderr, "got more than 10000 from 8 to 1073741824 bytes")

	// int8 sums of twos: 63 ranks are verified, 64 are not, and a warning says so (hccl_test prints NULL).
	for ranks, want := range map[string]string{"63": "success", "64": "NULL"} {
		r = hsim(t, dir, "hccl-test", "all_reduce", "-d", "int8", "-b", "1K", "-e", "1K", "-n", "1", "-w", "0", "-p", ranks, "--set", "cluster.profile=ideal")
		require.Equal(t, 0, r.code, r.stderr)
		assert.Contains(t, r.stdout, "| "+want+"\n")
		assert.Equal(t, want == "NULL", strings.Contains(r.stderr, "warning: all_reduce of 1024 bytes: the results of 64 ranks do not fit into int8"))
	}
	r = hsim(t, dir, "hccl-test", "all_reduce", "-c", "0", "-b", "1K", "-e", "1K", "-n", "1", "-w", "0", "-p", "2")
	assert.Contains(t, r.stdout, "| NULL\n")
	assert.Empty(t, r.stderr)
}

// Every case is one paragraph on stderr that names the place and the remedy, exit code 2, and no file.
func TestBadInput(t *testing.T) {
	rdma, err := os.ReadFile(filepath.Join(repository, "plugins/rdma/rdma.wasm"))
	require.NoError(t, err)
	kernels, err := os.ReadFile(filepath.Join(repository, "plugins/kernels/kernels.wasm"))
	require.NoError(t, err)
	v2 := bytes.ReplaceAll(rdma, []byte("hsim_abi_transport_v1"), []byte("hsim_abi_transport_v2"))
	out := "\n[output]\njson = \"report.json\"\ntrace = \"trace.json\"\n"
	three := "[[run]]\nop = \"all_reduce\"\ndytpe = \"fp32\"\n[[run]]\nop = \"all_gather\"\n[[run]]\nop = \"broadcast\"\n"
	for _, c := range []struct {
		name string
		text string
		args []string
		want []string
	}{
		{"missing file", "", []string{"run", "nothing.toml"}, []string{"nothing.toml: the file does not exist (try "}},
		{"unknown key in the first of three runs", three, nil, []string{`sim.toml:3: run[0].dytpe = "fp32": unknown key (try run[0].dtype)`}},
		{"wrong unit", "[sim]\nlimit = \"5KiB\"\n" + small, nil, []string{`sim.toml:2: sim.limit = "5KiB": got unit "KiB", want a time`}},
		{"zero count", strings.Replace(small, "devices = 4", "devices = 0", 1), nil, []string{"sim.toml:3: cluster.devices = 0: want a whole number from 1 to"}},
		{"absurd count", strings.Replace(small, "devices = 4", "devices = 100000000", 1), nil, []string{"sim.toml:3: cluster.devices = 100000000: want a whole number from 1 to"}},
		{"profile without the engine", strings.Replace(small, "ideal", "a3", 1) + "expansion = \"ccu_ms\"\n", nil,
			[]string{`sim.toml:7: run[0].expansion = "ccu_ms": the chip a3 has no such engine, it has host, aicpu or aiv (try "aicpu")`}},
		{"module of another kind", small + "[transport]\nUB_CTP = \"kernels.wasm\"\n", nil, []string{"sim.toml:8: transport.UB_CTP.plugin", "got another kind of plugin", "hsim plugin inspect"}},
		{"module of another version", small + "[transport]\nUB_CTP = \"v2.wasm\"\n", nil, []string{"sim.toml:8: transport.UB_CTP.plugin", "version 2", "want version 1"}},
		{"corrupt module", small + "[transport]\nUB_CTP = \"corrupt.wasm\"\n", nil, []string{"sim.toml:8: transport.UB_CTP.plugin", "corrupt.wasm"}},
		{"module that is not there", small + "[plugins]\nkernels = [\"mine.wasm\"]\n", nil, []string{"sim.toml:8: plugins.kernels", "there is no file", "mine.wasm", "hsim plugin build"}},
		{"several problems", "[sim]\nseed = \"x\"\ndata = \"fake\"\n" + small, nil, []string{"sim.toml:2: sim.seed", "sim.toml:3: sim.data"}},
		{"flag", small, []string{"run", "--jsno"}, []string{"hsim run: unknown flag: --jsno (try `hsim run --help`)"}},
		{"flag without a value", small, []string{"run", "--variant", ""}, []string{"hsim run: --variant: got an empty text (try `hsim run --help`)"}},
		{"trace that is a directory", small, []string{"run", "--trace", "."}, []string{"hsim: --trace: output.trace = \"", "got a directory, want a file name"}},
		{"no variants", small, []string{"run", "--variant", "x"}, []string{`hsim: sim.toml: there is no variant "x": the file has no [[variant]]`}},
		{"command", small, []string{"rnu"}, []string{`unknown command "rnu" for "hsim" (try ccu or run)`}},
		{"output directory is a file", small + "[output]\njson = \"sim.toml/report.json\"\n", nil, []string{"sim.toml:8: output.json", "is a file, want a directory"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			text := c.text
			if !strings.Contains(text, "[output]") {
				text += out
			}
			dir := write(t, text)
			for name, b := range map[string][]byte{"kernels.wasm": kernels, "v2.wasm": v2, "corrupt.wasm": rdma[:len(rdma)/2]} {
				require.NoError(t, os.WriteFile(filepath.Join(dir, name), b, 0o600))
			}
			args := c.args
			if args == nil {
				args = []string{"run"}
			}
			r := hsim(t, dir, args...)
			assert.Equal(t, 2, r.code, r.stderr)
			assert.Empty(t, r.stdout)
			for _, w := range c.want {
				assert.Contains(t, r.stderr, w)
			}
			assert.NotContains(t, r.stderr, "\n\n")
			assert.True(t, strings.HasPrefix(r.stderr, "hsim"), "the program says who speaks")
			assert.NotContains(t, r.stderr, "hsim: hsim")
			assert.NotContains(t, r.stderr, "goroutine")
			assert.NoFileExists(t, filepath.Join(dir, "report.json"))
			assert.NoFileExists(t, filepath.Join(dir, "trace.json"))
		})
	}
}

// probe is a module of kernels that misbehave.
func probe(t *testing.T, kernel, args string) string {
	t.Helper()
	path, err := filepath.Abs(filepath.Join(repository, "host/kernel/testdata/probe.wasm"))
	require.NoError(t, err)
	return write(t, "[plugins]\nkernels = [\""+path+"\"]\n[cluster]\nprofile = \"a3\"\ndevices = 2\n[output]\njson = \"report.json\"\n[[run]]\nkernel = \""+kernel+"\"\nblocks = 2\nargs = "+args+"\n")
}

func TestFailedTaskIsExitOne(t *testing.T) {
	for kernel, want := range map[string]string{
		"far_local": "function far_local, block 0 of 2: memory access",
		"far_write": "function far_write, block 0 of 2: memory access",
		"spin":      "function spin, block 0 of 2: endless loop",
	} {
		dir := probe(t, kernel, `["in", "n", "u64:1", "u64:0x7fffffff"]`)
		r := hsim(t, dir, "run")
		assert.Equal(t, 1, r.code, r.stderr)
		assert.Contains(t, r.stderr, want)
		assert.Contains(t, r.stderr, "probe.wasm")
		assert.Contains(t, r.stdout, "| failed")
		raw, err := os.ReadFile(filepath.Join(dir, "report.json"))
		require.NoError(t, err)
		assert.True(t, json.Valid(raw))
		assert.Contains(t, string(raw), `"outcome": "failed"`)
	}
}

// A transport that loops for ever, leaves its memory, traps or grows without end fails the transfers it carries: the other
// variant is not touched, and nothing hangs.
func TestBrokenTransportIsExitOne(t *testing.T) {
	path, err := filepath.Abs("testdata/spin/spin.wasm")
	require.NoError(t, err)
	for fault, want := range map[string]string{
		"next":    "function hsim_transport_next: stopped after 20000000 steps without an end",
		"receive": "function hsim_transport_receive: stopped after 20000000 steps without an end",
		"memory":  "function hsim_transport_next: access outside its memory",
		"trap":    "function hsim_transport_next: unreachable",
		"grow":    "function hsim_transport_next: ",
	} {
		dir := write(t, "[cluster]\nprofile = \"ideal\"\ndevices = 4\n[transport]\nUB_CTP = { plugin = \""+path+"\", params = { fault = \""+fault+"\" } }\n"+
			"[[run]]\nop = \"all_reduce\"\nsizes = \"1KiB\"\n[[variant]]\nname = \"good\"\ntransport.UB_CTP = \"ub\"\n")
		r := hsim(t, dir, "run", "--set", "sim.name=bad")
		assert.Equal(t, 1, r.code, r.stderr)
		assert.Contains(t, r.stderr, "hsim: bad: all_reduce of 1024 bytes: ", fault)
		assert.Contains(t, r.stderr, "transport: plugin "+path+" on npu", fault)
		assert.Contains(t, r.stderr, want, fault)
		if fault != "receive" { // where time-outs of the sender, which are work, last until all ranks have given up
			assert.Contains(t, r.stderr, "hsim: bad: after that failure: stall at ", "who waits for the rank that failed")
		}
		assert.Regexp(t, regexp.MustCompile(`(?m)^1024 .*\| failed +\| .*\| success$`), r.stdout)
	}
}

// A result that cannot be written is no reason to lose it: the table is printed, the error is said, and it was no bad input.
func TestDiskFullAtTheEnd(t *testing.T) {
	if _, err := os.Stat("/dev/full"); err != nil {
		t.Skip("there is no /dev/full here")
	}
	dir := write(t, small)
	for _, key := range []string{"json", "trace"} {
		r := hsim(t, dir, "run", "--set", "output."+key+"=/dev/full")
		assert.Equal(t, 1, r.code)
		assert.Contains(t, r.stdout, "| success\n")
		assert.Equal(t, "hsim: write /dev/full: no space left on device\n", r.stderr)
		info, err := os.Stat("/dev/full")
		require.NoError(t, err)
		require.False(t, info.Mode().IsRegular())
	}
	out, err := os.OpenFile("/dev/full", os.O_WRONLY, 0)
	require.NoError(t, err)
	defer func() { _ = out.Close() }()
	cmd := exec.Command(binary, "run")
	cmd.Dir, cmd.Stdout = dir, out
	var exit *exec.ExitError
	require.ErrorAs(t, cmd.Run(), &exit)
	assert.Equal(t, 1, exit.ExitCode())
}

// Many problems are one line each, with the program's name, and not a flood.
func TestManyProblems(t *testing.T) {
	text := "[[run]]\nop = \"all_reduce\"\n"
	for i := range 50 {
		text += fmt.Sprintf("key%d = 1\n", i)
	}
	r := hsim(t, write(t, text), "run")
	assert.Equal(t, 2, r.code)
	lines := strings.Split(strings.TrimSuffix(r.stderr, "\n"), "\n")
	require.Len(t, lines, mostProblems+1)
	for _, l := range lines[:mostProblems] {
		assert.Regexp(t, regexp.MustCompile(`^hsim: sim\.toml:\d+: run\[0\]\.key\d+ = 1: unknown key`), l)
	}
	assert.Equal(t, "hsim: and 30 more lines", lines[mostProblems])
}

func TestWrongResultIsExitOne(t *testing.T) {
	dir := write(t, "[cluster]\ndevices = 2\n[[run]]\nkernel = \"add_fp32\"\nexpect = \"in0\"\n")
	r := hsim(t, dir, "run")
	assert.Equal(t, 1, r.code)
	assert.Contains(t, r.stdout, "| failed\n")
	assert.Contains(t, r.stderr, "wrong result: rank 0, element 0: got 5, want 0")
}

func TestStallIsExitThree(t *testing.T) {
	dir := probe(t, "flag", `["in", "u64:0", "u64:1", "u64:5"]`)
	r := hsim(t, dir, "run")
	assert.Equal(t, 3, r.code, r.stderr)
	assert.Contains(t, r.stderr, "hsim: stall at ")
	assert.Contains(t, r.stderr, "kernel flag block 1 waits for memory at 0x")
	assert.Contains(t, r.stderr, "; rank 1 / device 1 / stream 0 should act")
	raw, err := os.ReadFile(filepath.Join(dir, "report.json"))
	require.NoError(t, err)
	assert.Contains(t, string(raw), `"should_act": "rank 1 / device 1 / stream 0"`)
}

// Ctrl-C in the middle of a run that would take minutes: progress before it, then a partial report, whole files, 130.
func TestInterrupt(t *testing.T) {
	dir := write(t, "[sim]\ndata = \"phantom\"\nlimit = \"0\"\n[cluster]\nprofile = \"ideal\"\ndevices = 64\n[output]\njson = \"report.json\"\n"+
		"[[run]]\nop = \"all_reduce\"\nsizes = \"1KiB\"\n[[run]]\nop = \"all_reduce\"\nalgorithm = \"ring\"\nsizes = \"1MiB\"\niterations = 1000000\n")
	cmd := exec.Command(binary, "run")
	cmd.Dir = dir
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	require.NoError(t, cmd.Start())
	time.Sleep(quietFor + 500*time.Millisecond)
	require.NoError(t, cmd.Process.Signal(syscall.SIGINT))
	err := cmd.Wait()
	var exit *exec.ExitError
	require.ErrorAs(t, err, &exit)
	assert.Equal(t, 130, exit.ExitCode(), errs.String())
	assert.Contains(t, errs.String(), "hsim: interrupted; the report is partial: 1 row is complete")
	assert.Regexp(t, regexp.MustCompile(`(?m)^hsim: \[2/2\] all_reduce 1MiB, iteration \d+ of 1000000, 2s$`), errs.String(), "progress, once a run is slow")
	assert.Contains(t, out.String(), "1024 ")
	raw, err := os.ReadFile(filepath.Join(dir, "report.json"))
	require.NoError(t, err)
	assert.True(t, json.Valid(raw))
	assert.Contains(t, string(raw), `"outcome": "interrupted"`)
}

func TestConfigCommand(t *testing.T) {
	dir := write(t, small+"[[variant]]\nname = \"v\"\nsim.seed = 5\n")
	r := hsim(t, dir, "config", "--set", "run.dtype=fp16")
	require.Equal(t, 0, r.code, r.stderr)
	for _, want := range []string{
		`(?m)^# base$`,
		`(?m)^# v: what differs from base\nKEY .*\nsim\.seed +5 +1 +variant v \(sim\.toml:9\)$`,
		`(?m)^sim\.data +"real" +"real" +default$`,
		`(?m)^cluster\.profile +"ideal" +"910d" +sim\.toml:2$`,
		`(?m)^run\[0\]\.dtype +"fp16" +"fp32" +--set$`,
	} {
		assert.Regexp(t, regexp.MustCompile(want), r.stdout)
	}
	changed := hsim(t, dir, "config", "--changed", "--set", "run.dtype=fp32", "--set", "sim.limit=7200s")
	assert.NotContains(t, changed.stdout, " default\n")
	assert.NotContains(t, changed.stdout, "dtype", "set to its default")
	assert.NotContains(t, changed.stdout, "limit", "its default, written in another way")
	whole := hsim(t, dir, "config", "--variant", "v")
	assert.Regexp(t, regexp.MustCompile(`(?m)^sim\.data +"real"`), whole.stdout)
	asJSON := hsim(t, dir, "config", "--json")
	assert.True(t, json.Valid([]byte(asJSON.stdout)))
}

func TestProfilesCommand(t *testing.T) {
	r := hsim(t, t.TempDir(), "profiles")
	require.Equal(t, 0, r.code)
	for _, name := range []string{"910", "a2", "a3", "950dt", "950pr", "960", "ideal"} {
		assert.Regexp(t, regexp.MustCompile(`(?m)^`+name+` `), r.stdout)
	}
	r = hsim(t, t.TempDir(), "profiles", "910d")
	require.Equal(t, 0, r.code)
	assert.Regexp(t, regexp.MustCompile(`(?m)^ts\.dispatch +200ns +assumed `), r.stdout)
	r = hsim(t, t.TempDir(), "profiles", "a9")
	assert.Equal(t, 2, r.code)
	assert.Contains(t, r.stderr, "a9")
}

func TestExplainCommand(t *testing.T) {
	dir := write(t, strings.Replace(small, "ideal", "a3", 1))
	r := hsim(t, dir, "explain")
	require.Equal(t, 0, r.code, r.stderr)
	for _, want := range []string{"ring by aicpu: A3, one server: ring", "form: 2(p-1) a + 2(p-1)/p n b + (p-1)/p n g", "sync.aicpu        2us", "HCCS over ub, 2 links, 7 ports"} {
		assert.Contains(t, r.stdout, want)
	}
	// What is predicted is what the run takes.
	predicted := regexp.MustCompile(`(?m)^    1KiB +(\d+\.\d+)`).FindStringSubmatch(r.stdout)
	require.NotNil(t, predicted)
	run := hsim(t, dir, "run", "--json")
	var report struct {
		Variants []struct {
			Rows []struct {
				Time json.Number `json:"time_us"`
			}
		}
	}
	require.NoError(t, json.Unmarshal([]byte(run.stdout), &report))
	assert.InEpsilon(t, asFloat(t, predicted[1]), asFloat(t, string(report.Variants[0].Rows[0].Time)), 0.001)
}

func asFloat(t *testing.T, s string) float64 {
	t.Helper()
	f, err := json.Number(s).Float64()
	require.NoError(t, err)
	return f
}

func TestPlanCommand(t *testing.T) {
	r := hsim(t, t.TempDir(), "plan", "all_gather", "--algorithm", "ring", "-p", "3", "--size", "12", "--rank", "1")
	require.Equal(t, 0, r.code, r.stderr)
	assert.Contains(t, r.stdout, "all_gather, algorithm ring, 3 ranks, 12B: proven\n\nrank 1\n")
	assert.Contains(t, r.stdout, "send output[12] -> rank 2 output[12] 12 B + notify")
	for _, args := range [][]string{{"plan"}, {"plan", "all_redcue"}, {"plan", "all_reduce", "--algorithm", "pairwise"}, {"plan", "all_reduce", "-p", "0"}} {
		r = hsim(t, t.TempDir(), args...)
		assert.Equal(t, 2, r.code, args)
		assert.Empty(t, r.stdout)
	}
}

func TestPluginInspect(t *testing.T) {
	r := hsim(t, repository, "plugin", "inspect", "plugins/rdma/rdma.wasm")
	require.Equal(t, 0, r.code, r.stderr)
	for _, want := range []string{`(?m)^kind +transport, version 1$`, `(?m)^features +reliable, notify_with_write`, `(?m)^mtu +bytes +4KiB `} {
		assert.Regexp(t, regexp.MustCompile(want), r.stdout)
	}
	r = hsim(t, repository, "plugin", "inspect", "plugins/kernels/kernels.wasm")
	assert.Contains(t, r.stdout, "add_bf16, add_fp16, add_fp32, add_int32")
	r = hsim(t, repository, "plugin", "inspect", "--as", "kernel", "plugins/rdma/rdma.wasm")
	assert.Equal(t, 2, r.code)
	assert.Contains(t, r.stderr, "got another kind of plugin")
	r = hsim(t, repository, "plugin", "inspect", "sim.toml")
	assert.Equal(t, 2, r.code)
	assert.Contains(t, r.stderr, "sim.toml")
}

func TestHelpCompletionVersion(t *testing.T) {
	for _, args := range [][]string{{"--help"}, {"run", "--help"}, {"completion", "bash"}, {"completion", "zsh"}, {"version"}, {"--version"}} {
		r := hsim(t, t.TempDir(), args...)
		assert.Equal(t, 0, r.code, args)
		assert.NotEmpty(t, r.stdout, args)
		assert.Empty(t, r.stderr, args)
	}
}
