package main

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestHelpCompletionVersion(t *testing.T) {
	for _, args := range [][]string{{"--help"}, {"run", "--help"}, {"completion", "bash"}, {"completion", "zsh"}, {"version"}, {"--version"}} {
		r := hsim(t, t.TempDir(), args...)
		assert.Equal(t, 0, r.code, args)
		assert.NotEmpty(t, r.stdout, args)
		assert.Empty(t, r.stderr, args)
	}
	for _, c := range []struct {
		args []string
		want string
	}{
		{[]string{"help", "foo"}, "hsim help: there is no command \"foo\" (try `hsim help`)\n"},
		{[]string{"help", "run", "foo"}, "hsim help: there is no command \"run foo\" (try `hsim help`)\n"},
		{[]string{"completion", "foo"}, "hsim completion: got \"foo\", want bash, fish, powershell, zsh\n"},
	} {
		r := hsim(t, t.TempDir(), c.args...)
		assert.Equal(t, 2, r.code, c.args)
		assert.Equal(t, c.want, r.stderr)
		assert.Empty(t, r.stdout)
	}
	assert.Equal(t, hsim(t, t.TempDir(), "run", "--help").stdout, hsim(t, t.TempDir(), "help", "run").stdout)
}
