/* Measured effects: what a machine gives, and what a kernel makes of it.
 *
 *   row       one effect, "stride": what it shows, what it needs of the device, how it is measured
 *   result    what came of a row on this device: figures, a lesson in numbers, or why it was left
 * out figure    one timed thing, "stride 8": seconds, bytes and operations counted, the compiler's
 *             report, its share of the ceilings, a verdict
 *   ceilings  the most that this device reached, measured in the same run */
#ifndef PROBE_H
#define PROBE_H

#include "bench/stats.h"
#include <quern/quern.h>

/* 0 stands for the default. */
typedef struct probe_settings {
  int64_t elements; /* of vectors; by default each row has its own */
  int64_t order;    /* of matrices [1024] */
  int64_t block;    /* items a group [256] */
  int64_t bytes;    /* the largest working set [past the last cache] */
  double seconds;   /* spent on each figure [0.05] */
} probe_settings;

/* What a figure is told in. */
typedef enum probe_unit {
  PROBE_GBS,    /* bytes over time */
  PROBE_GFLOPS, /* operations over time */
  PROBE_NS,     /* time of one step */
  PROBE_US
} probe_unit;

typedef enum probe_bound {
  PROBE_UNBOUND, /* nothing was counted: no verdict */
  PROBE_MEMORY,
  PROBE_LOCAL,
  PROBE_COMPUTE,
  PROBE_LATENCY
} probe_bound;

/* Units of arithmetic, each with a ceiling of its own: f32 and f64 are fused multiply-adds outside
 * of tensor cores; the others are tensor cores' (TF32 takes f32 operands and rounds them). */
typedef enum probe_arithmetic {
  PROBE_F32,
  PROBE_F64,
  PROBE_F16_TENSOR,
  PROBE_TF32_TENSOR,
  PROBE_F64_TENSOR,
  PROBE_ARITHMETICS
} probe_arithmetic;

/* The compiler's report of the kernel that was timed; what the driver does not tell is 0. */
typedef struct probe_resources {
  unsigned registers, local_bytes, spill_bytes;
  double occupancy; /* items at work on a multiprocessor over the most there can be */
} probe_resources;

typedef struct probe_figure {
  const char *series;    /* "copy": figures of one curve */
  char variant[40];      /* "stride 8" */
  double x;              /* what varies along the curve, NAN where nothing does */
  const char *kernel;    /* entry in src/probe/kernels; "" where no kernel of ours runs */
  bench_summary seconds; /* of one run */
  double bytes, flops;   /* of one run, counted as used; 0 where it has none */
  double moved;          /* bytes that memory moves for them, in whole sectors; 0: the same */
  double local;          /* bytes that the banks of local memory give and take: a word that
                            neighbours share counts once, words of one bank one after another */
  double steps;          /* of one run, for times of a step */
  probe_unit unit;
  probe_arithmetic arithmetic;
  bool wrong; /* the result of the timed kernel was not what it should be */
  probe_resources resources;
  double memory_share, local_share, compute_share; /* of the ceilings */
  probe_bound bound;
} probe_figure;

/* The figure in its unit; of its fastest sample, as ceilings are told. */
double probe_value(const probe_figure *figure);
double probe_best(const probe_figure *figure);
const char *probe_unit_name(probe_unit unit);
const char *probe_bound_name(probe_bound bound);
/* What usually helps; "" where there is no verdict. */
const char *probe_remedy(const probe_figure *figure);

/* GB/s and GFLOP/s; 0 where the device lacks it. */
typedef struct probe_ceilings {
  double memory; /* beyond all caches: the better of reading and copying */
  double local;  /* local memory */
  double compute[PROBE_ARITHMETICS];
} probe_ceilings;

const char *probe_arithmetic_name(probe_arithmetic arithmetic);

typedef struct probe_row probe_row;

enum { PROBE_FIGURES_MOST = 64, PROBE_LESSON = 240 };

typedef struct probe_result {
  const probe_row *row;
  char left_out[160]; /* why; "" where it ran */
  unsigned count;
  probe_figure figure[PROBE_FIGURES_MOST];
  char lesson[PROBE_LESSON]; /* one line, with the numbers measured */
  double gain;               /* the pair's slower time over its faster; 0 where there is no pair */
  const probe_figure *slow;  /* of the pair */
} probe_result;

typedef struct probe probe;

/* What a row asks of a device. */
enum { PROBE_NEEDS_LOCAL = 1, PROBE_NEEDS_F64 = 2, PROBE_NEEDS_NVIDIA = 4 };

struct probe_row {
  const char *name, *shows;
  const char *pair; /* the two kernels compared, NULL where it has no pair */
  const char *x;    /* what x of its figures is; NULL: no curve */
  unsigned needs;
  void (*on_device)(probe *p); /* devices with a compiler; NULL: there is nothing to see there */
  void (*on_cpu)(probe *p);    /* the cpu device; likewise */
};

/* In the order they run; ends with a NULL name. */
extern const probe_row probe_rows[];
const probe_row *probe_find_row(const char *name);

/* Opens what the rows share on the stream's device. Errors: those of the library. */
qn_status probe_open(qn_stream *stream, const probe_settings *settings, probe **p);
void probe_close(probe *p);

/* Measures the ceilings, which verdicts need: below a second on a GPU, two on a cpu. */
qn_status probe_measure_ceilings(probe *p);
const probe_ceilings *probe_get_ceilings(const probe *p);

/* Runs one row. A device that lacks what it needs leaves it out, which is no error. */
qn_status probe_run(probe *p, const probe_row *row, probe_result *result);

#endif
