package mem

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"github.com/x448/float16"
)

var reducible = []Dtype{Int8, Int16, Int32, Int64, Uint8, Uint16, Uint32, Uint64, FP16, BF16, FP32, FP64, E4M3, E5M2}

// operands makes random bits with many of the values where rules meet: zeros of
// both signs, infinities, NaNs, subnormals, extremes.
func operands(r *rand.Rand, n int, dt Dtype) []byte {
	size := int(dt.Size())
	b := make([]byte, n*size)
	special := map[Dtype][]uint64{
		FP16: {0, 0x8000, 1, 0x8001, 0x03ff, 0x0400, 0x7bff, 0xfbff, 0x7c00, 0xfc00, 0x7c01, 0x7e00, 0xffff},
		BF16: {0, 0x8000, 1, 0x8001, 0x007f, 0x0080, 0x7f7f, 0xff7f, 0x7f80, 0xff80, 0x7f81, 0x7fc0, 0x7fff, 0xffff},
		FP32: {0, 0x80000000, 1, 0x80000001, 0x007fffff, 0x00800000, 0x7f7fffff, 0xff7fffff, 0x7f800000, 0xff800000, 0x7f800001, 0x7fc00000, 0xffffffff},
		FP64: {0, 1 << 63, 1, 0x000fffffffffffff, 0x7fefffffffffffff, 0xffefffffffffffff, 0x7ff0000000000000, 0xfff0000000000000, 0x7ff0000000000001, 0xffffffffffffffff},
	}[dt]
	if special == nil {
		top := uint64(1) << (8*size - 1)
		special = []uint64{0, 1, top, top - 1, top + 1, 2*top - 1}
	}
	for i := 0; i < n; i++ {
		v := r.Uint64()
		switch r.IntN(8) {
		case 0:
			v = special[r.IntN(len(special))]
		case 1: // small magnitude
			v &= 0xf
		}
		store(b[i*size:(i+1)*size], v)
	}
	return b
}

func TestReduceEqualsReference(t *testing.T) {
	for _, dt := range reducible {
		for op := Sum; op <= Min; op++ {
			for mode := Overflow(0); mode <= SaturateInt|SaturateFloat; mode++ {
				t.Run(fmt.Sprintf("%v/%v/%d", dt, op, mode), func(t *testing.T) {
					r := rand.New(rand.NewPCG(1, uint64(dt)))
					for _, n := range []int{0, 1, 3, 15, 16, 17, 64, 3001} {
						a, b := operands(r, n, dt), operands(r, n, dt)
						want := append([]byte{}, a...)
						wantOver := refReduce(want, b, dt, op, mode)
						over, err := Reduce(a, b, dt, op, mode)
						require.NoError(t, err)
						require.Equal(t, want, a, "n=%d", n)
						require.Equal(t, wantOver, over, "n=%d", n)
					}
				})
			}
		}
	}
}

// Ordinary values only, so that the vector paths run through whole buffers.
func TestReduceLongRunsEqualReference(t *testing.T) {
	for _, dt := range []Dtype{FP16, BF16, FP32, Int8, Int16, Int32, Uint8} {
		for op := Sum; op <= Min; op++ {
			t.Run(fmt.Sprintf("%v/%v", dt, op), func(t *testing.T) {
				r := rand.New(rand.NewPCG(2, uint64(dt)))
				const n = 5000
				a, b := make([]byte, n*dt.Size()), make([]byte, n*dt.Size())
				for i := 0; i < n; i++ {
					for _, buf := range [][]byte{a, b} {
						f := float32(r.NormFloat64() * math.Exp2(float64(r.IntN(20)-16)))
						var v uint64
						switch dt {
						case FP16:
							v = uint64(ToHalf(f))
						case BF16:
							v = uint64(ToBrain(f))
						case FP32:
							v = uint64(math.Float32bits(f))
						default:
							v = uint64(r.IntN(7))
						}
						store(buf[i*int(dt.Size()):(i+1)*int(dt.Size())], v)
					}
				}
				// One disturber at every distance from the end of a group.
				for _, at := range []int{0, 1, 15, 16, 777, n - 1} {
					a2, b2 := append([]byte(nil), a...), append([]byte(nil), b...)
					store(a2[at*int(dt.Size()):(at+1)*int(dt.Size())], 0x7f807f807f807f80)
					want := append([]byte(nil), a2...)
					over := refReduce(want, b2, dt, op, 0)
					got, err := Reduce(a2, b2, dt, op, 0)
					require.NoError(t, err)
					require.Equal(t, want, a2)
					require.Equal(t, over, got)
				}
			})
		}
	}
}

