/* Code generated from the tables of package abi by go generate; DO NOT EDIT. */
/* The runtime under its public names; include acl/acl.h. */
#ifndef HSIM_ACL_ACL_CALLS_H
#define HSIM_ACL_ACL_CALLS_H

#include <stddef.h>
#include <stdint.h>

#include "acl/acl_base.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Start the runtime, once per process; the configuration file may be null and is not read. */
__attribute__((import_module("hsim_acl_v1"), import_name("aclInit")))
aclError aclInit(const char *configPath);

/* Stop the runtime; what the process still holds is reclaimed. */
__attribute__((import_module("hsim_acl_v1"), import_name("aclFinalize")))
aclError aclFinalize(void);

/* The pid that whitelists of shared objects compare. */
__attribute__((import_module("hsim_acl_v1"), import_name("aclrtDeviceGetBareTgid")))
aclError aclrtDeviceGetBareTgid(int32_t *pid);

/* Number of visible devices. */
__attribute__((import_module("hsim_acl_v1"), import_name("aclrtGetDeviceCount")))
aclError aclrtGetDeviceCount(uint32_t *count);

/* Bind the thread to a device and its default context. */
__attribute__((import_module("hsim_acl_v1"), import_name("aclrtSetDevice")))
aclError aclrtSetDevice(int32_t deviceId);

/* Take one aclrtSetDevice back; the last one frees the default context. */
__attribute__((import_module("hsim_acl_v1"), import_name("aclrtResetDevice")))
aclError aclrtResetDevice(int32_t deviceId);

/* Reset whatever the count. */
__attribute__((import_module("hsim_acl_v1"), import_name("aclrtResetDeviceForce")))
aclError aclrtResetDeviceForce(int32_t deviceId);

/* Device of the current context. */
__attribute__((import_module("hsim_acl_v1"), import_name("aclrtGetDevice")))
aclError aclrtGetDevice(int32_t *deviceId);

/* Logic id of a physical one. */
__attribute__((import_module("hsim_acl_v1"), import_name("aclrtGetLogicDevIdByPhyDevId")))
aclError aclrtGetLogicDevIdByPhyDevId(const int32_t phyDevId, int32_t *const logicDevId);

/* Physical id of a logic one. */
__attribute__((import_module("hsim_acl_v1"), import_name("aclrtGetPhyDevIdByLogicDevId")))
aclError aclrtGetPhyDevIdByLogicDevId(const int32_t logicDevId, int32_t *const phyDevId);

/* Name of the chip, null when no device is visible. */
__attribute__((import_module("hsim_acl_v1"), import_name("aclrtGetSocName")))
const char *aclrtGetSocName(void);

/* Saturate floats on overflow (0) or keep inf and nan (1). */
__attribute__((import_module("hsim_acl_v1"), import_name("aclrtSetDeviceSatMode")))
aclError aclrtSetDeviceSatMode(aclrtFloatOverflowMode mode);

/* The overflow mode of the thread's device. */
__attribute__((import_module("hsim_acl_v1"), import_name("aclrtGetDeviceSatMode")))
aclError aclrtGetDeviceSatMode(aclrtFloatOverflowMode *mode);

/* Kind of link between two devices, as a bit. */
__attribute__((import_module("hsim_acl_v1"), import_name("aclrtGetDevicesTopo")))
aclError aclrtGetDevicesTopo(uint32_t deviceId, uint32_t otherDeviceId, uint64_t *value);

/* Whether one device reaches another one's memory. */
__attribute__((import_module("hsim_acl_v1"), import_name("aclrtDeviceCanAccessPeer")))
aclError aclrtDeviceCanAccessPeer(int32_t *canAccessPeer, int32_t deviceId, int32_t peerDeviceId);

/* Let the current device reach the peer's memory; one direction. */
__attribute__((import_module("hsim_acl_v1"), import_name("aclrtDeviceEnablePeerAccess")))
aclError aclrtDeviceEnablePeerAccess(int32_t peerDeviceId, uint32_t flags);

/* End the access. */
__attribute__((import_module("hsim_acl_v1"), import_name("aclrtDeviceDisablePeerAccess")))
aclError aclrtDeviceDisablePeerAccess(int32_t peerDeviceId);

/* Whether the access is enabled; the peer is a physical id. */
__attribute__((import_module("hsim_acl_v1"), import_name("aclrtDevicePeerAccessStatus")))
aclError aclrtDevicePeerAccessStatus(int32_t deviceId, int32_t peerDeviceId, int32_t *status);

/* One attribute of a device. */
__attribute__((import_module("hsim_acl_v1"), import_name("aclrtGetDeviceInfo")))
aclError aclrtGetDeviceInfo(uint32_t deviceId, aclrtDevAttr attr, int64_t *value);

/* Choose the task scheduler of the thread. */
__attribute__((import_module("hsim_acl_v1"), import_name("aclrtSetTsDevice")))
aclError aclrtSetTsDevice(aclrtTsId tsId);

/* 1 on a host, 0 on the device's own CPU. */
__attribute__((import_module("hsim_acl_v1"), import_name("aclrtGetRunMode")))
aclError aclrtGetRunMode(aclrtRunMode *runMode);

