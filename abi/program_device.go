package abi

// The tables of the runtime's calls, in the groups of the data model. The error codes are those of the real runtime; a row's
// text says what the call does in the simulation.

var deviceCalls = []call{
	{"device", "aclError aclInit(const char *configPath)", "aclInit", "Start the runtime, once per process; the configuration file may be null and is not read."},
	{"device", "aclError aclFinalize()", "aclFinalize", "Stop the runtime; what the process still holds is reclaimed."},
	{"device", "aclError aclrtDeviceGetBareTgid(int32_t *pid)", "rtDeviceGetBareTgid", "The pid that whitelists of shared objects compare."},
	{"device", "aclError aclrtGetDeviceCount(uint32_t *count)", "rtGetDeviceCount", "Number of visible devices."},
	{"device", "aclError aclrtSetDevice(int32_t deviceId)", "rtSetDevice", "Bind the thread to a device and its default context."},
	{"device", "aclError aclrtResetDevice(int32_t deviceId)", "rtResetDevice", "Take one aclrtSetDevice back; the last one frees the default context."},
	{"device", "aclError aclrtResetDeviceForce(int32_t deviceId)", "", "Reset whatever the count."},
	{"device", "aclError aclrtGetDevice(int32_t *deviceId)", "rtGetDevice", "Device of the current context."},
	{"device", "aclError aclrtGetLogicDevIdByPhyDevId(const int32_t phyDevId, int32_t *const logicDevId)", "rtsGetLogicDevIdByPhyDevId", "Logic id of a physical one."},
	{"device", "aclError aclrtGetPhyDevIdByLogicDevId(const int32_t logicDevId, int32_t *const phyDevId)", "rtGetPhyDevIdByLogicDevId", "Physical id of a logic one."},
	{"device", "const char *aclrtGetSocName()", "rtGetSocName", "Name of the chip, null when no device is visible."},
	{"device", "aclError aclrtSetDeviceSatMode(aclrtFloatOverflowMode mode)", "rtSetDeviceSatMode", "Saturate floats on overflow (0) or keep inf and nan (1)."},
	{"device", "aclError aclrtGetDeviceSatMode(aclrtFloatOverflowMode *mode)", "rtGetDeviceSatMode", "The overflow mode of the thread's device."},
	{"device", "aclError aclrtGetDevicesTopo(uint32_t deviceId, uint32_t otherDeviceId, uint64_t *value)", "rtGetDevicesTopo", "Kind of link between two devices, as a bit."},
	{"device", "aclError aclrtDeviceCanAccessPeer(int32_t *canAccessPeer, int32_t deviceId, int32_t peerDeviceId)", "aclrtDeviceCanAccessPeer", "Whether one device reaches another one's memory."},
	{"device", "aclError aclrtDeviceEnablePeerAccess(int32_t peerDeviceId, uint32_t flags)", "rtDeviceEnablePeerAccess aclrtDeviceEnablePeerAccess", "Let the current device reach the peer's memory; one direction."},
	{"device", "aclError aclrtDeviceDisablePeerAccess(int32_t peerDeviceId)", "rtDeviceDisablePeerAccess", "End the access."},
	{"device", "aclError aclrtDevicePeerAccessStatus(int32_t deviceId, int32_t peerDeviceId, int32_t *status)", "rtDevicePeerAccessStatus", "Whether the access is enabled; the peer is a physical id."},
	{"device", "aclError aclrtGetDeviceInfo(uint32_t deviceId, aclrtDevAttr attr, int64_t *value)", "rtGetDeviceInfo", "One attribute of a device."},
	{"device", "aclError aclrtSetTsDevice(aclrtTsId tsId)", "rtSetTsDevice", "Choose the task scheduler of the thread."},
	{"device", "aclError aclrtGetRunMode(aclrtRunMode *runMode)", "rtGetRunMode", "1 on a host, 0 on the device's own CPU."},
	{"device", "aclError aclrtSynchronizeDevice()", "", "Wait for all tasks of the process on the current device."},
	{"device", "aclError aclrtSynchronizeDeviceWithTimeout(int32_t timeout)", "", "The same for at most timeout milliseconds."},
	{"device", "aclError aclrtGetOverflowStatus(void *outputAddr, size_t outputSize, aclrtStream stream)", "", "Queue writing the overflow flag, 32 bits, to device memory."},
	{"device", "aclError aclrtResetOverflowStatus(aclrtStream stream)", "", "Queue clearing the overflow flag."},
	{"device", "aclError aclrtGetMemInfo(aclrtMemAttr attr, size_t *free, size_t *total)", "", "Free and total memory of the current device, at most 4 GiB - 1 in a 32-bit program."},
	{"device", "aclError aclrtSetOpWaitTimeout(uint32_t timeout)", "", "Seconds that event waits may hold a stream, 0 = for ever."},
	{"device", "aclError aclrtSetOpExecuteTimeOut(uint32_t timeout)", "", "Seconds that a kernel may run, 0 = for ever."},
	{"device", "aclError aclrtGetOpTimeOutInterval(uint64_t *interval)", "", "Resolution of operator time-outs in microseconds."},
	{"device", "const char *aclGetRecentErrMsg()", "", "Text of the thread's latest failure, null when there was none."},
}

var contextCalls = []call{
	{"context", "aclError aclrtCreateContext(aclrtContext *context, int32_t deviceId)", "rtCreateContext aclrtCreateContext", "Make a context with a default stream, and make it current."},
	{"context", "aclError aclrtDestroyContext(aclrtContext context)", "rtDestroyContext", "Destroy an explicit context with its streams."},
	{"context", "aclError aclrtSetCurrentContext(aclrtContext context)", "rtSetCurrentContext aclrtSetCurrentContext", "Make a context the thread's, and its device."},
	{"context", "aclError aclrtGetCurrentContext(aclrtContext *context)", "rtGetCurrentContext aclrtGetCurrentContext", "The thread's context."},
	{"context", "aclError aclrtCtxGetFloatOverflowAddr(void **overflowAddr)", "rtCtxGetFloatOverflowAddr", "Device address of the context's overflow flags."},
}
