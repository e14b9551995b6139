package abi

var memoryCalls = []call{
	{"memory", "aclError aclrtMalloc(void **devPtr, size_t size, aclrtMemMallocPolicy policy)", "", "Allocate memory of the current device."},
	{"memory", "aclError aclrtMallocAlign32(void **devPtr, size_t size, aclrtMemMallocPolicy policy)", "", "The same; every allocation is aligned to 512 bytes."},
	{"memory", "aclError aclrtMallocCached(void **devPtr, size_t size, aclrtMemMallocPolicy policy)", "", "The same; caches are not modelled."},
	{"memory", "aclError aclrtMallocWithCfg(void **devPtr, size_t size, aclrtMemMallocPolicy policy, aclrtMallocConfig *cfg)", "rtMallocWithCfg", "The same with attributes: module or device id."},
	{"memory", "aclError aclrtMallocForTaskScheduler(void **devPtr, size_t size, aclrtMemMallocPolicy policy, aclrtMallocConfig *cfg)", "rtMallocForTaskScheduler", "Allocate memory that the task scheduler reaches."},
	{"memory", "aclError aclrtFree(void *devPtr)", "rtFree", "Free device memory by its first address."},
	{"memory", "aclError aclrtFreeWithDevSync(void *devPtr)", "", "The same after all tasks of the process on the device."},
	{"memory", "aclError aclrtMallocHost(void **hostPtr, size_t size)", "", "Allocate page-locked memory of the host, in the program's own memory."},
	{"memory", "aclError aclrtMallocHostWithCfg(void **ptr, uint64_t size, aclrtMallocConfig *cfg)", "rtMallocHostWithCfg", "The same with attributes."},
	{"memory", "aclError aclrtFreeHost(void *hostPtr)", "", "Free page-locked memory."},
	{"memory", "aclError aclrtMemcpy(void *dst, size_t destMax, const void *src, size_t count, aclrtMemcpyKind kind)", "", "Copy and wait for it."},
	{"memory", "aclError aclrtMemcpyAsync(void *dst, size_t destMax, const void *src, size_t count, aclrtMemcpyKind kind, aclrtStream stream)", "", "Queue a copy."},
	{"memory", "aclError aclrtMemcpyBatch(void **dsts, size_t *destMaxs, void **srcs, size_t *sizes, size_t numBatches, aclrtMemcpyBatchAttr *attrs, size_t *attrsIndexes, size_t numAttrs, size_t *failIndex)", "", "Copy up to 4096 pieces; nothing is copied when one of them cannot be."},
	{"memory", "aclError aclrtMemcpyBatchAsync(void **dsts, size_t *destMaxs, void **srcs, size_t *sizes, size_t numBatches, aclrtMemcpyBatchAttr *attrs, size_t *attrsIndexes, size_t numAttrs, size_t *failIndex, aclrtStream stream)", "", "Queue up to 4096 pieces."},
	{"memory", "aclError aclrtMemcpy2d(void *dst, size_t dpitch, const void *src, size_t spitch, size_t width, size_t height, aclrtMemcpyKind kind)", "", "Copy rows that lie pitch bytes apart and wait for it."},
	{"memory", "aclError aclrtMemcpy2dAsync(void *dst, size_t dpitch, const void *src, size_t spitch, size_t width, size_t height, aclrtMemcpyKind kind, aclrtStream stream)", "", "Queue copying rows."},
	{"memory", "aclError aclrtMemset(void *devPtr, size_t maxCount, int32_t value, size_t count)", "", "Set bytes and wait for it."},
	{"memory", "aclError aclrtMemsetAsync(void *devPtr, size_t maxCount, int32_t value, size_t count, aclrtStream stream)", "", "Queue setting bytes."},
	{"memory", "aclError aclrtPointerGetAttributes(const void *ptr, aclrtPtrAttributes *attributes)", "rtPointerGetAttributes", "Where an address lives."},
	{"memory", "aclError aclrtHostRegister(void *ptr, uint64_t size, aclrtHostRegisterType type, void **devPtr)", "rtHostRegister", "Give devices an address of host memory."},
	{"memory", "aclError aclrtHostUnregister(void *ptr)", "rtHostUnRegister", "Take it back."},
}