/* Wait for all tasks of the process on the current device. */
__attribute__((import_module("hsim_acl_v1"), import_name("aclrtSynchronizeDevice")))
aclError aclrtSynchronizeDevice(void);

/* The same for at most timeout milliseconds. */
__attribute__((import_module("hsim_acl_v1"), import_name("aclrtSynchronizeDeviceWithTimeout")))
aclError aclrtSynchronizeDeviceWithTimeout(int32_t timeout);

/* Queue writing the overflow flag, 32 bits, to device memory. */
__attribute__((import_module("hsim_acl_v1"), import_name("aclrtGetOverflowStatus")))
aclError aclrtGetOverflowStatus(void *outputAddr, size_t outputSize, aclrtStream stream);

/* Queue clearing the overflow flag. */
__attribute__((import_module("hsim_acl_v1"), import_name("aclrtResetOverflowStatus")))
aclError aclrtResetOverflowStatus(aclrtStream stream);

/* Free and total memory of the current device, at most 4 GiB - 1 in a 32-bit program. */
__attribute__((import_module("hsim_acl_v1"), import_name("aclrtGetMemInfo")))
aclError aclrtGetMemInfo(aclrtMemAttr attr, size_t *free, size_t *total);

/* Seconds that event waits may hold a stream, 0 = for ever. */
__attribute__((import_module("hsim_acl_v1"), import_name("aclrtSetOpWaitTimeout")))
aclError aclrtSetOpWaitTimeout(uint32_t timeout);

/* Seconds that a kernel may run, 0 = for ever. */
__attribute__((import_module("hsim_acl_v1"), import_name("aclrtSetOpExecuteTimeOut")))
aclError aclrtSetOpExecuteTimeOut(uint32_t timeout);

/* Resolution of operator time-outs in microseconds. */
__attribute__((import_module("hsim_acl_v1"), import_name("aclrtGetOpTimeOutInterval")))
aclError aclrtGetOpTimeOutInterval(uint64_t *interval);

/* Text of the thread's latest failure, null when there was none. */
__attribute__((import_module("hsim_acl_v1"), import_name("aclGetRecentErrMsg")))
const char *aclGetRecentErrMsg(void);

/* Make a context with a default stream, and make it current. */
__attribute__((import_module("hsim_acl_v1"), import_name("aclrtCreateContext")))
aclError aclrtCreateContext(aclrtContext *context, int32_t deviceId);

/* Destroy an explicit context with its streams. */
__attribute__((import_module("hsim_acl_v1"), import_name("aclrtDestroyContext")))
aclError aclrtDestroyContext(aclrtContext context);

/* Make a context the thread's, and its device. */
__attribute__((import_module("hsim_acl_v1"), import_name("aclrtSetCurrentContext")))
aclError aclrtSetCurrentContext(aclrtContext context);

/* The thread's context. */
__attribute__((import_module("hsim_acl_v1"), import_name("aclrtGetCurrentContext")))
aclError aclrtGetCurrentContext(aclrtContext *context);

/* Device address of the context's overflow flags. */
__attribute__((import_module("hsim_acl_v1"), import_name("aclrtCtxGetFloatOverflowAddr")))
aclError aclrtCtxGetFloatOverflowAddr(void **overflowAddr);

/* Make a stream in the current context. */
__attribute__((import_module("hsim_acl_v1"), import_name("aclrtCreateStream")))
aclError aclrtCreateStream(aclrtStream *stream);

/* Make a stream with a priority (0 best to 7) and flags. */
__attribute__((import_module("hsim_acl_v1"), import_name("aclrtCreateStreamWithConfig")))
aclError aclrtCreateStreamWithConfig(aclrtStream *stream, uint32_t priority, uint32_t flag);

/* Make a stream as a configuration says. */
__attribute__((import_module("hsim_acl_v1"), import_name("aclrtCreateStreamV2")))
aclError aclrtCreateStreamV2(aclrtStream *stream, const aclrtStreamConfigHandle *handle);

/* A configuration of default values. */
__attribute__((import_module("hsim_acl_v1"), import_name("aclrtCreateStreamConfigHandle")))
aclrtStreamConfigHandle *aclrtCreateStreamConfigHandle(void);

/* Set work area, its size, flag or priority of a configuration. */
__attribute__((import_module("hsim_acl_v1"), import_name("aclrtSetStreamConfigOpt")))
aclError aclrtSetStreamConfigOpt(aclrtStreamConfigHandle *handle, aclrtStreamConfigAttr attr, const void *attrValue, size_t valueSize);

/* Free a configuration. */
__attribute__((import_module("hsim_acl_v1"), import_name("aclrtDestroyStreamConfigHandle")))
aclError aclrtDestroyStreamConfigHandle(aclrtStreamConfigHandle *handle);

/* Free a stream after its tasks have ended. */
__attribute__((import_module("hsim_acl_v1"), import_name("aclrtDestroyStream")))
aclError aclrtDestroyStream(aclrtStream stream);

/* Free a stream at once; what it has left is dropped. */
__attribute__((import_module("hsim_acl_v1"), import_name("aclrtDestroyStreamForce")))
aclError aclrtDestroyStreamForce(aclrtStream stream);

