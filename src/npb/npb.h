/* What the NAS Parallel Benchmarks share: clock, timer flag, random positions, the results block.
 *
 * Source: NPB 3.4; D. Bailey and others, "The NAS Parallel Benchmarks", RNR-94-007. */
#ifndef NPB_H
#define NPB_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#define NPB_VERSION "3.4.2" /* whose parameters and checks these are */

/* Seconds of a monotonic clock. */
double npb_now(void);

/* Whether the user wants the parts timed, by NPB's rules: NPB_TIMER_FLAG is a number that begins
 * with 1 to 9, on, yes, true or empty; or it is not set and a file `timer.flag` can be read in the
 * working directory. */
bool npb_timers_wanted(void);

/* Hears how much of the work is done, 0 to 1, from the thread that started it. */
typedef struct npb_progress {
  void (*say)(void *user, double fraction); /* may be NULL */
  void *user;
} npb_progress;

static inline void npb_say(const npb_progress *progress, double fraction) {
  if (progress->say) progress->say(progress->user, fraction);
}

/* ---- the random stream x := a x mod 2^46, a = 5^13 ---- */

#define NPB_LCG_BITS 46
#define NPB_LCG_MASK ((UINT64_C(1) << NPB_LCG_BITS) - 1)

/* a^n mod 2^46. */
uint64_t npb_lcg_power(uint64_t n);

/* x after `count` more numbers. */
static inline uint64_t npb_lcg_skip(uint64_t x, uint64_t count) {
  return x * npb_lcg_power(count) & NPB_LCG_MASK; /* the low bits of a product wrap rightly */
}

/* ---- the results block that every benchmark ends with ---- */

typedef enum npb_verdict { NPB_UNSUCCESSFUL, NPB_SUCCESSFUL, NPB_NOT_PERFORMED } npb_verdict;

typedef struct npb_block {
  const char *benchmark; /* "EP" */
  char class_name;
  const char *size; /* what stands after "Size            =", as wide as the benchmark wants it */
  int iterations;
  double seconds;
  int total, active; /* threads, or processes */
  bool processes;
  double mops;
  const char *operation;
  npb_verdict verdict;
} npb_block;

/* Prints the block, letter by letter as NPB's C programs do. */
void npb_print_block(FILE *file, const npb_block *block);

#endif