// The fallback of platforms without vector paths stops before the first result
// that is not finite and has done everything up to it.
func TestGenericPath(t *testing.T) {
	r := rand.New(rand.NewPCG(9, 9))
	for _, op := range []Op{Sum, Prod} {
		for _, n := range []int{0, 1, 17, 500} {
			a, b := view[float32](operands(r, n, FP32)), view[float32](operands(r, n, FP32))
			before := append([]float32{}, a...)
			done := generic32(a, b, op)
			for i := range a {
				want := apply(op, before[i], b[i])
				switch {
				case i < done:
					require.Equal(t, math.Float32bits(want), math.Float32bits(a[i]))
				case i == done:
					require.False(t, finite32(want))
					fallthrough
				default:
					require.Equal(t, math.Float32bits(before[i]), math.Float32bits(a[i]))
				}
			}
			require.Zero(t, generic32(a, b, Max))
		}
	}
}

// Every pair of 8-bit values, every operator and mode.
func TestReduceEightBitExhaustive(t *testing.T) {
	for _, dt := range []Dtype{Int8, Uint8, E4M3, E5M2} {
		for op := Sum; op <= Min; op++ {
			for _, mode := range []Overflow{0, SaturateInt | SaturateFloat} {
				a, b := make([]byte, 1<<16), make([]byte, 1<<16)
				for i := range a {
					a[i], b[i] = byte(i), byte(i>>8)
				}
				want := append([]byte(nil), a...)
				refReduce(want, b, dt, op, mode)
				_, err := Reduce(a, b, dt, op, mode)
				require.NoError(t, err)
				for i := range a {
					if a[i] != want[i] {
						t.Fatalf("%v %v mode %d: %#x, %#x: got %#x, want %#x", dt, op, mode, byte(i), byte(i>>8), a[i], want[i])
					}
				}
			}
		}
	}
}

func TestSixteenBitConversions(t *testing.T) {
	for i := 0; i < 1<<16; i++ {
		h := Half(i)
		want := float16.Frombits(uint16(i)).Float32()
		if want != want {
			require.True(t, h.Float32() != h.Float32(), "%#x", i)
			require.Equal(t, Half(0x7e00), ToHalf(h.Float32()))
		} else {
			require.Equal(t, math.Float32bits(want), math.Float32bits(h.Float32()), "%#x", i)
			require.Equal(t, h, ToHalf(want))
			require.Equal(t, Brain(i>>0), brainBack(Brain(i)), "%#x", i)
		}
	}
	r := rand.New(rand.NewPCG(3, 3))
	for range 200000 {
		f := math.Float32frombits(r.Uint32())
		if f == f {
			require.Equal(t, uint16(float16.Fromfloat32(f)), uint16(ToHalf(f)), "%g", f)
			want, _ := refFormats[BF16].round(float64(f), false, 0)
			require.Equal(t, uint16(want), uint16(ToBrain(f)), "%g", f)
		}
	}
}

func brainBack(b Brain) Brain {
	if f := b.Float32(); f == f {
		return ToBrain(f)
	}
	return b
}

