package hccl

import "fmt"

// StepKind is one elementary action of a rank in a collective.
type StepKind uint8

// The actions. A piece is written by its sender into the receiver's buffer;
// Await and Done are the receiver's sides of Send and AwaitDone.
const (
	// Ready tells Peer that its data of the current step may come.
	Ready StepKind = iota
	// AwaitReady waits for Peer's Ready.
	AwaitReady
	// Send writes Len bytes from Src into Dst at Peer. Notify is set on the last
	// piece of a step for the peer: the write then also raises Peer's data notify.
	Send
	// AwaitData waits for the data notify of Peer.
	AwaitData
	// Copy moves Len bytes from Src to Dst, both local.
	Copy
	// Reduce combines: Dst = Dst op Src, both local.
	Reduce
	// Last tells Peer that all it wrote here has arrived, or, at the end of an
	// all_to_all, that this rank has reached a stage of the closing barrier.
	Last
	// AwaitLast waits for Peer's Last.
	AwaitLast
	// Signal raises register Dst.Off of the own rank for stream Peer.
	Signal
	// AwaitSignal waits for register Dst.Off of the own rank, raised by stream Peer.
	AwaitSignal
	numStepKinds
)

var stepNames = [numStepKinds]string{"ready", "await-ready", "send", "await-data", "copy", "reduce", "last", "await-last", "signal", "await-signal"}

// String is the action's name in `hsim plan`.
func (k StepKind) String() string {
	if k < numStepKinds {
		return stepNames[k]
	}
	return fmt.Sprintf("step %d", uint8(k))
}

// Buf is one of the three buffers of an operation.
type Buf uint8

// The buffers. Input and Output are the user's and may be one and the same;
// Scratch belongs to the communicator.
const (
	Input Buf = iota
	Output
	Scratch
	numBufs
)

// String names the buffer.
func (b Buf) String() string {
	if b < numBufs {
		return [...]string{"input", "output", "scratch"}[b]
	}
	return fmt.Sprintf("buffer %d", uint8(b))
}

// Loc is a place in a buffer, in bytes.
type Loc struct {
	Off int64
	Buf Buf
}

// String prints buffer and offset.
func (l Loc) String() string { return fmt.Sprintf("%v[%d]", l.Buf, l.Off) }

// Step is one action of one stream of a rank. Peer is -1 for local actions.
// Channels keep the handshakes of one pair of ranks apart: what goes over one is
// in order, what goes over two is not.
type Step struct {
	Kind    StepKind
	Notify  bool // of Send
	Channel uint8
	Peer    int32 // rank in the communicator; stream of a signal
	Index   int32 // number of the step within the algorithm, for people
	Round   int32 // number of the round (operations larger than the scratch memory)
	Src     Loc
	Dst     Loc
	Len     int64 // bytes
}

// Walker yields the steps of one stream of one rank in order.
type Walker interface {
	// Next fills st with the next step; false when there are no more.
	Next(st *Step) bool
	// Reset goes back to the first step.
	Reset()
}

// String prints the action as a line of `hsim plan`.
func (s Step) String() string {
	over := ""
	if s.Channel > 0 {
		over = fmt.Sprintf(" on channel %d", s.Channel)
	}
	switch s.Kind {
	case Copy, Reduce:
		return fmt.Sprintf("%d %v %v -> %v %d B", s.Index, s.Kind, s.Src, s.Dst, s.Len)
	case Send:
		note := ""
		if s.Notify {
			note = " + notify"
		}
		return fmt.Sprintf("%d send %v -> rank %d %v %d B%s%s", s.Index, s.Src, s.Peer, s.Dst, s.Len, note, over)
	case Signal, AwaitSignal:
		return fmt.Sprintf("%d %v stream %d", s.Index, s.Kind, s.Peer)
	}
	return fmt.Sprintf("%d %v rank %d%s", s.Index, s.Kind, s.Peer, over)
}
