package hccl

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"hsim/abi"
	"hsim/host/device"
	"hsim/host/mem"
	"hsim/host/sim"
	"hsim/host/soc"
	"hsim/host/topo"
	"hsim/host/transport"
)

func fp32(v float32, n int64) []byte {
	b := make([]byte, 4*n)
	for i := range n {
		binary.LittleEndian.PutUint32(b[4*i:], math.Float32bits(v))
	}
	return b
}

// O5 and B24: the operator and type table of each chip.
func TestO5TypesAndOperators(t *testing.T) {
	for _, chip := range []string{"a2", "a3", "950dt"} {
		kind := "mesh"
		if chip == "a3" {
			kind = "star"
		}
		c := newCluster(t, setup{chip: chip, kind: kind, devices: 8})
		m := c.comm(CommConfig{})
		for _, x := range []struct {
			dt   mem.Dtype
			op   mem.Op
			code Result
			text string
		}{
			{mem.BF16, mem.Prod, ErrNotSupport, "got PROD of bfp16"},
			{mem.Int16, mem.Prod, ErrNotSupport, "got PROD of int16"},
			{mem.FP32, 4, ErrNotSupport, "AVG"},
			{mem.FP32, 255, ErrNotSupport, "reduce operator 255"},
			{mem.Uint8, mem.Sum, ErrNotSupport, "got uint8, want one of int8, int16, int32"},
			{13, mem.Sum, ErrPara, "data type 13"},
		} {
			a := c.buffer(0, 64)
			err := m.Rank(0).AllReduce(a, a, 4, x.dt, x.op, c.str[0])
			assert.Equal(t, x.code, CodeOf(err), "%s %v %v: %v", chip, x.op, x.dt, err)
			assert.ErrorContains(t, err, x.text)
			assert.ErrorContains(t, err, "rank 0")
		}
		assert.False(t, c.str[0].Busy(), "nothing was queued")

		j := c.job(m, AllReduce, 33, mem.FP32, mem.Prod, false)
		for r := range 8 {
			j.fill(r, fp32(2, 33))
		}
		j.start()
		c.run()
		for r := range 8 {
			assert.Equal(t, fp32(256, 33), c.read(j.recv[r], 4*33), "%s rank %d", chip, r)
		}
	}
	require.NoError(t, CheckType("910", AllReduce, mem.FP16, mem.Prod))
	require.ErrorContains(t, CheckType("910", AllReduce, mem.Int16, mem.Sum), "got int16")
	require.NoError(t, CheckType("A2", AllGather, mem.FP64, 0))
	require.NoError(t, CheckType("950", AllToAll, mem.HIF8, 0))
	require.Error(t, CheckType("A3", AllToAll, mem.HIF8, 0))
}

// B24, B25: int8 results outside the type are one value everywhere: what the
// chip's profile says.
func TestInt8OverflowIsOneChoice(t *testing.T) {
	for _, saturate := range []bool{true, false} {
		for _, alg := range fitting(AllReduce, 7, 0) {
			c := newCluster(t, setup{chip: "a2", kind: "mesh", devices: 7, change: func(p *soc.Chip) { p.Int8Saturate = saturate }})
			m := c.comm(CommConfig{})
			j := c.job(m, AllReduce, 5, mem.Int8, mem.Prod, false)
			j.p.Alg = alg
			for r := range 7 {
				j.fill(r, []byte{2, 2, 2, 2, 2})
			}
			j.start()
			c.run()
			want := int8(-128)
			if saturate {
				want = 127
			}
			for r := range 7 {
				for _, b := range c.read(j.recv[r], 5) {
					require.Equal(t, want, int8(b), "%v saturate %v rank %d", alg, saturate, r)
				}
			}
		}
	}
}

// B29: odd rank counts work from A2 on; the first generation takes 1, 2, 4, 8.
func TestB29RankCounts(t *testing.T) {
	for _, n := range []int{1, 2, 3, 4, 5, 6, 7, 8} {
		c := newCluster(t, setup{chip: "910", kind: "star", devices: 8})
		_, err := c.host.NewComm(CommConfig{Devices: c.dev[:n]})
		if n == 1 || n == 2 || n == 4 || n == 8 {
			require.NoError(t, err, n)
		} else {
			require.Equal(t, ErrPara, CodeOf(err))
			require.ErrorContains(t, err, fmt.Sprintf("got %d devices in one server, want 1, 2, 4 or 8", n))
		}
	}
	err := CheckDevices("910", []int{2, 5})
	require.ErrorContains(t, err, "EI0010")
	require.ErrorContains(t, err, "device 2 and device 5 are not on the same plane")
	require.NoError(t, CheckDevices("910", []int{4, 5, 6, 7}))
	require.NoError(t, CheckDevices("A2", []int{2, 5, 6}))
}

