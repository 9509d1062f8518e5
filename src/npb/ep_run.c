/* One run of EP: the clock, the ranks, the final sum, the check. */
#include "core/core.h"
#include "npb/ep.h"
#include "npb/ranks.h"
#include <string.h>

enum { WORDS = 4 + EP_BINS };

/* Counts stay below 2^53, so that doubles carry them exactly and one reduction serves for all. */
static void pack(const ep_sums *s, double *words) {
  const double sums[4] = {s->x, s->y, s->abs_x, s->abs_y};
  memcpy(words, sums, sizeof sums);
  for (int i = 0; i < EP_BINS; i++) words[4 + i] = (double)s->count[i];
}

static ep_sums unpack(const double *words) {
  ep_sums s = {words[0], words[1], words[2], words[3], {0}};
  for (int i = 0; i < EP_BINS; i++) s.count[i] = (uint64_t)words[4 + i];
  return s;
}

/* All rows of all ranks, in their order: a rank adds zeros to the rows of others, which keeps the
 * bits whatever the number of ranks. */
static qn_status add_rows(const ep_share *share, const ep_sums *rows, ep_sums *total) {
  double words[EP_ROWS][WORDS];
  memset(words, 0, sizeof words);
  for (int i = 0; i < share->count; i++) pack(&rows[i], words[share->first + i]);
  if (!npb_ranks_sum(&words[0][0], EP_ROWS * WORDS))
    return qn_fail(QN_EBACKEND, "ep_run", "MPI could not add up the ranks");
  memset(total, 0, sizeof *total);
  for (int i = 0; i < EP_ROWS; i++) {
    const ep_sums row = unpack(words[i]);
    ep_add(total, &row);
  }
  return QN_OK;
}

qn_status ep_run(ep_engine *engine, const npb_progress *progress, ep_report *report) {
  ep_sums rows[EP_ROWS];
  double end = 0.0;
  npb_ranks_barrier();
  const double start = npb_now();
  qn_status status = engine->run(engine, progress, rows, &end);
  if (!npb_ranks_all(status == QN_OK)) {
    report->failed_elsewhere = !status;
    return status ? status : qn_fail(QN_EBACKEND, "ep_run", "another rank failed");
  }
  const double made = npb_now();
  status = add_rows(&engine->share, rows, &report->sums);
  if (status) return status;
  const double stop = npb_now();
  report->seconds = npb_ranks_max(stop - start);
  report->end_seconds = npb_ranks_max(stop - made + end);
  report->compute_seconds = report->seconds - report->end_seconds;
  report->check = ep_verify(report->class, &report->sums);
  report->variant = engine->variant;
  return QN_OK;
}
