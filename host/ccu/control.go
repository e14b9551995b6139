package ccu

// control translates blocks, calls and loops.
func (t *translation) control(n *node) {
	switch n.kind {
	case nIf:
		f := flow{out: t.label()}
		t.unless(n.x[0], n.cmp, n.value, f.out)
		t.flow = append(t.flow, f)
	case nElse:
		f := &t.flow[len(t.flow)-1]
		end := t.label()
		t.jump(end)
		t.place(f.out)
		f.out = end
	case nEndIf:
		t.place(t.pop().out)
	case nWhile:
		f := flow{again: t.label(), out: t.label()}
		t.place(f.again)
		t.unless(n.x[0], n.cmp, n.value, f.out)
		t.flow = append(t.flow, f)
	case nEndWhile:
		f := t.pop()
		t.jump(f.again)
		t.place(f.out)
	case nDo:
		f := flow{again: t.label()}
		t.place(f.again)
		t.flow = append(t.flow, f)
	case nEndDo:
		t.unless(n.x[0], opposite(n.cmp), n.value, t.pop().again)
	case nFunction:
		t.enter()
		f := function{t.label(), t.r.hidden(classXn)}
		t.place(f.label)
		t.calls[n.n] = f
	case nEndFunction:
		back := t.calls[n.n].back
		t.emit(OpJump, func(v *[numSlots]uint64) { v[SlotA], v[SlotImm] = uint64(back), 1 })
		t.leave()
	case nCall:
		f, after := t.calls[n.n], t.label()
		t.address(f.back, after)
		t.jump(f.label)
		t.place(after)
	case nLoop:
		t.enter()
		l := &t.r.loops[n.n]
		l.label, l.end = t.label(), t.label()
		t.place(l.label)
	case nEndLoop:
		t.place(t.r.loops[n.n].end)
		t.leave()
	case nGroup:
		t.group(n)
	}
}

func (t *translation) pop() flow {
	f := t.flow[len(t.flow)-1]
	t.flow = t.flow[:len(t.flow)-1]
	return f
}