// The published cases of overflow.
func TestOverflowCases(t *testing.T) {
	bits16 := func(v uint16) []byte { return []byte{byte(v), byte(v >> 8)} }
	h := func(f float32) []byte { return bits16(uint16(ToHalf(f))) }
	q := func(f float32) []byte { return []byte{ToFP8(E4M3, f)} }
	i8 := func(v int8) []byte { return []byte{byte(v)} }
	for _, c := range []struct {
		name       string
		a, b, want []byte
		dt         Dtype
		op         Op
		mode       Overflow
		over       bool
	}{
		{"int8 120+100 wraps", i8(120), i8(100), i8(-36), Int8, Sum, 0, true},
		{"int8 120+100 saturates", i8(120), i8(100), i8(127), Int8, Sum, SaturateInt, true},
		{"int8 64*2 wraps", i8(64), i8(2), i8(-128), Int8, Prod, 0, true},
		{"int8 64*2 saturates", i8(64), i8(2), i8(127), Int8, Prod, SaturateInt, true},
		{"int8 -64*2 fits", i8(-64), i8(2), i8(-128), Int8, Prod, 0, false},
		{"fp16 60000+60000 infinity", h(60000), h(60000), bits16(0x7c00), FP16, Sum, 0, true},
		{"fp16 60000+60000 saturates", h(60000), h(60000), h(65504), FP16, Sum, SaturateFloat, true},
		{"fp16 inf+1 stays inf when saturating", bits16(0x7c00), h(1), bits16(0x7c00), FP16, Sum, SaturateFloat, false},
		{"fp16 inf-inf", bits16(0x7c00), bits16(0xfc00), bits16(0x7e00), FP16, Sum, 0, false},
		{"e4m3 448+18 NaN", q(448), q(18), []byte{0x7f}, E4M3, Sum, 0, true},
		{"e4m3 448+18 saturates", q(448), q(18), q(448), E4M3, Sum, SaturateFloat, true},
		{"e4m3 448+16 ties to even", q(448), q(16), q(448), E4M3, Sum, 0, false},
		{"e4m3 -448-64 saturates", q(-448), q(-64), q(-448), E4M3, Sum, SaturateFloat, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := append([]byte(nil), c.a...)
			over, err := Reduce(got, c.b, c.dt, c.op, c.mode)
			require.NoError(t, err)
			assert.Equal(t, c.want, got)
			assert.Equal(t, c.over, over)
		})
	}
}

func TestReduceRefusals(t *testing.T) {
	for _, dt := range []Dtype{Int128, HIF8, E8M0, 13, 200} {
		_, err := Reduce(make([]byte, 16), make([]byte, 16), dt, Sum, 0)
		assert.ErrorIs(t, err, ErrDtype)
	}
	_, err := Reduce(make([]byte, 8), make([]byte, 8), FP32, 4, 0)
	assert.ErrorIs(t, err, ErrDtype)
	_, err = Reduce(make([]byte, 8), make([]byte, 12), FP32, Sum, 0)
	assert.ErrorIs(t, err, ErrAlign)
	_, err = Reduce(make([]byte, 7), make([]byte, 7), FP32, Sum, 0)
	assert.ErrorIs(t, err, ErrAlign)
}

func FuzzReduce(f *testing.F) {
	f.Add([]byte("0123456789abcdef0123456789abcdef"), uint8(FP16), uint8(Sum), uint8(0))
	f.Add(make([]byte, 512), uint8(BF16), uint8(Max), uint8(3))
	f.Fuzz(func(t *testing.T, data []byte, dt, op, mode uint8) {
		d, o := Dtype(dt%dtypes), Op(op%4)
		if !ReduceSupported(d, o) {
			_, err := Reduce(data, data, d, o, 0)
			require.True(t, errors.Is(err, ErrDtype))
			return
		}
		n := len(data) / 2 / int(d.Size()) * int(d.Size())
		a, b := append([]byte{}, data[:n]...), data[n:2*n]
		want := append([]byte{}, a...)
		wantOver := refReduce(want, b, d, o, Overflow(mode&3))
		over, err := Reduce(a, b, d, o, Overflow(mode&3))
		require.NoError(t, err)
		require.Equal(t, want, a)
		require.Equal(t, wantOver, over)
	})
}
