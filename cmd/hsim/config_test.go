package main

import (
	"encoding/json"
	"regexp"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

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
