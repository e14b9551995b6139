package main

import (
	"regexp"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

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
