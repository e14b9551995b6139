package scenario

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"hsim/host/fabric"
	"hsim/host/sim"
	"hsim/host/topo"
)

// [fabric] becomes the features of the ports, one to one.
func TestFabricKeys(t *testing.T) {
	sc, bad := load(t, small+`[fabric]
lanes = 4
schedule = "dwrr"
weights = [0, 2, 1, 1]
levels = [0, 0, 3, 1, 1, 2]
flow_control = "credits"
allocation = "7ns"
routing = "adaptive"
hash_seed = 9
paths = "all"
sample = "3us"
forwarding = "store-and-forward"
credits = { cells = 100, shared = 50, flit = "32", flits = 4, grain = 8, data_grain = 2, frame = 64 }
buffer = { reserve = "1KiB", shared = "2MiB", alpha = 3 }
ecn = { kmin = "10KiB", kmax = "100KiB", pmax = "10%" }
[transport]
UB_CTP.level = 5
[env]
HCCL_RDMA_SL = "3"
`, Options{})
	require.Empty(t, bad)
	n := sc.Variants[0].Network
	assert.Equal(t, fabric.Features{Lanes: 4, Quantum: [16]int32{0, 8192, 4096, 4096}, Allocation: 7 * sim.Nanosecond, Adaptive: true,
		Credits: fabric.Credits{Cells: 100, Shared: 50, Flit: 32, Flits: 4, Grain: 8, DataGrain: 2, Frame: 64},
		Buffer:  fabric.Buffer{Reserve: 1024, Shared: 2 << 20, Alpha: 3},
		Mark:    fabric.Mark{Kmin: 10240, Kmax: 102400, PmaxPPM: 100_000}}, n.Features)
	assert.Equal(t, []uint8{0, 0, 3, 1, 1, 2}, n.Lanes)
	assert.EqualValues(t, []uint8{5, 3, 0}, []uint8{n.Levels[topo.UB_CTP], n.Levels[topo.ROCE], n.Levels[topo.HCCS]})
	assert.True(t, n.Spray && n.Detours)
	assert.EqualValues(t, 9, n.HashSeed)
	assert.Equal(t, 3*sim.Microsecond, n.Sample)

	sc, bad = load(t, small+"[fabric]\nlanes = 2\nflow_control = \"pfc_dynamic\"\nbuffer = { shared = \"4MiB\", headroom = \"64KiB\" }\npfc = { lanes = [1], below = \"2KiB\" }\n"+
		"[[variant]]\nname = \"fixed\"\nfabric.flow_control = \"pfc_fixed\"\nfabric.pfc.off = \"9KiB\"\nfabric.pfc.on = \"8KiB\"\n", Options{})
	require.Empty(t, bad)
	assert.Equal(t, fabric.Pause{Lanes: 2, Dynamic: true, Below: 2048, Off: 800 << 10, On: 640 << 10}, sc.Variants[0].Network.Pause)
	assert.Equal(t, fabric.Pause{Lanes: 2, Off: 9 << 10, On: 8 << 10, Below: 2048}, sc.Variants[1].Network.Pause, "what the other flow control wanted stays without effect")
	sc, bad = load(t, small, Options{})
	require.Empty(t, bad)
	assert.False(t, sc.Variants[0].Network.Queued(), "without [fabric] ports decide when packets arrive")
	assert.EqualValues(t, 1, sc.Variants[0].Network.HashSeed, "the seed of the run")
}

