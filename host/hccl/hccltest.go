package hccl

import (
	"fmt"
	"math"
	"math/big"

	"hsim/host/mem"
	"hsim/host/sim"
)

// The arithmetic of hccl_test: sizes, element counts, input values, what can be
// verified, bandwidths.

// MaxSizes is the most sizes of a sweep: more is a typing error.
const MaxSizes = 10_000

// Sizes lists the data sizes of a sweep from first to last: times factor where
// it is above 1, else plus step. Errors: nothing to do, no progress, too many.
func Sizes(first, last, step, factor int64) ([]int64, error) {
	switch {
	case first < 1 || last < first:
		return nil, fmt.Errorf("hccl: sizes: got %d to %d bytes, want at least 1 and rising", first, last)
	case factor <= 1 && step < 1 && first != last:
		return nil, fmt.Errorf("hccl: sizes: got step %d and factor %d, want a step of at least 1 or a factor of at least 2", step, factor)
	}
	var list []int64
	for n := first; n <= last; {
		if len(list) == MaxSizes {
			return nil, fmt.Errorf("hccl: sizes: got more than %d from %d to %d bytes (try a larger step)", MaxSizes, first, last)
		}
		list = append(list, n)
		switch {
		case factor > 1 && n > math.MaxInt64/factor:
			return list, nil
		case factor > 1:
			n *= factor
		case step < 1 || n > math.MaxInt64-step:
			return list, nil
		default:
			n += step
		}
	}
	return list, nil
}

// TestCount is the count argument for a data size: the whole vector for
// all_reduce and broadcast, a rank's share of it (rounded up) for the others.
func TestCount(op OpKind, bytes, elem int64, ranks int) int64 {
	count := (bytes + elem - 1) / elem
	switch op {
	case AllGather, ReduceScatter, AllToAll:
		p := int64(ranks)
		return (count + p - 1) / p
	}
	return count
}

// TestBytes is the bytes that hccl_test divides by the time: the whole vector.
func TestBytes(op OpKind, count, elem int64, ranks int) int64 {
	switch op {
	case AllGather, ReduceScatter, AllToAll:
		return count * elem * int64(ranks)
	}
	return count * elem
}

// TestValue is the number in every element of block q of rank r's input. The
// tool puts 2 everywhere; its logs on eight devices have r+1, and 10+q in the
// blocks of reduce_scatter.
func TestValue(op OpKind, rank, block int, ranked bool) int64 {
	switch {
	case !ranked:
		return 2
	case op == ReduceScatter:
		return 10 + int64(block)
	}
	return int64(rank) + 1
}

// TestResult is the number in block q of rank r's output for those inputs, as an
// exact integer; root is that of a broadcast.
func TestResult(op OpKind, red mem.Op, rank, block, root, ranks int, ranked bool) *big.Int {
	value := func(r, q int) *big.Int { return big.NewInt(TestValue(op, r, q, ranked)) }
	switch op {
	case Broadcast:
		return value(root, 0)
	case AllGather:
		return value(block, 0)
	case AllToAll:
		return value(block, rank)
	case ReduceScatter:
		block = rank
	}
	acc := value(0, block)
	for r := 1; r < ranks; r++ {
		v := value(r, block)
		switch {
		case red == mem.Sum:
			acc.Add(acc, v)
		case red == mem.Prod:
			acc.Mul(acc, v)
		case red == mem.Max && v.Cmp(acc) > 0, red == mem.Min && v.Cmp(acc) < 0:
			acc = v
		}
	}
	return acc
}

// precision is the bits that hold every integer exactly, as the tool counts
// them; 0 where it sets no limit.
func precision(dt mem.Dtype) uint {
	switch dt {
	case mem.Int8, mem.BF16:
		return 7
	case mem.FP16:
		return 10
	case mem.Int16:
		return 15
	case mem.FP32:
		return 23
	case mem.Int32:
		return 31
	case mem.Int64:
		return 63
	}
	return 0
}

// CheckRanks is the most ranks for which hccl_test verifies a reduction of its
// own data; 0 = no limit. Beyond it prints NULL. Sums: all_reduce of twos, so
// (2^bits-1)/2; reduce_scatter of block numbers, so sqrt(2^bits-1). Products of
// twos: as long as 2^ranks is a value of the type.
func CheckRanks(op OpKind, red mem.Op, dt mem.Dtype) int64 {
	if !op.Reduces() {
		return 0
	}
	switch red {
	case mem.Prod:
		switch dt {
		case mem.Int8, mem.Uint8:
			return 6
		case mem.FP16:
			return 15
		case mem.Int32, mem.Uint32:
			return 30
		case mem.Int64, mem.Uint64:
			return 62
		case mem.FP32:
			return 127
		}
	case mem.Sum:
		bits := precision(dt)
		if bits == 0 {
			return 0
		}
		top := int64(1)<<bits - 1
		if op == ReduceScatter {
			return new(big.Int).Sqrt(big.NewInt(top)).Int64()
		}
		return top / 2
	}
	return 0
}

// Verifiable reports whether hccl_test would verify; false is NULL in its table.
func Verifiable(op OpKind, red mem.Op, dt mem.Dtype, ranks int) bool {
	limit := CheckRanks(op, red, dt)
	return limit == 0 || int64(ranks) <= limit
}

// AlgBandwidth is hccl_test's figure in bytes per second, 0 for no time.
func AlgBandwidth(op OpKind, count, elem int64, ranks int, t sim.Time) float64 {
	if t <= 0 {
		return 0
	}
	return float64(TestBytes(op, count, elem, ranks)) / (float64(t) / float64(sim.Second))
}

// BusFactor is what the algorithm bandwidth is multiplied with to compare with
// the rate of a link: num/den.
func BusFactor(op OpKind, ranks int) (num, den int64) {
	p := int64(ranks)
	switch op {
	case AllReduce:
		return 2 * (p - 1), p
	case AllGather, ReduceScatter, AllToAll:
		return p - 1, p
	}
	return 1, 1
}

// BusBandwidth is AlgBandwidth times BusFactor.
func BusBandwidth(op OpKind, count, elem int64, ranks int, t sim.Time) float64 {
	num, den := BusFactor(op, ranks)
	return AlgBandwidth(op, count, elem, ranks, t) * float64(num) / float64(den)
}
