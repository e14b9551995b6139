/* Code generated from the tables of package abi by go generate; DO NOT EDIT. */
/* Communicators and collectives; include hccl/hccl.h. */
#ifndef HSIM_HCCL_HCCL_CALLS_H
#define HSIM_HCCL_HCCL_CALLS_H

#include <stddef.h>
#include <stdint.h>

#include "hccl/hccl_types.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Make the identity of a new communicator, for one rank to hand to the others. */
__attribute__((import_module("hsim_hccl_v1"), import_name("HcclGetRootInfo")))
HcclResult HcclGetRootInfo(HcclRootInfo *rootInfo);

/* Join a communicator with the current device; returns when all ranks have. */
__attribute__((import_module("hsim_hccl_v1"), import_name("HcclCommInitRootInfo")))
HcclResult HcclCommInitRootInfo(uint32_t nRanks, const HcclRootInfo *rootInfo, uint32_t rank, HcclComm *comm);

/* The same with settings. */
__attribute__((import_module("hsim_hccl_v1"), import_name("HcclCommInitRootInfoConfig")))
HcclResult HcclCommInitRootInfoConfig(uint32_t nRanks, const HcclRootInfo *rootInfo, uint32_t rank, const HcclCommConfig *config, HcclComm *comm);

/* A communicator over devices of one process. */
__attribute__((import_module("hsim_hccl_v1"), import_name("HcclCommInitAll")))
HcclResult HcclCommInitAll(uint32_t ndev, int32_t *devices, HcclComm *comms);

/* Leave a communicator; the last rank frees it. */
__attribute__((import_module("hsim_hccl_v1"), import_name("HcclCommDestroy")))
HcclResult HcclCommDestroy(HcclComm comm);

/* Number of ranks. */
__attribute__((import_module("hsim_hccl_v1"), import_name("HcclGetRankSize")))
HcclResult HcclGetRankSize(HcclComm comm, uint32_t *rankSize);

/* Own rank. */
__attribute__((import_module("hsim_hccl_v1"), import_name("HcclGetRankId")))
HcclResult HcclGetRankId(HcclComm comm, uint32_t *rank);

/* Name of the communicator, at most 128 bytes. */
__attribute__((import_module("hsim_hccl_v1"), import_name("HcclGetCommName")))
HcclResult HcclGetCommName(HcclComm comm, char *commName);

/* What broke the communicator, 0 while it works. */
__attribute__((import_module("hsim_hccl_v1"), import_name("HcclGetCommAsyncError")))
HcclResult HcclGetCommAsyncError(HcclComm comm, HcclResult *asyncError);

/* Name of a result. */
__attribute__((import_module("hsim_hccl_v1"), import_name("HcclGetErrorString")))
const char *HcclGetErrorString(HcclResult code);

/* Queue an all_reduce. */
__attribute__((import_module("hsim_hccl_v1"), import_name("HcclAllReduce")))
HcclResult HcclAllReduce(void *sendBuf, void *recvBuf, uint64_t count, HcclDataType dataType, HcclReduceOp op, HcclComm comm, aclrtStream stream);

/* Queue a broadcast. */
__attribute__((import_module("hsim_hccl_v1"), import_name("HcclBroadcast")))
HcclResult HcclBroadcast(void *buf, uint64_t count, HcclDataType dataType, uint32_t root, HcclComm comm, aclrtStream stream);

/* Queue a reduce_scatter. */
__attribute__((import_module("hsim_hccl_v1"), import_name("HcclReduceScatter")))
HcclResult HcclReduceScatter(void *sendBuf, void *recvBuf, uint64_t recvCount, HcclDataType dataType, HcclReduceOp op, HcclComm comm, aclrtStream stream);

/* Queue an all_gather. */
__attribute__((import_module("hsim_hccl_v1"), import_name("HcclAllGather")))
HcclResult HcclAllGather(void *sendBuf, void *recvBuf, uint64_t sendCount, HcclDataType dataType, HcclComm comm, aclrtStream stream);

/* Queue an all_to_all; counts are per peer. */
__attribute__((import_module("hsim_hccl_v1"), import_name("HcclAlltoAll")))
HcclResult HcclAlltoAll(const void *sendBuf, uint64_t sendCount, HcclDataType sendType, const void *recvBuf, uint64_t recvCount, HcclDataType recvType, HcclComm comm, aclrtStream stream);

/* Queue a barrier: an all_reduce of one element. */
__attribute__((import_module("hsim_hccl_v1"), import_name("HcclBarrier")))
HcclResult HcclBarrier(HcclComm comm, aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif
