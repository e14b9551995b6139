package main

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

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

// An algorithm of two levels that the cluster has no place for is bad input, found before anything runs.
func TestAlgorithmThatDoesNotFit(t *testing.T) {
	dir := write(t, small)
	r := hsim(t, dir, "run", "--set", "run.algorithm=mesh-nhr")
	assert.Equal(t, 2, r.code)
	assert.Contains(t, r.stderr, `hsim: --set run.algorithm=mesh-nhr: run[0].algorithm = "mesh-nhr": got 4 ranks on 1 servers, want several servers with the same number of ranks`)
	assert.Contains(t, r.stderr, "(try ring, mesh")
	assert.Empty(t, r.stdout)
	r = hsim(t, dir, "run", "--set", "run.algorithm=mesh-nhr", "--set", "cluster.servers=2")
	assert.Equal(t, 0, r.code, r.stderr)
}
