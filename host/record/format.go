package record

import (
	"strconv"
	"unicode/utf8"

	"hsim/host/sim"
)

// psPerMicro is the trace format's unit of time in picoseconds.
const psPerMicro = 1_000_000

func appendInt(b []byte, v int64) []byte { return strconv.AppendInt(b, v, 10) }

// appendMicros writes a time in microseconds as an exact decimal: no float can hold every picosecond.
func appendMicros(b []byte, t sim.Time) []byte {
	v := int64(t)
	if v < 0 {
		b = append(b, '-')
		v = -v
	}
	b = strconv.AppendInt(b, v/psPerMicro, 10)
	frac := v % psPerMicro
	if frac == 0 {
		return b
	}
	b = append(b, '.')
	for div := int64(psPerMicro / 10); frac > 0; div /= 10 {
		b = append(b, byte('0'+frac/div))
		frac %= div
	}
	return b
}

func appendMeta(b []byte, kind string, pid, tid int64) []byte {
	b = append(b, `{"ph":"M","pid":`...)
	b = appendInt(b, pid)
	b = append(b, `,"tid":`...)
	b = appendInt(b, tid)
	b = append(b, `,"name":"`...)
	b = append(b, kind...)
	return append(b, `","args":`...)
}

func appendArgs(b []byte, args []Arg) []byte {
	if len(args) == 0 {
		return b
	}
	b = append(b, `,"args":{`...)
	for i := range args {
		if i > 0 {
			b = append(b, ',')
		}
		b = appendString(b, args[i].Key)
		b = append(b, ':')
		if args[i].Str != "" {
			b = appendString(b, args[i].Str)
		} else {
			b = appendInt(b, args[i].Int)
		}
	}
	return append(b, '}')
}

func appendString(b []byte, s string) []byte {
	b = append(b, '"')
	b = appendEscaped(b, s)
	return append(b, '"')
}

// appendEscaped writes s as the inside of a JSON string; bytes that are no UTF-8 become the replacement character.
func appendEscaped(b []byte, s string) []byte {
	const hex = "0123456789abcdef"
	for i := 0; i < len(s); {
		c := s[i]
		switch {
		case c == '"' || c == '\\':
			b = append(b, '\\', c)
			i++
		case c < 0x20:
			b = append(b, '\\', 'u', '0', '0', hex[c>>4], hex[c&15])
			i++
		case c < utf8.RuneSelf:
			b = append(b, c)
			i++
		default:
			r, n := utf8.DecodeRuneInString(s[i:])
			b = utf8.AppendRune(b, r)
			i += n
		}
	}
	return b
}
