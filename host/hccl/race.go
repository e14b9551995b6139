package hccl

import (
	"fmt"
	"math/bits"
	"strings"
)

// value is what an element holds: which input element, summed over which ranks.
type value struct {
	elem  int64
	ranks [3]uint64
}

func single(rank int, elem int64) (v value) {
	v.elem = elem
	v.ranks[rank/64] = 1 << (rank % 64)
	return v
}

func (v value) String() string {
	n := 0
	for _, w := range v.ranks {
		n += bits.OnesCount64(w)
	}
	if n == 0 {
		return "nothing"
	}
	var s []string
	for r := range 64 * len(v.ranks) {
		if v.ranks[r/64]>>(r%64)&1 != 0 {
			s = append(s, fmt.Sprint(r))
		}
	}
	return fmt.Sprintf("element %d of ranks %s", v.elem, strings.Join(s, ","))
}

// access is a read or write, local at a tick of a rank, or by a transfer.
type access struct {
	rank, tick int32
	xfer       *transfer
}

// transfer ends when its receiver's clock reached end; 0 while it may be flying.
type transfer struct {
	to, end int32
	step    Step
}

func (a *access) before(clock []int32) bool {
	if a.xfer != nil {
		return a.xfer.end > 0 && clock[a.xfer.to] >= a.xfer.end
	}
	return clock[a.rank] >= a.tick
}

// cell is one element of a buffer.
type cell struct {
	val   value
	write access
	reads []access
}

type memory struct {
	elem  int64
	cells [numBufs][]cell
}

func newMemory(p *Params, scratch int64) *memory {
	m := &memory{elem: p.Elem}
	in, out := p.InBytes()/p.Elem, p.OutBytes()/p.Elem
	m.cells[Scratch] = make([]cell, scratch/p.Elem)
	if p.Op == Broadcast {
		m.cells[Input] = make([]cell, in)
		m.cells[Output] = m.cells[Input]
		return m
	}
	at := int64(p.Rank) * p.Count
	switch {
	case !p.InPlace:
		m.cells[Input], m.cells[Output] = make([]cell, in), make([]cell, out)
	case in == out:
		m.cells[Input] = make([]cell, in)
		m.cells[Output] = m.cells[Input]
	case in > out:
		m.cells[Input] = make([]cell, in)
		m.cells[Output] = m.cells[Input][at : at+out]
	default:
		m.cells[Output] = make([]cell, out)
		m.cells[Input] = m.cells[Output][at : at+in]
	}
	return m
}

func (m *memory) at(l Loc, n int64) ([]cell, error) {
	c := m.cells[l.Buf]
	if l.Off < 0 || l.Off%m.elem != 0 || n%m.elem != 0 || l.Off/m.elem+n/m.elem > int64(len(c)) {
		return nil, fmt.Errorf("%v, %d bytes: outside the buffer of %d elements of %d bytes, or not whole elements", l, n, len(c), m.elem)
	}
	return c[l.Off/m.elem:][:n/m.elem], nil
}

// touch checks an access against the ones before it.
func (v *verifier) touch(c *cell, by access, r int32, write bool) error {
	clock := v.clocks[r]
	if (c.write.tick > 0 || c.write.xfer != nil) && !c.write.before(clock) {
		return fmt.Errorf("race with the write of %s", c.write.name())
	}
	if !write {
		c.reads = append(c.reads, by)
		return nil
	}
	for i := range c.reads {
		if c.reads[i].xfer == by.xfer && by.xfer != nil {
			return fmt.Errorf("a transfer reads and writes one place")
		}
		if !c.reads[i].before(clock) {
			return fmt.Errorf("overwrites what %s may still read", c.reads[i].name())
		}
	}
	c.reads = c.reads[:0]
	c.write = by
	return nil
}

func (a *access) name() string {
	if a.xfer != nil {
		return fmt.Sprintf("rank %d's step %v", a.rank, a.xfer.step)
	}
	return fmt.Sprintf("rank %d", a.rank)
}
