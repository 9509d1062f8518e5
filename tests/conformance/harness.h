/* What the conformance tests share: the device under test, matrices with poisoned surroundings, the
 * sizes of the grids, and the record of how much of each bound was used.
 *
 *   QUERN_TEST_DEVICE  the device, "cpu" unless set: nothing here assumes host memory
 *   QUERN_TEST_PEER    judges this library instead (judged.h)
 *   QUERN_TEST_SEED    repeats a sample; the seed in use is printed
 *   QUERN_TEST_FULL    1: the whole grids instead of a sample of the large sizes
 *   QUERN_TEST_THIN    N: only one case in N, drawn; for further runs under other settings */
#ifndef HARNESS_H
#define HARNESS_H

#include "conformance/judged.h"
#include "oracle/oracle.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <cmocka.h>

/* cmocka's group fixtures; `skip_without` ends a test as skipped when the device, or the gemm
 * variant that QUERN_GEMM_VARIANT forces, lacks a dtype. */
int harness_open(void **state);
int harness_close(void **state);
qn_device *the_device(void);
qn_stream *the_stream(void);
bool device_has(qn_dtype dtype);
void skip_without(qn_dtype dtype);
/* QUERN_GEMM_VARIANT is set: what that variant cannot do, such as k = 0, is QN_EUNSUPPORTED. */
bool variant_forced(void);

bool full_grid(void);
/* Whether QUERN_TEST_THIN leaves the next case in. */
bool case_drawn(dice *d);
/* Whether the sample takes an order in: matrices above 257 cost more to make than to solve. */
bool order_drawn(dice *d, int64_t n);
dice new_dice(void);

/* Leaves the program as skipped (77) when this machine has not what QUERN_CPU_ISA or QUERN_CPU_BLAS
 * asks of the cpu. */
void skip_unless_cpu(void);
/* The same when the device under test is not there. */
void skip_unless_device(void);

/* Asserts success, showing qn_last_error. */
#define ok(call) ok_((call), #call, __FILE__, __LINE__)
void ok_(qn_status status, const char *call, const char *file, int line);

/* What the test is at: failures are told with it, and with the variant of gemm that ran. */
void now_testing(const char *format, ...);
/* As cmocka's fail_msg. */
#define fail_about(...) fail_about_(__FILE__, __LINE__, __VA_ARGS__)
void fail_about_(const char *file, int line, const char *format, ...);

/* ---- matrices ---- */

/*            1 col        1 col
 *          +-----+------+-----+
 *          | ... gap / 2 rows |      Every byte outside the view is 0xff, a NaN in every dtype,
 *          +-----+------+-----+      and must be 0xff afterwards. With gap = 0 the view is all.
 *          |     | view |     |      GAP_ALIGNED: columns begin at multiples of 16 bytes, whatever
 *          +-----+------+-----+      the number of rows.
 *          | ... the other half|
 *          +-----+------+-----+ */
enum { GAP_ALIGNED = -1 };
typedef struct frame {
  qn_matrix view, whole;
  unsigned char *before; /* the bytes as last written, and room for what comes back */
  unsigned char *after;
  size_t bytes;
} frame;

frame frame_new(qn_dtype dtype, int64_t rows, int64_t cols, int64_t gap);
void frame_free(frame *f);
/* Rounds m to the dtype, in place too, and writes it to the device. */
void frame_put(frame *f, wide m);
/* Reads the view back; fails the test when a byte around it has changed. */
wide frame_get(frame *f);
/* Fails the test when any byte has changed. */
void frame_assert_same(frame *f);

/* NaN where a triangular matrix is not referenced: the other triangle and a unit diagonal. */
void poison_triangle(wide a, qn_uplo uplo, qn_diag diag);

wide random_matrix(dice *d, int64_t rows, int64_t cols, bool complex);
void round_to(wide m, qn_dtype dtype);
/* Factors worth testing: 1, then ones with fractions and signs, complex for complex dtypes. */
qn_scalar some_scalar(dice *d, qn_dtype dtype);

/* ---- sizes ---- */

extern const int64_t small_orders[], large_orders[]; /* up to 257, and above; 0 ends the list */
extern const int64_t small_nrhs[], large_nrhs[];     /* -1 stands for n */

/* Sixteen sampled columns, or all when there are no more. Returns how many. */
enum { SAMPLED = 16 };
int64_t sample_columns(dice *d, int64_t cols, int64_t columns[SAMPLED]);

/* ---- scores ---- */

/* Notes that `value` was met where `bound` is allowed (both in units of u, or ratios); false when
 * it is above, or no number, and it is ours. The largest of each (routine, dtype, family, measure)
 * is printed at the end of the group. */
bool score(const char *routine, qn_dtype dtype, const char *family, const char *measure,
           double value, double bound);

#endif
