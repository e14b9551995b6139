/* Sets a device, allocates, copies there and back over a stream, prints. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "acl/acl.h"

#define CHECK(x) \
	do { \
		aclError code = (x); \
		if (code != ACL_SUCCESS) { \
			printf("%s: %d: %s\n", #x, code, aclGetRecentErrMsg()); \
			return 1; \
		} \
	} while (0)

int main(int argc, char **argv)
{
	enum { N = 1000 };
	uint32_t count = 0;
	CHECK(aclInit(NULL));
	CHECK(aclrtGetDeviceCount(&count));
	CHECK(aclrtSetDevice(0));
	aclrtStream stream;
	CHECK(aclrtCreateStream(&stream));
	void *dev;
	CHECK(aclrtMalloc(&dev, N * sizeof(int), ACL_MEM_MALLOC_HUGE_FIRST));
	int *in = malloc(N * sizeof(int)), *out = calloc(N, sizeof(int));
	for (int i = 0; i < N; i++)
		in[i] = i * i;
	CHECK(aclrtMemcpyAsync(dev, N * sizeof(int), in, N * sizeof(int), ACL_MEMCPY_HOST_TO_DEVICE, stream));
	CHECK(aclrtMemcpyAsync(out, N * sizeof(int), dev, N * sizeof(int), ACL_MEMCPY_DEVICE_TO_HOST, stream));
	/* Memory may move while the copies are queued. */
	char *big = malloc(5 << 20);
	memset(big, 1, 5 << 20);
	CHECK(aclrtSynchronizeStream(stream));
	printf("%s, %u devices, rank %s of %s, %d arguments: copies %s\n", aclrtGetSocName(), (unsigned)count, getenv("RANK_ID"), getenv("RANK_SIZE"), argc - 1,
	       memcmp(in, out, N * sizeof(int)) ? "differ" : "agree");
	CHECK(aclrtFree(dev));
	CHECK(aclrtDestroyStream(stream));
	CHECK(aclrtResetDevice(0));
	CHECK(aclFinalize());
	return argc > 1 ? atoi(argv[1]) : 0;
}
