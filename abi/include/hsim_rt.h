/* Code generated from the tables of package abi by go generate; DO NOT EDIT. */
/* The runtime under the data model's names. */
#ifndef HSIM_RT_H
#define HSIM_RT_H

#include <stddef.h>
#include <stdint.h>

#include "acl/acl_base.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The pid that whitelists of shared objects compare. */
__attribute__((import_module("hsim_rt_v1"), import_name("rtDeviceGetBareTgid")))
aclError rtDeviceGetBareTgid(int32_t *pid);

/* Number of visible devices. */
__attribute__((import_module("hsim_rt_v1"), import_name("rtGetDeviceCount")))
aclError rtGetDeviceCount(uint32_t *count);

/* Bind the thread to a device and its default context. */
__attribute__((import_module("hsim_rt_v1"), import_name("rtSetDevice")))
aclError rtSetDevice(int32_t deviceId);

/* Take one aclrtSetDevice back; the last one frees the default context. */
__attribute__((import_module("hsim_rt_v1"), import_name("rtResetDevice")))
aclError rtResetDevice(int32_t deviceId);

/* Device of the current context. */
__attribute__((import_module("hsim_rt_v1"), import_name("rtGetDevice")))
aclError rtGetDevice(int32_t *deviceId);

/* Logic id of a physical one. */
__attribute__((import_module("hsim_rt_v1"), import_name("rtsGetLogicDevIdByPhyDevId")))
aclError rtsGetLogicDevIdByPhyDevId(const int32_t phyDevId, int32_t *const logicDevId);

/* Physical id of a logic one. */
__attribute__((import_module("hsim_rt_v1"), import_name("rtGetPhyDevIdByLogicDevId")))
aclError rtGetPhyDevIdByLogicDevId(const int32_t logicDevId, int32_t *const phyDevId);

/* Name of the chip, null when no device is visible. */
__attribute__((import_module("hsim_rt_v1"), import_name("rtGetSocName")))
const char *rtGetSocName(void);

/* Saturate floats on overflow (0) or keep inf and nan (1). */
__attribute__((import_module("hsim_rt_v1"), import_name("rtSetDeviceSatMode")))
aclError rtSetDeviceSatMode(aclrtFloatOverflowMode mode);

/* The overflow mode of the thread's device. */
__attribute__((import_module("hsim_rt_v1"), import_name("rtGetDeviceSatMode")))
aclError rtGetDeviceSatMode(aclrtFloatOverflowMode *mode);

/* Kind of link between two devices, as a bit. */
__attribute__((import_module("hsim_rt_v1"), import_name("rtGetDevicesTopo")))
aclError rtGetDevicesTopo(uint32_t deviceId, uint32_t otherDeviceId, uint64_t *value);

/* Let the current device reach the peer's memory; one direction. */
__attribute__((import_module("hsim_rt_v1"), import_name("rtDeviceEnablePeerAccess")))
aclError rtDeviceEnablePeerAccess(int32_t peerDeviceId, uint32_t flags);

/* End the access. */
__attribute__((import_module("hsim_rt_v1"), import_name("rtDeviceDisablePeerAccess")))
aclError rtDeviceDisablePeerAccess(int32_t peerDeviceId);

/* Whether the access is enabled; the peer is a physical id. */
__attribute__((import_module("hsim_rt_v1"), import_name("rtDevicePeerAccessStatus")))
aclError rtDevicePeerAccessStatus(int32_t deviceId, int32_t peerDeviceId, int32_t *status);

/* One attribute of a device. */
__attribute__((import_module("hsim_rt_v1"), import_name("rtGetDeviceInfo")))
aclError rtGetDeviceInfo(uint32_t deviceId, aclrtDevAttr attr, int64_t *value);

/* Choose the task scheduler of the thread. */
__attribute__((import_module("hsim_rt_v1"), import_name("rtSetTsDevice")))
aclError rtSetTsDevice(aclrtTsId tsId);

