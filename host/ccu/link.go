package ccu

import "fmt"

// link lays the sections out from instruction first on and turns symbols and
// labels into numbers.
func (t *translation) link(first int, blocks [numClasses]Block) ([]Instruction, error) {
	args := &section{}
	t.stack = []*section{args}
	for n := range len(t.r.args) {
		x := &t.r.nodes[t.r.args[n]]
		t.three(OpLoadArgXn, x.x[0], n%argsPerSQE, 0)
	}
	if len(t.bodies) > 0 {
		begin := t.label()
		t.labels[begin] = mark{in: t.main}
		t.jump(begin)
	}
	all := append(append([]*section{args}, t.bodies...), t.main)
	base := map[*section]int{}
	size := 0
	for _, s := range all {
		base[s] = first + size
		size += len(s.code)
	}
	address := func(label int) int { return base[t.labels[label].in] + t.labels[label].at }
	out := make([]Instruction, 0, size)
	for _, s := range all {
		for i := range s.code {
			e := &s.code[i]
			ins := e.ins
			switch {
			case e.label > 0:
				ins.V[SlotImm] = uint64(address(e.label))
			case e.label == registers:
				ins.V[SlotImm] = uint64(t.r.unit.Variable(t.number(classXn, int(ins.V[SlotImm]), blocks)))
			}
			for _, f := range ins.Op.Format().Fields {
				v := &ins.V[f.Slot]
				switch f.Kind {
				case KindXn:
					*v = uint64(t.number(classXn, int(*v), blocks))
				case KindGSA:
					*v = uint64(t.number(classGSA, int(*v), blocks))
				case KindCKE:
					*v = uint64(t.number(classCKE, int(*v), blocks))
				case KindMS:
					*v = uint64(t.number(classMS, int(*v), blocks)) | uint64(t.r.unit.die)<<15
				case KindInstruction:
					*v = uint64(address(int(*v)))
					if ins.Op == OpLoop && f.Slot == SlotB {
						*v-- // the last instruction of the body
					}
				}
			}
			out = append(out, ins)
		}
	}
	if first+size > t.r.unit.Capacity(Instructions) {
		return nil, fmt.Errorf("got %d instructions, want at most %d from %d on", size, t.r.unit.Capacity(Instructions)-first, first)
	}
	return out, nil
}

// size is the number of instructions that link will make.
func (t *translation) size() int {
	n := len(t.r.args) + len(t.main.code)
	for _, s := range t.bodies {
		n += len(s.code)
	}
	if len(t.bodies) > 0 {
		n += 2
	}
	return n
}

// number is a symbol's register.
func (t *translation) number(c class, i int, blocks [numClasses]Block) int {
	s := t.r.syms[c][i]
	if s.fixed {
		return s.n
	}
	return blocks[c].First + s.n
}
