package ccu

import (
	"errors"
	"testing"

	"github.com/stretchr/testify/require"

	"hsim/host/mem"
	"hsim/host/sim"
)

// far is two devices, a channel, and a program on device 0 that makes one move.
func (r *rig) far(f func(x *Recorder, from, to Mem, n int32, d Done)) *Program {
	a, _ := r.join(0, 1)
	return r.must(a.unit, func(x *Recorder) {
		from, to, n := two(x)
		ev := x.Events(1)
		f(x, from, to, n, Done{ev, 4})
		x.EventWait(ev, 4)
	}, a)
}

func TestMovesToAndFromPeers(t *testing.T) {
	for name, c := range map[string]struct {
		from, to int
		n        int
		f        func(x *Recorder, from, to Mem, n int32, d Done)
	}{
		"write": {0, 1, 1 << 16, func(x *Recorder, from, to Mem, n int32, d Done) { x.Write(0, to, from, n, d) }},
		"read":  {1, 0, 1 << 16, func(x *Recorder, from, to Mem, n int32, d Done) { x.Read(0, to, from, n, d) }},
		"through a buffer": {1, 1, 4096, func(x *Recorder, from, to Mem, n int32, d Done) {
			ms := x.Buffers(2)
			x.ReadBuffer(0, ms+1, from, n, d)
			x.EventWait(d.Event, d.Mask)
			x.WriteBuffer(0, to, ms+1, n, d)
		}},
		"between buffers": {0, 0, 4096, func(x *Recorder, from, to Mem, n int32, d Done) {
			ms := x.Buffers(1)
			x.LocalCopyIn(ms, from, n, d)
			x.EventWait(d.Event, d.Mask)
			x.LocalCopyOut(to, ms, n, d)
		}},
	} {
		t.Run(name, func(t *testing.T) {
			r := newRig(t, 2)
			e, data := r.ends(c.from, c.to, c.n)
			r.one(r.far(c.f), e.args(uint64(c.n))...)
			require.Equal(t, data, r.read(e.to, c.n))
		})
	}
}

func TestReducingMoves(t *testing.T) {
	for name, c := range map[string]struct {
		from, to int
		f        func(x *Recorder, from, to Mem, n int32, d Done)
	}{
		"write": {0, 1, func(x *Recorder, from, to Mem, n int32, d Done) { x.WriteReduce(0, to, from, n, mem.Int32, mem.Sum, d) }},
		"read":  {1, 0, func(x *Recorder, from, to Mem, n int32, d Done) { x.ReadReduce(0, to, from, n, mem.Int32, mem.Sum, d) }},
		"local": {0, 0, func(x *Recorder, from, to Mem, n int32, d Done) { x.LocalReduce(to, from, n, mem.Int32, mem.Sum, d) }},
	} {
		t.Run(name, func(t *testing.T) {
			r := newRig(t, 2)
			e, _ := r.ends(c.from, c.to, 8)
			require.NoError(t, r.mem.Write(e.from, []byte{1, 0, 0, 0, 200, 0, 0, 0}))
			require.NoError(t, r.mem.Write(e.to, []byte{2, 0, 0, 0, 100, 0, 0, 0}))
			r.one(r.far(c.f), e.args(8)...)
			require.Equal(t, []byte{3, 0, 0, 0, 44, 1, 0, 0}, r.read(e.to, 8))
		})
	}
}

// A mission that does what hardware refuses ends with the status of that class.
func TestMovesThatEndTheMission(t *testing.T) {
	write := func(x *Recorder, from, to Mem, n int32, d Done) { x.Write(0, to, from, n, d) }
	read := func(x *Recorder, from, to Mem, n int32, d Done) { x.Read(0, to, from, n, d) }
	local := func(x *Recorder, from, to Mem, n int32, d Done) { x.LocalCopy(to, from, n, d) }
	in := func(x *Recorder, from, to Mem, n int32, d Done) { x.LocalCopyIn(x.Buffers(1), from, n, d) }
	for name, c := range map[string]struct {
		f      func(x *Recorder, from, to Mem, n int32, d Done)
		from   int
		to     int
		change func(e *ends, n *uint64)
		status Status
		text   string
	}{
		"no length":         {local, 0, 0, func(_ *ends, n *uint64) { *n = 0 }, StatusLocal, "got a length of 0"},
		"buffer too small":  {in, 0, 0, func(_ *ends, n *uint64) { *n = 4097 }, StatusLocal, "got 4097 bytes for a buffer, want at most 4096"},
		"write too long":    {write, 0, 1, func(_ *ends, n *uint64) { *n = 256 << 20 }, StatusLocal, "got a write of 268435456 bytes to a peer, want less than 268435456"},
		"no token":          {local, 0, 0, func(e *ends, _ *uint64) { e.ft = 0 }, StatusAccess, "source: got token 0x0, want a valid one"},
		"no remote token":   {write, 0, 1, func(e *ends, _ *uint64) { e.tt = 0 }, StatusAccess, "destination: got token 0x0, want a valid one"},
		"unknown token":     {local, 0, 0, func(e *ends, _ *uint64) { e.ft |= 0x7fff00 }, StatusAccess, "want that of registered memory"},
		"outside":           {local, 0, 0, func(e *ends, n *uint64) { e.from++ }, StatusAccess, "want bytes of the token's region: 8192 from "},
		"wrong device":      {local, 0, 1, nil, StatusAccess, "got a token of device 1, want one of device 0"},
		"peer outside":      {write, 0, 1, func(e *ends, n *uint64) { e.to++ }, StatusRemote, "region is "},
		"peer read outside": {read, 1, 0, func(e *ends, n *uint64) { e.from++ }, StatusRemote, "region is "},
	} {
		t.Run(name, func(t *testing.T) {
			r := newRig(t, 2)
			e, _ := r.ends(c.from, c.to, 8192)
			n := uint64(8192)
			if c.change != nil {
				c.change(&e, &n)
			}
			p := r.far(c.f)
			x := r.launch(p, e.args(n)...)
			r.sim.Run(0)
			require.True(t, x.done)
			var f *Fault
			require.ErrorAs(t, x.err, &f)
			require.Equal(t, c.status, f.Status)
			require.ErrorContains(t, x.err, c.text)
			require.ErrorContains(t, x.err, "ccu: device 0 / die 1 / mission 0, program probe, instruction ")
		})
	}
}

