package hccl

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"hsim/abi"
	"hsim/host/ccu"
	"hsim/host/mem"
	"hsim/host/sim"
	"hsim/host/soc"
	"hsim/host/wasm"
)

// programs loads a module of microprograms.
func (c *cluster) programs(path string) *ccu.Binary {
	bin, err := os.ReadFile(filepath.Join("..", "..", path))
	require.NoError(c.t, err)
	rt, err := wasm.NewRuntime(wasm.Options{})
	require.NoError(c.t, err)
	c.t.Cleanup(func() { require.NoError(c.t, rt.Close()) })
	m, err := rt.Load(path, bin, abi.CCU)
	require.NoError(c.t, err)
	b, err := ccu.NewBinary(m)
	require.NoError(c.t, err)
	return b
}

// builtin is the module that comes with hsim.
func (c *cluster) builtin() { c.host.SetPrograms([]*ccu.Binary{c.programs("plugins/ccu/ccu.wasm")}) }

// Numbers of ranks, ragged sizes, in place, late ranks, one operation after the
// other on the same buffers, over the wasm transport.
func TestAllGatherByMissions(t *testing.T) {
	for _, n := range []int{1, 2, 5, 8} {
		for _, inPlace := range []bool{false, true} {
			c := newCluster(t, setup{chip: "950dt", kind: "mesh", devices: n})
			c.builtin()
			m := c.comm(CommConfig{BufferBytes: 1 << 20, Expansion: ExpandCCUSched})
			// One element, less than a slice, and a round of slices, some more and a tail.
			for _, count := range []int64{1, 1031, 140_000} {
				j := c.job(m, AllGather, count, mem.FP32, mem.Sum, inPlace)
				for round := range 2 {
					for r := range n {
						j.fill(r, floats(uint32(round*100+r+1), count))
					}
					for r := range n {
						late := sim.Time(r*r%5) * 30 * sim.Microsecond
						c.eng.Go(fmt.Sprint("rank ", r), func(p *sim.Proc) {
							p.Sleep(late)
							l, err := m.Rank(r).Start(j.args(r))
							require.NoError(t, err)
							require.Equal(t, Mesh, l.Choice.Algorithm)
							require.Equal(t, ExpandCCUSched, l.Choice.Expansion)
							require.Equal(t, int64(2), l.Tasks, "fifteen arguments take two entries")
						})
					}
					c.run()
					j.check()
				}
			}
			require.False(t, m.Busy())
			used := c.free()
			require.NoError(t, m.Close())
			if n > 1 {
				require.NotEqual(t, c.free(), used)
			}
			for _, f := range c.free() {
				require.Equal(t, f, c.free()[0], "everything is given back")
			}
		}
	}
}

// free is what is left on die 1 of every device.
func (c *cluster) free() [][]int {
	var out [][]int
	for _, d := range c.dev {
		e, err := d.CCUs()
		require.NoError(c.t, err)
		var f []int
		for r := ccu.Instructions; r <= ccu.Channels; r++ {
			f = append(f, e.Units()[1].Free(r))
		}
		out = append(out, f)
	}
	return out
}

