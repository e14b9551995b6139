package kernel

import (
	"encoding/binary"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"hsim/host/mem"
	"hsim/host/sim"
)

// The kernels that come with hsim: results equal a plain Go loop bit for bit,
// times equal the closed form of the chip's constants.

const builtin = "../../plugins/kernels/kernels.wasm"

const tile = 16 << 10

var kernelTypes = []struct {
	name string
	dt   mem.Dtype
}{{"fp32", mem.FP32}, {"fp16", mem.FP16}, {"bf16", mem.BF16}, {"int32", mem.Int32}}

// vectorOf is n elements as raw codes, with random bits of every class.
func vectorOf(r *rand.Rand, n int) []uint32 {
	v := make([]uint32, n)
	for i := range v {
		v[i] = r.Uint32()
	}
	return v
}

// mildOf is n small values of a type, whose sums stay finite.
func mildOf(r *rand.Rand, n int, dt mem.Dtype) []uint32 {
	v := make([]uint32, n)
	for i := range v {
		v[i] = encode(dt, float32(r.NormFloat64()))
	}
	return v
}

func decode(dt mem.Dtype, v uint32) float32 {
	switch dt {
	case mem.FP16:
		return mem.Half(v).Float32()
	case mem.BF16:
		return mem.Brain(v).Float32()
	}
	return math.Float32frombits(v)
}

func encode(dt mem.Dtype, f float32) uint32 {
	switch dt {
	case mem.FP16:
		return uint32(mem.ToHalf(f))
	case mem.BF16:
		return uint32(mem.ToBrain(f))
	}
	if f != f {
		return 0x7fc00000
	}
	return math.Float32bits(f)
}

func (r *rig) put(v []uint32, dt mem.Dtype) mem.Addr {
	a := r.alloc(max(int64(len(v))*dt.Size(), 1))
	p := make([]byte, 0, len(v)*4)
	for _, x := range v {
		if dt.Size() == 2 {
			p = binary.LittleEndian.AppendUint16(p, uint16(x))
		} else {
			p = binary.LittleEndian.AppendUint32(p, x)
		}
	}
	require.NoError(r.t, r.mem.Write(a, p))
	return a
}

func (r *rig) get(a mem.Addr, n int, dt mem.Dtype) []uint32 {
	p := r.bytes(a, n*int(dt.Size()))
	v := make([]uint32, n)
	for i := range v {
		if dt.Size() == 2 {
			v[i] = uint32(binary.LittleEndian.Uint16(p[2*i:]))
		} else {
			v[i] = binary.LittleEndian.Uint32(p[4*i:])
		}
	}
	return v
}

func (r *rig) tmp(n int, dt mem.Dtype) mem.Addr { return r.alloc(max(int64(n)*dt.Size(), 1)) }

var shapes = []struct{ n, blocks int }{{0, 1}, {1, 1}, {7, 3}, {4096, 1}, {8193, 2}, {100001, 48}, {100001, 100}}

func TestAdd(t *testing.T) {
	for _, k := range kernelTypes {
		for _, s := range shapes {
			t.Run(fmt.Sprintf("%s/%d/%d", k.name, s.n, s.blocks), func(t *testing.T) {
				r := newRig(t, "a3")
				rnd := rand.New(rand.NewPCG(5, uint64(s.n)))
				x, y := vectorOf(rnd, s.n), vectorOf(rnd, s.n)
				ax, ay, az := r.put(x, k.dt), r.put(y, k.dt), r.tmp(s.n, k.dt)
				o := r.one(r.function(builtin, "add_"+k.name), Spec{Blocks: s.blocks, Args: pack(uint64(ax), uint64(ay), uint64(az), uint64(s.n))})
				require.NoError(t, o.err)
				want := make([]uint32, s.n)
				for i := range want {
					if want[i] = x[i] + y[i]; k.dt != mem.Int32 {
						want[i] = encode(k.dt, float32(decode(k.dt, x[i])+decode(k.dt, y[i])))
					}
				}
				require.Equal(t, want, r.get(az, s.n, k.dt))
			})
		}
	}
}

