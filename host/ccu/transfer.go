package ccu

import (
	"fmt"

	"hsim/host/mem"
	"hsim/host/sim"
)

// transfer is a move under way, by its number.
type transfer struct {
	m      *mission
	launch *Launch
	op     Op
	pc     int
	gen    uint32
	cke    int
	mask   uint16
	count  uint8 // operands of a reduction
	fold   bool  // dst = dst red src
	dt     mem.Dtype
	red    mem.Op
	dst    mem.Addr
	src    mem.Addr
	stage  mem.Addr // of a reducing read
	n      int64
	others [8]mem.Addr // operands of a reduction
}

// begin fills what a transfer takes from its instruction, and steps on.
func (t *thread) begin(x *transfer, ins *Instruction) {
	x.m, x.launch, x.op, x.pc, x.gen = t.m, t.m.launch, ins.Op, t.pc, t.m.gen
	x.cke, x.mask = int(ins.V[SlotSet])+t.cke, uint16(ins.V[SlotSetMask])
	t.pc++
	t.m.spin = 0
}

// keep gives a transfer a number.
func (e *Engine) keep(x *transfer) int32 {
	if n := len(e.idle); n > 0 {
		i := e.idle[n-1]
		e.idle = e.idle[:n-1]
		e.moves[i] = *x
		return i
	}
	e.moves = append(e.moves, *x)
	return int32(len(e.moves) - 1)
}

func (e *Engine) take(i int32) transfer {
	x := e.moves[i]
	e.moves[i] = transfer{}
	e.idle = append(e.idle, i)
	return x
}

// Complete tells that a request is over; err says why it failed, with the
// status that missions have for that.
func (e *Engine) Complete(id uint64, s Status, err error) {
	x := e.take(int32(id))
	m := x.m
	live := m.gen == x.gen
	if err == nil && x.stage != 0 {
		_, err = e.cfg.Mem.Reduce(x.dst, x.stage, x.n, x.dt, x.red, e.cfg.Overflow)
		s = StatusLocal
	}
	if x.stage != 0 {
		_ = e.cfg.Mem.Free(x.stage) // it was allocated for this read
	}
	e.settle(&x, live, s, err)
}

// settle sets the bits of a complete transfer, or fails its mission.
func (e *Engine) settle(x *transfer, live bool, s Status, err error) {
	switch {
	case !live:
	case err == nil:
		if x.mask != 0 {
			x.m.u.set(x.cke, x.mask)
		}
	case x.m.launch == x.launch:
		x.m.fail(s, x.pc, err)
	default:
		e.log(fmt.Sprintf("ccu: a move of program %s failed after its mission had ended: %v", x.launch.p.name, err))
	}
}

// later lets a local transfer take effect at its end.
func (u *Unit) later(t *thread, x *transfer, end sim.Time) {
	e := u.e
	if end <= e.cfg.Sim.Now() {
		e.settle(x, true, StatusLocal, e.effect(x))
		return
	}
	e.cfg.Sim.At(end, e.id, uint64(e.keep(x))<<evKindBit|evMove)
}

// localDone is the event of later.
func (e *Engine) localDone(i int32) {
	x := e.take(i)
	if live := x.m.gen == x.gen; live {
		e.settle(&x, true, StatusLocal, e.effect(&x))
	}
}

// effect does a local transfer's work on memory.
func (e *Engine) effect(x *transfer) error {
	switch {
	case x.count > 0:
		return e.combine(x)
	case x.fold:
		_, err := e.cfg.Mem.Reduce(x.dst, x.src, x.n, x.dt, x.red, e.cfg.Overflow)
		return err
	}
	return e.cfg.Mem.Copy(x.dst, x.src, x.n)
}
