package scenario

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"hsim/host/hccl"
	"hsim/host/mem"
)

var allDtypes = []mem.Dtype{mem.Int8, mem.Int16, mem.Int32, mem.Int64, mem.Uint8, mem.Uint16, mem.Uint32, mem.Uint64, mem.FP16, mem.BF16, mem.FP32, mem.FP64}

// Storing and fetching is exact for everything the pattern uses, and agrees with the reductions of package mem: a sum of
// stored numbers is the stored sum.
func TestStoreAgreesWithReduce(t *testing.T) {
	s := mem.NewSpace(mem.Real)
	a, err := s.Alloc(mem.AllocSpec{Size: 8})
	require.NoError(t, err)
	b, err := s.Alloc(mem.AllocSpec{Size: 8})
	require.NoError(t, err)
	for _, dt := range allDtypes {
		n := dt.Size()
		for _, pair := range [][2]int64{{0, 0}, {1, 2}, {100, 27}, {63, 64}} {
			x, y, sum := make([]byte, n), make([]byte, n), make([]byte, n)
			store(x, dt, pair[0])
			store(y, dt, pair[1])
			store(sum, dt, pair[0]+pair[1])
			assert.Equal(t, float64(pair[0]), fetch(x, dt), dt)
			require.NoError(t, s.Write(a, x))
			require.NoError(t, s.Write(b, y))
			_, err := s.Reduce(a, b, n, dt, mem.Sum, 0)
			require.NoError(t, err)
			got := make([]byte, n)
			require.NoError(t, s.Read(a, got))
			assert.Equal(t, sum, got, "%v: %d + %d", dt, pair[0], pair[1])
		}
	}
}

// Whatever the number of ranks, the pattern stays within what the type holds, and no rank's input is another's.
func TestPatternIsAlwaysVerifiable(t *testing.T) {
	for _, dt := range allDtypes {
		for _, red := range []mem.Op{mem.Sum, mem.Prod, mem.Max, mem.Min} {
			for _, ranks := range []int64{1, 2, 3, 8, 63, 64, 127, 128, 1000, 65536} {
				if ranks > 1000 && dt != mem.Int8 {
					continue
				}
				p := pattern{op: hccl.AllReduce, red: red, dt: dt, ranks: ranks, count: 1000}
				require.True(t, p.verifiable(), "%v %v %d", dt, red, ranks)
			}
		}
	}
	for _, op := range []hccl.OpKind{hccl.AllReduce, hccl.AllGather} {
		p := pattern{op: op, dt: mem.Int8, ranks: 8, count: 1000}
		seen := map[string]int{}
		for r := range 8 {
			text := ""
			for i := range int64(period) {
				text += fmt.Sprint(p.at(r, i), " ")
			}
			if o, ok := seen[text]; ok {
				t.Errorf("%v: ranks %d and %d have the same input", op, o, r)
			}
			seen[text] = r
		}
	}
}

// hccl_test prints NULL where it cannot verify: from 64 ranks of int8 twos on, from 7 for a product.
func TestVerifiableAsHcclTest(t *testing.T) {
	for _, c := range []struct {
		dt    mem.Dtype
		red   mem.Op
		ranks int64
		want  bool
	}{
		{mem.Int8, mem.Sum, 63, true}, {mem.Int8, mem.Sum, 64, false},
		{mem.FP16, mem.Sum, 511, true}, {mem.FP16, mem.Sum, 512, false},
		{mem.BF16, mem.Sum, 63, true}, {mem.BF16, mem.Sum, 64, false},
		{mem.Int8, mem.Prod, 6, true}, {mem.Int8, mem.Prod, 7, false},
		{mem.FP32, mem.Prod, 8, true}, {mem.FP32, mem.Sum, 65536, true},
		{mem.Int8, mem.Max, 65536, true}, {mem.FP16, mem.Prod, 16, false}, {mem.FP16, mem.Prod, 15, true},
	} {
		p := pattern{input: InputTwo, op: hccl.AllReduce, red: c.red, dt: c.dt, ranks: c.ranks, count: 4}
		assert.Equal(t, c.want, p.verifiable(), "%v %v %d", c.dt, c.red, c.ranks)
	}
}

