/* An AI CPU function of device 0 doubles what it finds, writes it to device 1 and tells a function there, which reads the source. Then
 * device 1 gets a time for its synchronisation. */
#include <stdio.h>
#include <string.h>

#include "acl/acl.h"
#include "hsim_sys.h"

struct work {
	uint64_t thread, other, channel, dst, src, peer, n;
};

static int bad;

static void must(int code, const char *what)
{
	if (code != 0)
		printf("%s: %d\n", what, code), bad++;
}

#define MUST(x) must((x), #x)

static void launch(const char *name, struct work w, aclrtStream s)
{
	aclrtBinHandle bin;
	aclrtFuncHandle f;
	aclrtArgsHandle args;
	aclrtParamHandle p;
	MUST(aclrtBinaryLoadFromFile("../acl/testdata/rules.wasm", NULL, &bin));
	MUST(aclrtBinaryGetFunction(bin, name, &f));
	MUST(aclrtKernelArgsInit(f, &args));
	MUST(aclrtKernelArgsAppend(args, &w, sizeof w, &p));
	MUST(aclrtKernelArgsFinalize(args));
	MUST(aclrtLaunchKernelWithConfig(f, 1, s, NULL, args, NULL));
}

int main(void)
{
	enum { BYTES = 16 };
	int32_t data[8] = {1, 2, 3, 4};
	void *src, *tmp, *into, *back;
	aclrtStream work, waits, far;
	aclrtNotify told, near[2];
	uint64_t thread, other, remote, here, there;
	aclrtContext zero;

	MUST(aclrtSetDevice(0));
	MUST(aclrtGetCurrentContext(&zero));
	MUST(aclrtMalloc(&src, BYTES, ACL_MEM_MALLOC_HUGE_FIRST));
	MUST(aclrtMalloc(&tmp, BYTES, ACL_MEM_MALLOC_HUGE_FIRST));
	MUST(aclrtMemcpy(src, BYTES, data, BYTES, ACL_MEMCPY_HOST_TO_DEVICE));
	MUST(aclrtCreateStream(&work));
	MUST(aclrtCreateStream(&waits));
	MUST(aclrtCreateNotify(&told, 0));
	MUST(hsim_stream_export(work, NULL, 0, &thread));
	MUST(hsim_stream_export(waits, &told, 1, &other));

	MUST(aclrtSetDevice(1));
	MUST(aclrtMalloc(&into, 2 * BYTES, ACL_MEM_MALLOC_HUGE_FIRST));
	MUST(aclrtMalloc(&back, BYTES, ACL_MEM_MALLOC_HUGE_FIRST));
	MUST(aclrtMemset(into, 2 * BYTES, 0, 2 * BYTES));
	MUST(aclrtCreateStream(&far));
	for (int i = 0; i < 2; i++)
		MUST(aclrtCreateNotify(&near[i], 0));
	MUST(hsim_stream_export(far, NULL, 0, &remote));
	MUST(hsim_devices_connect(0, 1, NULL, 0, near, 2, &here, &there));
	printf("refused: %d %d %d %d\n", hsim_devices_connect(0, 0, NULL, 0, NULL, 0, &here, &there), hsim_stream_export(far, &told, 1, &remote),
	       hsim_stream_export(far, near, 0x40000000, &remote), hsim_export_end(12345));
	launch("receive", (struct work){.thread = remote, .channel = there, .dst = (size_t)back, .peer = (size_t)src, .n = BYTES}, NULL);

	MUST(aclrtSetCurrentContext(zero));
	launch("wait", (struct work){.thread = other}, NULL);
	launch("send", (struct work){thread, other, here, (size_t)tmp, (size_t)src, (size_t)into, BYTES}, NULL);
	MUST(aclrtSynchronizeDevice());
	MUST(aclrtSetDevice(1));
	MUST(aclrtSynchronizeDevice());
	MUST(aclrtMemcpy(data, 2 * BYTES, into, 2 * BYTES, ACL_MEMCPY_DEVICE_TO_HOST));
	printf("written %d %d %d %d, added %d %d %d %d\n", data[0], data[1], data[2], data[3], data[4], data[5], data[6], data[7]);
	MUST(aclrtMemcpy(data, BYTES, back, BYTES, ACL_MEMCPY_DEVICE_TO_HOST));
	printf("read %d %d %d %d\n", data[0], data[1], data[2], data[3]);
	MUST(hsim_device_synchronize(3, 2));
	printf("refused: %d %d\n", hsim_device_synchronize(4, 0), hsim_device_synchronize(0, -1));
	MUST(aclrtWaitAndResetNotify(near[0], far, 0));
	printf("not done within the device's time: %d\n", aclrtSynchronizeDevice());
	MUST(aclrtRecordNotify(near[0], NULL));
	MUST(aclrtSynchronizeDevice());
	MUST(hsim_export_end(there));
	MUST(hsim_export_end(thread));
	return bad;
}
