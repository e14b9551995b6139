/* One process for each device: every collective, and what is wrong with communicators. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "acl/acl.h"
#include "hccl/hccl.h"

enum { N = 1000 };

static int rank, size, failures;
static int32_t in[8 * N], out[8 * N];
static void *din, *dout;
static aclrtStream stream;
static HcclComm comm;

#define EXPECT(x) \
	do { \
		if (!(x)) { \
			failures++; \
			printf("line %d: %s: %s\n", __LINE__, #x, aclGetRecentErrMsg()); \
		} \
	} while (0)
#define SAY(x) printf("%d %s\n", (int)(x), #x)

static void put(void)
{
	for (int i = 0; i < 8 * N; i++)
		in[i] = rank * 100000 + i;
	EXPECT(aclrtMemcpy(din, sizeof in, in, sizeof in, ACL_MEMCPY_HOST_TO_DEVICE) == 0);
	EXPECT(aclrtMemset(dout, sizeof out, 0, sizeof out) == 0);
}

static void get(void *from)
{
	EXPECT(aclrtSynchronizeStream(stream) == 0);
	EXPECT(aclrtMemcpy(out, sizeof out, from, sizeof out, ACL_MEMCPY_DEVICE_TO_HOST) == 0);
}

static void check(const char *what, int n, int (*want)(int))
{
	int wrong = 0;
	for (int i = 0; i < n; i++)
		wrong += out[i] != want(i);
	if (wrong) {
		failures++;
		printf("%s: %d wrong\n", what, wrong);
	}
}

static int sum(int i) { return size * (size - 1) / 2 * 100000 + size * i; }
static int most(int i) { return (size - 1) * 100000 + rank * N + i; }
static int gathered(int i) { return i / N * 100000 + i % N; }
static int root1(int i) { return 100000 + i; }
static int swapped(int i) { return i / N * 100000 + rank * N + i % N; }

static void works(void)
{
	put();
	EXPECT(HcclAllReduce(din, dout, N, HCCL_DATA_TYPE_INT32, HCCL_REDUCE_SUM, comm, stream) == 0);
	get(dout);
	check("all_reduce", N, sum);
	put();
	EXPECT(HcclReduceScatter(din, dout, N, HCCL_DATA_TYPE_INT32, HCCL_REDUCE_MAX, comm, stream) == 0);
	get(dout);
	check("reduce_scatter", N, most);
	put();
	EXPECT(HcclAllGather(din, dout, N, HCCL_DATA_TYPE_INT32, comm, stream) == 0);
	get(dout);
	check("all_gather", size * N, gathered);
	put();
	EXPECT(HcclBroadcast(din, N, HCCL_DATA_TYPE_INT32, 1, comm, stream) == 0);
	get(din);
	check("broadcast", N, root1);
	put();
	EXPECT(HcclAlltoAll(din, N, HCCL_DATA_TYPE_INT32, dout, N, HCCL_DATA_TYPE_INT32, comm, stream) == 0);
	get(dout);
	check("all_to_all", size * N, swapped);
	EXPECT(HcclBarrier(comm, stream) == 0 && HcclBarrier(comm, stream) == 0);
	EXPECT(aclrtSynchronizeStream(stream) == 0);
}

int main(int argc, char **argv)
{
	HcclRootInfo root;
	HcclCommConfig config;
	char name[COMM_NAME_MAX_LENGTH];
	uint32_t id, n;
	HcclResult state;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	EXPECT(aclInit(NULL) == 0);
	if (rank == 0 && argc > 1)
		SAY(HcclCommInitRootInfo(1, &root, 0, &comm)); /* no device yet, and no root info */
	EXPECT(aclrtSetDevice(rank) == 0);
	EXPECT(aclrtCreateStream(&stream) == 0);
	EXPECT(aclrtMalloc(&din, sizeof in, ACL_MEM_MALLOC_HUGE_FIRST) == 0);
	EXPECT(aclrtMalloc(&dout, sizeof out, ACL_MEM_MALLOC_HUGE_FIRST) == 0);
	memset(&root, 0, sizeof root);
	if (rank == 0)
		EXPECT(HcclGetRootInfo(&root) == 0);
	MPI_Bcast(&root, sizeof root, MPI_CHAR, 0, MPI_COMM_WORLD);
	if (argc > 1 && !strcmp(argv[1], "missing") && rank == size - 1)
		return 0; /* the others wait, and give up */
	HcclCommConfigInit(&config);
	config.hcclBufferSize = 2;
	strcpy(config.hcclCommName, "mine");
	if (argc > 1) {
		SAY(HcclCommInitRootInfoConfig((uint32_t)size, &root, (uint32_t)rank, &config, &comm));
		printf("%s\n", aclGetRecentErrMsg());
		return 0;
	}
	EXPECT(HcclCommInitRootInfoConfig((uint32_t)size, &root, (uint32_t)rank, &config, &comm) == 0);
	EXPECT(HcclGetRankId(comm, &id) == 0 && id == (uint32_t)rank);
	EXPECT(HcclGetRankSize(comm, &n) == 0 && n == (uint32_t)size);
	EXPECT(HcclGetCommName(comm, name) == 0 && !strcmp(name, "mine"));
	EXPECT(HcclGetCommAsyncError(comm, &state) == 0 && state == HCCL_SUCCESS);
	works();
	if (rank == 0) {
		SAY(HcclCommInitRootInfo((uint32_t)size, &root, 0, &comm)); /* used up */
		SAY(HcclCommInitRootInfo(2, &root, 2, &comm));
		SAY(HcclAllReduce(din, dout, N, (HcclDataType)99, HCCL_REDUCE_SUM, comm, stream));
		SAY(HcclAllReduce(in, dout, N, HCCL_DATA_TYPE_INT32, HCCL_REDUCE_SUM, comm, stream));
		SAY(HcclAllReduce(din, dout, 8 * N + 1, HCCL_DATA_TYPE_INT32, HCCL_REDUCE_SUM, comm, stream));
		SAY(HcclAllReduce(din, dout, N, HCCL_DATA_TYPE_INT32, HCCL_REDUCE_SUM, comm, (aclrtStream)din));
		SAY(HcclGetRankId(comm, NULL));
		printf("%s\n", HcclGetErrorString(HCCL_E_PARA));
	}
	works(); /* nothing of that has done any harm */
	EXPECT(HcclCommDestroy(comm) == 0);
	EXPECT(HcclCommDestroy(comm) == HCCL_E_PARA);
	EXPECT(HcclAllReduce(din, dout, N, HCCL_DATA_TYPE_INT32, HCCL_REDUCE_SUM, comm, stream) == HCCL_E_PARA);

	/* All devices of the server in one call, each its own process: every one makes a communicator of its own device. */
	int32_t own = rank;
	EXPECT(HcclCommInitAll(1, &own, &comm) == 0);
	EXPECT(HcclGetRankSize(comm, &n) == 0 && n == 1);
	put();
	EXPECT(HcclAllReduce(din, dout, N, HCCL_DATA_TYPE_INT32, HCCL_REDUCE_SUM, comm, stream) == 0);
	get(dout);
	EXPECT(memcmp(in, out, N * sizeof(int32_t)) == 0);
	EXPECT(HcclCommDestroy(comm) == 0);
	EXPECT(aclrtFree(din) == 0 && aclrtFree(dout) == 0 && aclrtDestroyStream(stream) == 0 && aclrtResetDevice(rank) == 0 && aclFinalize() == 0);
	printf("%d failures\n", failures);
	return failures || MPI_Finalize();
}
