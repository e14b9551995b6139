package mem

import (
	"encoding/binary"
	"fmt"
)

// RegisterOwner is the hardware behind a bank of 8-byte registers. A write by
// whatever path (a host store, a delivered remote write) calls it; it must not
// free ranges of the space while it is called.
type RegisterOwner interface {
	WriteRegister(index int, value uint64)
	ReadRegister(index int) uint64
}

// RegisterSize is the width of one register in bytes.
const RegisterSize = 8

// Registers maps a bank of n registers of a device and returns the address of
// the first; register i is at Add(i * RegisterSize). It panics on n below 1: the
// number comes from a checked chip profile.
func (s *Space) Registers(owner RegisterOwner, device, n int) Addr {
	if n < 1 || owner == nil {
		panic("mem: a register bank needs an owner and at least one register")
	}
	b := &Block{Device: device, Size: int64(n) * RegisterSize, Type: MMIO, Store: StoreRegister, owner: owner}
	if err := s.addBlock(b); err != nil {
		panic(err) // registers are not charged to the device's capacity
	}
	a, err := s.mapBlock(b, 0, AllocSpec{Device: device, Size: b.Size, Kind: KindRegister})
	if err != nil {
		panic(err)
	}
	return a
}

// WriteRegister writes one register; a must be its address. It is the way a
// delivered notify takes.
func (s *Space) WriteRegister(a Addr, v uint64) error {
	if i := a.index(); uint(i) < uint(len(s.ranges)) {
		e := &s.ranges[i]
		off := int64(a & offsetMask)
		if !e.freed && e.kind == KindRegister && off <= e.size-RegisterSize && off%RegisterSize == 0 {
			e.block.owner.WriteRegister(int(off/RegisterSize), v)
			return nil
		}
	}
	return s.registerFault("write register", a, Writable)
}

// ReadRegister reads one register; a must be its address.
func (s *Space) ReadRegister(a Addr) (uint64, error) {
	if i := a.index(); uint(i) < uint(len(s.ranges)) {
		e := &s.ranges[i]
		off := int64(a & offsetMask)
		if !e.freed && e.kind == KindRegister && off <= e.size-RegisterSize && off%RegisterSize == 0 {
			return e.block.owner.ReadRegister(int(off / RegisterSize)), nil
		}
	}
	return 0, s.registerFault("read register", a, Readable)
}

// IsRegister tells whether a is the address of a live register.
func (s *Space) IsRegister(a Addr) bool {
	e, off, err := s.find("check", a, RegisterSize, 0)
	return err == nil && e.kind == KindRegister && off%RegisterSize == 0
}

func (s *Space) registerFault(op string, a Addr, need Rights) error {
	e, off, err := s.find(op, a, RegisterSize, need)
	if err != nil {
		return err
	}
	if e.kind != KindRegister {
		return s.fault(op, a, RegisterSize, ErrKind, "want a register")
	}
	return s.fault(op, a, RegisterSize, ErrAlign, fmt.Sprintf("offset %d is not a multiple of %d", off, RegisterSize))
}

// writeRegisters is a plain write that reaches registers: whole registers, or
// the low four bytes of one.
func (s *Space) writeRegisters(a Addr, e *entry, off int64, p []byte) error {
	if len(p) == 4 && off%RegisterSize == 0 {
		e.block.owner.WriteRegister(int(off/RegisterSize), uint64(binary.LittleEndian.Uint32(p)))
		return nil
	}
	if off%RegisterSize != 0 || len(p)%RegisterSize != 0 {
		return s.fault("write", a, int64(len(p)), ErrAlign, "registers take 4 or a multiple of 8 bytes")
	}
	owner := e.block.owner
	for i := int(off / RegisterSize); len(p) > 0; i, p = i+1, p[RegisterSize:] {
		owner.WriteRegister(i, binary.LittleEndian.Uint64(p))
	}
	return nil
}

func (s *Space) readRegisters(a Addr, e *entry, off int64, p []byte) error {
	owner := e.block.owner
	if len(p) == 4 && off%RegisterSize == 0 {
		binary.LittleEndian.PutUint32(p, uint32(owner.ReadRegister(int(off/RegisterSize))))
		return nil
	}
	if off%RegisterSize != 0 || len(p)%RegisterSize != 0 {
		return s.fault("read", a, int64(len(p)), ErrAlign, "registers give 4 or a multiple of 8 bytes")
	}
	for i := int(off / RegisterSize); len(p) > 0; i, p = i+1, p[RegisterSize:] {
		binary.LittleEndian.PutUint64(p, owner.ReadRegister(i))
	}
	return nil
}

// copyRegisters copies when one side is registers, eight bytes at a time.
func (s *Space) copyRegisters(dst, src Addr, n int64) error {
	var word [RegisterSize]byte
	for n > 0 {
		p := word[:min(n, RegisterSize)]
		if err := s.Read(src, p); err != nil {
			return err
		}
		if err := s.Write(dst, p); err != nil {
			return err
		}
		dst, src, n = dst.Add(int64(len(p))), src.Add(int64(len(p))), n-int64(len(p))
	}
	return nil
}
