package scenario

import (
	"math"

	"hsim/host/mem"
)

// What the kernels that come with hsim take and compute. A module of the user may have kernels of the same names: it is
// given the same arguments and held to the same results.

// scaleFactor is what the kernel scale multiplies by, reduceArrays how many arrays the kernel reduce combines.
const (
	scaleFactor  = 3
	reduceArrays = 4
)

// known fills arguments and expectation of a kernel by its name in the file; false for a name hsim does not know.
func (u *kernelUse) known(r *RunSpec) bool {
	buffer := func(k argKind, elems int64) kernelArg { return kernelArg{kind: k, size: 8, elems: elems} }
	number := func(size int, v uint64) kernelArg { return kernelArg{kind: argNumber, size: size, value: v} }
	count := kernelArg{kind: argCount, size: 8}
	switch r.Kernel {
	case "add":
		u.args = []kernelArg{buffer(argIn, 0), buffer(argIn, 0), buffer(argOut, 0), count}
		u.want = func(o *operands) int64 { return o.in(0, o.i) + o.in(1, o.i) }
	case "scale":
		factor := uint64(scaleFactor)
		if r.Dtype == mem.FP32 || r.Dtype == mem.FP16 || r.Dtype == mem.BF16 {
			factor = uint64(math.Float32bits(scaleFactor))
		}
		u.args = []kernelArg{buffer(argIn, 0), buffer(argOut, 0), count, number(4, factor), number(4, 0)}
		u.want = func(o *operands) int64 { return scaleFactor * o.in(0, o.i) }
	case "reduce":
		u.args = []kernelArg{buffer(argIn, -reduceArrays), buffer(argOut, 0), count, count, number(4, reduceArrays), number(4, uint64(r.Reduce))}
		if r.Reduce == mem.Prod {
			u.inputs = func(_ int, i int64) int64 { return 1 + i%period%2 }
		}
		red := r.Reduce
		u.want = func(o *operands) int64 { return reduceOf(red, o) }
	case "matmul":
		m, n, k := r.Shape[0], r.Shape[1], r.Shape[2]
		u.args = []kernelArg{buffer(argIn, m*k), buffer(argIn, k*n), buffer(argOut, m*n), number(4, uint64(m)), number(4, uint64(n)), number(4, uint64(k)), number(4, 0)}
		u.inputs = matmulInput(r.Dtype, k)
		u.want = func(o *operands) int64 { return product(o, n, k) }
		// Larger products are checked in some rows: the check must not take longer than the run.
		u.sample = max(m*n*k>>23, 1)
	default:
		return false
	}
	return true
}

// reduceOf combines the arrays of the kernel reduce at element i.
func reduceOf(red mem.Op, o *operands) int64 {
	acc := o.in(0, o.i)
	for a := int64(1); a < reduceArrays; a++ {
		x := o.in(0, a*o.n+o.i)
		switch red {
		case mem.Sum:
			acc += x
		case mem.Prod:
			acc *= x
		case mem.Max:
			acc = max(acc, x)
		case mem.Min:
			acc = min(acc, x)
		}
	}
	return acc
}

// product is element i of a matrix product with n columns and inner length k.
func product(o *operands, n, k int64) int64 {
	row, col := o.i/n, o.i%n
	var acc int64
	for l := range k {
		acc += o.in(0, row*k+l) * o.in(1, l*n+col)
	}
	return acc
}

// plainInput is what element i of input k holds: small numbers that sums and products of a few keep exact.
func plainInput(dt mem.Dtype) func(k int, i int64) int64 {
	return func(k int, i int64) int64 { return (5*int64(k) + i%period) % 8 }
}

// matmulInput keeps every sum over the inner length within what the type holds exactly.
func matmulInput(dt mem.Dtype, k int64) func(k int, i int64) int64 {
	limit := exactLimit(dt)
	top := int64(0)
	for t := int64(1); t <= 3; t++ {
		if t*t*k <= limit {
			top = t
		}
	}
	if top > 0 {
		return func(in int, i int64) int64 { return (i%period + 3*int64(in)) % (top + 1) }
	}
	thin := k/limit + 2
	return func(in int, i int64) int64 {
		if in == 0 && (i%period)%thin != 0 {
			return 0
		}
		return (i%period + int64(in)) % 2
	}
}
