// Package programs_test runs the example programs as they are committed: no compiler is needed.
package programs_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"hsim/host/scenario"
)

// measured are the times and bandwidths in what a program prints; they follow the chips' figures.
var measured = regexp.MustCompile(`\d+\.\d+`)

// TestPrograms compares what each program prints, measured numbers apart, with output.txt beside it; HSIM_UPDATE=1 writes
// that file.
func TestPrograms(t *testing.T) {
	files, err := filepath.Glob("*/sim.toml")
	require.NoError(t, err)
	require.GreaterOrEqual(t, len(files), 8)
	for _, file := range files {
		dir := filepath.Dir(file)
		t.Run(dir, func(t *testing.T) {
			sc, err := scenario.Load(file, scenario.Options{})
			require.NoError(t, err)
			var out strings.Builder
			report, err := scenario.Run(context.Background(), sc, scenario.Hooks{Print: func(rank, processes int, stderr bool, line string) {
				if processes > 1 {
					fmt.Fprintf(&out, "[%d] ", rank)
				}
				require.False(t, stderr, line)
				fmt.Fprintln(&out, line)
			}})
			require.NoError(t, err)
			v := report.Variants[0]
			require.Equal(t, scenario.OutcomeOK, report.Outcome, "%v %v", v.Errors, v.Stall)
			require.Empty(t, v.Warnings, "nothing is left behind")
			text := measured.ReplaceAllString(out.String(), "N")
			golden := filepath.Join(dir, "output.txt")
			if os.Getenv("HSIM_UPDATE") != "" {
				require.NoError(t, os.WriteFile(golden, []byte(text), 0o644))
			}
			want, err := os.ReadFile(golden)
			require.NoError(t, err)
			require.Equal(t, string(want), text)
		})
	}
}
