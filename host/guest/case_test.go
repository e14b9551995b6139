package guest

import (
	"strings"
	"testing"

	"hsim/host/soc"
)

// TestCases are reports of real users (out of streams, a thread without a context, copies of the wrong kind, registration
// off its pages, too many pieces, memory used up), as programs.
func TestCases(t *testing.T) {
	for _, c := range []struct {
		name string
		chip string
		hbm  int64
	}{
		{"streams", "a2", 0}, {"streams", "a3", 0}, {"contexts", "a3", 0}, {"copies", "a3", 0}, {"registers", "a3", 0},
		{"registers", "950dt", 0}, {"batch", "a3", 0}, {"memory", "a3", 1200 << 20},
	} {
		t.Run(c.name+" on "+c.chip, func(t *testing.T) {
			r := newRig(t, rigConfig{chip: c.chip, devices: 2, change: func(chip *soc.Chip) {
				if c.hbm > 0 {
					chip.HBMBytes = c.hbm
				}
			}})
			var lines []string
			for _, l := range r.ran(r.job(r.program("cases"), 1, c.name)) {
				lines = append(lines, strings.TrimPrefix(l, "0 "))
			}
			golden(t, "case_"+c.name+"_"+c.chip+".txt", lines)
		})
	}
}
