package scenario

import (
	"hsim/host/soc"
	"hsim/host/topo"
)

// Values of enumerated keys.
var (
	opNames        = []string{"all_reduce", "all_gather", "reduce_scatter", "broadcast", "all_to_all"}
	dtypeNames     = []string{"int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64", "fp16", "bf16", "bfp16", "fp32", "fp64"}
	reduceNames    = []string{"sum", "prod", "max", "min"}
	checkNames     = []string{"none", "result", "all"}
	inputNames     = []string{"pattern", "rank", "two"}
	expansionNames = []string{"auto", "host", "aicpu", "aiv", "ccu_ms", "ccu_sched"}
	topologyNames  = topo.Kinds()
)

// fileKeys are the keys, beside those of transports and of output, whose values may name files.
var fileKeys = []string{"cluster.profile", "cluster.topo", "cluster.rank_table", "cluster.cluster", "cluster.ns3ub",
	"plugins.kernels", "plugins.ccu", "plugins.algorithms", "run[].program"}

// Keys returns the whole schema of sim.toml in the order of the reference page.
func Keys() []Key {
	keys := []Key{
		{Path: "sim.seed", Kind: KindInt, Default: "1", Min: 0, Max: 1<<63 - 1, Doc: "Seed of every random stream. The same file with the same seed gives the same bytes."},
		{Path: "sim.data", Kind: KindEnum, Default: `"real"`, Values: []string{"real", "phantom"}, Doc: "real computes on bytes and checks results; phantom keeps no bytes and gives the same times."},
		{Path: "sim.name", Kind: KindText, Doc: "Heads the columns of the file as it stands, before those of its variants; not set = base."},
		{Path: "sim.base", Kind: KindBool, Default: "true", Doc: "false: the file as it stands is not run, only its variants."},
		{Path: "sim.limit", Kind: KindTime, Default: `"2h"`, Doc: "Virtual time after which a run ends; \"0\" = no limit."},
		{Path: "sim.memory", Kind: KindSize, Default: `"16GiB"`, Doc: "The most real data that the buffers of one run may hold; a run that needs more is refused with the remedy instead of exhausting this machine."},

		{Path: "cluster.profile", Kind: KindText, Default: `"910d"`, Doc: "The chip: a name that `hsim profiles` lists, or the path of a profile file."},
		{Path: "cluster.scale_up", Kind: KindEnum, Values: soc.ProtocolNames(), Doc: "What devices of one scale-up domain speak to each other, of what the ports carry that speak the chip's own: UB_TP (RTP, which repairs losses) or UB_MEM instead of UB_CTP on a 950; not set = the chip's."},
		{Path: "cluster.scale_out", Kind: KindEnum, Values: soc.ProtocolNames(), Doc: "What devices of different domains speak to each other, likewise: ROCE instead of UBOE on a 950; not set = the chip's."},
		{Path: "cluster.servers", Kind: KindInt, Default: "1", Min: 1, Max: 65536, Doc: "Servers in the cluster."},
		{Path: "cluster.devices", Kind: KindInt, Default: "8", Min: 1, Max: 1024, Doc: "Devices of each server; every device is one rank."},
		{Path: "cluster.hosts", Kind: KindHosts, Default: "1", Min: 1, Max: 16, Doc: "Host CPUs of each server; \"device\" = none, the device's own CPU (edge boxes)."},
		{Path: "cluster.visible", Kind: KindInts, Default: "[]", Min: 0, Max: 65535, Doc: "Device ids that a program sees of its server, as in ASCEND_RT_VISIBLE_DEVICES; empty = all."},
		{Path: "cluster.topo", Kind: KindText, Doc: "A topology file (topo.json), of the ranks of rank_table or alone; instead of servers, devices and topology."},
		{Path: "cluster.rank_table", Kind: KindText, Doc: "A rank table (1.0, 1.1, 1.2 or 2.0) or a root info file; instead of servers, devices and topology. Rank r runs on the device that the table gives it."},
		{Path: "cluster.cluster", Kind: KindText, Doc: "A cluster, server or topo_meta file of the vendor's virtual machine; instead of servers, devices and topology."},
		{Path: "cluster.ns3ub", Kind: KindText, Doc: "A case directory of the ns-3-UB simulator, whose nodes, links and routes become the cluster; instead of servers, devices and topology. The chip is one whose devices speak UB (docs/ns3ub.md)."},

		{Path: "cluster.topology.kind", Kind: KindEnum, Default: `"star"`, Values: topologyNames, Doc: "How the devices are wired. Written topology = \"...\" under [cluster] when there are no parameters; with them [cluster.topology] is a table."},
		{Path: "cluster.topology.dims", Kind: KindInts, Min: 1, Max: 65536, Doc: "mesh: devices along each dimension; not set = one dimension."},
		{Path: "cluster.topology.planes", Kind: KindInt, Min: 1, Max: 1 << 16, Doc: "Switch planes, or parallel links; not set = one per switch port of the chip."},
		{Path: "cluster.topology.group", Kind: KindInt, Min: 1, Max: 65536, Doc: "mesh-clos: devices in one full mesh; not set = the chip's own, else a server."},
		{Path: "cluster.topology.leaves", Kind: KindInt, Min: 1, Max: 65536, Doc: "clos, mesh-clos: leaf switches of a plane; not set = clos one per server."},
		{Path: "cluster.topology.spines", Kind: KindInt, Min: 1, Max: 65536, Doc: "clos, mesh-clos: spine switches of a plane; not set = one per leaf uplink."},
		{Path: "cluster.topology.oversubscription", Kind: KindInt, Min: 1, Max: 1024, Doc: "clos, mesh-clos: bandwidth of a leaf's devices over the bandwidth of its uplinks; not set = 1."},
		{Path: "cluster.topology.k", Kind: KindInt, Min: 2, Max: 4096, Doc: "fattree: ports of a switch; not set = the smallest that fits."},
		{Path: "cluster.topology.tiers", Kind: KindInt, Min: 2, Max: 3, Doc: "fattree: tiers of switches; not set = 3."},
		{Path: "cluster.topology.superpods", Kind: KindInt, Min: 1, Max: 65536, Doc: "Scale-up domains that the servers are split into; not set = 1."},
		{Path: "cluster.topology.backup", Kind: KindInt, Min: 0, Max: 1, Default: "0", Doc: "superpod: 1 adds a backup device to every 64, which runs nothing until it replaces one of them."},
		{Path: "cluster.topology.replaced", Kind: KindInts, Min: 0, Max: 65535, Doc: "superpod with backup = 1: devices, by their number in the cluster, that are out of service; the backup device of their 64 takes the place of one, with its rank. It keeps id, host and NIC links; the scale-up links are the backup's."},
		{Path: "cluster.topology.rate", Kind: KindRate, Doc: "Rate of every device link; not set = the chip's ports."},
		{Path: "cluster.topology.uplink_rate", Kind: KindRate, Doc: "Rate of every link between switches; not set = the device link's."},
		{Path: "cluster.topology.latency", Kind: KindTime, Doc: "Latency of every device link; not set = the chip's."},
		{Path: "cluster.topology.uplink_latency", Kind: KindTime, Doc: "Latency of every link between switches; not set = the chip's."},
		{Path: "cluster.topology.hop_latency", Kind: KindTime, Doc: "Time a switch needs to forward; not set = the chip's."},
		{Path: "cluster.topology.store_and_forward", Kind: KindBool, Doc: "Switches forward whole packets instead of cutting through; not set = the chip's way."},
		{Path: "cluster.topology.package", Kind: KindBool, Doc: "Links between the two devices of one package; not set = clos yes, others no."},
		{Path: "cluster.topology.nic", Kind: KindEnum, Values: []string{"star", "none"}, Doc: "The scale-out network; not set = star where the chip has ports left for it."},
	}
	keys = append(keys, transportKeys()...)
	keys = append(keys,
		Key{Path: "plugins.kernels", Kind: KindTexts, Default: `["builtin"]`, Doc: "Modules whose kernels a run may name: \"builtin\" and paths of .wasm files. A later module wins."},
		Key{Path: "plugins.ccu", Kind: KindTexts, Default: `["builtin"]`, Doc: "Modules of CCU microprograms for expansion ccu_sched: \"builtin\" and paths of .wasm files. A run takes the program <op>_<algorithm>, such as all_gather_mesh, of the last module that has it (docs/ccu.md)."},
		Key{Path: "plugins.algorithms", Kind: KindTexts, Default: "[]", Doc: "Modules of collective algorithms, paths of .wasm files: a run names an algorithm of theirs as it names a built-in one (docs/algorithms.md). A later module wins."},
	)
	keys = append(keys, fabricKeys()...)
	keys = append(keys, envKeys()...)
	keys = append(keys, faultKeys()...)
	keys = append(keys, deviceKeys()...)
	keys = append(keys,
		Key{Path: "acl.strict_events", Kind: KindBool, Default: "false", Doc: "In programs, waiting on an event that was never recorded blocks, and events belong to their context."},
		Key{Path: "hccp.strict", Kind: KindBool, Default: "false", Doc: "Calls of the host NIC and of the device NIC are kept apart.", Later: "it takes part with host programs; leave it out"},
	)
	keys = append(keys, runKeys()...)
	return append(keys,
		Key{Path: "variant[].name", Kind: KindText, Doc: "Heads the variant's columns. The other keys of a [[variant]] are keys of this page, and replace them; run.KEY replaces KEY in every run that has it."},

		Key{Path: "output.table", Kind: KindBool, Default: "true", Doc: "Print the table on stdout."},
		Key{Path: "output.json", Kind: KindText, Doc: "File that the report is written to, as JSON."},
		Key{Path: "output.trace", Kind: KindText, Doc: "File that a Chrome trace is written to (open it in ui.perfetto.dev)."},
		Key{Path: "output.db", Kind: KindText, Doc: "SQLite file.", Later: "use output.json"},
	)
}

