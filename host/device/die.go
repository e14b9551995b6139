package device

import (
	"errors"
	"fmt"

	"hsim/host/mem"
	"hsim/host/soc"
)

// Errors of the resources of a die.
var (
	ErrNoCCU    = errors.New("the chip has no communication unit")
	ErrDie      = errors.New("no such die")
	ErrNoDieRes = errors.New("the die has none left")
)

// SliceBytes is the size of one buffer slice of a communication unit.
const SliceBytes = 4096

// ckeBits is how many signals one event register (CKE) of a unit holds.
const ckeBits = 16

// Die is the communication unit of one die as the runtime hands it out: buffer
// slices, variables (Xn registers) and signals (bits of the CKE registers), each
// die from its own pools. The units are ready from the start of the device on.
type Die struct {
	dev  *Device
	die  int
	spec *soc.CCU

	slices    []bool
	freeSlice int
	vars      idSet
	liveVars  int
	bits      idSet
	liveBits  int

	bank    dieBank
	waiting map[int][]Ticket // by signal, in wait order
}

// dieBank is where the registers and buffers of a die really are.
type dieBank interface {
	Variable(n int) mem.Addr // of Xn register n
	Event(n int) mem.Addr    // of CKE register n; a write adds bits
	Buffer(n int) mem.Addr   // of slice n
	SetVariable(n int, v uint64)
}

// Dies lists the communication units by die; nil for a chip without.
func (d *Device) Dies() []*Die {
	c := &d.chip.CCU
	if d.dies == nil && c.Version != 0 {
		for i := range c.Dies {
			e := &Die{dev: d, die: i, spec: c, slices: make([]bool, c.MS), freeSlice: c.MS, waiting: map[int][]Ticket{}}
			e.bank = newBank(e)
			d.dies = append(d.dies, e)
		}
	}
	return d.dies
}

// Die is the communication unit of a die. Errors: ErrNoCCU, ErrDie.
func (d *Device) Die(i int) (*Die, error) {
	all := d.Dies()
	switch {
	case len(all) == 0:
		return nil, fmt.Errorf("device: %s: %w: chip %s", d.Name(), ErrNoCCU, d.chip.Name)
	case i < 0 || i >= len(all):
		return nil, fmt.Errorf("device: %s: %w: got die %d, want 0 to %d", d.Name(), ErrDie, i, len(all)-1)
	}
	return all[i], nil
}

// Device is the die's device.
func (e *Die) Device() *Device { return e.dev }

// Index is the die's number in its device.
func (e *Die) Index() int { return e.die }

// Name is like "device 3 / die 1".
func (e *Die) Name() string { return fmt.Sprintf("%s / die %d", e.dev.Name(), e.die) }

// Base is the address of the die's first variable, the start of what peers reach.
func (e *Die) Base() mem.Addr { return e.bank.Variable(0) }

func (e *Die) none(what string, have int) error {
	return fmt.Errorf("device: %s: %w: got a wish for %s, have %d, all in use or in pieces too small (free some first)", e.Name(), ErrNoDieRes, what, have)
}

// AllocSlices takes n adjacent buffer slices, the lowest that fit. Error: ErrNoDieRes.
func (e *Die) AllocSlices(n int) (first int, err error) {
	run := 0
	for i := range e.slices {
		if n > e.freeSlice {
			break
		}
		if run++; e.slices[i] {
			run = 0
		}
		if run == n {
			first = i - n + 1
			for k := range n {
				e.slices[first+k] = true
			}
			e.freeSlice -= n
			return first, nil
		}
	}
	return 0, e.none(fmt.Sprintf("%d slices of %d bytes", n, SliceBytes), len(e.slices))
}

// FreeSlices gives slices of AllocSlices back.
func (e *Die) FreeSlices(first, n int) {
	for k := range n {
		if e.slices[first+k] {
			e.slices[first+k] = false
			e.freeSlice++
		}
	}
}

