package mem

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

type bank [4]uint64

func (b *bank) WriteRegister(i int, v uint64) { b[i] = v }
func (b *bank) ReadRegister(i int) uint64     { return b[i] }

func TestRegisters(t *testing.T) {
	s := NewSpace(Phantom)
	var regs bank
	a := s.Registers(&regs, 2, 4)
	require.NoError(t, s.WriteRegister(a+16, 5))
	v, err := s.ReadRegister(a + 16)
	require.NoError(t, err)
	assert.Equal(t, uint64(5), v)
	require.NoError(t, s.Write(a+24, []byte{1, 2, 0, 0}), "four bytes reach one register")
	assert.Equal(t, bank{0, 0, 5, 0x201}, regs)

	plain := alloc(t, s, AllocSpec{Size: 32, Store: StoreReal})
	require.NoError(t, s.Copy(plain, a, 32))
	word := make([]byte, 2)
	require.NoError(t, s.Read(plain+24, word))
	assert.Equal(t, []byte{1, 2}, word)
	require.NoError(t, s.Fill(plain, 32, 1))
	require.NoError(t, s.Copy(a, plain, 16))
	assert.Equal(t, bank{0x0101010101010101, 0x0101010101010101, 5, 0x201}, regs)

	assert.True(t, s.IsRegister(a+8))
	assert.False(t, s.IsRegister(a+4))
	assert.False(t, s.IsRegister(plain))
	require.ErrorIs(t, s.WriteRegister(a+32, 1), ErrBounds)
	require.ErrorIs(t, s.WriteRegister(a+4, 1), ErrAlign)
	require.ErrorIs(t, s.WriteRegister(plain, 1), ErrKind)
	require.ErrorIs(t, s.Write(a, []byte{1}), ErrAlign)
	require.ErrorIs(t, s.Read(a+4, make([]byte, 8)), ErrAlign)
	require.ErrorIs(t, s.Fill(a, 8, 0), ErrKind)
	_, err = s.Reduce(a, plain, 8, Int8, Sum, 0)
	require.ErrorIs(t, err, ErrKind)
	_, err = s.ReadRegister(plain)
	require.ErrorIs(t, err, ErrKind)
	_, err = s.Bytes(a, 8)
	require.ErrorIs(t, err, ErrKind)
	require.NoError(t, s.Free(a))
	require.ErrorIs(t, s.WriteRegister(a, 1), ErrFreed)
	assert.Equal(t, uint64(0x0101010101010101), regs[0])
}

func TestRegions(t *testing.T) {
	s := NewSpace(Real)
	a := alloc(t, s, AllocSpec{Size: 1000})
	reg := func(off, n int64, access Access) Region {
		t.Helper()
		r, err := s.RegisterRegion(RegionSpec{Device: 1, Addr: a.Add(off), Len: n, Access: access})
		require.NoError(t, err)
		return r
	}
	r := reg(100, 200, LocalWrite|RemoteWrite)
	other := reg(0, 1000, RemoteRead)
	require.NotEqual(t, r.LKey, r.RKey)
	for _, c := range []struct {
		name   string
		key    uint32
		a      Addr
		n      int64
		access Access
		says   string // "" when it is granted
	}{
		{"whole", r.RKey, a + 100, 200, RemoteWrite, ""},
		{"empty at the end", r.RKey, a + 300, 0, RemoteWrite, ""},
		{"one before", r.RKey, a + 99, 10, RemoteWrite, "region is"},
		{"one past", r.RKey, a + 101, 200, RemoteWrite, "region is"},
		{"negative", r.RKey, a + 101, -1, RemoteWrite, "region is"},
		{"right not granted", r.RKey, a + 100, 1, RemoteRead, "grants local-write|remote-write, want remote-read"},
		{"other region's right", other.RKey, a + 100, 1, RemoteRead, ""},
		{"local key used by a peer", r.LKey, a + 100, 1, RemoteWrite, "local key"},
		{"remote key used at home", r.RKey, a + 100, 1, LocalWrite, "local key"},
		{"local write", r.LKey, a + 100, 1, LocalWrite, ""},
		{"local read", r.LKey, a + 100, 1, 0, ""},
		{"local write not granted", other.LKey, a + 100, 1, LocalWrite, "grants remote-read"},
		{"unknown", 0x00ffffff, a, 1, RemoteRead, "unknown"},
		{"null key", 0, a, 1, 0, "unknown"},
	} {
		t.Run(c.name, func(t *testing.T) {
			err := s.CheckKey(c.key, c.a, c.n, c.access)
			if c.says == "" {
				require.NoError(t, err)
				return
			}
			require.ErrorIs(t, err, ErrKey)
			assert.Contains(t, err.Error(), c.says)
		})
	}
	found, ok := s.Region(r.RKey)
	require.True(t, ok)
	assert.Equal(t, r, found)

	require.NoError(t, s.Deregister(r.RKey))
	require.ErrorIs(t, s.CheckKey(r.RKey, a+100, 1, RemoteWrite), ErrKey)
	require.ErrorIs(t, s.Deregister(r.LKey), ErrKey)
	_, err := s.RegisterRegion(RegionSpec{Addr: a, Len: 1001})
	require.ErrorIs(t, err, ErrBounds)
	_, err = s.RegisterRegion(RegionSpec{Addr: a, Len: 1, Access: RemoteWrite})
	require.ErrorIs(t, err, ErrArgument)
	n := 0
	for range s.Regions {
		n++
	}
	assert.Equal(t, 1, n)
}

