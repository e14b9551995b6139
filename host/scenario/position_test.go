package scenario

import (
	"strings"
	"testing"

	"github.com/BurntSushi/toml"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

const positionsText = `# a comment = [not a key]
top = 1

[sim]
seed = 7 # with a comment
text = """
[not]
a = "table"
"""
lit = '''
x = 1'''
"quoted.key" = 'a#b'

[a.b]
list = [
  1, # one
  "2, ]",
  [3],
]
inline = { plugin = "rdma", params = { mtu = "4KiB", cc.kind = "x" } }

[[run]]
op = "all_reduce"
sizes = ["1KiB",
  "2KiB"]

[[run]]
op = "broadcast"
  [run.sub]
  k = true

[[run]]
dotted . "key" = -1.5e3
`

func TestPositions(t *testing.T) {
	var tree map[string]any
	_, err := toml.Decode(positionsText, &tree)
	require.NoError(t, err, "the text is TOML")
	p := indexPositions(positionsText)
	for path, line := range map[string]int{
		"top": 2, "sim": 4, "sim.seed": 5, "sim.text": 6, "sim.lit": 10, "sim.quoted.key": 12,
		"a.b.list": 15, "a.b.list[0]": 16, "a.b.list[1]": 17, "a.b.list[2][0]": 18,
		"a.b.inline": 20, "a.b.inline.plugin": 20, "a.b.inline.params.mtu": 20, "a.b.inline.params.cc.kind": 20,
		"run": 22, "run[0]": 22, "run[0].op": 23, "run[0].sizes[1]": 25,
		"run[1].op": 28, "run[1].sub.k": 30, "run[2]": 32, "run[2].dotted.key": 33,
	} {
		assert.Equal(t, line, p[path], path)
	}
	assert.Equal(t, 22, p.line("run[0].missing"), "a missing key is placed at its table")
	assert.Equal(t, 0, p.line("nowhere"))
	assert.NotContains(t, p, "sim.a", "the inside of a string is not a key")
	assert.NotContains(t, p, "not")
}

// Whatever the bytes are, the scanner ends.
func FuzzPositions(f *testing.F) {
	f.Add(positionsText)
	f.Add("a = [")
	f.Add("[[")
	f.Add("a = {b")
	f.Add(`"`)
	f.Fuzz(func(t *testing.T, text string) {
		var tree map[string]any
		if _, err := toml.Decode(text, &tree); err != nil {
			t.Skip()
		}
		p := indexPositions(text)
		for key := range tree {
			if !strings.ContainsAny(key, "\"\\.") && p[key] == 0 {
				t.Errorf("key %q of %q has no line", key, text)
			}
		}
	})
}
