/* One process. */
#include "npb/ranks.h"

const bool npb_ranks_mpi = false;

bool npb_ranks_begin(npb_ranks *ranks) {
  *ranks = (npb_ranks){.rank = 0, .count = 1, .local_rank = 0, .share = 1.0};
  return true;
}

void npb_ranks_end(void) {}

void npb_ranks_barrier(void) {}

bool npb_ranks_all(bool yes) {
  return yes;
}

bool npb_ranks_first(bool yes) {
  return yes;
}

double npb_ranks_max(double value) {
  return value;
}

bool npb_ranks_sum(double *values, int count) {
  (void)values;
  (void)count;
  return true;
}
