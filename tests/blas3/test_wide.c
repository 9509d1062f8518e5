/* A solve of many right-hand sides beside one of each few hundred of them: kernels that take more
 * columns at a time where there are more. All forms, two widths, an order that no block divides. On
 * the device that QUERN_TEST_DEVICE names, the cpu by default. */
#include <quern/quern.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <cmocka.h>

enum { ORDER = 493, MOST = 4301, FEW = 331 };

static qn_device *device;
static qn_stream *stream;

#define ok(call)                                                                                   \
  do {                                                                                             \
    if ((call) != QN_OK) fail_msg("%s: %s", #call, qn_last_error());                               \
  } while (0)

/* Normals over the root of the order, and a diagonal of one or more: well conditioned. */
static qn_matrix triangle_of(qn_dtype dtype, qn_rng *rng) {
  qn_matrix a, doubles;
  double diagonal[ORDER];
  ok(qn_matrix_alloc(device, QN_F64, ORDER, ORDER, &doubles));
  ok(qn_rng_normal(stream, rng, doubles));
  ok(qn_matrix_axpby(stream, qn_real(0), doubles, qn_real(0.5 / sqrt(ORDER)), doubles));
  for (int i = 0; i < ORDER; i++) diagonal[i] = (i % 2 ? -1.0 : 1.0) - (i % 5) / 8.0 * (i % 2);
  ok(qn_matrix_write(stream, qn_matrix_of(doubles.buffer, QN_F64, 1, ORDER, ORDER + 1), diagonal,
                     1));
  if (dtype == QN_F64) return doubles;
  ok(qn_matrix_alloc(device, dtype, ORDER, ORDER, &a));
  double *host = malloc(sizeof(double) * ORDER * ORDER);
  float *small = malloc(sizeof(float) * ORDER * ORDER);
  assert_true(host && small);
  ok(qn_matrix_read(stream, host, ORDER, doubles));
  ok(qn_stream_sync(stream));
  for (int i = 0; i < ORDER * ORDER; i++) small[i] = (float)host[i];
  ok(qn_matrix_write(stream, a, small, ORDER));
  ok(qn_stream_sync(stream));
  free(host);
  free(small);
  qn_buffer_free(doubles.buffer);
  return a;
}

static double norm_of(qn_matrix x, qn_matrix place) {
  double norm = 0;
  float single;
  ok(qn_matrix_reduce(stream, QN_REDUCE_NORM, x, place));
  ok(qn_matrix_read(stream, x.dtype == QN_F32 ? (void *)&single : &norm, 1, place));
  ok(qn_stream_sync(stream));
  return x.dtype == QN_F32 ? single : norm;
}

static qn_matrix columns_of(qn_matrix b, qn_side side, int64_t from, int64_t count) {
  return side == QN_LEFT ? qn_matrix_sub(b, 0, from, ORDER, count)
                         : qn_matrix_sub(b, from, 0, count, ORDER);
}

static void form(qn_matrix a, qn_side side, qn_uplo uplo, qn_trans trans, int64_t nrhs,
                 qn_rng *rng) {
  qn_matrix b, apart, place;
  const int64_t rows = side == QN_LEFT ? ORDER : nrhs, cols = side == QN_LEFT ? nrhs : ORDER;
  ok(qn_matrix_alloc(device, a.dtype, rows, cols, &b));
  ok(qn_matrix_alloc(device, a.dtype, rows, cols, &apart));
  ok(qn_matrix_alloc(device, a.dtype, 1, 1, &place));
  ok(qn_rng_normal(stream, rng, b));
  ok(qn_matrix_copy(stream, QN_NOTRANS, b, apart));
  ok(qn_trsm(stream, side, uplo, trans, QN_NONUNIT, qn_real(0.75), a, b));
  for (int64_t at = 0; at < nrhs; at += FEW)
    ok(qn_trsm(stream, side, uplo, trans, QN_NONUNIT, qn_real(0.75), a,
               columns_of(apart, side, at, nrhs - at < FEW ? nrhs - at : FEW)));
  const double size = norm_of(apart, place);
  ok(qn_matrix_axpby(stream, qn_real(-1), b, qn_real(1), apart));
  const double difference = norm_of(apart, place) / size;
  if (!(difference < (a.dtype == QN_F32 ? 1e-5 : 1e-14)))
    fail_msg("side %d uplo %d trans %d, %lld right-hand sides: off by %g", (int)side, (int)uplo,
             (int)trans, (long long)nrhs, difference);
  qn_buffer_free(b.buffer);
  qn_buffer_free(apart.buffer);
  qn_buffer_free(place.buffer);
}

static void all_forms(void **state) {
  static const int64_t widths[] = {2203, MOST};
  static const qn_side sides[] = {QN_LEFT, QN_RIGHT};
  static const qn_uplo triangles[] = {QN_LOWER, QN_UPPER};
  static const qn_trans ways[] = {QN_NOTRANS, QN_TRANS};
  qn_rng rng = qn_rng_make(314159265);
  const qn_matrix a = triangle_of(*(const qn_dtype *)*state, &rng);
  for (int i = 0; i < 16; i++)
    form(a, sides[i / 4 % 2], triangles[i / 2 % 2], ways[i % 2], widths[i / 8], &rng);
  qn_buffer_free(a.buffer);
}

int main(void) {
  static qn_dtype dtypes[] = {QN_F32, QN_F64};
  const char *name = getenv("QUERN_TEST_DEVICE");
  if (qn_device_open(name ? name : "cpu", &device) || qn_stream_create(device, &stream)) {
    printf("skipped: %s\n", qn_last_error());
    return 77;
  }
  const struct CMUnitTest tests[] = {{"f32", all_forms, NULL, NULL, dtypes},
                                     {"f64", all_forms, NULL, NULL, dtypes + 1}};
  const int failed = cmocka_run_group_tests(tests, NULL, NULL);
  qn_stream_free(stream);
  qn_device_close(device);
  return failed;
}
