package scenario

import (
	"fmt"
	"strconv"
	"strings"

	"hsim/host/units"
)

// maxSweep is the most sizes one run may have: more is a typing error, not a measurement.
const maxSweep = 10_000

// ParseSweep reads the sizes of a run: one size ("64KiB"), a geometric sweep ("8KiB..64MiB x2", also x1.5), or an
// arithmetic one ("1KiB..8KiB +1KiB"). The end is included when a step meets it. Sizes are bytes, rounded down.
func ParseSweep(text string) ([]int64, error) {
	from, rest, ranged := strings.Cut(text, "..")
	first, err := units.ParseSize(strings.TrimSpace(from))
	if err != nil {
		return nil, err
	}
	if !ranged {
		return []int64{first}, checkSize(first)
	}
	fields := strings.Fields(rest)
	if len(fields) != 2 || len(fields[1]) < 2 || fields[1][0] != 'x' && fields[1][0] != '+' {
		return nil, fmt.Errorf("scenario: sizes %q: got no step, want FROM..TO x2 or FROM..TO +1KiB", text)
	}
	last, err := units.ParseSize(fields[0])
	if err != nil {
		return nil, err
	}
	if err := checkSize(first); err != nil {
		return nil, err
	}
	if last < first {
		return nil, fmt.Errorf("scenario: sizes %q: the end %s is below the start %s", text, units.FormatSize(last), units.FormatSize(first))
	}
	next, err := stepper(fields[1])
	if err != nil {
		return nil, err
	}
	return sweep(first, last, next)
}

func sweep(first, last int64, next func(int64) int64) ([]int64, error) {
	out := []int64{}
	for n := first; n <= last; {
		if len(out) == maxSweep {
			return nil, fmt.Errorf("scenario: sizes: more than %d of them (try a larger step)", maxSweep)
		}
		out = append(out, n)
		m := next(n)
		if m <= n {
			break // beyond int64
		}
		n = m
	}
	return out, nil
}

// stepper returns the function from one size to the next. A factor is taken as thousandths: no float decides a size.
func stepper(step string) (func(int64) int64, error) {
	if step[0] == '+' {
		add, err := units.ParseSize(step[1:])
		if err != nil {
			return nil, err
		}
		if add <= 0 {
			return nil, fmt.Errorf("scenario: step %q: want more than 0", step)
		}
		return func(n int64) int64 { return n + add }, nil
	}
	whole, frac, _ := strings.Cut(step[1:], ".")
	digits := whole + (frac + "000")[:3]
	milli, err := strconv.ParseInt(digits, 10, 32)
	if err != nil || len(frac) > 3 || milli <= 1000 {
		return nil, fmt.Errorf("scenario: step %q: want a factor above 1 with at most three decimals, such as x2 or x1.5", step)
	}
	return func(n int64) int64 {
		if n > (1<<62)/milli {
			return 0
		}
		return max(n*milli/1000, n+1)
	}, nil
}

func checkSize(n int64) error {
	if n <= 0 || n > 1<<50 {
		return fmt.Errorf("scenario: size %d: want more than 0 and at most 1024TiB", n)
	}
	return nil
}
