package acl

import (
	"errors"
	"fmt"

	"hsim/host/device"
	"hsim/host/mem"
	"hsim/host/transport"
)

// Code is a return code of the runtime; 0 is success. It is an error, so that
// errors.Is(err, acl.ParamInvalid) tells codes apart.
type Code int32

// String is the code's name in the public headers.
func (c Code) String() string {
	if n, ok := codeNames[c]; ok {
		return n
	}
	return fmt.Sprintf("code %d", int32(c))
}

// Error names and numbers the code.
func (c Code) Error() string { return fmt.Sprintf("%s (%d)", c.String(), int32(c)) }

// Error is a failed call: its code, and what was wrong where.
type Error struct {
	Code Code
	Call string // aclrtCreateStream
	Text string
	Err  error
}

// Error puts call, code and text on one line.
func (e *Error) Error() string {
	s := fmt.Sprintf("acl: %s: %v: %s", e.Call, e.Code.Error(), e.Text)
	if e.Err != nil {
		if e.Text == "" {
			return s + e.Err.Error()
		}
		s += ": " + e.Err.Error()
	}
	return s
}

// Unwrap gives the code and what lies beneath.
func (e *Error) Unwrap() []error {
	if e.Err == nil {
		return []error{e.Code}
	}
	return []error{e.Code, e.Err}
}

// CodeOf is the code of an error of this package: Success for nil,
// InternalError for an error that carries none.
func CodeOf(err error) Code {
	if err == nil {
		return Success
	}
	var c Code
	if errors.As(err, &c) {
		return c
	}
	return InternalError
}

func fail(c Code, call, format string, args ...any) error {
	return &Error{Code: c, Call: call, Text: fmt.Sprintf(format, args...)}
}

func wrap(c Code, call string, err error) error { return &Error{Code: c, Call: call, Err: err} }

// resource turns the device's resource errors into codes, with the class of the
// fault library's message in the text.
func resource(call string, err error) error {
	switch {
	case errors.Is(err, device.ErrNoStream):
		return &Error{Code: NoStreamResource, Call: call, Text: "EL0009 streams are used up", Err: err}
	case errors.Is(err, device.ErrNoNotify):
		return &Error{Code: NoNotifyResource, Call: call, Text: "EL0009 notifies are used up", Err: err}
	case errors.Is(err, device.ErrNoEvent):
		return &Error{Code: NoEventResource, Call: call, Text: "EL0009 events are used up", Err: err}
	case errors.Is(err, device.ErrStopped):
		var f *device.Fault
		if errors.As(err, &f) {
			return &Error{Code: FaultCode(f, nil), Call: call, Text: "the context stopped at a failure", Err: err}
		}
	case errors.Is(err, device.ErrLost):
		return wrap(LostHeartbeat, call, err)
	case errors.Is(err, device.ErrFreed):
		return wrap(InvalidHandle, call, err)
	case errors.Is(err, device.ErrFull):
		return wrap(StreamTaskFull, call, err)
	case errors.Is(err, mem.ErrOutOfMemory):
		return &Error{Code: MemoryAllocation, Call: call, Text: "EL0004 device memory is used up", Err: err}
	}
	return wrap(InternalError, call, err)
}

// FaultCode is the code that the next synchronisation of a stream returns for a
// fault latched on it. The codes of notify time-outs differ by generation: where
// collective sub-tasks run as FFTS+ tasks it is that engine's.
func FaultCode(f *device.Fault, d *device.Device) Code {
	if f == nil {
		return Success
	}
	if f.Code != 0 {
		return Code(f.Code)
	}
	if c := kernelCode(f.Err); c != 0 {
		return c
	}
	switch f.Cause {
	case device.CauseSDMA:
		return SysDMA
	case device.CauseNotify:
		if d != nil && f.Sub != 0 {
			if g := d.Chip().Generation; g == "A2" || g == "A3" {
				return FFTSPlusTimeout
			}
		}
		return TaskTimeout
	case device.CauseLink:
		if f.Status == int32(transport.StatusRemoteAccess) {
			return SysDMA
		}
		return LinkError
	case device.CausePost:
		return LinkError
	case device.CauseAICore:
		return AICoreException
	case device.CauseAICPU:
		return AICPUException
	case device.CauseTimeout:
		return TaskTimeout
	case device.CauseEvent:
		return WaitTimeout
	case device.CauseLost:
		return LostHeartbeat
	case device.CauseTask, device.CauseCCU: // the scheduler reports a failed mission; the public codes have none for it
		return TSError
	}
	return InternalError
}
