package ccu

import (
	"testing"

	"github.com/stretchr/testify/require"

	"hsim/host/sim"
)

// readers is a group of loops on device 0: each reads pieces of 4096 bytes from
// device 1 into a buffer and copies them out, round after round.
func readers(loops, from uint32, clones, rounds uint64) func(x *Recorder) {
	return func(x *Recorder) {
		src, dst, _ := two(x)
		total := loops + (loops-from)*uint32(clones)
		ev, ms := x.Events(total), x.Buffers(total)
		v := x.Variables(4)
		x.Set(v, 4096)
		x.Set(v+1, clones)
		x.Set(v+2, rounds)
		x.Set(v+3, 4096*uint64(total))
		at := x.Addresses(2 * loops)
		var first int32
		for i := range int32(loops) {
			// Loops before from have one piece, the others one and those of their clones.
			off := x.Variables(1)
			x.Set(off, 4096*uint64(i))
			s, d := Mem{at + 2*i, src.Token}, Mem{at + 2*i + 1, dst.Token}
			x.AddressAdd(s.Addr, src.Addr, off)
			x.AddressAdd(d.Addr, dst.Addr, off)
			l := x.LoopBegin(v+2, v+3)
			if i == 0 {
				first = l
			}
			x.ReadBuffer(0, ms+i, s, v, Done{ev + i, 1})
			x.EventWait(ev+i, 1)
			x.LocalCopyOut(d, ms+i, v, Done{ev + i, 2})
			x.EventWait(ev+i, 2)
			x.LoopEnd()
		}
		step := x.Variables(1)
		x.Set(step, 4096*uint64(loops-from))
		x.LoopGroup(Group{First: first, Loops: loops, RepeatFirst: from, Repeats: v + 1, BufferStep: loops - from, EventStep: loops - from, AddressStep: step})
	}
}

// The published example: four loops, the last three cloned three times: thirteen.
func TestLoopsAndClonesRunSideBySide(t *testing.T) {
	r := newRig(t, 2)
	a, _ := r.join(0, 1)
	const pieces, rounds = 13, 3
	e, data := r.ends(1, 0, 4096*pieces*rounds)
	p := r.must(a.unit, readers(4, 1, 3, rounds), a)
	require.Equal(t, 16, p.Taken(Loops).N, "thirteen, rounded up")
	end := r.one(p, e.args(0)...)
	require.Equal(t, data, r.read(e.to, len(data)))
	// A round is a read there and back and a copy out; all loops wait for their own.
	round := 2*wireLatency + r.chip.CCU.MSCopyRate.Time(4096)
	require.Greater(t, end, rounds*round)
	require.Less(t, end, rounds*round+40*r.chip.CCU.Issue+rounds*pieces*r.chip.CCU.MSCopyRate.Time(4096), "not one after the other")
}

func TestParametersOfGroups(t *testing.T) {
	body := func(x *Recorder, iterations, step int32) int32 {
		ev, v := x.Events(1), x.Variables(1)
		x.Set(v, 8)
		l := x.LoopBegin(iterations, step)
		x.LocalCopyIn(x.Buffers(1), Mem{x.Addresses(1), v}, v, Done{ev, 1})
		x.LoopEnd()
		return l
	}
	group := func(repeats func(x *Recorder) int32) func(x *Recorder) {
		return func(x *Recorder) {
			n := repeats(x)
			one, step := x.Variables(1), x.Variables(1)
			x.Set(one, 1)
			x.Set(step, 1<<20)
			x.LoopGroup(Group{First: body(x, one, step), Loops: 1, Repeats: n, AddressStep: step})
		}
	}
	constant := func(v uint64) func(x *Recorder) int32 {
		return func(x *Recorder) int32 {
			n := x.Variables(1)
			x.Set(n, v)
			return n
		}
	}
	r := newRig(t, 1)
	u := r.dev[0].units[0]
	p := r.must(u, group(constant(5)))
	require.Equal(t, 16, p.Taken(Loops).N)
	require.Empty(t, p.derive)
	code := p.u.code[p.code.First:][:p.code.N]
	config := find(code, OpLoadImmXn, func(v uint64) bool { return v>>groupLoops&127 == 1 && v>>groupClones == 5 })
	require.NotNil(t, config, "loops 1, from 0, clones 5")

	p = r.must(u, group(func(x *Recorder) int32 {
		n := x.Variables(1)
		x.LoadArg(n, 0)
		return n
	}))
	require.Equal(t, 128, p.Taken(Loops).N, "as many as the published programs take")
	require.Equal(t, []Derived{{Arg: 0, Shift: groupClones, Add: 1 << groupLoops, Max: 127, What: "repeats"}}, p.derive)
	l, err := p.Launch([]uint64{7})
	require.NoError(t, err)
	entry := l.Entry(0)
	require.Equal(t, []uint64{7, 7<<groupClones | 1<<groupLoops}, entry.Args[:2])
	_, err = p.Launch([]uint64{128})
	require.ErrorContains(t, err, "argument 0, repeats of a loop: got 128, want at most 127")
	_, err = p.Launch(nil)
	require.ErrorContains(t, err, "got 0 arguments, want 1")

	r.refused(r.dev[0].units[1], "loop_group: repeats: got 128, want at most 127", group(constant(128)))
}

