/* Addresses and memory apart: reserve a range, put pieces of memory into it, take them out again, and share one with another
 * process. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "acl/acl.h"

#define CHECK(call) \
	do { \
		aclError code = (call); \
		if (code != ACL_SUCCESS) { \
			printf("%s: error %d: %s\n", #call, code, aclGetRecentErrMsg()); \
			exit(1); \
		} \
	} while (0)

static aclrtPhysicalMemProp on(uint32_t device)
{
	aclrtPhysicalMemProp p = {ACL_MEM_HANDLE_TYPE_NONE, ACL_MEM_ALLOCATION_TYPE_PINNED, ACL_HBM_MEM_HUGE, {device, ACL_MEM_LOCATION_TYPE_DEVICE}, 0};
	return p;
}

static void owner(void)
{
	aclrtPhysicalMemProp prop = on(0);
	aclrtDrvMemHandle a, b;
	char *range, text[32] = "";
	size_t page;
	uint64_t shared;
	int32_t pid;
	CHECK(aclrtMemGetAllocationGranularity(&prop, ACL_RT_MEM_ALLOC_GRANULARITY_MINIMUM, &page));
	printf("pages of %u KiB\n", (unsigned)(page >> 10));
	printf("half a page: error %d\n", aclrtMallocPhysical(&a, page / 2, &prop, 0));
	CHECK(aclrtMallocPhysical(&a, page, &prop, 0));
	CHECK(aclrtMallocPhysical(&b, 2 * page, &prop, 0));
	CHECK(aclrtReserveMemAddress((void **)&range, 4 * page, 0, NULL, 1));
	printf("nothing is there yet: error %d\n", aclrtMemset(range, page, 1, page));
	CHECK(aclrtMapMem(range, page, 0, a, 0));
	CHECK(aclrtMapMem(range + page, 2 * page, 0, b, 0));
	printf("on top of another: error %d\n", aclrtMapMem(range + 2 * page, page, 0, a, 0));
	CHECK(aclrtMemset(range, page, 0, page));
	CHECK(aclrtMemcpy(range + page - 6, 6, "hello", 6, ACL_MEMCPY_HOST_TO_DEVICE));

	/* The same memory at another place. */
	CHECK(aclrtUnmapMem(range));
	CHECK(aclrtMapMem(range + 3 * page, page, 0, a, 0));
	CHECK(aclrtMemcpy(text, 6, range + 4 * page - 6, 6, ACL_MEMCPY_DEVICE_TO_HOST));
	printf("moved: %s\n", text);

	CHECK(aclrtMemExportToShareableHandle(a, ACL_MEM_HANDLE_TYPE_NONE, ACL_RT_VMM_EXPORT_FLAG_DEFAULT, &shared));
	MPI_Bcast(&shared, 1, MPI_UINT64_T, 0, MPI_COMM_WORLD);
	MPI_Barrier(MPI_COMM_WORLD);
	MPI_Bcast(&pid, 1, MPI_INT, 1, MPI_COMM_WORLD);
	CHECK(aclrtMemSetPidToShareableHandle(shared, &pid, 1));
	MPI_Barrier(MPI_COMM_WORLD);
	MPI_Barrier(MPI_COMM_WORLD); /* rank 1 has written */
	CHECK(aclrtMemcpy(text, 6, range + 3 * page, 6, ACL_MEMCPY_DEVICE_TO_HOST));
	printf("from rank 1: %s\n", text);

	printf("while it is mapped: error %d and %d\n", aclrtFreePhysical(a), aclrtReleaseMemAddress(range));
	CHECK(aclrtUnmapMem(range + 3 * page));
	CHECK(aclrtUnmapMem(range + page));
	CHECK(aclrtReleaseMemAddress(range));
	CHECK(aclrtFreePhysical(a));
	CHECK(aclrtFreePhysical(b));
	printf("a second time: error %d\n", aclrtFreePhysical(b));
}

static void user(void)
{
	aclrtDrvMemHandle a;
	uint64_t shared;
	int32_t pid;
	char *range, text[8] = "";
	aclrtPhysicalMemProp prop = on(0);
	size_t page;
	CHECK(aclrtMemGetAllocationGranularity(&prop, ACL_RT_MEM_ALLOC_GRANULARITY_MINIMUM, &page));
	MPI_Bcast(&shared, 1, MPI_UINT64_T, 0, MPI_COMM_WORLD);
	printf("not on the list: error %d\n", aclrtMemImportFromShareableHandle(shared, 0, &a));
	MPI_Barrier(MPI_COMM_WORLD);
	CHECK(aclrtDeviceGetBareTgid(&pid));
	MPI_Bcast(&pid, 1, MPI_INT, 1, MPI_COMM_WORLD);
	MPI_Barrier(MPI_COMM_WORLD);
	CHECK(aclrtMemImportFromShareableHandle(shared, 0, &a));
	CHECK(aclrtReserveMemAddress((void **)&range, page, 0, NULL, 1));
	CHECK(aclrtMapMem(range, page, 0, a, 0));
	CHECK(aclrtMemcpy(text, 6, range + page - 6, 6, ACL_MEMCPY_DEVICE_TO_HOST));
	printf("from rank 0: %s\n", text);
	CHECK(aclrtMemcpy(range, 6, "world", 6, ACL_MEMCPY_HOST_TO_DEVICE));
	MPI_Barrier(MPI_COMM_WORLD);
	CHECK(aclrtUnmapMem(range));
	CHECK(aclrtReleaseMemAddress(range));
	CHECK(aclrtFreePhysical(a));
}

int main(int argc, char **argv)
{
	int rank;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	CHECK(aclInit(NULL));
	CHECK(aclrtSetDevice(0));
	if (rank == 0)
		owner();
	else
		user();
	CHECK(aclrtResetDevice(0));
	CHECK(aclFinalize());
	return MPI_Finalize();
}
