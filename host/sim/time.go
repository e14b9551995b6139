package sim

import (
	"fmt"
	"math"
	"strconv"
	"strings"
)

// Time is a point or a span of virtual time in picoseconds.
type Time int64

// The units of Time, and Forever, which no run reaches.
const (
	Picosecond  Time = 1
	Nanosecond       = 1000 * Picosecond
	Microsecond      = 1000 * Nanosecond
	Millisecond      = 1000 * Microsecond
	Second           = 1000 * Millisecond
	Forever     Time = math.MaxInt64
)

// Add returns t+d, or Forever where the sum would not fit.
func (t Time) Add(d Time) Time {
	s := t + d
	if d > 0 && s < t {
		return Forever
	}
	return s
}

// String prints t exactly, in the largest unit that leaves it at least one.
func (t Time) String() string {
	if t == Forever {
		return "forever"
	}
	units := []struct {
		size Time
		name string
	}{{Second, "s"}, {Millisecond, "ms"}, {Microsecond, "us"}, {Nanosecond, "ns"}, {Picosecond, "ps"}}
	for _, u := range units {
		if t >= u.size || t <= -u.size {
			return t.decimal(u.size) + u.name
		}
	}
	return "0s"
}

// Micros prints t in microseconds as an exact decimal without a unit, the form
// of trace files and result tables.
func (t Time) Micros() string { return t.decimal(Microsecond) }

func (t Time) decimal(unit Time) string {
	sign := ""
	v := uint64(t)
	if t < 0 {
		sign, v = "-", uint64(-t)
	}
	whole, frac := v/uint64(unit), v%uint64(unit)
	if frac == 0 {
		return sign + strconv.FormatUint(whole, 10)
	}
	digits := len(strconv.FormatInt(int64(unit), 10)) - 1
	return sign + strconv.FormatUint(whole, 10) + "." + strings.TrimRight(fmt.Sprintf("%0*d", digits, frac), "0")
}