func TestArgumentsAreCheckedUpFront(t *testing.T) {
	c := newCluster(t, setup{chip: "ideal", kind: "star", devices: 4})
	m := c.comm(CommConfig{})
	r := m.Rank(2)
	a, b := c.buffer(2, 4096), c.buffer(2, 4096)
	far := c.buffer(1, 4096)
	s := c.str[2]
	for _, x := range []struct {
		name string
		args Args
		code Result
		text string
	}{
		{"null", Args{Op: AllReduce, Recv: b, Count: 1, Dtype: mem.FP32, Stream: s}, ErrPtr, "sendBuf is null"},
		{"no stream", Args{Op: AllReduce, Send: a, Recv: b, Count: 1, Dtype: mem.FP32}, ErrPtr, "no stream"},
		{"stream of another device", Args{Op: AllReduce, Send: a, Recv: b, Count: 1, Dtype: mem.FP32, Stream: c.str[0]}, ErrPara, "got a stream of device 0"},
		{"too long", Args{Op: AllGather, Send: a, Recv: b, Count: 257, Dtype: mem.FP32, Stream: s}, ErrPara, "recvBuf of 4112 bytes at offset 0"},
		{"outside at an offset", Args{Op: AllReduce, Send: a.Add(4000), Recv: b, Count: 25, Dtype: mem.FP32, Stream: s}, ErrPara, "sendBuf of 100 bytes at offset 4000"},
		{"another device's memory", Args{Op: AllReduce, Send: far, Recv: b, Count: 1, Dtype: mem.FP32, Stream: s}, ErrPara, "memory of device 1, want memory of device 2"},
		{"not aligned", Args{Op: AllReduce, Send: a.Add(2), Recv: b, Count: 1, Dtype: mem.FP32, Stream: s}, ErrPara, "not aligned to 4 bytes"},
		{"overlap", Args{Op: AllReduce, Send: a, Recv: a.Add(8), Count: 8, Dtype: mem.FP32, Stream: s}, ErrPara, "overlap"},
		{"all_to_all in place", Args{Op: AllToAll, Send: a, Recv: a, Count: 8, Dtype: mem.FP32, Stream: s}, ErrPara, "two buffers"},
		{"negative", Args{Op: AllReduce, Send: a, Recv: b, Count: -1, Dtype: mem.FP32, Stream: s}, ErrPara, "got count -1"},
		{"absurd", Args{Op: AllGather, Send: a, Recv: b, Count: 1 << 40, Dtype: mem.FP32, Stream: s}, ErrPara, "want at most"},
		{"root", Args{Op: Broadcast, Send: a, Count: 1, Dtype: mem.FP32, Root: 4, Stream: s}, ErrPara, "got root 4, want 0 to 3"},
		{"expansion", Args{Op: AllReduce, Send: a, Recv: b, Count: 1, Dtype: mem.FP32, Expansion: ExpandCCUMS, Stream: s}, ErrNotSupport, "expansion ccu_ms is not supported yet (try host, aicpu or ccu_sched)"},
		{"algorithm", Args{Op: Broadcast, Send: a, Count: 1, Dtype: mem.FP32, Algorithm: Pairwise, Stream: s}, ErrPara, "does not exist for broadcast"},
	} {
		_, err := r.Start(x.args)
		assert.Equal(t, x.code, CodeOf(err), "%s: %v", x.name, err)
		assert.ErrorContains(t, err, x.text, x.name)
		assert.ErrorContains(t, err, "rank 2", x.name)
		assert.False(t, s.Busy(), x.name)
	}
	require.NoError(t, m.Err())
}

