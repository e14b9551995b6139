/* Loads a kernel from a file and launches it with a placeholder: a pointer argument to data that the runtime brings to the
 * device with the arguments. */
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

/* As the kernel has it. */
struct params {
	uint32_t n;
	float a;
};

int main(void)
{
	enum { N = 100000, BLOCKS = 8 };
	static float x[N], y[N];
	void *dx, *dy;
	aclrtStream stream;
	aclrtBinHandle binary;
	aclrtFuncHandle function;
	aclrtArgsHandle args;
	aclrtParamHandle px, py, pp;
	struct params *params;
	char name[32];
	for (int i = 0; i < N; i++)
		x[i] = (float)(i % 1000), y[i] = 1;

	CHECK(aclInit(NULL));
	CHECK(aclrtSetDevice(0));
	CHECK(aclrtCreateStream(&stream));
	CHECK(aclrtMalloc(&dx, sizeof x, ACL_MEM_MALLOC_HUGE_FIRST));
	CHECK(aclrtMalloc(&dy, sizeof y, ACL_MEM_MALLOC_HUGE_FIRST));
	CHECK(aclrtMemcpy(dx, sizeof x, x, sizeof x, ACL_MEMCPY_HOST_TO_DEVICE));
	CHECK(aclrtMemcpy(dy, sizeof y, y, sizeof y, ACL_MEMCPY_HOST_TO_DEVICE));

	CHECK(aclrtBinaryLoadFromFile("kernels/axpy.wasm", NULL, &binary));
	printf("an unknown kernel: error %d\n", aclrtBinaryGetFunction(binary, "axpi", &function));
	CHECK(aclrtBinaryGetFunction(binary, "axpy", &function));
	CHECK(aclrtGetFunctionName(function, sizeof name, name));
	printf("loaded %s\n", name);

	CHECK(aclrtKernelArgsInit(function, &args));
	CHECK(aclrtKernelArgsAppend(args, &dx, sizeof dx, &px));
	CHECK(aclrtKernelArgsAppend(args, &dy, sizeof dy, &py));
	CHECK(aclrtKernelArgsAppendPlaceHolder(args, &pp));
	CHECK(aclrtKernelArgsGetPlaceHolderBuffer(args, pp, sizeof *params, (void **)&params));
	params->n = N;
	params->a = 3;
	printf("before the arguments are final: error %d\n", aclrtLaunchKernelWithConfig(function, BLOCKS, stream, NULL, args, NULL));
	CHECK(aclrtKernelArgsFinalize(args));
	CHECK(aclrtLaunchKernelWithConfig(function, BLOCKS, stream, NULL, args, NULL));
	CHECK(aclrtSynchronizeStream(stream));

	/* Once more with another factor, and a time that is too short. */
	aclrtLaunchKernelAttr limit = {ACL_RT_LAUNCH_KERNEL_ATTR_TIMEOUT_US, {.timeoutUs = {1, 0}}};
	aclrtLaunchKernelCfg config = {&limit, 1};
	params->a = 0;
	CHECK(aclrtLaunchKernelWithConfig(function, 1, stream, &config, args, NULL));
	printf("too slow: error %d\n", aclrtSynchronizeStream(stream));

	CHECK(aclrtMemcpy(y, sizeof y, dy, sizeof y, ACL_MEMCPY_DEVICE_TO_HOST));
	int wrong = 0;
	for (int i = 0; i < N; i++)
		wrong += y[i] != 3 * x[i] + 1;
	printf("%d of %d elements are wrong\n", wrong, N);
	CHECK(aclrtBinaryUnLoad(binary));
	CHECK(aclrtFree(dx));
	CHECK(aclrtFree(dy));
	CHECK(aclrtDestroyStream(stream));
	CHECK(aclrtResetDevice(0));
	CHECK(aclFinalize());
	return wrong != 0;
}
