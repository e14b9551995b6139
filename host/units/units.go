package units

import (
	"fmt"
	"math/big"
	"math/bits"
	"strconv"
	"strings"

	"hsim/host/sim"
)

// Rate is a data rate in bits per second; 0 means infinitely fast where a
// consumer says so.
type Rate int64

// Common rates.
const (
	BitPerSecond Rate = 1
	Gbps              = 1_000_000_000 * BitPerSecond
	GBps              = 8 * Gbps
	MaxRate           = Rate(1 << 62)
	picosPerByte      = 8 * int64(sim.Second)
)

// Time is how long n bytes take at the rate, rounded up to a picosecond; 0 at
// rate 0. A result beyond the range of sim.Time is sim.Forever.
func (r Rate) Time(n int64) sim.Time {
	if r <= 0 || n <= 0 {
		return 0
	}
	hi, lo := bits.Mul64(uint64(n), uint64(picosPerByte))
	if hi >= uint64(r) {
		return sim.Forever
	}
	q, rem := bits.Div64(hi, lo, uint64(r))
	if rem != 0 {
		q++
	}
	if q > uint64(sim.Forever) {
		return sim.Forever
	}
	return sim.Time(q)
}

// Bytes is how many whole bytes the rate moves in d, rounded down.
func (r Rate) Bytes(d sim.Time) int64 {
	if r <= 0 || d <= 0 {
		return 0
	}
	hi, lo := bits.Mul64(uint64(r), uint64(d))
	if hi >= uint64(picosPerByte) {
		return int64(^uint64(0) >> 1)
	}
	q, _ := bits.Div64(hi, lo, uint64(picosPerByte))
	return int64(min(q, ^uint64(0)>>1))
}

// Scale is the rate times permille/1000, rounded down.
func (r Rate) Scale(permille int64) Rate {
	hi, lo := bits.Mul64(uint64(r), uint64(permille))
	if hi >= 1000 {
		return MaxRate
	}
	q, _ := bits.Div64(hi, lo, 1000)
	return Rate(q)
}

func (r Rate) String() string { return FormatRate(r) }

var (
	sizeUnits = []unit{{"KiB", 1 << 10}, {"MiB", 1 << 20}, {"GiB", 1 << 30}, {"TiB", 1 << 40},
		{"KB", 1e3}, {"MB", 1e6}, {"GB", 1e9}, {"TB", 1e12}, {"K", 1 << 10}, {"M", 1 << 20}, {"G", 1 << 30}, {"B", 1}, {"", 1}}
	rateUnits = []unit{{"Tbps", 1e12}, {"Gbps", 1e9}, {"Mbps", 1e6}, {"Kbps", 1e3}, {"bps", 1},
		{"TB/s", 8e12}, {"GB/s", 8e9}, {"MB/s", 8e6}, {"KB/s", 8e3}, {"GiB/s", 8 << 30}, {"MiB/s", 8 << 20}, {"KiB/s", 8 << 10}, {"B/s", 8}}
	timeUnits = []unit{{"ps", 1}, {"ns", 1e3}, {"us", 1e6}, {"µs", 1e6}, {"ms", 1e9}, {"s", 1e12}, {"min", 60e12}, {"h", 3600e12}}
)

type unit struct {
	name string
	mul  int64
}

// ParseSize reads a byte count such as 4096, "64MiB", "8K" (binary, as the
// hccl_test tool has it) or "1.5GB". Fractions must come to whole bytes.
func ParseSize(s string) (int64, error) {
	return parse("size", s, sizeUnits, "a size such as 64MiB, 8K or 4096")
}

// ParseRate reads a rate such as "400Gbps" or "56GB/s".
func ParseRate(s string) (Rate, error) {
	v, err := parse("rate", s, rateUnits, "a rate such as 400Gbps or 56GB/s")
	return Rate(v), err
}

// ParseTime reads a time such as "1.5us" or "2h"; a bare 0 is allowed.
func ParseTime(s string) (sim.Time, error) {
	if strings.TrimSpace(s) == "0" {
		return 0, nil
	}
	v, err := parse("time", s, timeUnits, "a time such as 1.5us, 30s or 2h")
	return sim.Time(v), err
}

func parse(what, s string, us []unit, want string) (int64, error) {
	t := strings.TrimSpace(s)
	i := 0
	for i < len(t) && (t[i] >= '0' && t[i] <= '9' || t[i] == '.' || t[i] == '_') {
		i++
	}
	num, name := strings.ReplaceAll(t[:i], "_", ""), strings.TrimSpace(t[i:])
	if num == "" || len(num) > 40 || strings.Count(num, ".") > 1 || num == "." {
		return 0, fmt.Errorf("units: %s %q: got no number, want %s", what, s, want)
	}
	for _, u := range us {
		if u.name != name {
			continue
		}
		r, ok := new(big.Rat).SetString(num)
		if !ok {
			return 0, fmt.Errorf("units: %s %q: got no number, want %s", what, s, want)
		}
		r.Mul(r, new(big.Rat).SetInt64(u.mul))
		if !r.IsInt() {
			return 0, fmt.Errorf("units: %s %q: does not come to a whole number of the smallest unit (try a finer unit)", what, s)
		}
		if !r.Num().IsInt64() {
			return 0, fmt.Errorf("units: %s %q: too large, want at most %d%s", what, s, int64(^uint64(0)>>1)/u.mul, u.name)
		}
		return r.Num().Int64(), nil
	}
	return 0, fmt.Errorf("units: %s %q: got unit %q, want %s", what, s, name, want)
}

// FormatSize prints n in the largest binary unit that divides it, else the
// largest that leaves it at least one with two decimals.
func FormatSize(n int64) string {
	for _, u := range []unit{{"TiB", 1 << 40}, {"GiB", 1 << 30}, {"MiB", 1 << 20}, {"KiB", 1 << 10}} {
		if n >= u.mul && n%u.mul == 0 {
			return strconv.FormatInt(n/u.mul, 10) + u.name
		}
	}
	return strconv.FormatInt(n, 10) + "B"
}

// FormatRate prints r exactly in the largest decimal bit unit that leaves it at
// least one.
func FormatRate(r Rate) string {
	for _, u := range []unit{{"Tbps", 1e12}, {"Gbps", 1e9}, {"Mbps", 1e6}, {"Kbps", 1e3}} {
		if int64(r) >= u.mul {
			return trim(int64(r), u.mul) + u.name
		}
	}
	return strconv.FormatInt(int64(r), 10) + "bps"
}

// FormatTime prints t exactly, as sim.Time does.
func FormatTime(t sim.Time) string { return t.String() }

func trim(v, unit int64) string {
	if v%unit == 0 {
		return strconv.FormatInt(v/unit, 10)
	}
	digits := len(strconv.FormatInt(unit, 10)) - 1
	return strings.TrimRight(fmt.Sprintf("%d.%0*d", v/unit, digits, v%unit), "0")
}
