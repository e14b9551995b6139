package mem

import (
	"fmt"
	"slices"
)

// mapping is one block, or a part of it, in a reserved range.
type mapping struct {
	off, size int64 // in the range
	block     *Block
	rights    Rights
}

// Mapping is a block mapped into a reserved range.
type Mapping struct {
	Start  Addr
	Size   int64
	Block  BlockID
	Rights Rights
}

// NewBlock makes a block that no range maps: physical memory only. The caller
// holds it until DropBlock. Of spec the fields Device, Size, Store and Charge
// count. Errors: those of Alloc.
func (s *Space) NewBlock(spec AllocSpec) (BlockID, error) {
	if spec.Size < 1 || spec.Size > MaxRange {
		return 0, fmt.Errorf("mem: new block on %s: %w: got size %d, want 1 to %d", place(spec.Device), ErrArgument, spec.Size, MaxRange)
	}
	b := s.newBlock(spec)
	if err := s.addBlock(b); err != nil {
		return 0, err
	}
	return b.ID, nil
}

// Block finds a live block.
func (s *Space) Block(id BlockID) (*Block, bool) {
	if id < 1 || int(id) > len(s.blocks) || s.blocks[id-1] == nil {
		return nil, false
	}
	return s.blocks[id-1], true
}

// HoldBlock keeps a block alive beside its ranges until DropBlock.
func (s *Space) HoldBlock(id BlockID) error {
	b, ok := s.Block(id)
	if !ok {
		return fmt.Errorf("mem: hold block: %w: got block %d, want a live one", ErrArgument, id)
	}
	b.refs++
	return nil
}

// DropBlock ends one hold; the block goes with the last of its holds and ranges.
func (s *Space) DropBlock(id BlockID) error {
	b, ok := s.Block(id)
	if !ok {
		return fmt.Errorf("mem: drop block: %w: got block %d, want a live one", ErrArgument, id)
	}
	s.release(b)
	return nil
}

// Reserve makes a range without memory behind it: an access before Map is
// ErrUnbacked. Of spec all fields but Store and Charge count; Kind is
// KindReserve. Free gives the range back, with what is still mapped.
func (s *Space) Reserve(spec AllocSpec) (Addr, error) {
	if spec.Size < 1 || spec.Size > MaxRange {
		return 0, fmt.Errorf("mem: reserve on %s: %w: got size %d, want 1 to %d", place(spec.Device), ErrArgument, spec.Size, MaxRange)
	}
	spec.Kind = KindReserve
	b := &Block{Device: spec.Device, Size: spec.Size, Type: HBM, Store: StoreReal, reserved: true, refs: 1}
	if s.data == Phantom {
		b.Store = StorePhantom
	}
	return s.mapBlock(b, 0, spec)
}

// Map puts a whole block at an address inside a reserved range. Errors:
// ErrKind for memory that is not reserved, ErrBounds when the block does not fit,
// ErrOverlap when something is mapped there.
func (s *Space) Map(a Addr, id BlockID) error {
	e, off, err := s.find("map", a, 0, 0)
	if err != nil {
		return err
	}
	b, ok := s.Block(id)
	switch {
	case !ok:
		return s.fault("map", a, 0, ErrArgument, fmt.Sprintf("got block %d, want a live one", id))
	case e.kind != KindReserve:
		return s.fault("map", a, b.Size, ErrKind, "want a reserved range")
	case b.Size > e.size-off:
		return s.fault("map", a, b.Size, ErrBounds, "")
	}
	v := e.block
	i := v.after(off)
	if i > 0 && v.maps[i-1].off+v.maps[i-1].size > off || i < len(v.maps) && v.maps[i].off < off+b.Size {
		return s.fault("map", a, b.Size, ErrOverlap, "")
	}
	b.refs++
	v.maps = slices.Insert(v.maps, i, mapping{off: off, size: b.Size, block: b, rights: ReadWrite})
	e.device = int32(b.Device)
	return nil
}

// Unmap takes away the mapping that starts at a. Errors: ErrUnbacked when none does.
func (s *Space) Unmap(a Addr) error {
	e, off, err := s.find("unmap", a, 0, 0)
	if err != nil {
		return err
	}
	if e.kind != KindReserve {
		return s.fault("unmap", a, 0, ErrKind, "want a reserved range")
	}
	v := e.block
	i := v.after(off) - 1
	if i < 0 || v.maps[i].off != off {
		return s.fault("unmap", a, 0, ErrUnbacked, "no mapping starts there")
	}
	b := v.maps[i].block
	v.maps = slices.Delete(v.maps, i, i+1)
	s.release(b)
	return nil
}

// Mappings lists what is mapped in the reserved range of a, by address.
func (s *Space) Mappings(a Addr) []Mapping {
	e, _, err := s.find("list mappings", a, 0, 0)
	if err != nil || e.kind != KindReserve {
		return nil
	}
	list := make([]Mapping, len(e.block.maps))
	for i, m := range e.block.maps {
		list[i] = Mapping{Start: a.Start().Add(m.off), Size: m.size, Block: m.block.ID, Rights: m.rights}
	}
	return list
}

// SetRights changes what the mappings in n bytes from a grant; they begin and
// end with mappings. Outside reserved ranges it changes a whole range.
func (s *Space) SetRights(a Addr, n int64, r Rights) error {
	e, off, err := s.find("set rights", a, n, 0)
	if err != nil {
		return err
	}
	if e.kind != KindReserve {
		if off != 0 || n != e.size {
			return s.fault("set rights", a, n, ErrBounds, "want the whole range")
		}
		e.rights = r
		return nil
	}
	v := e.block
	var hit []*mapping
	for i := range v.maps {
		m := &v.maps[i]
		if m.off+m.size <= off || m.off >= off+n {
			continue
		}
		if m.off < off || m.off+m.size > off+n {
			return s.fault("set rights", a, n, ErrBounds, "want whole mappings")
		}
		hit = append(hit, m)
	}
	for _, m := range hit {
		m.rights = r
	}
	return nil
}

// after is the index of the first mapping that starts behind off.
func (b *Block) after(off int64) int {
	i, _ := slices.BinarySearchFunc(b.maps, off, func(m mapping, off int64) int {
		if m.off <= off {
			return -1
		}
		return 1
	})
	return i
}

// mappingAt finds the mapping that holds off, and off in it; nil without one.
func (b *Block) mappingAt(off int64) (*mapping, int64) {
	if i := b.after(off) - 1; i >= 0 {
		if m := &b.maps[i]; off < m.off+m.size {
			return m, off - m.off
		}
	}
	return nil, 0
}

// covers says whether n bytes from off are mapped without a hole and grant the
// rights.
func (b *Block) covers(off, n int64, need Rights) bool {
	if n == 0 {
		return true
	}
	for i := max(0, b.after(off)-1); i < len(b.maps) && n > 0; i++ {
		m := &b.maps[i]
		if off < m.off || off >= m.off+m.size || m.rights&need != need {
			return false
		}
		got := min(n, m.off+m.size-off)
		off, n = off+got, n-got
	}
	return n == 0
}

// pieces calls f for every mapped piece of n bytes from off.
func (b *Block) pieces(off, n int64, f func(m *mapping, in, n int64)) {
	for n > 0 {
		m, in := b.mappingAt(off)
		if m == nil {
			return
		}
		got := min(n, m.size-in)
		f(m, in, got)
		off, n = off+got, n-got
	}
}
