package mem

import (
	"bytes"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

const granule = 2 << 20

// reserved is a reservation of 8 granules with blocks of 2 and 3 mapped side by
// side from granule 1 on.
func reserved(t *testing.T) (s *Space, at Addr, a, b BlockID) {
	s = NewSpace(Real)
	at, err := s.Reserve(AllocSpec{Device: 2, Size: 8 * granule, Name: "pool"})
	require.NoError(t, err)
	a, err = s.NewBlock(AllocSpec{Device: 2, Size: 2 * granule})
	require.NoError(t, err)
	b, err = s.NewBlock(AllocSpec{Device: 2, Size: 3 * granule})
	require.NoError(t, err)
	require.NoError(t, s.Map(at.Add(granule), a))
	require.NoError(t, s.Map(at.Add(3*granule), b))
	return s, at, a, b
}

// What lies behind two mappings is one piece of memory to every kind of access.
func TestReserveSpansMappings(t *testing.T) {
	s, at, _, _ := reserved(t)
	edge := at.Add(3*granule - 8)
	word := []byte{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16}
	got := make([]byte, 16)
	require.NoError(t, s.Write(edge, word))
	require.NoError(t, s.Read(edge, got))
	assert.Equal(t, word, got)

	over, err := s.Reduce(edge, edge, 16, Uint8, Sum, 0)
	require.NoError(t, err)
	assert.False(t, over)
	require.NoError(t, s.Read(edge, got))
	for i := range word {
		assert.Equal(t, 2*word[i], got[i])
	}
	require.NoError(t, s.Copy(edge.Add(4), edge, 12)) // overlaps upwards, over the edge
	require.NoError(t, s.Read(edge, got))
	assert.Equal(t, []byte{2, 4, 6, 8, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24}, got)
	require.NoError(t, s.Fill(at.Add(granule), 5*granule, 7))
	all := make([]byte, 5*granule)
	require.NoError(t, s.Read(at.Add(granule), all))
	assert.Equal(t, bytes.Repeat([]byte{7}, 5*granule), all)

	other, err := s.Alloc(AllocSpec{Size: 5 * granule})
	require.NoError(t, err)
	require.NoError(t, s.Fill(other, 5*granule, 9))
	require.NoError(t, s.Copy(at.Add(granule), other, 5*granule))
	require.NoError(t, s.Read(edge, got))
	assert.Equal(t, bytes.Repeat([]byte{9}, 16), got)
	_, err = s.Bytes(edge, 16)
	assert.ErrorIs(t, err, ErrSplit)
	p, err := s.Bytes(edge, 8)
	require.NoError(t, err)
	assert.Len(t, p, 8)
}

func TestReserveRefuses(t *testing.T) {
	s, at, a, b := reserved(t)
	plain, err := s.Alloc(AllocSpec{Size: granule})
	require.NoError(t, err)
	one := []byte{1}
	assert.ErrorIs(t, s.Write(at, one), ErrUnbacked)
	assert.ErrorIs(t, s.Check(at.Add(6*granule-1), 2, Readable), ErrUnbacked)
	assert.ErrorIs(t, s.Check(at.Add(8*granule-1), 2, Readable), ErrBounds)
	assert.ErrorIs(t, s.Map(at.Add(2*granule), a), ErrOverlap)
	assert.ErrorIs(t, s.Map(at, b), ErrOverlap)
	assert.ErrorIs(t, s.Map(at.Add(7*granule), a), ErrBounds)
	assert.ErrorIs(t, s.Map(plain, a), ErrKind)
	assert.ErrorIs(t, s.Map(at.Add(6*granule), 99), ErrArgument)
	assert.ErrorIs(t, s.Unmap(at.Add(2*granule)), ErrUnbacked)
	assert.ErrorIs(t, s.Unmap(plain), ErrKind)
	assert.ErrorIs(t, s.DropBlock(0), ErrArgument)

	require.NoError(t, s.SetRights(at.Add(granule), 2*granule, Readable))
	assert.ErrorIs(t, s.Write(at.Add(granule), one), ErrRights)
	assert.NoError(t, s.Write(at.Add(3*granule), one))
	assert.ErrorIs(t, s.Check(at.Add(3*granule-1), 2, Writable), ErrRights)
	assert.ErrorIs(t, s.SetRights(at.Add(granule), granule, Readable), ErrBounds)
	assert.Equal(t, []Mapping{{at.Add(granule), 2 * granule, a, Readable}, {at.Add(3 * granule), 3 * granule, b, ReadWrite}}, s.Mappings(at))
}

// Physical memory lives as long as a holder, a mapping or a range needs it, and
// its bytes are the same wherever it is mapped.
func TestBlockLifetime(t *testing.T) {
	s, at, a, _ := reserved(t)
	s.SetCapacity(2, 6*granule)
	_, err := s.NewBlock(AllocSpec{Device: 2, Size: granule, Charge: 2 * granule})
	assert.ErrorIs(t, err, ErrOutOfMemory)
	second, err := s.Reserve(AllocSpec{Device: 2, Size: 2 * granule})
	require.NoError(t, err)
	require.NoError(t, s.Map(second, a))
	require.NoError(t, s.Write(at.Add(granule+5), []byte{42}))
	got := make([]byte, 1)
	require.NoError(t, s.Read(second.Add(5), got))
	assert.Equal(t, byte(42), got[0])

	w := &counter{}
	_, err = s.Watch(second.Add(8), 8, w)
	require.NoError(t, err)
	require.NoError(t, s.Write(at.Add(granule+8), []byte{1}))
	assert.Equal(t, 1, w.n, "a write through the other address wakes")

	require.NoError(t, s.HoldBlock(a))
	require.NoError(t, s.DropBlock(a))
	require.NoError(t, s.DropBlock(a)) // NewBlock's
	require.NoError(t, s.Unmap(at.Add(granule)))
	_, used, _ := s.Usage(2)
	assert.EqualValues(t, 5*granule, used, "the second mapping keeps it")
	require.NoError(t, s.Free(second))
	_, used, _ = s.Usage(2)
	assert.EqualValues(t, 3*granule, used)
	_, live := s.Block(a)
	assert.False(t, live)
}

// ledger is an Observer that lists what it hears.
type ledger struct{ got []string }

func (l *ledger) BlockMade(b *Block)  { l.got = append(l.got, "+block") }
func (l *ledger) BlockFreed(b *Block) { l.got = append(l.got, "-block") }
func (l *ledger) RangeMade(r Range)   { l.got = append(l.got, "+"+r.Name.String()) }
func (l *ledger) RangeFreed(r Range)  { l.got = append(l.got, "-"+r.Name.String()) }

func TestObserver(t *testing.T) {
	s := NewSpace(Real)
	l := &ledger{}
	s.SetObserver(l)
	a, err := s.Alloc(AllocSpec{Size: 8, Name: "x"})
	require.NoError(t, err)
	b, err := s.Alias(a, AllocSpec{Name: "y"})
	require.NoError(t, err)
	require.NoError(t, s.Free(a))
	require.NoError(t, s.Free(b))
	assert.Equal(t, []string{"+block", `+"x" (device 0)`, `+"y" (device 0)`, `-"x" (device 0)`, `-"y" (device 0)`, "-block"}, l.got)
}
