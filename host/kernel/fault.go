package kernel

import (
	"errors"
	"fmt"

	"hsim/host/mem"
	"hsim/host/wasm"
)

// Cause is why a launch failed; the runtime maps it to a code.
type Cause uint8

// The causes.
const (
	Memory   Cause = iota + 1 // access outside device or local memory, or to memory freed or not granted
	Trap                      // the code trapped: unreachable, division by zero, stack overflow
	Fuel                      // the code ran too many steps
	Timeout                   // the launch took longer than its time-out
	Deadlock                  // a barrier that cannot be passed
	Failed                    // the kernel said so: fail, or a result other than 0
	Invalid                   // an import got an argument that makes no sense, or is not offered there
	Peer                      // a peer or the link to it failed
	Load                      // the instance could not be made
	Canceled                  // the launch was canceled
)

var causeNames = [...]string{"", "memory access", "trap", "endless loop", "timeout", "deadlock", "failure", "invalid argument", "peer", "load", "canceled"}

// String names the cause.
func (c Cause) String() string {
	if int(c) < len(causeNames) {
		return causeNames[c]
	}
	return fmt.Sprintf("cause %d", uint8(c))
}

// Fault is how a launch failed: the first failure of one of its blocks.
type Fault struct {
	Cause    Cause
	Device   string
	Module   string
	Function string
	Unit     Unit
	Own      bool // the code that ran is for this kind of unit alone
	Block    int  // -1: of the launch as a whole
	Blocks   int
	Err      error
}

// Error names device, module, function, block and reason.
func (f *Fault) Error() string {
	s := fmt.Sprintf("kernel: %s: module %s, function %s", f.Device, f.Module, f.Function)
	if f.Block >= 0 {
		s += fmt.Sprintf(", block %d of %d", f.Block, f.Blocks)
	}
	return fmt.Sprintf("%s: %v: %v", s, f.Cause, f.Err)
}

// Unwrap gives the reason.
func (f *Fault) Unwrap() error { return f.Err }

// problem is a failure found inside an import, with its cause.
type problem struct {
	cause Cause
	err   error
}

func (p *problem) Error() string { return p.err.Error() }
func (p *problem) Unwrap() error { return p.err }

// classify finds the cause of what a guest call returned.
func classify(err error) (Cause, error) {
	var p *problem
	if errors.As(err, &p) {
		return p.cause, p.err
	}
	var t *wasm.Trap
	if errors.As(err, &t) {
		switch t.Reason {
		case wasm.Fuel:
			return Fuel, err
		case wasm.OutOfBounds:
			return Memory, err
		}
		return Trap, err
	}
	return Load, err
}

// causeOf sorts an error of a transfer.
func causeOf(err error) Cause {
	var f *mem.Fault
	if errors.As(err, &f) {
		return Memory
	}
	return Peer
}
