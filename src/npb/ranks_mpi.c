/* The ranks of MPI. */
#include "npb/ranks.h"
#include <mpi.h>

const bool npb_ranks_mpi = true;

static bool find_neighbours(npb_ranks *ranks) {
  MPI_Comm here;
  if (MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, ranks->rank, MPI_INFO_NULL, &here))
    return false;
  const bool found = MPI_Comm_rank(here, &ranks->local_rank) == MPI_SUCCESS &&
                     MPI_Comm_size(here, &ranks->local_count) == MPI_SUCCESS;
  MPI_Comm_free(&here);
  return found;
}

bool npb_ranks_begin(npb_ranks *ranks) {
  /* the workers of the cpu never call MPI */
  int level;
  if (MPI_Init_thread(NULL, NULL, MPI_THREAD_FUNNELED, &level)) return false;
  return MPI_Comm_rank(MPI_COMM_WORLD, &ranks->rank) == MPI_SUCCESS &&
         MPI_Comm_size(MPI_COMM_WORLD, &ranks->count) == MPI_SUCCESS && find_neighbours(ranks);
}

void npb_ranks_end(void) {
  int begun = 0, ended = 0;
  MPI_Initialized(&begun);
  MPI_Finalized(&ended);
  if (begun && !ended) MPI_Finalize();
}

void npb_ranks_barrier(void) {
  MPI_Barrier(MPI_COMM_WORLD);
}

bool npb_ranks_all(bool yes) {
  int mine = yes, all = 0;
  MPI_Allreduce(&mine, &all, 1, MPI_INT, MPI_LAND, MPI_COMM_WORLD);
  return all != 0;
}

double npb_ranks_max(double value) {
  double most = value;
  MPI_Allreduce(&value, &most, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  return most;
}

bool npb_ranks_sum(double *values, int count) {
  return MPI_Allreduce(MPI_IN_PLACE, values, count, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD) ==
         MPI_SUCCESS;
}
