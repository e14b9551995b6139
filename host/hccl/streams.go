package hccl

import (
	"fmt"

	"hsim/host/device"
)

// Operations of several streams: the caller's runs the first one, streams of the
// communicator the others. They begin at a signal of the first and end before it.

// extra returns the communicator's stream for a further stream of an operation.
func (r *Rank) extra(stream int) (*device.Stream, error) {
	for len(r.streams) < stream {
		s, err := r.dev.NewStream(device.StreamOptions{})
		if err != nil {
			return nil, &Error{Code: ErrUnavail, Call: "collective", Rank: int(r.rank), Text: "no stream for an algorithm of several", Err: err}
		}
		r.streams = append(r.streams, s)
	}
	return r.streams[stream-1], nil
}

// fork makes the feeders of an operation's further streams.
func (f *feeder) fork(p *Params) error {
	for s := 1; s < p.Streams(); s++ {
		w, _, err := p.walk(s)
		if err != nil {
			return err
		}
		on, err := f.r.extra(s)
		if err != nil {
			return err
		}
		f.others = append(f.others, &feeder{r: f.r, rec: f.rec, it: w, main: f, seq: f.seq, stream: on, base: f.base, dtype: f.dtype, red: f.red})
	}
	return nil
}

// push queues the operation's streams.
func (f *feeder) push(parent *device.Task) error {
	if err := f.stream.PushFeeder(f, parent); err != nil {
		return err
	}
	for _, o := range f.others {
		p := device.Task{Ready: parent.Ready}
		if err := o.stream.PushFeeder(o, &p); err != nil {
			o.over = true
			f.stop(err)
		}
	}
	return nil
}

// together ends the other streams of an operation that has failed on one.
func (f *feeder) together(fault *device.Fault) {
	main := f
	if f.main != nil {
		main = f.main
		if !main.over {
			main.stop(fault)
		}
	}
	for _, o := range main.others {
		if o != f && !o.over {
			o.stop(fault)
		}
	}
}

// signal raises or awaits a register between two streams of the rank.
func (f *feeder) signal(st *Step, t *device.Task) bool {
	r := f.r
	for len(r.signals) <= int(st.Dst.Off) {
		n, err := r.notify()
		if err != nil {
			f.err = err
			return false
		}
		r.signals = append(r.signals, int32(n))
	}
	a := r.dev.NotifyAddr(int(r.signals[st.Dst.Off]))
	if st.Kind == AwaitSignal {
		t.Kind, t.Notify = device.KindNotifyWait, a
		return true
	}
	if r.comm.free {
		f.err = r.comm.mem.WriteRegister(a, 1)
		return false
	}
	t.Kind, t.Notify = device.KindNotifyRecord, a
	return true
}

// release gives the streams and registers of the rank back.
func (r *Rank) release() error {
	for _, s := range r.streams {
		if err := r.dev.Free(s); err != nil {
			return err
		}
	}
	for _, n := range r.signals {
		if err := r.dev.FreeNotify(int(n)); err != nil {
			return err
		}
	}
	r.streams, r.signals = nil, nil
	return nil
}

// describe says what a register of the rank is for, where it is a signal's.
func (r *Rank) describe(id int32) (string, bool) {
	if !has(r.signals, id) {
		return "", false
	}
	return fmt.Sprintf("a signal between streams of rank %d of %s%s", r.rank, r.comm.cfg.Name, r.comm.doing(r)), true
}
