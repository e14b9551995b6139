package hccl

import (
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"hsim/host/mem"
	"hsim/host/sim"
)

func TestSizes(t *testing.T) {
	for _, c := range []struct {
		first, last, step, factor int64
		want                      []int64
		err                       string
	}{
		{8192, 65536, 0, 2, []int64{8192, 16384, 32768, 65536}, ""},
		{100, 450, 150, 1, []int64{100, 250, 400}, ""},
		{64, 64, 0, 0, []int64{64}, ""},
		{1 << 62, 1<<63 - 1, 0, 2, []int64{1 << 62}, ""},
		{0, 10, 1, 0, nil, "got 0 to 10 bytes"},
		{8, 1 << 30, 1, 0, nil, "got more than 10000 from 8 to 1073741824 bytes"},
		{10, 1, 1, 0, nil, "rising"},
		{1, 10, 0, 1, nil, "got step 0 and factor 1"},
	} {
		got, err := Sizes(c.first, c.last, c.step, c.factor)
		if c.err != "" {
			assert.ErrorContains(t, err, c.err)
			continue
		}
		require.NoError(t, err)
		assert.Equal(t, c.want, got)
	}
}

// B58: beyond these rank counts the tool prints NULL.
func TestB58CheckLimits(t *testing.T) {
	for _, c := range []struct {
		op   OpKind
		red  mem.Op
		dt   mem.Dtype
		most int64
	}{
		{AllReduce, mem.Sum, mem.Int8, 63}, {AllReduce, mem.Sum, mem.FP16, 511}, {AllReduce, mem.Sum, mem.BF16, 63},
		{AllReduce, mem.Sum, mem.Int16, 16383}, {AllReduce, mem.Sum, mem.FP32, 1<<22 - 1}, {ReduceScatter, mem.Sum, mem.Int8, 11},
		{ReduceScatter, mem.Sum, mem.FP16, 31}, {AllReduce, mem.Prod, mem.Int8, 6}, {AllReduce, mem.Prod, mem.FP16, 15},
		{AllReduce, mem.Prod, mem.FP32, 127}, {AllReduce, mem.Prod, mem.Int32, 30}, {AllReduce, mem.Max, mem.Int8, 0},
		{AllGather, mem.Sum, mem.Int8, 0},
	} {
		assert.Equal(t, c.most, CheckRanks(c.op, c.red, c.dt), "%v %v %v", c.op, c.red, c.dt)
		if c.most > 0 {
			assert.True(t, Verifiable(c.op, c.red, c.dt, int(c.most)))
			assert.False(t, Verifiable(c.op, c.red, c.dt, int(c.most)+1))
		}
	}
}

func TestBandwidths(t *testing.T) {
	const ms = sim.Millisecond
	for _, c := range []struct {
		op       OpKind
		count    int64
		alg, bus float64
	}{
		{AllReduce, 1 << 20, 4.194304e9, 7.340032e9},
		{Broadcast, 1 << 20, 4.194304e9, 4.194304e9},
		{AllGather, 1 << 17, 4.194304e9, 3.670016e9},
		{ReduceScatter, 1 << 17, 4.194304e9, 3.670016e9},
		{AllToAll, 1 << 17, 4.194304e9, 3.670016e9},
	} {
		assert.Equal(t, c.count, TestCount(c.op, 4<<20, 4, 8))
		assert.InDelta(t, c.alg, AlgBandwidth(c.op, c.count, 4, 8, ms), 1)
		assert.InDelta(t, c.bus, BusBandwidth(c.op, c.count, 4, 8, ms), 1)
	}
	assert.Zero(t, AlgBandwidth(AllReduce, 1, 4, 8, 0))
	assert.EqualValues(t, 2, TestCount(AllGather, 33, 4, 8), "9 elements over 8 ranks")
}

func TestResults(t *testing.T) {
	for r := range 8 {
		assert.EqualValues(t, 36, TestResult(AllReduce, mem.Sum, r, 0, 0, 8, true).Int64())
		assert.EqualValues(t, 80+8*r, TestResult(ReduceScatter, mem.Sum, r, 0, 0, 8, true).Int64())
		assert.EqualValues(t, 3, TestResult(AllGather, 0, r, 2, 0, 8, true).Int64())
		assert.EqualValues(t, 3, TestResult(AllToAll, 0, r, 2, 0, 8, true).Int64())
		assert.EqualValues(t, 6, TestResult(Broadcast, 0, r, 0, 5, 8, true).Int64())
		assert.EqualValues(t, 256, TestResult(AllReduce, mem.Prod, r, 0, 0, 8, false).Int64())
		assert.EqualValues(t, 8, TestResult(AllReduce, mem.Max, r, 0, 0, 8, true).Int64())
		assert.EqualValues(t, 1, TestResult(AllReduce, mem.Min, r, 0, 0, 8, true).Int64())
	}
	assert.Equal(t, 201, TestResult(AllReduce, mem.Prod, 0, 0, 0, 200, false).BitLen(), "no type holds it, nothing overflows")
}

// The dumps in the real tool's logs are its inputs and results, as far as the
// logs go: ours are the same.
func TestResultsOfRealLogs(t *testing.T) {
	dir := filepath.Join("..", "..", "..", "shared", "cases", "hccltest")
	line := regexp.MustCompile(`_dump_rank_(\d) >> start_ptr: \S+ .*fp32: ([0-9.]+)`)
	for _, c := range []struct {
		file   string
		op     OpKind
		inputs int // dumps of the input that come first
	}{
		{"all_reduce", AllReduce, 1}, {"all_gather", AllGather, 1}, {"reduce_scatter", ReduceScatter, 8}, {"alltoall", AllToAll, 1},
		{"broadcast", Broadcast, 0},
	} {
		t.Run(c.file, func(t *testing.T) {
			text, err := os.ReadFile(filepath.Join(dir, "log_"+c.file+"_8npu_2GB.txt"))
			if err != nil {
				t.Skip("no log of the real tool: ", err)
			}
			var seen [8]int
			for _, m := range line.FindAllStringSubmatch(string(text), -1) {
				v, err := strconv.ParseFloat(m[2], 64)
				require.NoError(t, err)
				r := int(m[1][0] - '0')
				k := seen[r]
				seen[r]++
				want := TestValue(c.op, r, k, true)
				if k >= c.inputs {
					want = TestResult(c.op, mem.Sum, r, k-c.inputs, 0, 8, true).Int64()
				}
				require.EqualValues(t, want, v, "rank %d, dump %d", r, k)
			}
			for r, n := range seen {
				require.Positive(t, n, "rank %d", r)
			}
		})
	}
}
