package ccu

// group starts the loops of a group and the clones of some of them, each on a
// loop engine of its own. The thread goes on when all are over.
func (t *thread) group(ins *Instruction) {
	u, v := t.u, &ins.V
	config, offsets := u.xn[v[SlotB]], u.xn[v[SlotC]]
	count, from, clones := int(config>>groupLoops&maxGroup), int(config>>groupFrom&maxGroup), int(config>>groupClones&maxGroup)
	first := int(v[SlotA])
	total := count + max(0, count-from)*clones
	have := t.m.launch.p.loops
	switch {
	case t.engine >= 0:
		t.refuse(StatusOpcode, "got a loop group inside a loop")
		return
	case count == 0 || from > count || first+count > len(u.code):
		t.refuse(StatusOpcode, "got a group of %d loops, repeated from %d on, want at least one", count, from)
		return
	case total > have.N:
		t.refuse(StatusLocal, "got %d loops to run at once, want at most the %d loop engines of the program", total, have.N)
		return
	}
	for i := range count {
		l := &u.code[first+i]
		if l.Op != OpLoop {
			t.refuse(StatusOpcode, "got instruction %d, %v, among the loops of a group, want a loop", first+i, l)
			return
		}
		if u.xn[l.V[SlotC]]&maxIterations == 0 {
			t.refuse(StatusOpcode, "got loop %d of 0 iterations, want 1 to %d", i, maxIterations)
			return
		}
	}
	t.pc++
	t.state, t.loops = tGroup, total
	t.m.spin = 0
	engine := have.First
	for clone := range clones + 1 {
		for i := range count {
			if clone > 0 && i < from {
				continue
			}
			t.loop(&u.code[first+i], engine, uint64(clone), offsets)
			engine++
		}
	}
}

// maxIterations is 13 bits of ones.
const maxIterations = 1<<13 - 1

// loop starts one loop or clone.
func (t *thread) loop(ins *Instruction, engine int, clone, offsets uint64) {
	u := t.u
	config := u.xn[ins.V[SlotC]]
	x := u.thread(t.m, engine)
	x.parent, x.at = t, t.at
	x.first, x.pc, x.end = int(ins.V[SlotA]), int(ins.V[SlotA]), int(ins.V[SlotB])+1
	x.iters, x.step = config&maxIterations, config>>loopStep&(1<<32-1)
	x.cke = int(clone * (offsets & (1<<10 - 1)))
	x.ms = int(clone * (offsets >> groupBuffer & (1<<11 - 1)))
	x.addr = clone * (offsets >> groupAddress & (1<<32 - 1))
	t.m.loops = append(t.m.loops, x)
	u.e.kick(x)
}
