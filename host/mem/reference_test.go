package mem

import (
	"encoding/binary"
	"math"
	"math/big"
	"sort"
)

// The slow reference: integers in math/big, floats by exact or correctly
// rounded arithmetic in float64 (53 bits are enough for one sum or product of
// 24-bit operands to round innocuously to 24 bits) and, for the small formats,
// a search in the sorted list of all values of the format.

type refKind struct {
	bits   int
	signed bool
}

var refInts = map[Dtype]refKind{
	Int8: {8, true}, Int16: {16, true}, Int32: {32, true}, Int64: {64, true},
	Uint8: {8, false}, Uint16: {16, false}, Uint32: {32, false}, Uint64: {64, false},
}

func load(b []byte) uint64 {
	var w [8]byte
	copy(w[:], b)
	return binary.LittleEndian.Uint64(w[:])
}

func store(b []byte, v uint64) {
	var w [8]byte
	binary.LittleEndian.PutUint64(w[:], v)
	copy(b, w[:len(b)])
}

func refReduce(dst, src []byte, dt Dtype, op Op, mode Overflow) bool {
	over := false
	size := int(dt.Size())
	for i := 0; i < len(dst); i += size {
		v, o := refOne(load(dst[i:i+size]), load(src[i:i+size]), dt, op, mode)
		store(dst[i:i+size], v)
		over = over || o
	}
	return over
}

func refOne(a, b uint64, dt Dtype, op Op, mode Overflow) (uint64, bool) {
	if k, ok := refInts[dt]; ok {
		return refInt(a, b, k, op, mode)
	}
	switch dt {
	case FP32:
		r, over := refFloat(float64(math.Float32frombits(uint32(a))), float64(math.Float32frombits(uint32(b))), op, func(v float64) float64 { return float64(float32(v)) }, math.MaxFloat32, mode)
		if r != r {
			return 0x7fc00000, over
		}
		return uint64(math.Float32bits(float32(r))), over
	case FP64:
		r, over := refFloat(math.Float64frombits(a), math.Float64frombits(b), op, func(v float64) float64 { return v }, math.MaxFloat64, mode)
		if r != r {
			return 0x7ff8000000000000, over
		}
		return math.Float64bits(r), over
	}
	f := refFormats[dt]
	x, y := f.value(a), f.value(b)
	r, _ := refFloat(x, y, op, func(v float64) float64 { return float64(float32(v)) }, math.Inf(1), 0)
	fin := !math.IsInf(x, 0) && !math.IsInf(y, 0) && x == x && y == y
	return f.round(r, fin, mode)
}

func refInt(a, b uint64, k refKind, op Op, mode Overflow) (uint64, bool) {
	toBig := func(v uint64) *big.Int {
		if k.signed {
			return big.NewInt(int64(v<<(64-k.bits)) >> (64 - k.bits))
		}
		return new(big.Int).SetUint64(v)
	}
	x, y := toBig(a), toBig(b)
	r := new(big.Int)
	switch op {
	case Sum:
		r.Add(x, y)
	case Prod:
		r.Mul(x, y)
	case Max:
		r.Set(x)
		if y.Cmp(x) > 0 {
			r.Set(y)
		}
	case Min:
		r.Set(x)
		if y.Cmp(x) < 0 {
			r.Set(y)
		}
	}
	lo, hi := new(big.Int), new(big.Int).Lsh(big.NewInt(1), uint(k.bits))
	if k.signed {
		hi.Rsh(hi, 1)
		lo.Neg(hi)
	}
	hi.Sub(hi, big.NewInt(1))
	over := r.Cmp(lo) < 0 || r.Cmp(hi) > 0
	if over && mode&SaturateInt != 0 {
		if r.Cmp(lo) < 0 {
			r = lo
		} else {
			r = hi
		}
	}
	mod := new(big.Int).Lsh(big.NewInt(1), uint(k.bits))
	return new(big.Int).Mod(r, mod).Uint64(), over
}

func refFloat(x, y float64, op Op, round func(float64) float64, largest float64, mode Overflow) (float64, bool) {
	var r float64
	switch op {
	case Sum:
		r = round(x + y)
	case Prod:
		r = round(x * y)
	case Max:
		r = math.Max(x, y)
		if x != x || y != y { // math.Max lets +Inf win over NaN
			r = math.NaN()
		}
	case Min:
		r = math.Min(x, y)
		if x != x || y != y {
			r = math.NaN()
		}
	}
	over := math.IsInf(r, 0) && !math.IsInf(x, 0) && !math.IsInf(y, 0)
	if over && mode&SaturateFloat != 0 {
		r = math.Copysign(largest, r)
	}
	return r, over
}

// refFormat is a small float format as the sorted list of its non-negative
// finite values, by code.
type refFormat struct {
	values   []float64 // values[code] for code 0..max
	limit    float64   // at and above this magnitude a value overflows (half a step beyond the largest)
	sign     uint64
	inf, nan uint64
	hasInf   bool
}

var refFormats = map[Dtype]*refFormat{
	FP16: makeFormat(5, 10, true, 0x7e00), BF16: makeFormat(8, 7, true, 0x7fc0),
	E4M3: makeFormat(4, 3, false, 0x7f), E5M2: makeFormat(5, 2, true, 0x7e),
}

func makeFormat(exp, man uint, hasInf bool, nan uint64) *refFormat {
	f := &refFormat{sign: 1 << (exp + man), hasInf: hasInf, nan: nan, inf: (1<<exp - 1) << man}
	end := f.inf // first code that is not finite
	if !hasInf {
		end = f.sign - 1
	}
	bias := 1<<(exp-1) - 1
	for c := uint64(0); c < end; c++ {
		e, m := int(c>>man), float64(c&(1<<man-1))
		if e == 0 {
			f.values = append(f.values, math.Ldexp(m, 1-bias-int(man)))
		} else {
			f.values = append(f.values, math.Ldexp(m+float64(uint64(1)<<man), e-bias-int(man)))
		}
	}
	n := len(f.values)
	step := f.values[n-1] - f.values[n-2]
	f.limit = f.values[n-1] + step/2
	return f
}

func (f *refFormat) value(code uint64) float64 {
	s := 1.0
	if code&f.sign != 0 {
		s = -1
	}
	c := code &^ f.sign
	switch {
	case c < uint64(len(f.values)):
		return math.Copysign(f.values[c], s)
	case f.hasInf && c == f.inf:
		return math.Inf(int(s))
	}
	return math.NaN()
}

// round gives the code nearest to v, ties to the even code.
func (f *refFormat) round(v float64, finite bool, mode Overflow) (uint64, bool) {
	if v != v {
		return f.nan, false
	}
	sign := uint64(0)
	if math.Signbit(v) {
		sign = f.sign
		v = -v
	}
	n := len(f.values)
	last := uint64(n - 1)
	// The largest code decides whether the tie beyond it stays or leaves.
	if v > f.limit || (v == f.limit && last%2 == 1) {
		switch {
		case finite && mode&SaturateFloat != 0:
			return sign | last, true
		case f.hasInf:
			return sign | f.inf, finite
		}
		return f.nan, finite
	}
	i := sort.SearchFloat64s(f.values, v) // first value >= v
	if i == n {
		return sign | last, false
	}
	if f.values[i] == v || i == 0 {
		return sign | uint64(i), false
	}
	below, above := v-f.values[i-1], f.values[i]-v
	if below < above || (below == above && (i-1)%2 == 0) {
		i--
	}
	return sign | uint64(i), false
}
