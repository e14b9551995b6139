/* Makes whatever calls the host wants: hsim_process_server() makes one of them, on the calling thread, until it returns
 * less than 0. With an argument it is a process that nobody should disturb. */
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "acl/acl.h"
#include "hsim_sys.h"

static volatile int called, failed;

static void callback(void *data)
{
	called++;
}

static void exception(aclrtExceptionInfo *info)
{
	failed++;
}

static void *caller(void *arg)
{
	while (hsim_process_server() >= 0)
		;
	return arg;
}

/* A process that has all it needs: copies to its device and back, events, a notify, a kernel that adds. */
static int quiet(void)
{
	enum { N = 4096 };
	static unsigned char in[N], out[N];
	void *a, *b;
	aclrtStream s;
	aclrtEvent e;
	aclrtNotify n;
	aclrtContext c, now;
	int bad = 0;
	bad += aclrtSetDevice(0) != 0;
	bad += aclrtCreateContext(&c, 0) != 0;
	bad += aclrtCreateStream(&s) != 0;
	bad += aclrtCreateEventWithFlag(&e, ACL_EVENT_SYNC) != 0;
	bad += aclrtCreateNotify(&n, 0) != 0;
	bad += aclrtMalloc(&a, N, ACL_MEM_MALLOC_HUGE_FIRST) != 0;
	bad += aclrtMalloc(&b, N, ACL_MEM_MALLOC_HUGE_FIRST) != 0;
	for (int round = 0; round < 200; round++) {
		memset(in, round + 1, N);
		bad += aclrtMemcpyAsync(a, N, in, N, ACL_MEMCPY_HOST_TO_DEVICE, s) != 0;
		bad += aclrtRecordEvent(e, s) != 0;
		bad += aclrtStreamWaitEvent(NULL, e) != 0;
		bad += aclrtRecordNotify(n, NULL) != 0;
		bad += aclrtWaitAndResetNotify(n, s, 0) != 0;
		bad += aclrtMemcpyAsync(b, N, a, N, ACL_MEMCPY_DEVICE_TO_DEVICE, s) != 0;
		bad += aclrtMemcpyAsync(out, N, b, N, ACL_MEMCPY_DEVICE_TO_HOST, s) != 0;
		bad += aclrtSynchronizeStream(s) != 0;
		bad += aclrtSynchronizeStream(NULL) != 0;
		bad += memcmp(in, out, N) != 0;
		bad += aclrtGetCurrentContext(&now) != 0 || now != c;
		usleep(50);
	}
	bad += aclrtFree(a) != 0;
	bad += aclrtFree(b) != 0;
	bad += aclrtDestroyNotify(n) != 0;
	bad += aclrtDestroyEvent(e) != 0;
	bad += aclrtDestroyStream(s) != 0;
	bad += aclrtDestroyContext(c) != 0;
	bad += aclrtResetDevice(0) != 0;
	printf("%d wrong\n", bad);
	return bad != 0;
}

int main(int argc, char **argv)
{
	void (*volatile keep)(void *) = callback;
	void (*volatile keep2)(aclrtExceptionInfo *) = exception;
	pthread_t t;
	if (hsim_process_rank() == 1)
		return quiet();
	pthread_create(&t, NULL, caller, NULL);
	pthread_detach(t);
	caller(NULL);
	return keep == NULL || keep2 == NULL;
}
