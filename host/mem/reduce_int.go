package mem

import "math/bits"

type integer interface {
	int8 | int16 | int32 | int64 | uint8 | uint16 | uint32 | uint64
}

// ints reduces integers of one type with range lo..hi; high has the top bit of
// every lane of a 64-bit word.
func ints[T integer](dst, src []byte, op Op, mode Overflow, lo, hi T, high uint64) bool {
	switch op {
	case Sum:
		return sumInts(dst, src, mode, lo, hi, high)
	case Prod:
		return prodNarrow(view[T](dst), view[T](src), mode, lo, hi)
	case Max:
		d, s := view[T](dst), view[T](src)
		s = s[:len(d)]
		for i, v := range d {
			d[i] = max(v, s[i])
		}
	case Min:
		d, s := view[T](dst), view[T](src)
		s = s[:len(d)]
		for i, v := range d {
			d[i] = min(v, s[i])
		}
	}
	return false
}

// sumInts adds all lanes of a 64-bit word at once: the top bits apart, so that
// no carry crosses a lane. A lane overflows, signed, when both operands differ
// from the result in the top bit; unsigned, when a carry leaves it.
func sumInts[T integer](dst, src []byte, mode Overflow, lo, hi T, high uint64) bool {
	over := false
	d, s := view[uint64](dst), view[uint64](src)
	s = s[:len(d)]
	signed := lo < 0
	i := 0
	for ; i+4 <= len(d); i += 4 {
		dd, ss := d[i:i+4:i+4], s[i:i+4:i+4]
		a0, a1, a2, a3 := dd[0], dd[1], dd[2], dd[3]
		b0, b1, b2, b3 := ss[0], ss[1], ss[2], ss[3]
		r0 := (a0&^high + b0&^high) ^ (a0^b0)&high
		r1 := (a1&^high + b1&^high) ^ (a1^b1)&high
		r2 := (a2&^high + b2&^high) ^ (a2^b2)&high
		r3 := (a3&^high + b3&^high) ^ (a3^b3)&high
		var out uint64
		if signed {
			out = (a0^r0)&(b0^r0) | (a1^r1)&(b1^r1) | (a2^r2)&(b2^r2) | (a3^r3)&(b3^r3)
		} else {
			out = a0&b0 | (a0|b0)&^r0 | a1&b1 | (a1|b1)&^r1 | a2&b2 | (a2|b2)&^r2 | a3&b3 | (a3|b3)&^r3
		}
		if out&high != 0 {
			over = true
			if mode&SaturateInt != 0 {
				sumEach(view[T](dst[i*8:i*8+32]), view[T](src[i*8:i*8+32]), mode, lo, hi)
				continue
			}
		}
		dd[0], dd[1], dd[2], dd[3] = r0, r1, r2, r3
	}
	return sumEach(view[T](dst[i*8:]), view[T](src[i*8:]), mode, lo, hi) || over
}

func sumEach[T integer](d, s []T, mode Overflow, lo, hi T) bool {
	over := false
	for i, a := range d {
		b := s[i]
		r := a + b
		if (r < a) != (b < 0) {
			over = true
			if mode&SaturateInt != 0 {
				if r = hi; b < 0 {
					r = lo
				}
			}
		}
		d[i] = r
	}
	return over
}

// prodNarrow multiplies types whose products fit an int64.
func prodNarrow[T integer](d, s []T, mode Overflow, lo, hi T) bool {
	over := false
	for i, a := range d {
		p := int64(a) * int64(s[i])
		r := T(p)
		if int64(r) != p {
			over = true
			if mode&SaturateInt != 0 {
				if r = hi; p < 0 {
					r = lo
				}
			}
		}
		d[i] = r
	}
	return over
}

func prodUint32(d, s []uint32, mode Overflow) bool {
	over := false
	for i, a := range d {
		p := uint64(a) * uint64(s[i])
		r := uint32(p)
		if p>>32 != 0 {
			over = true
			if mode&SaturateInt != 0 {
				r = 1<<32 - 1
			}
		}
		d[i] = r
	}
	return over
}

func prodUint64(d, s []uint64, mode Overflow) bool {
	over := false
	for i, a := range d {
		hi, r := bits.Mul64(a, s[i])
		if hi != 0 {
			over = true
			if mode&SaturateInt != 0 {
				r = 1<<64 - 1
			}
		}
		d[i] = r
	}
	return over
}

func prodInt64(d, s []int64, mode Overflow) bool {
	over := false
	for i, a := range d {
		b := s[i]
		hi, low := bits.Mul64(uint64(a), uint64(b))
		hi -= uint64(a>>63)&uint64(b) + uint64(b>>63)&uint64(a) // to the signed high half
		r := int64(low)
		if hi != uint64(r>>63) {
			over = true
			if mode&SaturateInt != 0 {
				if r = 1<<63 - 1; (a < 0) != (b < 0) {
					r = -1 << 63
				}
			}
		}
		d[i] = r
	}
	return over
}
