/* Triangular routines without workspace: with no memory left for it they take a way that needs
 * none, and give the same to rounding. On the device that QUERN_TEST_DEVICE names, the cpu by
 * default. */
#include <quern/quern.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <cmocka.h>

#define ok(call)                                                                                   \
  do {                                                                                             \
    if ((call) != QN_OK) fail_msg("%s: %s", #call, qn_last_error());                               \
  } while (0)

static qn_device *device;
static qn_stream *stream;

static int open_all(void **state) {
  (void)state;
  const char *name = getenv("QUERN_TEST_DEVICE");
  if (qn_device_open(name ? name : "cpu", &device) != QN_OK) exit(77);
  ok(qn_stream_create(device, &stream));
  return 0;
}

static int close_all(void **state) {
  (void)state;
  qn_stream_free(stream);
  qn_device_close(device);
  return 0;
}

static float *numbers(int64_t rows, int64_t cols, float diagonal) {
  float *x = malloc((size_t)(rows * cols) * sizeof *x);
  assert_non_null(x);
  for (int64_t i = 0; i < rows * cols; i++)
    x[i] = (float)(i * 7 % 23 - 11) / (diagonal > 0 ? 64.0F : 8.0F);
  for (int64_t i = 0; diagonal > 0 && i < rows; i++) x[i * (rows + 1)] = diagonal;
  return x;
}

typedef struct shape {
  int64_t n, nrhs;
} shape;

static float *run(const shape *s, bool solve, qn_matrix a, qn_matrix b) {
  float *x = numbers(s->n, s->nrhs, 0);
  ok(qn_matrix_write(stream, b, x, s->n));
  ok((solve ? qn_trsm : qn_trmm)(stream, QN_LEFT, QN_LOWER, QN_NOTRANS, QN_NONUNIT, qn_real(1), a,
                                 b));
  ok(qn_matrix_read(stream, x, s->n, b));
  ok(qn_stream_sync(stream));
  return x;
}

static void same_without(const shape *s, bool solve) {
  qn_matrix a, b;
  float *triangle = numbers(s->n, s->n, 4);
  ok(qn_matrix_alloc(device, QN_F32, s->n, s->n, &a));
  ok(qn_matrix_alloc(device, QN_F32, s->n, s->nrhs, &b));
  ok(qn_matrix_write(stream, a, triangle, s->n));
  float *with = run(s, solve, a, b);
  ok(qn_pool_trim(device));
  ok(qn_pool_set_limit(device, 1));
  float *without = run(s, solve, a, b);
  ok(qn_pool_set_limit(device, 0));
  for (int64_t i = 0; i < s->n * s->nrhs; i++)
    if (!(fabsf(with[i] - without[i]) <= 1e-4F * (1.0F + fabsf(with[i]))))
      fail_msg("%s %lld x %lld: element %lld is %g, without workspace %g", solve ? "trsm" : "trmm",
               (long long)s->n, (long long)s->nrhs, (long long)i, with[i], without[i]);
  free(triangle);
  free(with);
  free(without);
  qn_buffer_free(a.buffer);
  qn_buffer_free(b.buffer);
}

static void without_workspace(void **state) {
  (void)state;
  static const shape shapes[] = {{50, 3}, {300, 1}, {300, 20}, {300, 300}, {700, 140}};
  for (unsigned i = 0; i < sizeof shapes / sizeof *shapes; i++) {
    same_without(&shapes[i], true);
    same_without(&shapes[i], false);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(without_workspace)};
  return cmocka_run_group_tests(tests, open_all, close_all);
}