func TestReadOnlyRegionIsNotWritten(t *testing.T) {
	r := newRig(t, 2)
	e, _ := r.ends(0, 0, 64)
	g, err := r.mem.RegisterRegion(mem.RegionSpec{Device: 0, Addr: e.to, Len: 64, Access: mem.RemoteRead})
	require.NoError(t, err)
	e.tt = Token(g)
	x := r.launch(r.far(func(x *Recorder, from, to Mem, n int32, d Done) { x.LocalCopy(to, from, n, d) }), e.args(64)...)
	r.sim.Run(0)
	require.ErrorContains(t, x.err, "destination: got a write to a region that grants remote-read")
}

func TestPostThatIsRefusedEndsTheMission(t *testing.T) {
	r := newRig(t, 2)
	e, _ := r.ends(0, 1, 64)
	r.wire.fail[Write] = errors.New("the connection is gone")
	p := r.far(func(x *Recorder, from, to Mem, n int32, d Done) { x.Write(0, to, from, n, d) })
	x := r.launch(p, e.args(64)...)
	r.sim.Run(0)
	require.ErrorContains(t, x.err, "remote operation (0x0300): the connection is gone")

	delete(r.wire.fail, Write)
	x = r.launch(p, e.args(64)...)
	r.sim.Run(0)
	require.True(t, x.done)
	require.NoError(t, x.err, "the mission starts anew")
}

func TestBufferReduceInOrder(t *testing.T) {
	// fp16: 2048 + 1 rounds to 2048; the sum of all three in fp32 is 2050.
	half := func(v ...float32) (b []byte) {
		for _, f := range v {
			h := uint16(mem.ToHalf(f))
			b = append(b, byte(h), byte(h>>8))
		}
		return b
	}
	for name, c := range map[string]struct {
		dt   mem.Dtype
		op   mem.Op
		in   [3][]byte
		want []byte
	}{
		"fp16 sum is rounded once": {mem.FP16, mem.Sum, [3][]byte{half(2048, 1), half(1, 2), half(1, 4)}, half(2050, 7)},
		"int8 sum saturates":       {mem.Int8, mem.Sum, [3][]byte{{100, 1}, {100, 2}, {156, 3}}, []byte{27, 6}},
		"uint8 max":                {mem.Uint8, mem.Max, [3][]byte{{1, 9}, {200, 8}, {3, 7}}, []byte{200, 9}},
		"int16 min":                {mem.Int16, mem.Min, [3][]byte{{1, 0}, {255, 255}, {3, 0}}, []byte{255, 255}},
	} {
		t.Run(name, func(t *testing.T) {
			r := newRig(t, 1)
			r.dev[0].cfg.Overflow = mem.SaturateInt
			n := len(c.want)
			at, token := r.buffer(0, append(append(append([]byte(nil), c.in[0]...), c.in[1]...), c.in[2]...))
			p := r.must(r.dev[0].units[1], func(x *Recorder) {
				v, a, ev, ms := x.Variables(3), x.Addresses(3), x.Events(1), x.Buffers(3)
				for i := range uint32(3) {
					x.LoadArg(v+int32(i), i)
				}
				x.AddressFrom(a, v)
				x.AddressAdd(a+1, a, v+2)
				x.AddressAdd(a+2, a+1, v+2)
				for i := range int32(3) {
					x.LocalCopyIn(ms+i, Mem{a + i, v + 1}, v+2, Done{ev, 1 << i})
				}
				x.EventWait(ev, 7)
				x.BufferReduce(ms, 3, c.dt, c.dt, c.op, v+2, Done{ev, 1})
				x.EventWait(ev, 1)
				x.LocalCopyOut(Mem{a, v + 1}, ms, v+2, Done{ev, 1})
				x.EventWait(ev, 1)
			})
			end := r.one(p, uint64(at), token, uint64(n))
			require.Equal(t, c.want, r.read(at, n))
			require.Greater(t, end, 12*r.chip.CCU.Issue)
		})
	}
}

// The paths of a die do one thing after the other, those of two dies do not.
func TestPathsAreShared(t *testing.T) {
	const n = 1 << 20
	for _, c := range []struct {
		dies [2]int
		want int64
	}{{[2]int{0, 0}, 2}, {[2]int{0, 1}, 1}} {
		r := newRig(t, 1)
		var runs []*run
		for _, die := range c.dies {
			e, _ := r.ends(0, 0, n)
			p := r.must(r.dev[0].units[die], func(x *Recorder) {
				from, to, n := two(x)
				ev := x.Events(1)
				x.LocalCopy(to, from, n, Done{ev, 1})
				x.EventWait(ev, 1)
			})
			runs = append(runs, r.launch(p, e.args(n)...))
		}
		r.sim.Run(0)
		last := max(runs[0].at, runs[1].at)
		require.Equal(t, 8*r.chip.CCU.Issue+sim.Time(c.want)*r.chip.CCU.MSCopyRate.Time(n), last)
	}
}
