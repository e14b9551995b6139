package ccu

// SetEvent adds bits to a CKE register at once, as the device's own task scheduler
// does; bits of a peer come through the register's address and take their time.
func (u *Unit) SetEvent(n int, bits uint16) { u.set(n, bits) }

// ClearEvent takes bits out of a CKE register.
func (u *Unit) ClearEvent(n int, bits uint16) { u.cke[n] &^= bits }

// EventBits reads a CKE register.
func (u *Unit) EventBits(n int) uint16 { return u.cke[n] }

// Xn reads a variable.
func (u *Unit) Xn(n int) uint64 { return u.xn[n] }

// Hear sets who is told of bits that are set in a CKE register, after the missions
// that wait for them have gone on.
func (u *Unit) Hear(f func(cke int, bits uint16)) { u.heard = f }
