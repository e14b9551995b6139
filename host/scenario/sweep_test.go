package scenario

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestParseSweep(t *testing.T) {
	for _, c := range []struct {
		text string
		want []int64
	}{
		{"4096", []int64{4096}},
		{"64KiB", []int64{65536}},
		{"1KiB..8KiB x2", []int64{1024, 2048, 4096, 8192}},
		{"1KiB .. 7KiB x2", []int64{1024, 2048, 4096}},
		{"1KiB..4KiB +1KiB", []int64{1024, 2048, 3072, 4096}},
		{"4..14 x1.5", []int64{4, 6, 9, 13}},
		{"1..4 x1.1", []int64{1, 2, 3, 4}}, // never stands still
		{"8K..8K x2", []int64{8192}},
	} {
		got, err := ParseSweep(c.text)
		require.NoError(t, err, c.text)
		assert.Equal(t, c.want, got, c.text)
	}
}

func TestParseSweepRefuses(t *testing.T) {
	for text, want := range map[string]string{
		"":                     "want a size",
		"64us":                 `got unit "us"`,
		"1KiB..8KiB":           "got no step",
		"1KiB..8KiB x1":        "want a factor above 1",
		"1KiB..8KiB x0":        "want a factor above 1",
		"1KiB..8KiB x2.0001":   "at most three decimals",
		"1KiB..8KiB +0":        "want more than 0",
		"8KiB..1KiB x2":        "the end 1KiB is below the start 8KiB",
		"0":                    "want more than 0",
		"0..8 x2":              "want more than 0",
		"2000TiB":              "at most 1024TiB",
		"1..1GiB +1":           "more than 10000 of them",
		"1KiB..8KiB x2 really": "got no step",
	} {
		_, err := ParseSweep(text)
		require.Error(t, err, text)
		assert.Contains(t, err.Error(), want, text)
	}
}

func TestNearest(t *testing.T) {
	names := []string{"sizes", "dtype", "reduce", "iterations"}
	for got, want := range map[string]string{
		"size": "sizes", "dytpe": "dtype", "iteratoins": "iterations", "Reduce": "reduce", "colour": "", "x": "",
	} {
		assert.Equal(t, want, nearest(got, names), got)
	}
	assert.Equal(t, 1, editCost("ab", "ba"))
	assert.Equal(t, 3, editCost("", "abc"))
	assert.Equal(t, 0, editCost("", ""))
}
