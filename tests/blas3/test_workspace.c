/* Routines without workspace: with no memory left for it they take a way that needs none, and give
 * the same to rounding. On the device that QUERN_TEST_DEVICE names, the cpu by
 * default. */
#include <quern/quern.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
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

typedef enum routine { GEMM, TRSM, TRMM, TRMM_TO, POTRF } routine;

typedef struct problem {
  routine routine;
  qn_dtype dtype;
  int64_t m, n, k;        /* A is m x k, or a triangle of order m; B k x n; the result m x n */
  bool upper, transposed; /* a triangle */
} problem;

static const char *name_of(routine r) {
  static const char *const names[] = {"gemm", "trsm", "trmm", "trmm_to", "potrf"};
  return names[r];
}

static void put(void *x, qn_dtype dtype, int64_t i, double value, double imaginary) {
  const bool complex = dtype == QN_C64 || dtype == QN_C128;
  for (int part = 0; part <= (complex ? 1 : 0); part++) {
    const int64_t at = complex ? 2 * i + part : i;
    if (dtype == QN_F16)
      ((uint16_t *)x)[at] = value < 0 ? 0xb800 : 0x3800; /* -.5 and .5 */
    else if (dtype == QN_F32 || dtype == QN_C64)
      ((float *)x)[at] = (float)value;
    else
      ((double *)x)[at] = value;
    value = imaginary;
  }
}

static double get(const void *x, qn_dtype dtype, int64_t i) {
  if (dtype == QN_F16) {
    const uint16_t half = ((const uint16_t *)x)[i];
    const double size = ldexp((half & 0x3ff) + 0x400, (half >> 10 & 31) - 25);
    return half & 0x8000 ? -size : size;
  }
  return dtype == QN_F32 || dtype == QN_C64 ? (double)((const float *)x)[i]
                                            : ((const double *)x)[i];
}

/* Of a Hermitian matrix's diagonal the real parts alone count. */
typedef enum form { FULL, TRIANGLE, HERMITIAN } form;

/* Numbers in (-1, 1), small beside a diagonal of n. */
static void *numbers(qn_dtype dtype, int64_t rows, int64_t cols, form form) {
  void *x = malloc((size_t)(rows * cols) * qn_dtype_size(dtype));
  assert_non_null(x);
  for (int64_t j = 0; j < cols; j++)
    for (int64_t i = 0; i < rows; i++) {
      const double value = (double)((i * 7 + j * 11) % 23 - 11) / 12.0;
      if (form != FULL && i == j)
        put(x, dtype, i + j * rows, (double)rows + 1, form == HERMITIAN ? NAN : 0);
      else
        put(x, dtype, i + j * rows, value, -value);
    }
  return x;
}

static qn_matrix filled(qn_dtype dtype, int64_t rows, int64_t cols, form form) {
  qn_matrix m;
  void *x = numbers(dtype, rows, cols, form);
  ok(qn_matrix_alloc(device, dtype, rows, cols, &m));
  ok(qn_matrix_write(stream, m, x, rows));
  ok(qn_stream_sync(stream));
  free(x);
  return m;
}

static void call(const problem *p, qn_matrix a, qn_matrix b, qn_matrix c) {
  int64_t info = 0;
  const qn_uplo uplo = p->upper ? QN_UPPER : QN_LOWER;
  const qn_trans trans = p->transposed ? QN_TRANS : QN_NOTRANS;
  switch (p->routine) {
  case GEMM:
    ok(qn_gemm(stream, QN_NOTRANS, QN_NOTRANS, qn_real(1), a, b, qn_real(0), c));
    break;
  case TRMM_TO:
    ok(qn_trmm_to(stream, QN_LEFT, uplo, trans, QN_NONUNIT, qn_real(1), a, b, c));
    break;
  case POTRF:
    ok(qn_potrf(stream, QN_LOWER, c, &info));
    ok(qn_stream_sync(stream));
    assert_int_equal(info, 0);
    break;
  default:
    ok((p->routine == TRSM ? qn_trsm : qn_trmm)(stream, QN_LEFT, uplo, trans, QN_NONUNIT,
                                                qn_real(1), a, c));
  }
}

/* The result, in new memory; limit: what the pool may hold beyond what is in use, 0: anything. */
static void *run(const problem *p, qn_matrix a, qn_matrix b, uint64_t limit) {
  const bool potrf = p->routine == POTRF;
  const int64_t n = potrf ? p->m : p->n;
  qn_matrix c = filled(p->dtype, p->m, n, potrf ? HERMITIAN : FULL);
  qn_pool_stats stats;
  ok(qn_pool_trim(device));
  ok(qn_pool_query(device, &stats));
  ok(qn_pool_set_limit(device, limit ? stats.in_use + limit : 0));
  call(p, a, b, c);
  void *result = malloc((size_t)(p->m * n) * qn_dtype_size(p->dtype));
  assert_non_null(result);
  ok(qn_matrix_read(stream, result, p->m, c));
  ok(qn_stream_sync(stream));
  ok(qn_pool_set_limit(device, 0));
  qn_buffer_free(c.buffer);
  return result;
}

