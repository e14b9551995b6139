package soc

import (
	"fmt"
	"math/big"
	"strconv"
	"strings"

	"hsim/host/sim"
	"hsim/host/units"
)

// assign reads v, a value as the TOML decoder gives it, into the field pointer
// p and returns its text. The error says what was expected; the caller adds
// file, line and key.
func assign(p, v any, lo, hi int64) (string, error) {
	switch p := p.(type) {
	case *string:
		s, ok := v.(string)
		if !ok {
			return "", wrong(v, "a string")
		}
		*p = s
		return s, nil
	case *bool:
		b, ok := v.(bool)
		if !ok {
			return "", wrong(v, "true or false")
		}
		*p = b
		return strconv.FormatBool(b), nil
	case *int:
		n, ok := v.(int64)
		if !ok || n < lo || n > hi {
			return "", wrong(v, fmt.Sprintf("a whole number from %d to %d", lo, hi))
		}
		*p = int(n)
		return strconv.FormatInt(n, 10), nil
	case *permille:
		n, ok := v.(int64)
		if !ok || n < lo || n > hi {
			return "", wrong(v, fmt.Sprintf("permille, a whole number from %d to %d", lo, hi))
		}
		*p = permille(n)
		return strconv.FormatInt(n, 10), nil
	case *[]int:
		return assignInts(p, v, lo, hi)
	case *[]string:
		names, err := texts(v)
		*p = names
		return strings.Join(names, ","), err
	}
	return assignQuantity(p, v, lo, hi)
}

func assignQuantity(p, v any, lo, hi int64) (string, error) {
	s, ok := v.(string)
	switch p := p.(type) {
	case *size:
		want := fmt.Sprintf("a size from %s to %s such as \"64MiB\"", units.FormatSize(lo), units.FormatSize(hi))
		n, bare := v.(int64)
		if !bare {
			var err error
			if n, err = units.ParseSize(s); err != nil {
				return "", wrong(v, want)
			}
		}
		if n < lo || n > hi {
			return "", wrong(v, want)
		}
		*p = size(n)
		return units.FormatSize(n), nil
	case *sim.Time:
		want := "a time below one hour such as \"1.5us\""
		if !ok {
			return "", wrong(v, want)
		}
		t, err := units.ParseTime(s)
		if err != nil || t < 0 || t > 3600*sim.Second {
			return "", wrong(v, want)
		}
		*p = t
	case *units.Rate:
		want := "a rate such as \"400Gbps\" or \"56GB/s\", or \"infinite\""
		if s == "infinite" {
			*p = 0
			return s, nil
		}
		if !ok {
			return "", wrong(v, want)
		}
		r, err := units.ParseRate(s)
		if err != nil || r <= 0 {
			return "", wrong(v, want)
		}
		*p = r
	case *hertz:
		n, good := scaled(s, "Hz")
		if !ok || !good || n < lo {
			return "", wrong(v, "a frequency such as \"1.8GHz\"")
		}
		*p = hertz(n)
	case *flops:
		if s == "infinite" {
			*p = 0
			return s, nil
		}
		n, good := scaled(s, "FLOPS")
		if !ok || !good || n <= 0 {
			return "", wrong(v, "operations per second such as \"16TFLOPS\", or \"infinite\"")
		}
		*p = flops(n)
	default:
		return assignName(p, v)
	}
	return s, nil
}

func assignName(p, v any) (string, error) {
	s, ok := v.(string)
	switch p := p.(type) {
	case *Protocol:
		q, found := ParseProtocol(s)
		if !ok || !found {
			return "", wrongName(v, s, ProtocolNames())
		}
		*p = q
		return s, nil
	case *Role:
		for i, n := range roleNames {
			if ok && n == s {
				*p = Role(i)
				return s, nil
			}
		}
		return "", wrongName(v, s, roleNames[:])
	case *ProtocolSet:
		names, err := texts(v)
		if err != nil {
			return "", err
		}
		var set ProtocolSet
		for _, n := range names {
			q, found := ParseProtocol(n)
			if !found {
				return "", wrongName(n, n, ProtocolNames())
			}
			set |= Protocols(q)
		}
		if set == 0 {
			return "", wrong(v, "at least one of "+strings.Join(ProtocolNames(), ", "))
		}
		*p = set
		return set.String(), nil
	}
	return "", fmt.Errorf("has no reader for %T", p)
}

func assignInts(p *[]int, v any, lo, hi int64) (string, error) {
	want := fmt.Sprintf("a list of whole numbers from %d to %d", lo, hi)
	list, ok := v.([]any)
	if !ok {
		return "", wrong(v, want)
	}
	out := make([]int, 0, len(list))
	text := make([]string, 0, len(list))
	for _, e := range list {
		n, ok := e.(int64)
		if !ok || n < lo || n > hi {
			return "", wrong(e, want)
		}
		out = append(out, int(n))
		text = append(text, strconv.FormatInt(n, 10))
	}
	*p = out
	return strings.Join(text, ","), nil
}

func texts(v any) ([]string, error) {
	list, ok := v.([]any)
	if !ok {
		return nil, wrong(v, "a list of strings")
	}
	out := make([]string, 0, len(list))
	for _, e := range list {
		s, ok := e.(string)
		if !ok {
			return nil, wrong(e, "a list of strings")
		}
		out = append(out, s)
	}
	return out, nil
}

// scaled reads "1.8GHz" or "16TFLOPS" exactly; ok is false for another unit, a
// fraction of one, or a number out of range.
func scaled(s, unit string) (n int64, ok bool) {
	num, found := strings.CutSuffix(s, unit)
	if !found || len(num) > 40 {
		return 0, false
	}
	mul := int64(1)
	for i, prefix := range []string{"K", "M", "G", "T", "P"} {
		if t, found := strings.CutSuffix(num, prefix); found {
			num = t
			for range i + 1 {
				mul *= 1000
			}
			break
		}
	}
	if num == "" || strings.Trim(num, "0123456789.") != "" || strings.Count(num, ".") > 1 {
		return 0, false
	}
	r, found := new(big.Rat).SetString(num)
	if !found {
		return 0, false
	}
	r.Mul(r, new(big.Rat).SetInt64(mul))
	if !r.IsInt() || !r.Num().IsInt64() {
		return 0, false
	}
	return r.Num().Int64(), true
}

func wrong(v any, want string) error { return fmt.Errorf("got %s, want %s", show(v), want) }

func wrongName(v any, s string, names []string) error {
	err := fmt.Errorf("got %s, want one of %s", show(v), strings.Join(names, ", "))
	if n := Nearest(s, names); n != "" {
		err = fmt.Errorf("%w (try %q)", err, n)
	}
	return err
}

func show(v any) string {
	if s, ok := v.(string); ok {
		return strconv.Quote(s)
	}
	return fmt.Sprintf("%v", v)
}
