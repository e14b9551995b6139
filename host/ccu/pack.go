package ccu

import "fmt"

// fact is what is known of a variable before the program runs.
type fact struct {
	known bool   // it is set once, where nothing can skip that, from a constant or an argument
	node  int    // where
	arg   int    // -1: a constant
	value uint64 // of a constant
}

// facts looks at every operation that writes a variable.
func (r *Recorder) facts() []fact {
	out := make([]fact, len(r.syms[classXn]))
	writes := make([]int, len(out))
	depth := 0
	for i := range r.nodes {
		n := &r.nodes[i]
		switch n.kind {
		case nIf, nWhile, nDo, nFunction, nLoop:
			depth++
		case nEndIf, nEndWhile, nEndDo, nEndFunction, nEndLoop:
			depth--
		case nSet, nLoadArg:
			writes[n.x[0]]++
			if depth == 0 {
				out[n.x[0]] = fact{true, i, -1, n.value}
				if n.kind == nLoadArg {
					out[n.x[0]].arg = int(n.n)
				}
			}
		case nMove, nAdd:
			writes[n.x[0]]++
		case nLoad:
			for k := range int(n.n) {
				writes[n.x[0]+k]++
			}
		}
	}
	for v := range out {
		// A variable of a channel is written by the peer.
		out[v].known = out[v].known && writes[v] == 1 && !r.syms[classXn][v].fixed
	}
	return out
}

// at is the fact of a variable as an operation after it sees it.
func (t *translation) factOf(v int) fact {
	if v >= len(t.facts) || !t.facts[v].known || t.facts[v].node >= t.at {
		return fact{}
	}
	return t.facts[v]
}

// term is a variable's part of a packed register.
type term struct {
	v     int
	shift uint
	width uint
	name  string
}

// pack puts a constant and terms into one variable. Constants are added here; an
// argument is shifted by the host before the launch, as the published programs
// do; what is only known in the mission is doubled as often as it takes.
func (t *translation) pack(base uint64, terms ...term) int {
	var left []term
	for _, x := range terms {
		f := t.factOf(x.v)
		if !f.known || f.arg >= 0 {
			left = append(left, x)
			continue
		}
		if f.value>>x.width != 0 {
			t.r.op = "loop_group"
			t.r.fail("%s: got %d, want at most %d", x.name, f.value, uint64(1)<<x.width-1)
		}
		base += f.value << x.shift
	}
	out := t.r.hidden(classXn)
	if len(left) == 1 {
		if f := t.factOf(left[0].v); f.known {
			t.derived(out, f.arg, left[0], base)
			return out
		}
	}
	t.constant(out, base)
	for _, x := range left {
		v := t.r.hidden(classXn)
		if f := t.factOf(x.v); f.known {
			t.derived(v, f.arg, x, 0)
		} else {
			t.three(OpAddXn, v, x.v, 0)
			for range x.shift {
				t.three(OpAddXn, v, v, v)
			}
		}
		t.three(OpAddXn, out, out, v)
	}
	return out
}

// derived makes v an argument that the host computes.
func (t *translation) derived(v, arg int, x term, add uint64) {
	t.derive = append(t.derive, Derived{Arg: arg, Shift: x.shift, Add: add, Max: 1<<x.width - 1, What: x.name})
	t.r.args[len(t.r.args)] = len(t.r.nodes)
	t.r.nodes = append(t.r.nodes, node{kind: nLoadArg, x: [5]int{v}, n: uint32(len(t.r.args) - 1)})
}

// The bits of the registers of a group and of a loop.
const (
	groupLoops   = 41
	groupFrom    = 48
	groupClones  = 55
	groupAddress = 21
	groupBuffer  = 10
	loopStep     = 13
	loopEngine   = 45
)

// defaultEngines is how many loops a group may run whose clones are not known
// when it is recorded. Source: the default of the published programs.
const defaultEngines = 128

// engines is how many loop engines the largest group needs.
func (t *translation) engines() (most int) {
	for i := range t.r.nodes {
		n := &t.r.nodes[i]
		if n.kind != nGroup {
			continue
		}
		t.at = i
		first, count := n.x[1], int(n.n)
		need := max(defaultEngines, count)
		if f := t.factOf(n.x[2]); f.known && f.arg < 0 {
			need = count + (count-first)*int(min(f.value, maxGroup))
		}
		most = max(most, need)
	}
	return most
}

// group emits a loop group: its parameters, the group itself, a jump over the
// loops, and the loops.
func (t *translation) group(n *node) {
	first, from, count := n.x[0], n.x[1], int(n.n)
	config := t.pack(uint64(count)<<groupLoops|uint64(from)<<groupFrom, term{n.x[2], groupClones, 7, "repeats"})
	offsets := t.pack(n.value, term{n.x[3], groupAddress, 32, "address_step"})
	each := make([]int, count)
	for i := range each {
		l := &t.r.loops[first+i]
		each[i] = t.pack(uint64(t.engine+i)<<loopEngine, term{l.iterations, 0, 13, "iterations"}, term{l.step, loopStep, 32, "step"})
	}
	loops, after := t.label(), t.label()
	t.emit(OpLoopGroup, func(v *[numSlots]uint64) {
		v[SlotA], v[SlotB], v[SlotC] = uint64(loops), uint64(config), uint64(offsets)
	})
	t.jump(after)
	t.place(loops)
	for i := range each {
		l := &t.r.loops[first+i]
		t.emit(OpLoop, func(v *[numSlots]uint64) {
			v[SlotA], v[SlotB], v[SlotC] = uint64(l.label), uint64(l.end), uint64(each[i])
		})
	}
	t.place(after)
}

// resolve computes the derived arguments that follow those of the program.
func (d *Derived) resolve(args []uint64) (uint64, error) {
	v := args[d.Arg]
	if v > d.Max {
		return 0, fmt.Errorf("argument %d, %s of a loop: got %d, want at most %d", d.Arg, d.What, v, d.Max)
	}
	return v<<d.Shift + d.Add, nil
}
