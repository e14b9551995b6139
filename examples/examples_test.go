// Package examples_test does with the examples what their README tells a user to do.
package examples_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestExamplesBuildAndRun(t *testing.T) {
	if testing.Short() {
		t.Skip("builds hsim and compiles for WebAssembly")
	}
	hsim := filepath.Join(t.TempDir(), "hsim")
	out, err := exec.Command("go", "build", "-o", hsim, "../cmd/hsim").CombinedOutput()
	require.NoError(t, err, string(out))
	tables := map[string]string{}
	for _, dir := range []string{"kernel-c", "kernel-go", "ccu-c", "ccu-go", "algorithm-c", "algorithm-go", "transport-c", "transport-go"} {
		t.Run(dir, func(t *testing.T) {
			if _, err := exec.LookPath("clang"); err != nil && strings.HasSuffix(dir, "-c") {
				if os.Getenv("HSIM_CHECK") != "" {
					t.Fatal("clang is needed")
				}
				t.Skip("clang is not installed")
			}
			at := filepath.Join(t.TempDir(), "mine")
			require.NoError(t, os.Mkdir(at, 0o755))
			files, err := filepath.Glob(filepath.Join(dir, "*"))
			require.NoError(t, err)
			for _, f := range files {
				if strings.HasSuffix(f, ".wasm") {
					continue
				}
				text, err := os.ReadFile(f)
				require.NoError(t, err)
				text = []byte(strings.ReplaceAll(string(text), dir+".wasm", "mine.wasm"))
				require.NoError(t, os.WriteFile(filepath.Join(at, filepath.Base(f)), text, 0o600))
			}
			do := func(args ...string) string {
				cmd := exec.Command(hsim, args...)
				cmd.Dir = at
				out, err := cmd.CombinedOutput()
				require.NoError(t, err, string(out))
				return string(out)
			}
			kind, _, _ := strings.Cut(dir, "-")
			require.Contains(t, do("plugin", "build", "."), kind+", version 1")
			table := do("run", "sim.toml")
			require.Contains(t, table, "| success")
			require.NotContains(t, table, "failed")
			tables[dir] = table
		})
	}
	if tables["transport-c"] != "" {
		require.Equal(t, tables["transport-c"], tables["transport-go"], "the same protocol in C and Go takes the same times")
	}
}
