package soc

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestLoadRefuses(t *testing.T) {
	_, err := Load("950d")
	require.EqualError(t, err, `soc: profile "950d": got no such name, want one of 910, a2, a3, 950dt, 950pr, 960, ideal, 910d or a path to a .toml file (try "950dt")`)
	_, err = Load("none/such.toml")
	require.EqualError(t, err, `soc: profile none/such.toml: no such file or directory`)
	file := filepath.Join(t.TempDir(), "self.toml")
	require.NoError(t, os.WriteFile(file, []byte("base = \"self.toml\"\n"), 0o600))
	_, err = Load(file)
	require.ErrorContains(t, err, `profile "self.toml": got a chain of more than 8 bases, want one that ends (is a file its own base?)`)
}

func TestParseRefuses(t *testing.T) {
	const known = "want a key that `hsim profiles 950dt` lists"
	for _, c := range []struct{ text, want string }{
		{"base = \"a4\"", `:1: base: profile "a4": got no such name, want one of 910, a2, a3, 950dt, 950pr, 960, ideal, 910d or a path to a .toml file (try "a2")`},
		{"base = 910", `:1: base: got 910, want a string`},
		{"base = \"a3\"\nbases = 1", `:2: bases: got an unknown key, ` + known + ` (try "base")`},
		{"base = \"a3\"\n\n[sdma]\ncopy_rat = \"1GB/s\"", `:4: sdma.copy_rat: got an unknown key, ` + known + ` (try "sdma.copy_rate")`},
		{"base = \"a3\"\n[sdma]\nalpha = \"1GB/s\"", `:3: sdma.alpha: got "1GB/s", want a time below one hour such as "1.5us"`},
		{"base = \"a3\"\n[sdma]\nalpha = 3", `:3: sdma.alpha: got 3, want a time below one hour such as "1.5us"`},
		{"base = \"a3\"\n[sdma]\nalpha = { value = \"1us\", clas = \"measured\" }", `:3: sdma.alpha: got key "clas", want value, source and class`},
		{"base = \"a3\"\n[sdma]\nalpha = { value = \"1us\", class = \"mesured\" }", `:3: sdma.alpha: class: got "mesured", want one of measured, vendor, derived, assumed (try "measured")`},
		{"base = \"a3\"\n[sdma]\nalpha = { source = \"x\" }", `:3: sdma.alpha: got no value, want { value = ..., source = "...", class = "assumed" }`},
		{"base = \"a3\"\nsdma.copy_rate = \"5us\"", `:2: sdma.copy_rate: got "5us", want a rate such as "400Gbps" or "56GB/s", or "infinite"`},
		{"base = \"a3\"\n[limits]\nstreams = 0", `:3: limits.streams: got 0, want a whole number from 1 to 16777216`},
		{"base = \"a3\"\n[limits]\nhbm = \"64\"", `:3: limits.hbm: got "64", want a size from 1MiB to 1TiB such as "64MiB"`},
		{"base = \"a3\"\n[remote]\nread_efficiency = 1001", `:3: remote.read_efficiency: got 1001, want permille, a whole number from 1 to 1000`},
		{"base = \"a3\"\n[core]\nclock = \"1.8GHZ\"", `:3: core.clock: got "1.8GHZ", want a frequency such as "1.8GHz"`},
		{"base = \"a3\"\n[core]\ncube16 = \"0TFLOPS\"", `:3: core.cube16: got "0TFLOPS", want operations per second such as "16TFLOPS", or "infinite"`},
		{"base = \"a3\"\n[model]\nheaders = \"yes\"", `:3: model.headers: got "yes", want true or false`},
		{"base = \"a3\"\n[ports.hccs]\nprotocols = [\"HCS\"]", `:3: ports.hccs.protocols: got "HCS", want one of UB_CTP, UB_TP, UB_MEM, HCCS, UBOE, ROCE, TCP, PCIE (try "HCCS")`},
		{"base = \"a3\"\n[ports.hccs]\nrole = \"swich\"", `:3: ports.hccs.role: got "swich", want one of direct, switch, host, nic, package (try "switch")`},
		{"base = \"a3\"\n[ports.hccs]\nrates = \"1GB/s\"", `:3: ports.hccs.rates: got an unknown key, ` + known + ` (try "ports.hccs.rate")`},
		{"base = \"a3\"\n[ports]\nhccs = 3", `:3: ports.hccs: got 3, want a table [ports.NAME] with role, die, first, count, rate, latency and protocols`},
		{"base = \"a3\"\n[[ports]]\ndie = 0\n[[ports]]\ndie = 1", `:2: ports: got an array of tables, want tables with names, such as [ports.direct]`},
		{"base = \"a3\"\n[ports.hccs]\ncount = 8", `:2: ports.sio: got port 0/7, which ports.hccs has already, want ports of its own (try another first)`},
		{"base = \"a3\"\n[ports.hccs]\ndie = 2", `:3: ports.hccs.die: got 2, want below chip.dies 1`},
		{"base = \"a3\"\n[ports.new]\ndie = 0", `:2: ports.new.role: got none, want it in [ports.new]`},
		{"base = \"a3\"\n[expansion]\ndefault = \"ccu_ms\"", `:3: expansion.default: got "ccu_ms", want one of host, aicpu, aiv`},
		{"base = \"a3\"\n[expansion]\nall = [\"aicpu\", \"ccu_ms\"]", `:3: expansion.all: got "ccu_ms" on a chip with ccu.version 0, want no CCU expansion`},
		{"base = \"a3\"\n[ccu]\nversion = 1", `:2: ccu.instructions: got 0, want at least 1 on a chip with ccu.version 1`},
		{"base = \"950dt\"\n[ccu]\nversion = 2", `:2: ccu.versions: got [1], want a list with ccu.version 2`},
		{"base = \"950dt\"\n[ccu]\nversion = 0", `:2: ccu.versions: got [1] beside ccu.version 0, want none (try ccu.version = 1)`},
		{"base = \"a3\"\n[network]\nscale_up = \"UB_TP\"", `:3: network.scale_up: got "UB_TP", want a protocol that some ports speak: UB_MEM,HCCS,ROCE,TCP,PCIE`},
		{"[sdma]\nalpha = \"1us\"", `: got no chip.soc_name, chip.generation, chip.dies and 48 more, want every constant (try base = "950dt" as the first line and only the keys that differ)`},
		{"base = \"a3\"\n[sdma]\nalpha = 1.2.3", `:3: Invalid float value: "1.2.3"`},
	} {
		_, err := Parse("mine.toml", []byte(c.text))
		require.Error(t, err, c.text)
		require.Equal(t, "soc: profile mine.toml"+c.want, err.Error(), c.text)
	}
}

