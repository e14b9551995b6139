package scenario

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func names(sc *Scenario) []string {
	var out []string
	for _, c := range sc.Variants {
		out = append(out, c.Name)
	}
	return out
}

// The file as it stands is the first configuration beside its variants.
func TestTheBaseRunsToo(t *testing.T) {
	const variants = "[[variant]]\nname = \"a\"\n[[variant]]\nname = \"b\"\nsim.seed = 9\n"
	for _, c := range []struct {
		text string
		o    Options
		want []string
	}{
		{small, Options{}, []string{""}},
		{"[sim]\nname = \"one\"\n" + small, Options{}, []string{"one"}},
		{small + variants, Options{}, []string{"base", "a", "b"}},
		{"[sim]\nname = \"one\"\n" + small + variants, Options{}, []string{"one", "a", "b"}},
		{"[sim]\nbase = false\n" + small + variants, Options{}, []string{"a", "b"}},
		{small + variants, Options{Sets: []string{"sim.base=false"}}, []string{"a", "b"}},
		{small + variants, Options{Sets: []string{"sim.name=x"}}, []string{"x", "a", "b"}},
		{small + variants, Options{Variant: "base"}, []string{"base"}},
		{small + variants, Options{Variant: "b"}, []string{"b"}},
		{"[sim]\nname = \"a\"\nbase = false\n" + small + variants, Options{}, []string{"a", "b"}},
	} {
		sc, bad := load(t, c.text, c.o)
		require.Empty(t, bad, c.text)
		assert.Equal(t, c.want, names(sc), c.text)
	}
	for text, want := range map[string]string{
		"[sim]\nname = \"a\"\n" + small + variants:                      `variant[0].name = "a": is the name of the configuration that the variants are made from (try another name here or in sim.name, or sim.base = false)`,
		"[sim]\nbase = false\n" + small:                                 "sim.base = false: leaves nothing to run: the file has no [[variant]]",
		small + "[[variant]]\nname = \"a\"\nsim.base = false\n":         "sim.base = false: is the same for all variants, want it outside of [[variant]]",
		small + "[[variant]]\nname = \"a\"\noutput.json = \"x.json\"\n": `output.json = "x.json": is the same for all variants, want it outside of [[variant]]`,
		small + "[[variant]]\nname = \"a\\nb\"\n":                       `variant[0].name = "a\nb": got a character that cannot be printed, want a name that heads the columns`,
		"[sim]\nname = \"" + strings.Repeat("n", 41) + "\"\n" + small:   "got 41 characters, want at most 40",
	} {
		_, bad := load(t, text, Options{})
		require.NotEmpty(t, bad, text)
		assert.Contains(t, strings.Join(bad, "\n"), want)
	}
}

// What is wrong only with the file as it stands, while the file is meant for its variants, names the way out.
func TestTheBaseAloneIsWrong(t *testing.T) {
	_, bad := load(t, "[[run]]\nop = \"all_reduce\"\n[cluster]\nprofile = \"a3\"\n[[run]]\nop = \"broadcast\"\nroot = 9\n[[variant]]\nname = \"v\"\ncluster.devices = 16\n", Options{})
	require.Len(t, bad, 1)
	assert.Contains(t, bad[0], "run[1].root = 9: the cluster has ranks 0 to 7")
	assert.Contains(t, bad[0], "sim.base = false")
}