/* 1 on a host, 0 on the device's own CPU. */
__attribute__((import_module("hsim_rt_v1"), import_name("rtGetRunMode")))
aclError rtGetRunMode(aclrtRunMode *runMode);

/* Make a context with a default stream, and make it current. */
__attribute__((import_module("hsim_rt_v1"), import_name("rtCreateContext")))
aclError rtCreateContext(aclrtContext *context, int32_t deviceId);

/* Destroy an explicit context with its streams. */
__attribute__((import_module("hsim_rt_v1"), import_name("rtDestroyContext")))
aclError rtDestroyContext(aclrtContext context);

/* Make a context the thread's, and its device. */
__attribute__((import_module("hsim_rt_v1"), import_name("rtSetCurrentContext")))
aclError rtSetCurrentContext(aclrtContext context);

/* The thread's context. */
__attribute__((import_module("hsim_rt_v1"), import_name("rtGetCurrentContext")))
aclError rtGetCurrentContext(aclrtContext *context);

/* Device address of the context's overflow flags. */
__attribute__((import_module("hsim_rt_v1"), import_name("rtCtxGetFloatOverflowAddr")))
aclError rtCtxGetFloatOverflowAddr(void **overflowAddr);

/* Make a stream in the current context. */
__attribute__((import_module("hsim_rt_v1"), import_name("rtCreateStream")))
aclError rtCreateStream(aclrtStream *stream);

/* Make a stream with a priority (0 best to 7) and flags. */
__attribute__((import_module("hsim_rt_v1"), import_name("rtCreateStreamWithConfig")))
aclError rtCreateStreamWithConfig(aclrtStream *stream, uint32_t priority, uint32_t flag);

/* Free a stream after its tasks have ended. */
__attribute__((import_module("hsim_rt_v1"), import_name("rtDestroyStream")))
aclError rtDestroyStream(aclrtStream stream);

/* Free a stream at once; what it has left is dropped. */
__attribute__((import_module("hsim_rt_v1"), import_name("rtDestroyStreamForce")))
aclError rtDestroyStreamForce(aclrtStream stream);

/* Wait for everything queued; returns the first failure. Null is the default stream. */
__attribute__((import_module("hsim_rt_v1"), import_name("rtSynchronizeStream")))
aclError rtSynchronizeStream(aclrtStream stream);

/* The same for at most timeout milliseconds, -1 for ever. */
__attribute__((import_module("hsim_rt_v1"), import_name("rtSynchronizeStreamWithTimeout")))
aclError rtSynchronizeStreamWithTimeout(aclrtStream stream, int32_t timeout);

/* Hold the stream after its running task. */
__attribute__((import_module("hsim_rt_v1"), import_name("rtStreamStop")))
aclError rtStreamStop(aclrtStream stream);

/* Set failure mode, overflow check, user tag or cache information. */
__attribute__((import_module("hsim_rt_v1"), import_name("rtSetStreamAttribute")))
aclError rtSetStreamAttribute(aclrtStream stream, aclrtStreamAttr stmAttrType, aclrtStreamAttrValue *value);

/* Read an attribute. */
__attribute__((import_module("hsim_rt_v1"), import_name("rtGetStreamAttribute")))
aclError rtGetStreamAttribute(aclrtStream stream, aclrtStreamAttr stmAttrType, aclrtStreamAttrValue *value);

/* The same with attributes: module or device id. */
__attribute__((import_module("hsim_rt_v1"), import_name("rtMallocWithCfg")))
aclError rtMallocWithCfg(void **devPtr, size_t size, aclrtMemMallocPolicy policy, aclrtMallocConfig *cfg);

/* Allocate memory that the task scheduler reaches. */
__attribute__((import_module("hsim_rt_v1"), import_name("rtMallocForTaskScheduler")))
aclError rtMallocForTaskScheduler(void **devPtr, size_t size, aclrtMemMallocPolicy policy, aclrtMallocConfig *cfg);

