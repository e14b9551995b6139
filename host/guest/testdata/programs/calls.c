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
	aclrtSynchronizeStream(s);
	return sum != 0;
}
