package kernel

import (
	"fmt"
	"math"

	"hsim/abi"
	"hsim/host/mem"
	"hsim/host/sim"
	"hsim/host/wasm"
)

const (
	maxPipes = abi.MaxPipes
	noPipe   = -1

	inward  = 0
	outward = 1
)

// lane is one DMA engine of a core: transfers in the order of issue, one at a time.
type lane struct {
	queue []*transfer
	head  int
	stage mem.Addr // bytes between local memory and a peer, 0 until needed
	bytes []byte
}

func (l *lane) busy() int { return len(l.queue) - l.head }

func (l *lane) pop() {
	l.queue[l.head] = nil
	if l.head++; l.head == len(l.queue) {
		l.queue, l.head = l.queue[:0], 0
	}
}

// close drops what has not started; what has started frees the stage when it lands.
func (l *lane) close(m *mem.Space) {
	if l.busy() > 0 {
		keep := l.head
		if l.queue[l.head].started {
			keep++
		}
		clear(l.queue[keep:])
		l.queue = l.queue[:keep]
	}
	l.freeStage(m)
}

func (l *lane) freeStage(m *mem.Space) {
	if l.stage != 0 && l.busy() == 0 {
		_ = m.Free(l.stage)
		l.stage = 0
	}
}

// pipe groups asynchronous transfers that run in order and are waited for together.
type pipe struct {
	pending int
	last    *transfer
	fault   *problem
}

// transfer is one DMA move: rows of equal length between device memory and the
// block's local memory.
type transfer struct {
	b     *block
	lane  int
	pipe  int
	dev   mem.Addr
	local uint32
	row   uint32
	rows  uint32

	devStride   uint64
	localStride uint32

	reduce bool
	dt     mem.Dtype
	op     mem.Op

	remote  bool
	data    []byte    // of an asynchronous move outward: the bytes at its issue
	after   *transfer // runs before this one, on the other lane
	started bool
	done    bool
	fault   *problem
	left    int // rows under way to or from a peer

	endHi, endLo, seq uint64 // see share
}

func (t *transfer) total() int64 { return int64(t.row) * int64(t.rows) }

// String says what moves, for reports.
func (t *transfer) String() string {
	way := "in from"
	if t.lane == outward {
		way = "out to"
	}
	return fmt.Sprintf("%s %v, %d bytes", way, t.dev, t.total())
}

// check holds that every row lies in local memory and in device memory with the
// right the move needs.
func (t *transfer) check() *problem {
	s := t.b.e.cfg.Mem
	if t.reduce && !mem.ReduceSupported(t.dt, t.op) {
		return &problem{Invalid, fmt.Errorf("DMA with reduce: got %v of %v, want a supported type and operator", t.op, t.dt)}
	}
	rights := mem.Readable
	if t.lane == outward {
		rights = mem.Writable
	}
	if t.reduce {
		rights = mem.ReadWrite
	}
	for i := uint64(0); i < uint64(t.rows); i++ {
		if _, err := t.localRow(i); err != nil {
			return &problem{Memory, fmt.Errorf("DMA %v: local memory: %w", t, err)}
		}
		if err := s.Check(t.devRow(i), int64(t.row), rights); err != nil {
			return &problem{Memory, fmt.Errorf("DMA %v: %w", t, err)}
		}
	}
	device, pid, _ := s.OwnerOf(t.dev)
	if t.remote = device != t.b.e.cfg.Device; t.remote && t.b.e.cfg.DMA == nil {
		return &problem{Peer, fmt.Errorf("DMA %v: got memory of another device, and this one has no way to peers", t)}
	}
	if err := t.b.reach(device, pid, t.dev); err != nil {
		return &problem{Memory, fmt.Errorf("DMA %v: %w", t, err)}
	}
	return nil
}

// reach asks the launch's guard about memory.
func (b *block) reach(device, pid int, a mem.Addr) error {
	if b.l.guard == nil {
		return nil
	}
	return b.l.guard.Reach(device, pid, a)
}

// overflowed tells who wants to know of a result outside its type.
func (b *block) overflowed() {
	if f := b.e.cfg.Overflowed; f != nil {
		f()
	}
	if b.l.guard != nil {
		b.l.guard.Overflowed(b.l.unit)
	}
}

func (t *transfer) localRow(i uint64) ([]byte, error) {
	at := uint64(t.local) + i*uint64(t.localStride)
	if at > math.MaxUint32 {
		return nil, fmt.Errorf("row %d starts at %#x", i, at)
	}
	return t.b.in.Bytes(uint32(at), t.row)
}

func (t *transfer) devRow(i uint64) mem.Addr { return t.dev + mem.Addr(i*t.devStride) }

// issue queues the transfer behind those before it.
func (b *block) issue(t *transfer) *problem {
	t.b = b
	if p := t.check(); p != nil {
		return p
	}
	if t.pipe != noPipe {
		p := &b.pipes[t.pipe]
		p.pending++
		if p.last != nil && !p.last.done && p.last.lane != t.lane {
			t.after = p.last
		}
		p.last = t
		if t.lane == outward {
			t.data = b.e.borrow(t.total())
			for i := uint64(0); i < uint64(t.rows); i++ {
				row, _ := t.localRow(i) // checked above
				t.data = append(t.data, row...)
			}
		}
	}
	l := &b.lanes[t.lane]
	l.queue = append(l.queue, t)
	b.pump()
	return nil
}

