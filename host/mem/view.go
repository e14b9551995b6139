package mem

import "fmt"

// Bytes gives n bytes of memory from a as they are stored, without a copy; the
// slice is valid until the range is freed. It needs both rights and real memory
// in one piece: every block up to FlatLimit is, larger ones are when the bytes
// do not cross a chunk. Whoever writes through the slice to memory that others
// wait on calls Touched afterwards. Errors: ErrPhantom, ErrSplit and those of
// Check.
func (s *Space) Bytes(a Addr, n int64) ([]byte, error) {
	e, off, err := s.find("view", a, n, ReadWrite)
	if err != nil {
		return nil, err
	}
	b := e.block
	if b.Store != StoreReal {
		if b.Store == StoreRegister {
			return nil, s.fault("view", a, n, ErrKind, "registers have no bytes")
		}
		return nil, s.fault("view", a, n, ErrPhantom, "")
	}
	off += e.base
	if b.room(off, n) < n {
		return nil, s.fault("view", a, n, ErrSplit, fmt.Sprintf("use Pieces, or views inside chunks of %d bytes", chunkSize))
	}
	return b.touch(off, n), nil
}

// Pieces calls f with the stored bytes of n bytes from a, piece by piece in
// order; f may read and write them. Phantom memory yields no piece.
func (s *Space) Pieces(a Addr, n int64, f func(piece []byte) error) error {
	e, off, err := s.find("view", a, n, ReadWrite)
	if err != nil {
		return err
	}
	b := e.block
	if b.Store != StoreReal {
		if b.Store == StoreRegister {
			return s.fault("view", a, n, ErrKind, "registers have no bytes")
		}
		return nil
	}
	for off += e.base; n > 0; {
		piece := b.touch(off, n)
		if err := f(piece); err != nil {
			return err
		}
		off, n = off+int64(len(piece)), n-int64(len(piece))
	}
	return nil
}

// IsPhantom tells whether a lies in memory that keeps no bytes.
func (s *Space) IsPhantom(a Addr) bool {
	e, _, err := s.find("check", a, 0, 0)
	return err == nil && e.block.Store == StorePhantom
}
