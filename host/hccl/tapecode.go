package hccl

// flush ends the exchange under way on a stream: announcements, sends, arrivals.
// What is to be reduced lands in staging memory first; every stream has a share,
// which its exchanges use one after the other.
func (t *Tape) flush(d *strand) {
	if len(d.sends)+len(d.recvs) == 0 {
		return
	}
	at := int64(0)
	for i := range d.recvs {
		r := &d.recvs[i]
		land := r.src
		if r.reduce {
			land = Loc{Buf: staging, Off: at}
			at += r.n
		} else {
			t.overwrite(d, t.place(r.src, r.n), r.step)
		}
		t.code.ins[r.queue].add(land, r.n, r.step)
		d.message(opReady, r.step, r.queue)
	}
	if at > d.staged {
		d.staged, d.stagedStep = at, d.recvs[0].step
	}
	for i := range d.sends {
		s := &d.sends[i]
		d.send(s.step, s.queue, s.src)
		t.sent(s)
	}
	at = 0
	for i := range d.recvs {
		r := &d.recvs[i]
		d.message(opAwaitData, r.step, r.queue)
		if r.reduce {
			if r.n > 0 {
				t.overwrite(d, t.place(r.src, r.n), r.step)
				d.local(opReduce, r.step, Loc{Buf: staging, Off: at}, r.src, r.n)
			}
			at += r.n
		}
	}
	d.sends, d.recvs = d.sends[:0], d.recvs[:0]
	d.group++
	d.from.clear()
	d.to.clear()
}

// sent notes that a message may be under way. The one before it on the channel
// has arrived: its receiver has announced this one since.
func (t *Tape) sent(s *taped) {
	o := &t.code.outs[s.queue]
	o.sent++
	at := t.place(s.src, s.n)
	if !o.busy || o.at.store != at.store {
		t.busy[at.store] = append(t.busy[at.store], s.queue)
	}
	o.busy, o.at = true, at
	t.read.add(at)
}

// overwrite lets a stream wait for its own messages that are read from a place.
func (t *Tape) overwrite(d *strand, at place, step int) {
	if t.read.meets(at) {
		t.settle(d, at.store, step, func(o *outQueue) bool { return o.at.meets(at) })
	}
}

// settle lets a stream wait until its messages that are read from a store, as far
// as which says, have arrived.
func (t *Tape) settle(d *strand, store, step int, which func(*outQueue) bool) {
	kept := t.busy[store][:0]
	for _, q := range t.busy[store] {
		o := &t.code.outs[q]
		switch {
		case !o.busy || o.at.store != store: // over, or of another store by now
		case int(o.stream) == d.stream && which(o):
			t.acknowledge(d, q, step)
		default:
			kept = append(kept, q)
		}
	}
	if t.busy[store] = kept; len(kept) == 0 {
		t.read[store] = t.read[store][:0]
	}
}

// acknowledge lets a stream wait for the arrival of a queue's last message.
func (t *Tape) acknowledge(d *strand, q int32, step int) {
	o := &t.code.outs[q]
	o.busy = false
	o.acked(o.sent - 1)
	d.message(opAwaitLast, step, q)
}

// signal finds a register for the next signal between two streams: one whose last
// wait the raising stream knows to be over, or a new one.
func (t *Tape) signal(from, to int) int {
	n := -1
	for i := range t.signals {
		g := &t.signals[i]
		if g.from == from && g.to == to && t.clocks[from][to] >= g.tick {
			n = i
			break
		}
	}
	if n < 0 {
		n = len(t.signals)
		t.signals = append(t.signals, signal{from: from, to: to})
	}
	mine := &t.clocks[to]
	for i, tick := range t.clocks[from] {
		mine[i] = max(mine[i], tick)
	}
	mine[to]++
	t.signals[n].tick = mine[to]
	return n
}

// join lets d wait for what o has done.
func (t *Tape) join(d, o *strand, step int) {
	n := t.signal(o.stream, d.stream)
	o.signal(opSignal, step, d.stream, n)
	d.signal(opAwaitSignal, step, o.stream, n)
}

// finish ends the rank's part: what was sent has arrived, and stream 0 has waited
// for the others.
func (t *Tape) finish() error {
	for _, d := range t.strands {
		if d != nil {
			t.flush(d)
		}
	}
	for q := range t.code.outs {
		if o := &t.code.outs[q]; o.busy {
			t.acknowledge(t.strands[o.stream], int32(q), t.step)
		}
	}
	room := t.p.Scratch
	at := t.p.Scratch
	for s, d := range t.strands {
		if d == nil {
			continue
		}
		if d.staged > room {
			t.err = &StepFault{Schedule: t.g.schedule, Rank: t.rank, Step: d.stagedStep, What: "receive-reduce", Text: stagingText(d.staged, room)}
			return t.err
		}
		room -= d.staged
		t.code.stage[s] = at
		at += d.staged
		if s > 0 {
			t.join(t.strands[0], d, t.step)
		}
	}
	t.code.signals = int32(len(t.signals))
	for _, d := range t.strands {
		var b []byte
		if d != nil {
			b = append(d.head, d.code...)
		}
		t.code.streams = append(t.code.streams, b)
		t.g.bytes += len(b)
	}
	t.g.scratch = max(t.g.scratch, at)
	t.code.steps = int32(t.step)
	return nil
}
