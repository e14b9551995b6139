package hccl

// forked is one stream of a built-in algorithm that uses several: stream 0 lets
// the others begin and waits for their ends; each has a channel of its own.
type forked struct {
	it              *Iter
	stream, streams int32
	begun, ended    int32 // signals before and after the steps of it
}

// Next implements Walker.
func (f *forked) Next(st *Step) bool {
	others := int32(1)
	if f.stream == 0 {
		others = f.streams - 1
	}
	if f.begun < others {
		f.signal(st, Signal, AwaitSignal, f.begun, 0)
		f.begun++
		return true
	}
	if f.it.Next(st) {
		st.Channel = uint8(f.stream)
		return true
	}
	if f.ended < others {
		f.signal(st, AwaitSignal, Signal, f.ended, 1)
		f.ended++
		return true
	}
	return false
}

// signal is the n-th signal of stream 0 at the beginning (which 0) or end (1), or
// the one of another stream.
func (f *forked) signal(st *Step, first, other StepKind, n int32, which int64) {
	*st = Step{Kind: first, Peer: n + 1, Dst: Loc{Off: 2*int64(n) + which}}
	if f.stream > 0 {
		*st = Step{Kind: other, Dst: Loc{Off: 2*int64(f.stream-1) + which}}
	}
	if which == 1 {
		st.Index = f.it.index
	}
}

// Reset implements Walker.
func (f *forked) Reset() {
	f.it.Reset()
	f.begun, f.ended = 0, 0
}
