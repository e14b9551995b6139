package device

import (
	"errors"
	"fmt"

	"hsim/host/ccu"
	"hsim/host/mem"
)

// Errors of the resources of a die.
var (
	ErrNoCCU    = errors.New("the chip has no communication unit")
	ErrDie      = errors.New("no such die")
	ErrNoDieRes = errors.New("the die has none left")
)

// SliceBytes is the size of one buffer slice of a communication unit.
const SliceBytes = ccu.BufferSize

// signalBits is how many signals one event register (CKE) of a unit holds.
const signalBits = 16

// Die is the communication unit of one die as the runtime hands it out: buffer
// slices, variables (Xn registers) and signals (bits of the CKE registers). They
// come from the pools that microprograms take theirs from, each die from its own;
// the unit hands out granules, which are split here.
type Die struct {
	dev     *Device
	die     int
	unit    *ccu.Unit // made at first use
	slices  grains
	vars    grains
	signals grains
	waiting map[int][]Ticket // by signal, in wait order
}

// Dies lists the communication units by die; nil for a chip without.
func (d *Device) Dies() []*Die {
	c := &d.chip.CCU
	if d.dies == nil && c.Version != 0 {
		for i := range c.Dies {
			d.dies = append(d.dies, &Die{dev: d, die: i, slices: grains{kind: ccu.Buffers, per: 1}, vars: grains{kind: ccu.Variables, per: 1},
				signals: grains{kind: ccu.Events, per: signalBits}, waiting: map[int][]Ticket{}})
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

// Unit is the die's unit.
func (e *Die) Unit() *ccu.Unit {
	if e.unit == nil {
		all, err := e.dev.CCUs()
		if err != nil {
			panic(err) // Dies lists only dies of chips that have units
		}
		e.unit = all.Units()[e.die]
		e.unit.Hear(e.arrived)
	}
	return e.unit
}

// Made says that the unit's registers have addresses already.
func (e *Die) Made() bool { return e.unit != nil }

// Base is the address of the die's first variable, the start of what peers reach.
func (e *Die) Base() mem.Addr { return e.Unit().Variable(0) }

func (e *Die) none(err error) error { return fmt.Errorf("%w: %w", ErrNoDieRes, err) }

// AllocSlices takes n adjacent buffer slices, the lowest that fit. Error: ErrNoDieRes.
func (e *Die) AllocSlices(n int) (first int, err error) {
	if first, err = e.slices.take(e.Unit(), n); err != nil {
		return 0, e.none(err)
	}
	return first, nil
}

// FreeSlices gives slices of AllocSlices back.
func (e *Die) FreeSlices(first, n int) { e.slices.give(e.Unit(), first, n) }

// SliceAddr is the address of a slice.
func (e *Die) SliceAddr(i int) mem.Addr { return e.Unit().Buffer(i) }

// AllocVariable takes the lowest free variable and sets it to 0. Error: ErrNoDieRes.
func (e *Die) AllocVariable() (int, error) {
	i, err := e.vars.take(e.Unit(), 1)
	if err != nil {
		return 0, e.none(err)
	}
	e.SetVariable(i, 0)
	return i, nil
}

// FreeVariable gives a variable back.
func (e *Die) FreeVariable(i int) { e.vars.give(e.Unit(), i, 1) }

// VariableAddr is the address of a variable.
func (e *Die) VariableAddr(i int) mem.Addr { return e.Unit().Variable(i) }

// SetVariable writes a variable, as programs on the die see it.
func (e *Die) SetVariable(i int, v uint64) { e.Unit().SetVariable(i, v) }

// Variable reads a variable.
func (e *Die) Variable(i int) uint64 { return e.Unit().Xn(i) }

// AllocSignal takes the lowest free signal (a bit of a CKE register) and clears it.
// Error: ErrNoDieRes.
func (e *Die) AllocSignal() (int, error) {
	i, err := e.signals.take(e.Unit(), 1)
	if err != nil {
		return 0, e.none(err)
	}
	e.ClearSignal(i)
	return i, nil
}

// FreeSignal gives a signal back and clears it.
func (e *Die) FreeSignal(i int) {
	e.ClearSignal(i)
	e.signals.give(e.Unit(), i, 1)
}

// SignalAddr is the address of a signal's register and its bit there.
func (e *Die) SignalAddr(i int) (mem.Addr, uint16) {
	return e.Unit().Event(i / signalBits), 1 << (i % signalBits)
}

// Signal reads a signal.
func (e *Die) Signal(i int) bool {
	return e.Unit().EventBits(i/signalBits)>>(i%signalBits)&1 != 0
}

// SetSignal records a signal: it lets one waiting stream go, or stays set.
func (e *Die) SetSignal(i int) { e.Unit().SetEvent(i/signalBits, 1<<(i%signalBits)) }

// ClearSignal clears a signal.
func (e *Die) ClearSignal(i int) { e.Unit().ClearEvent(i/signalBits, 1<<(i%signalBits)) }

// Free counts what is left of the die's slices, variables and signals.
func (e *Die) Free() (slices, variables, signals int) {
	return e.slices.left(e.Unit()), e.vars.left(e.Unit()), e.signals.left(e.Unit())
}

// take clears a signal and reports whether it was set.
func (e *Die) take(i int) bool {
	set := e.Signal(i)
	e.ClearSignal(i)
	return set
}

// arrived hands bits that were just set to the streams that wait for them.
func (e *Die) arrived(cke int, bits uint16) {
	if len(e.waiting) == 0 {
		return
	}
	for b := range signalBits {
		i := cke*signalBits + b
		if bits>>b&1 == 0 {
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

// SignalOp is the Op of a task that records a signal of a die or, with Wait,
// holds its stream until the signal is set and resets it. Task.Value is the
// signal.
type SignalOp struct {
	Die  *Die
	Wait bool
}

// Start implements Op.
func (o *SignalOp) Start(s *Stream, t *Task) Status {
	i := int(t.Value)
	if !o.Wait {
		o.Die.SetSignal(i)
		return Done
	}
	if o.Die.take(i) {
		return Done
	}
	o.Die.waiting[i] = append(o.Die.waiting[i], s.Ticket())
	return Pending
}

// Describe implements the wait reason of a stall report.
func (o *SignalOp) Describe(_ *Stream, t *Task) (what, actor string) {
	return fmt.Sprintf("signal %d of %s", t.Value, o.Die.Name()), ""
}

// Abort makes a time-out say what it waited for.
func (o *SignalOp) Abort(s *Stream, t *Task) {
	if t.Timeout > 0 {
		s.Fail(CauseNotify, fmt.Errorf("device: signal %d of %s was not recorded within %v", t.Value, o.Die.Name(), t.Timeout))
	}
}
