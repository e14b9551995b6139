package kernel

import (
	"fmt"
	"maps"
	"math/bits"

	"hsim/abi"
	"hsim/host/mem"
	"hsim/host/sim"
	"hsim/host/wasm"
)

// imports is the host side of hsim_kernel_v1. What hardware answers with an
// exception (an address out of bounds, an argument that makes no sense) ends the
// kernel; the status a guest sees is therefore always 0.
func imports() map[string]wasm.Import {
	on := func(f func(b *block, c *wasm.CallCtx, a []uint64)) wasm.Import {
		return func(c *wasm.CallCtx, stack []uint64) {
			f(c.Data.(*block), c, stack)
			if len(stack) > 0 {
				stack[0] = 0
			}
		}
	}
	all := map[string]wasm.Import{
		"dma_in": on(func(b *block, c *wasm.CallCtx, a []uint64) {
			b.transferNow(c, &transfer{lane: inward, local: uint32(a[0]), dev: b.addr(a[1]), row: uint32(a[2]), rows: 1})
		}),
		"dma_out": on(func(b *block, c *wasm.CallCtx, a []uint64) {
			b.transferNow(c, &transfer{lane: outward, dev: b.addr(a[0]), local: uint32(a[1]), row: uint32(a[2]), rows: 1})
		}),
		"dma_in_2d": on(func(b *block, c *wasm.CallCtx, a []uint64) {
			b.transferNow(c, &transfer{lane: inward, local: uint32(a[0]), localStride: uint32(a[1]), dev: b.addr(a[2]), devStride: a[3],
				row: uint32(a[4]), rows: uint32(a[5])})
		}),
		"dma_out_2d": on(func(b *block, c *wasm.CallCtx, a []uint64) {
			b.transferNow(c, &transfer{lane: outward, dev: b.addr(a[0]), devStride: a[1], local: uint32(a[2]), localStride: uint32(a[3]),
				row: uint32(a[4]), rows: uint32(a[5])})
		}),
		"dma_out_reduce": on(func(b *block, c *wasm.CallCtx, a []uint64) {
			b.transferNow(c, &transfer{lane: outward, dev: b.addr(a[0]), local: uint32(a[1]), row: uint32(a[2]), rows: 1,
				reduce: true, dt: dtype(a[3]), op: operator(a[4])})
		}),
		"dma_start_in": on(func(b *block, c *wasm.CallCtx, a []uint64) {
			b.begin(c, a[0], &transfer{lane: inward, local: uint32(a[1]), dev: b.addr(a[2]), row: uint32(a[3]), rows: 1})
		}),
		"dma_start_out": on(func(b *block, c *wasm.CallCtx, a []uint64) {
			b.begin(c, a[0], &transfer{lane: outward, dev: b.addr(a[1]), local: uint32(a[2]), row: uint32(a[3]), rows: 1})
		}),
		"dma_start_out_reduce": on(func(b *block, c *wasm.CallCtx, a []uint64) {
			b.begin(c, a[0], &transfer{lane: outward, dev: b.addr(a[1]), local: uint32(a[2]), row: uint32(a[3]), rows: 1,
				reduce: true, dt: dtype(a[4]), op: operator(a[5])})
		}),
		"dma_wait":      on(dmaWait),
		"mem_wait":      on(memWait),
		"vector":        on(vector),
		"cube":          on(cube),
		"scalar":        on(scalar),
		"barrier":       on(barrier),
		"notify_record": on(notifyRecord),
		"notify_wait":   on(notifyWait),
		"fail": func(c *wasm.CallCtx, stack []uint64) {
			c.Data.(*block).abort(c, Failed, "the kernel says: %s", c.Text(stack[0], stack[1]))
		},
	}
	maps.Copy(all, threadImports())
	return all
}

// dtype and operator keep numbers that fit no byte from turning into valid ones.
func dtype(v uint64) mem.Dtype { return mem.Dtype(min(uint32(v), 255)) }
func operator(v uint64) mem.Op { return mem.Op(min(uint32(v), 255)) }

func (b *block) begin(c *wasm.CallCtx, pipe uint64, t *transfer) {
	if uint32(pipe) >= maxPipes {
		b.abort(c, Invalid, "DMA start: got pipe %d, want 0 to %d", uint32(pipe), maxPipes-1)
	}
	t.pipe = int(uint32(pipe))
	if p := b.issue(t); p != nil {
		c.Abort(p)
	}
}

