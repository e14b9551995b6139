package hccl

import "encoding/binary"

// tapeWalk is the Walker of one stream of a schedule's plan.
type tapeWalk struct {
	rank  *rankCode
	code  []byte
	pos   int
	step  int
	off   [numBufs + 1]int64
	mine  *[MaxScheduleStreams]int64 // staging memory of the rank
	own   int                        // the stream
	outs  []landing                  // by out queue
	ins   []int32                    // messages received, by in queue
	next  Step                       // to follow at once
	more  bool
	queue uint64 // of the latest message step
}

// landing is how far a queue's list of places has been read.
type landing struct {
	pos int32
	off int64
}

// walk returns the steps of a stream; there are none where the rank does not use
// it.
func (g *program) walk(rank, stream int) Walker {
	c := &g.ranks[rank]
	w := &tapeWalk{rank: c, own: stream, mine: &c.stage, outs: make([]landing, len(c.outs)), ins: make([]int32, len(c.ins))}
	if stream < len(c.streams) {
		w.code = c.streams[stream]
	}
	return w
}

// Reset implements Walker.
func (w *tapeWalk) Reset() {
	w.pos, w.step, w.more = 0, 0, false
	w.off = [numBufs + 1]int64{}
	clear(w.outs)
	clear(w.ins)
}

func (w *tapeWalk) uint() uint64 {
	n, k := binary.Uvarint(w.code[w.pos:])
	w.pos += k
	return n
}

func (w *tapeWalk) int() int64 {
	n, k := binary.Varint(w.code[w.pos:])
	w.pos += k
	return n
}

// at reads a place.
func (w *tapeWalk) at(b Buf) Loc {
	w.off[b] += w.int()
	return resolve(b, w.off[b], w.mine, w.own)
}

func resolve(b Buf, off int64, stage *[MaxScheduleStreams]int64, stream int) Loc {
	if b == staging {
		return Loc{Buf: Scratch, Off: stage[stream] + off}
	}
	return Loc{Buf: b, Off: off}
}

// Next implements Walker.
func (w *tapeWalk) Next(st *Step) bool {
	if w.more {
		*st, w.more = w.next, false
		return true
	}
	if w.pos >= len(w.code) {
		return false
	}
	b := w.code[w.pos]
	w.pos++
	if b&opSame == 0 {
		w.step += int(w.int())
	}
	*st = Step{Peer: -1, Index: int32(w.step)}
	src, dst := Buf(b>>3&3), Buf(b>>5&3)
	switch b & 7 {
	case opReady:
		w.queue = w.uint()
		q := &w.rank.ins[w.queue]
		st.Kind, st.Peer, st.Channel = Ready, q.peer, q.channel
	case opSend:
		w.queue = w.uint()
		o := &w.rank.outs[w.queue]
		st.Kind, st.Peer, st.Channel = AwaitReady, o.peer, o.channel
		w.next, w.more = *st, true
		w.next.Kind, w.next.Notify, w.next.Src = Send, true, w.at(src)
		w.next.Dst, w.next.Len = o.landing(&w.outs[w.queue])
	case opAwaitData:
		n := w.uint()
		w.queue = n
		q := &w.rank.ins[n]
		st.Kind, st.Peer, st.Channel = AwaitData, q.peer, q.channel
		if q.from.waits(w.ins[n]) {
			w.next, w.more = *st, true
			w.next.Kind = Last
		}
		w.ins[n]++
	case opAwaitLast:
		w.queue = w.uint()
		o := &w.rank.outs[w.queue]
		st.Kind, st.Peer, st.Channel = AwaitLast, o.peer, o.channel
	case opSignal, opAwaitSignal:
		st.Kind = Signal
		if b&7 == opAwaitSignal {
			st.Kind = AwaitSignal
		}
		st.Peer, st.Dst.Off = int32(w.uint()), int64(w.uint())
	default:
		st.Kind = Copy
		if b&7 == opReduce {
			st.Kind = Reduce
		}
		st.Src, st.Dst = w.at(src), w.at(dst)
		st.Len = int64(w.uint())
	}
	return true
}

// landing reads where the next message of a queue goes.
func (o *outQueue) landing(l *landing) (Loc, int64) {
	in := o.to
	b := Buf(in.land[l.pos])
	l.pos++
	d, k := binary.Varint(in.land[l.pos:])
	l.pos += int32(k)
	l.off += d
	n, k := binary.Uvarint(in.land[l.pos:])
	l.pos += int32(k)
	return resolve(b, l.off, in.stage, int(in.stream)), int64(n)
}
