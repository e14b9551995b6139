package abi

var commCalls = []call{
	{"communicator", "HcclResult HcclGetRootInfo(HcclRootInfo *rootInfo)", "", "Make the identity of a new communicator, for one rank to hand to the others."},
	{"communicator", "HcclResult HcclCommInitRootInfo(uint32_t nRanks, const HcclRootInfo *rootInfo, uint32_t rank, HcclComm *comm)", "", "Join a communicator with the current device; returns when all ranks have."},
	{"communicator", "HcclResult HcclCommInitRootInfoConfig(uint32_t nRanks, const HcclRootInfo *rootInfo, uint32_t rank, const HcclCommConfig *config, HcclComm *comm)", "", "The same with settings."},
	{"communicator", "HcclResult HcclCommInitAll(uint32_t ndev, int32_t *devices, HcclComm *comms)", "", "A communicator over devices of one process."},
	{"communicator", "HcclResult HcclCommDestroy(HcclComm comm)", "", "Leave a communicator; the last rank frees it."},
	{"communicator", "HcclResult HcclGetRankSize(HcclComm comm, uint32_t *rankSize)", "", "Number of ranks."},
	{"communicator", "HcclResult HcclGetRankId(HcclComm comm, uint32_t *rank)", "", "Own rank."},
	{"communicator", "HcclResult HcclGetCommName(HcclComm comm, char *commName)", "", "Name of the communicator, at most 128 bytes."},
	{"communicator", "HcclResult HcclGetCommAsyncError(HcclComm comm, HcclResult *asyncError)", "", "What broke the communicator, 0 while it works."},
	{"communicator", "const char *HcclGetErrorString(HcclResult code)", "", "Name of a result."},
}

var collectiveCalls = []call{
	{"collective", "HcclResult HcclAllReduce(void *sendBuf, void *recvBuf, uint64_t count, HcclDataType dataType, HcclReduceOp op, HcclComm comm, aclrtStream stream)", "", "Queue an all_reduce."},
	{"collective", "HcclResult HcclBroadcast(void *buf, uint64_t count, HcclDataType dataType, uint32_t root, HcclComm comm, aclrtStream stream)", "", "Queue a broadcast."},
	{"collective", "HcclResult HcclReduceScatter(void *sendBuf, void *recvBuf, uint64_t recvCount, HcclDataType dataType, HcclReduceOp op, HcclComm comm, aclrtStream stream)", "", "Queue a reduce_scatter."},
	{"collective", "HcclResult HcclAllGather(void *sendBuf, void *recvBuf, uint64_t sendCount, HcclDataType dataType, HcclComm comm, aclrtStream stream)", "", "Queue an all_gather."},
	{"collective", "HcclResult HcclAlltoAll(const void *sendBuf, uint64_t sendCount, HcclDataType sendType, const void *recvBuf, uint64_t recvCount, HcclDataType recvType, HcclComm comm, aclrtStream stream)", "", "Queue an all_to_all; counts are per peer."},
	{"collective", "HcclResult HcclBarrier(HcclComm comm, aclrtStream stream)", "", "Queue a barrier: an all_reduce of one element."},
}
