package mem

import (
	"errors"
	"fmt"
)

// The kinds of fault, told apart with errors.Is.
var (
	// ErrUnmapped: no range was ever mapped at the address.
	ErrUnmapped = errors.New("address is not mapped")
	// ErrUnbacked: the address is reserved and no memory is mapped there.
	ErrUnbacked = errors.New("address is reserved and not mapped")
	// ErrFreed: the range was freed before the access.
	ErrFreed = errors.New("memory was freed")
	// ErrDoubleFree: the range was freed before this free.
	ErrDoubleFree = errors.New("memory was freed already")
	// ErrBounds: the access leaves its range.
	ErrBounds = errors.New("access is out of bounds")
	// ErrOverlap: something is mapped there already.
	ErrOverlap = errors.New("address is mapped already")
	// ErrRights: the range does not grant the wanted right.
	ErrRights = errors.New("access right is missing")
	// ErrNotStart: a call that needs the first address of a range got another.
	ErrNotStart = errors.New("address is not the start of its range")
	// ErrKind: the memory is of another kind than the call needs, for example
	// plain memory where a register is written.
	ErrKind = errors.New("memory is of the wrong kind")
	// ErrAlign: the address or length is not a multiple of the element size.
	ErrAlign = errors.New("access is not aligned")
	// ErrOutOfMemory: the device has not enough memory left.
	ErrOutOfMemory = errors.New("device memory is exhausted")
	// ErrKey: a region key is unknown, stale, or does not cover the access.
	ErrKey = errors.New("memory key is not valid")
	// ErrSplit: a direct view was asked of memory that is not contiguous.
	ErrSplit = errors.New("memory is not contiguous")
	// ErrPhantom: the bytes of phantom memory were asked for.
	ErrPhantom = errors.New("phantom memory keeps no bytes")
	// ErrDtype: a reduction is not defined for the data type or operator.
	ErrDtype = errors.New("reduction is not supported")
	// ErrArgument: a size, device or other argument makes no sense.
	ErrArgument = errors.New("argument is not valid")
)

// Fault is the error of one memory access: what was tried, on which buffer,
// where in it, how long, and which rule it broke.
type Fault struct {
	Op     string // "write", "free", ...
	Addr   Addr
	Buffer string // the range's name, "" when there is none
	Offset int64  // in the buffer
	Len    int64
	Size   int64 // of the buffer
	Err    error // one of the Err values of this package
	Detail string
}

// Error says everything on one line.
func (f *Fault) Error() string {
	s := fmt.Sprintf("mem: %s %s: %v", f.Op, f.Addr, f.Err)
	if f.Buffer != "" {
		s += fmt.Sprintf(": %s, offset %d, %d bytes, size %d", f.Buffer, f.Offset, f.Len, f.Size)
	}
	if f.Detail != "" {
		s += ": " + f.Detail
	}
	return s
}

// Unwrap gives the rule that was broken.
func (f *Fault) Unwrap() error { return f.Err }
