package main

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// A table never is wider than it may be, once one variant fits, and shows every variant at any width.
func TestTableFitsItsWidth(t *testing.T) {
	dir := write(t, small+"[[variant]]\nname = \"two\"\n[[variant]]\nname = \"日本\"\n[[variant]]\nname = \""+strings.Repeat("n", 40)+"\"\nrun.sizes = \"3KiB\"\n")
	for columns, want := range map[string]struct{ heads, blocks int }{ // lines of heads, blocks below each other
		"50": {2, 4}, "63": {2, 4}, "95": {2, 4}, "96": {1, 4}, "117": {2, 2}, "120": {2, 2}, "174": {2, 2}, "175": {1, 2}, "254": {1, 2}, "333": {1, 1},
	} {
		r := command(t, dir, []string{"COLUMNS=" + columns}, "run")
		require.Equal(t, 0, r.code, r.stderr)
		_, tables, _ := strings.Cut(r.stdout, "\n\n")
		blocks := strings.Split(strings.TrimSuffix(tables, "\n"), "\n\n")
		assert.Len(t, blocks, want.blocks, columns)
		limit := max(int(asFloat(t, columns)), 63)
		for _, b := range blocks {
			lines := strings.Split(b, "\n")
			assert.Equal(t, want.heads == 2, strings.HasPrefix(lines[2], "data_size "), columns)
			for _, l := range lines[1:] {
				assert.LessOrEqual(t, textWidth(l), limit, "%s: %s", columns, l)
			}
			assert.Equal(t, "all_reduce fp32 sum, 4 ranks", lines[0])
		}
		for _, name := range []string{"base: ", "two: ", "日本: ", "nnnn"} {
			assert.Contains(t, tables, name, columns)
		}
		assert.Regexp(t, `(?m)^3072 `, tables, "the sizes of every variant")
	}
	// Piped output is the same everywhere.
	assert.Equal(t, command(t, dir, []string{"COLUMNS="}, "run").stdout, command(t, dir, []string{"COLUMNS=180"}, "run").stdout)
}

// What variants do not have in common stands over their own columns.
func TestTableSaysWhatDiffers(t *testing.T) {
	dir := write(t, small+"[[variant]]\nname = \"half\"\nrun.dtype = \"fp16\"\ncluster.devices = 2\n")
	r := hsim(t, dir, "run")
	require.Equal(t, 0, r.code, r.stderr)
	assert.Contains(t, r.stdout, "\nrun 0\n")
	assert.Regexp(t, `(?m)^ +\| base: all_reduce fp32 sum, 4 ranks, nhr on host +\| half: all_reduce fp16 sum, 2 ranks, \w+ on host$`, r.stdout)
}

func TestTextWidth(t *testing.T) {
	for text, want := range map[string]int{"": 0, "abc": 3, "日本": 4, "é": 1, "e\u0301": 1, "🙂": 2} {
		assert.Equal(t, want, textWidth(text), text)
	}
	assert.Equal(t, "日… ", pad("日本語", 4))
	assert.Equal(t, "日本 ", pad("日本", 5))
	assert.Equal(t, "abc", cut("abc", 3))
	assert.Equal(t, "ab…", cut("abcd", 3))
}
