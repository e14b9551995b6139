package ccu

import (
	"testing"

	"github.com/stretchr/testify/require"

	"hsim/abi"
	"hsim/host/mem"
	"hsim/host/sim"
	"hsim/host/soc"
)

// ends is a program that copies n bytes between two places through one way.
type ends struct {
	from, to mem.Addr
	ft, tt   uint64
}

func (e ends) args(more ...uint64) []uint64 {
	return append([]uint64{uint64(e.from), e.ft, uint64(e.to), e.tt}, more...)
}

// two loads the places of ends from arguments 0 to 3, and a length from 4.
func two(x *Recorder) (from, to Mem, n int32) {
	v, a := x.Variables(5), x.Addresses(2)
	for i := range uint32(5) {
		x.LoadArg(v+int32(i), i)
	}
	x.AddressFrom(a, v)
	x.AddressFrom(a+1, v+2)
	return Mem{a, v + 1}, Mem{a + 1, v + 3}, v + 4
}

func (r *rig) ends(from, to int, n int) (ends, []byte) {
	data := bytesOf(n, 3)
	a, at := r.buffer(from, data)
	b, bt := r.buffer(to, make([]byte, n))
	return ends{a, b, at, bt}, data
}

func TestLocalCopyTakesTheCopyRate(t *testing.T) {
	r := newRig(t, 1)
	e, data := r.ends(0, 0, 1<<20)
	p := r.must(r.dev[0].units[0], func(x *Recorder) {
		from, to, n := two(x)
		ev := x.Events(1)
		x.LocalCopy(to, from, n, Done{ev, 1})
		x.EventWait(ev, 1)
	})
	end := r.one(p, e.args(1<<20)...)
	require.Equal(t, data, r.read(e.to, 1<<20))
	// Five arguments, two addresses and the copy are issued before it begins; the wait has been issued when it ends.
	require.Equal(t, 8*r.chip.CCU.Issue+r.chip.CCU.MSCopyRate.Time(1<<20), end)
}

func TestMoreArgumentsThanOneEntryCarries(t *testing.T) {
	r := newRig(t, 1)
	out, token := r.buffer(0, make([]byte, 8*30))
	p := r.must(r.dev[0].units[0], func(x *Recorder) {
		v, a, ev := x.Variables(30), x.Addresses(1), x.Events(1)
		for i := range uint32(30) {
			x.LoadArg(v+int32(29-i), 29-i)
		}
		x.AddressFrom(a, v)
		x.Store(Mem{a, v + 1}, v, 30, Done{ev, 1})
		x.EventWait(ev, 1)
	})
	args := []uint64{uint64(out), token}
	for i := uint64(2); i < 30; i++ {
		args = append(args, i*i)
	}
	l, err := p.Launch(args)
	require.NoError(t, err)
	require.Equal(t, 3, l.Entries())
	first := uint16(p.code.First)
	for i, want := range []SQE{{Start: first, Count: 13, ArgSize: 13}, {Start: first + 13, Count: 13, ArgSize: 13},
		{Start: first + 26, Count: uint16(p.Size()) - 26, ArgSize: 4}} {
		got := l.Entry(i)
		require.Equal(t, want, SQE{Start: got.Start, Count: got.Count, ArgSize: got.ArgSize})
	}
	r.one(p, args...)
	for i := range 30 {
		got := r.read(out.Add(int64(i)*8), 8)
		require.Equal(t, args[i], le(got), i)
	}
}

func le(b []byte) (v uint64) {
	for i := len(b) - 1; i >= 0; i-- {
		v = v<<8 | uint64(b[i])
	}
	return v
}

func TestConditionsLoopsAndFunctions(t *testing.T) {
	r := newRig(t, 1)
	out, token := r.buffer(0, make([]byte, 64))
	p := r.must(r.dev[0].units[1], func(x *Recorder) {
		v, a, ev := x.Variables(3), x.Addresses(1), x.Events(1)
		one, less, sum := x.Variables(1), x.Variables(1), x.Variables(8)
		for i := range uint32(3) {
			x.LoadArg(v+int32(i), i)
		}
		x.AddressFrom(a, v)
		x.Set(one, 1)
		x.Set(less, ^uint64(0))
		for i := range int32(8) {
			x.Set(sum+i, 0)
		}
		double := x.FunctionBegin()
		x.Add(sum+1, sum+1, sum+1)
		x.FunctionEnd()
		x.Move(sum+1, one)
		// sum[0] counts v[2] down, sum[1] doubles as often.
		n := x.Variables(1)
		x.Move(n, v+2)
		x.WhileBegin(n, abi.CompareNE, 0)
		x.Add(sum, sum, one)
		x.Call(double)
		x.Add(n, n, less)
		x.WhileEnd()
		x.IfBegin(v+2, abi.CompareEQ, 5)
		x.Set(sum+2, 50)
		x.IfElse()
		x.Set(sum+2, 60)
		x.IfEnd()
		x.IfBegin(v+2, abi.CompareNE, 5)
		x.Set(sum+3, 70)
		x.IfEnd()
		x.DoBegin()
		x.Add(sum+4, sum+4, one)
		x.DoEnd(sum+4, abi.CompareNE, 3)
		x.DoBegin()
		x.Add(sum+5, sum+5, one)
		x.DoEnd(sum+5, abi.CompareEQ, 9)
		x.Store(Mem{a, v + 1}, sum, 8, Done{ev, 1})
		x.EventWait(ev, 1)
	})
	for _, c := range []struct{ n, two, three uint64 }{{5, 50, 0}, {0, 60, 70}, {7, 60, 70}} {
		x := r.launch(p, uint64(out), token, c.n)
		r.sim.Run(0)
		require.True(t, x.done)
		require.NoError(t, x.err)
		got := r.read(out, 64)
		for i, want := range []uint64{c.n, 1 << c.n, c.two, c.three, 3, 1} {
			require.Equal(t, want, le(got[8*i:8*i+8]), "variable %d for %d", i, c.n)
		}
	}
}

