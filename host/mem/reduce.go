package mem

import "fmt"

// ReduceSupported tells whether a reduction exists for the type and operator.
func ReduceSupported(dt Dtype, op Op) bool {
	return op <= Min && dt.Size() > 0 && dt != Int128 && dt != HIF8 && dt != E8M0
}

// Reduce sets dst = dst op src for n bytes of elements. dst and src may be the
// same memory but must not overlap otherwise. It reports whether an element
// left its type's range (the overflow status of the hardware). Phantom operands
// have their bounds checked only. Errors: ErrDtype, ErrAlign when n is not whole
// elements, and those of Check.
func (s *Space) Reduce(dst, src Addr, n int64, dt Dtype, op Op, mode Overflow) (overflowed bool, err error) {
	if !ReduceSupported(dt, op) {
		return false, s.fault("reduce", dst, n, ErrDtype, fmt.Sprintf("%v of %v", op, dt))
	}
	to, doff, err := s.find("reduce into", dst, n, ReadWrite)
	if err != nil {
		return false, err
	}
	from, soff, err := s.find("reduce from", src, n, Readable)
	if err != nil {
		return false, err
	}
	size := dt.Size()
	if n%size != 0 {
		return false, s.fault("reduce into", dst, n, ErrAlign, fmt.Sprintf("want a multiple of %d bytes of %v", size, dt))
	}
	d, f := to.block, from.block
	if d.Store != StoreReal || f.Store != StoreReal {
		if d.Store == StoreRegister || f.Store == StoreRegister {
			return false, s.fault("reduce into", dst, n, ErrKind, "registers do not reduce")
		}
		if d.Store == StorePhantom {
			return false, nil
		}
		return s.reduceZero(dst, n, dt, op, mode)
	}
	doff, soff = doff+to.base, soff+from.base
	at, total := doff, n
	for n > 0 {
		piece := d.room(doff, f.room(soff, n))
		if piece -= piece % size; piece == 0 { // an unaligned element in two chunks
			piece = size
			over, err := s.reduceSplit(dst.Add(doff-at), src.Add(doff-at), dt, op, mode)
			if err != nil {
				return overflowed, err
			}
			overflowed = overflowed || over
		} else if reduce(d.touch(doff, piece), f.touch(soff, piece), dt, op, mode) {
			overflowed = true
		}
		doff, soff, n = doff+piece, soff+piece, n-piece
	}
	s.written(d, at, total)
	return overflowed, nil
}

// ReduceFrom is Reduce with the source in the caller's hands, for example the
// local memory of a core.
func (s *Space) ReduceFrom(dst Addr, src []byte, dt Dtype, op Op, mode Overflow) (overflowed bool, err error) {
	if !ReduceSupported(dt, op) {
		return false, s.fault("reduce", dst, int64(len(src)), ErrDtype, fmt.Sprintf("%v of %v", op, dt))
	}
	if int64(len(src))%dt.Size() != 0 {
		return false, s.fault("reduce into", dst, int64(len(src)), ErrAlign, fmt.Sprintf("want a multiple of %d bytes of %v", dt.Size(), dt))
	}
	n := int64(len(src))
	e, off, err := s.find("reduce into", dst, n, ReadWrite)
	if err != nil {
		return false, err
	}
	b := e.block
	if b.Store != StoreReal {
		if b.Store == StoreRegister {
			return false, s.fault("reduce into", dst, n, ErrKind, "registers do not reduce")
		}
		return false, nil
	}
	off += e.base
	if b.room(off, n) == n {
		overflowed = reduce(b.touch(off, n), src, dt, op, mode)
		s.written(b, off, n)
		return overflowed, nil
	}
	var buf [1024]byte // across chunks, where an element may be in two
	for len(src) > 0 {
		part := buf[:min(len(src), len(buf))]
		if err := s.Read(dst, part); err != nil {
			return overflowed, err
		}
		overflowed = reduce(part, src[:len(part)], dt, op, mode) || overflowed
		if err := s.Write(dst, part); err != nil {
			return overflowed, err
		}
		dst, src = dst.Add(int64(len(part))), src[len(part):]
	}
	return overflowed, nil
}

// Reduce sets dst = dst op src element by element on plain slices of equal
// length, whole elements; the same code as Space.Reduce. Errors: ErrDtype, ErrAlign.
func Reduce(dst, src []byte, dt Dtype, op Op, mode Overflow) (overflowed bool, err error) {
	if !ReduceSupported(dt, op) {
		return false, fmt.Errorf("mem: reduce: %w: %v of %v", ErrDtype, op, dt)
	}
	if len(dst) != len(src) || int64(len(dst))%dt.Size() != 0 {
		return false, fmt.Errorf("mem: reduce: %w: got %d and %d bytes, want equal whole %v elements", ErrAlign, len(dst), len(src), dt)
	}
	return reduce(dst, src, dt, op, mode), nil
}

// reduceSplit reduces one element whose bytes are not contiguous.
func (s *Space) reduceSplit(dst, src Addr, dt Dtype, op Op, mode Overflow) (bool, error) {
	var d, f [8]byte
	size := dt.Size()
	if err := s.Read(dst, d[:size]); err != nil {
		return false, err
	}
	if err := s.Read(src, f[:size]); err != nil {
		return false, err
	}
	over := reduce(d[:size], f[:size], dt, op, mode)
	return over, s.Write(dst, d[:size])
}

// reduceZero reduces real memory with a phantom source, which reads as zero.
func (s *Space) reduceZero(dst Addr, n int64, dt Dtype, op Op, mode Overflow) (overflowed bool, err error) {
	var zero [1024]byte
	for n > 0 {
		part := min(n, int64(len(zero)))
		over, err := s.ReduceFrom(dst, zero[:part], dt, op, mode)
		if err != nil {
			return overflowed, err
		}
		overflowed = overflowed || over
		dst, n = dst.Add(part), n-part
	}
	return overflowed, nil
}
