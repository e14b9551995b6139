package soc

import (
	"hsim/host/sim"
	"hsim/host/units"
)

// field is one key of a profile: where its value goes in a Chip (the pointer's
// type says how the text is read), its range when it is a count, and what it
// means. An optional key may be absent in a profile without a base.
type field struct {
	key      string
	at       func(*Chip) any
	min, max int64
	optional bool
	doc      string
}

const many = 1 << 24 // upper bound of counts that only memory limits

// fields is the whole profile format except [ports.NAME], in the order in which
// missing keys are reported.
func fields() []field {
	return []field{
		{"chip.soc_name", func(c *Chip) any { return &c.SocName }, 0, 0, false, "SoC name the runtime returns"},
		{"chip.generation", func(c *Chip) any { return &c.Generation }, 0, 0, false, "generation of the chip"},
		{"chip.rank_table", func(c *Chip) any { return &c.RankTable }, 0, 0, true, "rank table version"},
		{"chip.dies", func(c *Chip) any { return &c.Dies }, 1, 64, false, "IO dies"},
		{"chip.server", func(c *Chip) any { return &c.Server }, 1, 1024, false, "devices in one server"},
		{"chip.mesh_group", func(c *Chip) any { return &c.MeshGroup }, 0, 1024, true, "devices in one board-level full mesh, 0 = none"},

		{"limits.streams", func(c *Chip) any { return &c.MaxStreams }, 1, many, false, "streams of a device"},
		{"limits.notifies", func(c *Chip) any { return &c.MaxNotifies }, 1, many, false, "notifies of a device"},
		{"limits.events", func(c *Chip) any { return &c.MaxEvents }, 1, many, false, "events of a device"},
		{"limits.stream_depth", func(c *Chip) any { return &c.StreamDepth }, 2, many, false, "tasks queued in one stream"},
		{"limits.hbm", func(c *Chip) any { return (*size)(&c.HBMBytes) }, 1 << 20, 1 << 40, false, "device memory"},
		{"limits.l2", func(c *Chip) any { return (*size)(&c.L2) }, 0, 1 << 40, false, "L2 cache"},
		{"limits.local_mem", func(c *Chip) any { return (*size)(&c.LocalMemBytes) }, 1 << 10, 1 << 32, false, "local memory of one vector core"},
		{"limits.host_register_align", func(c *Chip) any { return (*size)(&c.HostRegisterAlign) }, 1, 1 << 30, false, "alignment of registered host memory"},
		{"limits.cube_cores", func(c *Chip) any { return &c.CubeCores }, 1, many, false, "cube cores"},
		{"limits.vector_cores", func(c *Chip) any { return &c.VectorCores }, 1, many, false, "vector cores"},
		{"limits.ai_cpus", func(c *Chip) any { return &c.AICPUs }, 1, many, false, "AI CPUs"},

		{"model.headers", func(c *Chip) any { return &c.Headers }, 0, 0, false, "packet headers and acks take bytes"},
		{"model.cut_through", func(c *Chip) any { return &c.CutThrough }, 0, 0, false, "switches forward at once"},
		{"model.free_sync", func(c *Chip) any { return &c.FreeSync }, 0, 0, false, "handshakes of collectives cost nothing"},
		{"model.int8_saturate", func(c *Chip) any { return &c.Int8Saturate }, 0, 0, false, "int8 sums saturate instead of wrapping"},

		{"host.call", func(c *Chip) any { return &c.HostCall }, 0, 0, false, "one runtime call"},
		{"host.launch", func(c *Chip) any { return &c.HostLaunch }, 0, 0, false, "enqueueing one task, beside the call"},
		{"ts.dispatch", func(c *Chip) any { return &c.TSDispatch }, 0, 0, false, "task scheduler, per task"},
		{"sync.host", func(c *Chip) any { return &c.SyncHost }, 0, 0, false, "synchronising task, host expansion"},
		{"sync.aicpu", func(c *Chip) any { return &c.SyncAICPU }, 0, 0, false, "synchronising task, AICPU expansion"},
		{"sync.aiv", func(c *Chip) any { return &c.SyncAIV }, 0, 0, false, "synchronising task, AIV expansion"},
		{"sync.ccu", func(c *Chip) any { return &c.SyncCCU }, 0, 0, false, "synchronising task, CCU expansion"},
		{"aicpu.launch", func(c *Chip) any { return &c.AICPULaunch }, 0, 0, false, "start of an expansion"},
		{"aicpu.per_task", func(c *Chip) any { return &c.AICPUPerTask }, 0, 0, false, "expansion of one task"},
		{"kernel.launch", func(c *Chip) any { return &c.KernelLaunch }, 0, 0, false, "start of an AI core kernel"},

		{"sdma.alpha", func(c *Chip) any { return &c.SDMA.Alpha }, 0, 0, false, "start of one copy"},
		{"sdma.copy_rate", func(c *Chip) any { return &c.SDMA.CopyRate }, 0, 0, false, "local copy"},
		{"sdma.reduce_rate", func(c *Chip) any { return &c.SDMA.ReduceRate }, 0, 0, false, "local inline reduce"},
		{"sdma.channels", func(c *Chip) any { return &c.SDMA.Channels }, 1, many, false, "copies at once"},
		{"memory.hbm_rate", func(c *Chip) any { return &c.HBMRate }, 0, 0, false, "device memory bandwidth"},
		{"remote.read_efficiency", func(c *Chip) any { return (*permille)(&c.RemoteReadEff) }, 1, 1000, false, "payload of a remote read, permille of the link rates"},
		{"remote.write_efficiency", func(c *Chip) any { return (*permille)(&c.RemoteWriteEff) }, 1, 1000, false, "payload of a remote write, permille of the link rates"},

		{"core.clock", func(c *Chip) any { return (*hertz)(&c.Core.ClockHz) }, 1, 0, false, "clock of the AI cores"},
		{"core.dma_alpha", func(c *Chip) any { return &c.Core.DMAAlpha }, 0, 0, false, "start of one core DMA move"},
		{"core.dma_rate", func(c *Chip) any { return &c.Core.DMARate }, 0, 0, false, "core DMA, one core"},
		{"core.vector8", func(c *Chip) any { return &c.Core.Vector.B8 }, 0, 0, false, "vector unit, 8-bit operands"},
		{"core.vector16", func(c *Chip) any { return &c.Core.Vector.B16 }, 0, 0, false, "vector unit, 16-bit operands"},
		{"core.vector32", func(c *Chip) any { return &c.Core.Vector.B32 }, 0, 0, false, "vector unit, 32-bit operands"},
		{"core.vector64", func(c *Chip) any { return &c.Core.Vector.B64 }, 0, 0, false, "vector unit, 64-bit operands"},
		{"core.cube8", func(c *Chip) any { return (*flops)(&c.Core.Cube.B8) }, 0, 0, false, "cube unit, 8-bit operands"},
		{"core.cube16", func(c *Chip) any { return (*flops)(&c.Core.Cube.B16) }, 0, 0, false, "cube unit, 16-bit operands"},
		{"core.cube32", func(c *Chip) any { return (*flops)(&c.Core.Cube.B32) }, 0, 0, false, "cube unit, 32-bit operands"},

		{"ccu.version", func(c *Chip) any { return &c.CCU.Version }, 0, 2, false, "CCU instruction set, 0 = no CCU"},
		{"ccu.versions", func(c *Chip) any { return &c.CCU.Versions }, 1, 2, true, "CCU instruction sets the chip runs"},
		{"ccu.dies", func(c *Chip) any { return &c.CCU.Dies }, 0, 64, true, "dies with a CCU"},
		{"ccu.instructions", func(c *Chip) any { return &c.CCU.Instructions }, 0, 65536, true, "instruction space"},
		{"ccu.missions", func(c *Chip) any { return &c.CCU.Missions }, 0, many, true, "missions at once"},
		{"ccu.loops", func(c *Chip) any { return &c.CCU.Loops }, 0, many, true, "loop engines"},
		{"ccu.xn", func(c *Chip) any { return &c.CCU.Xn }, 0, many, true, "64-bit general registers"},
		{"ccu.gsa", func(c *Chip) any { return &c.CCU.GSA }, 0, many, true, "64-bit address registers"},
		{"ccu.cke", func(c *Chip) any { return &c.CCU.CKE }, 0, many, true, "16-bit event registers"},
		{"ccu.ms", func(c *Chip) any { return &c.CCU.MS }, 0, many, true, "4 KiB memory slices"},
		{"ccu.channels", func(c *Chip) any { return &c.CCU.Channels }, 0, many, true, "channels"},
		{"ccu.issue", func(c *Chip) any { return &c.CCU.Issue }, 0, 0, true, "issue of one instruction"},
		{"ccu.ms_copy_rate", func(c *Chip) any { return &c.CCU.MSCopyRate }, 0, 0, true, "local copy"},
		{"ccu.ms_reduce_rate", func(c *Chip) any { return &c.CCU.MSReduceRate }, 0, 0, true, "local reduce"},
		{"ccu.loop_rate", func(c *Chip) any { return &c.CCU.LoopRate }, 0, 0, true, "memory-to-memory reduce in loop mode"},

		{"network.scale_up", func(c *Chip) any { return &c.ScaleUp }, 0, 0, false, "protocol inside a scale-up domain"},
		{"network.scale_out", func(c *Chip) any { return &c.ScaleOut }, 0, 0, false, "protocol between domains"},
		{"network.hop", func(c *Chip) any { return &c.HopLatency }, 0, 0, false, "processing in a switch"},
		{"expansion.default", func(c *Chip) any { return &c.DefaultExpansion }, 0, 0, false, "collective expansion for auto"},
		{"expansion.all", func(c *Chip) any { return &c.Expansions }, 0, 0, false, "expansions the chip offers"},
	}
}

