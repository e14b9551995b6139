package device

import (
	"fmt"

	"hsim/host/sim"
)

// Cause says what part of the device failed; the runtime turns it into its codes.
type Cause uint8

// The causes of a Fault.
const (
	CauseNone     Cause = iota
	CauseSDMA           // a copy or reduce met a wrong address, length or type
	CauseNotify         // a notify wait timed out
	CausePost           // a work request was refused when it was posted
	CauseLink           // a work request completed with an error: Status
	CauseAICore         // a kernel on AI cores failed
	CauseAICPU          // a kernel on AI CPUs failed
	CauseCCU            // a CCU mission failed
	CauseTimeout        // an operation other than a notify wait took too long
	CauseTask           // the task itself makes no sense
	CauseLost           // the device is gone
	CauseEvent          // an event wait timed out
	CauseOverflow       // a result outside its data type, where the stream asks for it
)

var causeNames = [...]string{"no fault", "SDMA error", "notify wait timeout", "doorbell error", "link error",
	"AI core error", "AI CPU error", "CCU error", "task timeout", "bad task", "device lost", "event wait timeout", "overflow"}

// String names the cause.
func (c Cause) String() string {
	if int(c) < len(causeNames) {
		return causeNames[c]
	}
	return "unknown cause"
}

// Fault is the error of one task.
type Fault struct {
	Cause  Cause
	Code   int32 // a code the failing part wants reported as it is; 0 = by cause
	Status int32 // completion status of CauseLink
	Device int
	Stream string // name of the stream
	Task   uint64
	Seq    uint32
	Sub    uint32
	Kind   Kind
	Label  uint32
	At     sim.Time
	Err    error // what the failing part says
}

// Error names stream, task and reason.
func (f *Fault) Error() string {
	at := fmt.Sprintf("task %d", f.Seq)
	if f.Sub != 0 {
		at = fmt.Sprintf("task %d.%d", f.Seq, f.Sub)
	}
	s := fmt.Sprintf("device: %s, %s (%v): %v at %v", f.Stream, at, f.Kind, f.Cause, f.At)
	if f.Err != nil {
		s += ": " + f.Err.Error()
	}
	return s
}

// Unwrap gives the failing part's own error.
func (f *Fault) Unwrap() error { return f.Err }

// Fault makes a fault of the current task.
func (s *Stream) Fault(c Cause, err error) *Fault { return s.fault(c, err) }

// fault makes a Fault of the current task, unless err is one already.
func (s *Stream) fault(c Cause, err error) *Fault {
	if f, ok := err.(*Fault); ok {
		return f
	}
	t := &s.cur
	return &Fault{Cause: c, Device: s.dev.index, Stream: s.Name(), Task: t.ID, Seq: t.Seq, Sub: t.Sub, Kind: t.Kind,
		Label: t.Label, At: s.sys.eng.Now(), Err: err}
}

// Domain is a set of streams that fail together: the streams of one context.
// With StopOnFailure, the first fault of one of them drops what the others have
// left and refuses new tasks.
type Domain struct {
	StopOnFailure bool
	failed        *Fault
	streams       []*Stream
}

// Failed is the fault that stopped the domain, nil without one.
func (d *Domain) Failed() *Fault { return d.failed }

// Reset lets a stopped domain take tasks again.
func (d *Domain) Reset() { d.failed = nil }

func (d *Domain) remove(s *Stream) {
	for i, t := range d.streams {
		if t == s {
			d.streams = append(d.streams[:i], d.streams[i+1:]...)
			return
		}
	}
}
