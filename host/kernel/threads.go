package kernel

import (
	"fmt"

	"hsim/abi"
	"hsim/host/mem"
	"hsim/host/sim"
	"hsim/host/wasm"
)

// WorkKind is what a Work does.
type WorkKind uint8

// The kinds of work.
const (
	WorkCopy          WorkKind = iota // Dst = Src over Len bytes
	WorkReduce                        // Dst = Dst Red Src
	WorkRecord                        // record Notify of the thread Target
	WorkWait                          // wait for Notify of Thread, and reset it
	WorkWrite                         // Dst at the peer of Channel = Src
	WorkWriteReduce                   // Dst at the peer = Dst Red Src
	WorkWriteNotify                   // WorkWrite, then record Notify of the peer
	WorkRead                          // Dst = Src at the peer
	WorkChannelRecord                 // record Notify of the peer
	WorkChannelWait                   // wait for Notify, which the peer records
	WorkFence                         // wait until the earlier writes have landed
)

// Work is a task that an AI CPU function puts on a thread.
type Work struct {
	Kind            WorkKind
	Thread, Channel uint64
	Target          uint64
	Dst, Src        mem.Addr
	Len             int64
	Dtype           mem.Dtype
	Red             mem.Op
	Notify          uint32
	Timeout         sim.Time // of a wait; 0 = for ever
}

// Threads are the streams that AI CPU functions enqueue work on. The device
// implements it.
type Threads interface {
	// Enqueue queues the work behind what its thread has, blocking p while the
	// queue is full. An error says what about the work makes no sense.
	Enqueue(p *sim.Proc, w *Work) error
}

// batch is what a function holds back between batch_start and batch_end.
type batch struct {
	open bool
	held []Work
}

func threadImports() map[string]wasm.Import {
	seconds := func(v uint64) sim.Time { // 0 = for ever; so is what is longer than the simulation can tell
		if sim.Time(uint32(v)) > sim.Forever/sim.Second {
			return 0
		}
		return sim.Time(uint32(v)) * sim.Second
	}
	put := func(f func(a []uint64) Work) wasm.Import {
		return func(c *wasm.CallCtx, stack []uint64) {
			b, w := c.Data.(*block), f(stack)
			w.Dst, w.Src = b.addr(uint64(w.Dst)), b.addr(uint64(w.Src))
			stack[0] = uint64(uint32(b.enqueue(c, w)))
		}
	}
	return map[string]wasm.Import{
		"thread_copy": put(func(a []uint64) Work {
			return Work{Kind: WorkCopy, Thread: a[0], Dst: mem.Addr(a[1]), Src: mem.Addr(a[2]), Len: int64(a[3])}
		}),
		"thread_reduce": put(func(a []uint64) Work {
			return Work{Kind: WorkReduce, Thread: a[0], Dst: mem.Addr(a[1]), Src: mem.Addr(a[2]), Len: int64(a[3]), Dtype: dtype(a[4]), Red: operator(a[5])}
		}),
		"thread_notify_record": put(func(a []uint64) Work {
			return Work{Kind: WorkRecord, Thread: a[0], Target: a[1], Notify: uint32(a[2])}
		}),
		"thread_notify_wait": put(func(a []uint64) Work {
			return Work{Kind: WorkWait, Thread: a[0], Notify: uint32(a[1]), Timeout: seconds(a[2])}
		}),
		"channel_write": put(func(a []uint64) Work {
			return Work{Kind: WorkWrite, Thread: a[0], Channel: a[1], Dst: mem.Addr(a[2]), Src: mem.Addr(a[3]), Len: int64(a[4])}
		}),
		"channel_write_reduce": put(func(a []uint64) Work {
			return Work{Kind: WorkWriteReduce, Thread: a[0], Channel: a[1], Dst: mem.Addr(a[2]), Src: mem.Addr(a[3]), Len: int64(a[4]),
				Dtype: dtype(a[5]), Red: operator(a[6])}
		}),
		"channel_write_notify": put(func(a []uint64) Work {
			return Work{Kind: WorkWriteNotify, Thread: a[0], Channel: a[1], Dst: mem.Addr(a[2]), Src: mem.Addr(a[3]), Len: int64(a[4]), Notify: uint32(a[5])}
		}),
		"channel_read": put(func(a []uint64) Work {
			return Work{Kind: WorkRead, Thread: a[0], Channel: a[1], Dst: mem.Addr(a[2]), Src: mem.Addr(a[3]), Len: int64(a[4])}
		}),
		"channel_notify_record": put(func(a []uint64) Work {
			return Work{Kind: WorkChannelRecord, Thread: a[0], Channel: a[1], Notify: uint32(a[2])}
		}),
		"channel_notify_wait": put(func(a []uint64) Work {
			return Work{Kind: WorkChannelWait, Thread: a[0], Channel: a[1], Notify: uint32(a[2]), Timeout: seconds(a[3])}
		}),
		"channel_fence": put(func(a []uint64) Work { return Work{Kind: WorkFence, Thread: a[0], Channel: a[1]} }),
		"batch_start":   setBatch(true),
		"batch_end":     setBatch(false),
	}
}

// enqueue pays for the expansion of one task and queues it, or keeps it for the
// end of the batch.
func (b *block) enqueue(c *wasm.CallCtx, w Work) abi.Status {
	if b.l.unit != AICPU {
		b.abort(c, Invalid, "enqueue: got a call on a %v, want an AI CPU", b.l.unit)
	}
	b.spend(c, b.e.cfg.Chip.AICPUPerTask)
	if err := b.mayMove(&w); err != nil {
		c.Abort(&problem{Memory, fmt.Errorf("enqueue: %w", err)})
	}
	if b.batch.open {
		b.batch.held = append(b.batch.held, w)
		return abi.OK
	}
	return b.put(&w)
}

// mayMove asks the launch's guard about the memory that a work touches here; what
// lies at the other end of a channel is the channel's affair.
func (b *block) mayMove(w *Work) error {
	var local []mem.Addr
	switch w.Kind {
	case WorkCopy, WorkReduce:
		local = []mem.Addr{w.Dst, w.Src}
	case WorkWrite, WorkWriteReduce, WorkWriteNotify:
		local = []mem.Addr{w.Src}
	case WorkRead:
		local = []mem.Addr{w.Dst}
	}
	for _, a := range local {
		device, pid, ok := b.e.cfg.Mem.OwnerOf(a)
		if !ok || w.Len == 0 {
			continue // the task says so
		}
		if err := b.reach(device, pid, a); err != nil {
			return err
		}
	}
	return nil
}

func (b *block) put(w *Work) abi.Status {
	t := b.e.cfg.Threads
	if t == nil {
		return abi.Unsupported
	}
	if err := t.Enqueue(b.proc, w); err != nil {
		b.e.log(fmt.Sprintf("kernel %s: %v", b.l.fn.Name, err))
		return abi.Invalid
	}
	return abi.OK
}

func setBatch(open bool) wasm.Import {
	return func(c *wasm.CallCtx, stack []uint64) {
		b := c.Data.(*block)
		if b.l.unit != AICPU {
			b.abort(c, Invalid, "batch: got a call on a %v, want an AI CPU", b.l.unit)
		}
		status := abi.OK
		if b.batch.open == open {
			status = abi.State
		}
		b.batch.open = open
		for i := range b.batch.held {
			if s := b.put(&b.batch.held[i]); s != abi.OK && status == abi.OK {
				status = s
			}
		}
		b.batch.held = b.batch.held[:0]
		stack[0] = uint64(uint32(status))
	}
}
