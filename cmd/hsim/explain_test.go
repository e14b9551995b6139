package main

import (
	"encoding/json"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

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

// What a program does is its own: nothing is predicted, and nothing breaks.
func TestExplainPrograms(t *testing.T) {
	r := hsim(t, repository, "explain", "examples/programs/allreduce/sim.toml")
	require.Equal(t, 0, r.code, r.stderr)
	assert.Contains(t, r.stdout, "\nrun 0: program allreduce\n")
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
