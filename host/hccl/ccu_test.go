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

// Every number of ranks, ragged sizes, in place, late ranks, one operation after
// the other on the same buffers, over the wasm transport.
func TestAllGatherByMissions(t *testing.T) {
	for _, n := range []int{1, 2, 3, 5, 8} {
		for _, inPlace := range []bool{false, true} {
			for _, count := range []int64{1, 1031, 128 * 4096, 300_000} {
				t.Run(fmt.Sprintf("%d ranks, %d, in place %v", n, count, inPlace), func(t *testing.T) {
					c := newCluster(t, setup{chip: "950dt", kind: "mesh", devices: n})
					c.builtin()
					m := c.comm(CommConfig{BufferBytes: 1 << 20, Expansion: ExpandCCUSched})
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
								require.Equal(t, Choice{Algorithm: Mesh, Expansion: ExpandCCUSched}, Choice{Algorithm: l.Choice.Algorithm, Expansion: l.Choice.Expansion})
								require.Equal(t, int64(2), l.Tasks)
							})
						}
						c.run()
						j.check()
					}
					require.False(t, m.Busy())
					require.NoError(t, m.Close())
				})
			}
		}
	}
}

func TestMissionTimes(t *testing.T) {
	for _, n := range []int{2, 4, 8} {
		for _, bytes := range []int64{4, 64 << 10, 4 << 20} {
			c := newCluster(t, setup{chip: "950dt", kind: "mesh", devices: n, change: func(c *soc.Chip) { c.Headers = false }})
			c.builtin()
			m := c.comm(CommConfig{BufferBytes: 1 << 20, Expansion: ExpandCCUSched})
			j := c.job(m, AllGather, bytes/4, mem.FP32, mem.Sum, false)
			for r := range n {
				j.fill(r, floats(uint32(r), bytes/4))
			}
			j.start()
			end := c.run()
			j.check()
			p := m.units.programs[m.units.made[0]][0]
			fmt.Println(n, bytes, end, p.Size(), "instructions")
		}
	}
}
