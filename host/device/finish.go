package device

// Fail makes the current task end with a fault of the cause; for Op.Start and
// before Finish. A *Fault is kept as it is.
func (s *Stream) Fail(c Cause, err error) {
	if s.pending == nil {
		s.pending = s.fault(c, err)
	}
}

// Latch puts a fault on the stream that no task of it returned: an error that
// came later than its task's end.
func (s *Stream) Latch(f *Fault) { s.latch(f) }

// Note keeps a fault for the next synchronisation that is information only: it
// stops nothing and nobody else hears of it.
func (s *Stream) Note(f *Fault) {
	if s.err == nil {
		s.err = f
	}
}

// Finish completes the pending operation; err becomes a fault of the cause.
func (s *Stream) Finish(c Cause, err error) {
	if s.state != stOp {
		return
	}
	if err != nil {
		s.Fail(c, err)
	}
	s.state = stDone
	s.sys.kick(s)
}

// Ticket names one pending operation, so that a late Finish cannot hit a later
// one.
type Ticket struct {
	stream *Stream
	gen    uint32
	op     uint32
}

// Ticket names the operation that Op.Start is called for.
func (s *Stream) Ticket() Ticket { return Ticket{s, s.gen, s.ops} }

// Stream is the ticket's stream; nil of the zero Ticket.
func (k Ticket) Stream() *Stream { return k.stream }

// Pending says whether the ticket's operation is under way.
func (k Ticket) Pending() bool {
	s := k.stream
	return s != nil && !s.freed && s.gen == k.gen && s.ops == k.op && s.state == stOp
}

// Finish completes the ticket's operation if it is still pending, and reports
// whether it was.
func (k Ticket) Finish(c Cause, err error) bool {
	if !k.Pending() {
		return false
	}
	k.stream.Finish(c, err)
	return true
}

// Abort drops the queue and the current task, whatever it waits for. Dropped
// tasks count as finished and are neither observed nor faults.
func (s *Stream) Abort() {
	if s.freed {
		return
	}
	s.sys.births++
	s.gen = s.sys.births
	dropped := uint64(s.tail - s.head)
	running := s.state != stIdle
	switch s.state {
	case stNotify:
		s.unwaitNotify()
	case stChannel, stBusy:
		if s.dma != nil {
			s.abortDMA()
		}
	case stOp:
		if a, ok := s.cur.Op.(aborter); ok {
			a.Abort(s, &s.cur)
		}
	}
	for ; s.head != s.tail; s.head++ {
		e := &s.ring[s.head&uint32(len(s.ring)-1)]
		if x, ok := e.task.Op.(dropper); ok {
			x.Drop(s, &e.task)
		}
		if x, ok := e.feeder.(ender); ok {
			x.End(s, s.sys.eng.Now(), &Fault{Cause: CauseTask, Device: s.dev.index, Stream: s.Name(), Task: e.task.ID, Seq: e.task.Seq,
				Kind: KindFeeder, Label: e.task.Label, At: s.sys.eng.Now(), Err: errAborted})
		}
		*e = entry{}
	}
	s.state, s.pending = stIdle, nil
	s.timer = 0
	if s.feeder != nil {
		feeder := s.feeder
		s.feeder, s.parent = nil, Task{}
		running = true
		if e, ok := feeder.(ender); ok {
			e.End(s, s.sys.eng.Now(), s.fault(CauseTask, errAborted))
		}
	}
	if running {
		dropped++
	}
	s.cur = Task{}
	if dropped > 0 {
		s.count(dropped)
	}
}
