package device

import (
	"hsim/host/mem"
	"hsim/host/sim"
	"hsim/host/transport"
)

// Kind says what the device does for a task.
type Kind uint8

// The kinds of task.
const (
	KindNone         Kind = iota
	KindCopy              // SDMA: Len bytes from Src to Dst, both of this device (or mapped into it)
	KindReduce            // SDMA inline reduce: Dst = Dst Red Src over Len bytes of Dtype
	KindPost              // ring the doorbell of a work request on Conn; does not wait for its completion
	KindNotifyRecord      // set the register Notify: here directly, of another device through a connection
	KindNotifyWait        // wait until Notify is set, and clear it; Timeout 0 waits for ever
	KindDelay             // occupy the stream for Value picoseconds
	KindOp                // whatever Op does: kernels, events, callbacks
	KindPeerCopy          // Len bytes from Src to Dst, one of them of another device: through a connection
	KindPeerReduce        // Dst = Dst Red Src, Dst of another device: a reducing write
	KindHostCopy          // Len bytes over the host link; the direction follows from the addresses
	KindFill              // SDMA: Len bytes at Dst become the low byte of Value
	KindFeeder            // a Feeder draws sub-tasks; made by PushFeeder
	numKinds
)

var kindNames = [numKinds]string{"none", "copy", "reduce", "post", "notify record", "notify wait", "delay", "op",
	"peer copy", "peer reduce", "host copy", "fill", "feeder"}

// String names the kind.
func (k Kind) String() string {
	if k < numKinds {
		return kindNames[k]
	}
	return "unknown kind"
}

// Flags change how a task runs.
type Flags uint8

// The flags of a task.
const (
	// FlagDirect writes the register of a KindNotifyRecord at once and for
	// nothing, wherever it is: the handshakes of chips with FreeSync.
	FlagDirect Flags = 1 << iota
	// FlagNoDispatch leaves out the task scheduler's cost (part of a larger task).
	FlagNoDispatch
	// FlagQuiet keeps the task out of spans and rows.
	FlagQuiet
	// FlagWaitCompletion holds the stream at a KindPost until the work request has completed.
	FlagWaitCompletion
	// FlagNoSync leaves out the synchronisation cost of a KindNotifyWait.
	FlagNoSync
	// FlagNoStart leaves out the start-up of the SDMA engine of a peer or host
	// copy: another engine makes it and pays for its own.
	FlagNoStart
)

// Task is one entry of a stream, a plain value. Which fields count depends on
// its Kind. ID and Seq are given by the stream.
type Task struct {
	ID      uint64 // unique in the simulation; of sub-tasks, the feeder's
	Seq     uint32 // 1, 2, 3 ... in the stream; of sub-tasks, the feeder's
	Sub     uint32 // 1, 2, 3 ... of a feeder's sub-tasks, else 0
	Kind    Kind
	Flags   Flags
	Dtype   mem.Dtype
	Red     mem.Op
	WROp    transport.Op    // of KindPost
	WRFlags transport.Flags // of KindPost
	Conn    transport.ConnID
	RKey    uint32
	Label   uint32 // the owner's, shown through Observer and Describer; the device ignores it
	Dst     mem.Addr
	Src     mem.Addr
	Len     int64
	Notify  mem.Addr // register of a notify task, or of a KindPost with notify
	Value   uint64   // written to Notify by a KindPost; length of a KindDelay; byte of a KindFill; free for an Op
	Timeout sim.Time // of a KindNotifyWait or KindOp, counted from its start; 0 = for ever
	Ready   sim.Time // not before this time (the host or AICPU has expanded it by then)
	Op      Op       // of KindOp
}

// Status is what Op.Start returns.
type Status uint8

// The results of Op.Start.
const (
	Done    Status = iota // the task is complete
	Pending               // Stream.Finish or System.Finish will complete it
)

// Op is a task that some other part of the simulator carries out: a kernel, an
// event, a callback, a mission. One value may serve many tasks; what differs
// between them goes into Task.Value, Src, Dst and Len. Start may call
// Stream.Fail before it returns Done. It must not block. An Op that also has
//
//	Describe(s *Stream, t *Task) (what, actor string)
//
// explains what a pending task waits for in a stall report. One with
//
//	Abort(s *Stream, t *Task)
//
// hears that its pending task was dropped (also by Task.Timeout), and one with
//
//	Drop(s *Stream, t *Task)
//
// that a task was dropped before it started.
type Op interface {
	Start(s *Stream, t *Task) Status
}

// Feeder yields the sub-tasks of one long operation. The stream asks for the
// next one only when it is about to run it; t comes cleared, except ID, Seq and
// Sub. Next returns false when there are none left. A Feeder that also has
//
//	Begin(s *Stream, now sim.Time)
//	End(s *Stream, now sim.Time, f *Fault)
//
// hears when it reaches the head of the stream and when it is over: f is nil,
// or the fault of the sub-task that ended it (the rest is not drawn).
type Feeder interface {
	Next(t *Task) bool
}

type (
	describer interface {
		Describe(s *Stream, t *Task) (what, actor string)
	}
	aborter  interface{ Abort(s *Stream, t *Task) }
	dropper  interface{ Drop(s *Stream, t *Task) }
	beginner interface {
		Begin(s *Stream, now sim.Time)
	}
	ender interface {
		End(s *Stream, now sim.Time, f *Fault)
	}
)
