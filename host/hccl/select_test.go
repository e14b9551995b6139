package hccl

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"hsim/host/mem"
	"hsim/host/sim"
	"hsim/host/soc"
	"hsim/host/topo"
)

func TestSelection(t *testing.T) {
	inside := true // servers are meshes
	shape := func(generation string, ranks, servers int, mesh bool) Shape {
		def := ExpandAICPU
		if generation == "A2" || generation == "910" {
			def = ExpandHost
		}
		return Shape{Generation: generation, Ranks: ranks, Servers: servers, Mesh: mesh, Group: ranks / servers, Inside: inside, Default: def,
			Offered: []Expansion{ExpandHost, ExpandAICPU, ExpandAIV, ExpandCCUMS, ExpandCCUSched}}
	}
	for _, c := range []struct {
		name  string
		q     Request
		s     Shape
		alg   Algorithm
		why   string
		other string // Instead
	}{
		{"950 small", Request{Op: AllReduce, Count: 2 << 20, Dtype: mem.FP32}, shape("950", 8, 1, true), MeshOneShot, "at most 8 MiB", ""},
		{"950 above 8 MiB", Request{Op: AllReduce, Count: 2<<20 + 1, Dtype: mem.FP32}, shape("950", 8, 1, true), Mesh, "above 8 MiB", ""},
		{"950 chunked", Request{Op: AllReduce, Count: 65<<20 + 64, Dtype: mem.FP32}, shape("950", 8, 1, true), Mesh, "above 32 MiB", "the chunked two-shot mesh"},
		{"950 clos", Request{Op: AllReduce, Count: 1, Dtype: mem.FP32}, shape("950", 8, 1, false), NHR, "switched", ""},
		{"950 two levels", Request{Op: AllReduce, Count: 8 * mib, Dtype: mem.FP32}, shape("950", 16, 2, false), NHR, "at most 32 MiB", ""},
		{"950 two levels, large", Request{Op: AllReduce, Count: 8*mib + 1, Dtype: mem.FP32}, shape("950", 16, 2, false), MeshNHRParallel, "in parallel", ""},
		{"950 two levels, huge", Request{Op: AllReduce, Count: gib + 1, Dtype: mem.FP32}, shape("950", 16, 2, false), MeshNHR, "in sequence", ""},
		{"950 gather", Request{Op: AllGather, Count: mib / 4, Dtype: mem.FP32}, shape("950", 16, 2, false), NHR, "at most 1 MiB", ""},
		{"950 gather, large", Request{Op: AllGather, Count: mib/4 + 1, Dtype: mem.FP32}, shape("950", 16, 2, false), MeshNHRParallel, "in parallel", ""},
		{"950 scatter, huge", Request{Op: ReduceScatter, Count: 64*mib + 1, Dtype: mem.FP32}, shape("950", 16, 2, false), MeshNHR, "4 GiB in total", ""},
		{"950 broadcast", Request{Op: Broadcast, Count: 64 * kib, Dtype: mem.FP32}, shape("950", 16, 2, false), Mesh, "flat mesh", ""},
		{"950 broadcast, more", Request{Op: Broadcast, Count: 64*kib + 4, Dtype: mem.FP32}, shape("950", 16, 2, false), NHR, "below 64 ranks", ""},
		{"950 broadcast, many ranks", Request{Op: Broadcast, Count: 64 * mib, Dtype: mem.FP32}, shape("950", 128, 16, false), MeshNHRParallel, "large", ""},
		{"950 one each", Request{Op: AllReduce, Count: gib, Dtype: mem.FP32}, shape("950", 2, 2, false), NHR, "servers with one rank", ""},
		{"a3 servers", Request{Op: AllReduce, Count: 1, Dtype: mem.FP32}, shape("A3", 32, 2, false), RingNHR, "ring inside", "the double ring over both dies inside a server"},
		{"a2 two servers", Request{Op: AllReduce, Count: 1, Dtype: mem.FP32}, shape("A2", 16, 2, false), MeshNHR, "mesh inside", ""},
		{"910 three servers", Request{Op: AllReduce, Count: 1, Dtype: mem.FP32}, shape("910", 24, 3, false), RingRing, "no power of two", ""},
		{"910 four servers", Request{Op: AllReduce, Count: 1, Dtype: mem.FP32}, shape("910", 32, 4, false), RingRHD, "a power of two", ""},
		{"950 all_to_all", Request{Op: AllToAll, Count: 1, Dtype: mem.FP32}, shape("950", 16, 2, false), Mesh, "every all_to_all", ""},
		{"a3", Request{Op: AllReduce, Count: 1, Dtype: mem.FP32}, shape("A3", 16, 1, false), Ring, "ring", "the double ring over both dies"},
		{"a2 small", Request{Op: AllReduce, Count: 128 * kib, Dtype: mem.FP32}, shape("A2", 8, 1, true), MeshOneShot, "512 KiB", ""},
		{"a2", Request{Op: AllReduce, Count: 128*kib + 1, Dtype: mem.FP32}, shape("A2", 8, 1, true), Mesh, "mesh", ""},
		{"a2 servers", Request{Op: AllToAll, Count: 1, Dtype: mem.FP32}, shape("A2", 16, 2, false), MeshPairwise, "mesh inside, pairwise between", ""},
		{"910 ring", Request{Op: Broadcast, Count: 1, Dtype: mem.FP32}, shape("910", 8, 1, false), Ring, "ring", ""},
		{"910 four", Request{Op: Broadcast, Count: 1, Dtype: mem.FP32}, shape("910", 4, 1, true), Mesh, "one plane", ""},
		{"ideal star", Request{Op: AllReduce, Count: 1, Dtype: mem.FP32}, shape("ideal", 8, 1, false), NHR, "shared ports", ""},
	} {
		got, err := Select(c.q, c.s)
		require.NoError(t, err, c.name)
		assert.Equal(t, c.alg, got.Algorithm, c.name)
		assert.Contains(t, got.Why, c.why, c.name)
		assert.Equal(t, c.other, got.Instead, c.name)
		assert.False(t, got.Override, c.name)
		assert.Equal(t, c.s.Default, got.Expansion, c.name)
	}
	for _, c := range []struct {
		alg      Algorithm
		s        Shape
		override bool
	}{
		{Ring, shape("950", 8, 1, true), true}, {NHR, shape("950", 16, 2, false), false}, {Ring, shape("950", 16, 2, false), true},
		{Ring, shape("A2", 16, 2, false), false}, {NHR, shape("A2", 8, 1, true), true}, {Mesh, shape("A2", 8, 1, true), false},
		{Ring, shape("ideal", 8, 1, false), false}, {MeshNHR, shape("950", 16, 2, false), false}, {MeshNHRParallel, shape("A2", 16, 2, false), true},
		{MeshRing, shape("A2", 16, 2, false), false}, {RingNHR, shape("A2", 16, 2, false), true}, {RingRing, shape("910", 24, 3, false), false},
	} {
		got, err := Select(Request{Op: AllReduce, Count: 1 << 20, Dtype: mem.FP32, Algorithm: c.alg}, c.s)
		require.NoError(t, err)
		assert.Equal(t, c.override, got.Override, "%v on %s", c.alg, c.s.Generation)
		if c.override {
			assert.Contains(t, got.String(), "the hardware would not select this")
		}
	}
	for e, text := range map[Expansion]string{ExpandAIV: "expansion aiv is not supported yet (try host, aicpu or ccu_sched)",
		ExpandCCUMS: "expansion ccu_ms is not supported yet", ExpandCCUSched: "expansion ccu_sched: got no modules of microprograms, want one with all_reduce_mesh"} {
		_, err := Select(Request{Op: AllReduce, Count: 1, Dtype: mem.FP32, Expansion: e}, shape("950", 8, 1, true))
		assert.Equal(t, ErrNotSupport, CodeOf(err))
		assert.ErrorContains(t, err, text)
	}
	// Servers that are not meshes, and servers of different sizes, have no levels.
	inside = false
	got, err := Select(Request{Op: AllReduce, Count: gib, Dtype: mem.FP32}, shape("950", 16, 2, false))
	require.NoError(t, err)
	assert.Equal(t, NHR, got.Algorithm)
	uneven := shape("A2", 12, 2, false)
	uneven.Group = 0
	got, err = Select(Request{Op: AllReduce, Count: 1, Dtype: mem.FP32}, uneven)
	require.NoError(t, err)
	assert.Equal(t, NHR, got.Algorithm)
	_, err = Select(Request{Op: AllReduce, Count: 1, Dtype: mem.FP32, Algorithm: MeshNHR}, uneven)
	assert.ErrorContains(t, err, "algorithm mesh-nhr: got 12 ranks on 2 servers, want several servers with the same number of ranks")
	s := shape("910", 8, 1, false)
	s.Offered = []Expansion{ExpandHost}
	_, err = Select(Request{Op: AllReduce, Count: 1, Dtype: mem.FP32, Expansion: ExpandAICPU}, s)
	assert.ErrorContains(t, err, "generation 910 offers host")
}

