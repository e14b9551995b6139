/* Two processes share device memory by key, and tell each other by a shared notify. Rank 0 owns both; rank 1 is on a list of
 * those that may import them. */
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

enum { N = 1 << 20, KEY = 65 };

static void owner(aclrtStream stream)
{
	static int data[N];
	char keys[2][KEY];
	int32_t pids[2];
	void *memory;
	aclrtNotify notify;
	CHECK(aclrtMalloc(&memory, sizeof data, ACL_MEM_MALLOC_HUGE_FIRST));
	for (int i = 0; i < N; i++)
		data[i] = i;
	CHECK(aclrtMemcpy(memory, sizeof data, data, sizeof data, ACL_MEMCPY_HOST_TO_DEVICE));
	CHECK(aclrtCreateNotify(&notify, 0));
	CHECK(aclrtIpcMemGetExportKey(memory, sizeof data, keys[0], KEY, ACL_RT_IPC_MEM_EXPORT_FLAG_DEFAULT));
	CHECK(aclrtNotifyGetExportKey(notify, keys[1], KEY, ACL_RT_NOTIFY_EXPORT_FLAG_DEFAULT));
	MPI_Bcast(keys, sizeof keys, MPI_CHAR, 0, MPI_COMM_WORLD);
	MPI_Barrier(MPI_COMM_WORLD); /* rank 1 tries, and may not */
	MPI_Bcast(&pids[1], 1, MPI_INT, 1, MPI_COMM_WORLD);
	CHECK(aclrtIpcMemSetImportPid(keys[0], &pids[1], 1));
	CHECK(aclrtNotifySetImportPid(notify, &pids[1], 1));
	MPI_Barrier(MPI_COMM_WORLD);

	CHECK(aclrtWaitAndResetNotify(notify, stream, 0)); /* until rank 1 has written */
	CHECK(aclrtMemcpyAsync(data, sizeof data, memory, sizeof data, ACL_MEMCPY_DEVICE_TO_HOST, stream));
	CHECK(aclrtSynchronizeStream(stream));
	int wrong = 0;
	for (int i = 0; i < N; i++)
		wrong += data[i] != (i < N / 2 ? i : 0x07070707);
	printf("%d of %d elements are wrong\n", wrong, N);
	MPI_Barrier(MPI_COMM_WORLD); /* rank 1 has closed its side */
	CHECK(aclrtIpcMemClose(keys[0]));
	CHECK(aclrtFree(memory));
	CHECK(aclrtDestroyNotify(notify));
	if (wrong)
		exit(1);
}

static void user(aclrtStream stream)
{
	char keys[2][KEY];
	int32_t pid;
	void *memory;
	aclrtNotify notify;
	MPI_Bcast(keys, sizeof keys, MPI_CHAR, 0, MPI_COMM_WORLD);
	printf("not on the list: error %d\n", aclrtIpcMemImportByKey(&memory, keys[0], 0));
	MPI_Barrier(MPI_COMM_WORLD);
	CHECK(aclrtDeviceGetBareTgid(&pid));
	MPI_Bcast(&pid, 1, MPI_INT, 1, MPI_COMM_WORLD);
	MPI_Barrier(MPI_COMM_WORLD);
	CHECK(aclrtIpcMemImportByKey(&memory, keys[0], ACL_RT_IPC_MEM_IMPORT_FLAG_ENABLE_PEER_ACCESS));
	CHECK(aclrtNotifyImportByKey(&notify, keys[1], ACL_RT_NOTIFY_IMPORT_FLAG_ENABLE_PEER_ACCESS));

	/* From its own device into the memory of the other one. */
	void *own;
	CHECK(aclrtMalloc(&own, N * 2, ACL_MEM_MALLOC_HUGE_FIRST));
	CHECK(aclrtMemsetAsync(own, N * 2, 7, N * 2, stream));
	CHECK(aclrtMemcpyAsync((char *)memory + N * 2, N * 2, own, N * 2, ACL_MEMCPY_DEVICE_TO_DEVICE, stream));
	CHECK(aclrtRecordNotify(notify, stream));
	CHECK(aclrtSynchronizeStream(stream));
	printf("written and told\n");
	CHECK(aclrtIpcMemClose(keys[0]));
	printf("after closing: error %d\n", aclrtMemset(memory, N, 0, N));
	CHECK(aclrtDestroyNotify(notify));
	CHECK(aclrtFree(own));
	MPI_Barrier(MPI_COMM_WORLD);
}

int main(int argc, char **argv)
{
	int rank;
	aclrtStream stream;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	CHECK(aclInit(NULL));
	CHECK(aclrtSetDevice(rank));
	CHECK(aclrtCreateStream(&stream));
	if (rank == 0)
		owner(stream);
	else
		user(stream);
	CHECK(aclrtDestroyStream(stream));
	CHECK(aclrtResetDevice(rank));
	CHECK(aclFinalize());
	return MPI_Finalize();
}
