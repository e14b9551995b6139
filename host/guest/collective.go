package guest

import (
	"math"

	"hsim/host/hccl"
	"hsim/host/mem"
)

var collectiveAnswers = map[string]answer{
	"HcclAllReduce": func(c call) uint32 {
		return c.collective(5, 6, hccl.Args{Op: hccl.AllReduce, Send: c.addr(0, 1), Recv: c.addr(1, 1), Count: c.count(2), Dtype: c.dtype(3), Red: c.reduce(4)})
	},
	"HcclBroadcast": func(c call) uint32 {
		buf := c.addr(0, 1)
		return c.collective(4, 5, hccl.Args{Op: hccl.Broadcast, Send: buf, Recv: buf, Count: c.count(1), Dtype: c.dtype(2), Root: c.id(3)})
	},
	"HcclReduceScatter": func(c call) uint32 {
		return c.collective(5, 6, hccl.Args{Op: hccl.ReduceScatter, Send: c.addr(0, 1), Recv: c.addr(1, 1), Count: c.count(2), Dtype: c.dtype(3), Red: c.reduce(4)})
	},
	"HcclAllGather": func(c call) uint32 {
		return c.collective(4, 5, hccl.Args{Op: hccl.AllGather, Send: c.addr(0, 1), Recv: c.addr(1, 1), Count: c.count(2), Dtype: c.dtype(3)})
	},
	"HcclAlltoAll": func(c call) uint32 {
		if c.u64(1) != c.u64(4) || c.u32(2) != c.u32(5) {
			return c.badComm(hccl.ErrPara, "EI0003", "got %d elements of type %d to send and %d of type %d to receive, want the same", c.u64(1), c.u32(2), c.u64(4), c.u32(5))
		}
		return c.collective(6, 7, hccl.Args{Op: hccl.AllToAll, Send: c.addr(0, 1), Recv: c.addr(3, 1), Count: c.count(1), Dtype: c.dtype(2)})
	},
	"HcclBarrier": barrier,
}

// count is a number of elements; what does not fit is refused as too large.
func (c call) count(i int) int64 { return int64(min(c.u64(i), math.MaxInt64)) }

// dtype and reduce keep numbers that fit no byte from turning into valid ones.
func (c call) dtype(i int) mem.Dtype { return mem.Dtype(min(c.u32(i), 255)) }
func (c call) reduce(i int) mem.Op   { return mem.Op(min(c.u32(i), 255)) }

// collective starts an operation on the communicator and the stream given by arguments.
func (c call) collective(comm, stream int, a hccl.Args) uint32 {
	m := c.comm(comm)
	if m == nil {
		return c.noComm(comm)
	}
	s, err := c.t.acl.CheckStream(c.name, c.stream(stream))
	if err != nil {
		return c.result(err)
	}
	a.Stream = s.Queue()
	l, err := m.rank.Start(a)
	if err != nil {
		return c.result(err)
	}
	c.busy(l.Host)
	return 0
}

// barrier is an all_reduce of one element in buffers of the communicator.
func barrier(c call) uint32 {
	m := c.comm(0)
	if m == nil {
		return c.noComm(0)
	}
	p := c.t.p
	for i := range m.spare {
		if m.spare[i] != 0 {
			continue
		}
		a, err := c.space().Alloc(mem.AllocSpec{Device: m.dev.Index(), Size: windowAlign, Pid: p.acl.Pid(), Ctx: m.ctx, Kind: mem.KindTs, Name: "barrier of " + m.comm.Name()})
		if err != nil {
			return c.badComm(hccl.ErrOutOfMemory, "EI0011", "the buffer of a barrier: %v", err)
		}
		at, ok := p.window.add(a, windowAlign)
		if !ok {
			_ = c.space().Free(a) // made just now
			return c.badComm(hccl.ErrMemory, "", "the program's window of device addresses is full")
		}
		m.spare[i] = at
	}
	return c.collective(0, 1, hccl.Args{Op: hccl.AllReduce, Send: p.window.addr(m.spare[0]), Recv: p.window.addr(m.spare[1]), Count: 1, Dtype: mem.Int32, Red: mem.Sum})
}

// dropSpare gives the buffers of barriers back.
func (p *Process) dropSpare(m *member) {
	for i, at := range m.spare {
		if at != 0 {
			_ = p.acl.Runtime().Mem().Free(p.window.addr(at)) // its own
			p.window.remove(at)
			m.spare[i] = 0
		}
	}
}
