package main

import (
	"encoding/json"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

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
