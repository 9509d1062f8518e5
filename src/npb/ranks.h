/* Processes that share a benchmark: one alone, or the ranks of MPI (in quern-mpi). */
#ifndef NPB_RANKS_H
#define NPB_RANKS_H

#include <stdbool.h>

typedef struct npb_ranks {
  int rank, count;
  int local_rank; /* among those on this machine */
  double share;   /* of the processors that this rank may run on, what is left by the others */
} npb_ranks;

/* Whether this program was built over MPI. */
extern const bool npb_ranks_mpi;

/* To be called once, before any other; false when MPI would not start. */
bool npb_ranks_begin(npb_ranks *ranks);
void npb_ranks_end(void);

/* All ranks call these alike and, but where it is said, all get the same answer. */
void npb_ranks_barrier(void);
bool npb_ranks_all(bool yes);
/* Each its own answer: whether it is the first of those that say yes. */
bool npb_ranks_first(bool yes);
double npb_ranks_max(double value);
/* Element by element, in place. */
bool npb_ranks_sum(double *values, int count);

#endif