func TestShapes(t *testing.T) {
	for _, c := range []struct {
		chip string
		spec topo.Spec
		want Shape
	}{
		{"a2", topo.Spec{Kind: "mesh", Servers: 1, Devices: 8}, Shape{Generation: "A2", Ranks: 8, Servers: 1, Mesh: true, Group: 8, Inside: true, Default: ExpandHost}},
		{"a2", topo.Spec{Kind: "mesh", Servers: 2, Devices: 8}, Shape{Generation: "A2", Ranks: 16, Servers: 2, Group: 8, Inside: true, Default: ExpandHost}},
		{"a3", topo.Spec{Kind: "star", Servers: 1, Devices: 16}, Shape{Generation: "A3", Ranks: 16, Servers: 1, Group: 16, Default: ExpandAICPU}},
	} {
		p, err := soc.Load(c.chip)
		require.NoError(t, err)
		g, err := topo.Build(c.spec, p.Chip())
		require.NoError(t, err)
		nodes := make([]topo.NodeID, g.Devices)
		for i := range nodes {
			nodes[i] = topo.NodeID(i)
		}
		got := ShapeOf(g, p.Chip(), nodes)
		got.Offered = nil
		assert.Equal(t, c.want, got)
	}
	p, err := soc.Load("a2")
	require.NoError(t, err)
	g, err := topo.Build(topo.Spec{Kind: "mesh", Servers: 2, Devices: 4}, p.Chip())
	require.NoError(t, err)
	for _, c := range []struct {
		nodes []topo.NodeID
		group int
	}{{[]topo.NodeID{4, 5, 0, 1}, 2}, {[]topo.NodeID{0, 4, 1, 5}, 0}, {[]topo.NodeID{0, 1, 4}, 0}, {[]topo.NodeID{0, 4}, 1}, {[]topo.NodeID{3, 2, 0}, 3}} {
		assert.Equal(t, c.group, ShapeOf(g, p.Chip(), c.nodes).Group, "%v", c.nodes)
	}
}

