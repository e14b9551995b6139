package ccu

import "hsim/abi"

// EventRecord sets bits of an event.
func (r *Recorder) EventRecord(event int32, mask uint32) {
	if r.enter("event_record", outside) {
		r.add(node{kind: nSetEvent, event: r.get("event", classCKE, event), mask: r.mask(mask)})
	}
}

// EventWait waits for all bits of the mask and clears them.
func (r *Recorder) EventWait(event int32, mask uint32) {
	if r.enter("event_wait", anywhere) {
		r.add(node{kind: nWaitEvent, event: r.get("event", classCKE, event), mask: r.mask(mask)})
	}
}

// TagRecord sets bits of the event that programs of one die share under a name.
func (r *Recorder) TagRecord(tag string, mask uint32) {
	if r.enter("tag_record", outside) {
		r.add(node{kind: nSetEvent, event: r.tag(tag), mask: r.mask(mask)})
	}
}

// TagWait waits for such bits and clears them.
func (r *Recorder) TagWait(tag string, mask uint32) {
	if r.enter("tag_wait", anywhere) {
		r.add(node{kind: nWaitEvent, event: r.tag(tag), mask: r.mask(mask)})
	}
}

// tag finds the event of a name on the die, or takes one.
func (r *Recorder) tag(name string) int {
	u := r.unit
	number, ok := u.tags[name]
	if !ok {
		if len(u.tags)%16 == 0 {
			b, err := u.Take(Events, 16)
			if err != nil {
				r.fail("tag %q: %w", name, err)
				return 0
			}
			u.tagged = b
		}
		number = u.tagged.First + len(u.tags)%16
		u.tags[name] = number
	}
	return r.event(number)
}

// event is a symbol for an event of the die.
func (r *Recorder) event(number int) int {
	for i, s := range r.syms[classCKE] {
		if i > 0 && s.fixed && s.n == number {
			return i
		}
	}
	i := len(r.syms[classCKE])
	r.syms[classCKE] = append(r.syms[classCKE], symbol{fixed: true, n: number, last: i})
	return i
}

func (r *Recorder) index(n, limit uint32) {
	if r.err == nil && n >= limit {
		r.fail("index: got %d, want 0 to %d", n, limit-1)
	}
}

// NotifyRecord sets bits of the peer's notify of a channel.
func (r *Recorder) NotifyRecord(channel, index, mask uint32) {
	if r.enter("notify_record", anywhere) {
		r.index(index, ChannelNotifies)
		r.add(node{kind: nNotify, ch: r.channel(channel), n: index, mask: r.mask(mask)})
	}
}

// NotifyWait waits for bits of the own notify of a channel and clears them.
func (r *Recorder) NotifyWait(channel, index, mask uint32) {
	if !r.enter("notify_wait", anywhere) {
		return
	}
	r.index(index, ChannelNotifies)
	c := r.channel(channel)
	m := r.mask(mask)
	if r.err == nil {
		r.add(node{kind: nWaitEvent, event: r.event(c.events + int(index)), mask: m})
	}
}

// WriteVariableWithNotify writes a variable to the peer's channel variable, then
// sets bits of its notify.
func (r *Recorder) WriteVariableWithNotify(channel uint32, v int32, index, notify, mask uint32) {
	if !r.enter("write_variable_with_notify", anywhere) {
		return
	}
	r.index(index, ChannelVariables)
	r.index(notify, ChannelNotifies)
	t := node{kind: nWriteVar, ch: r.channel(channel), n: index, value: uint64(notify), mask: r.mask(mask)}
	t.x[0] = r.get("var", classXn, v)
	r.add(t)
}

// relation refuses what version 1 cannot compare.
func (r *Recorder) relation(cmp uint32) {
	switch {
	case r.err != nil || cmp == abi.CompareEQ || cmp == abi.CompareNE:
	case cmp <= abi.CompareLT:
		r.fail("compare: got a relation of version 2 on a die of version %d, want eq or ne", r.unit.Version())
	default:
		r.fail("compare: got %d, want 0 to %d", cmp, abi.CompareLT)
	}
}

func (r *Recorder) begin(op string, k nodeKind, v int32, cmp uint32, value uint64) {
	if !r.enter(op, outside) {
		return
	}
	t := node{kind: k, cmp: cmp, value: value}
	if k != nDo {
		r.relation(cmp)
		t.x[0] = r.get("var", classXn, v)
	}
	r.add(t)
	r.open = append(r.open, k)
}

// end closes the innermost block, which must be one of the kinds.
func (r *Recorder) end(op string, k nodeKind, of ...nodeKind) bool {
	if r.err != nil {
		return false
	}
	r.op = op
	n := len(r.open)
	for _, o := range of {
		if n > 0 && r.open[n-1] == o {
			r.open = r.open[:n-1]
			return true
		}
	}
	if n == 0 {
		r.fail("got it without %s", blockNames[of[0]][0])
	} else {
		r.fail("got it in an open %s, want %s first", blockNames[r.open[n-1]][0], blockNames[r.open[n-1]][1])
	}
	return false
}

// IfBegin begins a block that runs when the relation of a variable holds.
func (r *Recorder) IfBegin(v int32, cmp uint32, value uint64) {
	r.begin("if_begin", nIf, v, cmp, value)
}

