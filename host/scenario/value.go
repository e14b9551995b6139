package scenario

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"hsim/host/sim"
	"hsim/host/units"
)

// Train is the setting of [fabric] train: how many packets one event may move.
type Train struct {
	Auto    bool
	Packets int64 // when not Auto; 1 = packet level
}

// wrong is a value that does not fit its key: what was expected and what to try.
type wrong struct{ want, try string }

func (w *wrong) Error() string {
	if w.try == "" {
		return w.want
	}
	return w.want + " (try " + w.try + ")"
}

// convert turns a decoded TOML value into the Go type of the key's kind: string, int64, bool, units.Rate, sim.Time,
// []sim.Time, []int64, []string, Train, int64 parts in a million, or the value itself for KindAny.
func convert(k Key, v any) (any, *wrong) {
	switch k.Kind {
	case KindText:
		return asText(k, v, `a text such as "name"`)
	case KindEnum:
		return asEnum(k, v)
	case KindInt:
		return asInt(k, v)
	case KindBool:
		if b, ok := v.(bool); ok {
			return b, nil
		}
		return nil, &wrong{want: "want true or false, without quotes"}
	case KindSize:
		n, w := asSize(v)
		if b, ok := n.(int64); ok && w == nil && k.Max > 0 && (b < k.Min || b > k.Max) {
			w = &wrong{want: fmt.Sprintf("want %d to %d bytes", k.Min, k.Max)}
		}
		return n, w
	case KindRate:
		s, w := asText(k, v, `a rate such as "400Gbps" or "56GB/s"`)
		if w != nil {
			return nil, w
		}
		r, err := units.ParseRate(s.(string))
		return r, wrongUnit(err)
	case KindTime:
		return asTime(v)
	case KindTimes:
		return asTimes(v)
	case KindSweep:
		return asSweep(v)
	case KindInts:
		return asList(v, func(x any) (int64, *wrong) {
			n, w := asInt(k, x)
			if w != nil {
				return 0, w
			}
			return n.(int64), nil
		}, "a list of whole numbers such as [4, 2]")
	case KindTexts:
		return asList(v, func(x any) (string, *wrong) {
			s, w := asText(k, x, "texts in the list")
			if w != nil {
				return "", w
			}
			return s.(string), nil
		}, `a list of texts such as ["builtin"]`)
	case KindTrain:
		if s, ok := v.(string); ok && s == "auto" {
			return Train{Auto: true}, nil
		}
		if n, ok := v.(int64); ok && n >= k.Min && n <= k.Max {
			return Train{Packets: n}, nil
		}
		return nil, &wrong{want: fmt.Sprintf(`want "auto" or a whole number from %d to %d`, k.Min, k.Max), try: `"auto"`}
	case KindHosts:
		if v == "device" {
			return int64(0), nil
		}
		return asInt(k, v)
	case KindProcesses:
		if v == perRank {
			return int64(0), nil
		}
		return asInt(k, v)
	case KindOutage:
		if v == true {
			return sim.Time(0), nil
		}
		t, w := asTime(v)
		if w != nil || t == sim.Time(0) {
			return nil, &wrong{want: `want how long, such as "500us", or true, which is for ever`}
		}
		return t, nil
	case KindShare:
		return asShare(v)
	case KindEnv:
		return asEnv(k, v)
	}
	return v, nil
}

// asShare reads a part of the whole, more than 0 and at most 1, as parts in a million.
func asShare(v any) (any, *wrong) {
	bad := &wrong{want: `want a share of more than 0 and at most 1, such as 0.01 or "1%", in steps of 0.000001`}
	var x float64
	switch n := v.(type) {
	case float64:
		x = n
	case int64:
		x = float64(n)
	case string:
		digits, ok := strings.CutSuffix(strings.TrimSpace(n), "%")
		f, err := strconv.ParseFloat(strings.TrimSpace(digits), 64)
		if !ok || err != nil {
			return nil, bad
		}
		x = f / 100
	default:
		return nil, bad
	}
	ppm := math.Round(x * 1e6)
	if !(ppm >= 1 && ppm <= 1e6) {
		return nil, bad
	}
	return int64(ppm), nil
}

// asEnv reads a variable as its program would: digits in a text. HCCL reports a value out of range as EI0001.
func asEnv(k Key, v any) (any, *wrong) {
	text, ok := v.(string)
	if n, isInt := v.(int64); isInt {
		text, ok = strconv.FormatInt(n, 10), true
	}
	n, err := strconv.ParseInt(text, 10, 64)
	if !ok || err != nil || n < k.Min || n > k.Max {
		return nil, &wrong{want: fmt.Sprintf("EI0001: want a whole number from %d to %d in quotes", k.Min, k.Max), try: k.Default}
	}
	return n, nil
}

