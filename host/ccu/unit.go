package ccu

import (
	"fmt"

	"hsim/host/mem"
	"hsim/host/sim"
)

// Unit is the collective communication unit of one die: registers, buffers,
// instructions, and the missions that run.
type Unit struct {
	e     *Engine
	die   int
	pools [numResources]*pool

	xn, gsa               []uint64
	cke                   []uint16
	xnAt, gsaAt, ckeAt, m mem.Addr // first registers, first buffer
	code                  []Instruction
	image                 []byte

	waiters  []waitList // by CKE
	threads  []*thread  // by number
	unused   []*thread
	missions []*mission // by number, nil before the first use

	in, out, fold path // into the buffers, out of them, and the adders

	halves [numResources][]int // first registers of half granules that no channel has
	chans  []*Channel          // by number
	tags   map[string]int      // event of each name
	tagged Block               // events of tags, the first len(tags)%16 of them taken
	heard  func(cke int, bits uint16)
	token  uint64 // for moves between memory and the unit's own registers
}

// path is a piece of hardware that does one thing after the other.
type path struct{ free sim.Time }

// take occupies the path for d from at on, later when it is busy, and returns
// when that ends.
func (p *path) take(at, d sim.Time) sim.Time {
	p.free = max(p.free, at).Add(d)
	return p.free
}

// Register banks: the numbers are those of the registers.
type (
	xnBank  Unit
	gsaBank Unit
	ckeBank Unit
)

// WriteRegister implements mem.RegisterOwner.
func (b *xnBank) WriteRegister(i int, v uint64) { b.xn[i] = v }

// ReadRegister implements mem.RegisterOwner.
func (b *xnBank) ReadRegister(i int) uint64 { return b.xn[i] }

// WriteRegister implements mem.RegisterOwner.
func (b *gsaBank) WriteRegister(i int, v uint64) { b.gsa[i] = v }

// ReadRegister implements mem.RegisterOwner.
func (b *gsaBank) ReadRegister(i int) uint64 { return b.gsa[i] }

// WriteRegister implements mem.RegisterOwner: the bits are added to those there.
func (b *ckeBank) WriteRegister(i int, v uint64) {
	u := (*Unit)(b)
	u.e.arrive(u, i, uint16(v))
}

// ReadRegister implements mem.RegisterOwner.
func (b *ckeBank) ReadRegister(i int) uint64 { return uint64(b.cke[i]) }

func newUnit(e *Engine, die int) (*Unit, error) {
	c := &e.cfg.Chip.CCU
	u := &Unit{e: e, die: die, tags: map[string]int{}}
	for r := range numResources {
		u.pools[r] = newPool(r, Capacity(c, r))
	}
	u.pools[Missions] = e.missions
	u.xn, u.gsa, u.cke = make([]uint64, c.Xn), make([]uint64, max(c.GSA, 1)), make([]uint16, c.CKE)
	u.cke[onesCKE] = 0xffff
	u.waiters = make([]waitList, c.CKE)
	u.missions = make([]*mission, c.Missions)
	u.chans = make([]*Channel, c.Channels)
	u.xnAt = e.cfg.Mem.Registers((*xnBank)(u), e.cfg.Device, len(u.xn))
	u.gsaAt = e.cfg.Mem.Registers((*gsaBank)(u), e.cfg.Device, len(u.gsa))
	u.ckeAt = e.cfg.Mem.Registers((*ckeBank)(u), e.cfg.Device, len(u.cke))
	u.token = tokenValid | uint64(ownTokenID)<<32 | uint64(die)
	var err error
	if c.MS > 0 {
		u.m, err = e.cfg.Mem.Wrap(mem.AllocSpec{Device: e.cfg.Device, Name: fmt.Sprintf("buffers of %s", u.Name())}, make([]byte, c.MS*BufferSize))
	}
	return u, err
}

// Name is like "device 3 / die 1".
func (u *Unit) Name() string { return fmt.Sprintf("%s / die %d", u.e.cfg.Name(), u.die) }

// Die is the unit's die.
func (u *Unit) Die() int { return u.die }

// Engine is the units of the device.
func (u *Unit) Engine() *Engine { return u.e }

// Version is the instruction set the unit runs.
func (u *Unit) Version() int { return u.e.cfg.Chip.CCU.Version }

// Capacity is how many of a resource the die has, Free how many nobody holds.
func (u *Unit) Capacity(r Resource) int { return Capacity(&u.e.cfg.Chip.CCU, r) }

// Free is how many of a resource are left.
func (u *Unit) Free(r Resource) int { return u.pools[r].free() }

// Take takes n of a resource in one piece, rounded up to its granule. The error
// wraps a *LimitError.
func (u *Unit) Take(r Resource, n int) (Block, error) {
	b, err := u.pools[r].take(n)
	if err != nil {
		return b, fmt.Errorf("ccu: %s: %w", u.Name(), err)
	}
	return b, nil
}

// Give gives a block of Take back.
func (u *Unit) Give(r Resource, b Block) error {
	if !u.pools[r].give(b) {
		return fmt.Errorf("ccu: %s: give back %v: got %d from %d on, want a block that was taken", u.Name(), r, b.N, b.First)
	}
	return nil
}

// Variable is the address of an Xn register, Event that of a CKE: peers write
// them. A write to a CKE adds bits.
func (u *Unit) Variable(n int) mem.Addr { return u.xnAt.Add(int64(n) * mem.RegisterSize) }

// Event is the address of a CKE register.
func (u *Unit) Event(n int) mem.Addr { return u.ckeAt.Add(int64(n) * mem.RegisterSize) }

// Address is the address of a GSA register.
func (u *Unit) Address(n int) mem.Addr { return u.gsaAt.Add(int64(n) * mem.RegisterSize) }

// Buffer is the address of a buffer (MS).
func (u *Unit) Buffer(n int) mem.Addr { return u.m.Add(int64(n) * BufferSize) }

// SetVariable writes a register from the host.
func (u *Unit) SetVariable(n int, v uint64) { u.xn[n] = v }

// load puts a program's instructions into the unit's memory, and what the
// engine runs is decoded from those bytes.
func (u *Unit) load(first int, code []Instruction) error {
	if need := first + len(code); need > len(u.code) {
		u.code = append(u.code, make([]Instruction, need-len(u.code))...)
		u.image = append(u.image, make([]byte, need*InstructionSize-len(u.image))...)
	}
	for i := range code {
		b := code[i].Encode()
		copy(u.image[(first+i)*InstructionSize:], b[:])
		ins, ok := Decode(b[:])
		if !ok || ins != code[i] {
			return fmt.Errorf("ccu: load instruction %d of %s: got %v, which does not fit its fields", first+i, u.Name(), &code[i])
		}
		u.code[first+i] = ins
	}
	return nil
}