// IfElse begins the other block.
func (r *Recorder) IfElse() {
	if r.end("if_else", nElse, nIf) {
		r.add(node{kind: nElse})
		r.open = append(r.open, nElse)
	}
}

// IfEnd ends it.
func (r *Recorder) IfEnd() {
	if r.end("if_end", nEndIf, nIf, nElse) {
		r.add(node{kind: nEndIf})
	}
}

// WhileBegin begins a block that repeats while the relation holds.
func (r *Recorder) WhileBegin(v int32, cmp uint32, value uint64) {
	r.begin("while_begin", nWhile, v, cmp, value)
}

// WhileEnd ends it.
func (r *Recorder) WhileEnd() {
	if r.end("while_end", nEndWhile, nWhile) {
		r.add(node{kind: nEndWhile})
	}
}

// DoBegin begins a block that runs at least once.
func (r *Recorder) DoBegin() { r.begin("do_begin", nDo, 0, 0, 0) }

// DoEnd ends it; it repeats while the relation holds.
func (r *Recorder) DoEnd(v int32, cmp uint32, value uint64) {
	if r.end("do_end", nEndDo, nDo) {
		r.relation(cmp)
		r.add(node{kind: nEndDo, x: [5]int{r.get("var", classXn, v)}, cmp: cmp, value: value})
	}
}

// FunctionBegin begins a function that Call runs.
func (r *Recorder) FunctionBegin() int32 {
	if !r.enter("function_begin", outside) {
		return 0
	}
	if r.within(nFunction) {
		r.fail("got it inside a function, want functions side by side")
	}
	r.funcs++
	r.add(node{kind: nFunction, n: uint32(r.funcs)})
	r.open = append(r.open, nFunction)
	return int32(classFunction)<<classShift | int32(r.funcs)
}

// FunctionEnd ends it.
func (r *Recorder) FunctionEnd() {
	if r.end("function_end", nEndFunction, nFunction) {
		r.add(node{kind: nEndFunction, n: uint32(r.funcs)})
	}
}

// Call runs a function that has ended.
func (r *Recorder) Call(function int32) {
	if !r.enter("call", outside) {
		return
	}
	f := r.get("function", classFunction, function)
	if r.within(nFunction) && f == r.funcs {
		r.fail("got a function that calls itself: it keeps one place to return to")
	}
	r.add(node{kind: nCall, n: uint32(f)})
}

// LoopBegin begins the body of a loop; both arguments are variables, step in
// bytes is added to every address per iteration.
func (r *Recorder) LoopBegin(iterations, step int32) int32 {
	if !r.enter("loop_begin", outside) {
		return 0
	}
	l := loop{iterations: r.get("iterations", classXn, iterations), step: r.get("step", classXn, step)}
	if r.err != nil {
		return 0
	}
	r.loops = append(r.loops, l)
	n := len(r.loops) - 1
	r.add(node{kind: nLoop, n: uint32(n)})
	r.open = append(r.open, nLoop)
	return int32(classLoop)<<classShift | int32(n)
}

// LoopEnd ends the body.
func (r *Recorder) LoopEnd() {
	if !r.end("loop_end", nEndLoop, nLoop) {
		return
	}
	if r.nodes[len(r.nodes)-1].kind == nLoop {
		r.fail("got an empty body, want at least one move")
	}
	r.add(node{kind: nEndLoop, n: uint32(len(r.loops) - 1)})
}

// Group is what LoopGroup runs: loops loops from First on, and those from
// RepeatFirst on again in as many clones as the variable Repeats says. A clone
// adds the steps; AddressStep is a variable.
type Group struct {
	First       int32
	Loops       uint32
	RepeatFirst uint32
	Repeats     int32
	BufferStep  uint32
	EventStep   uint32
	AddressStep int32
	// VariableStep is what clones of version 2 add to variables; 0 here.
	VariableStep uint32
}

// LoopGroup runs loops side by side and waits for all of them.
func (r *Recorder) LoopGroup(g Group) {
	if !r.enter("loop_group", outside) {
		return
	}
	first := r.get("first", classLoop, g.First)
	if r.err != nil {
		return
	}
	if have := len(r.loops) - first; g.Loops == 0 || uint64(g.Loops) > uint64(min(have, maxGroup)) {
		r.fail("loops: got %d, want 1 to %d", g.Loops, min(have, maxGroup))
		return
	}
	for _, limit := range []struct {
		name   string
		n, max uint32
	}{{"repeat_first", g.RepeatFirst, g.Loops - 1}, {"buffer_step", g.BufferStep, 1<<11 - 1}, {"event_step", g.EventStep, 1<<10 - 1}} {
		if limit.n > limit.max {
			r.fail("%s: got %d, want at most %d", limit.name, limit.n, limit.max)
		}
	}
	if g.VariableStep != 0 {
		r.fail("variable_step: got %d, want 0: version 1 clones have no variables of their own", g.VariableStep)
	}
	repeats, step := r.get("repeats", classXn, g.Repeats), r.get("address_step", classXn, g.AddressStep)
	for i := range int(g.Loops) {
		r.loops[first+i].grouped = true
	}
	r.add(node{kind: nGroup, x: [5]int{first, int(g.RepeatFirst), repeats, step}, n: g.Loops,
		value: uint64(g.BufferStep)<<10 | uint64(g.EventStep)})
}

// maxGroup is the most loops, and the most clones, of a group: seven bits.
const maxGroup = 127