func TestStaleKeysStayInvalid(t *testing.T) {
	s := NewSpace(Phantom)
	a := alloc(t, s, AllocSpec{Size: 8})
	seen := map[uint32]bool{}
	for range 100 * keyQuarantine {
		r, err := s.RegisterRegion(RegionSpec{Addr: a, Len: 8, Access: RemoteRead})
		if err != nil || seen[r.RKey] {
			t.Fatalf("key 0x%x came again after %d regions: %v", r.RKey, len(seen), err)
		}
		seen[r.RKey] = true
		if err := s.Deregister(r.LKey); err != nil {
			t.Fatal(err)
		}
	}
	require.LessOrEqual(t, len(s.regions.slots), keyQuarantine+1)
}

type counter struct {
	n  int
	at Addr
}

func (c *counter) MemoryWritten(a Addr, _ int64) { c.n, c.at = c.n+1, a }

func TestWatch(t *testing.T) {
	s := NewSpace(Real)
	a := alloc(t, s, AllocSpec{Size: 100})
	alias, err := s.Alias(a+20, AllocSpec{Kind: KindIPC})
	require.NoError(t, err)
	src := alloc(t, s, AllocSpec{Size: 100})
	var c counter
	id, err := s.Watch(a+40, 4, &c)
	require.NoError(t, err)
	steps := []struct {
		name string
		do   func() error
		hit  bool
	}{
		{"before", func() error { return s.Write(a+36, make([]byte, 4)) }, false},
		{"after", func() error { return s.Write(a+44, make([]byte, 4)) }, false},
		{"last byte", func() error { return s.Write(a+43, []byte{1}) }, true},
		{"through the alias", func() error { return s.Write(alias+20, []byte{1}) }, true},
		{"copy over it", func() error { return s.Copy(a, src, 100) }, true},
		{"fill", func() error { return s.Fill(a+30, 11, 1) }, true},
		{"reduce", func() error { _, err := s.Reduce(a+32, src, 16, FP32, Sum, 0); return err }, true},
		{"reduce from bytes", func() error { _, err := s.ReduceFrom(a+40, make([]byte, 4), FP32, Sum, 0); return err }, true},
		{"view", func() error { s.Touched(a+40, 1); return nil }, true},
		{"other memory", func() error { return s.Fill(src, 100, 1) }, false},
		{"after the end", func() error { s.Unwatch(a, id); return s.Fill(a, 100, 1) }, false},
	}
	for _, st := range steps {
		before := c.n
		require.NoError(t, st.do(), st.name)
		assert.Equal(t, st.hit, c.n > before, st.name)
	}
	assert.Equal(t, a+40, c.at)
}

func TestNames(t *testing.T) {
	for d := Dtype(0); d < dtypes; d++ {
		if d.Size() == 0 {
			continue
		}
		got, err := ParseDtype(d.String())
		require.NoError(t, err)
		assert.Equal(t, d, got)
	}
	for o := Sum; o <= Min; o++ {
		got, err := ParseOp(o.String())
		require.NoError(t, err)
		assert.Equal(t, o, got)
	}
	_, err := ParseDtype("fp17")
	assert.ErrorContains(t, err, `got "fp17"`)
	_, err = ParseOp("avg")
	assert.ErrorContains(t, err, `got "avg"`)
}