// B55: count 0 succeeds at once, also between others, also out of turn.
func TestB55ZeroCount(t *testing.T) {
	c := newCluster(t, setup{chip: "a2", kind: "mesh", devices: 4})
	m := c.comm(CommConfig{})
	j := c.job(m, AllReduce, 100, mem.FP32, mem.Sum, false)
	for r := range 4 {
		j.fill(r, fp32(float32(r+1), 100))
		for _, count := range []int64{0, 100, 0, 0, 100, 0} {
			a := j.args(r)
			a.Count = count
			_, err := m.Rank(r).Start(a)
			require.NoError(t, err)
		}
	}
	c.run()
	for r := range 4 {
		require.Equal(t, fp32(10, 100), c.read(j.recv[r], 400))
	}
	require.False(t, m.Busy())
	require.Empty(t, m.ops)
}

// Arguments that differ between ranks end in EI0005 on every rank, not in a hang.
func TestInconsistentArgumentsAreEI0005(t *testing.T) {
	for _, x := range []struct {
		name   string
		change func(a *Args)
		text   string
	}{
		{"count", func(a *Args) { a.Count = 9 }, "count 9 against 10 on rank 0"},
		{"zero count", func(a *Args) { a.Count = 0 }, "count 0 against 10"},
		{"type", func(a *Args) { a.Dtype = mem.Int32 }, "dataType int32 against fp32"},
		{"operator", func(a *Args) { a.Red = mem.Max }, "op max against sum"},
		{"collective", func(a *Args) { a.Op = ReduceScatter; a.Count = 2; a.Send, a.Recv = a.Recv, a.Send }, "operator reduce_scatter against all_reduce"},
	} {
		t.Run(x.name, func(t *testing.T) {
			c := newCluster(t, setup{chip: "a2", kind: "mesh", devices: 4})
			m := c.comm(CommConfig{})
			j := c.job(m, AllReduce, 10, mem.FP32, mem.Sum, false)
			for r := range 3 {
				_, err := m.Rank(r).Start(j.args(r))
				require.NoError(t, err)
			}
			var late error
			c.eng.Go("late", func(p *sim.Proc) {
				p.Sleep(5 * sim.Millisecond)
				a := j.args(3)
				x.change(&a)
				_, late = m.Rank(3).Start(a)
			})
			r := c.eng.Run(0)
			require.Equal(t, sim.Done, r.Reason)
			var e *Error
			require.ErrorAs(t, late, &e)
			require.Equal(t, "EI0005", e.ID)
			require.Equal(t, 3, e.Rank)
			require.Contains(t, e.Text, x.text)
			require.LessOrEqual(t, r.End, 6*sim.Millisecond, "nobody waits for the time-out")
			for q := range 3 {
				require.False(t, c.str[q].Busy())
				require.NotNil(t, c.str[q].Err())
				require.ErrorAs(t, c.str[q].Err(), &e)
				require.Equal(t, "EI0005", e.ID)
			}
			_, err := m.Rank(0).Start(j.args(0))
			require.Equal(t, ErrInternal, CodeOf(err))
			require.ErrorContains(t, err, "is broken")
		})
	}
}

// B01: a rank that never comes: a stall now, EI0002 after the execution time-out.
func TestB01MissingRank(t *testing.T) {
	c := newCluster(t, setup{chip: "a2", kind: "mesh", devices: 4})
	m := c.comm(CommConfig{Name: "tp"})
	j := c.job(m, AllReduce, 1000, mem.FP32, mem.Sum, false)
	j.p.Alg = Ring
	for _, r := range []int{0, 2, 3} {
		_, err := m.Rank(r).Start(j.args(r))
		require.NoError(t, err)
	}
	r := c.eng.Run(0)
	require.NotNil(t, r.Stall)
	require.Less(t, r.Stall.At, sim.Second)
	text := fmt.Sprint(r.Stall)
	require.Contains(t, text, "the ready of rank 1 of tp in operation 1, all_reduce of 1000 fp32, sum")
	require.Contains(t, text, "rank 1, which has started 0 operations")
	for _, q := range []int{0, 2, 3} {
		f := c.str[q].Err()
		require.NotNil(t, f)
		require.Equal(t, device.CauseNotify, f.Cause)
		var e *Error
		require.ErrorAs(t, f, &e)
		require.Equal(t, "EI0002", e.ID)
		require.Equal(t, ErrTimeout, e.Code)
		require.InDelta(t, 1836, float64(f.At)/float64(sim.Second), 0.01)
		require.Contains(t, e.Text, "all_reduce of 1000 fp32, sum by ring, host")
	}

	// HCCL_EXEC_TIMEOUT = 0: never.
	c = newCluster(t, setup{chip: "a2", kind: "mesh", devices: 2})
	m = c.comm(CommConfig{ExecTimeout: -1})
	j = c.job(m, AllReduce, 10, mem.FP32, mem.Sum, false)
	require.NoError(t, m.Rank(0).AllReduce(j.send[0], j.recv[0], 10, mem.FP32, mem.Sum, c.str[0]))
	r = c.eng.Run(0)
	require.Equal(t, sim.Stalled, r.Reason)
	require.True(t, c.str[0].Busy())
	require.Nil(t, c.str[0].Err())
}

