package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

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
	assert.Regexp(t, `(?m)^one: chip ideal \(Ideal\), 1 x 4 devices, star; UB_CTP over ub \d+\.\d+$`, r.stdout)
	assert.Regexp(t, regexp.MustCompile(`(?m)^ +\| one: nhr on host +\| two: ring on host$`), r.stdout)
	assert.Regexp(t, regexp.MustCompile(`(?m)^1024              \| \d+\.\d\d +\| \d+\.\d{5} +\| \d+\.\d{5} +\| success       \| \d+\.\d\d .*\| success$`), r.stdout)

	one := hsim(t, dir, "run", "--variant", "two")
	require.Equal(t, 0, one.code)
	assert.NotContains(t, one.stdout, "one:")
}
