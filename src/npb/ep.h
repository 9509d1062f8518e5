/* EP, "embarrassingly parallel": pairs of normal deviates by the polar method, counted by size.
 *
 *   x := 5^13 x mod 2^46 from 271828183, advanced before each use;  u = x / 2^46
 *   pair: X = 2 u1 - 1, Y = 2 u2 - 1, t = X^2 + Y^2, taken when t <= 1
 *   f = sqrt(-2 ln t / t);  sums of f X and f Y;  count[floor(max(|f X|, |f Y|))]++
 *
 * The 2^M pairs of a class are cut into EP_ROWS rows of equal length, rows into chunks that depend
 * on the class alone. A chunk is summed by one worker, chunks and rows are added in their order: so
 * the sums have the same bits whatever the threads, groups or ranks. */
#ifndef EP_H
#define EP_H

#include "npb/npb.h"
#include <quern/quern.h>

#define EP_SEED QN_RNG_EP_SEED

enum { EP_BINS = 10, EP_ROWS = 256, EP_ROWS_LOG2 = 8 };

/* The layout is also that of the device's partial sums: 14 words of 8 bytes. */
typedef struct ep_sums {
  double x, y, abs_x, abs_y; /* of f X and f Y */
  uint64_t count[EP_BINS];
} ep_sums;

void ep_add(ep_sums *sum, const ep_sums *term);
uint64_t ep_pairs_taken(const ep_sums *sums);

/* ---- classes and their checks (ep_class.c) ---- */

typedef struct ep_class {
  char name;
  int m;               /* 2^m pairs */
  double x, y;         /* signed sums: NPB 3.4.1 and before; 0 where double cannot verify them */
  double abs_x, abs_y; /* absolute sums and pairs taken: NPB 3.4.2 */
  uint64_t pairs;
  uint64_t count[EP_BINS]; /* all zero where not known */
} ep_class;

/* By its letter, in either case; NULL for another. */
const ep_class *ep_find_class(char letter);
extern const char ep_class_letters[];

typedef enum ep_answer { EP_WRONG, EP_RIGHT, EP_UNKNOWN } ep_answer;

typedef struct ep_check {
  ep_answer absolute, pairs; /* the scheme of NPB 3.4.2 */
  ep_answer signs;           /* the scheme before it */
  ep_answer counts;          /* each of the ten, exactly */
  bool passed;               /* none of them is wrong */
} ep_check;

ep_check ep_verify(const ep_class *class, const ep_sums *sums);

/* ---- engines: what makes rows ---- */

/* Rows first .. first+count-1 of the problem with 2^m pairs. */
typedef struct ep_share {
  int m, first, count;
} ep_share;

/* An engine is prepared (compiled, allocated, warmed) before the clock starts. */
typedef struct ep_engine ep_engine;
struct ep_engine {
  /* Writes the sums of its share's rows. *end_seconds: of the time it took, that after the last
   * pair was made. */
  qn_status (*run)(ep_engine *engine, const npb_progress *progress, ep_sums *rows,
                   double *end_seconds);
  void (*close)(ep_engine *engine);
  ep_share share;
  char variant[96];
  uint64_t memory; /* bytes it holds on the device */
  union {
    int threads;
    void *device;
  } state;
};

/* On threads of the cpu, no more than can have work; engine->state.threads tells (ep_cpu.c). */
void ep_cpu_open(ep_share share, int threads, ep_engine *engine);
/* The instruction set that it uses here; QUERN_CPU_ISA forces one. */
const char *ep_cpu_isa(void);

/* On a device with a compiler, without arrays (ep_device.c). After an error nothing is held. */
qn_status ep_device_open(ep_share share, qn_stream *stream, ep_engine *engine);

/* ---- a run (ep_run.c) ---- */

typedef struct ep_report ep_report;
/* Runs the share of this rank and adds up all ranks; the same answer on each. Fills the report's
 * sums, check, times and variant. */
qn_status ep_run(ep_engine *engine, const npb_progress *progress, ep_report *report);

/* ---- the report (ep_report.c) ---- */

struct ep_report {
  const ep_class *class;
  ep_sums sums;
  ep_check check;
  double seconds;                      /* what NPB times: from the seeds to the final sum */
  double compute_seconds, end_seconds; /* of it, the pairs, and the copy back with the sums */
  int workers;                         /* threads that compute, or processes */
  int workers_active; /* threads that could, or processes that have pairs to make */
  bool processes;
  bool failed_elsewhere; /* the error is another rank's, which knows more of it */
  const char *device;    /* "cpu (avx2, 2 threads)" */
  const char *variant;
};

double ep_mops(const ep_report *report);
void ep_print_head(FILE *file, const ep_report *report);
/* The results, the block, and after it what NPB has no line for. */
void ep_print_report(FILE *file, const ep_report *report, bool timers);

#endif
