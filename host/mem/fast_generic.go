package mem

import "math"

// group is how many elements the element-wise code does after a fast path stopped.
const group = 16

// generic32 reduces whole elements until one is not finite, and returns how many.
func generic32(d, s []float32, op Op) int {
	s = s[:len(d)]
	switch op {
	case Sum:
		for i, a := range d {
			r := float32(a + s[i])
			if math.Float32bits(r)&exp32 == exp32 {
				return i
			}
			d[i] = r
		}
	case Prod:
		for i, a := range d {
			r := float32(a * s[i])
			if math.Float32bits(r)&exp32 == exp32 {
				return i
			}
			d[i] = r
		}
	default:
		return 0
	}
	return len(d)
}
