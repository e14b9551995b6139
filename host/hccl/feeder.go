package hccl

import (
	"fmt"

	"hsim/host/device"
	"hsim/host/mem"
	"hsim/host/sim"
	"hsim/host/transport"
)

// feeder turns the steps of one operation on one rank into device tasks, as the
// stream asks for them. A peer's addresses are looked up when a send is drawn:
// the ready that came before proves that the peer has started the operation.
type feeder struct {
	r      *Rank
	rec    *record
	it     Walker
	stream *device.Stream
	seq    uint32
	st     Step
	base   [numBufs]mem.Addr
	dtype  mem.Dtype
	red    mem.Op

	main   *feeder   // of the operation, where this is one of its further streams
	others []*feeder // the further streams
	ccu    *mission  // the operation is a microprogram; there is no it
	aicpu  bool
	empty  bool // an operation without tasks, waiting for its turn
	over   bool
	class  device.Class  // of the stream, before
	at     sim.Time      // when the first task's expansion starts; set by Begin for AICPU
	first  sim.Time      // before the first task
	per    sim.Time      // per task
	await  mem.Addr      // notify of the wait that was drawn last
	ticket device.Ticket // while it waits for its turn
	err    error
}

// Begin implements the device's optional part of a Feeder.
func (f *feeder) Begin(s *device.Stream, now sim.Time) {
	if f.aicpu {
		f.class = s.Class()
		s.SetClass(device.ClassAICPU)
		if f.main == nil {
			f.at = now.Add(f.first)
			for _, o := range f.others {
				o.at = f.at
			}
		}
	}
}

// End hears that the operation is over on this rank.
func (f *feeder) End(s *device.Stream, _ sim.Time, fault *device.Fault) {
	if f.aicpu {
		s.SetClass(f.class)
	}
	if f.over {
		return
	}
	f.over = true
	if f.ccu != nil {
		f.dismiss()
	}
	if fault != nil {
		f.explain(fault)
		f.together(fault)
	}
	if f.main != nil {
		return
	}
	if f.r.done == f.seq {
		f.r.ended(f.rec)
		return
	}
	f.empty = true // dropped before its turn
	f.r.queue(f)
}

// explain gives a fault the words of HCCL.
func (f *feeder) explain(fault *device.Fault) {
	m := f.r.comm
	if m.broken == nil {
		m.broken = fault
	}
	if f.ccu != nil {
		f.explainMission(fault)
		return
	}
	if fault.Cause != device.CauseNotify {
		return
	}
	whom := "rank"
	if f.st.Kind == AwaitSignal {
		whom = "stream"
	}
	fault.Err = &Error{Code: ErrTimeout, ID: "EI0002", Call: f.rec.args.op.Call(), Rank: int(f.r.rank), Err: fault.Err,
		Text: fmt.Sprintf("the wait for %s %d timed out in step %d (%v) of operation %d of %s: %v by %s, %v", whom, f.st.Peer, f.st.Index, f.st.Kind,
			f.seq+1, m.cfg.Name, f.rec.args, f.rec.choice.Name(), f.rec.choice.Expansion)}
}

// stop makes the operation fail at its next task; a wait ends now.
func (f *feeder) stop(err error) {
	f.err = err
	if f.await != 0 {
		a := f.await
		f.await = 0
		_ = f.r.comm.mem.WriteRegister(a, 1)
	}
	if f.ccu != nil {
		f.ccu.op.Stop(device.CauseTask, err)
	}
	f.ticket.Finish(device.CauseNone, nil)
}

// Next implements device.Feeder.
func (f *feeder) Next(t *device.Task) bool {
	if f.over {
		return false
	}
	f.await = 0
	m := f.r.comm
	if f.err == nil && f.main == nil && f.r.done != f.seq {
		t.Kind, t.Op, t.Flags = device.KindOp, f, device.FlagNoDispatch|device.FlagQuiet
		return true
	}
	if f.ccu != nil && f.err == nil {
		return f.entry(t)
	}
	for f.err == nil {
		st := &f.st
		if !f.it.Next(st) {
			return false
		}
		if f.task(st, t) {
			f.at = f.at.Add(f.per)
			t.Ready = f.at
			t.Label = uint32(st.Index)
			if t.Kind == device.KindNotifyWait {
				f.await, t.Timeout = t.Notify, m.timeout
			}
			return true
		}
	}
	t.Kind, t.Op = device.KindOp, f
	return true
}

