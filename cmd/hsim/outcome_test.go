package main

import (
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

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
	assert.Regexp(t, regexp.MustCompile(`(?m)^hsim: \[2/2\] all_reduce 1MiB, iteration \d+ of 1000000, at [\d.]+ms, 2s$`), errs.String(), "progress, once a run is slow")
	assert.Contains(t, out.String(), "1024 ")
	raw, err := os.ReadFile(filepath.Join(dir, "report.json"))
	require.NoError(t, err)
	assert.True(t, json.Valid(raw))
	assert.Contains(t, string(raw), `"outcome": "interrupted"`)
}