/* Wait for everything queued; returns the first failure. Null is the default stream. */
__attribute__((import_module("hsim_acl_v1"), import_name("aclrtSynchronizeStream")))
aclError aclrtSynchronizeStream(aclrtStream stream);

/* The same for at most timeout milliseconds, -1 for ever. */
__attribute__((import_module("hsim_acl_v1"), import_name("aclrtSynchronizeStreamWithTimeout")))
aclError aclrtSynchronizeStreamWithTimeout(aclrtStream stream, int32_t timeout);

/* 0 when everything queued has ended, else 1. */
__attribute__((import_module("hsim_acl_v1"), import_name("aclrtStreamQuery")))
aclError aclrtStreamQuery(aclrtStream stream, aclrtStreamStatus *status);

/* Hold the stream after its running task. */
__attribute__((import_module("hsim_acl_v1"), import_name("aclrtStreamStop")))
aclError aclrtStreamStop(aclrtStream stream);

/* Let a stopped stream go on; stream says on whose behalf and is only checked. */
__attribute__((import_module("hsim_acl_v1"), import_name("aclrtActiveStream")))
aclError aclrtActiveStream(aclrtStream activeStream, aclrtStream stream);

/* Drop the running task and what is queued. */
__attribute__((import_module("hsim_acl_v1"), import_name("aclrtStreamAbort")))
aclError aclrtStreamAbort(aclrtStream stream);

/* Set failure mode, overflow check, user tag or cache information. */
__attribute__((import_module("hsim_acl_v1"), import_name("aclrtSetStreamAttribute")))
aclError aclrtSetStreamAttribute(aclrtStream stream, aclrtStreamAttr stmAttrType, aclrtStreamAttrValue *value);

/* Read an attribute. */
__attribute__((import_module("hsim_acl_v1"), import_name("aclrtGetStreamAttribute")))
aclError aclrtGetStreamAttribute(aclrtStream stream, aclrtStreamAttr stmAttrType, aclrtStreamAttrValue *value);

/* Set the failure mode: 0 continue, 1 stop. */
__attribute__((import_module("hsim_acl_v1"), import_name("aclrtSetStreamFailureMode")))
aclError aclrtSetStreamFailureMode(aclrtStream stream, uint64_t mode);

/* Switch the overflow check. */
__attribute__((import_module("hsim_acl_v1"), import_name("aclrtSetStreamOverflowSwitch")))
aclError aclrtSetStreamOverflowSwitch(aclrtStream stream, uint32_t flag);

/* Read the overflow check. */
__attribute__((import_module("hsim_acl_v1"), import_name("aclrtGetStreamOverflowSwitch")))
aclError aclrtGetStreamOverflowSwitch(aclrtStream stream, uint32_t *flag);

/* Streams that the current device has left. */
__attribute__((import_module("hsim_acl_v1"), import_name("aclrtGetStreamAvailableNum")))
aclError aclrtGetStreamAvailableNum(uint32_t *streamCount);

/* Number of the stream on its device. */
__attribute__((import_module("hsim_acl_v1"), import_name("aclrtStreamGetId")))
aclError aclrtStreamGetId(aclrtStream stream, int32_t *streamId);

/* Priority of the stream. */
__attribute__((import_module("hsim_acl_v1"), import_name("aclrtStreamGetPriority")))
aclError aclrtStreamGetPriority(aclrtStream stream, uint32_t *priority);

/* Flags of the stream. */
__attribute__((import_module("hsim_acl_v1"), import_name("aclrtStreamGetFlags")))
aclError aclrtStreamGetFlags(aclrtStream stream, uint32_t *flags);

/* Record what is queued on the stream from now on instead of running it. */
__attribute__((import_module("hsim_acl_v1"), import_name("aclmdlRICaptureBegin")))
aclError aclmdlRICaptureBegin(aclrtStream stream, aclmdlRICaptureMode mode);

/* Whether the stream is being captured, and into what. */
__attribute__((import_module("hsim_acl_v1"), import_name("aclmdlRICaptureGetInfo")))
aclError aclmdlRICaptureGetInfo(aclrtStream stream, aclmdlRICaptureStatus *status, aclmdlRI *modelRI);

/* Exchange the thread's capture mode with *mode. */
__attribute__((import_module("hsim_acl_v1"), import_name("aclmdlRICaptureThreadExchangeMode")))
aclError aclmdlRICaptureThreadExchangeMode(aclmdlRICaptureMode *mode);

/* End the capture; the model can be executed. */
__attribute__((import_module("hsim_acl_v1"), import_name("aclmdlRICaptureEnd")))
aclError aclmdlRICaptureEnd(aclrtStream stream, aclmdlRI *modelRI);

/* Begin a group of captured tasks that can be replaced. */
__attribute__((import_module("hsim_acl_v1"), import_name("aclmdlRICaptureTaskGrpBegin")))
aclError aclmdlRICaptureTaskGrpBegin(aclrtStream stream);

/* End a group. */
__attribute__((import_module("hsim_acl_v1"), import_name("aclmdlRICaptureTaskGrpEnd")))
aclError aclmdlRICaptureTaskGrpEnd(aclrtStream stream, aclrtTaskGrp *handle);

