package kernel

import (
	"errors"
	"fmt"

	"hsim/host/sim"
	"hsim/host/wasm"
)

// block is one block of a launch on its core.
type block struct {
	l     *Launch
	e     *Engine
	index int
	core  int
	proc  *sim.Proc
	seat  *seat
	in    *wasm.Instance
	wake  sim.Cond // something the block waits for may have happened

	lanes  [2]lane // inward and outward DMA engine
	pipes  [maxPipes]pipe
	batch  batch
	closed bool
}

// String names the block's coroutine.
func (b *block) String() string {
	return fmt.Sprintf("%s kernel %s block %d", b.e.cfg.Name, b.l.fn.Name, b.index)
}

// run is the body of the block's coroutine.
func (b *block) run(p *sim.Proc) {
	b.proc = p
	start := p.Now()
	if b.l.fault == nil {
		if err := b.call(); err != nil {
			if errors.Is(err, sim.ErrHalted) {
				panic(sim.ErrHalted) // the run has ended; the engine unwinds this coroutine
			}
			cause, err := classify(err)
			b.l.fail(b.index, cause, err)
		}
	}
	if o := b.e.cfg.Observer; o != nil {
		o.BlockDone(b.l.fn, b.l.unit, b.core, b.index, start, p.Now())
	}
	b.close()
	b.l.blockEnded(b)
}

func (b *block) call() error {
	seat, err := b.e.seat(b.l.fn.bin)
	if err != nil {
		return err
	}
	b.seat, b.in = seat, seat.in
	fn, err := seat.function(b.l.export)
	if err != nil {
		return err
	}
	at, err := b.arguments()
	if err != nil {
		return err
	}
	n := uint64(len(b.l.args))
	var r uint64
	fn.Ctx().Data = b
	if b.l.unit == AICPU {
		r, err = fn.Call(at, n)
	} else {
		r, err = fn.Call(at, n, uint64(b.index), uint64(b.l.blocks))
	}
	if err != nil {
		return err
	}
	if int32(r) != 0 {
		return &problem{Failed, fmt.Errorf("the kernel returned %d", int32(r))}
	}
	if b.batch.open {
		return &problem{Invalid, fmt.Errorf("the kernel left a batch of %d tasks open (call batch_end)", len(b.batch.held))}
	}
	return b.drain()
}

// arguments puts the launch's arguments where the module wants them.
func (b *block) arguments() (uint64, error) {
	if len(b.l.args) == 0 {
		return 0, nil
	}
	f, err := b.seat.function("hsim_buffer")
	if err != nil {
		return 0, &problem{Load, err}
	}
	r, err := f.Call(uint64(len(b.l.args)))
	if err != nil {
		return 0, err
	}
	at := uint32(r)
	p, err := b.in.Bytes(at, uint32(len(b.l.args)))
	if err != nil || at == 0 {
		return 0, &problem{Load, fmt.Errorf("got %d bytes of arguments, the module's buffer (HSIM_BUFFER) has no room for them", len(b.l.args))}
	}
	copy(p, b.l.args)
	return uint64(at), nil
}

func (b *block) close() {
	if b.seat != nil {
		b.e.leave(b.l.fn.bin, b.seat)
	}
	b.closed = true
	for i := range b.lanes {
		b.lanes[i].close(b.e.cfg.Mem)
	}
}

// abort ends the guest's call from inside an import.
func (b *block) abort(c *wasm.CallCtx, cause Cause, format string, args ...any) {
	c.Abort(&problem{cause, fmt.Errorf(format, args...)})
}

// errStopped ends a block because its launch failed elsewhere; it is never shown.
var errStopped = errors.New("the launch has failed")

// until blocks the coroutine until cond holds or the launch fails.
func (b *block) until(cond func() bool, why sim.Cause) error {
	for !cond() {
		if b.l.fault != nil {
			return &problem{Canceled, errStopped}
		}
		b.proc.Wait(&b.wake, why)
	}
	if b.l.fault != nil {
		return &problem{Canceled, errStopped}
	}
	return nil
}

// longWork is from when on computing looks at the launch's fate before it is over.
const longWork = sim.Millisecond

// spend lets d pass for this block. What is long, or longer than the launch may
// take, ends when the launch does.
func (b *block) spend(c *wasm.CallCtx, d sim.Time) {
	if end := b.proc.Now().Add(d); d > longWork || b.l.limit > 0 && end > b.l.deadline {
		b.computing(min(end, sim.Forever-1))
	} else {
		b.proc.Sleep(d)
	}
	if b.l.fault != nil {
		c.Abort(&problem{Canceled, errStopped})
	}
}

// computing waits for a time; that is work, and no stall.
func (b *block) computing(end sim.Time) {
	e := b.e.cfg.Sim
	e.Hold()
	defer e.Release()
	for b.l.fault == nil && e.Now() < end {
		b.proc.WaitTimeout(&b.wake, end-e.Now(), sim.Cause{What: "the end of its computing"})
	}
}

// drain waits for the asynchronous transfers a kernel left behind.
func (b *block) drain() error {
	err := b.until(func() bool { return b.lanes[0].busy() == 0 && b.lanes[1].busy() == 0 }, sim.Cause{What: "its DMA transfers"})
	if err != nil {
		return err
	}
	for i := range b.pipes {
		if p := b.pipes[i].fault; p != nil {
			return p
		}
	}
	return nil
}