func TestScale(t *testing.T) {
	for _, k := range kernelTypes {
		for _, s := range shapes {
			t.Run(fmt.Sprintf("%s/%d/%d", k.name, s.n, s.blocks), func(t *testing.T) {
				r := newRig(t, "a3")
				rnd := rand.New(rand.NewPCG(6, uint64(s.n)))
				x := vectorOf(rnd, s.n)
				ax, az := r.put(x, k.dt), r.tmp(s.n, k.dt)
				factor := math.Float32bits(-1.7)
				if k.dt == mem.Int32 {
					factor = 0xfffffffd // -3
				}
				o := r.one(r.function(builtin, "scale_"+k.name), Spec{Blocks: s.blocks, Args: pack(uint64(ax), uint64(az), uint64(s.n), factor, uint32(0))})
				require.NoError(t, o.err)
				want := make([]uint32, s.n)
				for i := range want {
					if want[i] = x[i] * factor; k.dt != mem.Int32 {
						want[i] = encode(k.dt, float32(decode(k.dt, x[i])*math.Float32frombits(factor)))
					}
				}
				require.Equal(t, want, r.get(az, s.n, k.dt))
			})
		}
	}
}

func combine(dt mem.Dtype, op mem.Op, a, b uint32) uint32 {
	x, y := math.Float32frombits(a), math.Float32frombits(b)
	i, j := int32(a), int32(b)
	if dt == mem.Int32 {
		return uint32([]int32{i + j, i * j, max(i, j), min(i, j)}[op])
	}
	return math.Float32bits([]float32{float32(x + y), float32(x * y), max(x, y), min(x, y)}[op])
}

func TestReduce(t *testing.T) {
	for _, k := range kernelTypes {
		for op := mem.Sum; op <= mem.Min; op++ {
			for _, s := range []struct{ n, blocks, count, gap int }{{1, 1, 1, 0}, {4097, 2, 3, 5}, {20000, 3, 4, 0}, {5000, 48, 8, 1000}} {
				t.Run(fmt.Sprintf("%s/%v/%d/%d", k.name, op, s.n, s.count), func(t *testing.T) {
					r := newRig(t, "a3")
					rnd := rand.New(rand.NewPCG(7, uint64(s.n)))
					stride := s.n + s.gap
					x := vectorOf(rnd, stride*s.count)
					ax, az := r.put(x, k.dt), r.tmp(s.n, k.dt)
					o := r.one(r.function(builtin, "reduce_"+k.name), Spec{Blocks: s.blocks,
						Args: pack(uint64(ax), uint64(az), uint64(s.n), uint64(stride), uint32(s.count), uint32(op))})
					require.NoError(t, o.err)
					want := make([]uint32, s.n)
					for i := range want {
						raw := func(j int) uint32 {
							if k.dt == mem.Int32 {
								return x[j*stride+i]
							}
							return math.Float32bits(decode(k.dt, x[j*stride+i]))
						}
						acc := raw(0)
						for j := 1; j < s.count; j++ {
							acc = combine(k.dt, op, acc, raw(j))
						}
						if want[i] = acc; k.dt != mem.Int32 {
							want[i] = encode(k.dt, math.Float32frombits(acc))
						}
					}
					require.Equal(t, want, r.get(az, s.n, k.dt))
				})
			}
		}
	}
}

func TestMatmul(t *testing.T) {
	for _, k := range kernelTypes[:3] {
		for _, s := range []struct{ m, n, k, blocks int }{{1, 1, 1, 1}, {64, 64, 64, 1}, {65, 63, 130, 2}, {100, 200, 70, 24}, {0, 5, 5, 1}, {3, 4, 0, 1}} {
			t.Run(fmt.Sprintf("%s/%dx%dx%d", k.name, s.m, s.n, s.k), func(t *testing.T) {
				r := newRig(t, "a3")
				rnd := rand.New(rand.NewPCG(8, uint64(s.m)))
				a, b := mildOf(rnd, s.m*s.k, k.dt), mildOf(rnd, s.k*s.n, k.dt)
				if len(a) > 5 {
					a[5] = encode(k.dt, float32(math.Inf(1)))
				}
				aa, ab, ac := r.put(a, k.dt), r.put(b, k.dt), r.tmp(s.m*s.n, k.dt)
				o := r.one(r.function(builtin, "matmul_"+k.name), Spec{Blocks: s.blocks,
					Args: pack(uint64(aa), uint64(ab), uint64(ac), uint32(s.m), uint32(s.n), uint32(s.k), uint32(0))})
				require.NoError(t, o.err)
				want := make([]uint32, s.m*s.n)
				for i := range s.m {
					for j := range s.n {
						acc := float32(0)
						for l := range s.k {
							acc = float32(acc + float32(decode(k.dt, a[i*s.k+l])*decode(k.dt, b[l*s.n+j])))
						}
						want[i*s.n+j] = encode(k.dt, acc)
					}
				}
				require.Equal(t, want, r.get(ac, s.m*s.n, k.dt))
			})
		}
	}
}

