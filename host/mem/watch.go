package mem

// Watcher is told that bytes it watches were written. It is called inside the
// writing access: it may schedule work, and must not change the space.
type Watcher interface{ MemoryWritten(a Addr, n int64) }

// WatchID names one watch.
type WatchID uint64

type watch struct {
	id       WatchID
	off, end int64 // in the block
	at       Addr
	who      Watcher
}

// Watch calls w whenever one of the n bytes from a is written, through whatever
// range of the block, until Unwatch or until the block is freed. Registers are
// watched by their owner instead (ErrKind); phantom memory has no value to wait
// for (ErrPhantom).
func (s *Space) Watch(a Addr, n int64, w Watcher) (WatchID, error) {
	e, off, err := s.find("watch", a, n, Readable)
	if err != nil {
		return 0, err
	}
	switch e.block.Store {
	case StoreRegister:
		return 0, s.fault("watch", a, n, ErrKind, "registers wake their owner")
	case StorePhantom:
		return 0, s.fault("watch", a, n, ErrPhantom, "allocate flag words with StoreReal")
	}
	b, off := e.block, off+e.base
	if b.reserved {
		m, in := b.mappingAt(off)
		if n > m.size-in {
			return 0, s.fault("watch", a, n, ErrSplit, "the words lie in two mappings")
		}
		b, off = m.block, in
	}
	s.nextWatch++
	id := WatchID(s.nextWatch)
	b.watches = append(b.watches, watch{id: id, off: off, end: off + n, at: a, who: w})
	return id, nil
}

// Unwatch ends a watch on the range of a; an unknown id is ignored.
func (s *Space) Unwatch(a Addr, id WatchID) {
	e, off, err := s.find("unwatch", a, 0, 0)
	if err != nil {
		return
	}
	b := e.block
	if b.reserved {
		m, _ := b.mappingAt(off)
		if m == nil {
			return // unmapped since: the block keeps a watch whose owner is done with it
		}
		b = m.block
	}
	list := b.watches
	for i := range list {
		if list[i].id == id {
			b.watches = append(list[:i:i], list[i+1:]...)
			break
		}
	}
	if len(b.watches) == 0 {
		b.watches = nil
	}
}

// Touched tells the watchers of n bytes from a that they were written through a
// view of Bytes.
func (s *Space) Touched(a Addr, n int64) {
	if e, off, err := s.find("touch", a, n, 0); err == nil {
		s.written(e.block, off+e.base, n)
	}
}

// written wakes who watches the bytes, of the blocks that lie behind them.
func (s *Space) written(b *Block, off, n int64) {
	if b.watches != nil {
		s.wake(b, off, n)
	}
	if b.reserved {
		b.pieces(off, n, func(m *mapping, in, n int64) { s.written(m.block, in, n) })
	}
}

func (s *Space) wake(b *Block, off, n int64) {
	for _, w := range b.watches { // a watcher may end its watch: Unwatch copies the list
		if off < w.end && off+n > w.off {
			w.who.MemoryWritten(w.at, w.end-w.off)
		}
	}
}
