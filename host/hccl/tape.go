package hccl

import "fmt"

// Tape takes the steps of one rank of a schedule in the order they are emitted,
// and turns them into what streams do, handshakes and all.
//
// A run of sends followed by a run of receives on one stream is one exchange:
// its receives are announced before its sends wait for theirs, so two ranks that
// send to each other first and receive then do not block each other. Everything
// else ends an exchange.
//
// A step that writes where an earlier send of the rank still reads waits until
// that has arrived.
type Tape struct {
	p       *Params
	g       *program
	code    *rankCode
	rank    int
	step    int // number of the next step
	err     error
	strands [MaxScheduleStreams]*strand
	known   [2][MaxScheduleChannels][]int32 // in and out queues by channel and peer: number plus 1
	busy    [numBufs][]int32                // out queues whose last message may still be read from there
	read    area                            // what those read, and perhaps some that have arrived
	bufs    [numBufs]place
	size    [numBufs]int64
	clocks  [MaxScheduleStreams][MaxScheduleStreams]int32
	signals []signal
}

// strand is one stream while it is emitted.
type strand struct {
	coder
	stream       int
	sends, recvs []taped // of the exchange under way
	group        int     // number of the exchange
	from, to     area    // what its sends read, and where its receives write
}

// taped is a send or receive.
type taped struct {
	step   int
	queue  int32
	src    Loc
	n      int64
	reduce bool
}

// signal is a register between two streams; tick is that of to's last wait on it.
type signal struct {
	from, to int
	tick     int32
}

func newTape(p *Params, g *program) *Tape {
	t := &Tape{p: p, g: g, rank: p.Rank, code: &g.ranks[p.Rank]}
	t.bufs = placesOf(p, p.Scratch)
	for b := range t.bufs {
		t.size[b] = t.bufs[b].hi - t.bufs[b].lo
	}
	t.strands[0] = &strand{group: 1}
	return t
}

// Steps is how many steps have been emitted.
func (t *Tape) Steps() int { return t.step }

// Err is the first fault; what is emitted after it does not count.
func (t *Tape) Err() error { return t.err }

// fault keeps the first thing that is wrong.
func (t *Tape) fault(what, format string, args ...any) error {
	if t.err == nil {
		t.err = &StepFault{Schedule: t.g.schedule, Rank: t.rank, Step: t.step, What: what, Text: fmt.Sprintf(format, args...)}
	}
	return t.err
}

// stream returns the strand of a stream, made at its first use.
func (t *Tape) stream(s int, what func() string) (*strand, error) {
	switch {
	case t.err != nil:
		return nil, t.err
	case t.step >= MaxScheduleSteps:
		return nil, t.fault(what(), "got more than %d steps, want fewer (a loop that does not end, or pieces that are too small)", MaxScheduleSteps)
	case s < 0 || s >= MaxScheduleStreams:
		return nil, t.fault(what(), "got stream %d, want 0 to %d", s, MaxScheduleStreams-1)
	}
	d := t.strands[s]
	if d == nil {
		d = &strand{stream: s, group: 1}
		t.strands[s] = d
		t.g.streams = max(t.g.streams, s+1)
		n := t.signal(0, s)
		t.strands[0].before(s, n)
		d.signal(opAwaitSignal, 0, 0, n)
	}
	return d, nil
}

func stagingText(n, room int64) string {
	return fmt.Sprintf("the receive-reduces of one exchange stage %d bytes, want at most %d (cut the vector into smaller pieces, or raise HCCL_BUFFSIZE)", n, room)
}

// check says what is wrong with a range of a buffer.
func (t *Tape) check(l Loc, n int64, write bool) string {
	switch {
	case write && l.Buf == Input:
		return "got the input to write to, want output or scratch"
	case l.Buf >= numBufs:
		return fmt.Sprintf("got buffer %d, want input 0, output 1 or scratch 2", uint8(l.Buf))
	case l.Off < 0 || n < 0 || n > t.size[l.Buf] || l.Off > t.size[l.Buf]-n:
		return fmt.Sprintf("got %d bytes at %d, outside the %v of %d bytes", n, l.Off, l.Buf, t.size[l.Buf])
	case l.Off%t.p.Elem != 0 || n%t.p.Elem != 0:
		return fmt.Sprintf("got %d bytes at %d of %v, want whole elements of %d bytes", n, l.Off, l.Buf, t.p.Elem)
	}
	return ""
}

// place is where a range of a buffer lies; input and output may share memory.
func (t *Tape) place(l Loc, n int64) place {
	b := t.bufs[l.Buf]
	return place{b.store, b.lo + l.Off, b.lo + l.Off + n}
}

func (p place) meets(q place) bool { return p.store == q.store && p.lo < q.hi && q.lo < p.hi }