/* Begin to replace the tasks of a group. */
__attribute__((import_module("hsim_acl_v1"), import_name("aclmdlRICaptureTaskUpdateBegin")))
aclError aclmdlRICaptureTaskUpdateBegin(aclrtStream stream, aclrtTaskGrp handle);

/* End replacing. */
__attribute__((import_module("hsim_acl_v1"), import_name("aclmdlRICaptureTaskUpdateEnd")))
aclError aclmdlRICaptureTaskUpdateEnd(aclrtStream stream);

/* Queue a captured model. */
__attribute__((import_module("hsim_acl_v1"), import_name("aclmdlRIExecuteAsync")))
aclError aclmdlRIExecuteAsync(aclmdlRI modelRI, aclrtStream stream);

/* Run a captured model and wait for it, timeout in milliseconds. */
__attribute__((import_module("hsim_acl_v1"), import_name("aclmdlRIExecute")))
aclError aclmdlRIExecute(aclmdlRI modelRI, int32_t timeout);

/* Free a captured model. */
__attribute__((import_module("hsim_acl_v1"), import_name("aclmdlRIDestroy")))
aclError aclmdlRIDestroy(aclmdlRI modelRI);

/* Allocate memory of the current device. */
__attribute__((import_module("hsim_acl_v1"), import_name("aclrtMalloc")))
aclError aclrtMalloc(void **devPtr, size_t size, aclrtMemMallocPolicy policy);

/* The same; every allocation is aligned to 512 bytes. */
__attribute__((import_module("hsim_acl_v1"), import_name("aclrtMallocAlign32")))
aclError aclrtMallocAlign32(void **devPtr, size_t size, aclrtMemMallocPolicy policy);

/* The same; caches are not modelled. */
__attribute__((import_module("hsim_acl_v1"), import_name("aclrtMallocCached")))
aclError aclrtMallocCached(void **devPtr, size_t size, aclrtMemMallocPolicy policy);

/* The same with attributes: module or device id. */
__attribute__((import_module("hsim_acl_v1"), import_name("aclrtMallocWithCfg")))
aclError aclrtMallocWithCfg(void **devPtr, size_t size, aclrtMemMallocPolicy policy, aclrtMallocConfig *cfg);

/* Allocate memory that the task scheduler reaches. */
__attribute__((import_module("hsim_acl_v1"), import_name("aclrtMallocForTaskScheduler")))
aclError aclrtMallocForTaskScheduler(void **devPtr, size_t size, aclrtMemMallocPolicy policy, aclrtMallocConfig *cfg);

/* Free device memory by its first address. */
__attribute__((import_module("hsim_acl_v1"), import_name("aclrtFree")))
aclError aclrtFree(void *devPtr);

/* The same after all tasks of the process on the device. */
__attribute__((import_module("hsim_acl_v1"), import_name("aclrtFreeWithDevSync")))
aclError aclrtFreeWithDevSync(void *devPtr);

/* Allocate page-locked memory of the host, in the program's own memory. */
__attribute__((import_module("hsim_acl_v1"), import_name("aclrtMallocHost")))
aclError aclrtMallocHost(void **hostPtr, size_t size);

/* The same with attributes. */
__attribute__((import_module("hsim_acl_v1"), import_name("aclrtMallocHostWithCfg")))
aclError aclrtMallocHostWithCfg(void **ptr, uint64_t size, aclrtMallocConfig *cfg);

/* Free page-locked memory. */
__attribute__((import_module("hsim_acl_v1"), import_name("aclrtFreeHost")))
aclError aclrtFreeHost(void *hostPtr);

/* Copy and wait for it. */
__attribute__((import_module("hsim_acl_v1"), import_name("aclrtMemcpy")))
aclError aclrtMemcpy(void *dst, size_t destMax, const void *src, size_t count, aclrtMemcpyKind kind);

/* Queue a copy. */
__attribute__((import_module("hsim_acl_v1"), import_name("aclrtMemcpyAsync")))
aclError aclrtMemcpyAsync(void *dst, size_t destMax, const void *src, size_t count, aclrtMemcpyKind kind, aclrtStream stream);

/* Copy up to 4096 pieces; nothing is copied when one of them cannot be. */
__attribute__((import_module("hsim_acl_v1"), import_name("aclrtMemcpyBatch")))
aclError aclrtMemcpyBatch(void **dsts, size_t *destMaxs, void **srcs, size_t *sizes, size_t numBatches, aclrtMemcpyBatchAttr *attrs, size_t *attrsIndexes, size_t numAttrs, size_t *failIndex);

/* Queue up to 4096 pieces. */
__attribute__((import_module("hsim_acl_v1"), import_name("aclrtMemcpyBatchAsync")))
aclError aclrtMemcpyBatchAsync(void **dsts, size_t *destMaxs, void **srcs, size_t *sizes, size_t numBatches, aclrtMemcpyBatchAttr *attrs, size_t *attrsIndexes, size_t numAttrs, size_t *failIndex, aclrtStream stream);