/* Free device memory by its first address. */
__attribute__((import_module("hsim_rt_v1"), import_name("rtFree")))
aclError rtFree(void *devPtr);

/* The same with attributes. */
__attribute__((import_module("hsim_rt_v1"), import_name("rtMallocHostWithCfg")))
aclError rtMallocHostWithCfg(void **ptr, uint64_t size, aclrtMallocConfig *cfg);

/* Where an address lives. */
__attribute__((import_module("hsim_rt_v1"), import_name("rtPointerGetAttributes")))
aclError rtPointerGetAttributes(const void *ptr, aclrtPtrAttributes *attributes);

/* Give devices an address of host memory. */
__attribute__((import_module("hsim_rt_v1"), import_name("rtHostRegister")))
aclError rtHostRegister(void *ptr, uint64_t size, aclrtHostRegisterType type, void **devPtr);

/* Take it back. */
__attribute__((import_module("hsim_rt_v1"), import_name("rtHostUnRegister")))
aclError rtHostUnRegister(void *ptr);

/* Allocate physical memory without an address. */
__attribute__((import_module("hsim_rt_v1"), import_name("rtMallocPhysical")))
aclError rtMallocPhysical(aclrtDrvMemHandle *handle, size_t size, const aclrtPhysicalMemProp *prop, uint64_t flags);

/* Drop the process's reference to physical memory. */
__attribute__((import_module("hsim_rt_v1"), import_name("rtFreePhysical")))
aclError rtFreePhysical(aclrtDrvMemHandle handle);

/* Reserve addresses without memory. */
__attribute__((import_module("hsim_rt_v1"), import_name("rtReserveMemAddress")))
aclError rtReserveMemAddress(void **virPtr, size_t size, size_t alignment, void *expectPtr, uint64_t flags);

/* Give reserved addresses back. */
__attribute__((import_module("hsim_rt_v1"), import_name("ReleaseMemAddress")))
aclError ReleaseMemAddress(void *virPtr);

/* Put physical memory at reserved addresses. */
__attribute__((import_module("hsim_rt_v1"), import_name("rtMapMem")))
aclError rtMapMem(void *virPtr, size_t size, size_t offset, aclrtDrvMemHandle handle, uint64_t flags);

/* Take it away. */
__attribute__((import_module("hsim_rt_v1"), import_name("rtUnmapMem")))
aclError rtUnmapMem(void *virPtr);

/* A number by which other processes import the memory; flag 1 drops the whitelist. */
__attribute__((import_module("hsim_rt_v1"), import_name("rtMemExportToShareableHandle")))
aclError rtMemExportToShareableHandle(aclrtDrvMemHandle handle, aclrtMemHandleType handleType, uint64_t flags, uint64_t *shareableHandle);

/* A handle on another process's physical memory. */
__attribute__((import_module("hsim_rt_v1"), import_name("rtMemImportFromShareableHandle")))
aclError rtMemImportFromShareableHandle(uint64_t shareableHandle, int32_t deviceId, aclrtDrvMemHandle *handle);

/* Put processes on the whitelist. */
__attribute__((import_module("hsim_rt_v1"), import_name("rtMemSetPidToShareableHandle")))
aclError rtMemSetPidToShareableHandle(uint64_t shareableHandle, int32_t *pid, size_t pidNum);

/* Share device memory; the key takes 65 bytes, flag 1 drops the whitelist. */
__attribute__((import_module("hsim_rt_v1"), import_name("rtIpcMemGetExportKey")))
aclError rtIpcMemGetExportKey(void *devPtr, size_t size, char *key, size_t len, uint64_t flags);

/* Own address of another process's memory; flag 1 enables peer access. */
__attribute__((import_module("hsim_rt_v1"), import_name("rtIpcMemImportByKey")))
aclError rtIpcMemImportByKey(void **devPtr, const char *key, uint64_t flags);

