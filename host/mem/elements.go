package mem

import "unsafe"

// reduce sets dst = dst op src; the arguments were checked.
func reduce(dst, src []byte, dt Dtype, op Op, mode Overflow) bool {
	if len(dst) == 0 {
		return false
	}
	switch dt {
	case Int8:
		return ints(dst, src, op, mode, int8(-1<<7), 1<<7-1, 0x8080808080808080)
	case Int16:
		return ints(dst, src, op, mode, int16(-1<<15), 1<<15-1, 0x8000800080008000)
	case Int32:
		return ints(dst, src, op, mode, int32(-1<<31), 1<<31-1, 0x8000000080000000)
	case Int64:
		if op == Prod {
			return prodInt64(view[int64](dst), view[int64](src), mode)
		}
		return ints(dst, src, op, mode, int64(-1<<63), 1<<63-1, 0x8000000000000000)
	case Uint8:
		return ints(dst, src, op, mode, uint8(0), 1<<8-1, 0x8080808080808080)
	case Uint16:
		return ints(dst, src, op, mode, uint16(0), 1<<16-1, 0x8000800080008000)
	case Uint32:
		if op == Prod {
			return prodUint32(view[uint32](dst), view[uint32](src), mode)
		}
		return ints(dst, src, op, mode, uint32(0), 1<<32-1, 0x8000000080000000)
	case Uint64:
		if op == Prod {
			return prodUint64(view[uint64](dst), view[uint64](src), mode)
		}
		return ints(dst, src, op, mode, uint64(0), 1<<64-1, 0x8000000000000000)
	case FP16:
		return halves(view[uint16](dst), view[uint16](src), op, mode)
	case BF16:
		return brains(view[uint16](dst), view[uint16](src), op, mode)
	case FP32:
		return singles(view[float32](dst), view[float32](src), op, mode)
	case FP64:
		return doubles(view[float64](dst), view[float64](src), op, mode)
	case E4M3:
		return quarters(dst, src, op, mode, &e4m3)
	case E5M2:
		return quarters(dst, src, op, mode, &e5m2)
	}
	return false
}

// view reads bytes as elements. Stored bytes are little-endian, as every
// platform hsim runs on; elements need no alignment there.
func view[T any](b []byte) []T {
	var t T
	if len(b) < int(unsafe.Sizeof(t)) {
		return nil
	}
	return unsafe.Slice((*T)(unsafe.Pointer(unsafe.SliceData(b))), len(b)/int(unsafe.Sizeof(t)))
}
