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
	s.nextWatch++
	id := WatchID(s.nextWatch)
	off += e.base
	e.block.watches = append(e.block.watches, watch{id: id, off: off, end: off + n, at: a, who: w})
	return id, nil
}

// Unwatch ends a watch on the range of a; an unknown id is ignored.
func (s *Space) Unwatch(a Addr, id WatchID) {
	e, _, err := s.find("unwatch", a, 0, 0)
	if err != nil {
		return
	}
	list := e.block.watches
	for i := range list {
		if list[i].id == id {
			e.block.watches = append(list[:i:i], list[i+1:]...)
			break
		}
	}
	if len(e.block.watches) == 0 {
		e.block.watches = nil
	}
}

// Touched tells the watchers of n bytes from a that they were written through a
// view of Bytes.
func (s *Space) Touched(a Addr, n int64) {
	if e, off, err := s.find("touch", a, n, 0); err == nil && e.block.watches != nil {
		s.wake(e.block, off+e.base, n)
	}
}

func (s *Space) wake(b *Block, off, n int64) {
	for _, w := range b.watches { // a watcher may end its watch: Unwatch copies the list
		if off < w.end && off+n > w.off {
			w.who.MemoryWritten(w.at, w.end-w.off)
		}
	}
}
