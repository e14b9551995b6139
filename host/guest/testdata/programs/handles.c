/* What is wrong with a handle or a pointer is an error of the call, and nothing else is disturbed. Prints the codes. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "acl/acl.h"
#include "hccl/hccl.h"
#include "hsim_rt.h"
#include "hsim_sys.h"

#define SAY(x) printf("%d %s\n", (int)(x), #x)

int main(void)
{
	void *nothing = NULL, *wild = (void *)0x12345678, *high = (void *)0xfffffff0, *d, *d2, *h;
	aclrtStream s, s2;
	aclrtEvent e;
	aclrtNotify n;
	aclrtContext c, first;
	int32_t dev;
	uint64_t u;

	puts("-- before a device is set");
	SAY(aclrtCreateStream(&s));
	SAY(aclrtMalloc(&d, 64, ACL_MEM_MALLOC_HUGE_FIRST));
	SAY(aclrtSetDevice(7));
	SAY(aclrtSetDevice(-1));
	SAY(aclrtSetDevice(0));

	puts("-- places for results");
	SAY(aclrtGetDevice(nothing));
	SAY(aclrtGetDevice(high));
	SAY(aclrtCreateStream(nothing));
	SAY(aclrtMalloc(wild, 64, ACL_MEM_MALLOC_HUGE_FIRST));
	SAY(rtGetDeviceInfo(0, ACL_DEV_ATTR_AICPU_CORE_NUM, nothing));
	SAY(aclrtEventElapsedTime(nothing, nothing, nothing));

	puts("-- streams");
	SAY(aclrtCreateStream(&s));
	SAY(aclrtSynchronizeStream(wild));
	SAY(aclrtDestroyStream(nothing));
	SAY(aclrtSynchronizeStream((char *)s + 4));
	SAY(aclrtSynchronizeStream(&s));
	SAY(aclrtDestroyStream(s));
	SAY(aclrtDestroyStream(s));
	SAY(aclrtSynchronizeStream(s));
	SAY(aclrtCreateStream(&s2));
	printf("%d a new stream has another handle\n", s2 != s);

	puts("-- kinds are kept apart");
	SAY(aclrtCreateEvent(&e));
	SAY(aclrtSynchronizeStream(e));
	SAY(aclrtSynchronizeEvent(s2));
	SAY(aclrtRecordEvent(e, e));
	SAY(aclrtDestroyEvent(e));
	SAY(aclrtRecordEvent(e, s2));
	SAY(aclrtDestroyEvent(e));
	SAY(aclrtCreateNotify(&n, 0));
	SAY(aclrtRecordNotify(s2, s2));
	SAY(aclrtDestroyNotify(n));
	SAY(aclrtWaitAndResetNotify(n, s2, 0));

	puts("-- contexts");
	SAY(aclrtGetCurrentContext(&first));
	SAY(aclrtCreateContext(&c, 1));
	SAY(aclrtSynchronizeStream(s2));
	SAY(aclrtSetCurrentContext(wild));
	SAY(aclrtDestroyContext(c));
	SAY(aclrtSetCurrentContext(c));
	SAY(aclrtGetDevice(&dev));
	SAY(aclrtSetCurrentContext(first));
	SAY(aclrtSynchronizeStream(s2));

	puts("-- device memory");
	SAY(aclrtMalloc(&d, 1000, ACL_MEM_MALLOC_HUGE_FIRST));
	SAY(aclrtMalloc(&d2, 1000, ACL_MEM_MALLOC_HUGE_FIRST));
	SAY(aclrtFree((char *)d + 8));
	SAY(aclrtFree(&d));
	SAY(aclrtFree(nothing));
	SAY(aclrtMemset(d, 1000, 3, 1001));
	SAY(aclrtMemset(d, 2000, 3, 2000));
	SAY(aclrtMemcpy(d, 1000, d2, 1000, ACL_MEMCPY_HOST_TO_DEVICE));
	SAY(aclrtMemcpy(d, 100, d2, 128, ACL_MEMCPY_DEVICE_TO_DEVICE));
	SAY(aclrtMemcpy(d, 1000, high, 1000, ACL_MEMCPY_DEVICE_TO_DEVICE));
	SAY(aclrtMemcpy((char *)d + 500, 1000, d2, 501, ACL_MEMCPY_DEVICE_TO_DEVICE));
	SAY(aclrtMemcpy((char *)d + 500, 1000, d2, 500, ACL_MEMCPY_DEVICE_TO_DEVICE));
	SAY(aclrtFree(d));
	SAY(aclrtFree(d));
	SAY(aclrtMemset(d, 1000, 3, 1));
	SAY(aclrtMemset(d2, 1000, 3, 1000));
	SAY(aclrtMalloc(&d, 0, ACL_MEM_MALLOC_HUGE_FIRST));
	SAY(aclrtMalloc(&d, 64, (aclrtMemMallocPolicy)99));

	puts("-- host memory");
	SAY(aclrtMallocHost(&h, 100));
	memset(h, 1, 100);
	SAY(aclrtMemcpy(h, 100, d2, 100, ACL_MEMCPY_DEVICE_TO_HOST));
	printf("%d the program reads page-locked memory\n", ((char *)h)[99]);
	aclrtPtrAttributes at;
	SAY(aclrtPointerGetAttributes(h, &at));
	printf("%d location\n", at.location.type);
	SAY(aclrtPointerGetAttributes(d2, &at));
	printf("%d location\n", at.location.type);
	SAY(aclrtPointerGetAttributes(&at, &at));
	printf("%d location\n", at.location.type);
	SAY(aclrtFree(h));
	SAY(aclrtFreeHost((char *)h + 1));
	SAY(aclrtFreeHost(h));
	SAY(aclrtFreeHost(h));
	SAY(aclrtFreeHost(d2));

	puts("-- the rest");
	SAY(aclrtLaunchCallback(nothing, NULL, ACL_CALLBACK_NO_BLOCK, s2));
	SAY(aclrtProcessReport(0));
	SAY(aclrtMemExportToShareableHandle(wild, 0, 0, &u));
	SAY(aclrtBinaryGetFunction(wild, "x", &d));
	SAY(aclrtBinaryGetFunction(wild, nothing, &d));
	SAY(aclrtBinaryLoadFromFile("no such file", NULL, &d));
	SAY(aclrtIpcMemImportByKey(&d, "no such key", 0));
	SAY(aclrtIpcMemClose(nothing));
	SAY(HcclCommDestroy(nothing));
	SAY(HcclCommDestroy(wild));
	SAY(HcclAllReduce(d2, d2, 1, HCCL_DATA_TYPE_INT8, HCCL_REDUCE_SUM, wild, s2));
	printf("%llu no device address\n", (unsigned long long)hsim_device_address(&u));
	const char *text = aclGetRecentErrMsg();
	printf("%s\n", text ? text : "(none)");
	SAY(aclGetRecentErrMsg() != NULL);
	SAY(aclrtSynchronizeStream(s2));
	SAY(aclrtDestroyStream(s2));
	SAY(aclrtFree(d2));
	SAY(aclrtResetDevice(0));
	return 0;
}