/* Copy rows that lie pitch bytes apart and wait for it. */
__attribute__((import_module("hsim_acl_v1"), import_name("aclrtMemcpy2d")))
aclError aclrtMemcpy2d(void *dst, size_t dpitch, const void *src, size_t spitch, size_t width, size_t height, aclrtMemcpyKind kind);

/* Queue copying rows. */
__attribute__((import_module("hsim_acl_v1"), import_name("aclrtMemcpy2dAsync")))
aclError aclrtMemcpy2dAsync(void *dst, size_t dpitch, const void *src, size_t spitch, size_t width, size_t height, aclrtMemcpyKind kind, aclrtStream stream);

/* Set bytes and wait for it. */
__attribute__((import_module("hsim_acl_v1"), import_name("aclrtMemset")))
aclError aclrtMemset(void *devPtr, size_t maxCount, int32_t value, size_t count);

/* Queue setting bytes. */
__attribute__((import_module("hsim_acl_v1"), import_name("aclrtMemsetAsync")))
aclError aclrtMemsetAsync(void *devPtr, size_t maxCount, int32_t value, size_t count, aclrtStream stream);

/* Where an address lives. */
__attribute__((import_module("hsim_acl_v1"), import_name("aclrtPointerGetAttributes")))
aclError aclrtPointerGetAttributes(const void *ptr, aclrtPtrAttributes *attributes);

/* Give devices an address of host memory. */
__attribute__((import_module("hsim_acl_v1"), import_name("aclrtHostRegister")))
aclError aclrtHostRegister(void *ptr, uint64_t size, aclrtHostRegisterType type, void **devPtr);

/* Take it back. */
__attribute__((import_module("hsim_acl_v1"), import_name("aclrtHostUnregister")))
aclError aclrtHostUnregister(void *ptr);

/* Allocate physical memory without an address. */
__attribute__((import_module("hsim_acl_v1"), import_name("aclrtMallocPhysical")))
aclError aclrtMallocPhysical(aclrtDrvMemHandle *handle, size_t size, const aclrtPhysicalMemProp *prop, uint64_t flags);

/* Drop the process's reference to physical memory. */
__attribute__((import_module("hsim_acl_v1"), import_name("aclrtFreePhysical")))
aclError aclrtFreePhysical(aclrtDrvMemHandle handle);

/* Reserve addresses without memory. */
__attribute__((import_module("hsim_acl_v1"), import_name("aclrtReserveMemAddress")))
aclError aclrtReserveMemAddress(void **virPtr, size_t size, size_t alignment, void *expectPtr, uint64_t flags);

/* Give reserved addresses back. */
__attribute__((import_module("hsim_acl_v1"), import_name("aclrtReleaseMemAddress")))
aclError aclrtReleaseMemAddress(void *virPtr);

/* Put physical memory at reserved addresses. */
__attribute__((import_module("hsim_acl_v1"), import_name("aclrtMapMem")))
aclError aclrtMapMem(void *virPtr, size_t size, size_t offset, aclrtDrvMemHandle handle, uint64_t flags);

/* Take it away. */
__attribute__((import_module("hsim_acl_v1"), import_name("aclrtUnmapMem")))
aclError aclrtUnmapMem(void *virPtr);

/* What devices may do with mapped memory. */
__attribute__((import_module("hsim_acl_v1"), import_name("aclrtMemSetAccess")))
aclError aclrtMemSetAccess(void *virPtr, size_t size, aclrtMemAccessDesc *desc, size_t count);

/* What sizes of physical memory must be multiples of. */
__attribute__((import_module("hsim_acl_v1"), import_name("aclrtMemGetAllocationGranularity")))
aclError aclrtMemGetAllocationGranularity(aclrtPhysicalMemProp *prop, aclrtMemGranularityOptions option, size_t *granularity);

/* A number by which other processes import the memory; flag 1 drops the whitelist. */
__attribute__((import_module("hsim_acl_v1"), import_name("aclrtMemExportToShareableHandle")))
aclError aclrtMemExportToShareableHandle(aclrtDrvMemHandle handle, aclrtMemHandleType handleType, uint64_t flags, uint64_t *shareableHandle);

/* A handle on another process's physical memory. */
__attribute__((import_module("hsim_acl_v1"), import_name("aclrtMemImportFromShareableHandle")))
aclError aclrtMemImportFromShareableHandle(uint64_t shareableHandle, int32_t deviceId, aclrtDrvMemHandle *handle);

/* Put processes on the whitelist. */
__attribute__((import_module("hsim_acl_v1"), import_name("aclrtMemSetPidToShareableHandle")))
aclError aclrtMemSetPidToShareableHandle(uint64_t shareableHandle, int32_t *pid, size_t pidNum);

/* The same by share type: 1 a number (8 bytes), 2 a fabric handle (128 bytes) that other servers take too. */
__attribute__((import_module("hsim_acl_v1"), import_name("aclrtMemExportToShareableHandleV2")))
aclError aclrtMemExportToShareableHandleV2(aclrtDrvMemHandle handle, uint64_t flags, aclrtMemSharedHandleType shareType, void *shareableHandle);