func TestGroupCopyOnLoopEngines(t *testing.T) {
	r := newRig(t, 1)
	const n = 2*128*BufferSize + 3*BufferSize + 100
	e, data := r.ends(0, 0, n)
	p := r.must(r.dev[0].units[0], groupCopy)
	require.Equal(t, 128, p.Taken(Loops).N)
	end := r.one(p, e.args(2, 3, 2, 100, 2*128*BufferSize, 3*BufferSize)...)
	require.Equal(t, data, r.read(e.to, n))
	rate := r.chip.CCU.MSCopyRate
	least := rate.Time(n) + rate.Time(100)
	require.GreaterOrEqual(t, end, least)
	// What comes on top: starting the three parts and the last slice of each on its way out.
	require.LessOrEqual(t, end, least+2*rate.Time(BufferSize)+100*r.chip.CCU.Issue)
}

// groupCopy copies m rounds of 128 slices, then k slices (k - 1 in argument 6),
// then p bytes: the published way of a local copy.
func groupCopy(x *Recorder) {
	v, a, ev, ms := x.Variables(12), x.Addresses(4), x.Events(128), x.Buffers(128)
	for i := range uint32(10) {
		x.LoadArg(v+int32(i), i)
	}
	m, k, more, tail, firstPart, secondPart := v+4, v+5, v+6, v+7, v+8, v+9
	slice, one := x.Variables(1), x.Variables(1)
	last, round := x.Variables(1), x.Variables(1)
	x.Set(slice, BufferSize)
	x.Set(one, 1)
	x.Set(last, 127)
	x.Set(round, 128*BufferSize)
	from, to := Mem{a, v + 1}, Mem{a + 1, v + 3}
	x.AddressFrom(a, v)
	x.AddressFrom(a+1, v+2)
	body := func(iterations, step int32) int32 {
		l := x.LoopBegin(iterations, step)
		x.LocalCopyIn(ms, from, slice, Done{ev, 1})
		x.EventWait(ev, 1)
		x.LocalCopyOut(to, ms, slice, Done{ev, 1})
		x.EventWait(ev, 1)
		x.LoopEnd()
		return l
	}
	x.IfBegin(m, abi.CompareNE, 0)
	x.LoopGroup(Group{First: body(m, round), Loops: 1, Repeats: last, BufferStep: 1, EventStep: 1, AddressStep: slice})
	x.IfEnd()
	x.AddressAdd(a, a, firstPart)
	x.AddressAdd(a+1, a+1, firstPart)
	x.IfBegin(k, abi.CompareNE, 0)
	x.LoopGroup(Group{First: body(one, round), Loops: 1, Repeats: more, BufferStep: 1, EventStep: 1, AddressStep: slice})
	x.IfEnd()
	x.AddressAdd(a, a, secondPart)
	x.AddressAdd(a+1, a+1, secondPart)
	x.IfBegin(tail, abi.CompareNE, 0)
	x.LocalCopyIn(ms, from, tail, Done{ev, 1})
	x.EventWait(ev, 1)
	x.LocalCopyOut(to, ms, tail, Done{ev, 1})
	x.EventWait(ev, 1)
	x.IfEnd()
}

func TestGroupCopyWithoutCosts(t *testing.T) {
	r := newRig(t, 1, func(c *soc.Chip) { c.CCU.Issue, c.CCU.MSCopyRate, c.SyncCCU = 0, 0, 0 })
	const n = 5 * BufferSize
	e, data := r.ends(0, 0, n)
	p := r.must(r.dev[0].units[0], groupCopy)
	require.Equal(t, sim.Time(0), r.one(p, e.args(0, 5, 4, 0, 0, n)...))
	require.Equal(t, data, r.read(e.to, n))
}
