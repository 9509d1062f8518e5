/* A triangle of more than 2^31 elements, solved and multiplied on the device that QUERN_TEST_DEVICE
 * names: f32, order 50 000. Each is judged at sampled unknowns, the last ones among them, by sums
 * in f64 over columns (A transposed) or rows (not) of A. Skipped where the device has not the
 * memory.
 *
 *   QUERN_TEST_ORDER  another order: a smaller one tests the test */
#include <quern/quern.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <cmocka.h>

enum { SAMPLES = 24 };

static qn_device *device;
static qn_stream *stream;
static int64_t order = 50000;
static qn_buffer *store, *line, *before, *after;
static float *row_of_a, *b_column, *x_column; /* on the host */

#define ok(call)                                                                                   \
  do {                                                                                             \
    if ((call) != QN_OK) fail_msg("%s: %s", #call, qn_last_error());                               \
  } while (0)

static qn_matrix triangle(void) {
  return qn_matrix_of(store, QN_F32, order, order, order);
}

/* Uniforms over the order, and a diagonal of one and a half or more: well conditioned. */
static int open_all(void **state) {
  (void)state;
  const char *name = getenv("QUERN_TEST_DEVICE"), *n = getenv("QUERN_TEST_ORDER");
  qn_device_info info;
  if (n) order = atoll(n);
  if (qn_device_open(name ? name : "cpu", &device) != QN_OK) exit(77);
  ok(qn_device_query(device, &info));
  const size_t bytes = (size_t)order * (size_t)order * sizeof(float);
  if ((!name && !n) || info.memory < 2 * bytes) exit(77);
  ok(qn_stream_create(device, &stream));
  ok(qn_buffer_alloc(device, QN_MEMORY_DEVICE, bytes, &store));
  ok(qn_buffer_alloc(device, QN_MEMORY_DEVICE, (size_t)order * sizeof(float), &line));
  row_of_a = malloc((size_t)order * sizeof(float));
  b_column = malloc((size_t)order * sizeof(float));
  x_column = malloc((size_t)order * sizeof(float));
  assert_true(row_of_a && b_column && x_column);

  qn_rng rng = qn_rng_make(271828183);
  ok(qn_rng_uniform(stream, &rng, triangle()));
  ok(qn_matrix_axpby(stream, qn_real(0), triangle(), qn_real(1.0 / (double)order), triangle()));
  for (int64_t i = 0; i < order; i++) row_of_a[i] = (i % 2 ? -1.5F : 1.5F) + (float)(i % 7) / 16;
  const qn_matrix diagonal = qn_matrix_of(store, QN_F32, 1, order, order + 1);
  ok(qn_matrix_write(stream, diagonal, row_of_a, 1));
  ok(qn_stream_sync(stream));
  return 0;
}

/* Row (or column) i of op(A) on the host. */
static void fetch_row(qn_trans trans, int64_t i) {
  const qn_matrix to = trans == QN_NOTRANS ? qn_matrix_of(line, QN_F32, 1, order, 1)
                                           : qn_matrix_of(line, QN_F32, order, 1, order);
  const qn_matrix from = trans == QN_NOTRANS ? qn_matrix_sub(triangle(), i, 0, 1, order)
                                             : qn_matrix_sub(triangle(), 0, i, order, 1);
  ok(qn_matrix_copy(stream, QN_NOTRANS, from, to));
  ok(qn_copy_out(stream, row_of_a, line, 0, (size_t)order * sizeof(float)));
  ok(qn_stream_sync(stream));
}

/* Whether op(A) X = B at unknown i, where A is lower. */
static void judge(qn_trans trans, int64_t i, const float *x, const float *b) {
  double sum = 0.0, size = 0.0;
  for (int64_t k = trans == QN_NOTRANS ? 0 : i; k < (trans == QN_NOTRANS ? i + 1 : order); k++) {
    sum += (double)row_of_a[k] * x[k];
    size += fabs((double)row_of_a[k] * x[k]);
  }
  const double u = 0x1p-24, error = fabs(sum - b[i]) / (u * size);
  if (!(error <= 16.0 + 2.0 * sqrt((double)order)))
    fail_msg("unknown %lld: %g is not %g, by %g u", (long long)i, sum, b[i], error);
}

typedef struct large_case {
  bool solve;
  qn_trans trans;
  int64_t nrhs;
} large_case;

static void check(void **state) {
  const large_case *c = *state;
  const size_t bytes = (size_t)(order * c->nrhs) * sizeof(float), column = (size_t)order * 4;
  ok(qn_buffer_alloc(device, QN_MEMORY_DEVICE, bytes, &before));
  ok(qn_buffer_alloc(device, QN_MEMORY_DEVICE, bytes, &after));
  const qn_matrix old = qn_matrix_of(before, QN_F32, order, c->nrhs, order);
  const qn_matrix new = qn_matrix_of(after, QN_F32, order, c->nrhs, order);
  qn_rng rng = qn_rng_make(314159265);
  ok(qn_rng_uniform(stream, &rng, old));
  ok(qn_matrix_copy(stream, QN_NOTRANS, old, new));
  ok((c->solve ? qn_trsm : qn_trmm)(stream, QN_LEFT, QN_LOWER, c->trans, QN_NONUNIT, qn_real(1),
                                    triangle(), new));
  for (int s = 0; s < SAMPLES; s++) {
    const int64_t i = s == 0 ? order - 1 : s == 1 ? 0 : s * (order - 1) / SAMPLES;
    const size_t at = (size_t)(s % 2 ? c->nrhs - 1 : s % c->nrhs) * column;
    fetch_row(c->trans, i);
    ok(qn_copy_out(stream, b_column, before, at, column));
    ok(qn_copy_out(stream, x_column, after, at, column));
    ok(qn_stream_sync(stream));
    judge(c->trans, i, c->solve ? x_column : b_column, c->solve ? b_column : x_column);
  }
  qn_buffer_free(before);
  qn_buffer_free(after);
}

int main(void) {
  static large_case cases[] = {{true, QN_NOTRANS, 64},   {true, QN_TRANS, 64},
                               {true, QN_NOTRANS, 1024}, {true, QN_TRANS, 1024},
                               {false, QN_NOTRANS, 64},  {false, QN_NOTRANS, 1024},
                               {false, QN_TRANS, 1024}};
  const struct CMUnitTest tests[] = {
      {"trsm N, 64 right-hand sides", check, NULL, NULL, cases},
      {"trsm T, 64 right-hand sides", check, NULL, NULL, cases + 1},
      {"trsm N, 1024 right-hand sides", check, NULL, NULL, cases + 2},
      {"trsm T, 1024 right-hand sides", check, NULL, NULL, cases + 3},
      {"trmm N, 64 right-hand sides", check, NULL, NULL, cases + 4},
      {"trmm N, 1024 right-hand sides", check, NULL, NULL, cases + 5},
      {"trmm T, 1024 right-hand sides", check, NULL, NULL, cases + 6},
  };
  return cmocka_run_group_tests(tests, open_all, NULL);
}
