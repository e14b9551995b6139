// One thread for each device, and one root info for all: every thread joins the communicator with its own device, and all of
// them add up their vectors.
#include <cstdio>
#include <cstdlib>
#include <thread>
#include <vector>

#include "acl/acl.h"
#include "hccl/hccl.h"

#define ACLCHECK(call) \
	do { \
		aclError code = (call); \
		if (code != ACL_SUCCESS) { \
			printf("%s: error %d: %s\n", #call, code, aclGetRecentErrMsg()); \
			exit(1); \
		} \
	} while (0)

#define HCCLCHECK(call) \
	do { \
		HcclResult code = (call); \
		if (code != HCCL_SUCCESS) { \
			printf("%s: %s: %s\n", #call, HcclGetErrorString(code), aclGetRecentErrMsg()); \
			exit(1); \
		} \
	} while (0)

struct Rank {
	uint32_t device, count;
	const HcclRootInfo *root;
	int wrong = 0;
	float microseconds = 0;
};

static void run(Rank *r)
{
	const size_t n = 1 << 18, bytes = n * sizeof(float);
	ACLCHECK(aclrtSetDevice(static_cast<int32_t>(r->device)));
	HcclComm comm;
	HCCLCHECK(HcclCommInitRootInfo(r->count, r->root, r->device, &comm));
	uint32_t rank, size;
	HCCLCHECK(HcclGetRankId(comm, &rank));
	HCCLCHECK(HcclGetRankSize(comm, &size));

	void *send, *recv, *host;
	aclrtStream stream;
	aclrtEvent begin, end;
	ACLCHECK(aclrtCreateStream(&stream));
	ACLCHECK(aclrtCreateEventWithFlag(&begin, ACL_EVENT_TIME_LINE));
	ACLCHECK(aclrtCreateEventWithFlag(&end, ACL_EVENT_TIME_LINE));
	ACLCHECK(aclrtMalloc(&send, bytes, ACL_MEM_MALLOC_HUGE_FIRST));
	ACLCHECK(aclrtMalloc(&recv, bytes, ACL_MEM_MALLOC_HUGE_FIRST));
	ACLCHECK(aclrtMallocHost(&host, bytes));
	std::vector<float> in(n);
	for (size_t i = 0; i < n; i++)
		in[i] = static_cast<float>(rank + i % 7);
	ACLCHECK(aclrtMemcpy(send, bytes, in.data(), bytes, ACL_MEMCPY_HOST_TO_DEVICE));

	ACLCHECK(aclrtRecordEvent(begin, stream));
	HCCLCHECK(HcclAllReduce(send, recv, n, HCCL_DATA_TYPE_FP32, HCCL_REDUCE_SUM, comm, stream));
	ACLCHECK(aclrtRecordEvent(end, stream));
	ACLCHECK(aclrtSynchronizeStream(stream));

	ACLCHECK(aclrtMemcpy(host, bytes, recv, bytes, ACL_MEMCPY_DEVICE_TO_HOST));
	for (size_t i = 0; i < n; i++) {
		float want = static_cast<float>(size * (size - 1) / 2 + size * (i % 7));
		r->wrong += static_cast<float *>(host)[i] != want;
	}
	ACLCHECK(aclrtEventElapsedTime(&r->microseconds, begin, end));
	r->microseconds *= 1000;

	HCCLCHECK(HcclCommDestroy(comm));
	ACLCHECK(aclrtDestroyEvent(begin));
	ACLCHECK(aclrtDestroyEvent(end));
	ACLCHECK(aclrtFree(send));
	ACLCHECK(aclrtFree(recv));
	ACLCHECK(aclrtFreeHost(host));
	ACLCHECK(aclrtDestroyStream(stream));
	ACLCHECK(aclrtResetDevice(static_cast<int32_t>(r->device)));
}

int main()
{
	uint32_t count = 0;
	HcclRootInfo root;
	ACLCHECK(aclInit(nullptr));
	ACLCHECK(aclrtGetDeviceCount(&count));
	ACLCHECK(aclrtSetDevice(0));
	HCCLCHECK(HcclGetRootInfo(&root));
	std::vector<Rank> ranks(count);
	std::vector<std::thread> threads;
	for (uint32_t d = 0; d < count; d++) {
		ranks[d].device = d, ranks[d].count = count, ranks[d].root = &root;
		threads.emplace_back(run, &ranks[d]);
	}
	for (auto &t : threads)
		t.join();
	int wrong = 0;
	for (auto &r : ranks)
		wrong += r.wrong;
	printf("all_reduce of 1 MiB over %u devices: %d elements are wrong, %.1f us on device 0\n", static_cast<unsigned>(count), wrong, ranks[0].microseconds);
	ACLCHECK(aclrtResetDevice(0));
	ACLCHECK(aclFinalize());
	return wrong != 0;
}