func TestBadFabric(t *testing.T) {
	for keys, want := range map[string]string{
		"lanes = 17":    `sim.toml:10: fabric.lanes = 17: want a whole number from 1 to 16`,
		"weights = [1]": `sim.toml:10: fabric.weights = [1]: has no meaning with strict priority (try fabric.schedule = "dwrr")`,
		"lanes = 2\nschedule = \"dwrr\"\nweights = [1, 2, 3]": `fabric.weights = [1, 2, 3]: got 3 numbers for 2 lanes, want one each`,
		"levels = [0, 1]":                                                     `fabric.levels = [0, 1]: got lane 1, want one of 0 to 0 (try fabric.lanes = 2)`,
		"flow_control = \"pfc\"":                                              `fabric.flow_control = "pfc": want one of none, credits, pfc_fixed, pfc_dynamic`,
		"flow_control = \"pfc_dynamic\"":                                      `fabric.flow_control = "pfc_dynamic": wants the bytes that a switch shares (try fabric.buffer.shared = "32MiB")`,
		"flow_control = \"pfc_fixed\"\npfc.off = \"1KiB\"":                    `sim.toml:11: fabric.pfc.off = "1KiB": want at least fabric.pfc.on, which is 640KiB (try a smaller fabric.pfc.on beside it)`,
		"flow_control = \"pfc_fixed\"\npfc.off = \"1KiB\"\npfc.on = \"2KiB\"": `sim.toml:12: fabric.pfc.on = "2KiB": want at most fabric.pfc.off, 1KiB`,
		"flow_control = \"pfc_fixed\"\npfc.lanes = [1]":                       `fabric.pfc.lanes = [1]: got lane 1, want one of 0 to 0 (try fabric.lanes = 2)`,
		"flow_control = \"credits\"\npfc.off = \"1KiB\"":                      `fabric.pfc.off = "1KiB": has no meaning with fabric.flow_control = "credits"`,
		"credits.cells = 5":                                                   `fabric.credits.cells = 5: has no meaning with fabric.flow_control = "none"`,
		"flow_control = \"credits\"\ncredits.cells = 5\ncredits.grain = 6":    `fabric.credits.grain = 6: want at most fabric.credits.cells, 5`,
		"flow_control = \"credits\"\ncredits.flit = 0":                        `fabric.credits.flit = 0: want 1 to 65536 bytes`,
		"buffer.headroom = \"1KiB\"":                                          `fabric.buffer.headroom = "1KiB": has no meaning with fabric.flow_control = "none"`,
		"ecn.kmin = \"1KiB\"":                                                 `fabric.ecn.kmin = "1KiB": has no meaning without fabric.ecn.kmax`,
		"ecn.kmin = \"2KiB\"\necn.kmax = \"1KiB\"":                            `fabric.ecn.kmin = "2KiB": want at most fabric.ecn.kmax, 1KiB`,
		"allocation = \"2s\"":                                                 `fabric.allocation = "2s": want at most 1s`,
		"sample = \"1ns\"":                                                    `fabric.sample = "1ns": want "0" or at least 100ns: every port is looked at each time (try "10us")`,
		"hash_seed = 0":                                                       `fabric.hash_seed = 0: want a whole number from 1 to`,
		"routing = \"ecmp\"":                                                  `fabric.routing = "ecmp": want one of hash, spray, adaptive`,
		"forwarding = \"cut-through\"\n[cluster.topology]\nkind = \"star\"\nstore_and_forward = true": `fabric.forwarding = "cut-through": cluster.topology.store_and_forward says it already (try one of the two)`,
	} {
		assert.Contains(t, refused(t, t.TempDir(), small+"[fabric]\n"+keys+"\n", Options{}), want, keys)
	}
}

// Spray and adaptive choice switch on the parameter spray of plugins that have it; where none has it, they are refused.
func TestSprayNeedsAPlugin(t *testing.T) {
	window := filepath.Join("..", "..", "examples", "transport-c", "transport-c.wasm")
	abs, err := filepath.Abs(window)
	require.NoError(t, err)
	text := small + "[fabric]\nrouting = \"spray\"\n[transport]\nUB_CTP = \"" + abs + "\"\n"
	assert.Contains(t, refused(t, t.TempDir(), text, Options{}), `fabric.routing = "spray": no plugin in use lets switches choose a way for each packet: UB_CTP over `)
	off := small + "[fabric]\nrouting = \"adaptive\"\n[transport.UB_CTP]\nparams = { spray = false }\n"
	assert.Contains(t, refused(t, t.TempDir(), off, Options{}), `fabric.routing = "adaptive": no plugin in use lets switches choose a way for each packet: transport.UB_CTP.params.spray is false (try "hash")`)
	sc, bad := load(t, strings.Replace(text, abs, "rdma", 1), Options{})
	require.Empty(t, bad)
	lib, err := newLibrary()
	require.NoError(t, err)
	defer func() { _ = lib.close() }()
	plans, err := prepareAll(sc, lib)
	require.NoError(t, err)
	assert.Contains(t, plans[0].cfg.Transport[topo.UB_CTP].Params, Param{Name: "spray", Value: true, path: "fabric.routing"})
	assert.Empty(t, sc.Variants[0].Transport[topo.UB_CTP].Params, "the configuration stays as it was read")
}

// rowOf runs one op on 64 ideal devices behind leaves and spines.
func rowOf(t *testing.T, op, size, keys string) *VariantReport {
	t.Helper()
	v := execute(t, "[cluster]\nprofile = \"ideal\"\nservers = 4\ndevices = 16\ntopology = \"superpod\"\n[sim]\ndata = \"phantom\"\n[[run]]\nop = \""+op+
		"\"\nsizes = \""+size+"\"\n[fabric]\n"+keys+"\n", Options{}).Variants[0]
	require.Equal(t, OutcomeOK, v.Outcome, "%s: %v", keys, v.Errors)
	return v
}

