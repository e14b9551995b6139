/* A small MPI over the processes of a run, for programs that use it to hand data round at their start. */
#ifndef HSIM_MPI_H
#define HSIM_MPI_H

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "hsim_sys.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef int MPI_Comm;
typedef int MPI_Datatype; /* the size of an element, with its kind above */
typedef int MPI_Op;

#define MPI_SUCCESS 0
#define MPI_ERR_COMM 5
#define MPI_ERR_ARG 12
#define MPI_ERR_OP 9
#define MPI_COMM_WORLD 1
#define MPI_COMM_NULL 0
#define MPI_MAX_PROCESSOR_NAME 64

#define MPI_BYTE 0x001
#define MPI_CHAR 0x101
#define MPI_INT 0x104
#define MPI_UNSIGNED 0x204
#define MPI_LONG_LONG 0x108
#define MPI_INT64_T 0x108
#define MPI_UINT64_T 0x208
#define MPI_UNSIGNED_LONG_LONG 0x208
#define MPI_FLOAT 0x304
#define MPI_DOUBLE 0x308

#define MPI_SUM 1
#define MPI_MAX 2
#define MPI_MIN 3

static inline int MPI_Init(int *argc, char ***argv)
{
	(void)argc, (void)argv;
	return MPI_SUCCESS;
}

static inline int MPI_Finalize(void) { return hsim_process_exchange(NULL, NULL, 0) ? MPI_ERR_ARG : MPI_SUCCESS; }
static inline int MPI_Abort(MPI_Comm comm, int code)
{
	(void)comm;
	_Exit(code);
}

static inline int MPI_Comm_rank(MPI_Comm comm, int *rank)
{
	*rank = hsim_process_rank();
	return comm == MPI_COMM_WORLD ? MPI_SUCCESS : MPI_ERR_COMM;
}

static inline int MPI_Comm_size(MPI_Comm comm, int *size)
{
	*size = hsim_process_count();
	return comm == MPI_COMM_WORLD ? MPI_SUCCESS : MPI_ERR_COMM;
}

static inline int MPI_Barrier(MPI_Comm comm)
{
	if (comm != MPI_COMM_WORLD)
		return MPI_ERR_COMM;
	return hsim_process_exchange(NULL, NULL, 0) ? MPI_ERR_ARG : MPI_SUCCESS;
}

static inline int hsim_mpi_gather(const void *mine, size_t bytes, char **all)
{
	*all = (char *)malloc(bytes * (size_t)hsim_process_count() + 1);
	if (!*all || hsim_process_exchange(mine, *all, (uint32_t)bytes)) {
		free(*all);
		return MPI_ERR_ARG;
	}
	return MPI_SUCCESS;
}

static inline int MPI_Bcast(void *data, int count, MPI_Datatype type, int root, MPI_Comm comm)
{
	size_t bytes = (size_t)count * (type & 0xff);
	char *all;
	if (comm != MPI_COMM_WORLD || root < 0 || root >= hsim_process_count())
		return MPI_ERR_ARG;
	if (hsim_mpi_gather(data, bytes, &all))
		return MPI_ERR_ARG;
	memcpy(data, all + bytes * (size_t)root, bytes);
	free(all);
	return MPI_SUCCESS;
}

static inline int MPI_Allgather(const void *mine, int count, MPI_Datatype type, void *all, int all_count, MPI_Datatype all_type, MPI_Comm comm)
{
	size_t bytes = (size_t)count * (type & 0xff);
	if (comm != MPI_COMM_WORLD || bytes != (size_t)all_count * (all_type & 0xff))
		return MPI_ERR_ARG;
	return hsim_process_exchange(mine, all, (uint32_t)bytes) ? MPI_ERR_ARG : MPI_SUCCESS;
}

static inline int MPI_Gather(const void *mine, int count, MPI_Datatype type, void *all, int all_count, MPI_Datatype all_type, int root, MPI_Comm comm)
{
	size_t bytes = (size_t)count * (type & 0xff);
	char *copy;
	(void)all_count, (void)all_type;
	if (comm != MPI_COMM_WORLD || hsim_mpi_gather(mine, bytes, &copy))
		return MPI_ERR_ARG;
	if (hsim_process_rank() == root)
		memcpy(all, copy, bytes * (size_t)hsim_process_count());
	free(copy);
	return MPI_SUCCESS;
}

#define HSIM_MPI_REDUCE(T) \
	{ \
		const T *in = (const T *)all; \
		T *out = (T *)result; \
		for (int i = 0; i < count; i++) { \
			T v = in[i]; \
			for (int r = 1; r < hsim_process_count(); r++) { \
				T x = in[(size_t)r * (size_t)count + (size_t)i]; \
				v = op == MPI_SUM ? (T)(v + x) : op == MPI_MAX ? (x > v ? x : v) : (x < v ? x : v); \
			} \
			out[i] = v; \
		} \
		break; \
	}

static inline int MPI_Allreduce(const void *mine, void *result, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm)
{
	char *all;
	if (comm != MPI_COMM_WORLD || op < MPI_SUM || op > MPI_MIN)
		return MPI_ERR_OP;
	if (hsim_mpi_gather(mine, (size_t)count * (type & 0xff), &all))
		return MPI_ERR_ARG;
	switch (type) {
	case MPI_INT: HSIM_MPI_REDUCE(int32_t)
	case MPI_UNSIGNED: HSIM_MPI_REDUCE(uint32_t)
	case MPI_INT64_T: HSIM_MPI_REDUCE(int64_t)
	case MPI_UINT64_T: HSIM_MPI_REDUCE(uint64_t)
	case MPI_FLOAT: HSIM_MPI_REDUCE(float)
	case MPI_DOUBLE: HSIM_MPI_REDUCE(double)
	default: free(all); return MPI_ERR_ARG;
	}
	free(all);
	return MPI_SUCCESS;
}

static inline double MPI_Wtime(void) { return (double)hsim_time_now() * 1e-12; }

static inline int MPI_Get_processor_name(char *name, int *len)
{
	int server = hsim_process_server(), n = 0;
	char digits[12];
	do
		digits[n++] = (char)('0' + server % 10);
	while ((server /= 10) > 0);
	memcpy(name, "server", 6);
	for (int i = 0; i < n; i++)
		name[6 + i] = digits[n - 1 - i];
	name[6 + n] = 0;
	*len = 6 + n;
	return MPI_SUCCESS;
}

#ifdef __cplusplus
}
#endif

#endif
