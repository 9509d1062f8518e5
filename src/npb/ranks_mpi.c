/* The ranks of MPI. */
#define _GNU_SOURCE /* sched_getaffinity */
#include "npb/ranks.h"
#include <limits.h>
#include <mpi.h>
#include <sched.h>

const bool npb_ranks_mpi = true;

/* Of four ranks on 64 processors each has a quarter of what it may run on where none is bound, and
 * all of it where mpirun has bound each to 16 of its own: in general, the processors of all over
 * the sum of what each may run on. */
static double find_share(MPI_Comm here) {
  int mine = 1, all = 1, sum = 1;
#if defined(__linux__)
  cpu_set_t set, any;
  CPU_ZERO(&set);
  if (sched_getaffinity(0, sizeof set, &set)) CPU_SET(0, &set);
  mine = CPU_COUNT(&set);
  MPI_Allreduce(&set, &any, sizeof set, MPI_BYTE, MPI_BOR, here);
  all = CPU_COUNT(&any);
#endif
  MPI_Allreduce(&mine, &sum, 1, MPI_INT, MPI_SUM, here);
  return (double)all / sum;
}

static bool find_neighbours(npb_ranks *ranks) {
  MPI_Comm here;
  if (MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, ranks->rank, MPI_INFO_NULL, &here))
    return false;
  const bool found = MPI_Comm_rank(here, &ranks->local_rank) == MPI_SUCCESS;
  ranks->share = find_share(here);
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

bool npb_ranks_first(bool yes) {
  int rank = 0, first = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  const int mine = yes ? rank : INT_MAX;
  MPI_Allreduce(&mine, &first, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
  return mine == first && yes;
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
