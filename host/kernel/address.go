package kernel

import "hsim/host/mem"

// AddressSpace is a Guard that knows the numbers by which a 32-bit program names
// device memory. The program hands such numbers to its kernels inside structures,
// so what a kernel gives as an address may be one. They are below 4 GiB, where no
// address of the simulation is.
type AddressSpace interface {
	// Address is what stands behind a number; ok is false for one that is none.
	Address(own uint32) (a mem.Addr, ok bool)
}

// addr is the address that a guest means by v.
func (b *block) addr(v uint64) mem.Addr {
	if v != 0 && v < 1<<32 {
		if s, ok := b.l.guard.(AddressSpace); ok {
			if a, ok := s.Address(uint32(v)); ok {
				return a
			}
		}
	}
	return mem.Addr(v)
}
