package mem

import (
	"bytes"
	"errors"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func alloc(t testing.TB, s *Space, spec AllocSpec) Addr {
	t.Helper()
	a, err := s.Alloc(spec)
	require.NoError(t, err)
	return a
}

func TestAllocFreeErrors(t *testing.T) {
	s := NewSpace(Real)
	a := alloc(t, s, AllocSpec{Device: 3, Size: 1000, Name: "send"})
	for _, c := range []struct {
		name string
		err  error
		want error
		says string
	}{
		{"past the end", s.Check(a, 1001, Readable), ErrBounds, `"send" (device 3), offset 0, 1001 bytes, size 1000`},
		{"one over at the end", s.Check(a+1000, 1, Readable), ErrBounds, "offset 1000, 1 bytes"},
		{"offset far out", s.Check(a+5000, 0, Readable), ErrBounds, "offset 5000"},
		{"negative length", s.Check(a, -1, Readable), ErrBounds, "-1 bytes"},
		{"length that overflows", s.Check(a+999, 1<<62, Readable), ErrBounds, ""},
		{"null", s.Check(0, 1, Readable), ErrUnmapped, "0x0"},
		{"never mapped", s.Check(a+1<<45, 1, Readable), ErrUnmapped, ""},
		{"free in the middle", s.Free(a + 8), ErrNotStart, a.String()},
		{"free of nothing", s.Free(12345), ErrUnmapped, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			require.ErrorIs(t, c.err, c.want)
			assert.Contains(t, c.err.Error(), c.says)
		})
	}
	require.NoError(t, s.Check(a+1000, 0, Readable), "an empty access at the end")
	require.NoError(t, s.Free(a))
	require.ErrorIs(t, s.Free(a), ErrDoubleFree)
	err := s.Write(a+10, []byte{1})
	require.ErrorIs(t, err, ErrFreed)
	assert.Contains(t, err.Error(), `"send"`)
	b := alloc(t, s, AllocSpec{Device: 3, Size: 1000})
	require.NotEqual(t, a, b, "a freed address is not given out again at once")
	for _, size := range []int64{0, -1, MaxRange + 1} {
		_, err := s.Alloc(AllocSpec{Size: size})
		require.ErrorIs(t, err, ErrArgument)
	}
}

func TestNothingIsWrittenOutsideARange(t *testing.T) {
	s := NewSpace(Real)
	a := alloc(t, s, AllocSpec{Size: 100})
	b := alloc(t, s, AllocSpec{Size: 100})
	require.NoError(t, s.Fill(a, 100, 7))
	require.Error(t, s.Write(a+99, []byte{1, 1}))
	require.Error(t, s.Copy(a+50, b, 51))
	require.Error(t, s.Copy(a, b+50, 51))
	require.Error(t, s.Fill(a+1, 100, 1))
	_, err := s.Reduce(a+50, b, 52, FP32, Sum, 0)
	require.ErrorIs(t, err, ErrBounds)
	got := make([]byte, 100)
	require.NoError(t, s.Read(a, got))
	require.Equal(t, bytes.Repeat([]byte{7}, 100), got)
}

func TestCapacity(t *testing.T) {
	s := NewSpace(Phantom)
	s.SetCapacity(0, 1<<20)
	a := alloc(t, s, AllocSpec{Size: 700 << 10})
	_, err := s.Alloc(AllocSpec{Size: 400 << 10})
	require.ErrorIs(t, err, ErrOutOfMemory)
	assert.Contains(t, err.Error(), "716800 of 1048576 bytes in use")
	alloc(t, s, AllocSpec{Device: 1, Size: 1 << 40})
	require.NoError(t, s.Free(a))
	alloc(t, s, AllocSpec{Size: 400 << 10})
	capacity, used, peak := s.Usage(0)
	assert.Equal(t, []int64{1 << 20, 400 << 10, 700 << 10}, []int64{capacity, used, peak})
	registers := s.Registers(&sink{}, 0, 1<<20)
	_, used, _ = s.Usage(0)
	assert.Equal(t, int64(400<<10), used, "registers take no memory")
	require.NoError(t, s.Free(registers))
}

func TestRights(t *testing.T) {
	s := NewSpace(Real)
	r := alloc(t, s, AllocSpec{Size: 8, Rights: Readable})
	w := alloc(t, s, AllocSpec{Size: 8, Rights: Writable})
	require.ErrorIs(t, s.Write(r, []byte{1}), ErrRights)
	require.ErrorIs(t, s.Read(w, make([]byte, 1)), ErrRights)
	require.ErrorIs(t, s.Copy(r, w, 1), ErrRights)
	_, err := s.Reduce(w, r, 8, FP32, Sum, 0)
	require.ErrorIs(t, err, ErrRights, "a reduction reads its destination")
	require.NoError(t, s.Copy(w, r, 8))
}

