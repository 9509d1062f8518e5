/* Epilogues on the cpu: a program runs over strips of a column of C, which stay in the first cache
 * from one operation to the next.
 *
 *   slot ACC       the strip itself, or a copy          each slot that the program names has
 *   slot BIAS_N    one value, repeated                  QN_STRIP_BYTES of memory, or points to what
 *   slot RESIDUAL  the residual's column from row i     lies in place already
 *   slot TEMP + t  what operations left
 */
#ifndef QN_CPU_EPILOGUE_H
#define QN_CPU_EPILOGUE_H

#include "device/cpu_ops.h"

enum { QN_STRIP_BYTES = 1024 };

/* Runs the program on n values of each slot and leaves the last result at `result`. The kernels of
 * real types work in whole vectors: n is a multiple of QN_STRIP_GRAIN / size. */
typedef void qn_strip_fn(const qn_epilogue_program *program, void *const *slot, int64_t n,
                         void *result);
enum { QN_STRIP_GRAIN = 64 };

typedef struct qn_epilogue_kernels {
  qn_strip_fn *f32, *f64;
} qn_epilogue_kernels;

extern const qn_epilogue_kernels qn_epilogue_plain;
#if defined(__x86_64__)
extern const qn_epilogue_kernels qn_epilogue_avx2, qn_epilogue_avx512;
#elif defined(__aarch64__)
extern const qn_epilogue_kernels qn_epilogue_neon;
#endif

/* epilogue_complex.c: any n. */
qn_strip_fn qn_strip_c64, qn_strip_c128;

/* An epilogue in the hands of one thread: what it needs for a strip. */
typedef struct qn_epilogue_run {
  const qn_cpu_epilogue *e;
  qn_dtype dtype; /* of A, which says how matrices are stored */
  size_t size;    /* bytes of a value in a strip */
  int64_t strip;  /* values of one, at most */
  int64_t column; /* that what repeats along a column was made for; -1: none */
  qn_strip_fn *run;
  void *slot[QN_SLOTS];
  char *memory[QN_SLOTS]; /* a slot's own; NULL for one that is not named */
  _Alignas(QN_HOST_ALIGN) char bytes[(QN_SLOTS + 1) * QN_STRIP_BYTES];
} qn_epilogue_run;

void qn_epilogue_begin(qn_epilogue_run *run, const qn_cpu_epilogue *e, qn_dtype dtype);

/* The epilogue of n values, n <= run->strip, from (i, j) on down: `acc`, `c` and `to` are arrays of
 * the compute dtype that may be one and the same; c may be NULL where the program does not read it.
 */
void qn_epilogue_strip(qn_epilogue_run *run, int64_t i, int64_t j, int64_t n, const void *acc,
                       const void *c, void *to);

#endif
