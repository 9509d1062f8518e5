/* A roofline: measured ceilings, and on them what every routine reached. */
#ifndef CLI_ROOFLINE_H
#define CLI_ROOFLINE_H

#include "bench/cell.h"
#include "cli/json.h"
#include "probe/probe.h"

enum { ROOF_POINTS_MOST = 512, ROOF_CURVE_MOST = 32 };

/* One routine at one size. */
typedef struct roof_point {
  bench_routine routine;
  qn_dtype dtype;
  int64_t n;
  double bytes, flops, seconds, spread;
  double ceiling; /* GFLOP/s: the lower of arithmetic and of memory at this intensity */
  bool wrong, above;
} roof_point;

/* Bandwidth that a working set of so many bytes saw. */
typedef struct roof_bandwidth {
  double bytes, gbs;
} roof_bandwidth;

typedef struct roof {
  char device[224], driver[64];
  unsigned clock_mhz;
  int threads;
  probe_ceilings ceilings;
  roof_bandwidth curve[ROOF_CURVE_MOST];
  size_t curve_count, count;
  roof_point point[ROOF_POINTS_MOST];
} roof;

double roof_intensity(const roof_point *point); /* operations a byte */
double roof_rate(const roof_point *point);      /* GFLOP/s */

/* The arithmetics that a dtype may run on here, ceilings ascending; returns their number. */
int roof_arithmetics(const roof *r, qn_dtype dtype, probe_arithmetic list[2]);
/* The best bandwidth of any cache, GB/s. */
double roof_cache(const roof *r);
/* Fills in `ceiling` and `above`. What lies in a cache runs against that cache: the bandwidth is
 * the best that a working set of half the size or more saw. */
void roof_judge(const roof *r, roof_point *point);

/* docs/roofline.md tells what each field is. */
cli_json *roof_to_json(const roof *r);
/* False, with the reason in `error`, when the file is none of ours. */
bool roof_load(const char *path, roof *r, char *error, size_t error_size);

/* Draws one roofline, or two over one another: `other` may be NULL. */
bool roof_draw(const roof *r, const roof *other, const char *path, char *error);

#endif
