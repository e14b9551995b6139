package wasm

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestDescribeAndSet(t *testing.T) {
	m := loadGuest(t)
	d, err := m.Describe()
	require.NoError(t, err)
	require.Equal(t, "guest", d.Name)
	require.Equal(t, "1.2", d.Version)
	require.Len(t, d.Params, 6)
	features, err := m.Features()
	require.NoError(t, err)
	require.EqualValues(t, 5, features)

	settings, err := d.Resolve("guest", map[string]any{"wait": "2us", "mtu": "8KiB", "mode": "fast", "strict": true, "depth": int64(-4)})
	require.NoError(t, err)
	require.Equal(t, []Setting{{"mtu", 0, 8192}, {"wait", 2, 2_000_000}, {"mode", 3, 1}, {"strict", 4, 1}, {"depth", 5, -4}}, settings)
	in := instantiate(t, m, InstanceConfig{Settings: settings})
	require.EqualValues(t, 8192, run(t, in, "param", 0, 0))
	require.EqualValues(t, 0, run(t, in, "param", 1, 0))
	require.EqualValues(t, 2_000_000, run(t, in, "param", 2, 0))
	require.EqualValues(t, -4, run(t, in, "param", 5, 0))

	_, err = m.Instantiate(InstanceConfig{Settings: []Setting{{"mtu", 0, 13}}})
	require.ErrorContains(t, err, "parameter mtu: the plugin refuses the value 13 (status -1, invalid)")
}

func TestResolveSaysEverything(t *testing.T) {
	d, err := loadGuest(t).Describe()
	require.NoError(t, err)
	_, err = d.Resolve("guest", map[string]any{"mtuu": 1, "mode": "fats", "speed": true, "depth": 1.5})
	require.EqualError(t, err, `wasm: plugin guest: parameter depth: got 1.5, want an integer; `+
		`parameter mode: got "fats", want one of slow, fast (did you mean fast?); `+
		`unknown parameter mtuu (did you mean mtu?); `+
		`parameter speed: got true, want a rate such as "400Gbps"`)
	_, err = d.Resolve("guest", map[string]any{"retransmissions": 1})
	require.EqualError(t, err, "wasm: plugin guest: unknown parameter retransmissions; want one of mtu, speed, wait, mode, strict, depth")
	_, err = (&Description{}).Resolve("bare", map[string]any{"x": 1})
	require.EqualError(t, err, "wasm: plugin bare: unknown parameter x; want no parameters at all")
}

// What a plugin says about itself stands in tables and on terminals.
func TestDescriptionIsPlain(t *testing.T) {
	require.NoError(t, (&Description{Name: "ub", About: "UnifiedBus — memory"}).plain())
	for _, c := range []struct {
		d    Description
		want string
	}{
		{Description{Name: "a\x1b[31m"}, `got name "a\x1b[31m", want characters that can be printed`},
		{Description{Version: "1\n2"}, `got version "1\n2", want characters that can be printed`},
		{Description{Name: strings.Repeat("n", 65)}, "got 65 bytes of name, want at most 64"},
		{Description{Params: make([]Param, 257)}, "got 257 parameters, want at most 256"},
		{Description{Params: []Param{{Name: "p", Values: []string{"\t"}}}}, `got a value of parameter p "\t", want characters that can be printed`},
	} {
		require.EqualError(t, c.d.plain(), c.want)
	}
}

func TestParse(t *testing.T) {
	for _, c := range []struct {
		typ   string
		value any
		want  int64
		err   string
	}{
		{"int", int64(7), 7, ""},
		{"int", 7, 7, ""},
		{"int", 7.0, 7, ""},
		{"int", "0x10", 16, ""},
		{"int", "ten", 0, `p: got "ten", want an integer`},
		{"int", true, 0, "p: got true, want an integer"},
		{"int", []any{1}, 0, "p: got [1], want an integer"},
		{"bool", true, 1, ""},
		{"bool", "false", 0, ""},
		{"bool", int64(1), 0, "p: got 1, want true or false"},
		{"bytes", "64KiB", 65536, ""},
		{"bytes", int64(4096), 4096, ""},
		{"bytes", int64(-1), 0, `p: got -1, want a size such as "4KiB" of at least 0`},
		{"bytes", "64 parsecs", 0, `p: got "64 parsecs", want a size such as "4KiB"`},
		{"rate", "400Gbps", 400_000_000_000, ""},
		{"rate", "50GB/s", 400_000_000_000, ""},
		{"time", "1.5us", 1_500_000, ""},
		{"time", "soon", 0, `p: got "soon", want a time such as "1.5us"`},
		{"enum", "b", 1, ""},
		{"enum", int64(1), 0, "p: got 1, want one of a, b"},
		{"colour", "red", 0, `p: got type "colour", want int, bool, bytes, rate, time or enum`},
	} {
		p := Param{Name: "p", Type: c.typ, Values: []string{"a", "b"}}
		v, err := p.Parse(c.value)
		if c.err != "" {
			require.EqualError(t, err, c.err)
			continue
		}
		require.NoError(t, err, "%s %v", c.typ, c.value)
		require.Equal(t, c.want, v, "%s %v", c.typ, c.value)
	}
}
