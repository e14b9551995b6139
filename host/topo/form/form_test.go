package form

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestParseJSONKeepsLines(t *testing.T) {
	v, err := ParseJSON("a.json", []byte("{\n \"a\": [1,\n  \"x\"],\n\n \"b\"\n: {\"c\": null, \"d\": true}\n}\n"))
	require.NoError(t, err)
	a, _ := v.get("a")
	require.Equal(t, []Value{{Kind: Number, Line: 2, Text: "1"}, {Kind: Text, Line: 3, Text: "x"}}, a.Items)
	b, i := v.get("b")
	require.Equal(t, Name{"b", 5}, v.Names[i])
	require.EqualValues(t, 6, b.Line)
	require.Equal(t, Null, b.Items[0].Kind)
	require.Equal(t, Value{Kind: Bool, Line: 6, Text: "true"}, b.Items[1])
}

func TestParseJSONRefuses(t *testing.T) {
	for text, want := range map[string]string{
		"":                                     `EI0004 a.json:1: got the end of the file, want JSON that is complete`,
		"{\n\"a\": 1":                          `EI0004 a.json:2: got the end of the file, want JSON that is complete`,
		"[1]":                                  `EI0004 a.json:1: got "[1]", want an object: { ... }`,
		"{\"a\": 1, // one\n}":                 `EI0004 a.json:1: got the comment "// one", want JSON without comments (try a copy without the comments)`,
		"{\n\"a\": 1 /* x */\n}":               `EI0004 a.json:2: got the comment "/* x */", want JSON without comments (try a copy without the comments)`,
		"{\"a\": [\n# x\n1]}":                  `EI0004 a.json:2: got the comment "# x", want JSON without comments (try a copy without the comments)`,
		"// x\n{}":                             `EI0004 a.json:1: got the comment "// x", want JSON without comments (try a copy without the comments)`,
		"{}\n// x":                             `EI0004 a.json:2: got "// x", want nothing after the closing brace (try a copy without the comments)`,
		"{} {}":                                `EI0004 a.json:1: got "{}", want nothing after the closing brace`,
		"{\"a\": [1,\n]}":                      `EI0004 a.json:2: got a comma before ']', want no comma after the last entry`,
		"{\"a\": 1,\n\n}":                      `EI0004 a.json:3: got a comma before '}', want no comma after the last entry`,
		"{\"a\": 1\n\"b\": 2}":                 `EI0004 a.json:2: got "\"b\": 2}" without a comma before it, want a comma between two entries`,
		"{\"a\": 1,\n\"b\": 2,\n\"a\": 3}":     `EI0004 a.json:3: a: got the key a second time, want it once: line 1 has it`,
		"{\n\"a\": \"\xff\"}":                  `EI0004 a.json:2: got the byte 0xff, want UTF-8`,
		"{\"a\": \"x\ny\"}":                    `EI0004 a.json:1: got "\"x", want JSON: invalid character '\n' in string literal`,
		"{\"a\": 01}":                          `EI0004 a.json:1: got "1}", want JSON: invalid character '1' after object key:value pair`,
		"{\"a\": ...}":                         `EI0004 a.json:1: got "...}", want JSON: invalid character '.' looking for beginning of value`,
		"hccl.json:\n----\n{}":                 `EI0004 a.json:1: got "hccl.json:", want JSON: invalid character 'h' looking for beginning of value (try the file from its first { on)`,
		strings.Repeat("[", 1<<20):             `EI0004 a.json:1: got "[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[", want an object: { ... }`,
		"{\"a\":" + strings.Repeat("[", 1<<20): `EI0004 a.json:1: got more than 64 levels of lists and objects, want fewer`,
		"{\n" + manyKeys(4096) + "\"x\": 0}":   `EI0004 a.json:2: got more than 4096 keys of one object, want fewer`,
	} {
		_, err := ParseJSON("a.json", []byte(text))
		require.EqualError(t, err, want, "%.40q", text)
		var f *Fault
		require.True(t, errors.As(err, &f))
		require.Equal(t, Syntax, f.Code)
	}
}

// manyKeys are different keys of an object.
func manyKeys(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "\"k%d\": 0, ", i)
	}
	return b.String()
}