// B03: 45 minutes late is no error without a time-out.
func TestB03VeryLateRank(t *testing.T) {
	c := newCluster(t, setup{chip: "a2", kind: "mesh", devices: 4})
	m := c.comm(CommConfig{ExecTimeout: -1})
	j := c.job(m, Broadcast, 64, mem.FP32, 0, false)
	j.fill(0, fp32(7, 64))
	for r := range 4 {
		c.eng.Go(fmt.Sprint("rank ", r), func(p *sim.Proc) {
			if r == 0 {
				p.Sleep(2700 * sim.Second)
			}
			_, err := m.Rank(r).Start(j.args(r))
			require.NoError(t, err)
		})
	}
	require.Greater(t, c.run(), 2700*sim.Second)
	for r := range 4 {
		require.Equal(t, fp32(7, 64), c.read(j.recv[r], 256))
	}
}

// B54: overlapping communicators; the second group's extra operation delays the
// world, and nothing more.
func TestB54TwoCommunicators(t *testing.T) {
	for _, chip := range []string{"ideal", "a3"} {
		c := newCluster(t, setup{chip: chip, kind: "star", devices: 8})
		world := c.comm(CommConfig{})
		half := c.comm(CommConfig{Name: "half", Devices: c.dev[4:]})
		sum := c.job(half, AllReduce, 50, mem.FP32, mem.Sum, false)
		all := c.job(world, AllGather, 20, mem.FP32, 0, false)
		for r := range 4 {
			sum.fill(r, fp32(float32(r+5), 50))
		}
		for r := range 8 {
			all.fill(r, fp32(float32(r+1), 20))
		}
		for r := range 8 {
			if r >= 4 {
				_, err := half.Rank(r - 4).Start(sum.args(r - 4))
				require.NoError(t, err)
			}
			_, err := world.Rank(r).Start(all.args(r))
			require.NoError(t, err)
		}
		c.run()
		for r := range 4 {
			require.Equal(t, fp32(26, 50), c.read(sum.recv[r], 200))
		}
		all.check()
	}
}

// Operations of one communicator on several streams of a rank run in the order
// in which they were started, whatever the streams' own order.
func TestOneOrderAcrossStreams(t *testing.T) {
	c := newCluster(t, setup{chip: "a3", kind: "star", devices: 3})
	m := c.comm(CommConfig{})
	var second []*device.Stream
	for _, d := range c.dev {
		s, err := d.NewStream(device.StreamOptions{})
		require.NoError(t, err)
		second = append(second, s)
	}
	one := c.job(m, AllReduce, 4000, mem.FP32, mem.Sum, true)
	for r := range 3 {
		one.fill(r, fp32(float32(r+1), 4000))
	}
	// In place twice: 1+2+3 = 6, then 18; only right when one follows the other.
	for r := range 3 {
		a, b := one.args(r), one.args(r)
		if r == 1 {
			a.Stream, b.Stream = second[r], c.str[r]
			require.NoError(t, a.Stream.Push(&device.Task{Kind: device.KindDelay, Value: uint64(sim.Millisecond)}))
		} else {
			b.Stream = second[r]
		}
		_, err := m.Rank(r).Start(a)
		require.NoError(t, err)
		_, err = m.Rank(r).Start(b)
		require.NoError(t, err)
	}
	c.run()
	for r := range 3 {
		require.Equal(t, fp32(18, 4000), c.read(one.recv[r], 16000), "rank %d", r)
	}
}

