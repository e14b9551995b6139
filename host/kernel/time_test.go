package kernel

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"hsim/host/sim"
	"hsim/host/units"
)

// What one block costs is the closed form of the chip's constants.
func TestOneBlockCosts(t *testing.T) {
	const n = 16 << 10
	for _, chip := range []string{"a3", "950dt", "ideal"} {
		for _, c := range []struct {
			name string
			args func(r *rig) []byte
			want func(r *rig) sim.Time
		}{
			{"in", func(r *rig) []byte { return probeArgs(r.alloc(n), n, 5, 0) },
				func(r *rig) sim.Time { return 5 * r.moveTime(n, r.chip.Core.DMARate) }},
			{"out", func(r *rig) []byte { return probeArgs(r.alloc(n), n, 3, 0) },
				func(r *rig) sim.Time { return 3 * r.moveTime(n, r.chip.Core.DMARate) }},
			{"vector", func(*rig) []byte { return probeArgs(0, 100000, 0, 3) }, // fp16
				func(r *rig) sim.Time { return r.chip.Core.Vector.B16.Time(200000) }},
			{"cube", func(*rig) []byte { return probeArgs(0, 128, 0, 4) }, // fp32
				func(r *rig) sim.Time {
					if r.chip.Core.Cube.B32 == 0 {
						return 0
					}
					ops := 2 * int64(128*128*128)
					return sim.Time((ops*int64(sim.Second/1000) + r.chip.Core.Cube.B32/1000 - 1) / (r.chip.Core.Cube.B32 / 1000))
				}},
			{"scalar", func(*rig) []byte { return probeArgs(0, 12345, 0, 0) },
				func(r *rig) sim.Time { return perSecond(12345, uint64(r.chip.Core.ClockHz)) }},
			// One pipe keeps the order across directions, two pipes overlap.
			{"duplex", func(r *rig) []byte { return probeArgs(r.alloc(2*n), n, 0, 0) },
				func(r *rig) sim.Time { return 2 * r.moveTime(n, r.chip.Core.DMARate) }},
			{"duplex", func(r *rig) []byte { return probeArgs(r.alloc(2*n), n, 0, 1) },
				func(r *rig) sim.Time { return r.moveTime(n, r.chip.Core.DMARate) }},
			{"hurry", func(r *rig) []byte { return probeArgs(r.alloc(n), n, 0, 0) },
				func(r *rig) sim.Time { return r.moveTime(n, r.chip.Core.DMARate) }},
		} {
			t.Run(chip+"/"+c.name, func(t *testing.T) {
				r := newRig(t, chip)
				o := r.one(r.probe(c.name), Spec{Args: c.args(r)})
				require.NoError(t, o.err)
				assert.Equal(t, r.chip.KernelLaunch+c.want(r), o.at)
			})
		}
	}
}

// Cores share the HBM: k equal moves take as long as one at a k-th of the rate,
// or at the core's own rate when that is less.
func TestCoresShareMemory(t *testing.T) {
	const n = 64 << 10
	for _, blocks := range []int{1, 2, 15, 16, 17, 40, 48} {
		r := newRig(t, "a3")
		o := r.one(r.probe("in"), Spec{Args: probeArgs(r.alloc(n), n, 1, 0), Blocks: blocks})
		require.NoError(t, o.err)
		rate := min(r.chip.Core.DMARate, r.chip.HBMRate/units.Rate(blocks))
		assert.Equal(t, r.chip.KernelLaunch+r.moveTime(n, rate), o.at, "%d blocks", blocks)
	}
}

// Moves of different lengths: as each ends, the rest share what it leaves.
func TestSharesGrowAsMovesEnd(t *testing.T) {
	const n, blocks = 64 << 10, 8
	r := newRig(t, "a3", func(c *Config) {
		c.Chip.Core.DMARate = 0 // only the shared limit
		c.Chip.HBMRate = 80 * units.Rate(1e9)
	})
	o := r.one(r.probe("shrink"), Spec{Args: probeArgs(r.alloc(n), n, 0, 0), Blocks: blocks})
	require.NoError(t, o.err)
	// The memory is never idle, so the longest ends when all bytes are through.
	total := int64(0)
	for b := range blocks {
		total += n >> b
	}
	want := r.chip.KernelLaunch + r.chip.Core.DMAAlpha + r.chip.HBMRate.Time(total)
	assert.InDelta(t, int64(want), int64(o.at), blocks, "within a picosecond for each end")
	assert.GreaterOrEqual(t, o.at, want)
}

// More blocks than cores run in waves.
func TestWaves(t *testing.T) {
	r := newRig(t, "a3", func(c *Config) { c.Chip.HBMRate = 0 })
	const n = 16 << 10
	o := r.one(r.probe("in"), Spec{Args: probeArgs(r.alloc(n), n, 1, 0), Blocks: 2*r.chip.VectorCores + 1})
	require.NoError(t, o.err)
	assert.Equal(t, r.chip.KernelLaunch+3*r.moveTime(n, r.chip.Core.DMARate), o.at)
}

// Launches take cores in order; what fits beside an earlier one runs beside it.
func TestLaunchesShareCores(t *testing.T) {
	r := newRig(t, "a3")
	f := r.probe("scalar")
	wide := r.launch(f, Spec{Args: probeArgs(0, 18000, 0, 0), Blocks: r.chip.VectorCores - 1})
	beside := r.launch(f, Spec{Args: probeArgs(0, 1800, 0, 0)})
	behind := r.launch(f, Spec{Args: probeArgs(0, 1800, 0, 0), Blocks: 2})
	cube := r.launch(r.probe("both"), Spec{Unit: CubeCore, Blocks: 24})
	r.run()
	us := sim.Microsecond
	assert.Equal(t, r.chip.KernelLaunch+10*us, wide.at)
	assert.Equal(t, r.chip.KernelLaunch+1*us, beside.at)
	assert.Equal(t, r.chip.KernelLaunch+3*us, behind.at, "its blocks follow one another on the last core")
	assert.Equal(t, r.chip.KernelLaunch, cube.at)
}

func TestBarrierCost(t *testing.T) {
	r := newRig(t, "a3")
	a := r.alloc(64)
	o := r.one(r.probe("meet"), Spec{Args: probeArgs(a, 1800, 0, 0), Blocks: r.chip.VectorCores})
	require.NoError(t, o.err)
	last := sim.Microsecond * sim.Time(r.chip.VectorCores-1)
	move := r.moveTime(4, r.chip.Core.DMARate)
	inRate := min(r.chip.Core.DMARate, r.chip.HBMRate/units.Rate(r.chip.VectorCores))
	assert.Equal(t, r.chip.KernelLaunch+last+move+r.chip.SyncAIV+r.moveTime(4, inRate), o.at)
}

func TestSameTimesOnEveryRun(t *testing.T) {
	var first []sim.Time
	for range 3 {
		r := newRig(t, "950dt")
		a := r.alloc(1 << 20)
		var all []*outcome
		for i := range uint64(6) {
			all = append(all, r.launch(r.probe("shrink"), Spec{Args: probeArgs(a, 60000-i*777, 0, 0), Blocks: 5}))
		}
		r.run()
		var at []sim.Time
		for _, o := range all {
			require.NoError(t, o.err)
			at = append(at, o.at)
		}
		if first == nil {
			first = at
		}
		require.Equal(t, first, at)
	}
}