func TestNearest(t *testing.T) {
	names := []string{"star", "mesh", "clos"}
	for in, want := range map[string]string{"Star": "star", "msh": "mesh", "cols": "clos", "banana": "", "": ""} {
		require.Equal(t, want, Nearest(in, names), in)
	}
	require.Empty(t, Nearest(strings.Repeat("s", 100), names))
}

// What the decoder would chew on for minutes is refused before it.
func TestProfilesBeyondAnyProfile(t *testing.T) {
	for text, want := range map[string]string{
		"base = \"a3\"\nx = " + strings.Repeat("[", 900_000):          ":2: brackets are nested more than 64 deep, want a profile",
		"\n\nx = " + strings.Repeat("{a=", 65):                        ":3: brackets are nested more than 64 deep, want a profile",
		"[a" + strings.Repeat(".a", 500_000) + "]":                    ":1: a name has more than 64 parts, want a profile",
		"x = \"\"\"\n[[\n\"\"\"\n" + strings.Repeat("a.", 64) + "a=1": ":4: a name has more than 64 parts, want a profile",
		"#" + strings.Repeat("x", 1<<20):                              ": got more than 1 MiB, want a profile",
	} {
		_, err := Parse("mine.toml", []byte(text))
		require.EqualError(t, err, "soc: profile mine.toml"+want)
	}
	for _, text := range []string{"# " + strings.Repeat("[", 100), `x = '` + strings.Repeat("[", 100) + `\'`, `x = "` + strings.Repeat("a.", 100) + `\"["`,
		"x = [" + strings.Repeat("1.5, ", 100) + "]", "x = '''" + strings.Repeat("{\n", 100) + "'''"} {
		line, what := TooDeep(text, 64)
		require.Zero(t, line, what)
	}
}

func FuzzParse(f *testing.F) {
	for _, n := range Names() {
		text, err := embedded.ReadFile("profiles/" + n + ".toml")
		require.NoError(f, err)
		f.Add(string(text))
	}
	f.Add("base = \"a3\"\n[[ports]]\n[sdma]\nalpha = {}\n")
	f.Add("\"a.b\".\"\" = 1\nports = { x = { rate = { value = \"1GB/s\" } } }\n")
	f.Fuzz(func(t *testing.T, text string) {
		if strings.Contains(text, ".toml") {
			return // a base that is a file would depend on the machine
		}
		p, err := Parse("fuzz.toml", []byte(text))
		if err != nil {
			require.Truef(t, strings.HasPrefix(err.Error(), "soc: profile fuzz.toml"), "%v", err)
			return
		}
		c := p.Chip()
		require.Contains(t, c.Expansions, c.DefaultExpansion)
		for _, g := range c.Ports {
			require.True(t, g.Count > 0 && g.Die < c.Dies && g.Rate >= 0 && g.Role < numRoles && g.Protocols != 0)
		}
		q, err := Parse("fuzz.toml", []byte(text))
		require.NoError(t, err)
		require.Equal(t, p, q)
	})
}
