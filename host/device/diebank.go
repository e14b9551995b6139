package device

import (
	"fmt"

	"hsim/host/mem"
)

// plainBank keeps the registers and buffers of a die that no engine drives.
type plainBank struct {
	e    *Die
	xn   []uint64
	cke  []uint16
	at   mem.Addr // Xn registers, then CKE registers
	bufs mem.Addr // slices, 0 before the first use
}

func newBank(e *Die) *plainBank {
	b := &plainBank{e: e, xn: make([]uint64, e.spec.Xn), cke: make([]uint16, e.spec.CKE)}
	b.at = e.dev.sys.mem.Registers(b, e.dev.index, max(1, len(b.xn)+len(b.cke)))
	return b
}

// Variable implements dieBank.
func (b *plainBank) Variable(n int) mem.Addr { return b.at.Add(int64(n) * mem.RegisterSize) }

// Event implements dieBank.
func (b *plainBank) Event(n int) mem.Addr { return b.at.Add(int64(len(b.xn)+n) * mem.RegisterSize) }

// Buffer implements dieBank.
func (b *plainBank) Buffer(n int) mem.Addr {
	if b.bufs == 0 {
		// A checked profile has slices, and wrapped bytes are not charged: this cannot fail.
		b.bufs, _ = b.e.dev.sys.mem.Wrap(mem.AllocSpec{Device: b.e.dev.index, Name: fmt.Sprintf("buffers of %s", b.e.Name())},
			make([]byte, len(b.e.slices)*SliceBytes))
	}
	return b.bufs.Add(int64(n) * SliceBytes)
}

// SetVariable implements dieBank.
func (b *plainBank) SetVariable(n int, v uint64) { b.xn[n] = v }

// WriteRegister implements mem.RegisterOwner: a variable is set, an event
// register gets bits added.
func (b *plainBank) WriteRegister(i int, v uint64) {
	if i < len(b.xn) {
		b.xn[i] = v
		return
	}
	i -= len(b.xn)
	b.cke[i] |= uint16(v)
	b.e.arrived(i, uint16(v))
}

// ReadRegister implements mem.RegisterOwner.
func (b *plainBank) ReadRegister(i int) uint64 {
	if i < len(b.xn) {
		return b.xn[i]
	}
	return uint64(b.cke[i-len(b.xn)])
}

func (b *plainBank) clear(cke int, bits uint16) { b.cke[cke] &^= bits }

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
