package abi

var kernelCalls = []call{
	{"kernel", "aclrtBinary aclrtCreateBinary(const void *data, size_t dataLen)", "rtCreateBinary", "Describe a kernel image, a .wasm module; null on failure."},
	{"kernel", "aclError aclrtDestroyBinary(aclrtBinary binary)", "rtDestroyBinary", "Free a descriptor; what was loaded from it stays."},
	{"kernel", "aclError aclrtBinaryLoad(const aclrtBinary binary, aclrtBinHandle *binHandle)", "rtBinaryLoad", "Load an image on the current device."},
	{"kernel", "aclError aclrtBinaryUnLoad(aclrtBinHandle binHandle)", "rtBinaryUnLoad", "Unload an image; its functions become invalid."},
	{"kernel", "aclError aclrtBinaryLoadFromFile(const char *binPath, aclrtBinaryLoadOptions *options, aclrtBinHandle *binHandle)", "rtBinaryLoadFromFile", "Load an image from a file, by a path from the program's own directory."},
	{"kernel", "aclError aclrtBinaryLoadFromData(const void *data, size_t length, const aclrtBinaryLoadOptions *options, aclrtBinHandle *binHandle)", "rtBinaryLoadFromData", "Load an image from memory."},
	{"kernel", "aclError aclrtBinaryGetFunction(const aclrtBinHandle binHandle, const char *kernelName, aclrtFuncHandle *funcHandle)", "rtBinaryGetFunction", "Find a kernel by name."},
	{"kernel", "aclError aclrtBinaryGetFunctionByEntry(aclrtBinHandle binHandle, uint64_t funcEntry, aclrtFuncHandle *funcHandle)", "rtBinaryGetFunctionByEntry", "Find a kernel by its number in the image."},
	{"kernel", "aclError aclrtGetFunctionAddr(aclrtFuncHandle funcHandle, void **aicAddr, void **aivAddr)", "rtGetFunctionAddr", "Device addresses of the cube and the vector part, null for one that is not there."},
	{"kernel", "aclError aclrtGetFunctionName(aclrtFuncHandle funcHandle, uint32_t maxLen, char *name)", "rtGetFunctionName", "Name of a kernel."},
	{"kernel", "aclError aclrtRegisterCpuFunc(const aclrtBinHandle handle, const char *funcName, const char *kernelName, aclrtFuncHandle *funcHandle)", "rtRegisterCpuFunc", "A handle on an AI CPU function."},
	{"kernel", "aclError aclrtLaunchKernelWithConfig(aclrtFuncHandle funcHandle, uint32_t numBlocks, aclrtStream stream, aclrtLaunchKernelCfg *cfg, aclrtArgsHandle argsHandle, void *reserve)", "rtLaunchKernel", "Queue a kernel with finalised arguments."},
	{"kernel", "aclError aclrtLaunchKernel(aclrtFuncHandle funcHandle, uint32_t numBlocks, const void *argsData, size_t argsSize, aclrtStream stream)", "aclrtLaunchKernel", "Queue a kernel whose packed arguments lie in device memory."},
	{"kernel", "aclError aclrtLaunchKernelWithHostArgs(aclrtFuncHandle funcHandle, uint32_t numBlocks, aclrtStream stream, aclrtLaunchKernelCfg *cfg, void *hostArgs, size_t argsSize, aclrtPlaceHolderInfo *placeHolderArray, size_t placeHolderNum)", "", "Queue a kernel whose packed arguments lie in host memory."},
	{"kernel", "aclError aclrtKernelArgsInit(aclrtFuncHandle funcHandle, aclrtArgsHandle *argsHandle)", "", "Begin a list of arguments."},
	{"kernel", "aclError aclrtKernelArgsAppend(aclrtArgsHandle argsHandle, void *param, size_t paramSize, aclrtParamHandle *paramHandle)", "", "Add a value; a device pointer takes eight bytes, as on the real system."},
	{"kernel", "aclError aclrtKernelArgsAppendPlaceHolder(aclrtArgsHandle argsHandle, aclrtParamHandle *paramHandle)", "", "Add a pointer to data that travel with the arguments."},
	{"kernel", "aclError aclrtKernelArgsGetPlaceHolderBuffer(aclrtArgsHandle argsHandle, aclrtParamHandle paramHandle, size_t dataSize, void **bufferAddr)", "", "Host memory for the data behind a placeholder, copied at every launch."},
	{"kernel", "aclError aclrtKernelArgsParaUpdate(aclrtArgsHandle argsHandle, aclrtParamHandle paramHandle, void *param, size_t paramSize)", "", "Replace a value."},
	{"kernel", "aclError aclrtKernelArgsFinalize(aclrtArgsHandle argsHandle)", "", "End the list of arguments."},
}

var ccuCalls = []call{
	{"ccu", "aclError rtGetCcudieNum(int32_t deviceId, uint32_t *num)", "", "CCU dies of a device."},
	{"ccu", "aclError rtGetCcudieInfo(int32_t deviceId, uint32_t dieId, rtCcuDieInfo *info)", "", "Capacity and state of a die's CCU."},
	{"ccu", "aclError rtGetDeviceLocalAddr(int32_t deviceId, uint32_t dieId, uint64_t *addr)", "", "Base address of a die's CCU resources on the device itself."},
	{"ccu", "aclError rtGetDeviceRemoteAddr(int32_t deviceId, uint32_t dieId, int32_t peerDeviceId, uint32_t peerDieId, uint64_t *addr)", "", "Base address of a peer die's CCU resources, as the die reaches them."},
	{"ccu", "aclError rtCcuBufAlloc(int32_t deviceId, uint32_t dieId, uint32_t count, rtCcuBuf *buf)", "", "Take count buffers of 4 KiB from a die's CCU."},
	{"ccu", "aclError rtCcuBufFree(rtCcuBuf buf)", "", "Give buffers back."},
	{"ccu", "aclError rtCcuBufGetAddr(rtCcuBuf buf, uint64_t *addr)", "", "Address of buffers in the die's resource space."},
	{"ccu", "aclError rtVariableCreate(int32_t deviceId, uint32_t dieId, rtVariable *variable)", "", "Take a 64-bit register of a die's CCU."},
	{"ccu", "aclError rtVariableDestroy(rtVariable variable)", "", "Give a register back."},
	{"ccu", "aclError rtVariableSet(rtVariable variable, uint64_t value)", "", "Write a register."},
}
