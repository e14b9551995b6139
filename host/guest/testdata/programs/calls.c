/* Makes many calls of one kind, for the benchmark: what and how many. */
#include <stdlib.h>
#include <string.h>

#include "acl/acl.h"

int main(int argc, char **argv)
{
	int n = atoi(argv[2]);
	int32_t dev;
	uint64_t sum = 0;
	aclrtStream s;
	aclrtEvent e;
	aclrtEventRecordedStatus status;
	void *d;
	aclrtSetDevice(0);
	aclrtCreateStream(&s);
	aclrtCreateEvent(&e);
	aclrtMalloc(&d, 4096, ACL_MEM_MALLOC_HUGE_FIRST);
	if (!strcmp(argv[1], "get"))
		for (int i = 0; i < n; i++)
			aclrtGetDevice(&dev), sum += dev;
	if (!strcmp(argv[1], "record"))
		for (int i = 0; i < n; i++)
			sum += aclrtRecordEvent(e, s);
	if (!strcmp(argv[1], "query"))
		for (int i = 0; i < n; i++)
			sum += aclrtQueryEventStatus(e, &status);
	if (!strcmp(argv[1], "memset"))
		for (int i = 0; i < n; i++)
			sum += aclrtMemsetAsync(d, 4096, 0, 64, s);
	if (!strcmp(argv[1], "wait")) {
		aclrtRecordEvent(e, s);
		for (int i = 0; i < n; i++)
			sum += aclrtStreamWaitEvent(s, e);
	}
	if (!strcmp(argv[1], "notify")) {
		aclrtNotify t;
		aclrtCreateNotify(&t, 0);
		for (int i = 0; i < n; i += 2)
			sum += aclrtRecordNotify(t, s) + aclrtWaitAndResetNotify(t, s, 0);
	}
	if (!strcmp(argv[1], "copy"))
		for (int i = 0; i < n; i++)
			sum += aclrtMemcpyAsync(d, 4096, (char *)d + 2048, 64, ACL_MEMCPY_DEVICE_TO_DEVICE, s);
	if (!strcmp(argv[1], "upload"))
		for (int i = 0; i < n; i++)
			sum += aclrtMemcpyAsync(d, 4096, argv, 4, ACL_MEMCPY_HOST_TO_DEVICE, s);
	if (!strcmp(argv[1], "kernel")) {
		aclrtBinHandle bin;
		aclrtFuncHandle f;
		aclrtArgsHandle args;
		sum += aclrtBinaryLoadFromFile("../acl/testdata/rules.wasm", NULL, &bin);
		sum += aclrtBinaryGetFunction(bin, "empty", &f);
		sum += aclrtKernelArgsInit(f, &args) + aclrtKernelArgsFinalize(args);
		for (int i = 0; i < n; i++)
			sum += aclrtLaunchKernelWithConfig(f, 1, s, NULL, args, NULL);
	}
	aclrtSynchronizeStream(s);
	return sum != 0;
}