func dmaWait(b *block, c *wasm.CallCtx, a []uint64) {
	if uint32(a[0]) >= maxPipes {
		b.abort(c, Invalid, "DMA wait: got pipe %d, want 0 to %d", uint32(a[0]), maxPipes-1)
	}
	p := &b.pipes[uint32(a[0])]
	if err := b.until(func() bool { return p.pending == 0 }, sim.Cause{What: fmt.Sprintf("DMA pipe %d", uint32(a[0]))}); err != nil {
		c.Abort(err)
	}
	if p.fault != nil {
		c.Abort(p.fault)
	}
}

// compute refuses work that AI CPUs do not have.
func (b *block) compute(c *wasm.CallCtx, what string) {
	if b.l.unit == AICPU {
		b.abort(c, Invalid, "%s: got a call on an AI CPU, want an AI core", what)
	}
}

func vector(b *block, c *wasm.CallCtx, a []uint64) {
	b.compute(c, "vector")
	size := dtype(a[1]).Size()
	n := a[0]
	if size == 0 || n > 1<<40 {
		b.abort(c, Invalid, "vector: got %d elements of %v, want at most 2^40 of a data type", n, dtype(a[1]))
	}
	if r := b.e.cfg.Chip.Core.Vector.For(int(size)); r > 0 {
		b.spend(c, r.Time(int64(n)*size))
	}
}

func cube(b *block, c *wasm.CallCtx, a []uint64) {
	b.compute(c, "cube")
	size := dtype(a[3]).Size()
	t, ok := cubeTime(uint32(a[0]), uint32(a[1]), uint32(a[2]), b.e.cfg.Chip.Core.Cube.For(int(size)))
	if size == 0 || !ok {
		b.abort(c, Invalid, "cube: got %d x %d x %d of %v, want a product that ends and a data type", uint32(a[0]), uint32(a[1]), uint32(a[2]), dtype(a[3]))
	}
	b.spend(c, t)
}

// cubeTime is 2 m n k operations at rate per second, rounded up; 0 rate is free.
func cubeTime(m, n, k uint32, rate int64) (sim.Time, bool) {
	if rate <= 0 {
		return 0, true
	}
	hi, mnk := bits.Mul64(uint64(m)*uint64(n), uint64(k))
	if hi != 0 || mnk>>62 != 0 {
		return 0, false
	}
	hi, lo := bits.Mul64(2*mnk, uint64(sim.Second))
	if hi >= uint64(rate) {
		return 0, false
	}
	q, rem := bits.Div64(hi, lo, uint64(rate))
	if rem > 0 {
		q++
	}
	return sim.Time(q), q < uint64(sim.Forever)
}

func scalar(b *block, c *wasm.CallCtx, a []uint64) {
	if a[0] > 1<<50 {
		b.abort(c, Invalid, "scalar: got %d cycles, want at most 2^50", a[0])
	}
	if hz := b.e.cfg.Chip.Core.ClockHz; hz > 0 && a[0] > 0 {
		b.spend(c, perSecond(a[0], uint64(hz)))
	}
}

// perSecond is n at rate per second, rounded up.
func perSecond(n, rate uint64) sim.Time {
	hi, lo := bits.Mul64(n, uint64(sim.Second))
	if hi >= rate {
		return sim.Forever
	}
	q, rem := bits.Div64(hi, lo, rate)
	if rem > 0 {
		q++
	}
	return sim.Time(min(q, uint64(sim.Forever)))
}

// barrier joins all blocks of the launch; passing it costs one synchronisation.
func barrier(b *block, c *wasm.CallCtx, _ []uint64) {
	b.compute(c, "barrier")
	l := b.l
	cores := b.e.pools[l.unit].cores
	switch {
	case l.blocks > cores:
		b.abort(c, Deadlock, "barrier: got %d blocks on %d %vs: those without a core never arrive (launch at most %d)", l.blocks, cores, l.unit, cores)
	case l.ended > 0:
		b.abort(c, Deadlock, "barrier: %d of %d blocks have ended and never arrive", l.ended, l.blocks)
	}
	round := l.round
	if l.arrived++; l.arrived == l.blocks {
		l.arrived = 0
		l.round++
		for _, x := range l.waiters {
			if x != b {
				x.wake.Broadcast(b.e.cfg.Sim)
			}
		}
	}
	if err := b.until(func() bool { return l.round != round }, sim.Cause{What: "the other blocks in a barrier"}); err != nil {
		c.Abort(err)
	}
	b.spend(c, b.e.cfg.Chip.SyncAIV)
}