/* End sharing, at the importers first. */
__attribute__((import_module("hsim_rt_v1"), import_name("IpcMemClose")))
aclError IpcMemClose(const char *key);

/* Put processes on the whitelist. */
__attribute__((import_module("hsim_rt_v1"), import_name("rtIpcMemSetImportPid")))
aclError rtIpcMemSetImportPid(const char *key, int32_t *pid, size_t num);

/* Take a free notify of the current device, with value 0. */
__attribute__((import_module("hsim_rt_v1"), import_name("rtCreateNotify")))
aclError rtCreateNotify(aclrtNotify *notify, uint64_t flag);

/* Give the handle back; the register is free when every process has. */
__attribute__((import_module("hsim_rt_v1"), import_name("rtDestroyNotify")))
aclError rtDestroyNotify(aclrtNotify notify);

/* Number of the notify on its device. */
__attribute__((import_module("hsim_rt_v1"), import_name("rtGetNotifyId")))
aclError rtGetNotifyId(aclrtNotify notify, uint32_t *notifyId);

/* Queue a task that sets the notify. */
__attribute__((import_module("hsim_rt_v1"), import_name("rtRecordNotify")))
aclError rtRecordNotify(aclrtNotify notify, aclrtStream stream);

/* Queue a task that waits for the notify and clears it; timeout in seconds, 0 for ever. */
__attribute__((import_module("hsim_rt_v1"), import_name("rtWaitAndResetNotify")))
aclError rtWaitAndResetNotify(aclrtNotify notify, aclrtStream stream, uint32_t timeout);

/* Queue a task that waits for the notify and clears it; timeout in seconds, 0 for ever. */
__attribute__((import_module("hsim_rt_v1"), import_name("lrtWaitAndResetNotify")))
aclError lrtWaitAndResetNotify(aclrtNotify notify, aclrtStream stream, uint32_t timeout);

/* Let other processes import the notify; flag 2 drops the whitelist. */
__attribute__((import_module("hsim_rt_v1"), import_name("rtNotifyGetExportKey")))
aclError rtNotifyGetExportKey(aclrtNotify notify, char *key, size_t len, uint64_t flags);

/* A handle on a notify of another process; flag 2 enables peer access. */
__attribute__((import_module("hsim_rt_v1"), import_name("rtNotifyImportByKey")))
aclError rtNotifyImportByKey(aclrtNotify *notify, const char *key, uint64_t flags);

/* Put processes on the whitelist. */
__attribute__((import_module("hsim_rt_v1"), import_name("rtNotifySetImportPid")))
aclError rtNotifySetImportPid(aclrtNotify notify, int32_t *pid, size_t num);

/* Make an event of every capability but reset. */
__attribute__((import_module("hsim_rt_v1"), import_name("rtCreateEvent")))
aclError rtCreateEvent(aclrtEvent *event);

/* Make an event with the capabilities of its flags. */
__attribute__((import_module("hsim_rt_v1"), import_name("rtCreateEventWithFlag")))
aclError rtCreateEventWithFlag(aclrtEvent *event, uint32_t flag);

/* Free an event; queued waits keep their generation. */
__attribute__((import_module("hsim_rt_v1"), import_name("rtDestroyEvent")))
aclError rtDestroyEvent(aclrtEvent event);

/* Number of the event on its device. */
__attribute__((import_module("hsim_rt_v1"), import_name("rtGetEventId")))
aclError rtGetEventId(aclrtEvent event, uint32_t *eventId);

/* Queue a record: a new generation of the event. */
__attribute__((import_module("hsim_rt_v1"), import_name("rtRecordEvent")))
aclError rtRecordEvent(aclrtEvent event, aclrtStream stream);

/* 1 when the latest record has completed, else 0. */
__attribute__((import_module("hsim_rt_v1"), import_name("rtQueryEventStatus")))
aclError rtQueryEventStatus(aclrtEvent event, aclrtEventRecordedStatus *status);