func find(code []Instruction, op Op, is func(v uint64) bool) *Instruction {
	for i := range code {
		if code[i].Op == op && is(code[i].V[SlotImm]) {
			return &code[i]
		}
	}
	return nil
}

// What is computed in the mission is shifted by adding it to itself.
func TestParametersThatTheMissionComputes(t *testing.T) {
	r := newRig(t, 1)
	const n = 6 * 4096
	e, data := r.ends(0, 0, n)
	p := r.must(r.dev[0].units[0], func(x *Recorder) {
		from, to, two := two(x) // the fifth argument: 2
		ev, ms, v := x.Events(3), x.Buffers(3), x.Variables(3)
		one, slice := x.Variables(1), x.Variables(1)
		x.Set(one, 1)
		x.Set(slice, 4096)
		x.Add(v, two, one)   // three loops: two clones
		x.Add(v+1, one, one) // two rounds
		x.Set(v+2, 3*4096)   // step
		x.Add(v+2, v+2, v+2) // doubled
		half := x.Variables(1)
		x.Set(half, 3*4096)
		clones := x.Variables(1)
		x.Move(clones, two)
		l := x.LoopBegin(v+1, half)
		x.LocalCopyIn(ms, from, slice, Done{ev, 1})
		x.EventWait(ev, 1)
		x.LocalCopyOut(to, ms, slice, Done{ev, 1})
		x.EventWait(ev, 1)
		x.LoopEnd()
		x.LoopGroup(Group{First: l, Loops: 1, Repeats: clones, BufferStep: 1, EventStep: 1, AddressStep: slice})
	})
	r.one(p, e.args(2)...)
	require.Equal(t, data, r.read(e.to, n))
}

func TestGroupsThatEndTheMission(t *testing.T) {
	run := func(iterations, repeats uint64) error {
		r := newRig(t, 1)
		p := r.must(r.dev[0].units[0], func(x *Recorder) {
			v, ev := x.Variables(3), x.Events(1)
			x.LoadArg(v, 0)
			x.LoadArg(v+1, 1)
			x.Set(v+2, 0)
			l := x.LoopBegin(v, v+2)
			x.EventWait(ev, 1)
			x.LoopEnd()
			second := x.LoopBegin(v, v+2)
			x.EventWait(ev, 1)
			x.LoopEnd()
			_ = second
			x.LoopGroup(Group{First: l, Loops: 2, Repeats: v + 1, AddressStep: v + 2})
		})
		x := r.launch(p, iterations, repeats)
		r.sim.Run(0)
		return x.err
	}
	require.ErrorContains(t, run(0, 1), "got loop 0 of 0 iterations, want 1 to 8191")
	require.ErrorContains(t, run(1, 100), "got 202 loops to run at once, want at most the 128 loop engines of the program")
}

// A wait in a body holds its loop, not the others, and is named in a stall.
func TestWaitInABodyIsHonoured(t *testing.T) {
	r := newRig(t, 1)
	u := r.dev[0].units[0]
	p := r.must(u, func(x *Recorder) {
		v, ev := x.Variables(2), x.Events(4)
		x.Set(v, 1)
		x.Set(v+1, 3)
		l := x.LoopBegin(v, v)
		x.EventWait(ev, 1)
		x.LoopEnd()
		x.LoopGroup(Group{First: l, Loops: 1, Repeats: v + 1, EventStep: 1, AddressStep: v})
	})
	first := p.Taken(Events).First
	for i, when := range []sim.Time{40, 10, 30, 20} {
		r.at(when*sim.Microsecond, func() { require.NoError(t, r.mem.WriteRegister(u.Event(first+i), 1)) })
	}
	jump := 2 * r.chip.CCU.Issue // over the loops
	require.Equal(t, 40*sim.Microsecond+r.chip.SyncCCU+jump, r.one(p))

	x := r.launch(p)
	for _, i := range []int{0, 1, 3} {
		require.NoError(t, r.mem.WriteRegister(u.Event(first+i), 1))
	}
	res := r.sim.Run(0)
	require.False(t, x.done)
	require.ErrorContains(t, stall{res.Stall}, "waits for CKE 18 of die 0, mask 0x0001, of which 0x0001 is not set at instruction 2 of program probe on loop engine 2")
}