// The time of the published program from the chip's constants. All ranks start at
// once; the last rank is the slowest, for it is the last in every peer's list:
//
//	two entries are enqueued and dispatched; the second runs
//	n1 instructions to the last address that is sent, latency, synchronisation,
//	n2 instructions from the first wait to the last write, the bytes, there and back,
//	n3 instructions to the last farewell, latency, synchronisation.
func TestTimeOfAMission(t *testing.T) {
	for _, n := range []int64{2, 3, 8} {
		for _, bytes := range []int64{64 << 10, 1 << 20} {
			c := newCluster(t, setup{chip: "950dt", kind: "mesh", devices: int(n), change: func(c *soc.Chip) { c.Headers = false }})
			c.builtin()
			m := c.comm(CommConfig{BufferBytes: 1 << 20, Expansion: ExpandCCUSched})
			j := c.job(m, AllGather, bytes/4, mem.FP32, mem.Sum, false)
			for r := range int(n) {
				j.fill(r, floats(uint32(r), bytes/4))
			}
			j.start()
			end := c.run()
			j.check()

			chip := c.dev[0].Chip()
			port := chip.Group(soc.Direct)
			code := decode(t, m.dies.programs[m.dies.made[0]][n-1])
			main := int64(code[code.find(ccu.OpJump)-1].V[ccu.SlotImm]) - m.dies.programs[m.dies.made[0]][n-1].First()
			n1 := 2 + 2 + code.last(ccu.OpSyncXn) - main + 1
			n2 := code.last(ccu.OpWrite) - code.after(ccu.OpClearCKE, code.last(ccu.OpSyncXn))
			n3 := 1 + 4 + 2 + n - 1
			want := chip.HostCall + 2*chip.HostLaunch + chip.TSDispatch + sim.Time(n1+n2+n3)*chip.CCU.Issue +
				2*(port.Latency+chip.SyncCCU) + port.Rate.Time(bytes) + 2*port.Latency
			// The fabric rounds the time of every packet up.
			require.GreaterOrEqual(t, end, want)
			require.Less(t, end-want, chip.CCU.Issue/2, "%d ranks, %d bytes: %d + %d + %d instructions", n, bytes, n1, n2, n3)
			require.Equal(t, missionBase+missionPerPeer*(n-1), n1+n2+n3)
			e, err := m.Model().Explain(Request{Op: AllGather, Count: bytes / 4, Dtype: mem.FP32, Expansion: ExpandCCUSched})
			require.NoError(t, err)
			require.Equal(t, want, e.Total, "the prediction")
		}
	}
}

type listing []ccu.Instruction

func decode(t *testing.T, p *ccu.Program) (out listing) {
	for b := p.Image(); len(b) > 0; b = b[ccu.InstructionSize:] {
		i, ok := ccu.Decode(b)
		require.True(t, ok)
		out = append(out, i)
	}
	return out
}

func (l listing) find(op ccu.Op) int64 { return l.after(op, -1) }

func (l listing) after(op ccu.Op, at int64) int64 {
	for i := at + 1; i < int64(len(l)); i++ {
		if l[i].Op == op {
			return i
		}
	}
	return -1
}

func (l listing) last(op ccu.Op) (at int64) {
	for i := l.find(op); i >= 0; i = l.after(op, i) {
		at = i
	}
	return at
}

// More than 128 MiB go in chunks: on phantom data, the time is that of the bytes.
func TestAllGatherInChunks(t *testing.T) {
	const bytes = 300 << 20
	c := newCluster(t, setup{chip: "950dt", kind: "mesh", devices: 2, data: mem.Phantom})
	c.builtin()
	m := c.comm(CommConfig{BufferBytes: 1 << 20, Expansion: ExpandCCUSched})
	c.job(m, AllGather, bytes/4, mem.FP32, mem.Sum, false).start()
	end := c.run()
	rate := c.dev[0].Chip().Group(soc.Direct).Rate
	require.Greater(t, end, rate.Time(bytes))
	require.Less(t, end, rate.Time(bytes)*102/100)
}

