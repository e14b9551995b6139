/* Copies between host and device, within a device and between devices, and how long they take. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "acl/acl.h"

#define CHECK(call) \
	do { \
		aclError code = (call); \
		if (code != ACL_SUCCESS) { \
			printf("%s: error %d: %s\n", #call, code, aclGetRecentErrMsg()); \
			exit(1); \
		} \
	} while (0)

/* Microseconds of virtual time. */
static double now(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec * 1e6 + (double)t.tv_nsec * 1e-3;
}

static void copy(const char *what, void *dst, const void *src, size_t n, aclrtMemcpyKind kind)
{
	double begin = now();
	CHECK(aclrtMemcpy(dst, n, src, n, kind));
	double us = now() - begin;
	printf("%-18s %8.2f us, %6.2f GB/s\n", what, us, (double)n / us / 1e3);
}

int main(void)
{
	const size_t n = 4 << 20;
	unsigned char *in, *out;
	void *a, *b, *c;
	CHECK(aclInit(NULL));
	CHECK(aclrtSetDevice(1));
	CHECK(aclrtMalloc(&c, n, ACL_MEM_MALLOC_HUGE_FIRST));
	CHECK(aclrtSetDevice(0));
	CHECK(aclrtMallocHost((void **)&in, n));
	CHECK(aclrtMallocHost((void **)&out, n));
	CHECK(aclrtMalloc(&a, n, ACL_MEM_MALLOC_HUGE_FIRST));
	CHECK(aclrtMalloc(&b, n, ACL_MEM_MALLOC_HUGE_FIRST));
	for (size_t i = 0; i < n; i++)
		in[i] = (unsigned char)(i * 31 + (i >> 12));
	memset(out, 0, n);

	copy("host to device", a, in, n, ACL_MEMCPY_HOST_TO_DEVICE);
	copy("within the device", b, a, n, ACL_MEMCPY_DEVICE_TO_DEVICE);

	/* Another device's memory needs access, in the direction of the copy. */
	printf("without access: error %d\n", aclrtMemcpy(c, n, b, n, ACL_MEMCPY_DEVICE_TO_DEVICE));
	CHECK(aclrtDeviceEnablePeerAccess(1, 0));
	copy("to the peer", c, b, n, ACL_MEMCPY_DEVICE_TO_DEVICE);
	CHECK(aclrtMemset(a, n, 0, n));
	copy("from the peer", a, c, n, ACL_MEMCPY_DEVICE_TO_DEVICE);
	copy("device to host", out, a, n, ACL_MEMCPY_DEVICE_TO_HOST);
	printf("the bytes %s\n", memcmp(in, out, n) ? "differ" : "came back");

	CHECK(aclrtFree(a));
	CHECK(aclrtFree(b));
	CHECK(aclrtFree(c));
	CHECK(aclrtFreeHost(in));
	CHECK(aclrtFreeHost(out));
	CHECK(aclrtResetDevice(0));
	CHECK(aclrtResetDevice(1));
	CHECK(aclFinalize());
	return 0;
}