// notifies are the device's, of which the guest asks for one.
func (b *block) notifies(c *wasm.CallCtx, id uint32) Notifies {
	n := b.e.cfg.Notifies
	if n == nil {
		b.abort(c, Invalid, "notify: the device has none")
	}
	if g, ok := b.l.guard.(NotifyGuard); ok {
		if err := g.Notify(id); err != nil {
			b.abort(c, Invalid, "notify: %w", err)
		}
	}
	return n
}

func notifyRecord(b *block, c *wasm.CallCtx, a []uint64) {
	if err := b.notifies(c, uint32(a[0])).RecordNotify(uint32(a[0])); err != nil {
		b.abort(c, Invalid, "notify record: %w", err)
	}
}

func notifyWait(b *block, c *wasm.CallCtx, a []uint64) {
	id := uint32(a[0])
	var got bool
	taken, cancel, err := b.notifies(c, id).TakeNotify(id, func() {
		got = true
		b.wake.Broadcast(b.e.cfg.Sim)
	})
	if err != nil {
		b.abort(c, Invalid, "notify wait: %w", err)
	}
	if !taken {
		if err := b.until(func() bool { return got }, sim.Cause{What: fmt.Sprintf("notify %d", id)}); err != nil {
			if !got && cancel != nil {
				cancel()
			}
			c.Abort(err)
		}
	}
	b.spend(c, b.e.cfg.Chip.SyncAIV)
}

// flagWatch wakes a block when a word it waits for is written.
type flagWatch struct{ b *block }

// MemoryWritten implements mem.Watcher.
func (w *flagWatch) MemoryWritten(mem.Addr, int64) { w.b.wake.Broadcast(w.b.e.cfg.Sim) }

// memWait waits for a word. It looks again only when the word is written, here or
// at a peer, and then costs one synchronisation, not one poll after another.
func memWait(b *block, c *wasm.CallCtx, a []uint64) {
	at, relation, value := b.addr(a[0]), uint32(a[1]), a[2]
	if relation > abi.CompareLT {
		b.abort(c, Invalid, "memory wait: got relation %d, want %d to %d", relation, abi.CompareEQ, abi.CompareLT)
	}
	s := b.e.cfg.Mem
	if device, pid, ok := s.OwnerOf(at); ok {
		if err := b.reach(device, pid, at); err != nil {
			c.Abort(&problem{Memory, fmt.Errorf("memory wait: %w", err)})
		}
	}
	id, err := s.Watch(at, 8, &flagWatch{b})
	if err != nil {
		c.Abort(&problem{Memory, fmt.Errorf("memory wait: %w", err)})
	}
	var fault error
	holds := func() bool {
		var word [8]byte
		if err := s.Read(at, word[:]); err != nil {
			fault = err
			return true
		}
		return compare(le64(word), relation, value)
	}
	err = b.until(holds, sim.Cause{What: fmt.Sprintf("memory at %v", at)})
	s.Unwatch(at, id)
	if err == nil && fault != nil {
		err = &problem{Memory, fmt.Errorf("memory wait: %w", fault)}
	}
	if err != nil {
		c.Abort(err)
	}
	b.spend(c, b.e.cfg.Chip.SyncAIV)
}

func le64(w [8]byte) uint64 {
	v := uint64(0)
	for i := 7; i >= 0; i-- {
		v = v<<8 | uint64(w[i])
	}
	return v
}

func compare(word uint64, relation uint32, value uint64) bool {
	switch relation {
	case abi.CompareEQ:
		return word == value
	case abi.CompareNE:
		return word != value
	case abi.CompareGE:
		return word >= value
	case abi.CompareGT:
		return word > value
	case abi.CompareLE:
		return word <= value
	}
	return word < value
}
