package mem

// find is the one checked path to memory: it resolves a to its range and the
// offset in it, and holds that n bytes from there are mapped with the rights.
func (s *Space) find(op string, a Addr, n int64, need Rights) (*entry, int64, error) {
	i := a.index()
	if uint(i) < uint(len(s.ranges)) {
		e := &s.ranges[i]
		off := int64(a & offsetMask)
		if !e.freed && n >= 0 && n <= e.size-off && e.rights&need == need && (e.kind != KindReserve || e.block.covers(off, n, need)) {
			return e, off, nil
		}
	}
	return nil, 0, s.diagnose(op, a, n, need)
}

// diagnose says why find refused.
func (s *Space) diagnose(op string, a Addr, n int64, need Rights) error {
	i := a.index()
	if i < 0 || i >= len(s.ranges) {
		return s.fault(op, a, n, ErrUnmapped, "")
	}
	e := &s.ranges[i]
	switch {
	case e.freed:
		return s.fault(op, a, n, ErrFreed, "")
	case n < 0 || n > e.size-a.Offset():
		return s.fault(op, a, n, ErrBounds, "")
	case e.kind == KindReserve && !e.block.covers(a.Offset(), n, 0):
		return s.fault(op, a, n, ErrUnbacked, "")
	case need&Writable != 0 && (e.rights&Writable == 0 || e.kind == KindReserve && !e.block.covers(a.Offset(), n, Writable)):
		return s.fault(op, a, n, ErrRights, "range is read-only")
	}
	return s.fault(op, a, n, ErrRights, "range is write-only")
}

func (s *Space) fault(op string, a Addr, n int64, err error, detail string) *Fault {
	f := &Fault{Op: op, Addr: a, Len: n, Err: err, Detail: detail}
	if i := a.index(); i >= 0 && i < len(s.ranges) {
		f.Buffer, f.Offset, f.Size = s.rangeName(i), a.Offset(), s.ranges[i].size
	}
	return f
}

// Check holds that n bytes from a are mapped with the rights, without touching them.
func (s *Space) Check(a Addr, n int64, rights Rights) error {
	_, _, err := s.find("check", a, n, rights)
	return err
}

// Read copies len(p) bytes from a into p. Phantom memory reads as zero.
func (s *Space) Read(a Addr, p []byte) error {
	e, off, err := s.find("read", a, int64(len(p)), Readable)
	if err != nil {
		return err
	}
	b := e.block
	if b.Store != StoreReal {
		if b.Store == StoreRegister {
			return s.readRegisters(a, e, off, p)
		}
		clear(p)
		return nil
	}
	off += e.base
	for len(p) > 0 {
		data, n := b.peek(off, int64(len(p)))
		if data == nil {
			clear(p[:n])
		} else {
			copy(p, data)
		}
		p, off = p[n:], off+n
	}
	return nil
}

// Write copies p to memory at a.
func (s *Space) Write(a Addr, p []byte) error {
	e, off, err := s.find("write", a, int64(len(p)), Writable)
	if err != nil {
		return err
	}
	b := e.block
	if b.Store != StoreReal {
		if b.Store == StoreRegister {
			return s.writeRegisters(a, e, off, p)
		}
		return nil
	}
	off += e.base
	at, n := off, int64(len(p))
	for len(p) > 0 {
		done := copy(b.touch(off, int64(len(p))), p)
		p, off = p[done:], off+int64(done)
	}
	s.written(b, at, n)
	return nil
}

// Fill sets n bytes from a to value.
func (s *Space) Fill(a Addr, n int64, value byte) error {
	e, off, err := s.find("fill", a, n, Writable)
	if err != nil {
		return err
	}
	b := e.block
	if b.Store != StoreReal {
		if b.Store == StoreRegister {
			return s.fault("fill", a, n, ErrKind, "registers are written one by one")
		}
		return nil
	}
	off += e.base
	for at, left := off, n; left > 0; {
		data, got := b.peek(at, left)
		if data == nil && value != 0 {
			data = b.touch(at, got)
		}
		if value == 0 {
			clear(data)
		} else if len(data) > 0 {
			data[0] = value
			for done := 1; done < len(data); done *= 2 {
				copy(data[done:], data[:done])
			}
		}
		at, left = at+got, left-got
	}
	s.written(b, off, n)
	return nil
}

// Copy moves n bytes from src to dst as memmove does: the two may overlap.
// Phantom sources read as zero; a phantom destination only has its bounds and
// rights checked.
func (s *Space) Copy(dst, src Addr, n int64) error {
	to, doff, err := s.find("copy to", dst, n, Writable)
	if err != nil {
		return err
	}
	from, soff, err := s.find("copy from", src, n, Readable)
	if err != nil {
		return err
	}
	d, f := to.block, from.block
	if d.Store == StoreRegister || f.Store == StoreRegister {
		return s.copyRegisters(dst, src, n)
	}
	if d.Store != StoreReal {
		return nil
	}
	doff, soff = doff+to.base, soff+from.base
	if f.Store != StoreReal {
		return s.Fill(dst, n, 0)
	}
	if d == f && soff < doff && soff+n > doff {
		copyDown(d, doff, soff, n)
	} else {
		copyUp(d, f, doff, soff, n)
	}
	s.written(d, doff, n)
	return nil
}

// copyUp copies piece by piece from the first byte on.
func copyUp(d, f *Block, doff, soff, n int64) {
	for n > 0 {
		piece := d.room(doff, f.room(soff, n))
		move(d, f, doff, soff, piece)
		doff, soff, n = doff+piece, soff+piece, n-piece
	}
}

// copyDown copies piece by piece from the last byte back, for a destination
// that lies above its source and overlaps it.
func copyDown(d *Block, doff, soff, n int64) {
	for n > 0 {
		piece := min(n, d.tail(doff+n), d.tail(soff+n))
		n -= piece
		move(d, d, doff+n, soff+n, piece)
	}
}

func move(d, f *Block, doff, soff, n int64) {
	data, _ := f.peek(soff, n)
	if data != nil {
		copy(d.touch(doff, n), data)
		return
	}
	if old, _ := d.peek(doff, n); old != nil {
		clear(old)
	}
}