// "best" is what takes the least time, by prediction and in a run.
func TestBest(t *testing.T) {
	for _, count := range []int64{16, 1 << 20} {
		times := map[Algorithm]sim.Time{}
		var least sim.Time
		for _, alg := range Algorithms(AllReduce) {
			_, times[alg] = simulate(t, setup{chip: "950dt", kind: "mesh", devices: 8}, AllReduce, alg, ExpandAuto, count)
			if least == 0 || times[alg] < least {
				least = times[alg]
			}
		}
		c, got := simulate(t, setup{chip: "950dt", kind: "mesh", devices: 8}, AllReduce, Best, ExpandAuto, count)
		require.Equal(t, least, got, "%v", times)
		e, err := c.host.comms[0].Model().Explain(Request{Op: AllReduce, Count: count, Dtype: mem.FP32, Algorithm: Best})
		require.NoError(t, err)
		require.Contains(t, e.String(), "the shortest predicted time")
		require.Contains(t, e.String(), "ts.dispatch")
	}
}

func TestNames(t *testing.T) {
	for _, n := range OpNames() {
		o, err := ParseOp(n)
		require.NoError(t, err)
		require.Equal(t, n, o.String())
	}
	for _, n := range AlgorithmNames() {
		a, err := ParseAlgorithm(n)
		require.NoError(t, err)
		require.Equal(t, n, a.String())
	}
	for _, n := range ExpansionNames() {
		e, err := ParseExpansion(n)
		require.NoError(t, err)
		require.Equal(t, n, e.String())
	}
	_, err := ParseAlgorithm("ahc")
	require.ErrorContains(t, err, "not supported yet")
	a, err := ParseAlgorithm("H-D_R")
	require.NoError(t, err)
	require.Equal(t, RHD, a)
	_, err = ParseOp("allsum")
	require.ErrorContains(t, err, `got "allsum", want all_reduce`)
	e, err := ParseExpansion("AI_CPU")
	require.NoError(t, err)
	require.Equal(t, ExpandAICPU, e)
	require.Equal(t, "HCCL_E_NOT_SUPPORT", ErrNotSupport.String())
	require.Equal(t, "HCCL_SUCCESS", CodeOf(nil).String())
	require.Equal(t, "HCCL_E_RESERVED", Result(99).String())
}