// Inputs made to hurt end in a fault, and in seconds.
func TestHostileSizes(t *testing.T) {
	if testing.Short() {
		t.Skip("files of 100 MB")
	}
	for name, text := range map[string]string{
		"100 MB":        `{"a": "` + strings.Repeat("x", 100<<20) + `"}`,
		"many values":   `{"a": [` + strings.Repeat("0,", 5<<20) + `0]}`,
		"many levels":   strings.Repeat(`{"a":`, 8<<20),
		"one long key":  `{"` + strings.Repeat("x", 60<<20) + `": 1, }`,
		"many the same": `{` + strings.Repeat(`"a":0,`, 1<<18) + `"a":0}`,
	} {
		_, err := ParseJSON("a.json", []byte(text))
		require.Error(t, err, name)
		require.Less(t, len(err.Error()), 400, name)
	}
	for name, text := range map[string]string{
		"5 MB":      "a: " + strings.Repeat("x", 5<<20),
		"brackets":  "a: " + strings.Repeat("[", MaxYAMLBytes-3),
		"braces":    "a: " + strings.Repeat("{a: ", MaxYAMLBytes/4-3),
		"dashes":    "a:\n" + strings.Repeat("- ", MaxYAMLBytes/2-4),
		"questions": strings.Repeat("? ", MaxYAMLBytes/2-4),
		"indents":   indents(1400),
		"anchors":   "a: &a [x]\nb: [" + strings.Repeat("*a,", MaxYAMLBytes/4) + "]",
		"keys":      strings.Repeat("a: 1\n", 200_000),
		"flow keys": "{" + strings.Repeat("a: 1, ", 100_000) + "}",
		"no colon":  "{" + strings.Repeat("a, ", 200_000) + "}",
	} {
		_, err := ParseYAML("a.yaml", []byte(text))
		require.Error(t, err, name)
		require.Less(t, len(err.Error()), 400, name)
	}
}

func indents(n int) string {
	var b strings.Builder
	for i := range n {
		b.WriteString(strings.Repeat(" ", i) + "a:\n")
	}
	return b.String()
}

func TestReadFileRefuses(t *testing.T) {
	dir := t.TempDir()
	_, err := ReadFile(filepath.Join(dir, "none.json"))
	require.EqualError(t, err, "EI0004 "+filepath.Join(dir, "none.json")+": got no such file, want a file that exists")
	_, err = ReadFile(dir)
	require.EqualError(t, err, "EI0004 "+dir+": got a directory, want a file")
	big := filepath.Join(dir, "big.json")
	require.NoError(t, os.WriteFile(big, nil, 0o644))
	require.NoError(t, os.Truncate(big, MaxBytes+1))
	_, err = ReadFile(big)
	require.EqualError(t, err, "EI0004 "+big+": got more than 64 MiB, want a file of at most 64 MiB")
}

func TestParseYAML(t *testing.T) {
	v, err := ParseYAML("a.yaml", []byte("# a comment\na: 1\nb: \"x\"\nc:\n  - {d: 2, e: [3, 4]}\n"))
	require.NoError(t, err)
	a, _ := v.get("a")
	require.Equal(t, &Value{Kind: Number, Line: 2, Text: "1"}, a)
	c, i := v.get("c")
	require.Equal(t, Name{"c", 4}, v.Names[i])
	require.EqualValues(t, 5, c.Items[0].Line)
	for text, want := range map[string]string{
		"":                                     `EI0004 a.yaml: got no document, want a mapping`,
		"a: &x 1\nb: *x":                       `EI0004 a.yaml:2: got the alias *x, want the value itself`,
		"a: 1\nb: 2\na: 3":                     `EI0004 a.yaml:3: a: got the key a second time, want it once: line 1 has it`,
		"- a":                                  `EI0004 a.yaml:1: got a list, want a mapping`,
		"a: 1\n---\nb: 2":                      `EI0004 a.yaml:2: got more after the first document, want one document`,
		"a: [1":                                `EI0004 a.yaml:1: got text that YAML does not allow, want YAML: did not find expected ',' or ']'`,
		"a:\n  " + strings.Repeat("[", 20_000): `EI0004 a.yaml:2: got text that YAML does not allow, want YAML: exceeded max depth of 10000`,
		"a: b: c":                              `EI0004 a.yaml:1: got text that YAML does not allow, want YAML: mapping values are not allowed in this context`,
		"a: \xff":                              `EI0004 a.yaml:1: got the byte 0xff, want UTF-8`,
		"a: {}\n<<: {b: 1}":                    `EI0004 a.yaml:2: got a key that is not plain text, want a name`,
		"a: " + strings.Repeat("[", 70) + strings.Repeat("]", 70): `EI0004 a.yaml:1: got more than 64 levels, want fewer`,
	} {
		_, err := ParseYAML("a.yaml", []byte(text))
		require.EqualError(t, err, want, "%.40q", text)
	}
}

