/* Functions of the host that streams call: a thread takes the reports of a stream and runs them. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "acl/acl.h"
#include "hsim_sys.h"

#define CHECK(call) \
	do { \
		aclError code = (call); \
		if (code != ACL_SUCCESS) { \
			printf("%s: error %d: %s\n", #call, code, aclGetRecentErrMsg()); \
			exit(1); \
		} \
	} while (0)

static int stop, order;

static void report(void *data)
{
	printf("callback %d on thread %d, number %d\n", *(int *)data, (int)hsim_thread_self(), ++order);
	usleep(50); /* holds a stream that waits for it */
}

static void *serve(void *context)
{
	CHECK(aclrtSetCurrentContext(context));
	while (!stop)
		aclrtProcessReport(1); /* at most a millisecond, to see stop */
	return NULL;
}

static void failed(aclrtExceptionInfo *info)
{
	printf("a task of stream %u on device %u failed with %u\n", (unsigned)aclrtGetStreamIdFromExceptionInfo(info),
	       (unsigned)aclrtGetDeviceIdFromExceptionInfo(info), (unsigned)aclrtGetErrorCodeFromExceptionInfo(info));
}

int main(void)
{
	static int ids[] = {1, 2, 3, 4};
	aclrtContext context;
	aclrtStream stream, other;
	pthread_t thread;
	CHECK(aclInit(NULL));
	CHECK(aclrtSetDevice(0));
	CHECK(aclrtGetCurrentContext(&context));
	CHECK(aclrtCreateStream(&stream));
	CHECK(aclrtCreateStream(&other));
	if (pthread_create(&thread, NULL, serve, context) != 0)
		return 1;
	printf("nobody takes its callbacks: error %d\n", aclrtLaunchCallback(report, &ids[0], ACL_CALLBACK_BLOCK, stream));
	CHECK(aclrtSubscribeReport((uint64_t)(size_t)thread, stream));
	printf("a second time: error %d\n", aclrtSubscribeReport((uint64_t)(size_t)thread, stream));
	int64_t begin = hsim_time_now();
	for (int i = 0; i < 4; i++)
		CHECK(aclrtLaunchCallback(report, &ids[i], ACL_CALLBACK_BLOCK, stream));
	CHECK(aclrtSynchronizeStream(stream));
	printf("four callbacks of 50 us held the stream for %s\n", hsim_time_now() - begin >= 200000000 ? "200 us or more" : "less");
	CHECK(aclrtUnSubscribeReport((uint64_t)(size_t)thread, stream));
	stop = 1;
	pthread_join(thread, NULL);

	/* The exception callback hears of a kernel whose arguments make no sense to it. */
	aclrtBinHandle binary;
	aclrtFuncHandle function;
	uint64_t nonsense[3] = {1, 2, 3};
	CHECK(aclrtSetExceptionInfoCallback(failed));
	CHECK(aclrtBinaryLoadFromFile("../kernel-launch/kernels/axpy.wasm", NULL, &binary));
	CHECK(aclrtBinaryGetFunction(binary, "axpy", &function));
	CHECK(aclrtLaunchKernelWithHostArgs(function, 1, other, NULL, nonsense, sizeof nonsense, NULL, 0));
	printf("the kernel fails: error %d\n", aclrtSynchronizeStream(other));
	CHECK(aclrtBinaryUnLoad(binary));
	CHECK(aclrtDestroyStream(stream));
	CHECK(aclrtDestroyStream(other));
	CHECK(aclrtResetDevice(0));
	CHECK(aclFinalize());
	return 0;
}