// Double buffering: moves in follow one another without a gap, the sum of a tile
// and its way out hide behind them.
func TestAddTime(t *testing.T) {
	for _, chip := range []string{"a3", "950dt", "ideal"} {
		for _, k := range kernelTypes {
			const tiles, blocks = 5, 8
			r := newRig(t, chip, func(c *Config) { c.Chip.HBMRate = 0 })
			n := tiles * blocks * tile / k.dt.Size()
			a := r.alloc(3 * n * k.dt.Size())
			o := r.one(r.function(builtin, "add_"+k.name), Spec{Blocks: blocks,
				Args: pack(uint64(a), uint64(a.Add(n*k.dt.Size())), uint64(a.Add(2*n*k.dt.Size())), uint64(n))})
			require.NoError(t, o.err)
			move, rate := r.moveTime(tile, r.chip.Core.DMARate), r.chip.Core.Vector.For(int(k.dt.Size()))
			sum := sim.Time(0)
			if rate > 0 {
				sum = rate.Time(tile)
			}
			require.LessOrEqual(t, sum, 2*move, "the form holds while moves in are the longest part")
			assert.Equal(t, r.chip.KernelLaunch+tiles*2*move+sum+move, o.at, "%s %s", chip, k.name)
		}
	}
}

// Tiles of c on as many cores: the slowest block has ceil(tiles / blocks).
func TestMatmulTime(t *testing.T) {
	const m, n, k, blocks = 256, 192, 320, 5
	for _, chip := range []string{"a3", "ideal"} {
		r := newRig(t, chip, func(c *Config) { c.Chip.HBMRate = 0 })
		a, b, c := r.alloc(m*k*2), r.alloc(k*n*2), r.alloc(m*n*2)
		o := r.one(r.function(builtin, "matmul_fp16"), Spec{Blocks: blocks, Args: pack(uint64(a), uint64(b), uint64(c), uint32(m), uint32(n), uint32(k), uint32(0))})
		require.NoError(t, o.err)
		product, ok := cubeTime(64, 64, 64, r.chip.Core.Cube.B16)
		require.True(t, ok)
		move := r.moveTime(64*64*2, r.chip.Core.DMARate)
		per := (k/64)*(2*move+product) + move
		assert.Equal(t, r.chip.KernelLaunch+3*per, o.at, "12 tiles on 5 blocks")
	}
}

func TestBuiltinRefusesWrongArguments(t *testing.T) {
	r := newRig(t, "a3")
	o := r.one(r.function(builtin, "add_fp32"), Spec{Args: make([]byte, 24)})
	require.ErrorContains(t, o.err, "want struct add")
	r = newRig(t, "a3")
	o = r.one(r.function(builtin, "reduce_fp32"), Spec{Args: pack(uint64(0), uint64(0), uint64(1), uint64(1), uint32(0), uint32(0))})
	require.ErrorContains(t, o.err, "want a count of at least 1")
}

func BenchmarkLaunchEmpty(b *testing.B) {
	r := newRig(b, "ideal")
	f := r.probe("fresh")
	n := 0
	var next func(error)
	next = func(err error) {
		if err != nil {
			b.Fatal(err)
		}
		if n++; n < b.N {
			if _, err := r.k.Launch(f, Spec{}, next); err != nil {
				b.Fatal(err)
			}
		}
	}
	b.ReportAllocs()
	b.ResetTimer()
	next(nil)
	r.run()
}

func BenchmarkAdd16MiB(b *testing.B) {
	for _, k := range kernelTypes {
		b.Run(k.name, func(b *testing.B) {
			const bytes = 16 << 20
			r := newRig(b, "a3")
			a := r.alloc(3 * bytes)
			require.NoError(b, r.mem.Fill(a, 3*bytes, 0x11))
			f := r.function(builtin, "add_"+k.name)
			spec := Spec{Blocks: 48, Args: pack(uint64(a), uint64(a+bytes), uint64(a+2*bytes), uint64(bytes/k.dt.Size()))}
			n := 0
			var next func(error)
			next = func(err error) {
				require.NoError(b, err)
				if n++; n <= b.N {
					_, err := r.k.Launch(f, spec, next)
					require.NoError(b, err)
				}
			}
			b.SetBytes(bytes)
			b.ReportAllocs()
			b.ResetTimer()
			next(nil)
			r.run()
		})
	}
}