var vmmCalls = []call{
	{"vmm", "aclError aclrtMallocPhysical(aclrtDrvMemHandle *handle, size_t size, const aclrtPhysicalMemProp *prop, uint64_t flags)", "rtMallocPhysical", "Allocate physical memory without an address."},
	{"vmm", "aclError aclrtFreePhysical(aclrtDrvMemHandle handle)", "rtFreePhysical", "Drop the process's reference to physical memory."},
	{"vmm", "aclError aclrtReserveMemAddress(void **virPtr, size_t size, size_t alignment, void *expectPtr, uint64_t flags)", "rtReserveMemAddress", "Reserve addresses without memory."},
	{"vmm", "aclError aclrtReleaseMemAddress(void *virPtr)", "ReleaseMemAddress", "Give reserved addresses back."},
	{"vmm", "aclError aclrtMapMem(void *virPtr, size_t size, size_t offset, aclrtDrvMemHandle handle, uint64_t flags)", "rtMapMem aclrtMapMem", "Put physical memory at reserved addresses."},
	{"vmm", "aclError aclrtUnmapMem(void *virPtr)", "rtUnmapMem", "Take it away."},
	{"vmm", "aclError aclrtMemSetAccess(void *virPtr, size_t size, aclrtMemAccessDesc *desc, size_t count)", "", "What devices may do with mapped memory."},
	{"vmm", "aclError aclrtMemGetAllocationGranularity(aclrtPhysicalMemProp *prop, aclrtMemGranularityOptions option, size_t *granularity)", "", "What sizes of physical memory must be multiples of."},
	{"vmm", "aclError aclrtMemExportToShareableHandle(aclrtDrvMemHandle handle, aclrtMemHandleType handleType, uint64_t flags, uint64_t *shareableHandle)", "rtMemExportToShareableHandle", "A number by which other processes import the memory; flag 1 drops the whitelist."},
	{"vmm", "aclError aclrtMemImportFromShareableHandle(uint64_t shareableHandle, int32_t deviceId, aclrtDrvMemHandle *handle)", "rtMemImportFromShareableHandle", "A handle on another process's physical memory."},
	{"vmm", "aclError aclrtMemSetPidToShareableHandle(uint64_t shareableHandle, int32_t *pid, size_t pidNum)", "rtMemSetPidToShareableHandle", "Put processes on the whitelist."},
	{"vmm", "aclError aclrtMemExportToShareableHandleV2(aclrtDrvMemHandle handle, uint64_t flags, aclrtMemSharedHandleType shareType, void *shareableHandle)", "", "The same by share type: 1 a number (8 bytes), 2 a fabric handle (128 bytes) that other servers take too."},
	{"vmm", "aclError aclrtMemImportFromShareableHandleV2(void *shareableHandle, aclrtMemSharedHandleType shareType, uint64_t flags, aclrtDrvMemHandle *handle)", "", "A handle on such memory, for the current device."},
	{"vmm", "aclError aclrtMemSetPidToShareableHandleV2(void *shareableHandle, aclrtMemSharedHandleType shareType, aclrtServerPid *serverPids, size_t serverPidsNum)", "", "Put processes of devices on the whitelist."},
}

var ipcCalls = []call{
	{"ipc-mem", "aclError aclrtIpcMemGetExportKey(void *devPtr, size_t size, char *key, size_t len, uint64_t flags)", "rtIpcMemGetExportKey", "Share device memory; the key takes 65 bytes, flag 1 drops the whitelist."},
	{"ipc-mem", "aclError aclrtIpcMemImportByKey(void **devPtr, const char *key, uint64_t flags)", "rtIpcMemImportByKey", "Own address of another process's memory; flag 1 enables peer access."},
	{"ipc-mem", "aclError aclrtIpcMemClose(const char *key)", "IpcMemClose", "End sharing, at the importers first."},
	{"ipc-mem", "aclError aclrtIpcMemSetImportPid(const char *key, int32_t *pid, size_t num)", "rtIpcMemSetImportPid", "Put processes on the whitelist."},
}