// Two addresses, one memory; it lives until the last is freed.
func TestAlias(t *testing.T) {
	s := NewSpace(Real)
	host := alloc(t, s, AllocSpec{Device: Host, Size: 4096, Kind: KindHost, Pid: 7})
	dev, err := s.Alias(host+1024, AllocSpec{Size: 2048, Kind: KindRegistered, Pid: 7, Ctx: 2})
	require.NoError(t, err)
	require.NoError(t, s.Write(host+1024+5, []byte("abc")))
	got := make([]byte, 3)
	require.NoError(t, s.Read(dev+5, got))
	require.Equal(t, "abc", string(got))
	require.ErrorIs(t, s.Check(dev, 2049, Readable), ErrBounds)
	_, err = s.Alias(host, AllocSpec{Size: 4097})
	require.ErrorIs(t, err, ErrBounds)

	rg, ok := s.Lookup(dev + 100)
	require.True(t, ok)
	assert.Equal(t, Range{Start: dev, Size: 2048, Block: 1, Offset: 1024, Device: Host, Pid: 7, Ctx: 2, Kind: KindRegistered,
		Rights: ReadWrite, Name: rg.Name}, rg)
	assert.Equal(t, "registered range 2 (host)", rg.Name.String())
	assert.Equal(t, "no range", RangeName{}.String())
	for b := range s.Blocks {
		assert.Equal(t, 2, b.Refs())
	}
	require.NoError(t, s.Free(host))
	require.NoError(t, s.Read(dev+5, got), "the block outlives its first range")
	require.NoError(t, s.Free(dev))
	for range s.Blocks {
		t.Fatal("no block is left")
	}
}

func TestWrapAndRebase(t *testing.T) {
	s := NewSpace(Phantom)
	buf := []byte("hello world.")
	a, err := s.Wrap(AllocSpec{Device: Host, Kind: KindHost}, buf)
	require.NoError(t, err)
	require.NoError(t, s.Write(a, []byte("J")))
	require.Equal(t, "Jello world.", string(buf), "the caller's bytes are the store, whatever the mode")
	moved := append([]byte("JELLO WORLD."), make([]byte, 100)...)
	require.NoError(t, s.Rebase(a, moved))
	got := make([]byte, 12)
	require.NoError(t, s.Read(a, got))
	require.Equal(t, "JELLO WORLD.", string(got))
	require.ErrorIs(t, s.Check(a, 13, Readable), ErrBounds)
	require.Error(t, s.Rebase(a, moved[:3]))
}

// Copies, fills, reads and writes on flat and chunked blocks, checked against a
// plain byte slice.
func TestAccessAgainstASlice(t *testing.T) {
	r := rand.New(rand.NewPCG(4, 4))
	s := NewSpace(Real)
	const big = FlatLimit + 3*chunkSize + 12345
	chunked := alloc(t, s, AllocSpec{Size: big})
	// The window lies around a chunk border, far inside.
	base := chunked + Addr(10*chunkSize-5000)
	const n = 10000
	model := make([]byte, n)
	flat := alloc(t, s, AllocSpec{Size: n})
	flatModel := make([]byte, n)
	buf := make([]byte, n)
	for step := 0; step < 3000; step++ {
		at, to := r.IntN(n), r.IntN(n)
		l := r.IntN(n - max(at, to) + 1)
		switch r.IntN(6) {
		case 0:
			for i := range buf[:l] {
				buf[i] = byte(r.Uint32())
			}
			require.NoError(t, s.Write(base.Add(int64(at)), buf[:l]))
			copy(model[at:], buf[:l])
		case 1:
			v := byte(r.IntN(3))
			require.NoError(t, s.Fill(base.Add(int64(at)), int64(l), v))
			for i := range model[at : at+l] {
				model[at+i] = v
			}
		case 2: // overlapping, inside the chunked block
			require.NoError(t, s.Copy(base.Add(int64(to)), base.Add(int64(at)), int64(l)))
			copy(model[to:to+l], model[at:at+l])
		case 3:
			require.NoError(t, s.Copy(flat.Add(int64(to)), base.Add(int64(at)), int64(l)))
			copy(flatModel[to:to+l], model[at:at+l])
		case 4:
			require.NoError(t, s.Copy(base.Add(int64(to)), flat.Add(int64(at)), int64(l)))
			copy(model[to:to+l], flatModel[at:at+l])
		case 5: // a reduction whose elements straddle the border
			l -= l % 4
			_, err := s.Reduce(base.Add(int64(to)), flat.Add(int64(at)), int64(l), Int32, Sum, 0)
			require.NoError(t, err)
			_, err = Reduce(model[to:to+l], flatModel[at:at+l], Int32, Sum, 0)
			require.NoError(t, err)
			_, err = s.ReduceFrom(base.Add(int64(to)), buf[:l], Int32, Sum, 0)
			require.NoError(t, err)
			_, err = Reduce(model[to:to+l], buf[:l], Int32, Sum, 0)
			require.NoError(t, err)
		}
		if step%10 == 0 {
			got := make([]byte, n)
			require.NoError(t, s.Read(base, got))
			require.True(t, bytes.Equal(model, got), "step %d", step)
		}
	}
	_, err := s.Bytes(base, n)
	require.ErrorIs(t, err, ErrSplit)
	var joined []byte
	require.NoError(t, s.Pieces(base, n, func(p []byte) error { joined = append(joined, p...); return nil }))
	require.Equal(t, model, joined)
	boom := errors.New("stop")
	require.ErrorIs(t, s.Pieces(base, n, func([]byte) error { return boom }), boom)
	touched := 0
	for b := range s.Blocks {
		for _, c := range b.chunks {
			if c != nil {
				touched++
			}
		}
	}
	require.Equal(t, 2, touched, "only the written chunks take memory")
}

