package mem

import (
	"math"
	"unsafe"
)

// Floats follow one rule everywhere: the result is the IEEE result rounded once,
// to nearest even; any NaN becomes the type's canonical NaN (positive, quiet, no
// payload); max and min let NaN win and order -0 below +0; a result that leaves
// the range of finite operands is an overflow. The fast paths take whole groups
// and stop before a group with a NaN, an infinity or an overflow, which the
// element-wise code then does.

const (
	nan32 = 0x7fc00000
	exp32 = 0x7f800000
	nan64 = 0x7ff8000000000000
	exp64 = 0x7ff0000000000000
)

// apply is the operator in single precision. The conversion keeps a compiler
// from fusing it with anything.
func apply(op Op, a, b float32) float32 {
	switch op {
	case Sum:
		return float32(a + b)
	case Prod:
		return float32(a * b)
	case Max:
		return max(a, b)
	}
	return min(a, b)
}

func finite32(x float32) bool { return math.Float32bits(x)&exp32 != exp32 }

func singles(d, s []float32, op Op, mode Overflow) bool {
	over := false
	for len(d) > 0 {
		n := fast32(d, s, op)
		d, s = d[n:], s[n:]
		n = min(len(d), group)
		for i, a := range d[:n] {
			r := apply(op, a, s[i])
			if !finite32(r) {
				var o bool
				r, o = special32(r, a, s[i], mode)
				over = over || o
			}
			d[i] = r
		}
		d, s = d[n:], s[n:]
	}
	return over
}

// special32 settles a result that is not finite.
func special32(r, a, b float32, mode Overflow) (float32, bool) {
	if r != r {
		return math.Float32frombits(nan32), false
	}
	if !finite32(a) || !finite32(b) {
		return r, false
	}
	if mode&SaturateFloat != 0 {
		r = float32(math.Copysign(math.MaxFloat32, float64(r)))
	}
	return r, true
}

func doubles(d, s []float64, op Op, mode Overflow) bool {
	over := false
	s = s[:len(d)]
	for i, a := range d {
		b := s[i]
		var r float64
		switch op {
		case Sum:
			r = float64(a + b)
		case Prod:
			r = float64(a * b)
		case Max:
			r = max(a, b)
		default:
			r = min(a, b)
		}
		if math.Float64bits(r)&exp64 == exp64 {
			switch {
			case r != r:
				r = math.Float64frombits(nan64)
			case math.Float64bits(a)&exp64 != exp64 && math.Float64bits(b)&exp64 != exp64:
				over = true
				if mode&SaturateFloat != 0 {
					r = math.Copysign(math.MaxFloat64, r)
				}
			}
		}
		d[i] = r
	}
	return over
}

// order does max and min of a small float on its bits: flipping the magnitude of
// negative values makes the order of the values that of the integers.
func order[T int8 | int16](d, s []T, op Op, largest, nan T) {
	var mask T
	for mask = 1; mask<<1 > mask; {
		mask = mask<<1 | 1
	}
	s = s[:len(d)]
	for i, a := range d {
		b := s[i]
		if a&mask > largest || b&mask > largest {
			d[i] = nan
			continue
		}
		ka, kb := a, b
		if a < 0 {
			ka ^= mask
		}
		if b < 0 {
			kb ^= mask
		}
		if (ka < kb) == (op == Max) {
			d[i] = b
		}
	}
}

func signed16(v []uint16) []int16 {
	return unsafe.Slice((*int16)(unsafe.Pointer(unsafe.SliceData(v))), len(v))
}

// halves reduces fp16.
func halves(d, s []uint16, op Op, mode Overflow) bool {
	if op == Max || op == Min {
		order(signed16(d), signed16(s), op, 0x7c00, 0x7e00)
		return false
	}
	over := false
	for len(d) > 0 {
		n := fastHalf(d, s, op)
		d, s = d[n:], s[n:]
		n = min(len(d), group)
		for i, x := range d[:n] {
			a, b := Half(x).Float32(), Half(s[i]).Float32()
			h, out := half(apply(op, a, b))
			if out && finite32(a) && finite32(b) {
				over = true
				if mode&SaturateFloat != 0 {
					h = h&0x8000 | 0x7bff
				}
			}
			d[i] = h
		}
		d, s = d[n:], s[n:]
	}
	return over
}

// brains reduces bf16.
func brains(d, s []uint16, op Op, mode Overflow) bool {
	if op == Max || op == Min {
		order(signed16(d), signed16(s), op, 0x7f80, 0x7fc0)
		return false
	}
	over := false
	for len(d) > 0 {
		n := fastBrain(d, s, op)
		d, s = d[n:], s[n:]
		n = min(len(d), group)
		for i, x := range d[:n] {
			a, b := Brain(x).Float32(), Brain(s[i]).Float32()
			h, out := brain(apply(op, a, b))
			if out && finite32(a) && finite32(b) {
				over = true
				if mode&SaturateFloat != 0 {
					h = h&0x8000 | 0x7f7f
				}
			}
			d[i] = h
		}
		d, s = d[n:], s[n:]
	}
	return over
}

// quarters reduces the 8-bit floats.
func quarters(d, s []byte, op Op, mode Overflow, f *quarter) bool {
	if op == Max || op == Min {
		largest := int8(f.max)
		if f.signed {
			largest = int8(f.over)
		}
		order(view[int8](d), view[int8](s), op, largest, int8(f.nan))
		return false
	}
	over := false
	s = s[:len(d)]
	for i, x := range d {
		a, b := f.decode(x), f.decode(s[i])
		q, out := f.encode(apply(op, a, b))
		if out && finite32(a) && finite32(b) {
			over = true
			if mode&SaturateFloat != 0 {
				q = q&0x80 | f.max
				if r := apply(op, a, b); math.Signbit(float64(r)) {
					q |= 0x80 // e4m3's overflow is a NaN without sign
				}
			}
		}
		d[i] = q
	}
	return over
}
