package hccl

import (
	"fmt"

	"hsim/host/device"
	"hsim/host/mem"
	"hsim/host/sim"
)

// Launch tells what a call started.
type Launch struct {
	Choice Choice
	Tasks  int64    // device tasks that the host enqueued; 0 where it costs nothing
	Host   sim.Time // how long the calling host thread is busy
}

// record is one operation of a communicator, by its place in the common order.
type record struct {
	args     opArgs
	choice   Choice
	first    int32 // rank that started it first
	launched int32
	ended    int32
	err      *Error
	of       []part
}

// part is what one rank brought to an operation.
type part struct {
	send, recv mem.Addr
	feeder     *feeder
}

// record finds or makes the record of operation seq.
func (m *Comm) record(seq uint32) *record {
	for int(seq-m.base) >= len(m.ops) {
		var c *record
		if n := len(m.pool); n > 0 {
			c, m.pool = m.pool[n-1], m.pool[:n-1]
		} else {
			c = &record{of: make([]part, len(m.ranks))}
		}
		m.ops = append(m.ops, c)
	}
	return m.ops[seq-m.base]
}

// retire drops the records that every rank has ended.
func (m *Comm) retire() {
	n := 0
	for n < len(m.ops) && int(m.ops[n].ended) == len(m.ranks) {
		c := m.ops[n]
		clear(c.of)
		*c = record{of: c.of}
		m.pool = append(m.pool, c)
		n++
	}
	if n > 0 {
		m.base += uint32(n)
		m.ops = m.ops[:copy(m.ops, m.ops[n:])]
	}
}

// Start begins a collective on the rank: it checks the arguments and queues the
// operation on a.Stream, and returns without waiting. The device tasks are
// drawn one by one as the stream gets to them. Errors are *Error; nothing is
// queued then. An operation of no elements succeeds at once.
func (r *Rank) Start(a Args) (Launch, error) {
	m := r.comm
	bad := func(code Result, id string, err error, format string, args ...any) (Launch, error) {
		return Launch{}, &Error{Code: code, ID: id, Call: a.Op.Call(), Rank: int(r.rank), Text: fmt.Sprintf(format, args...), Err: err}
	}
	if m.closed {
		return bad(ErrPara, "", nil, "communicator %s is destroyed", m.cfg.Name)
	}
	if m.broken != nil {
		return bad(ErrInternal, "", m.broken, "communicator %s is broken", m.cfg.Name)
	}
	send, recv, inPlace, err := r.check(&a)
	if err != nil {
		return Launch{}, err
	}
	if a.Algorithm == Auto {
		a.Algorithm = m.cfg.Algorithm
	}
	if a.Expansion == ExpandAuto {
		a.Expansion = m.cfg.Expansion
	}
	args := opArgs{op: a.Op, dtype: a.Dtype, red: a.Red, alg: a.Algorithm, sched: a.Schedule, exp: a.Expansion, root: int32(a.Root), count: a.Count}
	if a.Schedule != nil {
		args.alg, args.place = Auto, inPlace
	}
	if !a.Op.Reduces() {
		args.red = 0
	}
	if a.Op != Broadcast {
		args.root = 0
	}
	rec := m.record(r.launch)
	switch {
	case rec.launched == 0:
		c, err := m.model.Choose(Request{Op: a.Op, Count: a.Count, Dtype: a.Dtype, Red: a.Red, Root: a.Root, Algorithm: a.Algorithm,
			Expansion: a.Expansion, Buffer: m.cfg.BufferBytes, Schedule: a.Schedule, InPlace: inPlace})
		if err == nil && a.Schedule != nil && a.Count > 0 {
			if _, fault := a.Schedule.Check(args.params(m, 0, inPlace)); fault != nil {
				return bad(ErrPara, "EI0003", fault, "the schedule is not right")
			}
		}
		if err != nil {
			e := *err.(*Error)
			e.Rank = int(r.rank)
			return Launch{}, &e
		}
		rec.args, rec.choice, rec.first = args, c, r.rank
	case args != rec.args:
		e := &Error{Code: ErrPara, ID: "EI0005", Call: a.Op.Call(), Rank: int(r.rank),
			Text: fmt.Sprintf("arguments are inconsistent between ranks in operation %d of %s: %s on rank %d", r.launch+1, m.cfg.Name,
				args.differ(rec.args), rec.first)}
		m.fail(rec, e)
		return Launch{}, e
	}
	args.alg, args.exp = rec.choice.Algorithm, rec.choice.Expansion
	l := Launch{Choice: rec.choice}
	if a.Count == 0 {
		rec.launched++
		rec.of[r.rank] = part{}
		r.launch++
		r.endAfter(rec)
		return l, nil
	}
	prm := args.params(m, r.rank, inPlace)
	f := &feeder{r: r, rec: rec, seq: r.launch, stream: a.Stream, dtype: a.Dtype, red: a.Red}
	if args.exp == ExpandCCUSched {
		if err := f.prepare(&args, send, recv, &prm); err != nil {
			return bad(ErrUnavail, "", err, "the microprogram cannot be launched")
		}
	} else if f.it, err = Walk(prm, 0); err != nil {
		return bad(ErrPara, "EI0003", err, "the operation cannot be planned")
	}
	f.base[Input], f.base[Output], f.base[Scratch] = send, recv, r.scratch
	if f.ccu == nil {
		if err := f.fork(&prm); err != nil {
			return bad(CodeOf(err), "", err, "the operation cannot be planned")
		}
	}
	var parent device.Task
	l.Tasks, l.Host = f.expand(args.exp, &parent)
	rec.of[r.rank] = part{send: send, recv: recv, feeder: f}
	rec.launched++
	r.launch++
	if err := f.push(&parent); err != nil {
		rec.of[r.rank] = part{}
		rec.launched--
		r.launch--
		if f.ccu != nil {
			f.dismiss()
		}
		return bad(ErrRuntime, "", err, "the stream takes no task")
	}
	return l, nil
}