// Communicator limits and life.
func TestCommunicatorLife(t *testing.T) {
	c := newCluster(t, setup{chip: "a2", kind: "mesh", devices: 4, change: func(p *soc.Chip) { p.HBMBytes = 500 << 20 }})
	_, err := c.host.NewComm(CommConfig{})
	require.Equal(t, ErrPara, CodeOf(err))
	_, err = c.host.NewComm(CommConfig{Devices: []*device.Device{c.dev[0], c.dev[0]}})
	require.ErrorContains(t, err, "device 0 is rank 0 already")
	_, err = c.host.NewComm(CommConfig{Devices: c.dev, BufferBytes: 1000})
	require.ErrorContains(t, err, "at least 1 MiB")
	m := c.comm(CommConfig{})
	_, used, _ := c.mem.Usage(3)
	require.EqualValues(t, 400<<20, used, "two buffers of HCCL_BUFFSIZE")
	_, err = c.host.NewComm(CommConfig{Devices: c.dev})
	require.Equal(t, ErrOutOfMemory, CodeOf(err), "a second one does not fit")
	require.ErrorContains(t, err, "lower HCCL_BUFFSIZE")
	_, used, _ = c.mem.Usage(0)
	require.EqualValues(t, 400<<20, used, "a failed one leaves nothing")
	free := c.dev[1].FreeNotifies()
	j := c.job(m, AllReduce, 10, mem.FP32, mem.Sum, false)
	j.start()
	require.ErrorContains(t, m.Close(), "in flight")
	c.run()
	require.Less(t, c.dev[1].FreeNotifies(), free)
	require.NoError(t, m.Close())
	require.Equal(t, free, c.dev[1].FreeNotifies())
	require.ErrorContains(t, m.Close(), "destroyed already")
	_, err = m.Rank(0).Start(j.args(0))
	require.ErrorContains(t, err, "is destroyed")
	_, used, _ = c.mem.Usage(3)
	require.EqualValues(t, 80, used)
}

// A chip without enough notifies ends in an error that says so.
func TestOutOfNotifies(t *testing.T) {
	c := newCluster(t, setup{chip: "ideal", kind: "star", devices: 8, change: func(p *soc.Chip) { p.MaxNotifies = 5 }})
	m := c.comm(CommConfig{})
	j := c.job(m, AllReduce, 10, mem.FP32, mem.Sum, false)
	j.p.Alg = Mesh
	var f *device.Fault
	for r := range 8 {
		_, err := m.Rank(r).Start(j.args(r))
		if f = c.str[r].Err(); f != nil || err != nil {
			break
		}
	}
	c.eng.Run(0)
	require.NotNil(t, f)
	var e *Error
	require.True(t, errors.As(f, &e))
	require.Equal(t, ErrUnavail, e.Code)
	require.ErrorIs(t, f, device.ErrNoNotify)
}

// An aborted stream gives its turn to what follows it on the rank.
func TestAbortedOperation(t *testing.T) {
	c := newCluster(t, setup{chip: "a2", kind: "mesh", devices: 2})
	m := c.comm(CommConfig{})
	j := c.job(m, AllReduce, 10, mem.FP32, mem.Sum, false)
	_, err := m.Rank(0).Start(j.args(0))
	require.NoError(t, err)
	c.eng.Run(10 * sim.Millisecond)
	c.str[0].Abort()
	require.False(t, m.Busy())
	_, err = m.Rank(0).Start(j.args(0))
	require.ErrorContains(t, err, "is broken")
}

// mute is a network whose plugins lack the write with notify.
type mute struct{ *transport.Net }

func (mute) Features(topo.Protocol) uint32 { return abi.FeatureReliable | abi.FeatureMemory }

// A plugin that cannot carry collectives is refused by name when the
// communicator is made, not at the first use.
func TestPluginsWithoutNotifyAreRefused(t *testing.T) {
	c := newCluster(t, setup{chip: "a2", kind: "mesh", servers: 2, devices: 2, roce: "rdma"})
	h := NewHost(c.sys, mute{c.net}, c.g)
	_, err := h.NewComm(CommConfig{Devices: c.dev})
	require.Equal(t, ErrNotSupport, CodeOf(err))
	require.ErrorContains(t, err, "plugin ub, which carries HCCS, offers no write with notify, which collectives need")
	_, err = h.NewComm(CommConfig{Devices: c.dev[1:3]})
	require.ErrorContains(t, err, "plugin rdma, which carries ROCE, offers no write with notify")
}
