package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

const slowLink = "[cluster]\nprofile = \"ideal\"\ndevices = 4\n[sim]\ndata = \"phantom\"\n[[run]]\nop = \"all_reduce\"\nalgorithm = \"ring\"\nsizes = \"16MiB\"\n" +
	"[[fault]]\nlink = \"2/0\"\nrate = \"100Gbps\"\n"

// The link that is slow is the one that a run names, that its report has first, and that the picture of the load shows.
func TestLoadOfARun(t *testing.T) {
	dir := write(t, slowLink)
	r := hsim(t, dir, "run")
	require.Equal(t, 0, r.code, r.stderr)
	assert.Regexp(t, `\nnetwork\nall_reduce of 16MiB: (npu2:0/0 to sw0:0/2|sw0:0/2 to npu2:0/0) busy (9\d|100) % of the time at 100Gbps, 1 more of 8 ports as busy\n$`, r.stdout)
	r = hsim(t, dir, "run", "--json")
	require.Equal(t, 0, r.code, r.stderr)
	var report struct {
		Variants []struct {
			Rows []struct {
				Busiest struct {
					Port        string
					Utilisation float64
					Alike       int
				} `json:"busiest_port"`
			}
			Network struct {
				Drops int64
				Ports []struct{ Bytes int64 }
				Flows struct {
					Transfers int
					Bytes     int64
					P50       float64 `json:"p50_us"`
					P99       float64 `json:"p99_us"`
					Max       float64 `json:"max_us"`
				}
			}
		}
	}
	require.NoError(t, json.Unmarshal([]byte(r.stdout), &report))
	v := report.Variants[0]
	assert.Equal(t, 2, v.Rows[0].Busiest.Alike)
	flows := v.Network.Flows
	// A ring of four moves 2(p-1) quarters from every rank. Headers cost nothing on this chip.
	assert.EqualValues(t, 4*6*4<<20, flows.Bytes)
	assert.Len(t, v.Network.Ports, 8)
	for _, p := range v.Network.Ports {
		assert.EqualValues(t, 6*4<<20, p.Bytes)
	}
	assert.Less(t, flows.P50, flows.P99)
	assert.LessOrEqual(t, flows.P99, flows.Max)
	assert.InDelta(t, 4<<20*8/100e3, flows.Max, 20, "a quarter over the slow link, in us")

	require.NoError(t, os.WriteFile(filepath.Join(dir, "run.json"), []byte(r.stdout), 0o600))
	r = hsim(t, dir, "topo", "--load", "run.json")
	require.Equal(t, 0, r.code, r.stderr)
	assert.Regexp(t, `(?m)^PORT.*\n(npu2:0/0 +sw0:0/2|sw0:0/2 +npu2:0/0) +100Gbps +(9\d|100)\.\d % +25165824 `, r.stdout)
	r = hsim(t, dir, "topo", "--load", "run.json", "--svg", "-")
	require.Equal(t, 0, r.code, r.stderr)
	assert.Regexp(t, `stroke="#dc2626" stroke-width="6" stroke-opacity="0.7"><title>npu2 - sw0: 400Gbps`, r.stdout)
	r = hsim(t, dir, "topo", "--load", "run.json", "--dot")
	require.Equal(t, 0, r.code, r.stderr)
	assert.Contains(t, r.stdout, `color="#dc2626", penwidth=6`)

	for text, want := range map[string]string{
		"":                  "hsim: --load bad.json: is no report of hsim run: EOF (try hsim run --json > run.json)\n",
		"{}":                "hsim: --load bad.json: is no report of hsim run: it has no variants (try hsim run --json > run.json)\n",
		`{"variants":[{}]}`: "hsim: --load bad.json: says nothing of ports (try hsim run --json > run.json)\n",
		`{"variants":[{"network":{"ports":[{"port":"npu9:0/0"}]}}]}`:                 "hsim: --load bad.json: port \"npu9:0/0\": the topology has no such port (try the sim.toml and the variant that ran)\n",
		`{"variants":[{"network":{"ports":[{"port":"npu1:0/0","utilisation":2}]}}]}`: "hsim: --load bad.json: port \"npu1:0/0\": got utilisation 2 at 0 bits/s, want 0 to 1\n",
		`{"variants":[{"name":"a"},{"name":"b"}]}`:                                   "hsim: --load bad.json: has no variant \"\", it has a, b\n",
	} {
		require.NoError(t, os.WriteFile(filepath.Join(dir, "bad.json"), []byte(text), 0o600))
		r = hsim(t, dir, "topo", "--load", "bad.json")
		assert.Equal(t, 2, r.code)
		assert.Equal(t, want, r.stderr)
	}
	r = hsim(t, dir, "topo", "--load", "none.json")
	assert.Equal(t, 2, r.code)
	assert.Equal(t, "hsim: --load none.json: there is no such file (try hsim run --json > run.json)\n", r.stderr)
}

// Samples are counters of the trace and lines of the report: a port whose wire is taken all the time says so.
func TestSamplesOfARun(t *testing.T) {
	dir := write(t, slowLink+"[fabric]\nsample = \"100us\"\n")
	r := hsim(t, dir, "run", "--json", "--trace", "trace.json")
	require.Equal(t, 0, r.code, r.stderr)
	var report struct {
		Variants []struct {
			Network struct {
				Samples []struct {
					Port        string
					From        float64 `json:"from_us"`
					To          float64 `json:"to_us"`
					Utilisation float64
					Queue       int64 `json:"queue_bytes"`
				}
			}
		}
	}
	require.NoError(t, json.Unmarshal([]byte(r.stdout), &report))
	samples := report.Variants[0].Network.Samples
	require.NotEmpty(t, samples)
	full := 0
	for _, s := range samples {
		assert.InDelta(t, 100, s.To-s.From, 1e-9)
		assert.GreaterOrEqual(t, s.Utilisation, 0.0)
		assert.LessOrEqual(t, s.Utilisation, 1.0, "no port above its rate")
		if s.Port == "npu2:0/0" && s.Utilisation > 0.99 {
			full++
		}
	}
	assert.Positive(t, full)
	raw, err := os.ReadFile(filepath.Join(dir, "trace.json"))
	require.NoError(t, err)
	assert.Contains(t, string(raw), `"ph":"C"`)
	assert.Contains(t, string(raw), `port 0/0 utilisation`)
}

// What a failed task kept from being run has no row.
func TestRowsAfterAFailure(t *testing.T) {
	dir := write(t, strings.Replace(slowLink, "\"16MiB\"", "\"1KiB..4KiB x2\"", 1)+"[[variant]]\nname = \"gone\"\nfault = [{ device = 2, down = true }]\n")
	r := hsim(t, dir, "run", "--variant", "gone")
	assert.Equal(t, 1, r.code)
	assert.Regexp(t, `(?m)^1024 .*failed$`, r.stdout)
	assert.NotRegexp(t, `(?m)^0 `, r.stdout)
	assert.Contains(t, r.stderr, "faults until then: all links of npu2 down from 0s on")
}
