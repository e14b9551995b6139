/* Two streams that meet in events, and the times between the events. */
#include <stdio.h>
#include <stdlib.h>

#include "acl/acl.h"

#define CHECK(call) \
	do { \
		aclError code = (call); \
		if (code != ACL_SUCCESS) { \
			printf("%s: error %d: %s\n", #call, code, aclGetRecentErrMsg()); \
			exit(1); \
		} \
	} while (0)

static aclrtEvent event(uint32_t flags)
{
	aclrtEvent e;
	CHECK(aclrtCreateEventWithFlag(&e, flags));
	return e;
}

static void elapsed(const char *what, aclrtEvent from, aclrtEvent to)
{
	float ms;
	CHECK(aclrtEventElapsedTime(&ms, from, to));
	printf("%s: %.3f us\n", what, ms * 1000);
}

int main(void)
{
	const size_t n = 8 << 20;
	const uint32_t flags = ACL_EVENT_SYNC | ACL_EVENT_TIME_LINE;
	aclrtStream load, work;
	void *a, *b, *host;
	CHECK(aclInit(NULL));
	CHECK(aclrtSetDevice(0));
	CHECK(aclrtCreateStream(&load));
	CHECK(aclrtCreateStream(&work));
	CHECK(aclrtMallocHost(&host, n));
	CHECK(aclrtMalloc(&a, n, ACL_MEM_MALLOC_HUGE_FIRST));
	CHECK(aclrtMalloc(&b, n, ACL_MEM_MALLOC_HUGE_FIRST));
	aclrtEvent begin = event(flags), loaded = event(flags), end = event(flags);

	/* load: copy in. work: wait for it, then copy on. */
	CHECK(aclrtRecordEvent(begin, load));
	CHECK(aclrtMemcpyAsync(a, n, host, n, ACL_MEMCPY_HOST_TO_DEVICE, load));
	CHECK(aclrtRecordEvent(loaded, load));
	CHECK(aclrtStreamWaitEvent(work, loaded));
	CHECK(aclrtMemcpyAsync(b, n, a, n, ACL_MEMCPY_DEVICE_TO_DEVICE, work));
	CHECK(aclrtRecordEvent(end, work));

	aclrtEventRecordedStatus status;
	CHECK(aclrtQueryEventStatus(end, &status));
	printf("the host is here before the device: %s\n", status == ACL_EVENT_RECORDED_STATUS_COMPLETE ? "complete" : "not ready");
	CHECK(aclrtSynchronizeEvent(end));
	CHECK(aclrtQueryEventStatus(end, &status));
	printf("after the wait: %s\n", status == ACL_EVENT_RECORDED_STATUS_COMPLETE ? "complete" : "not ready");
	elapsed("copy in", begin, loaded);
	elapsed("copy on", loaded, end);
	elapsed("both", begin, end);

	/* The other way round, and events without times, are errors. */
	float ms;
	printf("reversed: error %d\n", aclrtEventElapsedTime(&ms, end, begin));
	aclrtEvent plain = event(ACL_EVENT_SYNC);
	CHECK(aclrtRecordEvent(plain, work));
	CHECK(aclrtSynchronizeStream(work));
	printf("without the time line flag: error %d\n", aclrtEventElapsedTime(&ms, begin, plain));

	/* A reset event makes later waits wait for the next record. */
	CHECK(aclrtResetEvent(plain, load));
	CHECK(aclrtStreamWaitEvent(load, plain));
	printf("waits for a reset event: error %d after 1 ms\n", aclrtSynchronizeStreamWithTimeout(load, 1));
	CHECK(aclrtRecordEvent(plain, work));
	CHECK(aclrtSynchronizeStream(load));

	aclrtEvent all[] = {begin, loaded, end, plain};
	for (int i = 0; i < 4; i++)
		CHECK(aclrtDestroyEvent(all[i]));
	CHECK(aclrtDestroyStream(load));
	CHECK(aclrtDestroyStream(work));
	CHECK(aclrtFree(a));
	CHECK(aclrtFree(b));
	CHECK(aclrtFreeHost(host));
	CHECK(aclrtResetDevice(0));
	CHECK(aclFinalize());
	return 0;
}