func TestMissionsAreRefusedByName(t *testing.T) {
	start := func(s setup, a Args, give bool) error {
		c := newCluster(t, s)
		if give {
			c.builtin()
		}
		m := c.comm(CommConfig{BufferBytes: 1 << 20})
		j := c.job(m, a.Op, 16, mem.FP32, mem.Sum, false)
		x := j.args(0)
		x.Algorithm, x.Expansion = a.Algorithm, ExpandCCUSched
		_, err := m.Rank(0).Start(x)
		require.Equal(t, ErrNotSupport, CodeOf(err))
		return err
	}
	mesh := setup{chip: "950dt", kind: "mesh", devices: 4}
	require.ErrorContains(t, start(setup{chip: "a3", kind: "star", devices: 4}, Args{Op: AllGather}, true), "expansion ccu_sched: generation A3 offers host, aicpu, aiv")
	require.ErrorContains(t, start(setup{chip: "950dt", kind: "star", devices: 4}, Args{Op: AllGather}, true), "want a full mesh in one server")
	require.ErrorContains(t, start(mesh, Args{Op: AllReduce}, true), "got no microprogram all_reduce_mesh, want one of all_gather_mesh")
	require.ErrorContains(t, start(mesh, Args{Op: AllGather, Algorithm: Ring}, true), "got no microprogram all_gather_ring")
	require.ErrorContains(t, start(mesh, Args{Op: AllReduce, Algorithm: MeshOneShot}, true), "got no microprogram all_reduce_mesh_oneshot")
	require.ErrorContains(t, start(mesh, Args{Op: AllGather}, false), "got no modules of microprograms, want one with all_gather_mesh (plugins.ccu)")
}

// A rank that never comes is a stall: the missions of the others say for which
// bits of which event they wait, and who should set them.
func TestMissingRankStallsMissions(t *testing.T) {
	c := newCluster(t, setup{chip: "950dt", kind: "mesh", devices: 3})
	c.builtin()
	m := c.comm(CommConfig{BufferBytes: 1 << 20, Expansion: ExpandCCUSched, ExecTimeout: 50 * sim.Millisecond})
	j := c.job(m, AllGather, 1024, mem.FP32, mem.Sum, false)
	for r := range 2 {
		_, err := m.Rank(r).Start(j.args(r))
		require.NoError(t, err)
	}
	res := c.eng.Run(0)
	require.NotNil(t, res.Stall)
	text := res.Stall.String()
	require.Contains(t, text, "device 1 / die 1 / mission 0 waits for CKE ")
	require.Contains(t, text, "mask 0x0006, of which 0x0006 is not set (notify 0 of the channel to rank 2) at instruction ")
	require.Contains(t, text, "of program all_gather_mesh")
	require.Contains(t, text, "device 2 / die 1, where program all_gather_mesh does not run should act")
	require.Contains(t, text, "device 0 / stream 0 waits for the end of program all_gather_mesh in task 1.2 since ")
	for r := range 2 {
		err := c.str[r].Err()
		require.ErrorContains(t, err, "HCCL_E_TIMEOUT (9), EI0002: the mission of operation 1 of hccl_world_group failed")
		require.ErrorContains(t, err, "mission did not end within 50ms: it waits for CKE ")
		require.Equal(t, ErrTimeout, CodeOf(err))
	}
}

// Memory that a peer frees too early ends the mission that writes there.
func TestMissionThatWritesIntoFreedMemory(t *testing.T) {
	c := newCluster(t, setup{chip: "950dt", kind: "mesh", devices: 2})
	c.builtin()
	m := c.comm(CommConfig{BufferBytes: 1 << 20, Expansion: ExpandCCUSched, ExecTimeout: sim.Millisecond})
	j := c.job(m, AllGather, 1<<20, mem.FP32, mem.Sum, false)
	j.start()
	c.eng.Go("careless", func(p *sim.Proc) {
		p.Sleep(30 * sim.Microsecond)
		require.NoError(t, c.mem.Free(j.recv[1]))
	})
	c.eng.Run(0)
	err := c.str[0].Err()
	require.Equal(t, ErrInternal, CodeOf(err))
	require.ErrorContains(t, err, "the mission of operation 1 of hccl_world_group failed: all_gather of 1048576 fp32 by mesh, ccu_sched: "+
		"ccu: device 0 / die 1 / mission 0, program all_gather_mesh, instruction ")
	require.ErrorContains(t, err, "access (0x0a00): device: write: remote access error")
	require.ErrorContains(t, c.str[1].Err(), "EI0002")
	require.Error(t, m.Err())
}