/* 0 when every queued wait has passed, else 1. */
__attribute__((import_module("hsim_rt_v1"), import_name("rtQueryEventWaitStatus")))
aclError rtQueryEventWaitStatus(aclrtEvent event, aclrtEventWaitStatus *status);

/* Queue a reset, of events with the sync flag. */
__attribute__((import_module("hsim_rt_v1"), import_name("rtResetEvent")))
aclError rtResetEvent(aclrtEvent event, aclrtStream stream);

/* Wait for the latest record. */
__attribute__((import_module("hsim_rt_v1"), import_name("rtSynchronizeEvent")))
aclError rtSynchronizeEvent(aclrtEvent event);

/* Let the stream wait for the generation of now. */
__attribute__((import_module("hsim_rt_v1"), import_name("rtStreamWaitEvent")))
aclError rtStreamWaitEvent(aclrtStream stream, aclrtEvent event);

/* Make a thread (pthread_self) take the stream's callbacks. */
__attribute__((import_module("hsim_rt_v1"), import_name("rtSubscribeReport")))
aclError rtSubscribeReport(uint64_t threadId, aclrtStream stream);

/* End that. */
__attribute__((import_module("hsim_rt_v1"), import_name("rtUnSubscribeReport")))
aclError rtUnSubscribeReport(uint64_t threadId, aclrtStream stream);

/* Queue a call of fn on the subscribed thread; block type 1 holds the stream until it returns. */
__attribute__((import_module("hsim_rt_v1"), import_name("rtLaunchCallback")))
aclError rtLaunchCallback(aclrtCallback fn, void *userData, aclrtCallbackBlockType blockType, aclrtStream stream);

/* Run the callbacks that are ready, after waiting for one; timeout in milliseconds, -1 for ever. */
__attribute__((import_module("hsim_rt_v1"), import_name("rtProcessReport")))
aclError rtProcessReport(int32_t timeout);

/* Set the process's hook for failed tasks; null removes it. */
__attribute__((import_module("hsim_rt_v1"), import_name("rtSetExceptionInfoCallback")))
aclError rtSetExceptionInfoCallback(aclrtExceptionInfoCallback callback);

/* Describe a kernel image, a .wasm module; null on failure. */
__attribute__((import_module("hsim_rt_v1"), import_name("rtCreateBinary")))
aclrtBinary rtCreateBinary(const void *data, size_t dataLen);

/* Free a descriptor; what was loaded from it stays. */
__attribute__((import_module("hsim_rt_v1"), import_name("rtDestroyBinary")))
aclError rtDestroyBinary(aclrtBinary binary);

/* Load an image on the current device. */
__attribute__((import_module("hsim_rt_v1"), import_name("rtBinaryLoad")))
aclError rtBinaryLoad(const aclrtBinary binary, aclrtBinHandle *binHandle);

/* Unload an image; its functions become invalid. */
__attribute__((import_module("hsim_rt_v1"), import_name("rtBinaryUnLoad")))
aclError rtBinaryUnLoad(aclrtBinHandle binHandle);

/* Load an image from a file, by a path from the program's own directory. */
__attribute__((import_module("hsim_rt_v1"), import_name("rtBinaryLoadFromFile")))
aclError rtBinaryLoadFromFile(const char *binPath, aclrtBinaryLoadOptions *options, aclrtBinHandle *binHandle);

/* Load an image from memory. */
__attribute__((import_module("hsim_rt_v1"), import_name("rtBinaryLoadFromData")))
aclError rtBinaryLoadFromData(const void *data, size_t length, const aclrtBinaryLoadOptions *options, aclrtBinHandle *binHandle);

/* Find a kernel by name. */
__attribute__((import_module("hsim_rt_v1"), import_name("rtBinaryGetFunction")))
aclError rtBinaryGetFunction(const aclrtBinHandle binHandle, const char *kernelName, aclrtFuncHandle *funcHandle);