func TestFreshMemoryIsZeroAndLazy(t *testing.T) {
	s := NewSpace(Real)
	for _, size := range []int64{100, FlatLimit + 1} {
		a, b := alloc(t, s, AllocSpec{Size: size}), alloc(t, s, AllocSpec{Size: size})
		got := []byte{1, 2, 3}
		require.NoError(t, s.Read(a+5, got))
		require.Equal(t, []byte{0, 0, 0}, got)
		require.NoError(t, s.Copy(b, a, size))
		require.NoError(t, s.Fill(b, size, 0))
		for blk := range s.Blocks {
			require.Nil(t, blk.flat)
			require.Nil(t, blk.chunks)
		}
		require.NoError(t, s.Fill(b, size, 9))
		require.NoError(t, s.Copy(b, a, size))
		require.NoError(t, s.Read(b.Add(size-3), got))
		require.Equal(t, []byte{0, 0, 0}, got, "a copy of unwritten memory clears")
		require.NoError(t, s.Free(a))
		require.NoError(t, s.Free(b))
	}
}

func TestPhantom(t *testing.T) {
	s := NewSpace(Phantom)
	a := alloc(t, s, AllocSpec{Size: 1 << 40})
	flag := alloc(t, s, AllocSpec{Size: 64, Store: StoreReal})
	require.NoError(t, s.Write(a+1<<39, []byte("gone")))
	got := []byte("xxxx")
	require.NoError(t, s.Read(a+1<<39, got))
	require.Equal(t, make([]byte, 4), got)
	require.ErrorIs(t, s.Copy(a+1, flag, 65), ErrBounds)
	require.NoError(t, s.Fill(flag, 64, 0xff))
	require.NoError(t, s.Copy(flag, a, 8))
	require.NoError(t, s.Read(flag+6, got))
	require.Equal(t, []byte{0, 0, 0xff, 0xff}, got)
	_, err := s.Reduce(a, flag, 64, FP32, Sum, 0)
	require.NoError(t, err)
	_, err = s.Reduce(flag, a, 64, Int8, Prod, 0)
	require.NoError(t, err)
	require.NoError(t, s.Read(flag+6, got))
	require.Equal(t, make([]byte, 4), got, "phantom operands are zero")
	_, err = s.Bytes(a, 1)
	require.ErrorIs(t, err, ErrPhantom)
	_, err = s.Watch(a, 4, &counter{})
	require.ErrorIs(t, err, ErrPhantom)
	require.True(t, s.IsPhantom(a))
	require.False(t, s.IsPhantom(flag))
}

func TestAccessDoesNotAllocate(t *testing.T) {
	s := NewSpace(Real)
	a, b := alloc(t, s, AllocSpec{Size: 1 << 16}), alloc(t, s, AllocSpec{Size: 1 << 16})
	require.NoError(t, s.Fill(a, 1<<16, 1))
	require.NoError(t, s.Fill(b, 1<<16, 1))
	reg := s.Registers(&sink{}, 0, 16)
	key, err := s.RegisterRegion(RegionSpec{Addr: a, Len: 1 << 16, Access: LocalWrite | RemoteWrite})
	require.NoError(t, err)
	buf := make([]byte, 512)
	n := testing.AllocsPerRun(100, func() {
		_ = s.Read(a, buf)
		_ = s.Write(b, buf)
		_ = s.Copy(a+3, b+7, 5000)
		_ = s.Fill(a, 100, 3)
		_, _ = s.Reduce(a, b, 4096, FP16, Sum, 0)
		_, _ = s.Bytes(a, 4096)
		_ = s.WriteRegister(reg+8, 1)
		_ = s.CheckKey(key.RKey, a, 100, RemoteWrite)
		_, _ = s.ReduceFrom(b, buf, Int8, Max, 0)
	})
	require.Zero(t, n)
}

func TestFreedRangesAreReusedOldestFirst(t *testing.T) {
	s := NewSpace(Phantom)
	first := alloc(t, s, AllocSpec{Size: 8})
	require.NoError(t, s.Free(first))
	for range quarantine {
		a, err := s.Alloc(AllocSpec{Size: 8})
		if err != nil || a == first {
			t.Fatalf("got %v, %v before the quarantine was over", a, err)
		}
		if err := s.Free(a); err != nil {
			t.Fatal(err)
		}
	}
	require.Equal(t, first, alloc(t, s, AllocSpec{Size: 8}))
	require.LessOrEqual(t, len(s.ranges), quarantine+1)
}
