package scenario

import (
	"encoding/binary"
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"hsim/host/mem"
)

func TestExpectExpressions(t *testing.T) {
	o := &operands{i: 5, n: 100, in: func(k int, i int64) int64 { return 10*int64(k) + i }}
	for text, want := range map[string]int64{
		"7": 7, "i": 5, "n": 100, "in0": 5, "in1": 15, "-in0": -5, "2*in0 + in1": 25, "in0+2*in1": 35, "(in0+2)*in1": 105,
		"1 - 2 - 3": -4, "max(in0, in1)": 15, "min(in0, -1)": -1, " min ( max(i, n) , 7 ) ": 7, "--3": 3,
	} {
		e, err := parseExpect(text, 2)
		require.NoError(t, err, text)
		assert.Equal(t, want, e(o), text)
	}
	for text, want := range map[string]string{
		"":                     "got the end, want a number, i, n, min, max or in0 to in1",
		"in2":                  `got "in2", want a number, i, n, min, max or in0 to in1`,
		"2 in0":                `got "in0", want an operator`,
		"(1":                   "got the end, want )",
		"max(1)":               `got ")", want ,`,
		"max 1":                `got "1", want (`,
		"1 +":                  "got the end, want a number",
		"1 / 2":                `got "/ 2", want an operator`,
		"99999999999999999999": "want a number",
	} {
		_, err := parseExpect(text, 2)
		require.ErrorContains(t, err, want, text)
	}
	_, err := parseExpect("x", 0)
	require.ErrorContains(t, err, "want a number, i, n, min, max")
}

func FuzzExpect(f *testing.F) {
	f.Add("max(in0, 2*i) - n")
	f.Fuzz(func(t *testing.T, text string) {
		if e, err := parseExpect(text, 2); err == nil {
			e(&operands{i: 1, n: 2, in: func(int, int64) int64 { return 3 }})
		}
	})
}

// The fields lie as in a C struct.
func TestPackedArguments(t *testing.T) {
	run := &RunSpec{Dtype: mem.FP16, Reduce: mem.Max}
	var args []kernelArg
	for _, text := range []string{"u32:7", "in", "f32:0.5", "i32:-1", "dtype", "out", "reduce", "n", "bytes", "i64:-2", "u32:0xffffffff"} {
		a, err := parseArg(text, run)
		require.NoError(t, err, text)
		args = append(args, a)
	}
	b := pack(args, []mem.Addr{0x1000, 0x2000}, 10, 2)
	u32 := func(at int) uint32 { return binary.LittleEndian.Uint32(b[at:]) }
	u64 := func(at int) uint64 { return binary.LittleEndian.Uint64(b[at:]) }
	assert.EqualValues(t, 7, u32(0))
	assert.EqualValues(t, 0x1000, u64(8), "an address is aligned to 8")
	assert.Equal(t, math.Float32bits(0.5), u32(16))
	assert.Equal(t, ^uint32(0), u32(20))
	assert.EqualValues(t, mem.FP16, u32(24))
	assert.EqualValues(t, 0x2000, u64(32))
	assert.EqualValues(t, mem.Max, u32(40))
	assert.EqualValues(t, 10, u64(48))
	assert.EqualValues(t, 20, u64(56))
	assert.Equal(t, ^uint64(1), u64(64))
	assert.Equal(t, ^uint32(0), u32(72))
	assert.Len(t, b, 80, "padded to the alignment of the struct")

	for _, text := range []string{"", "inn", "u32", "u32:", "u32:-1", "u32:4294967296", "i32:2147483648", "f32:x", "u16:1"} {
		_, err := parseArg(text, run)
		assert.Error(t, err, text)
	}
}