/* A handle on such memory, for the current device. */
__attribute__((import_module("hsim_acl_v1"), import_name("aclrtMemImportFromShareableHandleV2")))
aclError aclrtMemImportFromShareableHandleV2(void *shareableHandle, aclrtMemSharedHandleType shareType, uint64_t flags, aclrtDrvMemHandle *handle);

/* Put processes of devices on the whitelist. */
__attribute__((import_module("hsim_acl_v1"), import_name("aclrtMemSetPidToShareableHandleV2")))
aclError aclrtMemSetPidToShareableHandleV2(void *shareableHandle, aclrtMemSharedHandleType shareType, aclrtServerPid *serverPids, size_t serverPidsNum);

/* Share device memory; the key takes 65 bytes, flag 1 drops the whitelist. */
__attribute__((import_module("hsim_acl_v1"), import_name("aclrtIpcMemGetExportKey")))
aclError aclrtIpcMemGetExportKey(void *devPtr, size_t size, char *key, size_t len, uint64_t flags);

/* Own address of another process's memory; flag 1 enables peer access. */
__attribute__((import_module("hsim_acl_v1"), import_name("aclrtIpcMemImportByKey")))
aclError aclrtIpcMemImportByKey(void **devPtr, const char *key, uint64_t flags);

/* End sharing, at the importers first. */
__attribute__((import_module("hsim_acl_v1"), import_name("aclrtIpcMemClose")))
aclError aclrtIpcMemClose(const char *key);

/* Put processes on the whitelist. */
__attribute__((import_module("hsim_acl_v1"), import_name("aclrtIpcMemSetImportPid")))
aclError aclrtIpcMemSetImportPid(const char *key, int32_t *pid, size_t num);

/* Take a free notify of the current device, with value 0. */
__attribute__((import_module("hsim_acl_v1"), import_name("aclrtCreateNotify")))
aclError aclrtCreateNotify(aclrtNotify *notify, uint64_t flag);

/* Give the handle back; the register is free when every process has. */
__attribute__((import_module("hsim_acl_v1"), import_name("aclrtDestroyNotify")))
aclError aclrtDestroyNotify(aclrtNotify notify);

/* Number of the notify on its device. */
__attribute__((import_module("hsim_acl_v1"), import_name("aclrtGetNotifyId")))
aclError aclrtGetNotifyId(aclrtNotify notify, uint32_t *notifyId);

/* Queue a task that sets the notify. */
__attribute__((import_module("hsim_acl_v1"), import_name("aclrtRecordNotify")))
aclError aclrtRecordNotify(aclrtNotify notify, aclrtStream stream);

/* Queue a task that waits for the notify and clears it; timeout in seconds, 0 for ever. */
__attribute__((import_module("hsim_acl_v1"), import_name("aclrtWaitAndResetNotify")))
aclError aclrtWaitAndResetNotify(aclrtNotify notify, aclrtStream stream, uint32_t timeout);

/* Let other processes import the notify; flag 2 drops the whitelist. */
__attribute__((import_module("hsim_acl_v1"), import_name("aclrtNotifyGetExportKey")))
aclError aclrtNotifyGetExportKey(aclrtNotify notify, char *key, size_t len, uint64_t flags);

/* A handle on a notify of another process; flag 2 enables peer access. */
__attribute__((import_module("hsim_acl_v1"), import_name("aclrtNotifyImportByKey")))
aclError aclrtNotifyImportByKey(aclrtNotify *notify, const char *key, uint64_t flags);

/* Put processes on the whitelist. */
__attribute__((import_module("hsim_acl_v1"), import_name("aclrtNotifySetImportPid")))
aclError aclrtNotifySetImportPid(aclrtNotify notify, int32_t *pid, size_t num);

/* Make an event of every capability but reset. */
__attribute__((import_module("hsim_acl_v1"), import_name("aclrtCreateEvent")))
aclError aclrtCreateEvent(aclrtEvent *event);

/* Make an event with the capabilities of its flags. */
__attribute__((import_module("hsim_acl_v1"), import_name("aclrtCreateEventWithFlag")))
aclError aclrtCreateEventWithFlag(aclrtEvent *event, uint32_t flag);

/* The same, without a hardware id before the first record. */
__attribute__((import_module("hsim_acl_v1"), import_name("aclrtCreateEventExWithFlag")))
aclError aclrtCreateEventExWithFlag(aclrtEvent *event, uint32_t flag);

/* Free an event; queued waits keep their generation. */
__attribute__((import_module("hsim_acl_v1"), import_name("aclrtDestroyEvent")))
aclError aclrtDestroyEvent(aclrtEvent event);

/* Number of the event on its device. */
__attribute__((import_module("hsim_acl_v1"), import_name("aclrtGetEventId")))
aclError aclrtGetEventId(aclrtEvent event, uint32_t *eventId);

/* Queue a record: a new generation of the event. */
__attribute__((import_module("hsim_acl_v1"), import_name("aclrtRecordEvent")))
aclError aclrtRecordEvent(aclrtEvent event, aclrtStream stream);

/* 1 when the latest record has completed, else 0. */
__attribute__((import_module("hsim_acl_v1"), import_name("aclrtQueryEventStatus")))
aclError aclrtQueryEventStatus(aclrtEvent event, aclrtEventRecordedStatus *status);