func asText(_ Key, v any, want string) (any, *wrong) {
	if s, ok := v.(string); ok {
		if strings.TrimSpace(s) == "" {
			return nil, &wrong{want: "got an empty text, want " + want}
		}
		return s, nil
	}
	return nil, &wrong{want: "got " + typeName(v) + ", want " + want}
}

func asEnum(k Key, v any) (any, *wrong) {
	s, ok := v.(string)
	if !ok {
		return nil, &wrong{want: "got " + typeName(v) + ", want one of " + strings.Join(k.Values, ", ")}
	}
	if contains(k.Values, s) {
		return s, nil
	}
	return nil, &wrong{want: "want one of " + strings.Join(k.Values, ", "), try: quoteNonEmpty(nearest(s, k.Values))}
}

func asInt(k Key, v any) (any, *wrong) {
	n, ok := v.(int64)
	switch {
	case !ok:
		return nil, &wrong{want: fmt.Sprintf("got %s, want a whole number from %d to %d", typeName(v), k.Min, k.Max)}
	case n < k.Min || n > k.Max:
		return nil, &wrong{want: fmt.Sprintf("want a whole number from %d to %d", k.Min, k.Max)}
	}
	return n, nil
}

func asSize(v any) (any, *wrong) {
	switch x := v.(type) {
	case int64:
		if x < 0 {
			return nil, &wrong{want: `want a size of at least 0, such as "64MiB"`}
		}
		return x, nil
	case string:
		n, err := units.ParseSize(x)
		return n, wrongUnit(err)
	}
	return nil, &wrong{want: "got " + typeName(v) + `, want a size such as "64MiB"`}
}

func asTime(v any) (any, *wrong) {
	switch x := v.(type) {
	case int64:
		if x == 0 {
			return sim.Time(0), nil
		}
		return nil, &wrong{want: "got a number without a unit, want a time", try: fmt.Sprintf(`"%dus"`, x)}
	case string:
		t, err := units.ParseTime(x)
		return t, wrongUnit(err)
	}
	return nil, &wrong{want: "got " + typeName(v) + `, want a time such as "1.5us"`}
}

func asTimes(v any) (any, *wrong) {
	if _, ok := v.([]any); !ok {
		t, w := asTime(v)
		if w != nil {
			return nil, w
		}
		return []sim.Time{t.(sim.Time)}, nil
	}
	return asList(v, func(x any) (sim.Time, *wrong) {
		t, w := asTime(x)
		if w != nil {
			return 0, w
		}
		return t.(sim.Time), nil
	}, `a time such as "1.5us", or a list of them`)
}

func asSweep(v any) (any, *wrong) {
	switch x := v.(type) {
	case string:
		n, err := ParseSweep(x)
		return n, wrongUnit(err)
	case int64:
		return []int64{x}, wrongUnit(checkSize(x))
	}
	return asList(v, func(x any) (int64, *wrong) {
		n, w := asSize(x)
		if w != nil {
			return 0, w
		}
		return n.(int64), wrongUnit(checkSize(n.(int64)))
	}, `sizes such as "8KiB..64MiB x2", "64MiB" or ["1KiB", "1MiB"]`)
}

func asList[T any](v any, one func(any) (T, *wrong), want string) (any, *wrong) {
	items, ok := v.([]any)
	if !ok {
		return nil, &wrong{want: "got " + typeName(v) + ", want " + want}
	}
	out := make([]T, 0, len(items))
	for i, x := range items {
		t, w := one(x)
		if w != nil {
			return nil, &wrong{want: fmt.Sprintf("element %d (%s): %s", i, written(x), w.want), try: w.try}
		}
		out = append(out, t)
	}
	return out, nil
}

// wrongUnit keeps what a parser of package units or of sizes says, without its prefix: the key and value are named already.
func wrongUnit(err error) *wrong {
	if err == nil {
		return nil
	}
	text := err.Error()
	if _, after, ok := strings.Cut(text, `": `); ok && strings.HasPrefix(text, "units: ") {
		text = after
	}
	return &wrong{want: strings.TrimPrefix(text, "scenario: ")}
}

func typeName(v any) string {
	switch v.(type) {
	case string:
		return "a text"
	case int64:
		return "a whole number"
	case float64:
		return "a number with a fraction or an exponent"
	case bool:
		return "true or false"
	case []any:
		return "a list"
	case map[string]any, []map[string]any:
		return "a table"
	}
	return "a date"
}

// written prints a decoded value the way TOML writes it, in one line.
func written(v any) string {
	switch x := v.(type) {
	case string:
		return strconv.Quote(x)
	case []any:
		parts := make([]string, len(x))
		for i := range x {
			parts[i] = written(x[i])
		}
		return "[" + strings.Join(parts, ", ") + "]"
	case map[string]any, []map[string]any:
		return "{...}"
	}
	return fmt.Sprint(v)
}

func quoteNonEmpty(s string) string {
	if s == "" {
		return ""
	}
	return strconv.Quote(s)
}
