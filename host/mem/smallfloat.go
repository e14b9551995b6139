package mem

import "math"

// Half is an IEEE 754 binary16 (fp16) by its bits.
type Half uint16

// Float32 is the exact value.
func (h Half) Float32() float32 {
	sign := uint32(h&0x8000) << 16
	x := uint32(h & 0x7fff)
	switch {
	case x >= 0x7c00: // infinity or NaN
		return math.Float32frombits(sign | x<<13 | exp32)
	case x >= 0x0400:
		return math.Float32frombits(sign | (x<<13 + (127-15)<<23))
	}
	v := float32(x) * 0x1p-24
	return math.Float32frombits(sign | math.Float32bits(v))
}

// ToHalf rounds to nearest even; too large becomes infinity, NaN the canonical one.
func ToHalf(x float32) Half {
	h, _ := half(x)
	return Half(h)
}

// half also tells whether the result is an infinity.
func half(f float32) (uint16, bool) {
	b := math.Float32bits(f)
	sign := uint16(b >> 16 & 0x8000)
	x := b & 0x7fffffff
	switch {
	case x > exp32:
		return 0x7e00, false
	case x >= 0x47800000: // 2^16 and more
		return sign | 0x7c00, true
	case x < 0x38800000: // below 2^-14: a multiple of 2^-24; adding 0.5 rounds to it
		return sign | uint16(math.Float32bits(math.Float32frombits(x)+0.5)-0x3f000000), false
	}
	x += 0xfff + x>>13&1
	r := uint16((x - (127-15)<<23) >> 13)
	return sign | r, r >= 0x7c00
}

// Brain is a bfloat16 by its bits.
type Brain uint16

// Float32 is the exact value.
func (h Brain) Float32() float32 { return math.Float32frombits(uint32(h) << 16) }

// ToBrain rounds to nearest even; too large becomes infinity, NaN the canonical one.
func ToBrain(x float32) Brain {
	h, _ := brain(x)
	return Brain(h)
}

// brain also tells whether the result is an infinity.
func brain(f float32) (uint16, bool) {
	x := math.Float32bits(f)
	if x&0x7fffffff > exp32 {
		return 0x7fc0, false
	}
	r := uint16((x + 0x7fff + x>>16&1) >> 16)
	return r, r&0x7fff == 0x7f80
}

// quarter describes an 8-bit float.
type quarter struct {
	mantissa uint   // bits
	bias     uint32 // of the exponent
	max      byte   // largest finite magnitude
	over     byte   // what a larger one becomes: infinity, or NaN where there is none
	nan      byte   // canonical
	signed   bool   // over takes the sign
}

// The formats of the Open Compute Project's 8-bit floating point specification.
var (
	e4m3 = quarter{mantissa: 3, bias: 7, max: 0x7e, over: 0x7f, nan: 0x7f}
	e5m2 = quarter{mantissa: 2, bias: 15, max: 0x7b, over: 0x7c, nan: 0x7e, signed: true}
)

func (f *quarter) decode(q byte) float32 {
	sign := uint32(q&0x80) << 24
	x := uint32(q & 0x7f)
	switch {
	case x > uint32(f.over) || (x == uint32(f.over) && !f.signed):
		return math.Float32frombits(nan32)
	case x == uint32(f.over):
		return math.Float32frombits(sign | exp32)
	case x>>f.mantissa != 0:
		return math.Float32frombits(sign | (x<<(23-f.mantissa) + (127-f.bias)<<23))
	}
	step := math.Float32frombits((128 - f.bias - uint32(f.mantissa)) << 23)
	return math.Float32frombits(sign | math.Float32bits(float32(float32(x)*step)))
}

// encode rounds to nearest even and tells whether a finite or infinite value
// was too large.
func (f *quarter) encode(v float32) (byte, bool) {
	b := math.Float32bits(v)
	sign := byte(b >> 24 & 0x80)
	x := b & 0x7fffffff
	if x > exp32 {
		return f.nan, false
	}
	shift := 23 - f.mantissa
	var r uint32
	if x < (128-f.bias)<<23 {
		// A multiple of the smallest step; adding 2^23 steps rounds to it.
		magic := (128 - f.bias - uint32(f.mantissa) + 23) << 23
		r = math.Float32bits(float32(math.Float32frombits(x)+math.Float32frombits(magic))) - magic
	} else {
		r = (x + 1<<(shift-1) - 1 + x>>shift&1 - (127-f.bias)<<23) >> shift
	}
	if r <= uint32(f.max) {
		return sign | byte(r), false
	}
	if f.signed {
		return sign | f.over, true
	}
	return f.over, true
}

// FP8 converts between float32 and the 8-bit float dt, E4M3 or E5M2: the exact
// value of the code q.
func FP8(dt Dtype, q byte) float32 {
	if dt == E5M2 {
		return e5m2.decode(q)
	}
	return e4m3.decode(q)
}

// ToFP8 rounds to nearest even into E4M3 or E5M2; too large becomes NaN in
// E4M3, infinity in E5M2.
func ToFP8(dt Dtype, x float32) byte {
	f := &e4m3
	if dt == E5M2 {
		f = &e5m2
	}
	q, _ := f.encode(x)
	return q
}
