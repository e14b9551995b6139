package mem

import "fmt"

// AllocSpec is what a new range is made from.
type AllocSpec struct {
	Device int   // Host or a device number
	Size   int64 // bytes, at least 1
	Pid    int
	Ctx    int
	Kind   Kind
	Policy uint32 // the runtime's malloc policy, kept for the tables
	Store  Store  // StoreDefault unless the space's mode must not apply (flag words of a phantom run)
	Rights Rights // 0 means ReadWrite
	Charge int64  // bytes counted against the device's capacity: whole pages; 0 means Size
	Name   string // for errors; "" gives kind and number
}

// Alloc makes a block and maps it, and returns the first address of its range.
// Errors: ErrArgument for a size below 1 or above MaxRange, ErrOutOfMemory when
// the device's capacity does not allow it.
func (s *Space) Alloc(spec AllocSpec) (Addr, error) {
	if spec.Size < 1 || spec.Size > MaxRange {
		return 0, fmt.Errorf("mem: alloc on %s: %w: got size %d, want 1 to %d", place(spec.Device), ErrArgument, spec.Size, MaxRange)
	}
	b := s.newBlock(spec)
	if err := s.addBlock(b); err != nil {
		return 0, err
	}
	return s.mapBlock(b, 0, spec)
}

func (s *Space) newBlock(spec AllocSpec) *Block {
	b := &Block{Device: spec.Device, Size: spec.Size, Type: HBM, Store: spec.Store, charge: max(spec.Size, spec.Charge)}
	if spec.Device == Host {
		b.Type = DDR
	}
	if b.Store == StoreDefault {
		b.Store = StoreReal
		if s.data == Phantom {
			b.Store = StorePhantom
		}
	}
	return b
}

// Wrap maps bytes that belong to the caller: a buffer of a program, the local
// memory of a core. They stay the caller's and are not charged to the device;
// Rebase replaces them. spec.Size is taken from the slice.
func (s *Space) Wrap(spec AllocSpec, data []byte) (Addr, error) {
	if len(data) == 0 {
		return 0, fmt.Errorf("mem: wrap host bytes: %w: got an empty slice", ErrArgument)
	}
	spec.Size = int64(len(data))
	b := &Block{Device: spec.Device, Size: spec.Size, Type: DDR, Store: StoreReal, flat: data, wrapped: true}
	if err := s.addBlock(b); err != nil {
		return 0, err
	}
	return s.mapBlock(b, 0, spec)
}

// Rebase gives wrapped memory a new slice of the same or a greater length,
// after the owner's memory moved. Only the first Size bytes stay reachable.
func (s *Space) Rebase(a Addr, data []byte) error {
	e, off, err := s.find("rebase", a, 0, 0)
	if err != nil {
		return err
	}
	if off != 0 {
		return s.fault("rebase", a, 0, ErrNotStart, "")
	}
	if e.block.flat == nil || int64(len(data)) < e.block.Size {
		return s.fault("rebase", a, int64(len(data)), ErrKind, "want wrapped memory and at least its size")
	}
	e.block.flat = data[:e.block.Size]
	return nil
}

// Alias maps part of an existing range's block a second time: the device's
// address of registered host memory, an imported IPC or fd handle. spec.Size 0
// takes the rest of the range; Device and Store are the block's. The block lives
// until its last range is freed.
func (s *Space) Alias(of Addr, spec AllocSpec) (Addr, error) {
	e, off, err := s.find("alias", of, spec.Size, 0)
	if err != nil {
		return 0, err
	}
	if spec.Size == 0 {
		spec.Size = e.size - off
	}
	if spec.Size < 1 {
		return 0, s.fault("alias", of, spec.Size, ErrBounds, "")
	}
	e.block.refs++
	a, err := s.mapBlock(e.block, e.base+off, spec)
	if err != nil {
		return 0, err
	}
	return a, nil
}

// Free unmaps the range that starts at a, and frees its block when no other
// range maps it. Errors: ErrNotStart, ErrDoubleFree, ErrUnmapped.
func (s *Space) Free(a Addr) error {
	i := a.index()
	if i < 0 || i >= len(s.ranges) {
		return s.fault("free", a, 0, ErrUnmapped, "")
	}
	e := &s.ranges[i]
	if e.freed {
		return s.fault("free", a, 0, ErrDoubleFree, "")
	}
	if a.Offset() != 0 {
		return s.fault("free", a, 0, ErrNotStart, fmt.Sprintf("want %s", a.Start()))
	}
	b := e.block
	if s.observer != nil {
		s.observer.RangeFreed(s.describe(i))
	}
	e.freed, e.block = true, nil
	s.free = append(s.free, int32(i))
	s.release(b)
	return nil
}

func (s *Space) release(b *Block) {
	if b.refs--; b.refs > 0 {
		return
	}
	if b.charge > 0 {
		s.use(b.Device).used -= b.charge
	}
	for _, m := range b.maps {
		s.release(m.block)
	}
	if b.ID > 0 {
		if s.observer != nil {
			s.observer.BlockFreed(b)
		}
		s.blocks[b.ID-1] = nil
	}
	b.flat, b.chunks, b.owner, b.watches, b.maps = nil, nil, nil, nil, nil
}

func (s *Space) addBlock(b *Block) error {
	if b.charge > 0 {
		u := s.use(b.Device)
		if u.capacity > 0 && b.charge > u.capacity-u.used {
			return fmt.Errorf("mem: alloc %d bytes on %s: %w: %d of %d bytes in use", b.Size, place(b.Device), ErrOutOfMemory, u.used, u.capacity)
		}
		u.used += b.charge
		u.peak = max(u.peak, u.used)
	}
	s.blocks = append(s.blocks, b)
	b.ID = BlockID(len(s.blocks))
	b.refs = 1
	if s.observer != nil {
		s.observer.BlockMade(b)
	}
	return nil
}

// quarantine is how many freed ranges keep their number before the oldest is
// given out again, so that a stale pointer is caught instead of reaching a
// newer range.
const quarantine = 1 << 18

func (s *Space) mapBlock(b *Block, base int64, spec AllocSpec) (Addr, error) {
	if spec.Rights == 0 {
		spec.Rights = ReadWrite
	}
	e := entry{block: b, size: spec.Size, base: base, rights: spec.Rights, kind: spec.Kind, device: int32(b.Device),
		pid: int32(spec.Pid), ctx: int32(spec.Ctx), policy: spec.Policy, blockID: b.ID, name: spec.Name}
	switch {
	case len(s.free)-s.freeAt > quarantine || (len(s.ranges) >= maxRanges && s.freeAt < len(s.free)):
		i := int(s.free[s.freeAt])
		if s.freeAt++; s.freeAt > quarantine {
			s.free = append(s.free[:0], s.free[s.freeAt:]...)
			s.freeAt = 0
		}
		s.ranges[i] = e
		return s.made(i), nil
	case len(s.ranges) >= maxRanges:
		s.release(b)
		return 0, fmt.Errorf("mem: map %d bytes on %s: %w: all %d ranges are in use", spec.Size, place(b.Device), ErrOutOfMemory, maxRanges)
	}
	s.ranges = append(s.ranges, e)
	return s.made(len(s.ranges) - 1), nil
}

func (s *Space) made(i int) Addr {
	if s.observer != nil {
		s.observer.RangeMade(s.describe(i))
	}
	return makeAddr(i, 0)
}

func place(device int) string {
	if device == Host {
		return "host"
	}
	return fmt.Sprintf("device %d", device)
}