func TestObject(t *testing.T) {
	text := `{"n": 5, "s": "5", "e": "", "long": "abcdef", "list": [{"a": 1}, 2, {"a": 9, "host": "x"}], "texts": ["x", 1],
 "host": 1, "pod": 2}`
	v, err := ParseJSON("a.json", []byte(text))
	require.NoError(t, err)
	r := NewReader("a.json")
	o := r.Root(v, "n", "s", "e", "long", "list", "texts")
	n, ok := o.Int("n", 0, 5)
	require.True(t, ok)
	require.Equal(t, 5, n)
	n, ok = o.Digits("s", 5, 9)
	require.True(t, ok)
	require.Equal(t, 5, n)
	require.NoError(t, r.Err())
	o.Int("s", 0, 9)
	o.Digits("n", 0, 9)
	o.Int("n", 6, 9)
	o.Int("gone", 0, 9)
	o.Text("e", 1, 4, "a name")
	o.Text("long", 1, 4, "a name")
	o.OneOf("s", "6", "7")
	o.Texts("texts", 0, 4, "names")
	list, ok := o.Objects("list", 4, 9, "a")
	require.False(t, ok)
	require.Len(t, list, 2)
	list[1].Int("a", 1, 1)
	var all *Faults
	require.True(t, errors.As(r.Err(), &all))
	var got []string
	for _, f := range all.List {
		got = append(got, f.Error())
	}
	require.Equal(t, []string{
		`EI0014 a.json:1: s: got "5", a string, want a whole number from 0 to 9 (try 5 without quotes)`,
		`EI0014 a.json:1: n: got 5, a number, want a whole number from 0 to 9 as a string of digits (try "5")`,
		`EI0014 a.json:1: n: got 5, want a whole number from 6 to 9`,
		`EI0017 a.json:1: gone: got no such key, want a whole number from 0 to 9`,
		`EI0014 a.json:1: e: got "", want a name`,
		`EI0014 a.json:1: long: got "abcdef", want a name: it has 6 characters`,
		`EI0014 a.json:1: s: got "5", want one of 6, 7`,
		`EI0014 a.json:1: texts[1]: got 1, want names`,
		`EI0014 a.json:1: list: got 3 entries, want 4 to 9 objects`,
		`EI0014 a.json:1: list[1]: got 2, want an object`,
		`EI0014 a.json:1: list[2].a: got 9, want the number 1`,
	}, got)
	require.Contains(t, all.Error(), "11 faults:\n  EI0014")
	require.Contains(t, all.Error(), "\n  and 3 more")
	require.Equal(t, []Note{{"a.json", 2, "keys that hsim does not read: host, pod"}}, r.Notes())
}

func FuzzParseJSON(f *testing.F) {
	f.Add([]byte(`{"version": "2.0", "rank_list": [{"rank_id": 0}], "a": null, "b": [true, -1.5e3]}`))
	f.Add([]byte("{\"a\": 1, // x\n}"))
	f.Add([]byte("{\"a\": \"\\ud800\"}"))
	f.Fuzz(func(t *testing.T, data []byte) {
		v, err := ParseJSON("f.json", data)
		if (v == nil) == (err == nil) {
			t.Fatalf("got %v and %v, want one of them", v, err)
		}
		if err != nil && len(err.Error()) > 1000 {
			t.Fatalf("an error of %d bytes", len(err.Error()))
		}
	})
}

func FuzzParseYAML(f *testing.F) {
	f.Add([]byte("a: 1\nb: [x, {c: d}]\n"))
	f.Add([]byte("a: &x {b: *x}\n"))
	f.Add([]byte("? [a]\n: b\n--- |\n x\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		v, err := ParseYAML("f.yaml", data)
		if (v == nil) == (err == nil) {
			t.Fatalf("got %v and %v, want one of them", v, err)
		}
	})
}
