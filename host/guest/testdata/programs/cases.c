/* Reports from real users, as programs: what went wrong there is the right error here. Prints codes. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "acl/acl.h"

#define SAY(x) printf("%d %s\n", (int)(x), #x)

static aclrtStream shared;
static void *device, *host;

/* Every stream of the device is taken; one that is given back can be taken again. */
static void streams(void)
{
	aclrtStream s, last = NULL;
	uint32_t left;
	int n = 0;
	SAY(aclrtGetStreamAvailableNum(&left));
	while (aclrtCreateStream(&s) == ACL_SUCCESS)
		last = s, n++;
	printf("%d streams were left, %d made\n%s\n", (int)left, n, aclGetRecentErrMsg());
	SAY(aclrtSynchronizeStream(last));
	SAY(aclrtDestroyStream(last));
	SAY(aclrtCreateStream(&s));
	SAY(aclrtCreateStream(&s));
}

static void *stranger(void *arg)
{
	SAY(aclrtMemcpyAsync(device, 64, host, 64, ACL_MEMCPY_HOST_TO_DEVICE, shared));
	SAY(aclrtSetDevice(1));
	SAY(aclrtMemsetAsync(device, 64, 9, 64, shared));
	SAY(aclrtSynchronizeStream(shared));
	return arg;
}

/* A thread without a device, and one with another one. */
static void contexts(void)
{
	pthread_t t;
	char byte = 5;
	SAY(aclrtMemset(device, 64, 0, 64));
	pthread_create(&t, NULL, stranger, NULL);
	pthread_join(t, NULL);
	SAY(aclrtSynchronizeStream(shared));
	SAY(aclrtMemcpy(&byte, 1, device, 1, ACL_MEMCPY_DEVICE_TO_HOST));
	printf("%d nothing was executed\n", byte);
}

/* The kind of a copy does not fit its pointers; a copy that is too long. */
static void copies(void)
{
	char buffer[128];
	SAY(aclrtMemcpyAsync(device, 64, buffer, 64, ACL_MEMCPY_DEVICE_TO_DEVICE, shared));
	printf("%s\n", aclGetRecentErrMsg());
	SAY(aclrtMemcpyAsync(device, 64, buffer, 64, ACL_MEMCPY_HOST_TO_DEVICE, shared));
	SAY(aclrtMemcpy(device, 100, buffer, 128, ACL_MEMCPY_HOST_TO_DEVICE));
	SAY(aclrtSynchronizeStream(shared));
}

/* Host memory is registered by pages. */
static void registers(void)
{
	char *memory = aligned_alloc(65536, 1 << 20);
	void *seen, *again;
	SAY(aclrtHostRegister(memory + 4096, 65536, ACL_HOST_REGISTER_MAPPED, &seen));
	SAY(aclrtHostRegister(memory, 65536, ACL_HOST_REGISTER_MAPPED, &seen));
	SAY(aclrtHostRegister(memory, 65536, ACL_HOST_REGISTER_MAPPED, &again));
	SAY(aclrtMemset(seen, 64, 0, 64));
	char *more = malloc(16 << 20); /* memory may move meanwhile */
	memset(more, 1, 16 << 20);
	SAY(aclrtHostUnregister(memory));
	SAY(aclrtHostUnregister(memory));
}

/* A batch of copies has at most 4096 pieces, and all of them are right or none is made. */
static void batch(void)
{
	enum { N = 4097 };
	static void *dst[N], *src[N];
	static size_t room[N], count[N];
	static char in[N], out[N];
	size_t failed = 99;
	char *d;
	SAY(aclrtMalloc((void **)&d, N, ACL_MEM_MALLOC_HUGE_FIRST));
	SAY(aclrtMemset(d, N, 0, N));
	for (int i = 0; i < N; i++)
		dst[i] = d + i, src[i] = in + i, room[i] = count[i] = 1, in[i] = (char)i;
	SAY(aclrtMemcpyBatch(dst, room, src, count, N, NULL, NULL, 0, &failed));
	SAY(aclrtMemcpy(out, N, d, N, ACL_MEMCPY_DEVICE_TO_HOST));
	printf("%d and %d: nothing was copied\n", out[1], out[4095]);
	count[4000] = 2;
	SAY(aclrtMemcpyBatch(dst, room, src, count, 4096, NULL, NULL, 0, &failed));
	printf("%d is the piece\n", (int)failed);
	SAY(aclrtMemcpy(out, N, d, N, ACL_MEMCPY_DEVICE_TO_HOST));
	printf("%d and %d: nothing was copied\n", out[1], out[4095]);
	count[4000] = 1;
	SAY(aclrtMemcpyBatch(dst, room, src, count, 4096, NULL, NULL, 0, &failed));
	SAY(aclrtMemcpy(out, N, d, N, ACL_MEMCPY_DEVICE_TO_HOST));
	printf("%d\n", memcmp(in, out, 4096));
}

/* Device memory is used up, and is there again after a free. */
static void memory(void)
{
	void *p[4];
	int n = 0;
	while (n < 4 && aclrtMalloc(&p[n], 512u << 20, ACL_MEM_MALLOC_NORMAL_ONLY) == ACL_SUCCESS)
		n++;
	printf("%d pieces\n%s\n", n, aclGetRecentErrMsg());
	SAY(aclrtFree(p[0]));
	SAY(aclrtMalloc(&p[0], 512u << 20, ACL_MEM_MALLOC_NORMAL_ONLY));
}

int main(int argc, char **argv)
{
	static const struct {
		const char *name;
		void (*run)(void);
	} cases[] = {{"streams", streams}, {"contexts", contexts}, {"copies", copies}, {"registers", registers}, {"batch", batch}, {"memory", memory}};
	aclrtSetDevice(0);
	aclrtCreateStream(&shared);
	aclrtMalloc(&device, 64, ACL_MEM_MALLOC_HUGE_FIRST);
	aclrtMallocHost(&host, 64);
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
		if (!strcmp(cases[i].name, argv[1]))
			cases[i].run();
	return 0;
}
