/* A program sees 2 GiB of device memory at once: what is more is refused with the reason, and fits again after a free. */
#include <stdio.h>

#include "acl/acl.h"
#include "hsim_sys.h"

int main(void)
{
	static void *all[64];
	size_t n = 100u << 20;
	int got = 0;
	void *p, *q;
	uint64_t free, total;
	aclrtSetDevice(0);
	while (got < 64 && aclrtMalloc(&all[got], n, ACL_MEM_MALLOC_NORMAL_ONLY) == ACL_SUCCESS)
		got++;
	printf("%d pieces of 100 MiB\n%s\n", got, aclGetRecentErrMsg());
	printf("%d after one more\n", aclrtMalloc(&p, n, ACL_MEM_MALLOC_NORMAL_ONLY));
	aclrtFree(all[3]);
	aclrtFree(all[4]);
	printf("%d after two are freed\n", aclrtMalloc(&p, 2 * n, ACL_MEM_MALLOC_NORMAL_ONLY));
	printf("%d in their place, %d fits into the rest\n", p == all[3], aclrtMalloc(&q, 40u << 20, ACL_MEM_MALLOC_NORMAL_ONLY));
	hsim_device_memory(0, &free, &total);
	printf("%llu MiB in use\n", (unsigned long long)((total - free) >> 20));
	printf("%d at the end of memory\n", aclrtMemset((char *)p + 2 * n - 1, 1, 5, 1));
	printf("%d past it\n", aclrtMemset((char *)p + 2 * n, 1, 5, 1));
	return 0;
}