// message checks what sends and receives have in common and finds the queue.
func (t *Tape) message(kind string, l Loc, n int64, peer, channel, stream int) (*strand, int32, error) {
	what := func() string {
		return fmt.Sprintf("%s of %d bytes, %v, rank %d, channel %d, stream %d", kind, n, l, peer, channel, stream)
	}
	d, err := t.stream(stream, what)
	if err != nil {
		return nil, 0, err
	}
	switch {
	case peer < 0 || peer >= t.p.Ranks:
		return nil, 0, t.fault(what(), "got rank %d, want 0 to %d", peer, t.p.Ranks-1)
	case peer == t.rank:
		return nil, 0, t.fault(what(), "got the own rank, want another one (try copy or reduce)")
	case channel < 0 || channel >= MaxScheduleChannels:
		return nil, 0, t.fault(what(), "got channel %d, want 0 to %d", channel, MaxScheduleChannels-1)
	}
	if bad := t.check(l, n, kind != "send"); bad != "" {
		return nil, 0, t.fault(what(), "%s", bad)
	}
	q, owner := t.queue(queueID{int32(peer), uint8(channel)}, kind == "send", stream)
	if owner != stream {
		return nil, 0, t.fault(what(), "channel %d in this direction belongs to stream %d, want another channel for each stream", channel, owner)
	}
	return d, q, nil
}

// queue finds or makes the queue of one direction of a channel and says whose
// stream it is.
func (t *Tape) queue(id queueID, out bool, stream int) (q int32, owner int) {
	known := &t.known[0]
	if out {
		known = &t.known[1]
	}
	list := &known[id.channel]
	if *list == nil {
		*list = make([]int32, t.p.Ranks)
	}
	n := &(*list)[id.peer]
	switch {
	case *n > 0 && out:
		return *n - 1, int(t.code.outs[*n-1].stream)
	case *n > 0:
		return *n - 1, int(t.code.ins[*n-1].stream)
	case out:
		t.code.outs = append(t.code.outs, outQueue{queueID: id, stream: uint8(stream)})
		*n = int32(len(t.code.outs))
	default:
		t.code.ins = append(t.code.ins, inQueue{queueID: id, stream: uint8(stream)})
		*n = int32(len(t.code.ins))
	}
	return *n - 1, stream
}

// Send writes a range to a peer; it matches the peer's receives on the channel in
// order. A range of no bytes is a signal.
func (t *Tape) Send(l Loc, n int64, peer, channel, stream int) error {
	d, q, err := t.message("send", l, n, peer, channel, stream)
	if err != nil {
		return err
	}
	if len(d.recvs) > 0 {
		t.flush(d)
	}
	d.sends = append(d.sends, taped{step: t.step, queue: q, src: l, n: n})
	d.from.add(t.place(l, n))
	t.code.outs[q].add(n, t.step)
	t.step++
	return nil
}

// Receive takes a peer's send into a range; with reduce it is combined with what
// is there.
func (t *Tape) Receive(l Loc, n int64, reduce bool, peer, channel, stream int) error {
	kind := "receive"
	if reduce {
		kind = "receive-reduce"
	}
	d, q, err := t.message(kind, l, n, peer, channel, stream)
	if err != nil {
		return err
	}
	at, in := t.place(l, n), &t.code.ins[q]
	if in.group == d.group || d.to.meets(at) || !reduce && d.from.meets(at) {
		t.flush(d)
	}
	in.group = d.group
	d.to.add(at)
	d.recvs = append(d.recvs, taped{step: t.step, queue: q, src: l, n: n, reduce: reduce})
	t.step++
	return nil
}

// Local copies a range to another one of the rank, or combines it into it.
func (t *Tape) Local(to, from Loc, n int64, reduce bool, stream int) error {
	kind, op := "copy", opCopy
	if reduce {
		kind, op = "reduce", opReduce
	}
	what := func() string { return fmt.Sprintf("%s of %d bytes, %v -> %v, stream %d", kind, n, from, to, stream) }
	d, err := t.stream(stream, what)
	if err != nil {
		return err
	}
	for i, l := range [...]Loc{to, from} {
		if bad := t.check(l, n, i == 0); bad != "" {
			return t.fault(what(), "%s", bad)
		}
	}
	a, b := t.place(to, n), t.place(from, n)
	if a.meets(b) && (a != b || reduce) {
		return t.fault(what(), "source and target overlap")
	}
	t.flush(d)
	if n > 0 && a != b { // in place a copy may be onto itself
		t.overwrite(d, a, t.step)
		d.local(op, t.step, from, to, n)
	}
	t.step++
	return nil
}

// Sync lets a stream wait for everything emitted so far on another one, and for
// the arrival of what that sent from memory that may be written.
func (t *Tape) Sync(stream, other int) error {
	what := func() string { return fmt.Sprintf("sync of stream %d with stream %d", stream, other) }
	d, err := t.stream(stream, what)
	if err != nil {
		return err
	}
	o, err := t.stream(other, what)
	if err != nil {
		return err
	}
	if d == o {
		return t.fault(what(), "got one stream, want two (the steps of a stream are in order)")
	}
	t.flush(o)
	t.flush(d)
	for b := range t.busy {
		if b != int(Input) || t.bufs[Output].store == b {
			t.settle(o, b, t.step, func(*outQueue) bool { return true })
		}
	}
	t.join(d, o, t.step)
	t.step++
	return nil
}