// Way by way: a hash collides, a spray does not, and the choice by the queue is no worse than the spray.
func TestRoutingOfAllToAll(t *testing.T) {
	us := func(keys string) float64 { return rowOf(t, "all_to_all", "16MiB", keys).Rows[0].TimeUS.Float() }
	hash, spray, adaptive := us(""), us("routing = \"spray\""), us("routing = \"adaptive\"")
	bound := 63.0 / 64 * (16 << 20) * 8 / 400e3 // us: what leaves a device at its rate
	assert.Greater(t, hash, spray)
	assert.Greater(t, spray, adaptive)
	assert.Greater(t, adaptive, bound)
	assert.NotEqual(t, hash, us("hash_seed = 5"), "other hashes, other collisions")
	assert.Greater(t, us("forwarding = \"store-and-forward\""), hash)
}

// Flow control loses nothing, marks are made, and a buffer without it drops, which RDMA repairs and the report counts.
func TestFlowControl(t *testing.T) {
	plain := rowOf(t, "all_to_all", "4MiB", "").Rows[0].TimeUS.Float()
	for keys, pauses := range map[string]bool{
		"lanes = 4\nflow_control = \"credits\"\ncredits.cells = 2000":                                    false,
		"flow_control = \"credits\"\ncredits = { cells = 200, shared = 400, grain = 1, data_grain = 0 }": false,
		"lanes = 2\nflow_control = \"pfc_fixed\"\npfc = { off = \"64KiB\", on = \"32KiB\" }":             true,
		"flow_control = \"pfc_dynamic\"\nbuffer = { shared = \"96KiB\", headroom = \"128KiB\" }":         true,
		"ecn = { kmin = \"16KiB\", kmax = \"64KiB\" }":                                                   false,
	} {
		v := rowOf(t, "all_to_all", "4MiB", keys)
		assert.Zero(t, v.Network.Drops, keys)
		assert.Equal(t, pauses, v.Network.Pauses > 0, keys)
		assert.Equal(t, strings.Contains(keys, "ecn"), v.Network.Marked > 0, keys)
		assert.Less(t, v.Rows[0].TimeUS.Float(), 2*plain, keys)
	}
	v := rowOf(t, "all_to_all", "1MiB", "buffer.shared = \"64KiB\"\n[transport]\nUB_CTP = \"rdma\"\n[env]\nHCCL_RDMA_TIMEOUT = \"6\"\n")
	assert.Positive(t, v.Network.Drops)
	full := int64(0)
	for _, p := range v.Network.Ports {
		full += p.Full
	}
	assert.Equal(t, v.Network.Drops, full, "all of them found no room")
}

// A lane that may hold so many cells carries them once for each time that its credit takes to come back.
func TestCreditsBoundTheRate(t *testing.T) {
	const cells, mtu = 520, 4096 // twenty packets of 26 cells: 81 920 bytes
	v := execute(t, "[cluster]\nprofile = \"ideal\"\ndevices = 2\n[cluster.topology]\nkind = \"star\"\nlatency = \"10us\"\nhop_latency = \"0\"\n"+
		"[sim]\ndata = \"phantom\"\n[[run]]\nop = \"all_gather\"\nalgorithm = \"mesh\"\nsizes = \"64MiB\"\n"+
		"[fabric]\ntrain = 1\nflow_control = \"credits\"\ncredits = { cells = 520, grain = 1, data_grain = 0, frame = 0 }\n", Options{}).Variants[0]
	require.Equal(t, OutcomeOK, v.Outcome, v.Errors)
	// A packet starts, its last bit leaves the switch, which cuts through, after the link and its own length, and the cells
	// come back over the link.
	loop := 10e-6 + mtu*8/400e9 + 10e-6
	rate := float64(cells/26) * mtu / loop
	assert.InEpsilon(t, (64<<20)/rate*1e6, v.Rows[0].TimeUS.Float(), 0.01)
}

// Ways that are longer by a link carry what the shortest ones would: in a mesh of two dimensions packets for the far end
// of a row of the other dimension go by its other devices as well.
func TestAllPaths(t *testing.T) {
	text := "[cluster]\nprofile = \"950dt\"\ndevices = 8\nservers = 2\ntopology = { kind = \"mesh\", dims = [4, 4] }\n[[run]]\nop = \"all_to_all\"\nsizes = \"1MiB\"\n"
	used := func(more string) (ports int, us float64) {
		v := execute(t, text+more, Options{}).Variants[0]
		require.Equal(t, OutcomeOK, v.Outcome, v.Errors)
		require.Equal(t, Success, v.Rows[0].Check)
		for _, p := range v.Network.Ports {
			ports += int(p.Packets)
		}
		return ports, v.Rows[0].TimeUS.Float()
	}
	shortest, _ := used("")
	all, _ := used("[fabric]\npaths = \"all\"\nrouting = \"spray\"\n")
	assert.Greater(t, all, shortest, "packets take more links")
	assert.Less(t, all, shortest*2)
}