// borrow gives an empty slice with room for n bytes, an earlier transfer's if one fits.
func (e *Engine) borrow(n int64) []byte {
	if k := len(e.spare); k > 0 {
		p := e.spare[k-1]
		e.spare = e.spare[:k-1]
		if int64(cap(p)) >= n {
			return p[:0]
		}
	}
	return make([]byte, 0, n)
}

// pump starts what is at the head of the lanes.
func (b *block) pump() {
	for i := range b.lanes {
		l := &b.lanes[i]
		if l.busy() == 0 {
			continue
		}
		t := l.queue[l.head]
		if t.started || (t.after != nil && !t.after.done) {
			continue
		}
		t.started, t.after = true, nil
		if d := b.e.cfg.Chip.Core.DMAAlpha; d > 0 {
			b.e.after(d, evMove, token{move: t})
		} else {
			t.flow()
		}
	}
}

// flow begins the bytes after the start cost.
func (t *transfer) flow() {
	if t.remote {
		t.flowRemote()
	} else if !t.b.e.hbm.add(t, t.total()) {
		t.landed(nil)
	}
}

// landed ends the transfer: the bytes change place now.
func (t *transfer) landed(err error) {
	b := t.b
	l := &b.lanes[t.lane]
	if err == nil && !b.closed {
		err = t.move()
	}
	if t.data != nil {
		b.e.spare = append(b.e.spare, t.data)
	}
	t.done, t.data = true, nil
	l.pop()
	if err != nil {
		t.fault = &problem{causeOf(err), fmt.Errorf("DMA %v: %w", t, err)}
	}
	if t.pipe != noPipe {
		p := &b.pipes[t.pipe]
		p.pending--
		if p.fault == nil {
			p.fault = t.fault
		}
	}
	if b.closed {
		l.freeStage(b.e.cfg.Mem)
		return
	}
	b.wake.Broadcast(b.e.cfg.Sim)
	b.pump()
}

// move copies the bytes between local memory and, here, device memory; for a
// peer the DMA interface has done that part, to or from the stage.
func (t *transfer) move() error {
	s := t.b.e.cfg.Mem
	stage := t.b.lanes[t.lane].bytes
	for i := uint64(0); i < uint64(t.rows); i++ {
		from := t.data
		if from != nil {
			from = from[i*uint64(t.row):][:t.row]
		} else {
			row, err := t.localRow(i)
			if err != nil {
				return err
			}
			from = row
		}
		var err error
		switch {
		case t.remote && t.lane == inward:
			copy(from, stage[i*uint64(t.row):])
		case t.remote:
		case t.lane == inward:
			err = s.Read(t.devRow(i), from)
		case t.reduce:
			var over bool
			if over, err = s.ReduceFrom(t.devRow(i), from, t.dt, t.op, t.b.e.cfg.Overflow); over {
				t.b.overflowed()
			}
		default:
			err = s.Write(t.devRow(i), from)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// flowRemote hands the rows to the DMA interface.
func (t *transfer) flowRemote() {
	if t.total() == 0 || t.b.closed {
		t.landed(nil)
		return
	}
	stage, err := t.b.staged(t)
	if err != nil {
		t.landed(err)
		return
	}
	d := t.b.e.cfg.DMA
	t.left = int(t.rows)
	var first error
	done := func(err error) {
		if first == nil {
			first = err
		}
		if t.left--; t.left == 0 {
			t.landed(first)
		}
	}
	for i := uint64(0); i < uint64(t.rows); i++ {
		near, far := stage+mem.Addr(i*uint64(t.row)), t.devRow(i)
		switch {
		case t.lane == inward:
			d.Copy(near, far, int64(t.row), done)
		case t.reduce:
			d.Reduce(far, near, int64(t.row), t.dt, t.op, done)
		default:
			d.Copy(far, near, int64(t.row), done)
		}
	}
}

// staged gives the transfer's lane an address for its bytes and, outward, fills it.
func (b *block) staged(t *transfer) (mem.Addr, error) {
	l := &b.lanes[t.lane]
	if int64(len(l.bytes)) < t.total() {
		if l.stage != 0 {
			_ = b.e.cfg.Mem.Free(l.stage)
			l.stage = 0
		}
		bytes := make([]byte, t.total())
		a, err := b.e.cfg.Mem.Wrap(mem.AllocSpec{Device: b.e.cfg.Device, Kind: mem.KindTs, Name: "local memory of " + b.proc.Name()}, bytes)
		if err != nil {
			return 0, err
		}
		l.stage, l.bytes = a, bytes
	}
	if t.lane == outward {
		if t.data != nil {
			copy(l.bytes, t.data)
			return l.stage, nil
		}
		for i := uint64(0); i < uint64(t.rows); i++ {
			row, err := t.localRow(i)
			if err != nil {
				return 0, err
			}
			copy(l.bytes[i*uint64(t.row):], row)
		}
	}
	return l.stage, nil
}

// transferNow issues t and blocks until it is done.
func (b *block) transferNow(c *wasm.CallCtx, t *transfer) {
	t.pipe = noPipe
	if p := b.issue(t); p != nil {
		c.Abort(p)
	}
	if !t.done {
		if err := b.until(func() bool { return t.done }, sim.Cause{What: "a DMA transfer", On: t}); err != nil {
			c.Abort(err)
		}
	}
	if t.fault != nil {
		c.Abort(t.fault)
	}
}