// The values of the public 8-rank logs.
func TestRankInputGivesTheKnownResults(t *testing.T) {
	at := func(op hccl.OpKind, rank int, i int64) int64 {
		p := pattern{input: InputRank, op: op, ranks: 8, count: 4, dt: mem.FP32}
		return p.want(rank, i)
	}
	for r := range 8 {
		assert.EqualValues(t, 36, at(hccl.AllReduce, r, 3))
		assert.EqualValues(t, 80+8*r, at(hccl.ReduceScatter, r, 3))
		assert.EqualValues(t, 1, at(hccl.Broadcast, r, 0))
		for k := range int64(8) {
			assert.EqualValues(t, k+1, at(hccl.AllGather, r, 4*k+1))
			assert.EqualValues(t, k+1, at(hccl.AllToAll, r, 4*k+1))
		}
	}
}

// fill and check against a collective carried out by hand, also over the borders of chunks and tiles.
func TestFillAndCheck(t *testing.T) {
	const ranks = 3
	for _, input := range []Input{InputPattern, InputRank, InputTwo} {
		for _, op := range []hccl.OpKind{hccl.AllReduce, hccl.AllGather, hccl.ReduceScatter, hccl.Broadcast, hccl.AllToAll} {
			for _, count := range []int64{1, 250, 251, 50_000} {
				p := pattern{input: input, op: op, dt: mem.FP16, ranks: ranks, count: count, root: 1}
				s := mem.NewSpace(mem.Real)
				in, out := make([]mem.Addr, ranks), make([]mem.Addr, ranks)
				inElems, outElems := count, count
				if op == hccl.ReduceScatter || op == hccl.AllToAll {
					inElems *= ranks
				}
				if op == hccl.AllGather || op == hccl.AllToAll {
					outElems *= ranks
				}
				for r := range ranks {
					in[r], _ = s.Alloc(mem.AllocSpec{Device: r, Size: 2 * inElems})
					out[r], _ = s.Alloc(mem.AllocSpec{Device: r, Size: 2 * outElems})
					require.NoError(t, p.fill(s, in[r], r, 2*inElems))
				}
				byHand(t, s, &p, in, out)
				m, err := p.check(s, out)
				require.NoError(t, err)
				require.Nil(t, m, "%v %v %d: %v", input, op, count, m)

				// One wrong element anywhere is found and named.
				for _, at := range []int64{0, outElems / 2, outElems - 1} {
					a := out[2] + mem.Addr(2*at)
					old := make([]byte, 2)
					require.NoError(t, s.Read(a, old))
					require.NoError(t, s.Write(a, []byte{0x01, 0x7b})) // 57376
					m, err = p.check(s, out)
					require.NoError(t, err)
					require.NotNil(t, m)
					assert.Equal(t, 2, m.rank)
					assert.Equal(t, at, m.element)
					assert.Equal(t, 57376.0, m.got)
					require.NoError(t, s.Write(a, old))
				}
			}
		}
	}
}

func byHand(t *testing.T, s *mem.Space, p *pattern, in, out []mem.Addr) {
	t.Helper()
	size, part := p.dt.Size(), p.count*p.dt.Size()
	for r := range out {
		switch p.op {
		case hccl.AllReduce, hccl.ReduceScatter:
			from := mem.Addr(0)
			if p.op == hccl.ReduceScatter {
				from = mem.Addr(int64(r) * part)
			}
			require.NoError(t, s.Copy(out[r], in[0]+from, part))
			for k := 1; k < len(in); k++ {
				_, err := s.Reduce(out[r], in[k]+from, part, p.dt, p.red, 0)
				require.NoError(t, err)
			}
		case hccl.AllGather:
			for k := range in {
				require.NoError(t, s.Copy(out[r]+mem.Addr(int64(k)*part), in[k], part))
			}
		case hccl.AllToAll:
			for k := range in {
				require.NoError(t, s.Copy(out[r]+mem.Addr(int64(k)*part), in[k]+mem.Addr(int64(r)*part), part))
			}
		case hccl.Broadcast:
			require.NoError(t, s.Copy(out[r], in[p.root], p.count*size))
		}
	}
}
