package scenario

import "hsim/host/hccl"

// exactPackets is up to how many packets a repetition of a collective is simulated packet by packet where fabric.train is
// "auto": a tenth of a second. Trains are for more.
const exactPackets = 128 << 10

// detail is how many packets one event may move in a run at a size, 0 = as the transport sees fit. It depends on the run
// alone, so that a row is the same in every file.
func (c *Config) detail(run *RunSpec, size int64) int {
	if !c.Train.Auto {
		return int(c.Train.Packets)
	}
	if run.IsOp && packets(run.Op, size, int64(c.Ranks())) <= exactPackets {
		return 1
	}
	return 0
}

// packets is about how many full packets of 4 KiB an operation moves over all ranks, by the algorithm that moves most.
func packets(op hccl.OpKind, size, ranks int64) int64 {
	each := size/4096 + 1
	switch op {
	case hccl.AllToAll:
		return ranks * each
	case hccl.Broadcast:
		return 2 * ranks * each
	}
	return ranks * ranks * each
}
