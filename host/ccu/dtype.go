package ccu

import "hsim/host/mem"

// remoteTypes are the hardware's numbers of data types in moves to and from
// peers, bufferTypes in reductions of buffers. Source: the public driver's tables.
var (
	remoteTypes = map[mem.Dtype]uint64{mem.Int8: 0, mem.Int16: 1, mem.Int32: 2, mem.Uint8: 3, mem.Uint16: 4, mem.Uint32: 5,
		mem.FP16: 6, mem.FP32: 7, mem.BF16: 8}
	bufferTypes = map[mem.Dtype]uint64{mem.FP32: 0, mem.FP16: 1, mem.BF16: 2, mem.E4M3: 4, mem.E5M2: 5, mem.Int8: 6, mem.Uint8: 7,
		mem.Int16: 8, mem.Int32: 9}
)

// remoteOps are the numbers of operators in moves.
var remoteOps = map[mem.Op]uint64{mem.Max: 8, mem.Min: 9, mem.Sum: 10}

func typeOf(table map[mem.Dtype]uint64, code uint64) (mem.Dtype, bool) {
	for dt := mem.Dtype(0); dt < 32; dt++ {
		if n, ok := table[dt]; ok && n == code {
			return dt, true
		}
	}
	return 0, false
}

func operatorOf(code uint64) mem.Op {
	for op, n := range remoteOps {
		if n == code {
			return op
		}
	}
	return mem.Sum
}