// expand sets when the tasks become ready: the host enqueues each of them, or
// starts an AICPU kernel that does.
func (f *feeder) expand(e Expansion, parent *device.Task) (tasks int64, host sim.Time) {
	chip := f.r.dev.Chip()
	now := f.r.comm.host.sys.Engine().Now()
	all := sim.Time(1 + len(f.others)) // the streams take turns
	if e == ExpandAICPU {
		f.each(func(o *feeder) { o.aicpu, o.first, o.per = true, chip.AICPULaunch, all*chip.AICPUPerTask })
		host = chip.HostCall + chip.HostLaunch
		parent.Ready = now.Add(host)
		return 1, host
	}
	if chip.HostLaunch == 0 {
		parent.Ready = now.Add(chip.HostCall)
		return 0, chip.HostCall
	}
	f.each(func(o *feeder) {
		tasks += o.count()
		o.at, o.per = now.Add(chip.HostCall), all*chip.HostLaunch
	})
	return tasks, chip.HostCall + sim.Time(tasks)*chip.HostLaunch
}

// each calls what with the operation's feeders, one for each stream.
func (f *feeder) each(what func(*feeder)) {
	what(f)
	for _, o := range f.others {
		what(o)
	}
}

// count is the number of device tasks of the operation.
func (f *feeder) count() (n int64) {
	if f.ccu != nil {
		return int64(f.ccu.entries)
	}
	var st Step
	for f.it.Next(&st) {
		if !f.r.comm.free || st.Kind != Ready && st.Kind != Last && st.Kind != Signal {
			n++
		}
	}
	f.it.Reset()
	return n
}

// endAfter counts an operation without tasks as ended once those before it have.
func (r *Rank) endAfter(rec *record) {
	if r.done+1 == r.launch {
		r.ended(rec)
		return
	}
	r.queue(&feeder{r: r, rec: rec, seq: r.launch - 1, empty: true})
}

// queue makes f wait for its turn.
func (r *Rank) queue(f *feeder) {
	if !has(r.gate, f) {
		r.gate = append(r.gate, f)
	}
}

// ended moves the rank on to its next operation.
func (r *Rank) ended(rec *record) {
	r.done++
	rec.ended++
	rec.of[r.rank].feeder = nil
	for i, f := range r.gate {
		if f.seq != r.done {
			continue
		}
		r.gate = append(r.gate[:i], r.gate[i+1:]...)
		if f.empty {
			r.ended(f.rec)
		} else {
			f.ticket.Finish(device.CauseNone, nil)
		}
		return
	}
	r.comm.retire()
}

// fail ends an operation on every rank that has started it, and breaks the
// communicator: the ranks' orders no longer match.
func (m *Comm) fail(rec *record, e *Error) {
	if m.broken == nil {
		m.broken = e
	}
	if rec.err != nil {
		return
	}
	rec.err = e
	for i := range rec.of {
		if f := rec.of[i].feeder; f != nil {
			f.stop(e)
		}
	}
}

// AllReduce is HcclAllReduce.
func (r *Rank) AllReduce(send, recv mem.Addr, count int64, dt mem.Dtype, op mem.Op, s *device.Stream) error {
	_, err := r.Start(Args{Op: AllReduce, Send: send, Recv: recv, Count: count, Dtype: dt, Red: op, Stream: s})
	return err
}

// AllGather is HcclAllGather; count elements are sent.
func (r *Rank) AllGather(send, recv mem.Addr, count int64, dt mem.Dtype, s *device.Stream) error {
	_, err := r.Start(Args{Op: AllGather, Send: send, Recv: recv, Count: count, Dtype: dt, Stream: s})
	return err
}

// ReduceScatter is HcclReduceScatter; count elements are received.
func (r *Rank) ReduceScatter(send, recv mem.Addr, count int64, dt mem.Dtype, op mem.Op, s *device.Stream) error {
	_, err := r.Start(Args{Op: ReduceScatter, Send: send, Recv: recv, Count: count, Dtype: dt, Red: op, Stream: s})
	return err
}

// Broadcast is HcclBroadcast.
func (r *Rank) Broadcast(buf mem.Addr, count int64, dt mem.Dtype, root int, s *device.Stream) error {
	_, err := r.Start(Args{Op: Broadcast, Send: buf, Recv: buf, Count: count, Dtype: dt, Root: root, Stream: s})
	return err
}

// AllToAll is HcclAlltoAll; count elements go to every rank.
func (r *Rank) AllToAll(send, recv mem.Addr, count int64, dt mem.Dtype, s *device.Stream) error {
	_, err := r.Start(Args{Op: AllToAll, Send: send, Recv: recv, Count: count, Dtype: dt, Stream: s})
	return err
}