/* 0 when every queued wait has passed, else 1. */
__attribute__((import_module("hsim_acl_v1"), import_name("aclrtQueryEventWaitStatus")))
aclError aclrtQueryEventWaitStatus(aclrtEvent event, aclrtEventWaitStatus *status);

/* Queue a reset, of events with the sync flag. */
__attribute__((import_module("hsim_acl_v1"), import_name("aclrtResetEvent")))
aclError aclrtResetEvent(aclrtEvent event, aclrtStream stream);

/* Wait for the latest record. */
__attribute__((import_module("hsim_acl_v1"), import_name("aclrtSynchronizeEvent")))
aclError aclrtSynchronizeEvent(aclrtEvent event);

/* The same for at most timeout milliseconds, -1 for ever. */
__attribute__((import_module("hsim_acl_v1"), import_name("aclrtSynchronizeEventWithTimeout")))
aclError aclrtSynchronizeEventWithTimeout(aclrtEvent event, int32_t timeout);

/* Let the stream wait for the generation of now. */
__attribute__((import_module("hsim_acl_v1"), import_name("aclrtStreamWaitEvent")))
aclError aclrtStreamWaitEvent(aclrtStream stream, aclrtEvent event);

/* Milliseconds between two records. */
__attribute__((import_module("hsim_acl_v1"), import_name("aclrtEventElapsedTime")))
aclError aclrtEventElapsedTime(float *ms, aclrtEvent startEvent, aclrtEvent endEvent);

/* When the record completed, in microseconds. */
__attribute__((import_module("hsim_acl_v1"), import_name("aclrtEventGetTimestamp")))
aclError aclrtEventGetTimestamp(aclrtEvent event, uint64_t *timestamp);

/* Make a thread (pthread_self) take the stream's callbacks. */
__attribute__((import_module("hsim_acl_v1"), import_name("aclrtSubscribeReport")))
aclError aclrtSubscribeReport(uint64_t threadId, aclrtStream stream);

/* End that. */
__attribute__((import_module("hsim_acl_v1"), import_name("aclrtUnSubscribeReport")))
aclError aclrtUnSubscribeReport(uint64_t threadId, aclrtStream stream);

/* Queue a call of fn on the subscribed thread; block type 1 holds the stream until it returns. */
__attribute__((import_module("hsim_acl_v1"), import_name("aclrtLaunchCallback")))
aclError aclrtLaunchCallback(aclrtCallback fn, void *userData, aclrtCallbackBlockType blockType, aclrtStream stream);

/* Run the callbacks that are ready, after waiting for one; timeout in milliseconds, -1 for ever. */
__attribute__((import_module("hsim_acl_v1"), import_name("aclrtProcessReport")))
aclError aclrtProcessReport(int32_t timeout);

/* Set the process's hook for failed tasks; null removes it. */
__attribute__((import_module("hsim_acl_v1"), import_name("aclrtSetExceptionInfoCallback")))
aclError aclrtSetExceptionInfoCallback(aclrtExceptionInfoCallback callback);

/* Task of an exception. */
__attribute__((import_module("hsim_acl_v1"), import_name("aclrtGetTaskIdFromExceptionInfo")))
uint32_t aclrtGetTaskIdFromExceptionInfo(const aclrtExceptionInfo *info);

/* Stream of an exception. */
__attribute__((import_module("hsim_acl_v1"), import_name("aclrtGetStreamIdFromExceptionInfo")))
uint32_t aclrtGetStreamIdFromExceptionInfo(const aclrtExceptionInfo *info);

/* Thread of an exception. */
__attribute__((import_module("hsim_acl_v1"), import_name("aclrtGetThreadIdFromExceptionInfo")))
uint32_t aclrtGetThreadIdFromExceptionInfo(const aclrtExceptionInfo *info);

/* Device of an exception. */
__attribute__((import_module("hsim_acl_v1"), import_name("aclrtGetDeviceIdFromExceptionInfo")))
uint32_t aclrtGetDeviceIdFromExceptionInfo(const aclrtExceptionInfo *info);

/* Code of an exception. */
__attribute__((import_module("hsim_acl_v1"), import_name("aclrtGetErrorCodeFromExceptionInfo")))
uint32_t aclrtGetErrorCodeFromExceptionInfo(const aclrtExceptionInfo *info);

/* Describe a kernel image, a .wasm module; null on failure. */
__attribute__((import_module("hsim_acl_v1"), import_name("aclrtCreateBinary")))
aclrtBinary aclrtCreateBinary(const void *data, size_t dataLen);

/* Free a descriptor; what was loaded from it stays. */
__attribute__((import_module("hsim_acl_v1"), import_name("aclrtDestroyBinary")))
aclError aclrtDestroyBinary(aclrtBinary binary);

/* Load an image on the current device. */
__attribute__((import_module("hsim_acl_v1"), import_name("aclrtBinaryLoad")))
aclError aclrtBinaryLoad(const aclrtBinary binary, aclrtBinHandle *binHandle);

/* Unload an image; its functions become invalid. */
__attribute__((import_module("hsim_acl_v1"), import_name("aclrtBinaryUnLoad")))
aclError aclrtBinaryUnLoad(aclrtBinHandle binHandle);