// portFields are the keys of one [ports.NAME] table.
func portFields() []portField {
	return []portField{
		{"role", func(g *PortGroup) any { return &g.Role }, 0, 0, false, "what the ports are wired for"},
		{"die", func(g *PortGroup) any { return &g.Die }, 0, 63, false, "die of the ports"},
		{"first", func(g *PortGroup) any { return &g.First }, 0, 8191, false, "number of the first port"},
		{"count", func(g *PortGroup) any { return &g.Count }, 1, 8192, false, "ports of a device"},
		{"rate", func(g *PortGroup) any { return &g.Rate }, 0, 0, false, "one port, one direction"},
		{"latency", func(g *PortGroup) any { return &g.Latency }, 0, 0, false, "a link from such a port"},
		{"uplink", func(g *PortGroup) any { return &g.Uplink }, 0, 0, true, "a link between two switches behind it"},
		{"hop", func(g *PortGroup) any { return &g.Hop }, 0, 0, true, "processing in a switch behind it"},
		{"protocols", func(g *PortGroup) any { return &g.Protocols }, 0, 0, false, "what the ports speak"},
	}
}

type portField struct {
	key      string
	at       func(*PortGroup) any
	min, max int64
	optional bool
	doc      string
}

// The types below exist so that a pointer's type alone says how to read it.
type (
	size     int64
	permille int
	hertz    int64
	flops    int64
)

// unitOf names the unit of the value behind a field's pointer.
func unitOf(p any) string {
	switch p.(type) {
	case *string, *Protocol, *Role:
		return "name"
	case *[]string, *ProtocolSet:
		return "names"
	case *int, *[]int:
		return "count"
	case *bool:
		return "flag"
	case *size:
		return "size"
	case *permille:
		return "permille"
	case *hertz:
		return "frequency"
	case *flops:
		return "flops"
	case *sim.Time:
		return "time"
	case *units.Rate:
		return "rate"
	}
	return "?"
}