// SliceAddr is the address of a slice.
func (e *Die) SliceAddr(i int) mem.Addr { return e.bank.Buffer(i) }

// AllocVariable takes the lowest free variable and sets it to 0. Error: ErrNoDieRes.
func (e *Die) AllocVariable() (int, error) {
	if e.liveVars >= e.spec.Xn {
		return 0, e.none("a variable", e.spec.Xn)
	}
	e.liveVars++
	i := e.vars.take()
	e.bank.SetVariable(i, 0)
	return i, nil
}

// FreeVariable gives a variable back.
func (e *Die) FreeVariable(i int) {
	if e.vars.has(i) {
		e.vars.give(i)
		e.liveVars--
	}
}

// VariableAddr is the address of a variable.
func (e *Die) VariableAddr(i int) mem.Addr { return e.bank.Variable(i) }

// SetVariable writes a variable, as programs on the die see it.
func (e *Die) SetVariable(i int, v uint64) { e.bank.SetVariable(i, v) }

// Variable reads a variable.
func (e *Die) Variable(i int) uint64 {
	v, _ := e.dev.sys.mem.ReadRegister(e.bank.Variable(i)) // its own register
	return v
}

// Signals is how many signals the die has.
func (e *Die) Signals() int { return e.spec.CKE * ckeBits }

// AllocSignal takes the lowest free signal (a bit of a CKE register). Error: ErrNoDieRes.
func (e *Die) AllocSignal() (int, error) {
	if e.liveBits >= e.Signals() {
		return 0, e.none("a signal", e.Signals())
	}
	e.liveBits++
	return e.bits.take(), nil
}

// FreeSignal gives a signal back and clears it.
func (e *Die) FreeSignal(i int) {
	if e.bits.has(i) {
		e.take(i)
		e.bits.give(i)
		e.liveBits--
	}
}

// SignalAddr is the address of a signal's register and its bit there.
func (e *Die) SignalAddr(i int) (mem.Addr, uint16) {
	return e.bank.Event(i / ckeBits), 1 << (i % ckeBits)
}

// Signal reads a signal.
func (e *Die) Signal(i int) bool {
	a, bit := e.SignalAddr(i)
	v, _ := e.dev.sys.mem.ReadRegister(a) // its own register
	return v&uint64(bit) != 0
}

// SetSignal records a signal: it lets one waiting stream go, or stays set.
func (e *Die) SetSignal(i int) {
	a, bit := e.SignalAddr(i)
	_ = e.dev.sys.mem.WriteRegister(a, uint64(bit)) // its own register
}

// ClearSignal clears a signal.
func (e *Die) ClearSignal(i int) { e.take(i) }

// Free counts what is left of the die's slices, variables and signals.
func (e *Die) Free() (slices, variables, signals int) {
	return e.freeSlice, e.spec.Xn - e.liveVars, e.Signals() - e.liveBits
}

// take clears a signal and reports whether it was set.
func (e *Die) take(i int) bool {
	if !e.Signal(i) {
		return false
	}
	if c, ok := e.bank.(clearer); ok {
		a, bit := i/ckeBits, uint16(1)<<(i%ckeBits)
		c.clear(a, bit)
	}
	return true
}

// clearer takes bits out of an event register.
type clearer interface{ clear(cke int, bits uint16) }

// arrived hands bits that were just set to the streams that wait for them.
func (e *Die) arrived(cke int, bits uint16) {
	for b := range ckeBits {
		i := cke*ckeBits + b
		if bits>>b&1 == 0 || len(e.waiting[i]) == 0 {
			continue
		}
		for len(e.waiting[i]) > 0 && e.Signal(i) {
			k := e.waiting[i][0]
			e.waiting[i] = e.waiting[i][1:]
			if k.Pending() {
				e.take(i)
				k.Finish(CauseNone, nil)
			}
		}
		if len(e.waiting[i]) == 0 {
			delete(e.waiting, i)
		}
	}
}