static void same_without(const problem *p) {
  const bool gemm = p->routine == GEMM, complex = p->dtype == QN_C64 || p->dtype == QN_C128;
  qn_matrix a = filled(p->dtype, p->m, gemm ? p->k : p->m, gemm ? FULL : TRIANGLE), b = {0};
  if (gemm || p->routine == TRMM_TO) b = filled(p->dtype, gemm ? p->k : p->m, p->n, FULL);
  /* info's place is all that potrf cannot do without; first, so that it is got ready so too */
  void *without = run(p, a, b, p->routine == POTRF ? 512 : 1);
  void *with = run(p, a, b, 0);
  const double most = p->dtype == QN_F16 ? 4e-3 : p->dtype == QN_F64 ? 1e-12 : 1e-4;
  for (int64_t i = 0; i < p->m * (p->routine == POTRF ? p->m : p->n) * (complex ? 2 : 1); i++) {
    const double x = get(with, p->dtype, i), y = get(without, p->dtype, i);
    if (!(fabs(x - y) <= most * (1 + fabs(x))))
      fail_msg("%s %s %lld x %lld: part %lld is %g, without workspace %g", name_of(p->routine),
               qn_dtype_name(p->dtype), (long long)p->m, (long long)p->n, (long long)i, x, y);
  }
  free(with);
  free(without);
  qn_buffer_free(a.buffer);
  qn_buffer_free(b.buffer);
}

static void all_same(const problem *p, unsigned count) {
  qn_device_info info;
  ok(qn_device_query(device, &info));
  for (unsigned i = 0; i < count; i++)
    if (info.dtypes & 1U << p[i].dtype) same_without(&p[i]);
}
#define ALL_SAME(list) all_same(list, sizeof(list) / sizeof *(list))

static void triangles(void **state) {
  (void)state;
  static const int64_t shapes[][2] = {{50, 3}, {300, 1}, {300, 20}, {300, 300}, {700, 140}};
  for (unsigned i = 0; i < sizeof shapes / sizeof *shapes; i++)
    for (routine r = TRSM; r <= TRMM_TO; r++)
      same_without(&(problem){r, QN_F32, shapes[i][0], shapes[i][1], 0, false, false});
  /* orders that no cut can halve */
  static const problem small[] = {
      {TRSM, QN_C64, 60, 5, 0, false, false},   {TRMM, QN_C64, 60, 5, 0, false, false},
      {TRSM, QN_C128, 33, 70, 0, false, false}, {TRMM, QN_C128, 64, 3, 0, false, false},
      {TRSM, QN_F64, 64, 3, 0, false, false},   {TRSM, QN_F64, 500, 40, 0, false, false}};
  ALL_SAME(small);
}

static void products(void **state) {
  (void)state;
  static const problem deep[] = {
      {GEMM, QN_F32, 64, 64, 9000, false, false},  {GEMM, QN_F64, 64, 64, 5000, false, false},
      {GEMM, QN_C64, 40, 64, 3000, false, false},  {GEMM, QN_F16, 128, 128, 9000, false, false},
      {GEMM, QN_F16, 127, 65, 5001, false, false}, {GEMM, QN_F16, 512, 300, 4096, false, false}};
  ALL_SAME(deep);
}

/* Large ones, which a card turns ahead. */
static void transposed(void **state) {
  (void)state;
  qn_device_info info;
  ok(qn_device_query(device, &info));
  if (strcmp(info.backend, "cuda") != 0) skip();
  for (int upper = 0; upper < 2; upper++)
    same_without(&(problem){TRMM_TO, QN_F32, 8194, 4096, 0, upper, true});
}

static void factors(void **state) {
  (void)state;
  static const problem orders[] = {{POTRF, QN_F32, 100, 0, 0, false, false},
                                   {POTRF, QN_F64, 700, 0, 0, false, false},
                                   {POTRF, QN_C64, 600, 0, 0, false, false},
                                   {POTRF, QN_C128, 300, 0, 0, false, false}};
  ALL_SAME(orders);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(triangles), cmocka_unit_test(products),
                                     cmocka_unit_test(transposed), cmocka_unit_test(factors)};
  return cmocka_run_group_tests(tests, open_all, close_all);
}
