package scenario

import (
	"encoding/binary"
	"math"

	"github.com/x448/float16"

	"hsim/host/hccl"
	"hsim/host/mem"
)

// period of the pattern in elements: a prime, so that pieces of equal size start at different values.
const period = 251

// pattern says what number stands in every element of every rank's input, and what must stand in the outputs. The numbers
// are small integers that every data type holds exactly, also when they are reduced over all ranks, so that the order of
// a reduction does not matter and results are compared bit for bit.
type pattern struct {
	input Input
	op    hccl.OpKind
	red   mem.Op
	dt    mem.Dtype
	ranks int64
	root  int
	count int64 // elements of one rank's part (all_reduce, broadcast: of the whole)
}

// at is the value of element i of a rank's input.
func (p *pattern) at(rank int, i int64) int64 {
	switch p.input {
	case InputTwo:
		return 2
	case InputRank:
		if p.op == hccl.ReduceScatter {
			return 10 + i/p.count
		}
		return int64(rank) + 1
	}
	return p.mixed(int64(rank), i%period)
}

// mixed is the pattern: every rank and residue its own value, within what the type and the reduction can bear.
func (p *pattern) mixed(rank, i int64) int64 {
	switch {
	case p.op.Reduces() && p.red == mem.Sum:
		limit := exactLimit(p.dt)
		if top := min(limit/p.ranks, 7); top > 0 {
			return (3*rank + i) % (top + 1)
		}
		// More ranks than the type can count: only every so many-th rank contributes.
		if (rank+i)%(p.ranks/limit+2) == 0 {
			return 1
		}
		return 0
	case p.op.Reduces() && p.red == mem.Prod:
		if (rank+i)%p.ranks < i%4 {
			return 2
		}
		return 1
	}
	return 1 + (17*rank+i)%101
}

// want is the value of element i of a rank's output, before it is asked whether the type can hold it.
func (p *pattern) want(rank int, i int64) int64 {
	switch p.op {
	case hccl.AllGather:
		return p.at(int(i/p.count), i%p.count)
	case hccl.AllToAll:
		return p.at(int(i/p.count), int64(rank)*p.count+i%p.count)
	case hccl.Broadcast:
		return p.at(p.root, i)
	case hccl.ReduceScatter:
		return p.reduced(int64(rank)*p.count + i)
	}
	return p.reduced(i)
}

// tooLarge marks a product that no type holds.
const tooLarge = math.MaxInt64

func (p *pattern) reduced(i int64) int64 {
	acc := p.at(0, i)
	for r := 1; r < int(p.ranks); r++ {
		v := p.at(r, i)
		switch p.red {
		case mem.Sum:
			acc += v
		case mem.Prod:
			if v > 1 && acc > tooLarge/v {
				return tooLarge
			}
			acc *= v
		case mem.Max:
			acc = max(acc, v)
		case mem.Min:
			acc = min(acc, v)
		}
	}
	return acc
}

// exactLimit is the largest n such that the type holds every integer from 0 to n.
func exactLimit(dt mem.Dtype) int64 {
	switch dt {
	case mem.Int8:
		return math.MaxInt8
	case mem.Uint8:
		return math.MaxUint8
	case mem.Int16:
		return math.MaxInt16
	case mem.Uint16:
		return math.MaxUint16
	case mem.FP16:
		return 1 << 11
	case mem.BF16:
		return 1 << 8
	case mem.FP32:
		return 1 << 24
	case mem.Int32:
		return math.MaxInt32
	case mem.Uint32:
		return math.MaxUint32
	}
	return 1 << 53
}

// holds reports whether the type holds the integer v exactly; powers of two reach further than exactLimit in floats.
func holds(dt mem.Dtype, v int64) bool {
	if v <= exactLimit(dt) {
		return true
	}
	power := v&(v-1) == 0
	switch dt {
	case mem.FP16:
		return power && v <= 1<<15
	case mem.BF16, mem.FP32, mem.FP64:
		return power
	case mem.Int64, mem.Uint64:
		return v < tooLarge
	}
	return false
}

// verifiable reports whether every expected value can be stored; hccl_test's own limits on the number of ranks hold for
// its own input, which is 2 everywhere, so that its NULL is ours.
func (p *pattern) verifiable() bool {
	if p.input == InputTwo && p.op.Reduces() {
		if !hccl.Verifiable(p.op, p.red, p.dt, int(p.ranks)) {
			return false
		}
	}
	outputs := int64(1)
	if p.op == hccl.ReduceScatter {
		outputs = p.ranks
	}
	for r := range outputs {
		for i := range min(period, p.count) {
			if !holds(p.dt, p.want(int(r), i)) {
				return false
			}
		}
	}
	return true
}

// store writes the integer v as one element.
func store(b []byte, dt mem.Dtype, v int64) {
	switch dt {
	case mem.FP16:
		binary.LittleEndian.PutUint16(b, float16.Fromfloat32(float32(v)).Bits())
	case mem.BF16:
		binary.LittleEndian.PutUint16(b, uint16(math.Float32bits(float32(v))>>16))
	case mem.FP32:
		binary.LittleEndian.PutUint32(b, math.Float32bits(float32(v)))
	case mem.FP64:
		binary.LittleEndian.PutUint64(b, math.Float64bits(float64(v)))
	default:
		for i := range b {
			b[i] = byte(v >> (8 * min(i, 7)))
		}
	}
}

// fetch reads one element as a number, for messages.
func fetch(b []byte, dt mem.Dtype) float64 {
	switch dt {
	case mem.FP16:
		return float64(float16.Frombits(binary.LittleEndian.Uint16(b)).Float32())
	case mem.BF16:
		return float64(math.Float32frombits(uint32(binary.LittleEndian.Uint16(b)) << 16))
	case mem.FP32:
		return float64(math.Float32frombits(binary.LittleEndian.Uint32(b)))
	case mem.FP64:
		return math.Float64frombits(binary.LittleEndian.Uint64(b))
	}
	v := int64(0)
	for i := range min(len(b), 8) {
		v |= int64(b[i]) << (8 * i)
	}
	switch shift := 64 - 8*len(b); {
	case dt == mem.Uint64:
		return float64(uint64(v))
	case dt == mem.Int8 || dt == mem.Int16 || dt == mem.Int32:
		return float64(v << shift >> shift)
	}
	return float64(v)
}