/* Load an image from a file, by a path from the program's own directory. */
__attribute__((import_module("hsim_acl_v1"), import_name("aclrtBinaryLoadFromFile")))
aclError aclrtBinaryLoadFromFile(const char *binPath, aclrtBinaryLoadOptions *options, aclrtBinHandle *binHandle);

/* Load an image from memory. */
__attribute__((import_module("hsim_acl_v1"), import_name("aclrtBinaryLoadFromData")))
aclError aclrtBinaryLoadFromData(const void *data, size_t length, const aclrtBinaryLoadOptions *options, aclrtBinHandle *binHandle);

/* Find a kernel by name. */
__attribute__((import_module("hsim_acl_v1"), import_name("aclrtBinaryGetFunction")))
aclError aclrtBinaryGetFunction(const aclrtBinHandle binHandle, const char *kernelName, aclrtFuncHandle *funcHandle);

/* Find a kernel by its number in the image. */
__attribute__((import_module("hsim_acl_v1"), import_name("aclrtBinaryGetFunctionByEntry")))
aclError aclrtBinaryGetFunctionByEntry(aclrtBinHandle binHandle, uint64_t funcEntry, aclrtFuncHandle *funcHandle);

/* Device addresses of the cube and the vector part, null for one that is not there. */
__attribute__((import_module("hsim_acl_v1"), import_name("aclrtGetFunctionAddr")))
aclError aclrtGetFunctionAddr(aclrtFuncHandle funcHandle, void **aicAddr, void **aivAddr);

/* Name of a kernel. */
__attribute__((import_module("hsim_acl_v1"), import_name("aclrtGetFunctionName")))
aclError aclrtGetFunctionName(aclrtFuncHandle funcHandle, uint32_t maxLen, char *name);

/* A handle on an AI CPU function. */
__attribute__((import_module("hsim_acl_v1"), import_name("aclrtRegisterCpuFunc")))
aclError aclrtRegisterCpuFunc(const aclrtBinHandle handle, const char *funcName, const char *kernelName, aclrtFuncHandle *funcHandle);

/* Queue a kernel with finalised arguments. */
__attribute__((import_module("hsim_acl_v1"), import_name("aclrtLaunchKernelWithConfig")))
aclError aclrtLaunchKernelWithConfig(aclrtFuncHandle funcHandle, uint32_t numBlocks, aclrtStream stream, aclrtLaunchKernelCfg *cfg, aclrtArgsHandle argsHandle, void *reserve);

/* Queue a kernel whose packed arguments lie in device memory. */
__attribute__((import_module("hsim_acl_v1"), import_name("aclrtLaunchKernel")))
aclError aclrtLaunchKernel(aclrtFuncHandle funcHandle, uint32_t numBlocks, const void *argsData, size_t argsSize, aclrtStream stream);

/* Queue a kernel whose packed arguments lie in host memory. */
__attribute__((import_module("hsim_acl_v1"), import_name("aclrtLaunchKernelWithHostArgs")))
aclError aclrtLaunchKernelWithHostArgs(aclrtFuncHandle funcHandle, uint32_t numBlocks, aclrtStream stream, aclrtLaunchKernelCfg *cfg, void *hostArgs, size_t argsSize, aclrtPlaceHolderInfo *placeHolderArray, size_t placeHolderNum);

/* Begin a list of arguments. */
__attribute__((import_module("hsim_acl_v1"), import_name("aclrtKernelArgsInit")))
aclError aclrtKernelArgsInit(aclrtFuncHandle funcHandle, aclrtArgsHandle *argsHandle);

/* Add a value; a device pointer takes eight bytes, as on the real system. */
__attribute__((import_module("hsim_acl_v1"), import_name("aclrtKernelArgsAppend")))
aclError aclrtKernelArgsAppend(aclrtArgsHandle argsHandle, void *param, size_t paramSize, aclrtParamHandle *paramHandle);

/* Add a pointer to data that travel with the arguments. */
__attribute__((import_module("hsim_acl_v1"), import_name("aclrtKernelArgsAppendPlaceHolder")))
aclError aclrtKernelArgsAppendPlaceHolder(aclrtArgsHandle argsHandle, aclrtParamHandle *paramHandle);

/* Host memory for the data behind a placeholder, copied at every launch. */
__attribute__((import_module("hsim_acl_v1"), import_name("aclrtKernelArgsGetPlaceHolderBuffer")))
aclError aclrtKernelArgsGetPlaceHolderBuffer(aclrtArgsHandle argsHandle, aclrtParamHandle paramHandle, size_t dataSize, void **bufferAddr);

/* Replace a value. */
__attribute__((import_module("hsim_acl_v1"), import_name("aclrtKernelArgsParaUpdate")))
aclError aclrtKernelArgsParaUpdate(aclrtArgsHandle argsHandle, aclrtParamHandle paramHandle, void *param, size_t paramSize);

/* End the list of arguments. */
__attribute__((import_module("hsim_acl_v1"), import_name("aclrtKernelArgsFinalize")))
aclError aclrtKernelArgsFinalize(aclrtArgsHandle argsHandle);

#ifdef __cplusplus
}
#endif

#endif