// carriers are the default transports of the protocols.
func carriers() map[string]string {
	return map[string]string{"ROCE": "rdma", "TCP": "rdma"}
}

func transportKeys() []Key {
	var keys []Key
	special := carriers()
	for _, p := range soc.ProtocolNames() {
		plugin := special[p]
		if plugin == "" {
			plugin = "ub"
		}
		keys = append(keys,
			Key{Path: "transport." + p + ".plugin", Kind: KindText, Default: `"` + plugin + `"`, Doc: "What carries " + p + ": rdma, ub, or the path of a .wasm file. Written " + p + " = \"...\" when there are no parameters."},
			Key{Path: "transport." + p + ".level", Kind: KindInt, Default: "0", Min: 0, Max: 15, Doc: "Service level of its connections, which fabric.levels gives a lane." + slNote(p)},
			Key{Path: "transport." + p + ".params.*", Kind: KindAny, Doc: "A parameter of that plugin; `hsim plugin inspect` lists them."})
	}
	return keys
}

// slNote says where else the service level of a protocol comes from.
func slNote(protocol string) string {
	if protocol == "ROCE" {
		return " Not set = env.HCCL_RDMA_SL."
	}
	return ""
}

func runKeys() []Key {
	return []Key{
		{Path: "run[].op", Kind: KindEnum, Values: opNames, Doc: "A collective operation over all ranks."},
		{Path: "run[].kernel", Kind: KindText, Doc: "A kernel by name, launched on every device (docs/kernels.md)."},
		{Path: "run[].program", Kind: KindText, Doc: "A host program: the path of a .wasm file that `hsim cc` or `hsim c++` made (docs/programs.md)."},
		{Path: "run[].args", Kind: KindTexts, Default: "[]", Doc: "Arguments of the kernel, one per field of its struct: in, out, inout (addresses of buffers), n (elements), bytes, dtype, reduce, or numbers such as u32:4, i64:-1, f32:0.5. Empty = those of the kernels that come with hsim, else in, in, out, n. Of a program: its command line."},
		{Path: "run[].expect", Kind: KindText, Doc: "What element i of every output of the kernel must be, computed in whole numbers from i, n, in0, in1, ... with + - * ( ) min(a, b) max(a, b)."},
		{Path: "run[].processes", Kind: KindProcesses, Default: `"per-rank"`, Min: 1, Max: 65536, Doc: "Processes of the program: one per device, or so many, spread over the servers in order. Each sees all devices of its server (cluster.visible of them)."},
		{Path: "run[].env", Kind: KindTexts, Default: "[]", Doc: "Variables of the program's environment, NAME=value, beside those of [env]."},
		{Path: "run[].steps", Kind: KindInt, Default: "2000000000", Min: 1000, Max: 1_000_000_000_000_000, Doc: "Steps (function calls and loop rounds) that a process of the program may take at one instant of virtual time; more is an endless loop."},
		{Path: "run[].leaks", Kind: KindBool, Default: "false", Doc: "Report what processes of the program have not given back when they end: contexts, streams, events, notifies, memory."},
		{Path: "run[].sizes", Kind: KindSweep, Default: `"1MiB"`, Doc: "Bytes per rank, as data_size of hccl_test: the send buffer; of reduce_scatter the receive buffer. A size, a list, FROM..TO x2, or FROM..TO +1KiB. Of a kernel: bytes of each operand."},
		{Path: "run[].dtype", Kind: KindEnum, Default: `"fp32"`, Values: dtypeNames, Doc: "Data type of the elements."},
		{Path: "run[].reduce", Kind: KindEnum, Default: `"sum"`, Values: reduceNames, Doc: "Reduction of all_reduce, reduce_scatter and of the kernel reduce."},
		{Path: "run[].root", Kind: KindInt, Default: "0", Min: 0, Max: 1<<31 - 1, Doc: "Root rank of broadcast."},
		{Path: "run[].counts", Kind: KindAny, Default: "[]", Doc: "Counts per rank of the v and vc forms.", Later: "the v forms come later; leave it out"},
		{Path: "run[].in_place", Kind: KindBool, Default: "false", Doc: "Send and receive buffer are one."},
		{Path: "run[].algorithm", Kind: KindText, Default: `"auto"`, Doc: "auto is the chip's documented choice; best the one with the shortest prediction; or the name of an algorithm, built in or of plugins.algorithms (docs/algorithms.md; `hsim explain` shows what was chosen and why)."},
		{Path: "run[].expansion", Kind: KindEnum, Default: `"auto"`, Values: expansionNames, Doc: "Which engine turns the algorithm into tasks; auto is the chip's documented default."},
		{Path: "run[].input", Kind: KindEnum, Default: `"pattern"`, Values: inputNames, Doc: "What the ranks start from: pattern differs by rank and element, so that a misplaced piece is found; rank is rank + 1 (reduce_scatter: 10 + the piece); two is 2 everywhere, as hccl_test has it."},
		{Path: "run[].iterations", Kind: KindInt, Default: "1", Min: 1, Max: 1_000_000, Doc: "Measured repetitions; the time shown is their average."},
		{Path: "run[].warmup", Kind: KindInt, Default: "0", Min: 0, Max: 1_000_000, Doc: "Repetitions before the measurement."},
		{Path: "run[].check", Kind: KindEnum, Default: `"result"`, Values: checkNames, Doc: "none, result (every rank's result after the last repetition) or all (after every repetition)."},
		{Path: "run[].skew", Kind: KindTimes, Default: `"0us"`, Doc: "How late ranks enter: a time spreads the ranks evenly from 0 to it; a list gives each rank its own."},
		{Path: "run[].blocks", Kind: KindInt, Default: "0", Min: 0, Max: 65536, Doc: "Blocks of a kernel launch; 0 = one per vector core (matmul: per cube core) of the chip."},
		{Path: "run[].shape", Kind: KindInts, Default: "[]", Min: 1, Max: 1 << 20, Doc: "Rows, columns and inner length of the kernel matmul: [m, n, k]. Instead of sizes."},
	}
}

