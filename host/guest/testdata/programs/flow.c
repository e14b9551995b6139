/* The data model's flow: an event is recorded and waited for on one stream before a kernel, a second stream joins by a
 * notify, and a callback ends it. The simulation's task table tells what happened when. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#include "acl/acl.h"
#include "hsim_rt.h"

#define CHECK(call) \
	do { \
		aclError code = (call); \
		if (code != ACL_SUCCESS) { \
			printf("%s: error %d: %s\n", #call, code, aclGetRecentErrMsg()); \
			exit(1); \
		} \
	} while (0)

enum { N = 32 };

static int called;
static void ended(void *data) { called = *(int *)data; }

static void *serve(void *context)
{
	CHECK(rtSetCurrentContext(context));
	while (!called)
		rtProcessReport(1000);
	return NULL;
}

int main(void)
{
	static float a[N * N], b[N * N], c[N * N];
	static int mark = 77;
	void *da, *db, *dc;
	aclrtContext context;
	aclrtStream s, t;
	aclrtEvent event;
	aclrtNotify notify;
	aclrtBinHandle binary;
	aclrtFuncHandle matmul;
	aclrtArgsHandle args;
	aclrtParamHandle p;
	pthread_t thread;
	for (int i = 0; i < N * N; i++)
		a[i] = (float)(i % 5), b[i] = (float)(i % 3);
	CHECK(aclInit(NULL));
	CHECK(rtSetDevice(0));
	CHECK(rtGetCurrentContext(&context));
	CHECK(rtCreateStream(&s));
	CHECK(rtCreateStream(&t));
	CHECK(rtCreateEvent(&event));
	CHECK(rtCreateNotify(&notify, 0));
	CHECK(rtMallocWithCfg(&da, sizeof a, 0, NULL));
	CHECK(rtMallocWithCfg(&db, sizeof b, 0, NULL));
	CHECK(rtMallocWithCfg(&dc, sizeof c, 0, NULL));
	CHECK(aclrtMemcpy(da, sizeof a, a, sizeof a, ACL_MEMCPY_HOST_TO_DEVICE));
	CHECK(aclrtMemcpy(db, sizeof b, b, sizeof b, ACL_MEMCPY_HOST_TO_DEVICE));
	CHECK(rtBinaryLoadFromFile("../../plugins/kernels/kernels.wasm", NULL, &binary));
	CHECK(rtBinaryGetFunction(binary, "matmul_fp32", &matmul));
	CHECK(aclrtKernelArgsInit(matmul, &args));
	uint32_t sizes[] = {N, N, N, 0};
	void *list[] = {da, db, dc};
	for (int i = 0; i < 3; i++)
		CHECK(aclrtKernelArgsAppend(args, &list[i], sizeof list[i], &p));
	for (int i = 0; i < 4; i++)
		CHECK(aclrtKernelArgsAppend(args, &sizes[i], sizeof sizes[i], &p));
	CHECK(aclrtKernelArgsFinalize(args));
	if (pthread_create(&thread, NULL, serve, context) != 0)
		return 1;
	CHECK(rtSubscribeReport((uint64_t)(size_t)thread, t));

	CHECK(aclrtRecordEvent(event, s));
	CHECK(aclrtStreamWaitEvent(s, event));
	CHECK(rtLaunchKernel(matmul, 1, s, NULL, args, NULL));
	CHECK(rtRecordNotify(notify, s));
	CHECK(lrtWaitAndResetNotify(notify, t, 0));
	CHECK(rtLaunchCallback(ended, &mark, ACL_CALLBACK_BLOCK, t));
	CHECK(rtSynchronizeStream(t));
	CHECK(rtSynchronizeStream(s));

	pthread_join(thread, NULL);
	CHECK(aclrtMemcpy(c, sizeof c, dc, sizeof c, ACL_MEMCPY_DEVICE_TO_HOST));
	int wrong = 0;
	for (int i = 0; i < N; i++)
		for (int j = 0; j < N; j++) {
			float v = 0;
			for (int k = 0; k < N; k++)
				v += a[i * N + k] * b[k * N + j];
			wrong += v != c[i * N + j];
		}
	printf("%d wrong, callback %d\n", wrong, called);
	CHECK(rtUnSubscribeReport((uint64_t)(size_t)thread, t));
	CHECK(rtDestroyEvent(event));
	CHECK(rtDestroyNotify(notify));
	CHECK(rtDestroyStream(s));
	CHECK(rtDestroyStream(t));
	CHECK(rtFree(da));
	CHECK(rtFree(db));
	CHECK(rtFree(dc));
	CHECK(rtBinaryUnLoad(binary));
	CHECK(rtResetDevice(0));
	CHECK(aclFinalize());
	return wrong;
}
