/* An all_reduce written as a kernel: vector cores of all devices store into each other's memory. */
#include <stdio.h>
#include <stdlib.h>

#include "acl/acl.h"
#include "push.h"

#define CHECK(call) \
	do { \
		aclError code = (call); \
		if (code != ACL_SUCCESS) { \
			printf("%s: error %d: %s\n", #call, code, aclGetRecentErrMsg()); \
			exit(1); \
		} \
	} while (0)

enum { N = 100000, BLOCKS = 4 };

int main(void)
{
	static int32_t data[N];
	struct push args[MAX_RANKS];
	aclrtStream stream[MAX_RANKS];
	aclrtFuncHandle kernel[MAX_RANKS];
	aclrtBinHandle binary[MAX_RANKS];
	void *in[MAX_RANKS], *out[MAX_RANKS], *flag[MAX_RANKS];
	uint32_t ranks;
	CHECK(aclInit(NULL));
	CHECK(aclrtGetDeviceCount(&ranks));
	if (ranks > MAX_RANKS)
		ranks = MAX_RANKS;
	for (uint32_t r = 0; r < ranks; r++) {
		CHECK(aclrtSetDevice((int32_t)r));
		CHECK(aclrtCreateStream(&stream[r]));
		CHECK(aclrtMalloc(&in[r], sizeof data, ACL_MEM_MALLOC_HUGE_FIRST));
		CHECK(aclrtMalloc(&out[r], sizeof data, ACL_MEM_MALLOC_HUGE_FIRST));
		CHECK(aclrtMalloc(&flag[r], sizeof(uint64_t), ACL_MEM_MALLOC_HUGE_FIRST));
		for (int i = 0; i < N; i++)
			data[i] = i * (int32_t)(r + 1);
		CHECK(aclrtMemcpy(in[r], sizeof data, data, sizeof data, ACL_MEMCPY_HOST_TO_DEVICE));
		CHECK(aclrtMemset(out[r], sizeof data, 0, sizeof data));
		CHECK(aclrtMemset(flag[r], sizeof(uint64_t), 0, sizeof(uint64_t)));
		for (uint32_t peer = 0; peer < ranks; peer++)
			if (peer != r)
				CHECK(aclrtDeviceEnablePeerAccess((int32_t)peer, 0));
		CHECK(aclrtBinaryLoadFromFile("kernels/push.wasm", NULL, &binary[r]));
		CHECK(aclrtBinaryGetFunction(binary[r], "push", &kernel[r]));
	}
	for (uint32_t r = 0; r < ranks; r++) {
		args[r] = (struct push){.in = (uintptr_t)in[r], .n = N, .rank = r, .size = ranks};
		for (uint32_t peer = 0; peer < ranks; peer++)
			args[r].out[peer] = (uintptr_t)out[peer], args[r].flag[peer] = (uintptr_t)flag[peer];
		CHECK(aclrtSetDevice((int32_t)r));
		CHECK(aclrtLaunchKernelWithHostArgs(kernel[r], BLOCKS, stream[r], NULL, &args[r], sizeof args[r], NULL, 0));
		CHECK(aclrtResetDevice((int32_t)r)); /* the second setting of the device */
	}
	int wrong = 0;
	for (uint32_t r = 0; r < ranks; r++) {
		CHECK(aclrtSetDevice((int32_t)r));
		CHECK(aclrtSynchronizeStream(stream[r]));
		CHECK(aclrtMemcpy(data, sizeof data, out[r], sizeof data, ACL_MEMCPY_DEVICE_TO_HOST));
		for (int i = 0; i < N; i++)
			wrong += data[i] != i * (int32_t)(ranks * (ranks + 1) / 2);
		CHECK(aclrtResetDevice((int32_t)r));
	}
	printf("%u devices, %d elements are wrong\n", (unsigned)ranks, wrong);
	for (uint32_t r = 0; r < ranks; r++) {
		CHECK(aclrtSetDevice((int32_t)r));
		CHECK(aclrtFree(in[r]));
		CHECK(aclrtFree(out[r]));
		CHECK(aclrtFree(flag[r]));
		CHECK(aclrtBinaryUnLoad(binary[r]));
		CHECK(aclrtDestroyStream(stream[r]));
		CHECK(aclrtResetDeviceForce((int32_t)r));
	}
	CHECK(aclFinalize());
	return wrong != 0;
}