// env holds the HCCL_* variables: real names, ranges and defaults.
func envKeys() []Key {
	later := func(k Key) Key {
		k.Later = "what it controls comes later; leave it out"
		return k
	}
	return []Key{
		{Path: "env.HCCL_BUFFSIZE", Kind: KindEnv, Default: `"200"`, Min: 1, Max: 1 << 20, Doc: "MiB of each of a communicator's two buffers."},
		{Path: "env.HCCL_EXEC_TIMEOUT", Kind: KindEnv, Default: `"1836"`, Min: 0, Max: 1<<31 - 1, Doc: "Seconds a rank waits for its peers in an operation; 0 = for ever. On 910 1 to 17340, in whole steps of 68."},
		{Path: "env.HCCL_CONNECT_TIMEOUT", Kind: KindEnv, Default: `"120"`, Min: 120, Max: 7200, Doc: "Seconds that a rank of a program waits for the others to join its communicator."},
		{Path: "env.HCCL_RDMA_TIMEOUT", Kind: KindEnv, Default: `"20"`, Min: 0, Max: 31, Doc: "Exponent n of a connection's retransmission time-out, 4.096 us * 2^n; 0 = never. On A2 and A3 5 to 20, on 910 5 to 24."},
		{Path: "env.HCCL_RDMA_RETRY_CNT", Kind: KindEnv, Default: `"7"`, Min: 1, Max: 7, Doc: "Retransmissions before a connection fails."},
		{Path: "env.HCCL_RDMA_SL", Kind: KindEnv, Default: `"4"`, Min: 0, Max: 7, Doc: "Service level of ROCE connections; transport.ROCE.level goes before it."},
		later(Key{Path: "env.HCCL_ALGO", Kind: KindText, Doc: "Algorithm per level; use run.algorithm."}),
		later(Key{Path: "env.HCCL_OP_EXPANSION_MODE", Kind: KindText, Doc: "Expansion engine; use run.expansion."}),
		later(Key{Path: "env.HCCL_DETERMINISTIC", Kind: KindText, Doc: "Determinism of reductions; every reduction here is deterministic."}),
		later(Key{Path: "env.HCCL_IF_BASE_PORT", Kind: KindText, Doc: "First host port."}),
		later(Key{Path: "env.HCCL_NPU_SOCKET_PORT_RANGE", Kind: KindText, Doc: "Device ports."}),
		later(Key{Path: "env.HCCL_OP_RETRY_ENABLE", Kind: KindText, Doc: "Operation retry."}),
	}
}
