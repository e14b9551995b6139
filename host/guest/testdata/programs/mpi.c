/* The small MPI over the processes of a run. */
#include <mpi.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

int main(int argc, char **argv)
{
	int rank, size, len, all[64], sum = 0, most;
	char text[32] = "", name[MPI_MAX_PROCESSOR_NAME];
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	if (rank == 2)
		strcpy(text, "from rank 2");
	usleep(10 * rank);
	MPI_Bcast(text, sizeof text, MPI_CHAR, 2, MPI_COMM_WORLD);
	int mine = rank * rank;
	MPI_Allgather(&mine, 1, MPI_INT, all, 1, MPI_INT, MPI_COMM_WORLD);
	for (int i = 0; i < size; i++)
		sum += all[i];
	MPI_Allreduce(&mine, &most, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
	MPI_Get_processor_name(name, &len);
	MPI_Barrier(MPI_COMM_WORLD);
	printf("%s, squares %d, most %d, %s at %.0f us\n", text, sum, most, name, MPI_Wtime() * 1e6);
	if (argc > 1 && rank == 1)
		return 0; /* the others wait in vain */
	return MPI_Finalize();
}
