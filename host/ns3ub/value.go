package ns3ub

import (
	"fmt"
	"strconv"
	"strings"

	"hsim/host/sim"
	"hsim/host/units"
)

// reader takes the cells of one row; what is wrong with them becomes problems.
type reader struct {
	t     *table
	row   *row
	probs *problems
	bad   bool // something of this row was wrong
}

func (r *reader) fail(col int, format string, args ...any) {
	r.bad = true
	r.probs.add(r.t.path, r.row.line, "column %q: "+format, append([]any{r.t.head[r.t.at[col]]}, args...)...)
}

func (r *reader) text(col int) string { return r.t.cell(r.row, col) }

// int reads a whole number from lo to hi.
func (r *reader) int(col int, lo, hi int64) int64 {
	s := r.text(col)
	n, err := strconv.ParseInt(s, 10, 64)
	if err != nil || n < lo || n > hi {
		r.fail(col, "got %q, want a whole number from %d to %d", s, lo, hi)
		return lo
	}
	return n
}

// span reads a number or a range of numbers such as 0..15.
func (r *reader) span(col int, hi int64) (from, to int64) {
	s := r.text(col)
	a, b, ranged := strings.Cut(s, "..")
	from, err := strconv.ParseInt(strings.TrimSpace(a), 10, 64)
	to = from
	if err == nil && ranged {
		to, err = strconv.ParseInt(strings.TrimSpace(b), 10, 64)
	}
	if err != nil || from < 0 || to > hi || from > to {
		r.fail(col, "got %q, want a number or a range such as 0..15, from 0 to %d", s, hi)
		return 0, -1
	}
	return from, to
}

// ints reads numbers with spaces between.
func (r *reader) ints(col int, hi int64) []int64 {
	var out []int64
	for _, f := range strings.Fields(r.text(col)) {
		n, err := strconv.ParseInt(f, 10, 64)
		if err != nil || n < 0 || n > hi {
			r.fail(col, "got %q, want whole numbers from 0 to %d with spaces between", r.text(col), hi)
			return nil
		}
		out = append(out, n)
	}
	return out
}

func (r *reader) time(col int) sim.Time {
	t, err := parseTime(r.text(col))
	if err != nil {
		r.fail(col, "%v", err)
	}
	return t
}

func (r *reader) rate(col int) units.Rate {
	v, err := parseRate(r.text(col))
	if err != nil {
		r.fail(col, "%v", err)
	}
	return v
}

// parseTime reads a time of ns-3: a sign, a number and a unit, seconds without
// one.
func parseTime(s string) (sim.Time, error) {
	text := strings.TrimPrefix(s, "+")
	if text != "" && strings.Trim(text, "0123456789.") == "" {
		text += "s"
	}
	t, err := units.ParseTime(text)
	if err != nil || t < 0 {
		return 0, fmt.Errorf("got %q, want a time such as 10ns", s)
	}
	return t, nil
}

// parseRate reads a data rate of ns-3, which writes bits as b and bytes as B,
// with "/s" or "ps".
func parseRate(s string) (units.Rate, error) {
	text := s
	if n := len(text); n > 3 && strings.HasSuffix(text, "b/s") {
		text = text[:n-2] + "ps"
	} else if n > 3 && strings.HasSuffix(text, "Bps") {
		text = text[:n-2] + "/s"
	}
	text = strings.Replace(text, "k", "K", 1)
	r, err := units.ParseRate(text)
	if err != nil || r < 0 {
		return 0, fmt.Errorf("got %q, want a rate such as 400Gbps", s)
	}
	return r, nil
}

func parseBool(s string) (bool, error) {
	switch strings.ToLower(s) {
	case "true", "1", "t":
		return true, nil
	case "false", "0", "f":
		return false, nil
	}
	return false, fmt.Errorf("got %q, want true or false", s)
}
