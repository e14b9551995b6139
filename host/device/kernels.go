package device

import (
	"errors"
	"fmt"

	"hsim/host/kernel"
	"hsim/host/mem"
)

// KernelOptions are what the kernel engines of all devices share.
type KernelOptions struct {
	Observer func(d *Device) kernel.Observer // nil: nobody looks
	Fuel     uint64
	Seed     uint64
	Log      func(d *Device, line string)
}

// Kernels is the device's AI cores and AI CPUs, made at first use.
func (d *Device) Kernels() *kernel.Engine {
	if d.kernels == nil {
		o := d.sys.kernels
		c := kernel.Config{Sim: d.sys.eng, Chip: d.chip, Mem: d.sys.mem, Device: d.index, Name: d.Name(), DMA: (*coreDMA)(d), Notifies: (*coreNotifies)(d),
			Threads:  d.cpuThreads(),
			Overflow: d.overflow, Fuel: o.Fuel, Seed: o.Seed + uint64(d.index), Overflowed: func() { d.overflowed++ }}
		if o.Observer != nil {
			c.Observer = o.Observer(d)
		}
		if o.Log != nil {
			c.Log = func(line string) { o.Log(d, line) }
		}
		d.kernels = kernel.New(c)
	}
	return d.kernels
}

// SetKernelOptions sets what kernel engines made from now on share.
func (y *System) SetKernelOptions(o KernelOptions) { y.kernels = o }

// Close frees what the simulation's kernel engines hold outside the Go heap's
// reach; the run is over by then.
func (y *System) Close() {
	for _, d := range y.devices {
		if d.kernels != nil {
			d.kernels.Close()
			d.kernels = nil
		}
		if d.ccus != nil {
			d.ccus.Close()
			d.ccus = nil
		}
	}
}

// KernelOp is the Op of one kernel launch: the stream is held until every block
// has ended.
type KernelOp struct {
	Fn     *kernel.Function
	Spec   kernel.Spec
	launch *kernel.Launch
	stream *Stream
}

// SpanName is the kernel's name.
func (o *KernelOp) SpanName(*Task) string { return o.Fn.Name }

// Start implements Op.
func (o *KernelOp) Start(s *Stream, _ *Task) Status {
	k := s.Ticket()
	o.stream = s
	if o.Spec.Guard == nil {
		o.Spec.Guard = o
	}
	var err error
	o.launch, err = s.dev.Kernels().Launch(o.Fn, o.Spec, func(err error) {
		o.ended()
		k.Finish(causeOf(err), err)
	})
	if err != nil {
		o.ended()
		s.Fail(causeOf(err), err)
		return Done
	}
	return Pending
}

// ended tells a guard that wants to know of the end of the launch.
func (o *KernelOp) ended() {
	if g, ok := o.Spec.Guard.(interface{ Ended() }); ok {
		g.Ended()
	}
}

// Overflowed implements kernel.Guard: the stream's listeners hear of it.
func (o *KernelOp) Overflowed(u kernel.Unit) {
	switch u {
	case kernel.CubeCore:
		o.stream.Overflowed(EngineCube)
	case kernel.AICPU:
		o.stream.Overflowed(EngineCPU)
	default:
		o.stream.Overflowed(EngineVector)
	}
}

// Reach implements kernel.Guard: all memory may be reached.
func (o *KernelOp) Reach(int, int, mem.Addr) error { return nil }

// Abort ends the launch with its stream's task.
func (o *KernelOp) Abort(*Stream, *Task) {
	if o.launch != nil {
		o.launch.Cancel(errAborted)
	}
}

// Describe implements the wait reason of a stall report.
func (o *KernelOp) Describe(*Stream, *Task) (what, actor string) {
	return "the end of kernel " + o.Fn.Name, ""
}

// causeOf is the cause of a kernel's failure: by the unit that it ran on.
func causeOf(err error) Cause {
	if err == nil {
		return CauseNone
	}
	var f *kernel.Fault
	if errors.As(err, &f) && f.Unit == kernel.AICPU {
		return CauseAICPU
	}
	return CauseAICore
}

// errand is a hidden stream that does one thing for somebody who is not a
// stream, and tells when it is done.
type errand struct {
	s    *Stream
	done func(error)
	busy bool
}

// errand takes an idle one, or makes it.
func (d *Device) errand(done func(error)) *errand {
	var e *errand
	if n := len(d.errands); n > 0 {
		e = d.errands[n-1]
		d.errands = d.errands[:n-1]
	} else {
		s, _ := d.NewStream(StreamOptions{Hidden: true}) // hidden ones have no limit
		e = &errand{s: s}
	}
	e.done, e.busy = done, true
	return e
}

// run pushes the task and what ends the errand. A hidden stream takes them:
// it is neither freed nor full.
func (e *errand) run(t Task) {
	t.Flags |= FlagNoDispatch | FlagNoSync | FlagQuiet | FlagNoStart
	_ = e.s.Push(&t)
	_ = e.s.Push(&Task{Kind: KindOp, Op: e, Flags: FlagNoDispatch | FlagQuiet})
}

// Start implements Op: the errand is over.
func (e *errand) Start(s *Stream, _ *Task) Status {
	var err error
	if f := s.err; f != nil {
		s.err, err = nil, f
	}
	done := e.done
	e.end()
	done(err)
	return Done
}

func (e *errand) end() {
	e.done, e.busy = nil, false
	e.s.dev.errands = append(e.s.dev.errands, e)
}

// coreDMA is the way of a device's cores to memory elsewhere.
type coreDMA Device

// Copy implements kernel.DMA.
func (c *coreDMA) Copy(dst, src mem.Addr, n int64, done func(error)) {
	(*Device)(c).errand(done).run(Task{Kind: KindPeerCopy, Dst: dst, Src: src, Len: n})
}

// Reduce implements kernel.DMA.
func (c *coreDMA) Reduce(dst, src mem.Addr, n int64, dt mem.Dtype, op mem.Op, done func(error)) {
	(*Device)(c).errand(done).run(Task{Kind: KindPeerReduce, Dst: dst, Src: src, Len: n, Dtype: dt, Red: op})
}

// coreNotifies is the device's notifies as its cores see them.
type coreNotifies Device

// RecordNotify implements kernel.Notifies.
func (c *coreNotifies) RecordNotify(id uint32) error {
	d := (*Device)(c)
	if err := d.checkNotify(id); err != nil {
		return err
	}
	d.WriteRegister(int(id), 1)
	return nil
}

// TakeNotify implements kernel.Notifies.
func (c *coreNotifies) TakeNotify(id uint32, wake func()) (taken bool, cancel func(), err error) {
	d := (*Device)(c)
	if err := d.checkNotify(id); err != nil {
		return false, nil, err
	}
	if n := d.notifies.at(int(id)); n.set {
		n.set = false
		return true, nil, nil
	}
	e := d.errand(func(error) { wake() })
	e.run(Task{Kind: KindNotifyWait, Notify: d.NotifyAddr(int(id))})
	gen := e.s.gen
	return false, func() {
		if e.busy && e.s.gen == gen && e.s.state == stNotify {
			e.s.Abort()
			e.end()
		}
	}, nil
}

func (d *Device) checkNotify(id uint32) error {
	if uint64(id) >= uint64(d.notifies.limit) {
		return fmt.Errorf("device: notify of %s: got %d, want 0..%d", d.Name(), id, d.notifies.limit-1)
	}
	return nil
}