/* Find a kernel by its number in the image. */
__attribute__((import_module("hsim_rt_v1"), import_name("rtBinaryGetFunctionByEntry")))
aclError rtBinaryGetFunctionByEntry(aclrtBinHandle binHandle, uint64_t funcEntry, aclrtFuncHandle *funcHandle);

/* Device addresses of the cube and the vector part, null for one that is not there. */
__attribute__((import_module("hsim_rt_v1"), import_name("rtGetFunctionAddr")))
aclError rtGetFunctionAddr(aclrtFuncHandle funcHandle, void **aicAddr, void **aivAddr);

/* Name of a kernel. */
__attribute__((import_module("hsim_rt_v1"), import_name("rtGetFunctionName")))
aclError rtGetFunctionName(aclrtFuncHandle funcHandle, uint32_t maxLen, char *name);

/* A handle on an AI CPU function. */
__attribute__((import_module("hsim_rt_v1"), import_name("rtRegisterCpuFunc")))
aclError rtRegisterCpuFunc(const aclrtBinHandle handle, const char *funcName, const char *kernelName, aclrtFuncHandle *funcHandle);

/* Queue a kernel with finalised arguments. */
__attribute__((import_module("hsim_rt_v1"), import_name("rtLaunchKernel")))
aclError rtLaunchKernel(aclrtFuncHandle funcHandle, uint32_t numBlocks, aclrtStream stream, aclrtLaunchKernelCfg *cfg, aclrtArgsHandle argsHandle, void *reserve);

/* CCU dies of a device. */
__attribute__((import_module("hsim_rt_v1"), import_name("rtGetCcudieNum")))
aclError rtGetCcudieNum(int32_t deviceId, uint32_t *num);

/* Capacity and state of a die's CCU. */
__attribute__((import_module("hsim_rt_v1"), import_name("rtGetCcudieInfo")))
aclError rtGetCcudieInfo(int32_t deviceId, uint32_t dieId, rtCcuDieInfo *info);

/* Base address of a die's CCU resources on the device itself. */
__attribute__((import_module("hsim_rt_v1"), import_name("rtGetDeviceLocalAddr")))
aclError rtGetDeviceLocalAddr(int32_t deviceId, uint32_t dieId, uint64_t *addr);

/* Base address of a peer die's CCU resources, as the die reaches them. */
__attribute__((import_module("hsim_rt_v1"), import_name("rtGetDeviceRemoteAddr")))
aclError rtGetDeviceRemoteAddr(int32_t deviceId, uint32_t dieId, int32_t peerDeviceId, uint32_t peerDieId, uint64_t *addr);

/* Take count buffers of 4 KiB from a die's CCU. */
__attribute__((import_module("hsim_rt_v1"), import_name("rtCcuBufAlloc")))
aclError rtCcuBufAlloc(int32_t deviceId, uint32_t dieId, uint32_t count, rtCcuBuf *buf);

/* Give buffers back. */
__attribute__((import_module("hsim_rt_v1"), import_name("rtCcuBufFree")))
aclError rtCcuBufFree(rtCcuBuf buf);

/* Address of buffers in the die's resource space. */
__attribute__((import_module("hsim_rt_v1"), import_name("rtCcuBufGetAddr")))
aclError rtCcuBufGetAddr(rtCcuBuf buf, uint64_t *addr);

/* Take a 64-bit register of a die's CCU. */
__attribute__((import_module("hsim_rt_v1"), import_name("rtVariableCreate")))
aclError rtVariableCreate(int32_t deviceId, uint32_t dieId, rtVariable *variable);

/* Give a register back. */
__attribute__((import_module("hsim_rt_v1"), import_name("rtVariableDestroy")))
aclError rtVariableDestroy(rtVariable variable);

/* Write a register. */
__attribute__((import_module("hsim_rt_v1"), import_name("rtVariableSet")))
aclError rtVariableSet(rtVariable variable, uint64_t value);

#ifdef __cplusplus
}
#endif

#endif
