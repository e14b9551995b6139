package ccu

import (
	"encoding/binary"

	"hsim/host/mem"
	"hsim/host/sim"
)

// reduce starts the reduction of buffers into the first of them.
func (t *thread) reduce(ins *Instruction) {
	u, v := t.u, &ins.V
	n := int64(u.xn[v[SlotLen]])
	dt, ok := typeOf(bufferTypes, v[SlotDtype])
	x := transfer{n: n, dt: dt, red: map[Op]mem.Op{OpAdd: mem.Sum, OpMax: mem.Max, OpMin: mem.Min}[ins.Op], count: uint8(v[SlotCount] + 2)}
	switch {
	case !ok:
		t.refuse(StatusLocal, "got data type %d of a reduction, want one of the table", v[SlotDtype])
		return
	case n <= 0 || n > BufferSize || n%dt.Size() != 0:
		t.refuse(StatusLocal, "got %d bytes of %v, want 1 to %d in whole elements", n, dt, BufferSize)
		return
	case v[SlotCast] != 0:
		t.refuse(StatusLocal, "got a widening reduction, which this engine does not make")
		return
	}
	for i := range int(x.count) {
		at, fine := t.buffer(v[SlotA+Slot(i)])
		if !fine {
			t.refuse(StatusLocal, "got a buffer that the die does not have, want less than %d", u.Capacity(Buffers))
			return
		}
		x.others[i] = at
	}
	d := span(u.e.cfg.Chip.CCU.MSReduceRate, n) * sim.Time(x.count-1)
	t.begin(&x, ins)
	end := u.fold.take(t.at, d)
	u.trace(ins.Op, &x, end-d, end)
	u.later(t, &x, end)
}

// combine is the effect of a reduction: in the order of the operands. Sums of
// fp16 and bf16 are made in fp32 and rounded once.
func (e *Engine) combine(x *transfer) error {
	m := e.cfg.Mem
	if x.red == mem.Sum && (x.dt == mem.FP16 || x.dt == mem.BF16) {
		return e.wideSum(x)
	}
	for _, src := range x.others[1:x.count] {
		if _, err := m.Reduce(x.others[0], src, x.n, x.dt, x.red, e.cfg.Overflow); err != nil {
			return err
		}
	}
	return nil
}

func (e *Engine) wideSum(x *transfer) error {
	m := e.cfg.Mem
	sum := make([]float32, x.n/2)
	word := make([]byte, x.n)
	for k, at := range x.others[:x.count] {
		if err := m.Read(at, word); err != nil {
			return err
		}
		for i := range sum {
			h := binary.LittleEndian.Uint16(word[2*i:])
			f := mem.Half(h).Float32()
			if x.dt == mem.BF16 {
				f = mem.Brain(h).Float32()
			}
			if k == 0 {
				sum[i] = f
			} else {
				sum[i] += f
			}
		}
	}
	for i, f := range sum {
		h := uint16(mem.ToHalf(f))
		if x.dt == mem.BF16 {
			h = uint16(mem.ToBrain(f))
		}
		binary.LittleEndian.PutUint16(word[2*i:], h)
	}
	return m.Write(x.others[0], word)
}