// SpanName is what a trace calls the operation and its steps.
func (f *feeder) SpanName(t *device.Task) string {
	if t.Kind == device.KindFeeder {
		return fmt.Sprintf("%v %s", f.rec.args.op, f.rec.choice.Name())
	}
	switch f.st.Kind {
	case Copy, Reduce, Signal, AwaitSignal:
		return f.st.Kind.String()
	}
	return fmt.Sprintf("%v %d", f.st.Kind, f.st.Peer)
}

// Start implements device.Op: the wait for the operation's turn on the rank, and
// the task that fails the operation.
func (f *feeder) Start(s *device.Stream, _ *device.Task) device.Status {
	if f.err != nil {
		s.Fail(device.CauseTask, f.err)
		return device.Done
	}
	if f.r.done == f.seq {
		return device.Done
	}
	f.ticket = s.Ticket()
	f.r.queue(f)
	return device.Pending
}

// Describe explains the wait for the operation's turn in a stall report.
func (f *feeder) Describe(*device.Stream, *device.Task) (what, actor string) {
	m := f.r.comm
	what = fmt.Sprintf("operation %d of %s to end on rank %d", f.r.done+1, m.cfg.Name, f.r.rank)
	if i := f.r.done - m.base; int(i) < len(m.ops) {
		if g := m.ops[i].of[f.r.rank].feeder; g != nil {
			actor = g.stream.Name()
		}
	}
	return what, actor
}

// task fills t for a step; false when the step needs no task.
func (f *feeder) task(st *Step, t *device.Task) bool {
	r := f.r
	m := r.comm
	switch st.Kind {
	case Copy, Reduce:
		t.Kind = device.KindCopy
		t.Src, t.Dst, t.Len = f.base[st.Src.Buf].Add(st.Src.Off), f.base[st.Dst.Buf].Add(st.Dst.Off), st.Len
		if st.Kind == Reduce {
			t.Kind, t.Dtype, t.Red = device.KindReduce, f.dtype, f.red
		}
		return true
	case Signal, AwaitSignal:
		return f.signal(st, t)
	}
	l, err := r.link(st.Peer, st.Channel)
	if err != nil {
		f.err = err
		return false
	}
	switch st.Kind {
	case Ready:
		return f.record(l.theirs, l, t)
	case Last:
		n := int(l.theirLast) - 1
		if n < 0 {
			if n, f.err = m.last(st.Peer, r.rank, st.Channel); f.err != nil {
				return false
			}
		}
		return f.record(m.ranks[st.Peer].dev.NotifyAddr(n), l, t)
	case AwaitReady:
		t.Kind, t.Notify = device.KindNotifyWait, r.dev.NotifyAddr(int(l.mine)-1)
	case AwaitData:
		t.Kind, t.Notify = device.KindNotifyWait, r.dev.NotifyAddr(int(l.mine))
	case AwaitLast:
		n := int(l.mineLast) - 1
		if n < 0 {
			if n, f.err = m.last(r.rank, st.Peer, st.Channel); f.err != nil {
				return false
			}
		}
		t.Kind, t.Notify = device.KindNotifyWait, r.dev.NotifyAddr(n)
	case Send:
		if st.Len == 0 {
			t.Kind, t.WROp, t.Notify, t.Value, t.Conn = device.KindPost, transport.OpNotify, l.theirs.Add(mem.RegisterSize), 1, l.conn
			return true
		}
		t.Kind, t.WROp, t.Conn, t.Len = device.KindPost, transport.OpWrite, l.conn, st.Len
		t.Src = f.base[st.Src.Buf].Add(st.Src.Off)
		if st.Dst.Buf == Scratch {
			t.Dst = m.ranks[st.Peer].scratch.Add(st.Dst.Off)
		} else {
			t.Dst = f.rec.of[st.Peer].recv.Add(st.Dst.Off)
		}
		if st.Notify {
			t.WROp, t.Notify, t.Value = transport.OpWriteNotify, l.theirs.Add(mem.RegisterSize), 1
		}
	}
	return true
}

// record raises a peer's notify: by a message, or at once where handshakes are
// free.
func (f *feeder) record(a mem.Addr, l *link, t *device.Task) bool {
	if f.r.comm.free {
		f.err = f.r.comm.mem.WriteRegister(a, 1)
		return false
	}
	t.Kind, t.WROp, t.Notify, t.Value, t.Conn = device.KindPost, transport.OpNotify, a, 1, l.conn
	return true
}
